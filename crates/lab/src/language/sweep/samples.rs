//! Sampled values of a sweep: ranges, and the number of values drawn from them.

use super::units;
use crate::language::diagnostics::Diagnostic;
use crate::language::document::{Document, Node, Span, Table, Value};
use crate::language::keys::{Form, Key, SOME, Table as Declared};
use crate::language::limits::{MAX_POINTS, MAX_SEED};
use crate::language::reader::{Reader, TableReader};
use crate::language::registry::plugins::Plugins;
use ackclock_base::{Random, Range as Bounds};
use ackclock_sim::random::Stream;
use std::collections::HashSet;

pub const EXPECTED: &str = "the number of values to draw, such as samples = { count = 64 }";

static RANGE: Declared = Declared::new(
    "sweep_range",
    "A range from which the values of a sweep are drawn",
    &[&[
        Key::new("from", &[Form::Amount], "The lower end of the range").such_as("1"),
        Key::new("to", &[Form::Amount], "The upper end of the range, in the unit of `from`").such_as("9"),
        Key::new(
            "scale",
            &[Form::words_of(&["linear", "log"])],
            "The quantity that is drawn uniformly: the value (linear) or its logarithm (log)",
        )
        .or("\"linear\""),
    ]],
)
.requiring(&["from", "to"]);

static SAMPLES: Declared = Declared::new(
    "samples",
    "The number of values drawn from each range, and the sampling method",
    &[&[
        Key::new(
            "count",
            &[Form::whole(Bounds::between(1.0, MAX_POINTS as f64))],
            "The number of values drawn from each range",
        )
        .such_as("64"),
        Key::new(
            "method",
            &[Form::words_of(&["latin-hypercube", "random"])],
            "The method: one value from each of `count` equal parts of a range (latin-hypercube), or all values \
             independently (random)",
        )
        .or("\"latin-hypercube\""),
        Key::new(
            "seed",
            &[Form::whole(Bounds::between(0.0, MAX_SEED))],
            "The seed for drawing the values",
        )
        .or("1"),
    ]],
)
.requiring(&["count"]);

/// The form of the values of a path.
pub const VALUES_FORM: Form = Form::List(&Form::Anything, SOME);
/// The form of a range.
pub const RANGE_FORM: Form = Form::Table(&RANGE);
/// The form of `samples`.
pub const SAMPLES_FORMS: &[Form] = &[Form::Table(&SAMPLES)];

/// The maximum number of draws, which are repeated while two samples are equal.
const ATTEMPTS: u64 = 100;

/// The range from which a value is drawn.
#[derive(Clone, Debug)]
pub struct Range {
    pub span: Span,
    from: f64,
    to: f64,
    logarithmic: bool,
    whole: bool,
    /// The unit that follows the number; empty for a plain number.
    unit: String,
}

/// Returns whether a table in a sweep is a range, and not the steps of a path without its quotes.
pub fn is_range(table: &Table) -> bool {
    ["from", "to"].iter().any(|key| table.get(key).is_some_and(|node| !matches!(node.value, Value::Table(_))))
}

impl Range {
    pub fn read(document: &Document, node: &Node, place: &str) -> Result<Self, Vec<Diagnostic>> {
        read(document, node, place, &RANGE, |table| Self::of(table, &node.span))
    }

    fn of(table: &TableReader<'_>, span: &Span) -> Option<Self> {
        let end = |key: &str| {
            let node = table.get(key)?;
            let read = number(node);
            if read.is_none() {
                table.problem_at(key, &node.describe(), "a number, alone or with a unit such as \"10 ms\"");
            }
            read
        };
        let (from, to) = (end("from"), end("to"));
        let ((from, unit), (to, other)) = (from?, to?);
        if other != unit {
            let written = |unit: &str| match unit {
                "" => "a number without a unit".to_owned(),
                unit => format!("a number in `{unit}`"),
            };
            table.problem_at("to", &written(&other), &format!("{}, as `from` is", written(&unit)));
        } else if to <= from {
            table.problem_at("to", "a `to` that is not above `from`", "a value above `from`");
        }
        let logarithmic = table.word("scale") == Some("log");
        if logarithmic && from <= 0.0 {
            table.problem_at("from", &from.to_string(), "more than 0, because the scale is logarithmic");
        }
        // Half a packet or half a flow does not exist.
        let written_whole = |key| matches!(table.get(key).map(|node| &node.value), Some(Value::Integer(_)));
        let counted = matches!(unit.as_str(), "packet" | "packets" | "B");
        let whole = (written_whole("from") && written_whole("to"))
            || (counted && from.fract() == 0.0 && to.fract() == 0.0);
        Some(Self { span: span.clone(), from, to, logarithmic, whole, unit })
    }

    /// Returns the value at a position from 0 to 1 of the range, to six digits.
    fn at(&self, place: f64) -> Value {
        // Each whole number is equally likely.
        let (from, to) = if self.whole { (self.from - 0.5, self.to + 0.5) } else { (self.from, self.to) };
        let number = match self.logarithmic {
            true => self.from * libm::pow(self.to / self.from, place),
            false => from + (to - from) * place,
        };
        let number = if self.whole { number.round() } else { six_digits(number) };
        let number = number.clamp(self.from, self.to);
        match (self.unit.as_str(), self.whole) {
            ("", true) => Value::Integer(number as i64),
            ("", false) => Value::Float(number),
            (unit, _) => Value::Text(format!("{number} {unit}")),
        }
    }
}

fn six_digits(number: f64) -> f64 {
    format!("{number:.5e}").parse().unwrap_or(number)
}

/// Returns a finite number and its unit, which may be empty; `None` for any other value.
fn number(node: &Node) -> Option<(f64, String)> {
    let (number, unit) = match &node.value {
        Value::Integer(number) => (*number as f64, ""),
        Value::Float(number) => (*number, ""),
        Value::Text(text) => {
            let (number, unit) = text.trim().split_once(char::is_whitespace)?;
            (number.parse().ok()?, unit.trim())
        }
        _ => return None,
    };
    number.is_finite().then(|| (number, unit.to_owned()))
}

/// How ranges are sampled.
#[derive(Clone, Copy, Debug)]
pub struct SamplePlan {
    pub count: usize,
    latin: bool,
    seed: u64,
}

impl SamplePlan {
    pub fn read(document: &Document, node: &Node) -> Result<Self, Vec<Diagnostic>> {
        read(document, node, "sweep.samples", &SAMPLES, |table| {
            let (count, seed) = (table.read("count")?, table.read_or_default("seed")?);
            Some(Self { count, latin: table.word("method") != Some("random"), seed })
        })
    }

    /// Returns the values of every range, one for each sample; `None` if some samples are equal in every
    /// attempt.
    pub fn draw(&self, ranges: &[(&str, &Range)]) -> Option<Vec<Vec<Value>>> {
        (0..ATTEMPTS).map(|attempt| self.attempt(ranges, attempt)).find(|drawn| {
            let mut seen = HashSet::new();
            let meaning = |values: &Vec<Value>, sample: usize| {
                units::meaning(&Node { span: None, value: values[sample].clone() })
            };
            (0..self.count).all(|sample| {
                let all: Vec<String> = drawn.iter().map(|values| meaning(values, sample)).collect();
                seen.insert(all)
            })
        })
    }

    /// Draws the values of every range. Each range has its own stream, so that an additional range does not
    /// change the draws of the others.
    fn attempt(&self, ranges: &[(&str, &Range)], attempt: u64) -> Vec<Vec<Value>> {
        let draw = |(path, range): &(&str, &Range)| {
            let mut stream = Stream::new(self.seed, &format!("samples of {path}, attempt {attempt}"));
            let places = if self.latin { strata(self.count, &mut stream) } else { vec![0.0; self.count] };
            let width = if self.latin { 1.0 / self.count as f64 } else { 1.0 };
            places.into_iter().map(|place| range.at(place + width * stream.uniform())).collect()
        };
        ranges.iter().map(draw).collect()
    }
}

/// Returns the lower ends of `count` equal parts of the interval from 0 to 1, in random order. In a Latin
/// hypercube each part has one sample (McKay, Beckman and Conover 1979).
fn strata(count: usize, stream: &mut Stream) -> Vec<f64> {
    let mut places: Vec<f64> = (0..count).map(|part| part as f64 / count as f64).collect();
    // The shuffle of Fisher and Yates makes each order equally likely.
    for last in (1..count).rev() {
        places.swap(last, (stream.uniform() * (last + 1) as f64) as usize);
    }
    places
}

/// Reads a table with these keys, or returns its problems.
fn read<T>(
    document: &Document,
    node: &Node,
    place: &str,
    declared: &'static Declared,
    of: impl FnOnce(&TableReader<'_>) -> Option<T>,
) -> Result<T, Vec<Diagnostic>> {
    let plugins = Plugins::default();
    let reader = Reader::new(document, &plugins);
    let made = reader.open(node, place, declared).and_then(|table| of(&table));
    let problems = reader.into_problems();
    match made {
        Some(made) if problems.is_empty() => Ok(made),
        _ => Err(problems),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(text: &str) -> Result<Range, (Option<usize>, String)> {
        let document = Document::parse(&format!("a = {{ {text} }}"), "f").unwrap();
        let Value::Table(table) = &document.root.value else { unreachable!() };
        Range::read(&document, table.get("a").unwrap(), "a")
            .map_err(|problems| (problems[0].column, problems[0].expected.clone()))
    }

    fn numbers(values: &[Value]) -> Vec<f64> {
        let read = |value: &Value| number(&Node { span: None, value: value.clone() }).unwrap().0;
        values.iter().map(read).collect()
    }

    #[test]
    fn every_part_of_a_latin_hypercube_has_one_sample() {
        let (one, other) = (range("from = 0.0, to = 8.0").unwrap(), range("from = 1.0, to = 9.0").unwrap());
        let plan = SamplePlan { count: 8, latin: true, seed: 1 };
        let drawn = plan.draw(&[("one", &one), ("other", &other)]).unwrap();
        let parts = |values: &[Value], from: f64| {
            let mut parts: Vec<i64> =
                numbers(values).iter().map(|value| (value - from).floor() as i64).collect();
            parts.sort_unstable();
            parts
        };
        assert_eq!(parts(&drawn[0], 0.0), (0..8).collect::<Vec<_>>());
        assert_eq!(parts(&drawn[1], 1.0), (0..8).collect::<Vec<_>>());
        // The orders differ; otherwise all samples would lie on a line.
        assert!(numbers(&drawn[0]).iter().zip(numbers(&drawn[1])).any(|(x, y)| (y - x).abs() > 2.0));
    }

    #[test]
    fn one_more_range_leaves_the_draws_of_another_as_they_are() {
        let (one, other) = (range("from = 0.0, to = 8.0").unwrap(), range("from = 1.0, to = 9.0").unwrap());
        let plan = SamplePlan { count: 20, latin: false, seed: 3 };
        let both = plan.draw(&[("one", &one), ("other", &other)]).unwrap();
        assert_eq!(plan.draw(&[("other", &other)]).unwrap()[0], both[1]);
        assert!(numbers(&both[1]).iter().all(|value| (1.0..=9.0).contains(value)));
    }

    #[test]
    fn a_logarithmic_range_has_its_geometric_mean_in_the_middle() {
        // The middle is sqrt(1 * 100) = 10.
        let log = range("from = \"1 Mbit/s\", to = \"100 Mbit/s\", scale = \"log\"").unwrap();
        assert_eq!(log.at(0.5), Value::Text("10 Mbit/s".to_owned()));
        assert_eq!(
            range("from = \"1 ms\", to = \"2 ms\"").unwrap().at(0.25),
            Value::Text("1.25 ms".to_owned())
        );
        // Each of three whole numbers has a third of the range.
        let whole = range("from = 1, to = 3").unwrap();
        assert_eq!(
            [0.0, 0.3, 0.4, 0.6, 0.7, 0.999].map(|place| whole.at(place)),
            [1, 1, 2, 2, 3, 3].map(Value::Integer)
        );
        assert_eq!(
            range("from = \"1 packets\", to = \"2 packets\"").unwrap().at(0.9),
            Value::Text("2 packets".to_owned())
        );
    }

    #[test]
    fn samples_that_cannot_all_differ_are_refused() {
        let whole = range("from = 1, to = 3").unwrap();
        let plan = |count| SamplePlan { count, latin: false, seed: 1 };
        assert_eq!(plan(4).draw(&[("a", &whole)]), None);
        assert!(plan(3).draw(&[("a", &whole)]).is_some());
    }

    #[test]
    fn mistakes_in_ranges_are_reported() {
        assert_eq!(
            range("from = 1").unwrap_err().1,
            "the upper end of the range, in the unit of `from`, such as 9"
        );
        assert_eq!(range("from = 2, to = 1").unwrap_err(), (Some(22), "a value above `from`".to_owned()));
        assert_eq!(range("from = \"1 ms\", to = \"1 s\"").unwrap_err().1, "a number in `ms`, as `from` is");
        assert_eq!(range("from = 0, to = 1, scale = \"log\"").unwrap_err().0, Some(14));
        assert!(range("from = 0, to = 1, sclae = \"log\"").unwrap_err().1.contains("scale"));
    }
}
