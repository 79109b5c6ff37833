//! The same judgement whatever happens: an oracle for paths where every loss is of one kind (Alnuem 2009 section 5.3).

use super::Discriminator;
use crate::discern::{Cause, IncomingAck};
use crate::registry::DiscriminatorEntry;
use ackclock_base::{Descriptor, Kind, Parameter, Quantity, Random, Range};

/// The entry in the registry.
pub const ENTRY: DiscriminatorEntry = DiscriminatorEntry {
    descriptor: &Descriptor {
        kind: Kind::Discriminator,
        name: "always",
        summary: "Calls every loss the same",
        source: "Alnuem 2009 section 5.3",
        parameters: &[Parameter {
            name: "cause",
            summary: "What every loss is called",
            quantity: Quantity::Choice(&["transmission", "congestion"]),
            default: "transmission",
            range: Range::ANY,
            source: "Alnuem 2009 section 5.3",
        }],
        presets: &[],
    },
    build: |values| {
        let congestion = values.choice("cause") == "congestion";
        Box::new(Always(if congestion { Cause::Congestion } else { Cause::Transmission }))
    },
    needs_timestamps: false,
};

/// The same judgement whatever happens.
#[derive(Clone, Copy, Debug)]
pub struct Always(pub Cause);

impl Discriminator for Always {
    fn on_incoming(&mut self, _incoming: &IncomingAck, _random: &mut dyn Random) -> Cause {
        self.0
    }

    fn cause(&self) -> Cause {
        self.0
    }
}
