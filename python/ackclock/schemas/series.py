"""What each series of a run holds, which the JSON Schema of ``ackclock run --json`` and the documentation repeat."""

from __future__ import annotations

Meanings = dict[str, str]
"""The definition of each series, in Markdown, by its name."""

FLOWS: Meanings = {
    "goodput_bps": (
        "rate at which payload was delivered since the previous sample. Over TCP, data behind a gap count "
        "when the gap is filled, so that a sample may exceed the rate of the link"
    ),
    "cwnd_packets": "congestion window",
    "ssthresh_packets": "slow start threshold; null while it is infinite",
    "inflight_packets": "the sender's estimate of its packets in the network",
    "rtt_s": (
        "latest round-trip sample; for `requests` over UDP, the time from the latest answered request to its reply"
    ),
    "media_rate_bps": (
        "rate that the control of a [call](sctp-and-rtp.md#calls-over-rtp) sets for its encoder"
    ),
    "congestion_signal_s": "congestion signal of `rtp:nada`; mean queueing delay of `rtp:scream`",
    "cwnd_bytes": "reference window of `rtp:scream`",
    "fast_retransmits": "number of recoveries begun since the end of the warm-up",
    "backoff_factor": (
        "factor on the retransmission timeout after the consecutive expiries so far; 1 without any"
    ),
    "judged_congestion": "number of losses so far that the discriminator has attributed to congestion",
    "judged_transmission": "number of losses so far that the discriminator has attributed to transmission",
    "smoothed_rtt_s": "smoothed round-trip time of the discriminator `rtt`",
    "congestion_edge_s": (
        "round-trip time above which the discriminator `rtt` attributes a loss to congestion"
    ),
    "in_spike": "state of the discriminator `spike`: 1 in a spike, else 0",
    "learning_probability": (
        "probability with which the discriminator `learning` guesses that a loss is of transmission"
    ),
    "guesses_right": (
        "number of guesses of transmission by the discriminator `learning` so far that were confirmed, "
        "as no loss refuted them in time"
    ),
    "guesses_wrong": (
        "number of guesses of transmission by the discriminator `learning` so far that a loss refuted"
    ),
    "tthresh": (
        "threshold of the action `cwa`: the window, in packets, from which on a transmission loss halves it"
    ),
    "acknowledgements_per_s": "rate of acknowledgements that the back-off `rta` measures, smoothed",
    "bandwidth_missing": (
        "share by which the rate of acknowledgements that the back-off `rta` measures is below its best"
    ),
    "partial_packets_acked": (
        "packets acknowledged that `sctp` and `sctp-2960` have counted towards the next increase of the "
        "window by a packet"
    ),
    "lia_alpha": (
        "aggressiveness alpha of `lia`, a factor on the increase that all paths share (RFC 6356 equation 2)"
    ),
    "rtt_threshold_s": (
        "threshold with which `rbcc`, `rbca`, `rbcc-dynamic`, `dca-c` and `dca-s` compare the round trip"
    ),
    "waiting_packets": (
        "estimate of the flow's packets in the queue, of `vegas`, `africa`, `yeah` and `veno`"
    ),
    "base_rtt_s": "estimate of the unloaded round trip, of `vegas` and `fast`",
    "slow_rounds": "number of rounds in a row in which `yeah` found too many packets waiting in the network",
    "delay_window_packets": "part of the window of `compound` that follows the queueing delay",
    "average_rtt_s": "smoothed round-trip time of `fast`",
    "queueing_delay_s": (
        "queueing delay that `ledbat` and `ledbat++` steer to their target, and that `copa` estimates"
    ),
    "base_delay_s": "base delay of `ledbat`: the least one-way delay of the last minutes",
    "slows_down": "state of `ledbat++`: 1 in a slowdown, else 0",
    "delta": "delta of `copa`, which weighs delay against rate",
    "velocity": "velocity of `copa`: a factor on the steps of its window",
    "c4_state": "state of `c4`: 0 Initial, 1 Recovery, 2 Cruising, 3 Probing, 4 Pushing",
    "c4_rate_packets_per_s": "nominal rate of `c4`",
    "c4_max_rtt_s": "recent maximum round trip that `c4` keeps for its window",
    "c4_loss_rate": "share of packets lost that `c4` measures, smoothed",
    "vivace_rate_packets_per_s": (
        "sending rate of `vivace`, which is raised and lowered in turn to measure the gradient of the utility"
    ),
    "vivace_starts": "state of `vivace`: 1 while its rate still doubles, else 0",
    "vivace_steps": (
        "number of consecutive steps of `vivace` in the present direction; negative if the rate falls"
    ),
    "resume_phase": (
        "phase of the layer `careful-resume`: 0 Reconnaissance, 1 Unvalidated, 2 Validating, 3 Safe "
        "Retreat, 4 done"
    ),
    "resume_pipe_packets": "pipe size (PipeSize) that the layer `careful-resume` has measured",
    "conservative_slow_start": "state of the slow start `hystart++`: 1 in conservative slow start, else 0",
    "hystart_found": (
        "state of the slow start `hystart`: 1 from the time at which it ends a slow start until a "
        "timeout, else 0"
    ),
    "most_in_flight_packets": (
        "most packets in flight since the last reduction, of the layer `rate-limited-increase`"
    ),
    "marked_share": (
        "alpha of `dctcp` and `prague`: the share of packets marked, averaged over windows or periods"
    ),
    "prague_window_packets": "window of `prague`, including the fraction of a packet",
    "prague_by_rate": (
        "state of `prague`: 1 while it is rate-based, so that the window follows the rate, else 0"
    ),
    "prague_classic_score": (
        "evidence of `prague` with `classic_fallback` for a classic queue, from 0 to 17, with the "
        "transition between 8 and 9"
    ),
    "fast_mode": "mode of `africa`: 1 while it grows as HighSpeed TCP, 0 while it grows as Reno",
    "increase_packets": (
        "increase a(w) of `hstcp` in packets per round trip, at the latest change of its window"
    ),
    "decrease": (
        "decrease b(w) of `hstcp`, the part of the window that a loss takes, at the latest change of its "
        "window"
    ),
    "alpha_packets": "increase per round trip of `htcp` and `illinois`",
    "beta": (
        "share of the window that remains after a loss, of `htcp`; share that a loss takes away, of "
        "`illinois`"
    ),
    "throughput_packets_per_s": "greatest throughput since the last loss, of `htcp`",
    "max_window_packets": "upper bound of the binary search of `bic`; null if unknown",
    "min_window_packets": "lower bound of the binary search of `bic`; null if unknown",
    "target_window_packets": "next target of the binary search of `bic`; null if unknown",
    "bandwidth_packets_per_s": "bandwidth that `westwood` and `westwood-nr` measure",
    "bandwidth_delay_packets": (
        "product of the bandwidth that `westwood` and `westwood-nr` measure and the least round trip"
    ),
    "probing": "phase of `rbcc-dynamic`: 1 in the probe phase, else 0",
    "probes": "number of probes of `rbcc-dynamic` in its probe phase",
    "probe_increases": "number of increases of the threshold by `rbcc-dynamic` in its probe phase",
    "probe_decreases": "number of decreases of the threshold by `rbcc-dynamic` in its probe phase",
    "rtt_count": "number of falls minus rises of the round trip that `rbcc-dynamic` counts",
    "lean_states": "number of times in a row that `rbcc-dynamic` has declared its flow lean",
    "bully_states": "number of times in a row that `rbcc-dynamic` has declared its flow a bully",
    "layer": "layer K in which the window of `ltcp` or `ltcp-rc` is",
    "k_r": "factor K_R on the increase of the window of `ltcp-rc`",
    "in_transition": "state of `ltcp-rc`: 1 while in transition, 0 when steady",
    "loss_layer": "layer in which the window of `ltcp-rc` was at its last loss",
    "k": "strength k of `a-tcp` and `tcp-p`, and of the group of `a-tcp-p`",
    "knee_k": (
        "strength k of `a-tcp`, and of the group of `a-tcp-p`, at the latest knee, where a queue began to "
        "build"
    ),
    "knee_cwnd_packets": (
        "window of `a-tcp`, and of the group of `a-tcp-p`, at the latest knee, where a queue began to build"
    ),
    "knee_cwnd_ref_packets": (
        "reference window with which `a-tcp`, and the group of `a-tcp-p`, compare the window at the "
        "latest knee, to find out whether there is a competitor"
    ),
    "srtt_s": "smoothed round-trip time of `a-tcp`, and of the group of `a-tcp-p`",
    "srtt_threshold_s": "round-trip time above which `a-tcp`, and the group of `a-tcp-p`, assume a queue",
    "group_cwnd_packets": "sum of the windows of the group of `a-tcp-p` and `cm`",
    "bbr_state": (
        "state of `bbrv3`: 0 Startup, 1 Drain, 2 DOWN, 3 CRUISE, 4 REFILL, 5 UP, 6 ProbeRTT; state of "
        "`bbrv1`: 0 Startup, 1 Drain, 2 ProbeBW, 3 ProbeRTT"
    ),
    "bbr_rounds": "number of rounds of `bbrv3` and `bbrv1` so far",
    "bbr_max_bw_packets_per_s": "estimate of the bandwidth of `bbrv3` and `bbrv1`",
    "bbr_min_rtt_s": "estimate of the least round trip of `bbrv3` and `bbrv1`",
    "bbr_extra_acked_packets": (
        "recent maximum of the packets acknowledged in batches beyond the bandwidth, of `bbrv3` and `bbrv1`"
    ),
    "bbr_phase": "number of the phase in the cycle of `bbrv1` in ProbeBW; 0 is the phase that probes",
    "bbr_full_pipe_rounds": (
        "number of consecutive rounds of `bbrv3` in which the delivery rate did not grow enough"
    ),
    "bbr_bw_packets_per_s": "bandwidth that `bbrv3` uses: the estimate, at most its short-term bound",
    "bbr_inflight_longterm_packets": (
        "long-term bound on the packets in flight of `bbrv3`; null if there is none"
    ),
    "bbr_inflight_shortterm_packets": (
        "short-term bound on the packets in flight of `bbrv3`; null if there is none"
    ),
    "w_max_packets": (
        "maximum window W_max of `cubic`: the window before the last loss, less what fast convergence gives "
        "up; null if unknown"
    ),
    "k_s": "time K of `cubic` from the start of the present epoch to the plateau of the window",
}

LINKS: Meanings = {
    "queue_packets": "packets waiting, without the packet being sent",
    "arrived_packets": "number of packets offered to the link since the end of the warm-up",
    "dropped_packets": "number of packets dropped by the link's queue since the end of the warm-up",
    "average_queue_packets": (
        "weighted average of the queue, of `red`, `adaptive-red`, `red-diff` and `choke`"
    ),
    "drop_probability": (
        "probability with which the next arrival is dropped or marked early, of `apace`, `sred`, "
        "`paqm`, `pie`, `pi` and `blue`; of `dualpi2`, for the classic queue; of `scepter`, as last "
        "applied"
    ),
    "max_probability": (
        "maximum probability as adapted so far, of `adaptive-red`, `red-diff` and an `apace` with a target"
    ),
    "predicted_queue_packets": "queue length that `apace` predicts for `horizon` arrivals ahead",
    "prediction_error_packets": (
        "queue at the latest arrival minus the prediction of it by the filter of `apace`, before the "
        "prediction is limited to the possible range"
    ),
    "mean_square_error_packets2": "smoothed mean square of the prediction error of `apace`",
    "predicted_arrivals_packets": "arrivals that `paqm` expects in the next interval",
    "hit_frequency": (
        "frequency with which an arrival meets a packet of its own flow, of `sred`; the inverse is its "
        "estimate of the number of flows"
    ),
    "virtual_capacity_bps": "capacity of the virtual queue of `avq`",
    "virtual_queue_packets": "length of the virtual queue of `avq`",
    "drops_in_a_row": (
        "`count` of `codel`: the drops since dropping began, plus the count carried over from the "
        "previous dropping state; 0 while it drops nothing"
    ),
    "active_queues": (
        "number of queues that have packets or were served last, of `fq-codel`, `drr`, `sfq` and `cake`"
    ),
    "band_0_packets": "packets in band 0 of `prio`, which is served first",
    "band_1_packets": "packets in band 1 of `prio`, which is served after band 0",
    "band_2_packets": "packets in band 2 of `prio`, which is served last",
    "blue_probability": (
        "greatest BLUE drop probability of Cobalt over the queues of `cake`, which does not depend on "
        "the delay"
    ),
    "coupled_mark_probability": (
        "marking probability that the classic queue of `dualpi2` adds to the short queue"
    ),
    "short_queue_packets": "packets in the short queue of `dualpi2`",
    "classic_queue_packets": "packets in the classic queue of `dualpi2`",
    "greatest_drop_probability": "highest drop probability of any bin of `sfb`",
    "token_rate_bps": (
        "token rate of `token-bucket`, `scepter`, `srtcm`, `trtcm` and `shaper` (for `trtcm` that of "
        "the peak rate's bucket), and of `fair-policer`, `bc-pqp` and `phantom-queue`"
    ),
    "bucket_bytes": (
        "depth of the token bucket of `token-bucket`, `scepter`, `srtcm`, `trtcm` and `shaper` (for "
        "`srtcm` both buckets together, for `trtcm` the peak rate's)"
    ),
    "tokens_bytes": (
        "tokens left after the last packet, in the bucket of `token-bucket`, `scepter`, `srtcm`, "
        "`trtcm` and `shaper` (for `srtcm` both buckets together, for `trtcm` the peak rate's)"
    ),
    "passed_bytes": (
        "bytes that have taken tokens since the start, of `token-bucket`, `scepter`, `srtcm`, `trtcm` "
        "and `shaper`, and of `fair-policer`, `bc-pqp` and `phantom-queue`"
    ),
    "phantom_bytes": "bytes in the phantom queues of `fair-policer`, `bc-pqp` and `phantom-queue`",
    "tokens_byte_s": (
        "integral over time of the token level, of `token-bucket`, `scepter`, `trtcm` and `shaper`; its "
        "growth over an interval gives the exact mean level in it"
    ),
    "tokens_byte2_s": (
        "integral over time of the square of the token level, of `token-bucket`, `scepter`, `trtcm` and "
        "`shaper`; its growth over an interval, with that of `tokens_byte_s`, gives the exact standard "
        "deviation in it"
    ),
    "predicted_tokens_bytes": "token level that `scepter` predicts",
}
