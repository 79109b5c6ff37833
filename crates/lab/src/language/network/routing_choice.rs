//! The choice among several shortest ways, as the scenario declares it.

use crate::language::choice::{self, Choice};
use crate::language::network::routings::Ecmp;
use crate::language::reader::TableReader;
use crate::language::registry;

/// How the flows of a scenario are routed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Routing {
    /// Each flow takes the first of the shortest ways.
    #[default]
    First,
    /// Each flow takes the way that its hash selects.
    Ecmp(Ecmp),
}

impl Routing {
    /// Reads `routing`.
    pub(super) fn read(root: &TableReader<'_>) -> Option<Self> {
        if root.get("routing").is_none() {
            return Some(Self::First);
        }
        let chosen: Choice = choice::read(root, "routing", &registry::routings(), &[])?;
        Some(match chosen.descriptor.name {
            "ecmp" => Self::Ecmp((&chosen.values).into()),
            _ => Self::First,
        })
    }
}
