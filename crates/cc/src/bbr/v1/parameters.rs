//! The constants of BBRv1, each a parameter with the draft's value as its default.

use crate::bbr::full_pipe::Criterion;
use crate::bbr::pacing::Details;
use crate::bbr::recent_max::MOST_ROUNDS;
use ackclock_base::{Packets, Range, Span, parameters};

const GAIN: Range = Range::between(0.1, 10.0);

parameters! {
    /// The constants of BBRv1.
    pub struct Parameters {
        /// Pacing gain in Startup and window gain in Startup and Drain, by default 2 / ln 2; the pacing gain in Drain
        /// is its inverse
        high_gain: f64 = number(
            "2.885390081777927",
            Range::between(1.0, 10.0),
            "BBRv1 draft, section 4.3.2.1, BBRHighGain: 2.885",
        ),
        /// Pacing gain of the ProbeBW phase that probes for more bandwidth
        probe_gain: f64 = number("1.25", GAIN, "BBRv1 draft, section 4.3.4.1; Cardwell et al. 2016"),
        /// Pacing gain of the ProbeBW phase that drains the queue built by the preceding probe
        drain_gain: f64 = number("0.75", GAIN, "BBRv1 draft, section 4.3.4.1; Cardwell et al. 2016"),
        /// Number of phases in a cycle of ProbeBW. A phase lasts one minimum round trip, but the probing phase
        /// continues until its target of packets in flight is reached or a packet is lost, and the draining phase can
        /// end earlier
        cycle_phases: u64 = integer("8", Range::between(3.0, 64.0), "BBRv1 draft, section 4.3.4.1, BBRGainCycleLen"),
        /// Window gain of ProbeBW: the window as a multiple of the bandwidth-delay product
        cwnd_gain: f64 = number("2", GAIN, "BBRv1 draft, section 4.2.3.2"),
        /// How packets are paced
        pacing: Details,
        /// Number of quanta that the window has in addition to the window gain times the bandwidth-delay product
        offload_quanta: f64 = number("3", Range::between(0.0, 100.0), "BBRv1 draft, section 4.2.3.2"),
        /// Smallest window, except after a timeout and in the first round of a recovery; also the largest window in
        /// ProbeRTT
        min_pipe_cwnd: Packets = packets(
            "4 packets",
            Range::between(1.0, 1000.0),
            "BBRv1 draft, section 4.2.3.1, BBRMinPipeCwnd",
        ),
        /// When the pipe counts as full
        full_pipe: Criterion,
        /// Number of latest rounds whose maximum delivery rate is the bandwidth estimate
        bandwidth_rounds: usize = integer(
            "10",
            Range::between(1.0, MOST_ROUNDS as f64),
            "BBRv1 draft, section 4.1.1.3, BtlBwFilterLen",
        ),
        /// Time after which the minimum round trip expires unless an equal or shorter one has been measured; ProbeRTT
        /// begins at the expiry, unless the flow is restarting from idle
        min_rtt_window: Span = time("10 s", Range::between(0.1, 1e6), "BBRv1 draft, section 4.1.2.3, RTpropFilterLen"),
        /// Shortest time for which ProbeRTT keeps few packets in flight
        probe_rtt_duration: Span = time(
            "200 ms",
            Range::between(0.0, 100.0),
            "BBRv1 draft, section 4.3.5, ProbeRTTDuration",
        ),
        /// Number of latest rounds whose maximum extra_acked (packets acknowledged in excess of the estimated
        /// bandwidth) is added to the window; none: nothing is added
        extra_acked_rounds: Option<usize> = integer(
            "none",
            Range::between(1.0, MOST_ROUNDS as f64),
            "not in the BBRv1 draft; 10 rounds in Linux since 5.1",
        ),
    }
}
