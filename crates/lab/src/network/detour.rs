//! A route that changes as it is written: from when, until when, and how much longer the way is.

use super::wire::DELAYS;
use crate::document::Node;
use crate::reader::TableReader;
use ackclock_base::{Range, Time};
use ackclock_sim::channel::Detour;

const INSTANTS: Range = Range::between(0.0, 1e6);

/// When a link's packets take a longer way, and how much longer. Without an end it lasts.
pub(super) fn read(table: &TableReader<'_>, node: &Node) -> Option<Detour> {
    let detour = table.reader.table(node, &table.path_of("detour"), &["from", "until", "longer"])?;
    detour.required("from", "a time such as \"50 s\"");
    detour.required("longer", "how much longer the way is, such as \"40 ms\"");
    let from = Time::ZERO + detour.time("from", INSTANTS)?;
    let until = match detour.get("until") {
        Some(_) => Time::ZERO + detour.time("until", INSTANTS)?,
        None => Time::NEVER,
    };
    if until <= from {
        detour.problem_at("until", "an end before the beginning", "a time after `from`");
    }
    Some(Detour { from, until, longer: detour.time("longer", DELAYS)? })
}
