//! A value over time as it is written: phases that repeat, steps that last, or a trace in a file.

use crate::diagnostics::counted;
use crate::document::{Node, Value};
use crate::files::Mistake;
use crate::reader::TableReader;
use crate::tables;
use ackclock_base::registry::Quantity;
use ackclock_base::{Range, Span, Time, Value as Read};
use ackclock_sim::timeline::Timeline;

/// What changes over time.
pub struct Kind<T> {
    /// What it is called.
    pub name: &'static str,
    /// What it is.
    pub quantity: Quantity,
    /// What it may be in a cycle or in steps.
    pub range: Range,
    /// The value that was read.
    pub of: fn(Read) -> Option<T>,
    /// An example of one.
    pub example: &'static str,
    /// How a trace of it is read that is no table of times and values.
    pub trace: fn(&str) -> Result<Timeline<T>, Mistake>,
    /// The units that it may have in a table, each in base units.
    pub units: &'static [(&'static str, f64)],
    /// The value from what it is in base units.
    pub of_base: fn(f64) -> T,
}

/// The ways to write it, of which one is taken.
pub const WAYS: [&str; 3] = ["cycle", "steps", "trace"];

/// Shorter phases than a microsecond have no meaning for packets.
const LENGTHS: Range = Range::between(1e-6, 1e6);
const INSTANTS: Range = Range::between(0.0, 1e6);
/// The most phases and steps; a trace may have more.
const MOST: usize = 10_000;

/// Reads it, and says which of the ways it takes. A problem is noted.
pub fn read<T: Copy + PartialEq>(
    table: &TableReader<'_>,
    kind: &Kind<T>,
) -> Option<(&'static str, Timeline<T>)> {
    let given: Vec<&str> = WAYS.into_iter().filter(|way| table.get(way).is_some()).collect();
    tables::check_keys(table);
    match given.as_slice() {
        ["trace"] if table.get("unit").is_some() => Some(("trace", tables::read(table, kind)?)),
        ["steps"] => Some(("steps", steps(table, kind)?)),
        ["trace"] => {
            let name = table.text("trace")?;
            Some(("trace", crate::files::read(table, "trace", name, kind.trace)?))
        }
        [_, second, ..] => {
            table.problem_at(second, "a second way to write it", "only one of `cycle`, `steps` and `trace`");
            None
        }
        [_] => Some(("cycle", cycle(table, kind)?)),
        [] => {
            let expected = format!(
                "a list of phases, each of them as [\"20 s\", {}]; or steps, or a trace",
                kind.example
            );
            table.required("cycle", &expected);
            None
        }
    }
}

fn cycle<T: Copy + PartialEq>(table: &TableReader<'_>, kind: &Kind<T>) -> Option<Timeline<T>> {
    let words = format!("how long it lasts, then its {}, such as [\"20 s\", {}]", kind.name, kind.example);
    let phases = pairs(table, "cycle", "phase", &words, LENGTHS, kind.range, kind)?;
    Timeline::cycle(phases.into_iter().map(|(_, lasts, value)| (lasts, value)))
}

fn steps<T: Copy + PartialEq>(table: &TableReader<'_>, kind: &Kind<T>) -> Option<Timeline<T>> {
    let words = format!("from when on, then the {}, such as [\"20 s\", {}]", kind.name, kind.example);
    let steps = pairs(table, "steps", "step", &words, INSTANTS, kind.range, kind)?;
    let mut last = None;
    for (node, from, _) in &steps {
        let path = table.path_of("steps");
        let problem =
            |found: &str, expected: &str| table.reader.problem(&node.span, &path, found, expected, None);
        match last {
            None if *from > Span::ZERO => {
                problem(&format!("a first step from {from} on"), "one from \"0 s\" on")
            }
            Some(last) if *from <= last => {
                problem(&format!("a step from {from} on"), "steps in the order of time");
            }
            _ => {
                last = Some(*from);
                continue;
            }
        }
        return None;
    }
    let (_, _, first) = steps.first()?;
    Some(Timeline::steps(*first, steps[1..].iter().map(|(_, from, value)| (Time::ZERO + *from, *value))))
}

/// Lists of a time and a value, each with its place.
fn pairs<'n, T>(
    table: &TableReader<'n>,
    key: &str,
    thing: &str,
    words: &str,
    times: Range,
    values: Range,
    kind: &Kind<T>,
) -> Option<Vec<(&'n Node, Span, T)>> {
    let items = table.list(key)?;
    if items.is_empty() || items.len() > MOST {
        table.problem_at(key, &counted(items.len(), thing), &format!("from 1 to {MOST} {thing}s"));
        return None;
    }
    let path = table.path_of(key);
    let read = |node: &'n Node| {
        let problem = |found: &str| table.reader.problem(&node.span, &path, found, words, None);
        let Value::List(parts) = &node.value else {
            problem(&node.describe());
            return None;
        };
        let [time, value] = parts.as_slice() else {
            problem(&format!("a {thing} of {}", counted(parts.len(), "value")));
            return None;
        };
        // Where the two are in the wrong order, that is one mistake.
        let Some(Read::Time(time)) = table.reader.quantity(time, &path, Quantity::Time, times) else {
            return None;
        };
        let value = (kind.of)(table.reader.quantity(value, &path, kind.quantity, values)?)?;
        Some((node, time, value))
    };
    // All are read before one is missed, so that all mistakes are found.
    let read: Vec<Option<_>> = items.iter().map(read).collect();
    read.into_iter().collect()
}
