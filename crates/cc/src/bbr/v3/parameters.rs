//! The constants of draft-ietf-ccwg-bbr, each a parameter with the draft's value as its default.

use crate::bbr::full_pipe::Criterion;
use crate::bbr::pacing::Details;
use crate::bbr::recent_max::MOST_ROUNDS;
use ackclock_base::{Packets, Range, Span, parameters};

const GAIN: Range = Range::between(0.1, 10.0);
const GAINS: &str = "BBRv3 draft, section 5.6.1";
const WAIT: &str = "BBRv3 draft, section 5.3.3.8.2";

parameters! {
    /// The constants of BBRv3.
    pub struct Parameters {
        /// Pacing gain of Startup; the default, 4 ln 2, is the smallest gain at which the rate doubles in a round
        startup_pacing_gain: f64 = number("2.772588722239781", GAIN, "BBRv3 draft, section 5.3.1.1, StartupPacingGain"),
        /// Pacing gain of Drain
        drain_pacing_gain: f64 = number("0.5", GAIN, "BBRv3 draft, section 5.3.2, DrainPacingGain; 0.35 in Linux"),
        /// Pacing gain of ProbeBW_DOWN
        down_pacing_gain: f64 = number("0.9", GAIN, GAINS),
        /// Pacing gain of ProbeBW_CRUISE, ProbeBW_REFILL and ProbeRTT
        cruise_pacing_gain: f64 = number("1", GAIN, GAINS),
        /// Pacing gain of ProbeBW_UP
        up_pacing_gain: f64 = number("1.25", GAIN, GAINS),
        /// Window gain of all states except ProbeBW_UP and ProbeRTT
        cwnd_gain: f64 = number("2", GAIN, "BBRv3 draft, section 5.6.1, DefaultCwndGain"),
        /// Window gain of ProbeBW_UP
        up_cwnd_gain: f64 = number("2.25", GAIN, GAINS),
        /// Window gain of ProbeRTT
        probe_rtt_cwnd_gain: f64 = number("0.5", GAIN, "BBRv3 draft, section 5.3.4.2, ProbeRTTCwndGain"),
        /// How packets are paced
        pacing: Details,
        /// Smallest target of the window, as a number of quanta
        offload_quanta: f64 = number(
            "3",
            Range::between(1.0, 100.0),
            "BBRv3 draft, section 5.6.4.2: 3 for TCP, 1 for QUIC",
        ),
        /// Smallest window, except after a timeout until the next acknowledgement
        min_pipe_cwnd: Packets = packets(
            "4 packets",
            Range::between(1.0, 1000.0),
            "BBRv3 draft, section 5.6.4, MinPipeCwnd",
        ),
        /// When the pipe counts as full
        full_pipe: Criterion,
        /// Number of runs of consecutive lost packets in a round of recovery at which Startup ends, if the losses also
        /// exceed `loss_threshold`; without selective acknowledgements, any recovery ends Startup
        startup_full_loss_count: u32 = integer(
            "6",
            Range::between(1.0, 1000.0),
            "BBRv3 draft, section 5.3.1.3, StartupFullLossCnt",
        ),
        /// Number of full rounds after which Drain ends at the latest
        drain_rounds: u64 = integer("3", Range::between(1.0, 1000.0), "BBRv3 draft, section 5.3.2"),
        /// Largest share of the packets in flight that can be lost before the number in flight counts as too high;
        /// without selective acknowledgements, any loss counts as too high
        loss_threshold: f64 = number("0.02", Range::between(0.0, 0.5), "BBRv3 draft, section 5.5.10, LossThresh"),
        /// Share of the short-term bounds on bandwidth and packets in flight that remains after a round with
        /// losses; neither bound falls below what that round delivered
        beta: f64 = number("0.7", Range::between(0.1, 1.0), "BBRv3 draft, section 5.5.10, Beta"),
        /// Share of the long-term bound on the packets in flight, at least one packet, that ProbeBW_CRUISE and ProbeRTT
        /// leave to other flows
        headroom: f64 = number("0.15", Range::between(0.0, 0.9), "BBRv3 draft, section 5.5.10, Headroom"),
        /// Time from the end of one probe for bandwidth to the next, without its random part `probe_wait_spread`; the
        /// next probe begins earlier if `max_probe_rounds` is reached, or if the last probe stopped at the long-term
        /// bound without excessive losses
        probe_wait: Span = time("2 s", Range::between(0.0, 1000.0), WAIT),
        /// Upper end of a random time, drawn uniformly from zero, that is added to `probe_wait`
        probe_wait_spread: Span = time("1 s", Range::between(0.0, 1000.0), WAIT),
        /// Upper limit on the rounds between probes for bandwidth. If the bandwidth-delay product or the window has
        /// fewer packets, their number is the limit, because Reno needs about as many rounds to regain its window
        max_probe_rounds: f64 = number("63", Range::between(1.0, 1e6), "BBRv3 draft, section 5.3.3.8.2"),
        //= draft-ietf-ccwg-bbr section 5.3.4.2: ProbeRTT begins after five seconds without a new minimum RTT
        /// Time without a new minimum round trip after which ProbeRTT begins, unless the flow is restarting from idle
        probe_rtt_interval: Span = time(
            "5 s",
            Range::between(0.1, 1e6),
            "BBRv3 draft, section 5.3.4.2, ProbeRTTInterval",
        ),
        /// Shortest time for which ProbeRTT keeps few packets in flight
        probe_rtt_duration: Span = time(
            "200 ms",
            Range::between(0.0, 100.0),
            "BBRv3 draft, section 5.3.4.2, ProbeRTTDuration",
        ),
        /// Time after which a minimum round trip expires if no shorter one has been measured
        min_rtt_window: Span = time("10 s", Range::between(0.1, 1e6), "BBRv3 draft, section 5.5.7, MinRTTFilterLen"),
        /// Number of latest rounds whose maximum extra_acked (packets acknowledged in excess of the estimated
        /// bandwidth) is added to the window
        extra_acked_rounds: usize = integer(
            "10",
            Range::between(1.0, MOST_ROUNDS as f64),
            "BBRv3 draft, section 5.5.9, ExtraAckedFilterLen",
        ),
        /// Number of rounds that replaces `extra_acked_rounds` until the pipe has been found full
        startup_extra_acked_rounds: usize = integer(
            "1",
            Range::between(1.0, MOST_ROUNDS as f64),
            "BBRv3 draft, section 5.5.9",
        ),
        /// Whether the model counts each ECN-marked packet as lost; if not, a mark reported by the receiver makes its
        /// round count as a round with losses
        counts_marks: bool = flag(
            false,
            "BBRv3 draft, section 3.7: a mark indicates congestion; the response is left open",
        ),
    }
}
