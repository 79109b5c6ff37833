//! The step of RBCC's window, for any threshold (Dahal 2007, equations 3.4, 3.5 and 5.3).

use crate::classic::Window;
use crate::control::Initial;
use ackclock_base::{Packets, Range, Span, parameters};

parameters! {
    /// The bounds on the window.
    pub struct Bounds {
        /// Smallest window
        cwnd_floor: Packets = packets(
            "1 packet",
            Range::between(1.0, 1e6),
            "not stated for TCP; Dahal section 6.1.1 states one packet for SCTP",
        ),
        /// Whether the window stops growing at the transport's window limit
        window_cap: bool = flag(
            true,
            "not stated in Dahal 2007; without this cap, the window keeps growing while the transport's limit restricts the flow",
        ),
    }
}

/// The step of the window, and its bounds.
#[derive(Clone, Debug)]
pub struct Step {
    floor: Packets,
    cap: Packets,
}

impl Step {
    /// Creates the step with these bounds, for a connection that starts with `initial`.
    pub fn new(bounds: &Bounds, initial: &Initial) -> Self {
        Self { floor: bounds.cwnd_floor, cap: if bounds.window_cap { initial.limit } else { f64::INFINITY } }
    }

    /// Moves the window by equation 3.4 in packets, (threshold - RTT) / min(RTT, threshold), within equation
    /// 3.5.
    pub fn take(&self, window: &mut Window, rtt: Span, threshold: Span) {
        self.move_by(window, rtt, threshold, f64::min);
    }

    /// Moves the window by equation 5.3, (threshold - RTT) / max(RTT, threshold): less than a packet,
    /// whatever the round trip.
    pub fn take_gently(&self, window: &mut Window, rtt: Span, threshold: Span) {
        self.move_by(window, rtt, threshold, f64::max);
    }

    fn move_by(&self, window: &mut Window, rtt: Span, threshold: Span, of: fn(f64, f64) -> f64) {
        let (threshold, rtt) = (threshold.seconds(), rtt.seconds());
        let step = (threshold - rtt) / of(rtt, threshold).max(f64::MIN_POSITIVE);
        window.cwnd = (window.cwnd + step).min(self.cap).max(self.floor);
    }

    /// Returns half of the window, NewReno's reaction to a loss (section 4.1 v, vi).
    pub fn halve(&self, from: Packets) -> Packets {
        (from / 2.0).max(self.floor)
    }
}
