//! Alnuem's multiple drop action (Alnuem 2009 section 4.2.2) on Reno: several losses of a window are repaired at once. It
//! is the host's retransmission rule `mda`.

use super::reno::{BUILD, Reno};
use crate::entry::{Companions, Entry, control};

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "mda",
        "Reno that resends as many packets at once as it has counted missing",
        "Alnuem 2009 section 4.2.2",
        Reno::TABLE,
    ),
    build: BUILD,
    companions: Companions::recovery("mda"),
};
