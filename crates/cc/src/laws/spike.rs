//! The Spike scheme (Alnuem 2009 section 3.5.2.13) on Reno and NewReno: the window stays after losses outside
//! spikes of the trip time. [The discriminator](crate::differentiation::discriminators::spike) can be combined with
//! any other control too.

use super::reno::{BUILD, Reno};
use crate::entry::{Entry, PublishedDefaults, control};

/// The registry entry of the Spike scheme on Reno.
pub const SPIKE: Entry = Entry {
    descriptor: &control(
        "spike",
        "Reno that keeps its window after a loss outside spikes of the one-way delay; a timeout reduces it (SpikeR)",
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
        "NewReno that keeps its window after a loss outside spikes of the one-way delay; a timeout reduces it \
         (SpikeNR)",
        "Alnuem 2009 sections 6.4.3 and 7.3",
        Reno::TABLE,
    ),
    build: BUILD,
    published: PublishedDefaults { recovery: Some("newreno"), ..SPIKE.published },
};
