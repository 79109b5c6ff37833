//! The answer of Learning TCP (A. Jain 2003 figure 4.1): no cut for a loss of transmission, and the window of one packet
//! when the next loss shows that it was none, for the window that was sent without need in between.

use super::Action;
use crate::classic::MIN_SSTHRESH;
use crate::control::Loss;
use crate::registry::ActionEntry;
use ackclock_base::{Descriptor, Kind, Packets, choice, parameters};

/// The entry in the registry.
pub const ENTRY: ActionEntry = ActionEntry {
    descriptor: &Descriptor {
        kind: Kind::Action,
        name: "conservative",
        summary: "Leaves the window as it is, and starts over where that proves to have been wrong",
        source: "A. Jain 2003 figure 4.1",
        parameters: Conservative::TABLE,
        presets: &[],
    },
    build: |values| Box::new(Conservative::from(values)),
};

choice! {
    /// What becomes of the slow start threshold at a loss that is not answered.
    pub enum Threshold {
        /// It is the window, so that slow start ends.
        Window = "window",
        /// It stays.
        Keep = "keep",
    }
}

parameters! {
    /// No cut, and one packet where that proves to have been wrong.
    pub struct Conservative {
        /// What becomes of the slow start threshold: the window, so that slow start ends, or nothing
        threshold: Threshold = choice("window", "A. Jain 2003 says only that the window is not reduced"),
    }
}

impl Action for Conservative {
    fn on_loss(&mut self, cwnd: Packets, _loss: &Loss) -> Packets {
        cwnd
    }

    fn ssthresh(&self, cwnd: Packets) -> Option<Packets> {
        (self.threshold == Threshold::Window).then_some(cwnd.max(MIN_SSTHRESH))
    }

    fn starts_over(&self) -> bool {
        true
    }
}
