//! Reno's window under a host with selective acknowledgements (RFC 2018, RFC 6675).

use super::reno::{BUILD, Reno};
use crate::entry::{Entry, PublishedDefaults, control};

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "sack",
        "SACK: Reno's window, with loss recovery by selective acknowledgements",
        "RFC 2018, RFC 6675",
        Reno::TABLE,
    ),
    build: BUILD,
    published: PublishedDefaults::recovery("sack"),
};
