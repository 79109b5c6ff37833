//! The same judgement for every loss: an oracle for paths where all losses are of one kind (Alnuem 2009
//! section 5.3).

use super::Discriminator;
use crate::differentiation::{Cause, IncomingAck};
use crate::entry::DiscriminatorEntry;
use ackclock_base::{Descriptor, Kind, Random, choice, parameters};

/// The discriminator's entry in the registry.
pub const ENTRY: DiscriminatorEntry = DiscriminatorEntry {
    descriptor: &Descriptor {
        kind: Kind::Discriminator,
        name: "always",
        summary: "Attributes every loss detected by acknowledgements to the cause set by `cause`; a timeout always \
                  counts as congestion",
        source: "Alnuem 2009 section 5.3",
        parameters: Parameters::TABLE,
        presets: &[],
    },
    build: |values| Box::new(Always(Parameters::from(values).cause.into())),
    needs_timestamps: false,
};

choice! {
    /// The cause to which every loss is attributed.
    pub enum Named {
        /// Transmission.
        Transmission = "transmission",
        /// Congestion.
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
    /// The parameters of the oracle.
    pub struct Parameters {
        /// The cause to which losses are attributed: transmission errors (transmission) or congestion
        cause: Named = choice("transmission", "Alnuem 2009 section 5.3"),
    }
}

/// Attributes every loss to the same cause.
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
