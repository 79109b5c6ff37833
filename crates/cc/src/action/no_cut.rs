//! No reaction: the window stays as it is. This was the reaction under the discriminators that preceded
//! Alnuem's actions (Spike, Casablanca).

use super::Action;
use crate::control::Loss;
use crate::entry::ActionEntry;
use ackclock_base::{Descriptor, Kind, Packets};

/// The action's entry in the registry.
pub const ENTRY: ActionEntry = ActionEntry {
    descriptor: &Descriptor {
        kind: Kind::Action,
        name: "no-cut",
        summary: "Leaves the window unchanged after a loss attributed to transmission errors",
        source: "Alnuem 2009 section 3.5.2.13; Cen, Cosman and Voelker 2003",
        parameters: &[],
        presets: &[],
    },
    build: |_| Box::new(NoCut),
};

/// Leaves the window as it is.
#[derive(Clone, Copy, Debug)]
pub struct NoCut;

impl Action for NoCut {
    fn on_loss(&mut self, cwnd: Packets, _loss: &Loss) -> Packets {
        cwnd
    }
}
