//! A value over time as the scenario declares it: a repeating cycle of phases, steps, or a trace in a file.

use crate::language::reader::TableReader;
use crate::language::values::files::Mistake;
use crate::language::values::tables;
use ackclock_base::declare::Field;
use ackclock_base::registry::Quantity;
use ackclock_base::{Range, Span, Time};
use ackclock_sim::timeline::Timeline;

/// Parses a file of values over time.
pub type Parse<T> = fn(&str) -> Result<Timeline<T>, Mistake>;

/// A kind of value that changes over time.
pub struct Kind<T> {
    /// The name of the value.
    pub name: &'static str,
    /// The quantity of the value.
    pub quantity: Quantity,
    /// The range of the value in a cycle or in steps.
    pub range: Range,
    /// An example of a value.
    pub example: &'static str,
    /// Parses a trace that is not a table of times and values; `None` if each trace is one, and needs a `unit`.
    pub trace: Option<Parse<T>>,
    /// The units allowed in a table, each in base units.
    pub units: &'static [(&'static str, f64)],
    /// The units of an amount in a table, each in base units: the value is the amount over the time for which it holds.
    pub amounts: &'static [(&'static str, f64)],
    /// Converts a number in base units to a value.
    pub of_base: fn(f64) -> T,
}

/// The keys by which a value over time can be declared, of which one is given.
pub const WAYS: [&str; 3] = ["cycle", "steps", "trace"];

/// The sets of keys of which one is given.
pub const ONE_OF: &[&[&str]] = &[&["cycle"], &["steps"], &["trace"]];

/// The range of the lengths of phases in seconds. Lengths below a microsecond have no meaning for packets.
pub const LENGTHS: Range = Range::between(1e-6, 1e6);
/// The range of the times at which steps begin, in seconds.
pub const INSTANTS: Range = Range::between(0.0, 1e6);
/// The bounds of the number of phases or steps; a trace may have more.
pub const COUNTS: [usize; 2] = [1, 10_000];

/// Declares the keys of a value over time: of a [`Kind`], with an example of a value and the names of its
/// units.
macro_rules! over_time_keys {
    ($kind:expr, $example:literal, $units:expr) => {
        &[
            $crate::language::keys::Key::new(
                "cycle",
                &[$crate::language::keys::Form::List(
                    &$crate::language::keys::Form::Row(&[
                        $crate::language::keys::Form::time($crate::language::values::over_time::LENGTHS),
                        $crate::language::keys::Form::Quantity($kind.quantity, $kind.range),
                    ]),
                    $crate::language::values::over_time::COUNTS,
                )],
                "Phases that repeat in this order from the beginning of the run, each with its length and its value",
            )
            .such_as(concat!("[[\"20 s\", ", $example, "], [\"10 s\", ", $example, "]]")),
            $crate::language::keys::Key::new(
                "steps",
                &[$crate::language::keys::Form::List(
                    &$crate::language::keys::Form::Row(&[
                        $crate::language::keys::Form::time($crate::language::values::over_time::INSTANTS),
                        $crate::language::keys::Form::Quantity($kind.quantity, $kind.range),
                    ]),
                    $crate::language::values::over_time::COUNTS,
                )],
                "Values, each with the time from which it applies: the first from \"0 s\", the last to the end of \
                 the run",
            )
            .such_as(concat!("[[\"0 s\", ", $example, "], [\"20 s\", ", $example, "]]")),
            $crate::language::keys::Key::new(
                "trace",
                &[$crate::language::keys::Form::Text],
                "The file with the values over time: with `unit`, a table of times and values; without `unit`, \
                 delivery opportunities as in Mahimahi (rates only) or lines under the header `time_s,delay_s` \
                 (delays only)",
            )
            .such_as("\"drive.csv\""),
            $crate::language::keys::Key::new(
                "unit",
                &[$crate::language::keys::Form::words_of($units)],
                "The unit of the values in the table that `trace` names",
            )
            .needing(&["trace"]),
            $crate::language::keys::Key::new(
                "time",
                &[$crate::language::keys::Form::words_of(&$crate::language::values::tables::TIME_NAMES)],
                "The unit of the times in the table that `trace` names",
            )
            .or("\"s\"")
            .needing($crate::language::values::tables::NEEDS),
            $crate::language::keys::Key::new(
                "holds",
                &[$crate::language::keys::Form::words_of(&$crate::language::values::tables::HOLDS)],
                "The interval in which a value in the table that `trace` names applies: from the time in its line to \
                 the time in the next line (from), or from the time in the previous line to the time in its line \
                 (until), as in the output of measurement tools",
            )
            .or("\"from\"")
            .needing($crate::language::values::tables::NEEDS),
            $crate::language::keys::Key::new(
                "repeat",
                &[$crate::language::keys::Form::FLAG],
                "Whether the values in the table that `trace` names repeat; if not, the last value applies to the end \
                 of the run; if so, and if `holds` is `from`, the last value applies for as long as the previous \
                 value",
            )
            .or("false")
            .needing($crate::language::values::tables::NEEDS),
            $crate::language::keys::Key::new(
                "columns",
                &[$crate::language::keys::Form::List(&$crate::language::keys::Form::whole($crate::language::values::tables::COLUMNS), [2, 2])],
                "The columns of the time and of the value in the table that `trace` names, counted from 1",
            )
            .or("[1, 2]")
            .needing($crate::language::values::tables::NEEDS),
        ]
    };
}
pub(crate) use over_time_keys;

/// Reads a value over time, and returns it with the key by which it is declared; `None` after a problem was
/// reported.
pub fn read<T: Copy + PartialEq + Field>(
    table: &TableReader<'_>,
    kind: &Kind<T>,
) -> Option<(&'static str, Timeline<T>)> {
    let given: Vec<&str> = WAYS.into_iter().filter(|way| table.get(way).is_some()).collect();
    match given.as_slice() {
        ["trace"] if table.get("unit").is_some() => Some(("trace", tables::read(table, kind)?)),
        ["steps"] => Some(("steps", steps(table, kind)?)),
        ["trace"] => {
            let Some(parse) = kind.trace else {
                table.required("unit");
                return None;
            };
            let name = table.text("trace")?;
            Some(("trace", crate::language::values::files::read(table, "trace", name, parse)?))
        }
        [first, second, ..] => {
            let found = format!("both `{first}` and `{second}`");
            table.problem_at(second, &found, "only one of `cycle`, `steps` and `trace`");
            None
        }
        [_] => Some(("cycle", cycle(table, kind)?)),
        [] => {
            table.required_unless("cycle", "`steps` or `trace`");
            None
        }
    }
}

fn cycle<T: Copy + PartialEq + Field>(table: &TableReader<'_>, kind: &Kind<T>) -> Option<Timeline<T>> {
    let words =
        format!("the length of the phase, then its {}, such as [\"20 s\", {}]", kind.name, kind.example);
    let phases = table.pairs::<Span, T>("cycle", &words)?;
    Timeline::cycle(phases.into_iter().map(|(_, lasts, value)| (lasts, value)))
}

fn steps<T: Copy + PartialEq + Field>(table: &TableReader<'_>, kind: &Kind<T>) -> Option<Timeline<T>> {
    let words = format!(
        "the time from which the value applies, then the {}, such as [\"20 s\", {}]",
        kind.name, kind.example
    );
    let steps = table.pairs::<Span, T>("steps", &words)?;
    let mut last = None;
    for (node, from, _) in &steps {
        let path = table.path_of("steps");
        let problem =
            |found: &str, expected: &str| table.reader.problem(&node.span, &path, found, expected, None);
        match last {
            None if *from > Span::ZERO => {
                problem(&format!("a first step from {from}"), "a first step from \"0 s\"")
            }
            Some(last) if *from <= last => {
                problem(
                    &format!("a step from {from} on"),
                    &format!(
                        "steps in chronological order: a time after {last}, the time of the previous step"
                    ),
                );
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
