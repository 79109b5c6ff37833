//! Alnuem's congestion window action (Alnuem 2009 section 4.2.1) on Reno: every loss is attributed to
//! transmission, and [the action](crate::action::cwa) handles it.

use super::reno::{BUILD, Reno};
use crate::entry::{Entry, PublishedDefaults, control};

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "cwa",
        "Reno that attributes every loss to transmission errors, and cuts its window by the number of packets lost",
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
