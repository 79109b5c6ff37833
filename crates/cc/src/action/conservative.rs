//! The action of Learning TCP (A. Jain 2003 figure 4.1): a transmission loss leaves the window as it is.
//! If the next loss shows that the judgement was wrong, the window restarts at one packet, because it was too
//! large in between.

use super::Action;
use crate::classic::MIN_SSTHRESH;
use crate::control::Loss;
use crate::entry::ActionEntry;
use ackclock_base::{Descriptor, Kind, Packets, choice, parameters};

/// The action's entry in the registry.
pub const ENTRY: ActionEntry = ActionEntry {
    descriptor: &Descriptor {
        kind: Kind::Action,
        name: "conservative",
        summary: "Leaves the window unchanged after a loss attributed to transmission errors; restarts from one packet \
                  if the next loss refutes the attribution, which only the discriminator `learning` checks",
        source: "A. Jain 2003 figure 4.1",
        parameters: Conservative::TABLE,
        presets: &[],
    },
    build: |values| Box::new(Conservative::from(values)),
};

choice! {
    /// What happens to the slow start threshold at a transmission loss.
    pub enum Threshold {
        /// The threshold becomes the window, so that slow start ends.
        Window = "window",
        /// The threshold stays as it is.
        Keep = "keep",
    }
}

parameters! {
    /// Makes no cut, and restarts from one packet if that proves wrong.
    pub struct Conservative {
        /// Slow start threshold after a loss attributed to transmission errors: the window, so that slow start ends
        /// (window), or unchanged (keep)
        threshold: Threshold = choice("window", "not in A. Jain 2003, which says only that the window is not reduced"),
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
