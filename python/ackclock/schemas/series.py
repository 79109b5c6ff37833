"""What each series of a run holds, which the JSON Schema of ``ackclock run --json`` and the documentation repeat."""

from __future__ import annotations

Meanings = dict[str, str]
"""The meaning of series, in Markdown, by their names; names with one meaning stand together, separated by commas."""

FLOWS: Meanings = {
    "goodput_bps": (
        "payload delivered since the previous sample, divided by the interval; over TCP data count when "
        "they are in order, so what waited for a repaired loss counts at once, and a sample may be above "
        "the rate of the link"
    ),
    "cwnd_packets": ("congestion window"),
    "ssthresh_packets": ("slow start threshold; null where there is none"),
    "inflight_packets": ("the sender's estimate of its packets in the network"),
    "rtt_s": ("the latest round-trip sample; for `requests` over UDP, the time that the latest answer took"),
    "media_rate_bps, congestion_signal_s": (
        "of a [call](sctp-and-rtp.md#calls-over-rtp): the rate that its control sets; of `rtp:nada`: its "
        "congestion signal; of `rtp:scream`: its mean queueing delay"
    ),
    "cwnd_bytes": ("of `rtp:scream`: its reference window"),
    "fast_retransmits": ("recoveries begun since the end of the warm-up"),
    "backoff_factor": ("the factor on the timeout after the consecutive expiries so far; 1 without any"),
    "judged_congestion, judged_transmission": (
        "with a discriminator: the number of losses that it has judged to be of this cause"
    ),
    "smoothed_rtt_s, congestion_edge_s": (
        "of the discriminator `rtt`: its smoothed round trip, and the edge above which losses are of "
        "congestion"
    ),
    "in_spike": ("of the discriminator `spike`: 1 in a spike, else 0"),
    "learning_probability": (
        "of the discriminator `learning`: the probability with which it guesses that a loss is of "
        "transmission"
    ),
    "guesses_right, guesses_wrong": (
        "of the discriminator `learning`: its guesses of transmission so far that were confirmed (no loss "
        "refuted them in time) and that were refuted"
    ),
    "tthresh": ("of the action `cwa`: the window, in packets, from which on a loss halves it"),
    "acknowledgements_per_s, bandwidth_missing": (
        "of the back-off `rta`: its smoothed rate of acknowledgements, and by what share it is below its best"
    ),
    "partial_packets_acked": (
        "of `sctp` and `sctp-2960`: the packets acknowledged towards the next increase by a packet"
    ),
    "lia_alpha": ("of `lia`: the aggressiveness that the paths share (RFC 6356 equation 2)"),
    "rtt_threshold_s": (
        "of `rbcc`, `rbca`, `dca-c` and `dca-s`: the threshold that the round trip is compared with"
    ),
    "waiting_packets, base_rtt_s": (
        "of `vegas`: its estimates of its packets in the queue and of the unloaded round trip. The first of"
        " `africa`, `yeah` and `veno` too, the second of `fast`"
    ),
    "slow_rounds": ("of `yeah`: rounds in a row in which many packets waited"),
    "delay_window_packets": ("of `compound`: its delay-based window"),
    "average_rtt_s": ("of `fast`: its smoothed round trip"),
    "queueing_delay_s, base_delay_s": (
        "of `ledbat`: the queueing delay that it steers to its target, and the least one-way delay. The "
        "first of `ledbat++` and `copa` too"
    ),
    "slows_down": ("of `ledbat++`: 1 in a slowdown, else 0"),
    "delta, velocity": ("of `copa`: delta, which weighs delay against rate, and how fast its window moves"),
    "c4_state, c4_rate_packets_per_s, c4_max_rtt_s, c4_loss_rate": (
        "of `c4`: its state (0 Initial, 1 Recovery, 2 Cruising, 3 Probing, 4 Pushing), its nominal rate, "
        "its recent largest round trip, and the average share of packets lost"
    ),
    "vivace_rate_packets_per_s, vivace_starts, vivace_steps": (
        "of `vivace`: the rate that it varies, 1 while it still doubles, and its steps in one direction so "
        "far, negative downwards"
    ),
    "resume_phase, resume_pipe_packets": (
        "of the layer `careful-resume`: 0 Reconnaissance, 1 Unvalidated, 2 Validating, 3 Safe Retreat, 4 "
        "done; and the PipeSize that it has measured"
    ),
    "conservative_slow_start": ("of the slow start `hystart++`: 1 in its conservative form, else 0"),
    "hystart_found": (
        "of the slow start `hystart`: 1 from the time at which it ends a slow start until a timeout"
    ),
    "most_in_flight_packets": ("of `rate-limited-increase`: the most in flight since the last reduction"),
    "marked_share": (
        "of `dctcp` and `prague`: alpha, the share of packets marked, averaged over windows or periods"
    ),
    "prague_window_packets, prague_by_rate, prague_classic_score": (
        "of `prague`: its window including the fraction of a packet; 1 while it is rate-based, so that the "
        "window follows the rate; with `classic_fallback`, the evidence for a classic queue, from 0 to 17, "
        "with the transition between 8 and 9"
    ),
    "fast_mode": ("of `africa`: 1 while it grows as HighSpeed TCP, 0 while it grows as Reno"),
    "increase_packets, decrease": ("of `hstcp`: a(w) and b(w) at the latest change of its window"),
    "alpha_packets, beta, throughput_packets_per_s": (
        "of `htcp`: its increase per round trip, the share of the window that remains after a loss, the "
        "greatest throughput since the last loss. The first two also of `illinois`, where `beta` is the "
        "share that a loss takes away"
    ),
    "max_window_packets, min_window_packets, target_window_packets": (
        "of `bic`: the bounds of its binary search, and its next target; null where unknown"
    ),
    "bandwidth_packets_per_s, bandwidth_delay_packets": (
        "of `westwood` and `westwood-nr`: the measured bandwidth, and its product with the least round trip"
    ),
    "probing, probes, probe_increases, probe_decreases, rtt_count, lean_states, bully_states": (
        "of `rbcc-dynamic`, besides `rtt_threshold_s`: 1 in the probe phase; probes and changes in it; the "
        "number of falls minus rises of the round trip; consecutive declarations of each state"
    ),
    "layer": ("of `ltcp` and `ltcp-rc`: the layer that the window is in"),
    "k_r, in_transition, loss_layer": (
        "of `ltcp-rc`: the factor on its increase; 1 while in transition, 0 when steady; the layer of the "
        "last loss"
    ),
    "k, knee_k, knee_cwnd_packets, knee_cwnd_ref_packets, srtt_s, srtt_threshold_s": (
        "of `a-tcp` and, of the group, `a-tcp-p`: the strength k; k at the latest knee; the window at the "
        "latest knee; the reference window that it is compared with; the smoothed round trip; the round "
        "trip above which a queue is assumed. `k` also of `tcp-p`"
    ),
    "group_cwnd_packets": ("of `a-tcp-p` and `cm`: the sum of the windows of the group"),
    "bbr_state, bbr_rounds": (
        "of `bbrv3` and `bbrv1`: the state and the rounds so far. States of `bbrv3`: 0 Startup, 1 Drain, 2 DOWN, "
        "3 CRUISE, 4 REFILL, 5 UP, 6 ProbeRTT; of `bbrv1`: 0 Startup, 1 Drain, 2 ProbeBW, 3 ProbeRTT"
    ),
    "bbr_max_bw_packets_per_s, bbr_min_rtt_s": (
        "of `bbrv3` and `bbrv1`: its estimates of the bandwidth and of the least round trip"
    ),
    "bbr_extra_acked_packets": (
        "of `bbrv3` and `bbrv1`: its recent estimate of packets acknowledged in batches beyond the bandwidth"
    ),
    "bbr_phase": ("of `bbrv1`: the phase of its cycle, from 0, the probing phase"),
    "bbr_full_pipe_rounds": ("of `bbrv3`: consecutive rounds without growth"),
    "bbr_bw_packets_per_s, bbr_inflight_longterm_packets, bbr_inflight_shortterm_packets": (
        "of `bbrv3`: the bandwidth within its short-term bound, and the bounds on what is in flight; null "
        "where there is none"
    ),
    "w_max_packets, k_s": ("of `cubic`: the window before the last loss; the time from there to the plateau"),
}

LINKS: Meanings = {
    "queue_packets": ("packets waiting, without the one being sent"),
    "arrived_packets, dropped_packets": ("packets offered and packets refused since the end of the warm-up"),
    "average_queue_packets": ("of `red`, `adaptive-red`, `red-diff` and `choke`: the weighted average"),
    "drop_probability": (
        "the probability with which the next arrival is dropped or marked early: of `apace`, `sred`, "
        "`paqm`, `pie`, `pi` and `blue`; for `dualpi2`, the probability of the classic queue"
    ),
    "max_probability": (
        "of `adaptive-red`, `red-diff` and an `apace` with a target: the probability as adapted so far"
    ),
    "predicted_queue_packets, prediction_error_packets, mean_square_error_packets2": (
        "of `apace`: the queue that it predicts `horizon` arrivals ahead; the queue at the latest arrival "
        "minus the filter's prediction of it, before the prediction is limited to the possible range; the "
        "smoothed mean square of that error"
    ),
    "predicted_arrivals_packets": ("of `paqm`: the arrivals that it expects in the next interval"),
    "hit_frequency": (
        "of `sred`: how often an arrival meets a packet of its own flow; the inverse is its estimate of the"
        " number of flows"
    ),
    "virtual_capacity_bps, virtual_queue_packets": ("of `avq`: its virtual link"),
    "drops_in_a_row": (
        "of `codel`: its `count`: the drops since dropping began, plus what it carried over from the "
        "previous dropping state; 0 while it drops nothing"
    ),
    "active_queues": (
        "of `fq-codel`, `drr`, `sfq` and `cake`: the number of queues that have packets or were served last"
    ),
    "band_0_packets, band_1_packets, band_2_packets": (
        "of `prio`: packets in each band, the first of which is served first"
    ),
    "blue_probability": (
        "of `cake`: the greatest, over its queues, of Cobalt's BLUE drop probability, which does not depend"
        " on the delay"
    ),
    "coupled_mark_probability, short_queue_packets, classic_queue_packets": (
        "of `dualpi2`: the marking probability that the classic queue adds to the short queue; the packets "
        "in each"
    ),
    "greatest_drop_probability": ("of `sfb`: the highest drop probability of any bin"),
    "token_rate_bps, bucket_bytes, tokens_bytes, passed_bytes": (
        "of `token-bucket`, `scepter`, `srtcm`, `trtcm` and `shaper`: the rate and the depth of the bucket "
        "(for `srtcm` of both buckets, for `trtcm` of the peak rate's); the tokens left after the last "
        "packet; the bytes that have taken tokens since the start. The first and the last also of "
        "`fair-policer`, `bc-pqp` and `phantom-queue`"
    ),
    "phantom_bytes": ("of `fair-policer`, `bc-pqp` and `phantom-queue`: the bytes in its phantom queues"),
    "tokens_byte_s, tokens_byte2_s": (
        "of `token-bucket`, `scepter`, `trtcm` and `shaper`: the integrals over time of the token level and"
        " of its square; their growth over an interval gives the exact mean and standard deviation in it"
    ),
    "predicted_tokens_bytes, drop_probability": (
        "of `scepter`: the token level that it predicts; the drop probability that it last applied"
    ),
}
