//! Alnuem's congestion window action (Alnuem 2009 section 4.2.1) on Reno: every loss is attributed to
//! transmission, and [the action](crate::action::cwa) handles it.

use super::reno::{BUILD, Reno};
use crate::entry::{Entry, PublishedDefaults, control};

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "cwa",
        "Reno with Alnuem's congestion window action (CWA) at every loss except a timeout: a window below a threshold \
         is reduced by the number of packets still missing, any other window is halved",
        "Alnuem 2009 section 4.2.1",
        Reno::TABLE,
    ),
    build: BUILD,
    published: PublishedDefaults {
        recovery: Some("reno"),
        discriminator: Some("always"),
        action: Some("cwa"),
        ..PublishedDefaults::NONE
    },
};
