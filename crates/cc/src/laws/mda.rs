//! Alnuem's multiple drop action (Alnuem 2009 section 4.2.2) on Reno: several losses of a window are repaired
//! at once. The host's retransmission rule `mda` implements it.

use super::reno::{BUILD, Reno};
use crate::entry::{Entry, PublishedDefaults, control};

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "mda",
        "Reno with Alnuem's multiple drop action (MDA): at the first partial acknowledgement after a loss, the sender \
         retransmits as many consecutive packets as it has counted as missing",
        "Alnuem 2009 section 4.2.2",
        Reno::TABLE,
    ),
    build: BUILD,
    published: PublishedDefaults::recovery("mda"),
};
