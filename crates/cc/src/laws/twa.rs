//! Alnuem's three actions together (Alnuem 2009 sections 4.3 and 5.3) on Reno, for every loss: an oracle
//! attributes each to transmission.

use super::reno::{BUILD, Reno};
use crate::entry::{Entry, PublishedDefaults, control};

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "twa",
        "Reno with Alnuem's actions for the window (CWA), retransmissions (MDA) and the timeout (RTA); attributes \
         every loss except a timeout to transmission errors",
        "Alnuem 2009 sections 4.3 and 5.3",
        Reno::TABLE,
    ),
    build: BUILD,
    published: PublishedDefaults {
        recovery: Some("mda"),
        discriminator: Some("always"),
        action: Some("cwa"),
        backoff: Some("rta"),
        ..PublishedDefaults::NONE
    },
};
