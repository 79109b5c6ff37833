//! New data takes the primary path as long as that has not failed (RFC 9260 section 6.4).

use crate::entry::SelectorEntry;
use ackclock_base::{Descriptor, Kind};

/// The selector's entry in the registry. There is nothing to ask of it.
pub const ENTRY: SelectorEntry = SelectorEntry {
    descriptor: &Descriptor {
        kind: Kind::Selector,
        name: "primary",
        summary: "New data takes the primary path as long as that has not failed",
        source: "RFC 9260 section 6.4",
        parameters: &[],
        presets: &[],
    },
    build: |_, _| None,
};
