//! The step of RBCC's window, with any threshold (Dahal 2007, equations 3.4 and 3.5).

use crate::classic::Window;
use crate::control::Initial;
use ackclock_base::{Packets, Parameter, Quantity, Range, Span, Values};

/// The least window.
pub const CWND_FLOOR: Parameter = Parameter {
    name: "cwnd_floor",
    summary: "The least window",
    quantity: Quantity::Packets,
    default: "1 packet",
    range: Range::between(1.0, 1e6),
    source: "not stated for TCP; Dahal section 6.1.1 states one packet for SCTP",
};

/// Whether there is a greatest window.
pub const WINDOW_CAP: Parameter = Parameter {
    name: "window_cap",
    summary: "Whether the window stops growing at the transport's window limit",
    quantity: Quantity::Flag,
    default: "true",
    range: Range::ANY,
    source: "not stated; without it the window drifts up while the limit holds the flow back",
};

/// What the window moves by, and between which bounds.
#[derive(Clone, Debug)]
pub struct Step {
    floor: Packets,
    cap: Packets,
}

impl Step {
    /// From the registered parameters.
    pub fn new(values: &Values, initial: &Initial) -> Self {
        let capped = values.flag(WINDOW_CAP.name);
        Self {
            floor: values.packets(CWND_FLOOR.name),
            cap: if capped { initial.limit } else { f64::INFINITY },
        }
    }

    /// Equation 3.4 in packets, (threshold - RTT) / min(RTT, threshold), and equation 3.5.
    pub fn take(&self, window: &mut Window, rtt: Span, threshold: Span) {
        let (threshold, rtt) = (threshold.seconds(), rtt.seconds());
        let step = (threshold - rtt) / rtt.min(threshold).max(f64::MIN_POSITIVE);
        window.cwnd = (window.cwnd + step).min(self.cap).max(self.floor);
    }

    /// NewReno's answer to a loss (section 4.1 v, vi).
    pub fn halve(&self, from: Packets) -> Packets {
        (from / 2.0).max(self.floor)
    }
}
