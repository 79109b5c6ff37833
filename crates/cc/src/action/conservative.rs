//! The answer of Learning TCP (A. Jain 2003 figure 4.1): no cut for a loss of transmission, and the window of one packet
//! when the next loss shows that it was none, for the window that was sent without need in between.

use super::Action;
use crate::classic::MIN_SSTHRESH;
use crate::control::Loss;
use crate::registry::ActionEntry;
use ackclock_base::{Descriptor, Kind, Packets, Parameter, Quantity, Range, Values};

/// The entry in the registry.
pub const ENTRY: ActionEntry = ActionEntry {
    descriptor: &Descriptor {
        kind: Kind::Action,
        name: "conservative",
        summary: "Leaves the window as it is, and starts over where that proves to have been wrong",
        source: "A. Jain 2003 figure 4.1",
        parameters: &[Parameter {
            name: "threshold",
            summary: "What becomes of the slow start threshold: the window, so that slow start ends, or nothing",
            quantity: Quantity::Choice(&["window", "keep"]),
            default: "window",
            range: Range::ANY,
            source: "A. Jain 2003 says only that the window is not reduced",
        }],
        presets: &[],
    },
    build: |values| Box::new(Conservative::new(values)),
};

/// The action.
#[derive(Clone, Copy, Debug)]
pub struct Conservative {
    keeps_threshold: bool,
}

impl Conservative {
    /// From the registered parameters.
    pub fn new(values: &Values) -> Self {
        Self { keeps_threshold: values.choice("threshold") == "keep" }
    }
}

impl Action for Conservative {
    fn on_loss(&mut self, cwnd: Packets, _loss: &Loss) -> Packets {
        cwnd
    }

    fn ssthresh(&self, cwnd: Packets) -> Option<Packets> {
        (!self.keeps_threshold).then_some(cwnd.max(MIN_SSTHRESH))
    }

    fn starts_over(&self) -> bool {
        true
    }
}
