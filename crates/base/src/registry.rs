//! The description of a named thing: a congestion control, a queue discipline, a loss model, a transport profile.
//!
//! Each algorithm's file holds its [`Descriptor`] beside its code. The scenario language reads parameters through
//! it, `ackclock list` and the documentation print it, and nothing repeats it.

use crate::quantity::{Packets, Rate, Size, Span};
use crate::spelling::{self, Limit, Misspelt};
use serde::Serialize;

/// What sort of thing a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A congestion control.
    Control,
    /// A loss discriminator.
    Discriminator,
    /// What a loss of transmission does to the window.
    Action,
    /// How slow start grows and ends.
    SlowStart,
    /// What a connection makes of an earlier one.
    Resume,
    /// What an echo of a mark does to the window.
    EcnResponse,
    /// How far a window grows that is not used.
    GrowthLimit,
    /// How the retransmission timeout grows.
    Backoff,
    /// Which of several paths new data takes.
    Selector,
    /// A queue discipline.
    Queue,
    /// A model of packets lost on a link.
    Loss,
    /// How links share a medium.
    Medium,
    /// How much of a signal reaches whom.
    Propagation,
    /// How nodes move.
    Mobility,
    /// Which of several shortest ways a flow takes.
    Routing,
    /// What looks into packets at a node on their way.
    Agent,
    /// A profile of transport details.
    Transport,
    /// What a flow sends.
    Application,
}

impl Kind {
    /// Its name, as `ackclock list` has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Control => "control",
            Self::Discriminator => "discriminator",
            Self::Action => "action",
            Self::SlowStart => "slow-start",
            Self::Resume => "resume",
            Self::EcnResponse => "ecn-response",
            Self::GrowthLimit => "growth-limit",
            Self::Backoff => "backoff",
            Self::Selector => "selector",
            Self::Queue => "queue",
            Self::Loss => "loss",
            Self::Medium => "medium",
            Self::Propagation => "propagation",
            Self::Mobility => "mobility",
            Self::Routing => "routing",
            Self::Agent => "agent",
            Self::Transport => "transport",
            Self::Application => "application",
        }
    }
}

/// A named thing: one line about it, where it comes from, and its parameters.
#[derive(Clone, Copy, Debug)]
pub struct Descriptor {
    /// What sort of thing it is.
    pub kind: Kind,
    /// Its name in a scenario file.
    pub name: &'static str,
    /// One line about it.
    pub summary: &'static str,
    /// Thesis and chapter, or RFC and section.
    pub source: &'static str,
    /// What can be set.
    pub parameters: &'static [Parameter],
    /// Defaults that replace those of `parameters`, as (name, default): a profile is such a list.
    pub presets: &'static [(&'static str, &'static str)],
}

/// One parameter of a named thing. [`parameters!`](crate::parameters) makes them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Its key in a scenario file.
    pub name: &'static str,
    /// One line about it.
    pub summary: &'static str,
    /// What it measures.
    pub quantity: Quantity,
    /// Its value when not given, written as in a scenario file; [`Parameter::NONE`] when it may be absent.
    pub default: &'static str,
    /// What it may be, in the quantity's base unit.
    pub range: Range,
    /// Thesis and chapter, or RFC and section.
    pub source: &'static str,
}

/// What a parameter measures, and so how it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// A plain number.
    Number,
    /// A whole number.
    Integer,
    /// true or false.
    Flag,
    /// A time, "40 ms".
    Time,
    /// A rate, "10 Mbit/s".
    Rate,
    /// A size, "1500 B".
    Size,
    /// A number of packets, "20 packets".
    Packets,
    /// A queue limit, "50 packets" or "1 bdp".
    Limit,
    /// One of a few words.
    Choice(&'static [&'static str]),
    /// The name of a file beside the scenario.
    File,
}

/// The values a parameter may take, in base units (seconds, bit/s, bytes, packets).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The least value.
    pub min: f64,
    /// The greatest value.
    pub max: f64,
    /// Whether `min` itself is excluded.
    pub above_min: bool,
}

impl Range {
    /// Every finite value.
    pub const ANY: Self = Self { min: f64::MIN, max: f64::MAX, above_min: false };

    /// `min` or more.
    pub const fn at_least(min: f64) -> Self {
        Self { min, max: f64::MAX, above_min: false }
    }

    /// More than `min`.
    pub const fn above(min: f64) -> Self {
        Self { min, max: f64::MAX, above_min: true }
    }

    /// From `min` to `max`, both included.
    pub const fn between(min: f64, max: f64) -> Self {
        Self { min, max, above_min: false }
    }

    /// Whether `value` lies inside.
    pub fn contains(&self, value: f64) -> bool {
        value <= self.max && if self.above_min { value > self.min } else { value >= self.min }
    }

    /// The range in words, such as "at least 1"; empty when every value is allowed.
    pub fn words(&self) -> String {
        let low = match (self.min == f64::MIN, self.above_min) {
            (true, _) => String::new(),
            (_, true) => format!("above {}", self.min),
            (_, false) => format!("at least {}", self.min),
        };
        match (low.is_empty(), self.max == f64::MAX) {
            (_, true) => low,
            (true, false) => format!("at most {}", self.max),
            (false, false) => format!("{low} and at most {}", self.max),
        }
    }
}

/// A parameter's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// Not given, and allowed not to be.
    Absent,
    /// A plain number.
    Number(f64),
    /// A whole number.
    Integer(i64),
    /// true or false.
    Flag(bool),
    /// A time.
    Time(Span),
    /// A rate.
    Rate(Rate),
    /// A size.
    Size(Size),
    /// A number of packets.
    Packets(Packets),
    /// A queue limit.
    Limit(Limit),
    /// One of a few words.
    Choice(&'static str),
    /// A file that is named. What stands in it is read where the scenario is read.
    File,
}

impl Quantity {
    /// The name of the unit, for tables.
    pub fn unit(&self) -> &'static str {
        match self {
            Self::Number | Self::Integer => "number",
            Self::Flag => "true or false",
            Self::Time => "time",
            Self::Rate => "rate",
            Self::Size => "size",
            Self::Packets => "packets",
            Self::Limit => "queue limit",
            Self::Choice(_) => "word",
            Self::File => "file",
        }
    }

    /// Reads a value written as text.
    pub fn read(&self, text: &str) -> Result<Value, Misspelt> {
        let expected = |words: &str| Misspelt { expected: words.to_owned(), hint: None };
        match self {
            Self::Number => text.parse().map(Value::Number).map_err(|_| expected("a number")),
            Self::Integer => text.parse().map(Value::Integer).map_err(|_| expected("a whole number")),
            Self::Flag => text.parse().map(Value::Flag).map_err(|_| expected("true or false")),
            Self::Time => spelling::read_span(text).map(Value::Time),
            Self::Rate => spelling::read_rate(text).map(Value::Rate),
            Self::Size => spelling::read_size(text).map(Value::Size),
            Self::Packets => spelling::read_packets(text).map(Value::Packets),
            Self::Limit => spelling::read_limit(text).map(Value::Limit),
            Self::File if text.is_empty() => Err(expected("the name of a file in quotes")),
            Self::File => Ok(Value::File),
            Self::Choice(words) => words
                .iter()
                .find(|word| **word == text)
                .map(|word| Value::Choice(word))
                .ok_or_else(|| expected(&format!("one of {}", words.join(", ")))),
        }
    }
}

impl Value {
    /// The value in its base unit, for range checks; `None` where that means nothing.
    pub fn base(&self) -> Option<f64> {
        match self {
            Self::Number(number) | Self::Packets(number) => Some(*number),
            Self::Integer(number) => Some(*number as f64),
            Self::Time(span) => Some(span.seconds()),
            Self::Rate(rate) => Some(rate.bits_per_second() as f64),
            Self::Size(size) => Some(size.bytes() as f64),
            Self::Limit(Limit::Packets(count) | Limit::Bytes(count)) => Some(*count as f64),
            Self::Limit(Limit::Time(span)) => Some(span.seconds()),
            Self::Limit(Limit::Bdp(multiple)) => Some(*multiple),
            Self::Absent | Self::Flag(_) | Self::Choice(_) | Self::File => None,
            Self::Limit(Limit::Unlimited) => None,
        }
    }
}

impl Parameter {
    /// The default of a parameter that may be absent.
    pub const NONE: &'static str = "none";

    /// The default as a value.
    pub fn default_value(&self) -> Value {
        self.value_of(self.default)
    }

    /// A default as a value; absent where it is none, or misspelt, which a test of everything registered excludes.
    fn value_of(&self, default: &str) -> Value {
        if default == Self::NONE {
            Value::Absent
        } else {
            self.quantity.read(default).unwrap_or(Value::Absent)
        }
    }
}

impl Descriptor {
    /// The parameter called `name`.
    pub fn parameter(&self, name: &str) -> Option<&'static Parameter> {
        self.parameters.iter().find(|parameter| parameter.name == name)
    }

    /// The default of a parameter, after the presets, as written.
    pub fn default_of(&self, parameter: &Parameter) -> &'static str {
        self.presets
            .iter()
            .find(|(name, _)| *name == parameter.name)
            .map_or(parameter.default, |(_, text)| text)
    }

    /// All parameters at their defaults.
    pub fn defaults(&self) -> Values {
        let value = |parameter: &Parameter| parameter.value_of(self.default_of(parameter));
        Values { parameters: self.parameters, values: self.parameters.iter().map(value).collect() }
    }
}

/// The values of a thing's parameters, complete and checked, in the order of its table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Values {
    parameters: &'static [Parameter],
    values: Vec<Value>,
}

impl Values {
    /// The values, in the order of the table.
    pub fn iter(&self) -> impl Iterator<Item = Value> {
        self.values.iter().copied()
    }

    /// Whether these are values of the parameters of `table`.
    pub fn are_of(&self, table: &[Parameter]) -> bool {
        self.parameters
            .iter()
            .map(|parameter| parameter.name)
            .eq(table.iter().map(|parameter| parameter.name))
    }

    /// The value of a parameter, whatever its quantity.
    pub fn get(&self, name: &str) -> Option<Value> {
        self.values.get(self.position(name)?).copied()
    }

    /// Replaces the value of a declared parameter.
    pub fn set(&mut self, name: &str, value: Value) {
        if let Some(held) = self.position(name).and_then(|index| self.values.get_mut(index)) {
            *held = value;
        }
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.parameters.iter().position(|parameter| parameter.name == name)
    }

    /// Sets several parameters from their text, for tests and examples.
    ///
    /// # Panics
    /// When a name is not declared or a text is misspelt.
    pub fn with(descriptor: &Descriptor, settings: &[(&str, &str)]) -> Self {
        let mut values = descriptor.defaults();
        for (name, text) in settings {
            let parameter = descriptor.parameter(name).unwrap_or_else(|| panic!("no parameter {name}"));
            values.set(
                parameter.name,
                parameter.quantity.read(text).unwrap_or_else(|_| panic!("misspelt {text}")),
            );
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters;

    parameters! {
        /// Of a thing.
        struct Parameters {
            /// A gain
            gain: f64 = number("0.5", Range::above(0.0), "made up"),
            /// A floor
            floor: Option<Span> = time("none", Range::ANY, "made up"),
        }
    }

    const THING: Descriptor = Descriptor {
        kind: Kind::Control,
        name: "thing",
        summary: "",
        source: "",
        parameters: Parameters::TABLE,
        presets: &[("gain", "2")],
    };

    #[test]
    fn presets_replace_defaults() {
        let read = |values: &Values| Parameters::from(values);
        assert_eq!(read(&THING.defaults()), Parameters { gain: 2.0, floor: None });
        let floor = Some(Span::from_millis(3));
        assert_eq!(read(&Values::with(&THING, &[("floor", "3 ms")])), Parameters { gain: 2.0, floor });
    }

    #[test]
    fn ranges_say_what_they_allow() {
        assert_eq!(Range::above(0.0).words(), "above 0");
        assert_eq!(Range::between(0.0, 1.0).words(), "at least 0 and at most 1");
        assert!(!Range::above(0.0).contains(0.0));
        assert!(Range::at_least(0.0).contains(0.0));
        assert!(!Range::at_least(0.0).contains(f64::NAN));
    }
}
