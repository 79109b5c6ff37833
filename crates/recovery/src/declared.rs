//! Declares the recovery options that a scenario can set, in groups. Each transport nests the groups that it
//! supports in its own parameters.

use crate::detection::AfterTimeout;
use crate::detection::duplicates::{DuplicateOptions, PartialAck};
use crate::detection::mda::{LatePartial, MdaOptions};
use crate::detection::sack::{Flight, SackOptions};
use crate::ledger::{MAX_DUPACK_THRESHOLD, MAX_OUTSTANDING};
use crate::options::IdleRestart;
use crate::pacer::Gains;
use crate::rtt::{MinBounds, TimeoutRule};
use crate::validation::CwndValidation;
use ackclock_base::{Packets, Range, Span, choice, parameters};

const SPANS: Range = Range { min: 0.0, max: 3600.0, above_min: true };
/// The range of timeouts. A shorter timeout would expire many times before the first acknowledgement on any
/// real path.
const TIMEOUTS: Range = Range::between(0.001, 3600.0);
/// The range of windows in packets.
pub const WINDOWS: Range = Range::between(1.0, MAX_OUTSTANDING as f64 - 1.0);

choice! {
    /// The partial acknowledgements that restart the timer.
    pub enum PartialAckTimer {
        /// Every partial acknowledgement restarts it: "slow but steady".
        Every = "every",
        /// Only the first partial acknowledgement restarts it: "impatient".
        First = "first",
    }
}

choice! {
    /// The quantity that a loss reduces.
    pub enum ReduceFrom {
        /// A reduction starts from the packets in flight, if those are fewer than the congestion window (RFC
        /// 5681 equation 4).
        Flight = "flight",
        /// A reduction starts from the congestion window, or from the receiver's window if that is smaller
        /// (ns-2, Linux).
        Window = "window",
    }
}

choice! {
    /// The number of packets that an acknowledgement counts for when the window grows.
    pub enum Growth {
        /// One packet, whatever the acknowledgement covers.
        Acks = "acks",
        /// The packets that the acknowledgement covers, at most two.
        Packets = "packets",
        /// All packets that the acknowledgement shows delivered, in order or not.
        Delivered = "delivered",
    }
}

choice! {
    /// What happens to the window when nothing has been sent for longer than a retransmission timeout.
    pub enum AfterIdle {
        /// The window falls to the initial window.
        InitialWindow = "initial-window",
        /// The window is halved for each timeout after the first, down to the initial window.
        Halve = "halve",
        /// The window stays as it is.
        Keep = "keep",
    }
}

parameters! {
    /// The clock and the bounds of the retransmission timer.
    pub struct Timer {
        /// Granularity of the timer's clock
        tick: Span = time("1 ms", SPANS, "RFC 6298 section 4; RFC 9260 section 6.3.1 rule C6"),
        /// The least retransmission timeout
        min_rto: Span = time("1 s", TIMEOUTS, "RFC 6298 section 2.4; RFC 9260 section 16, RTO.Min"),
        /// The greatest retransmission timeout
        max_rto: Span = time("60 s", TIMEOUTS, "RFC 6298 section 2.5; RFC 9260 section 16, RTO.Max"),
        /// The retransmission timeout before any sample
        initial_rto: Span = time(
            "1 s",
            TIMEOUTS,
            "RFC 6298 section 2.1; RFC 9260 section 16, RTO.Initial; 3 s in RFC 2988, RFC 2960 and ns-2",
        ),
    }
}

impl Timer {
    /// Returns the rule of the retransmission timeout; `min_bounds` says which quantity the minimum bounds.
    pub fn rule(&self, min_bounds: MinBounds) -> TimeoutRule {
        let Self { tick, min_rto, max_rto, initial_rto } = *self;
        TimeoutRule { tick, min: min_rto, min_bounds, max: max_rto, initial: initial_rto }
    }
}

parameters! {
    /// The ratio of the pacing rate to the window over the round trip.
    pub struct PacingGains {
        /// With pacing, how much faster than the window over the round trip, below half of the slow start threshold
        pacing_slow_start: f64 = number("2", Range::between(0.1, 100.0), "Linux, tcp_pacing_ss_ratio of 200 %"),
        /// With pacing, how much faster than the window over the round trip, from half of the slow start threshold on
        pacing_avoidance: f64 = number(
            "1.2",
            Range::between(0.1, 100.0),
            "Linux, tcp_pacing_ca_ratio of 120 %; RFC 9002 section 7.7: small, but at least 1, for example 1.25",
        ),
    }
}

impl From<PacingGains> for Gains {
    fn from(gains: PacingGains) -> Self {
        Self { slow_start: gains.pacing_slow_start, avoidance: gains.pacing_avoidance }
    }
}

parameters! {
    /// How losses are detected from acknowledgements, and repaired.
    pub struct Losses {
        /// Duplicates that make a loss
        dupack_threshold: u32 = integer(
            "3",
            Range::between(1.0, MAX_DUPACK_THRESHOLD as f64),
            "RFC 5681 section 3.2",
        ),
        /// Whether the first duplicates let new packets out
        limited_transmit: bool = flag(true, "RFC 3042"),
        /// Which partial acknowledgements restart the timer: every (slow but steady) or the first (impatient)
        partial_ack_timer: PartialAckTimer = choice("every", "RFC 6582 section 4; ns-2's newreno_changes1_"),
        /// What partial acknowledgements after the first retransmit under mda: one packet, two, or nothing
        late_partial: LatePartial = choice("one", "Alnuem 2009 section 4.2.2.3; appendix D; figure 4.9"),
        /// Whether a partial acknowledgement deflates the window only by what it covers
        window_deflation: bool = flag(true, "RFC 6582 section 3.2; ns-2's partial_window_deflation_"),
        /// What becomes of selective acknowledgements at a timeout
        after_timeout: AfterTimeout = choice("keep-sack", "RFC 6675 section 5.1; ns-2 goes back"),
        /// How SACK holds its flight in recovery: cut at once, shrunk in proportion to what is delivered (not where the control
        /// has a model of the path, as BBR has: its window holds in recovery too), or counted
        reduction: Flight = choice("proportional", "RFC 6675; RFC 9937; Fall and Floyd 1996 and ns-2's Sack1"),
    }
}

impl Losses {
    /// Returns the options of NewReno (RFC 6582), in which partial acknowledgements retransmit, if `resends`
    /// is true, and otherwise those of Reno (RFC 5681).
    pub fn duplicates(&self, resends: bool) -> DuplicateOptions {
        let partial = match resends {
            false => PartialAck::Ends,
            true => PartialAck::Resends {
                restarts_timer_each_time: self.partial_ack_timer == PartialAckTimer::Every,
                deflates: self.window_deflation,
            },
        };
        DuplicateOptions {
            threshold: self.dupack_threshold,
            limited_transmit: self.limited_transmit,
            partial,
        }
    }

    /// Returns the options of SACK-based recovery (RFC 6675).
    pub fn sack(&self) -> SackOptions {
        let Self { dupack_threshold: threshold, after_timeout, reduction: flight, .. } = *self;
        SackOptions { threshold, after_timeout, flight }
    }

    /// Returns the options of the multiple drops action. `in_congestion` tells whether it also acts on losses
    /// through congestion.
    pub fn mda(&self, in_congestion: bool) -> MdaOptions {
        let Self { dupack_threshold: threshold, limited_transmit, late_partial, .. } = *self;
        MdaOptions { threshold, limited_transmit, in_congestion, late_partial }
    }
}

parameters! {
    /// How losses, acknowledgements and pauses change the window.
    pub struct WindowRules {
        /// What a loss reduces: the packets in flight, or the window in force
        reduce_from: ReduceFrom = choice("flight", "RFC 5681 equation 4; ns-2 and Linux use the window"),
        /// The least window that a loss or a mark leaves; a timeout leaves one packet
        min_window: Packets = packets(
            "2 packets",
            WINDOWS,
            "RFC 5681 equation 4 and section 3.2; RFC 9438 section 4.6; Linux's functions ssthresh; 1 in ns-2",
        ),
        /// What an acknowledgement counts for: one, the packets that it covers (at most two), or all that it shows delivered
        growth: Growth = choice(
            "packets",
            "RFC 3465; ns-2 counts acknowledgements; Linux net/ipv4/tcp_input.c, tcp_cong_control, without RFC 3465's bound",
        ),
        /// When the window counts as used, so that it may grow: while at least half of it has been in flight, while it is full, as
        /// in Linux, or always
        cwnd_validation: CwndValidation = choice(
            "half",
            "RFC 7661 section 4.3; RFC 9002 section 7.8; Linux include/net/tcp.h, tcp_is_cwnd_limited; not in ns-2",
        ),
        /// What becomes of the window when nothing has been sent for longer than a retransmission timeout: it falls to the initial
        /// window, it is halved for each timeout after the first (not below the initial window), or it stays. A control with
        /// a model of the path, as BBR has, keeps its own
        after_idle: AfterIdle = choice(
            "initial-window",
            "RFC 5681 section 4.1; Linux net/ipv4/tcp_output.c, tcp_cwnd_restart (tcp_slow_start_after_idle)",
        ),
    }
}

impl WindowRules {
    /// Returns the maximum number of packets of growth that one acknowledgement counts for.
    pub fn max_abc_increment(&self) -> u32 {
        match self.growth {
            Growth::Acks => 1,
            Growth::Packets => 2,
            Growth::Delivered => u32::MAX,
        }
    }

    /// Returns how the window restarts after a pause, with `window` as the restart window in packets; `None`
    /// if the window stays as it is.
    pub fn idle_restart(&self, window: Packets) -> Option<IdleRestart> {
        let halves = self.after_idle == AfterIdle::Halve;
        (self.after_idle != AfterIdle::Keep).then_some(IdleRestart { window, halves })
    }
}
