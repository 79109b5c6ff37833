//! New data takes the primary path unless this path has failed (RFC 9260 section 6.4).

use crate::entry::SelectorEntry;
use ackclock_base::{Descriptor, Kind};

/// The selector's entry in the registry. It builds no selector.
pub const ENTRY: SelectorEntry = SelectorEntry {
    descriptor: &Descriptor {
        kind: Kind::Selector,
        name: "primary",
        summary: "Sends new data over the primary path unless that path has failed; if it has, over the next path \
                  that works",
        source: "RFC 9260 section 6.4",
        parameters: &[],
        presets: &[],
    },
    build: |_, _| None,
};
