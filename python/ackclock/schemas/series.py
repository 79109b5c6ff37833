"""The definitions of the series of a run, for the JSON Schema of ``ackclock run --json`` and the documentation."""

from __future__ import annotations

Meanings = dict[str, str]
"""The definition of each series, in Markdown, by its name."""

FLOWS: Meanings = {
    "goodput_bps": (
        "rate at which the application received payload since the previous sample. Over TCP, data after a gap are "
        "counted when the gap is filled, so a sample can exceed the rate of the link"
    ),
    "cwnd_packets": "congestion window",
    "ssthresh_packets": "slow start threshold; null while it is infinite",
    "inflight_packets": "number of packets in flight, as the sender estimates it",
    "rtt_s": (
        "latest round-trip time sample; for `requests` over UDP, the time from the latest answered request to its reply"
    ),
    "media_rate_bps": (
        "bit rate that the congestion control of a [call](sctp-and-rtp.md#calls-over-rtp) sets for its encoder"
    ),
    "congestion_signal_s": (
        "aggregate congestion signal x_curr of `rtp:nada` (RFC 8698: queueing delay plus penalties for losses and "
        "marks); averaged queueing delay of `rtp:scream`"
    ),
    "cwnd_bytes": "reference window of `rtp:scream`",
    "fast_retransmits": (
        "number of loss recoveries begun since the start of the flow; after the warm-up, since the end of the "
        "warm-up. Recoveries after a retransmission timeout are not counted"
    ),
    "backoff_factor": (
        "factor by which the back-off rule of the flow has multiplied the retransmission timeout because of "
        "consecutive expiries; 1 without an expiry"
    ),
    "judged_congestion": (
        "number of loss recoveries so far whose first loss the loss discriminator attributed to congestion, plus "
        "number of window reductions after ECN marks and local drops"
    ),
    "judged_transmission": (
        "number of loss recoveries so far whose first loss the loss discriminator attributed to transmission errors"
    ),
    "smoothed_rtt_s": (
        "smoothed round-trip time that the loss discriminator `rtt` computes; 0 before the first round-trip time sample"
    ),
    "congestion_edge_s": (
        "threshold of the loss discriminator `rtt`: a loss is attributed to congestion if the discriminator's smoothed "
        "round-trip time is above this threshold; null before the first round-trip time sample"
    ),
    "in_spike": (
        "state of the loss discriminator `spike`: 1 during a spike of the one-way or round-trip time (parameter "
        "`trip`), else 0"
    ),
    "learning_probability": (
        "probability with which the loss discriminator `learning` attributes a loss to transmission errors"
    ),
    "guesses_right": (
        "number of losses so far that the loss discriminator `learning` attributed to transmission errors and after "
        "which no further loss or timeout occurred within `check` smoothed round-trip times"
    ),
    "guesses_wrong": (
        "number of losses so far that the loss discriminator `learning` attributed to transmission errors and after "
        "which a further loss or a timeout occurred within `check` smoothed round-trip times"
    ),
    "tthresh": (
        "threshold of the action `cwa`, in packets: a loss attributed to transmission errors halves a window at or "
        "above it, and reduces a smaller window by the number of packets still missing; 0 until the first threshold is "
        "set; unused if the parameter `tthresh` is false"
    ),
    "acknowledgements_per_s": (
        "smoothed number of acknowledgements per second, as the back-off `rta` measures it; 0 before the first sample. "
        "Unless `keep_in_congestion` is true, it is also 0 while losses are attributed to congestion"
    ),
    "bandwidth_missing": (
        "relative decrease of the acknowledgement rate measured by the back-off `rta` from its highest value so far: 0 "
        "at the highest rate, 1 without acknowledgements; also 1 before the first sample and while losses are "
        "attributed to congestion"
    ),
    "partial_packets_acked": (
        "number of acknowledged packets that `sctp` and `sctp-2960` count towards the next window increase of one "
        "packet (partial_bytes_acked of RFC 9260)"
    ),
    "lia_alpha": (
        "aggressiveness alpha of `lia`: a factor in the window increase of every path (RFC 6356 equation 2)"
    ),
    "rtt_threshold_s": (
        "threshold with which `rbcc`, `rbca`, `rbcc-dynamic`, `dca-c` and `dca-s` compare the round-trip time"
    ),
    "waiting_packets": (
        "number of the flow's packets in the queue, as `vegas`, `africa`, `yeah` and `veno` estimate it"
    ),
    "base_rtt_s": "base round-trip time (without queueing), as `vegas` and `fast` estimate it",
    "slow_rounds": (
        "number of consecutive rounds at whose end `yeah` found too many packets in the queue or too long a queueing "
        "delay"
    ),
    "delay_window_packets": (
        "delay window (dwnd) of `compound`: the delay-based part of the congestion window"
    ),
    "average_rtt_s": "smoothed round-trip time of `fast`",
    "queueing_delay_s": "queueing delay that `ledbat`, `ledbat++` and `copa` estimate",
    "base_delay_s": (
        "base delay of `ledbat`: minimum over the last minutes (`base_history`) of the one-way delay, or of the "
        "round-trip time if the transport does not measure one-way delays"
    ),
    "slows_down": "state of `ledbat++`: 1 in a slowdown, else 0",
    "delta": "delta of `copa`: the weight of delay against rate; a smaller delta allows a longer queue",
    "velocity": "velocity of `copa`: the factor by which the steps of its window are multiplied",
    "c4_state": "state of `c4`: 0 Initial, 1 Recovery, 2 Cruising, 3 Probing, 4 Pushing",
    "c4_rate_packets_per_s": "nominal rate of `c4`",
    "c4_max_rtt_s": "recent maximum round-trip time from which `c4` computes its window",
    "c4_loss_rate": "smoothed loss rate that `c4` measures, as a share of the packets",
    "vivace_rate_packets_per_s": (
        "base rate of `vivace`; it sends alternately faster and slower than this rate to measure the gradient of the "
        "utility"
    ),
    "vivace_starts": "state of `vivace`: 1 in startup, in which its rate doubles, else 0",
    "vivace_steps": (
        "number of consecutive steps of `vivace` in one direction; negative for steps that lower the rate"
    ),
    "resume_phase": (
        "phase of the layer `careful-resume`: 0 Reconnaissance, 1 Unvalidated, 2 Validating, 3 Safe "
        "Retreat, 4 Normal"
    ),
    "resume_pipe_packets": (
        "pipe size (PipeSize) of the layer `careful-resume`: packets in flight at the jump of the window plus packets "
        "acknowledged since"
    ),
    "conservative_slow_start": "state of the slow start `hystart++`: 1 in conservative slow start, else 0",
    "hystart_found": (
        "state of the slow start `hystart`: 1 after it has ended slow start, until the next timeout, else 0"
    ),
    "most_in_flight_packets": (
        "largest number of packets in flight since the last window reduction, as measured by the layer "
        "`rate-limited-increase`"
    ),
    "marked_share": ("alpha of `dctcp` and `prague`: the moving average of the share of marked packets"),
    "prague_window_packets": "congestion window that `prague` computes, not rounded to whole packets",
    "prague_by_rate": (
        "state of `prague`: 1 while it is rate-based and computes the window from the rate, else 0"
    ),
    "prague_classic_score": (
        "score, from 0 to 17, of `prague` with `classic_fallback`, which treats the queue as L4S up to a score of 8 "
        "and as classic from 9; null without `classic_fallback`"
    ),
    "fast_mode": "mode of `africa`: 1 while it grows as HighSpeed TCP, 0 while it grows as Reno",
    "increase_packets": (
        "increase a(w) of `hstcp` in packets per round trip, at the latest acknowledgement in congestion avoidance; 1 "
        "before the first such acknowledgement"
    ),
    "decrease": (
        "decrease b(w) of `hstcp`: share of the window that the latest loss removed; 0.5 before the first loss"
    ),
    "alpha_packets": "increase alpha of `htcp` and `illinois`, in packets per round trip",
    "beta": (
        "share of the window: with `htcp` the share that remains after a loss, with `illinois` the share that a "
        "loss removes"
    ),
    "throughput_packets_per_s": "highest throughput of `htcp` since the last loss",
    "max_window_packets": "upper bound of the binary search of `bic`; null if unknown",
    "min_window_packets": "lower bound of the binary search of `bic`; null if unknown",
    "target_window_packets": "next target of the binary search of `bic`; null if unknown",
    "bandwidth_packets_per_s": "bandwidth that `westwood` and `westwood-nr` measure",
    "bandwidth_delay_packets": (
        "bandwidth-delay product of `westwood` and `westwood-nr`: measured bandwidth times minimum round-trip time"
    ),
    "probing": "phase of `rbcc-dynamic`: 1 in the probe phase, else 0",
    "probes": "number of probes in the probe phase of `rbcc-dynamic`; `probe_unit` sets what counts as a probe",
    "probe_increases": (
        "number of times that `rbcc-dynamic` has raised its RTT threshold in its probe phase"
    ),
    "probe_decreases": (
        "number of times that `rbcc-dynamic` has lowered its RTT threshold in its probe phase"
    ),
    "rtt_count": (
        "rtt_count of `rbcc-dynamic`: number of round-trip time samples shorter than the previous sample, minus number "
        "of longer ones, since the last reset. A sample equal to the previous one resets rtt_count to 0; with "
        '`rtt_count_rule = "run"`, a change between longer and shorter samples also resets rtt_count, before the '
        "first sample after the change is counted"
    ),
    "lean_states": (
        "number of times that `rbcc-dynamic` has classified its flow as lean (small window that does not grow) since "
        "the flow was last classified as a bully (window and round-trip time grow together)"
    ),
    "bully_states": (
        "number of times that `rbcc-dynamic` has classified its flow as a bully (window and round-trip time grow "
        "together) since the flow was last classified as lean (small window that does not grow)"
    ),
    "layer": "number K of the layer in which the congestion window of `ltcp` or `ltcp-rc` lies",
    "k_r": "factor K_R by which `ltcp-rc` multiplies its window increase",
    "in_transition": "state of `ltcp-rc`: 1 while in transition, 0 when steady",
    "loss_layer": "layer of `ltcp-rc` at its last loss",
    "k": "number k of standard TCP flows that `a-tcp`, `tcp-p` or the group of `a-tcp-p` emulates",
    "knee_k": (
        "k of `a-tcp`, or of the group of `a-tcp-p`, at the first knee (window at which a queue begins to build) after "
        "a loss; 0 before the first loss, which sets knee_k to 1, as a later loss does if the latest knee differs from "
        "the reference window by more than the fraction `beta` (a sign of a competing flow)"
    ),
    "knee_cwnd_packets": (
        "window of `a-tcp`, or of the group of `a-tcp-p`, at the latest knee, where a queue began to build"
    ),
    "knee_cwnd_ref_packets": (
        "reference window of `a-tcp`, or of the group of `a-tcp-p`: a knee (window at which a queue begins to build) "
        "that differs from this window by more than the fraction `beta` counts as a sign of a competing flow"
    ),
    "srtt_s": (
        "smoothed round-trip time that `a-tcp` computes for its flow, and `a-tcp-p` from the samples of all flows of "
        "its group"
    ),
    "srtt_threshold_s": (
        "smoothed round-trip time above which `a-tcp`, or the group of `a-tcp-p`, assumes a queue"
    ),
    "group_cwnd_packets": (
        "sum of the congestion windows of all flows, this one included, that `a-tcp-p` or `cm` controls together"
    ),
    "bbr_state": (
        "state of `bbrv3`: 0 Startup, 1 Drain, 2 to 5 ProbeBW (2 DOWN, 3 CRUISE, 4 REFILL, 5 UP), 6 ProbeRTT; state of "
        "`bbrv1`: 0 Startup, 1 Drain, 2 ProbeBW, 3 ProbeRTT"
    ),
    "bbr_rounds": "number of rounds of `bbrv3` and `bbrv1` so far",
    "bbr_max_bw_packets_per_s": (
        "bandwidth estimate of `bbrv1` and `bbrv3`: maximum delivery rate in the last `bandwidth_rounds` rounds "
        "(`bbrv1`), or in the current and the previous ProbeBW cycle (`bbrv3`)"
    ),
    "bbr_min_rtt_s": (
        "minimum round-trip time in the last `min_rtt_window`, as `bbrv1` and `bbrv3` measure it; null while unknown"
    ),
    "bbr_extra_acked_packets": (
        "extra_acked of `bbrv1` and `bbrv3`: recent maximum of the number of packets acknowledged in excess of the "
        "estimated bandwidth, because of ACK aggregation"
    ),
    "bbr_phase": (
        "phase of the ProbeBW cycle of `bbrv1`: phase 0 probes for bandwidth, phase 1 drains the queue, the others "
        "send at the estimated bandwidth"
    ),
    "bbr_full_pipe_rounds": (
        "number of rounds of `bbrv3`, not counting application-limited rounds, since the delivery rate last grew by "
        "the factor `full_pipe_growth`"
    ),
    "bbr_bw_packets_per_s": (
        "bandwidth from which `bbrv3` computes its pacing rate and window: the bandwidth estimate, or its short-term "
        "bound if that is lower"
    ),
    "bbr_inflight_longterm_packets": (
        "upper bound on the packets in flight that `bbrv3` has learnt from excessive losses in Startup or in a "
        "bandwidth probe (inflight_longterm); null if there is none"
    ),
    "bbr_inflight_shortterm_packets": (
        "upper bound on the packets in flight that `bbrv3` has set because of losses since the last bandwidth probe "
        "(inflight_shortterm); null if there is none"
    ),
    "w_max_packets": (
        "window W_max of `cubic`: the window saved at the last loss (the parameter `remembers` chooses which window), "
        "reduced if fast convergence applies. In the first slow start and in a slow start after a timeout, W_max is "
        "null; if such a slow start ends without a loss, W_max becomes the window at its end"
    ),
    "k_s": (
        "time K of `cubic` from the start of the current congestion avoidance stage to the plateau of the cubic curve; "
        "0 outside congestion avoidance"
    ),
    "path": "number of the path, counted from 1, on which an SCTP association sends new data",
    "spc_switches": (
        "number of times since the start of the flow that the path selector `spc` has moved new data to another path"
    ),
    **{
        f"cwnd_path_{n}_packets": f"congestion window of path {n} of an SCTP association" for n in range(1, 9)
    },
    **{f"rto_path_{n}_s": f"retransmission timeout of path {n} of an SCTP association" for n in range(1, 9)},
}

LINKS: Meanings = {
    "queue_packets": "number of packets in the link's queue, excluding the packet in transmission",
    "arrived_packets": "number of packets offered to the link since the end of the warm-up; 0 during the warm-up",
    "dropped_packets": (
        "number of packets dropped by the link's queue since the end of the warm-up; 0 during the warm-up"
    ),
    "average_queue_packets": (
        "exponentially weighted moving average of the queue length, as measured by `red`, `adaptive-red`, `red-diff` "
        "and `choke`"
    ),
    "drop_probability": (
        "latest probability of an early drop or mark in `apace`, `sred`, `paqm`, `pie`, `pi`, `blue` and `scepter`; "
        "for `dualpi2`, that of its classic queue"
    ),
    "max_probability": (
        "maximum probability of an early drop, as adapted so far by `adaptive-red`, `red-diff` and `apace` with a "
        "`target_delay` or `target_loss`"
    ),
    "predicted_queue_packets": (
        "queue length that `apace` predicts `horizon` arrivals ahead; with a `period`, `horizon` periods ahead"
    ),
    "prediction_error_packets": (
        "latest prediction error of `apace`: sampled queue length minus the queue length that the filter predicted for "
        "this sample; the prediction can be negative or exceed the queue's capacity"
    ),
    "mean_square_error_packets2": "smoothed mean square of the prediction error of `apace`",
    "predicted_arrivals_packets": "number of packets that `paqm` expects to arrive in the next interval",
    "hit_frequency": (
        "hit frequency of `sred`: smoothed share of arrivals that belong to the flow of an entry drawn at random from "
        "the list of recent flows; its inverse estimates the number of flows"
    ),
    "virtual_capacity_bps": "service rate of the virtual queue of `avq`",
    "virtual_queue_packets": "length of the virtual queue of `avq`",
    "drops_in_a_row": (
        "`count` of `codel`: number of drops and marks since the dropping state began, plus the count carried over "
        "from the previous dropping state; 0 outside the dropping state"
    ),
    "active_queues": (
        "number of active queues in the round-robin scheduler of `fq-codel`, `drr`, `sfq` and `cake`, including "
        "emptied queues that the scheduler has not yet removed"
    ),
    "band_0_packets": "packets in band 0 of `prio`, which is served first",
    "band_1_packets": "packets in band 1 of `prio`, which is served after band 0",
    "band_2_packets": "packets in band 2 of `prio`, which is served last",
    "blue_probability": ("highest BLUE drop probability over the queues of `cake`"),
    "coupled_mark_probability": (
        "coupled marking probability of `dualpi2`, derived from the classic queue; the low-latency queue marks with "
        "this probability or with its native one, whichever is higher"
    ),
    "short_queue_packets": "packets in the low-latency queue of `dualpi2`",
    "classic_queue_packets": "packets in the classic queue of `dualpi2`",
    "greatest_drop_probability": "highest drop probability over the bins of `sfb`",
    "token_rate_bps": (
        "token rate of `token-bucket`, `scepter`, `srtcm`, `trtcm` (peak rate) and `shaper`; configured rate of "
        "`fair-policer`, `bc-pqp` and `phantom-queue`"
    ),
    "bucket_bytes": (
        "depth of the token bucket of `token-bucket`, `scepter`, `srtcm`, `trtcm` and `shaper` (for `srtcm` the sum of "
        "both buckets, for `trtcm` the peak bucket)"
    ),
    "tokens_bytes": (
        "token level, as last updated, in the bucket of `token-bucket`, `scepter`, `srtcm`, `trtcm` and `shaper` (for "
        "`srtcm` the sum of both buckets, for `trtcm` the peak bucket)"
    ),
    "passed_bytes": (
        "number of bytes since the start of the run: for `token-bucket`, `scepter`, `srtcm`, `trtcm` and `shaper`, "
        "in packets that consumed tokens; for `fair-policer`, `bc-pqp` and `phantom-queue`, in admitted packets"
    ),
    "phantom_bytes": "total backlog of the phantom queues of `fair-policer`, `bc-pqp` and `phantom-queue`",
    "tokens_byte_s": (
        "integral over time of the token level of `token-bucket`, `scepter`, `trtcm` and `shaper`; its growth over an "
        "interval, divided by the length of the interval, is the exact mean level"
    ),
    "tokens_byte2_s": (
        "integral over time of the square of the token level of `token-bucket`, `scepter`, `trtcm` and `shaper`; its "
        "growth and the growth of `tokens_byte_s` over an interval yield the exact standard deviation of the level"
    ),
    "predicted_tokens_bytes": "token level that `scepter` predicts `horizon` arrivals ahead",
}
