//! The delay of a link as the scenario declares it: one delay, delays spread over the pairs, or a delay that
//! changes over time.

use crate::language::document::{Node, Value};
use crate::language::keys::{Form, Key, Table};
use crate::language::reader::TableReader;
use crate::language::values::over_time::{self, Kind, WAYS, over_time_keys};
use crate::language::values::tables;
use crate::language::values::traces;
use ackclock_base::registry::Quantity;
use ackclock_base::{Range, Span};
use ackclock_sim::timeline::Timeline;
use std::sync::Arc;

/// The propagation delay of a link.
#[derive(Clone, Debug)]
pub enum Delay {
    /// One delay for all pairs.
    Fixed(Span),
    /// Delays spread evenly over the pairs, from the first to the second.
    Evenly(Span, Span),
    /// A list of delays for the pairs in turn.
    Each(Arc<[Span]>),
    /// A delay that changes over time.
    Changing(Timeline<Span>),
}

/// The range of a link's delay in seconds.
pub(super) const DELAYS: Range = Range::between(0.0, 3600.0);
/// The units of a link's delay in a table, each in seconds.
pub(super) const UNITS: [(&str, f64); 3] = [("s", 1.0), ("ms", 1e-3), ("us", 1e-6)];
/// The names of these units.
pub(super) const UNIT_NAMES: [&str; 3] = tables::names(UNITS);

const DELAY: Kind<Span> = Kind {
    name: "delay",
    quantity: Quantity::Time,
    range: DELAYS,
    example: "\"40 ms\"",
    trace: Some(traces::delays),
    units: &UNITS,
    amounts: &[],
    of_base: Span::from_seconds,
};

static CHANGING_DELAY: Table = Table::new(
    "changing_delay",
    "Link delays that differ between pairs of hosts or hops, or a link delay that changes over time",
    &[
        &[Key::new(
            "evenly",
            &[Form::List(&Form::time(DELAYS), [2, 2])],
            "The link delays of the first and the last pair of hosts (or hop of a parking lot); the delays between \
             them are evenly spaced",
        )
        .such_as("[\"9 ms\", \"39 ms\"]")],
        over_time_keys!(DELAY, "\"40 ms\"", &UNIT_NAMES),
    ],
)
.one_of(&[&["evenly"], &["cycle"], &["steps"], &["trace"]]);

/// The forms of a link's delay.
pub(super) const FORMS: &[Form] = &[Form::time(DELAYS), Form::Table(&CHANGING_DELAY)];

impl Delay {
    /// Returns the delay of pair `index`, from 0, of `count`: the minimum over time if the delay changes.
    pub(super) fn of(&self, index: usize, count: usize) -> Span {
        match self {
            Self::Fixed(delay) => *delay,
            Self::Evenly(first, last) => {
                let share = if count > 1 { index as f64 / (count - 1) as f64 } else { 0.0 };
                Span::from_seconds(first.seconds() + (last.seconds() - first.seconds()) * share)
            }
            Self::Each(delays) => delays.get(index % delays.len().max(1)).copied().unwrap_or_default(),
            Self::Changing(delays) => delays.values().min().unwrap_or_default(),
        }
    }

    /// Returns by how much the delay exceeds its minimum over time; `None` if it does not change.
    pub(super) fn longer(&self) -> Option<Timeline<Span>> {
        let Self::Changing(delays) = self else { return None };
        let least = self.of(0, 1);
        Some(delays.map(|delay| delay.saturating_sub(least)))
    }
}

pub(super) fn read(table: &TableReader<'_>, node: &Node) -> Option<Delay> {
    if !matches!(node.value, Value::Table(_)) {
        return table.read("delay").map(Delay::Fixed);
    }
    let delay = table.open("delay")?;
    if WAYS.into_iter().all(|way| delay.get(way).is_none()) {
        delay.required_unless("evenly", "`cycle`, `steps` or `trace`");
        return match delay.quantities("evenly")?.as_slice() {
            [first, last] => Some(Delay::Evenly(*first, *last)),
            _ => None,
        };
    }
    if delay.get("evenly").is_some() {
        delay.problem_at(
            "evenly",
            "`evenly` together with a delay that changes over time",
            "only one of `evenly`, `cycle`, `steps` and `trace`",
        );
    }
    over_time::read(&delay, &DELAY).map(|(_, delays)| Delay::Changing(delays))
}
