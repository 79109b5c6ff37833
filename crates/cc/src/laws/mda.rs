//! Alnuem's multiple drop action (Alnuem 2009 section 4.2.2) on Reno: several losses of a window are repaired
//! at once. The host's retransmission rule `mda` implements it.

use super::reno::{BUILD, Reno};
use crate::entry::{Entry, PublishedDefaults, control};

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "mda",
        "Reno with the multiple drop action (MDA): the first partial acknowledgement after a loss retransmits as many \
         consecutive packets as were counted as missing",
        "Alnuem 2009 section 4.2.2",
        Reno::TABLE,
    ),
    build: BUILD,
    published: PublishedDefaults::recovery("mda"),
};
