//! The delay of a link as it is written: one delay, delays spread over the pairs, or one that changes over time.

use super::wire::DELAYS;
use crate::diagnostics::counted;
use crate::document::{Node, Value};
use crate::over_time::{self, Kind, WAYS};
use crate::reader::TableReader;
use crate::tables;
use crate::traces;
use ackclock_base::registry::Quantity;
use ackclock_base::{Span, Value as Read};
use ackclock_sim::timeline::Timeline;

/// How long the wire takes.
#[derive(Clone, Debug)]
pub(super) enum Delay {
    Fixed(Span),
    /// Spread evenly over the pairs.
    Evenly(Span, Span),
    /// The pairs' own, in turn.
    Each(Vec<Span>),
    Changing(Timeline<Span>),
}

const DELAY: Kind<Span> = Kind {
    name: "delay",
    quantity: Quantity::Time,
    range: DELAYS,
    of: |read| match read {
        Read::Time(delay) => Some(delay),
        _ => None,
    },
    example: "\"40 ms\"",
    trace: traces::delays,
    units: &[("s", 1.0), ("ms", 1e-3), ("us", 1e-6)],
    of_base: Span::from_seconds,
};

impl Delay {
    /// That of one of so many pairs: the least that it is over time.
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

    /// How much longer than that it is over time, if it changes.
    pub(super) fn longer(&self) -> Option<Timeline<Span>> {
        let Self::Changing(delays) = self else { return None };
        let least = self.of(0, 1);
        Some(delays.map(|delay| delay.saturating_sub(least)))
    }
}

pub(super) fn read(table: &TableReader<'_>, node: &Node) -> Option<Delay> {
    if !matches!(node.value, Value::Table(_)) {
        return table.time("delay", DELAYS).map(Delay::Fixed);
    }
    let keys = [&["evenly"], &WAYS[..], &tables::KEYS].concat();
    let delay = table.reader.table(node, &table.path_of("delay"), &keys)?;
    if WAYS.into_iter().all(|way| delay.get(way).is_none()) {
        return read_evenly(&delay);
    }
    if delay.get("evenly").is_some() {
        delay.problem_at(
            "evenly",
            "a second way to write it",
            "only one of `evenly`, `cycle`, `steps` and `trace`",
        );
    }
    over_time::read(&delay, &DELAY).map(|(_, delays)| Delay::Changing(delays))
}

fn read_evenly(table: &TableReader<'_>) -> Option<Delay> {
    table.required("evenly", "the first and the last delay, such as [\"9 ms\", \"39 ms\"]");
    match times(table, "evenly")?.as_slice() {
        [first, last] => Some(Delay::Evenly(*first, *last)),
        other => {
            table.problem_at("evenly", &counted(other.len(), "delay"), "the first and the last delay");
            None
        }
    }
}

/// A list of delays.
pub(super) fn times(table: &TableReader<'_>, key: &str) -> Option<Vec<Span>> {
    let path = table.path_of(key);
    let delay = |node: &Node| (DELAY.of)(table.reader.quantity(node, &path, DELAY.quantity, DELAYS)?);
    table.list(key)?.iter().map(delay).collect()
}
