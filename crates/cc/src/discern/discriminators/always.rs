//! The same judgement whatever happens: an oracle for paths where every loss is of one kind (Alnuem 2009 section 5.3).

use super::Discriminator;
use crate::discern::{Cause, IncomingAck};
use crate::registry::DiscriminatorEntry;
use ackclock_base::{Descriptor, Kind, Random, choice, parameters};

/// The entry in the registry.
pub const ENTRY: DiscriminatorEntry = DiscriminatorEntry {
    descriptor: &Descriptor {
        kind: Kind::Discriminator,
        name: "always",
        summary: "Calls every loss the same",
        source: "Alnuem 2009 section 5.3",
        parameters: Parameters::TABLE,
        presets: &[],
    },
    build: |values| Box::new(Always(Parameters::from(values).cause.into())),
    needs_timestamps: false,
};

choice! {
    /// What every loss is called.
    pub enum Named {
        /// A loss of transmission.
        Transmission = "transmission",
        /// A loss of congestion.
        Congestion = "congestion",
    }
}

impl From<Named> for Cause {
    fn from(named: Named) -> Self {
        match named {
            Named::Transmission => Self::Transmission,
            Named::Congestion => Self::Congestion,
        }
    }
}

parameters! {
    /// The judgement.
    pub struct Parameters {
        /// What every loss is called
        cause: Named = choice("transmission", "Alnuem 2009 section 5.3"),
    }
}

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
