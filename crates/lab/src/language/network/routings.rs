//! The routing rules that a scenario can name.

use ackclock_base::{Descriptor, Kind, Range, parameters};

/// The routing rules, in the order of lists. The first is the default of scenarios.
pub const ROUTINGS: &[&Descriptor] = &[
    &Descriptor {
        kind: Kind::Routing,
        name: "shortest",
        summary: "Each flow takes the path with the fewest links; among equally short paths, the first in the order in \
                  which the scenario lists the links",
        source: "none",
        parameters: &[],
        presets: &[],
    },
    &Descriptor {
        kind: Kind::Routing,
        name: "ecmp",
        summary: "Each node selects the flow's outgoing link by a hash, among those on the paths with the fewest links \
                  (ECMP)",
        source: "RFC 2992 section 1, modulo-N hash; RFC 2991",
        parameters: Ecmp::TABLE,
        presets: &[],
    },
];

parameters! {
    /// The hash of flows.
    pub struct Ecmp {
        /// Seed of the hash by which each node selects a flow's outgoing link
        seed: u64 = integer("1", Range::between(0.0, 9_007_199_254_740_991.0), "none"),
    }
}
