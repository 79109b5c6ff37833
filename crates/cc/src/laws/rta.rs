//! Alnuem's retransmission timeout action (Alnuem 2009 section 4.2.3) on Reno: the more bandwidth there was,
//! the less the timeout backs off. [A back-off rule of its own](crate::backoff::rta) implements it.

use super::reno::{BUILD, Reno};
use crate::entry::{Entry, PublishedDefaults, control};

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "rta",
        "Reno with Alnuem's retransmission timeout action (RTA): the closer the smoothed rate of acknowledgements is \
         to its maximum so far, the less the timeout backs off",
        "Alnuem 2009 section 4.2.3",
        Reno::TABLE,
    ),
    build: BUILD,
    published: PublishedDefaults { backoff: Some("rta"), ..PublishedDefaults::recovery("reno") },
};
