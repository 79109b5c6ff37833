//! NewReno (RFC 6582): Reno's window, with a host that treats a partial acknowledgement as another loss.

use super::reno::{BUILD, Reno};
use crate::entry::{Entry, PublishedDefaults, control};

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "newreno",
        "NewReno: Reno whose loss recovery treats a partial acknowledgement as another loss, and so repairs one loss \
         per round trip",
        "RFC 6582; earlier: RFC 2582, which Dahal 2007 section 4.5.1 uses",
        Reno::TABLE,
    ),
    build: BUILD,
    published: PublishedDefaults::recovery("newreno"),
};
