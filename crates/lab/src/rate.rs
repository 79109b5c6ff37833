//! The rate of a link as it is written: one rate, or phases that repeat.

use crate::diagnostics::counted;
use crate::document::{Node, Value};
use crate::reader::TableReader;
use ackclock_base::registry::Quantity;
use ackclock_base::{Range, Rate, Value as Read};
use ackclock_sim::transmission::Phase;

/// How fast a link sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pace {
    /// The rate; with phases, the highest.
    pub rate: Rate,
    /// What its operator sets where one rate is asked for: the rate; with phases, what is given, or their mean.
    pub nominal: Rate,
    /// The phases that repeat; none where the rate stays the same.
    pub phases: Vec<Phase>,
}

const RATES: Range = Range::between(1.0, 1e12);
/// Shorter phases than a microsecond have no meaning for packets.
const LENGTHS: Range = Range::between(1e-6, 1e6);
const MAX_PHASES: usize = 10_000;
const A_PHASE: &str = "how long it lasts, then its rate, such as [\"20 s\", \"100 Mbit/s\"]";

/// Reads `rate`. A problem is noted.
pub fn read(table: &TableReader<'_>) -> Option<Pace> {
    let node = table.get("rate")?;
    if !matches!(node.value, Value::Table(_)) {
        return table.rate("rate", RATES).map(|rate| Pace { rate, nominal: rate, phases: Vec::new() });
    }
    let table = table.reader.table(node, &table.path_of("rate"), &["cycle", "nominal"])?;
    table.required("cycle", "a list of phases, each of them as [\"20 s\", \"100 Mbit/s\"]");
    let items = table.list("cycle")?;
    if items.is_empty() || items.len() > MAX_PHASES {
        let expected = format!("from 1 to {MAX_PHASES} phases");
        table.problem_at("cycle", &counted(items.len(), "phase"), &expected);
        return None;
    }
    // All are read before one is missed, so that all mistakes are found.
    let phases: Vec<Option<Phase>> = items.iter().map(|item| read_phase(&table, item)).collect();
    let phases: Vec<Phase> = phases.into_iter().collect::<Option<_>>()?;
    let rate = phases.iter().map(|phase| phase.rate).max_by_key(|rate| rate.bits_per_second())?;
    let nominal = match table.get("nominal") {
        Some(_) => table.rate("nominal", RATES)?,
        None => mean(&phases),
    };
    Some(Pace { rate, nominal, phases })
}

/// What the link carries in the long run, which anybody can measure who has no more to go by. Where a cycle begins
/// does not matter to it.
fn mean(phases: &[Phase]) -> Rate {
    let cycle: u128 = phases.iter().map(|phase| u128::from(phase.lasts.nanos())).sum();
    let bits: u128 = phases
        .iter()
        .map(|phase| u128::from(phase.lasts.nanos()) * u128::from(phase.rate.bits_per_second()))
        .sum();
    Rate::from_bits_per_second((bits / cycle.max(1)) as u64)
}

fn read_phase(table: &TableReader<'_>, node: &Node) -> Option<Phase> {
    let path = table.path_of("cycle");
    let Value::List(parts) = &node.value else {
        table.reader.problem(&node.span, &path, &node.describe(), A_PHASE, None);
        return None;
    };
    let [lasts, rate] = parts.as_slice() else {
        let found = format!("a phase of {}", counted(parts.len(), "value"));
        table.reader.problem(&node.span, &path, &found, A_PHASE, None);
        return None;
    };
    // Where the two are in the wrong order, that is one mistake.
    let Some(Read::Time(lasts)) = table.reader.quantity(lasts, &path, Quantity::Time, LENGTHS) else {
        return None;
    };
    let Some(Read::Rate(rate)) = table.reader.quantity(rate, &path, Quantity::Rate, RATES) else {
        return None;
    };
    Some(Phase { lasts, rate })
}
