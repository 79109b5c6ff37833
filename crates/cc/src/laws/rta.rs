//! Alnuem's retransmission timeout action (Alnuem 2009 section 4.2.3) on Reno: the timeout backs off the less, the more
//! bandwidth there was. It is [a rule of its own](crate::backoff::rta).

use super::reno::{BUILD, Reno};
use crate::entry::{Companions, Entry, control};

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "rta",
        "Reno whose timeout backs off by how much of the best bandwidth is missing",
        "Alnuem 2009 section 4.2.3",
        Reno::TABLE,
    ),
    build: BUILD,
    companions: Companions { backoff: Some("rta"), ..Companions::recovery("reno") },
};
