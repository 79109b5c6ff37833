//! Which of several shortest ways flows take, as it is written.

use crate::choice::{self, Choice};
use crate::reader::TableReader;
use crate::registry;
use crate::routings::Ecmp;

/// How the flows of a scenario are routed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Routing {
    /// By the first of the shortest ways.
    #[default]
    First,
    /// By one that is hashed for each flow.
    Ecmp(Ecmp),
}

impl Routing {
    /// Reads `routing`.
    pub(super) fn read(root: &TableReader<'_>) -> Option<Self> {
        let Some(node) = root.get("routing") else { return Some(Self::First) };
        let chosen: Choice = choice::read(root.reader, node, "routing", &registry::routings(), &[])?;
        Some(match chosen.descriptor.name {
            "ecmp" => Self::Ecmp((&chosen.values).into()),
            _ => Self::First,
        })
    }
}
