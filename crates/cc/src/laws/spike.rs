//! The Spike scheme (Alnuem 2009 section 3.5.2.13) on Reno and NewReno: the window stays after losses outside
//! spikes of the trip time. [The discriminator](crate::differentiation::discriminators::spike) can be combined with
//! any other control too.

use super::reno::{BUILD, Reno};
use crate::entry::{Entry, PublishedDefaults, control};

/// The registry entry of the Spike scheme on Reno.
pub const SPIKE: Entry = Entry {
    descriptor: &control(
        "spike",
        "Reno that reduces its window only at a loss during a spike of the one-way delay, and at a timeout (SpikeR)",
        "Alnuem 2009 sections 3.5.2.13 and 6.2",
        Reno::TABLE,
    ),
    build: BUILD,
    published: PublishedDefaults {
        recovery: Some("reno"),
        discriminator: Some("spike"),
        action: Some("no-cut"),
        ..PublishedDefaults::NONE
    },
};

/// The registry entry of the Spike scheme on NewReno.
pub const SPIKE_NR: Entry = Entry {
    descriptor: &control(
        "spike-nr",
        "NewReno that reduces its window only at a loss during a spike of the one-way delay, and at a timeout \
         (SpikeNR)",
        "Alnuem 2009 sections 6.4.3 and 7.3",
        Reno::TABLE,
    ),
    build: BUILD,
    published: PublishedDefaults { recovery: Some("newreno"), ..SPIKE.published },
};
