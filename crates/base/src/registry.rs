//! Describes what has a name in scenario files: congestion controls, queue disciplines, loss models,
//! transport profiles and others.
//!
//! Each algorithm's file holds its [`Descriptor`] beside its code. The scenario language reads parameters
//! through the descriptor, and `ackclock list` and the documentation print it, so nothing is written twice.

use crate::quantity::{Packets, Rate, Size, Span};
use crate::spelling::{self, Limit, Misspelt};
use serde::Serialize;

/// Says what kind of algorithm or model a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A congestion control.
    Control,
    /// A loss discriminator.
    Discriminator,
    /// A rule for what a transmission loss does to the window.
    Action,
    /// A slow start: a rule for how it grows and when it ends.
    SlowStart,
    /// A rule for what a connection takes over from an earlier connection.
    Resume,
    /// A rule for what an echoed congestion mark does to the window.
    EcnResponse,
    /// A rule for how far a window grows while the flow does not use it.
    GrowthLimit,
    /// A rule by which the retransmission timeout grows.
    Backoff,
    /// A rule that chooses the path of new data from several paths.
    Selector,
    /// A queue discipline.
    Queue,
    /// A model of how packets are lost on a link.
    Loss,
    /// A rule for how links share a medium.
    Medium,
    /// A model of how strong a signal is where it is received.
    Propagation,
    /// A model of how nodes move.
    Mobility,
    /// A rule that chooses a flow's way from several ways of the least length.
    Routing,
    /// An agent at a node, which reads the packets that pass and may change them.
    Agent,
    /// A profile of transport details.
    Transport,
    /// An application: it decides what a flow sends.
    Application,
}

impl Kind {
    /// All kinds, in the order in which lists show them.
    pub const ALL: &'static [Self] = &[
        Self::Control,
        Self::Discriminator,
        Self::Action,
        Self::SlowStart,
        Self::Resume,
        Self::EcnResponse,
        Self::GrowthLimit,
        Self::Backoff,
        Self::Selector,
        Self::Queue,
        Self::Loss,
        Self::Medium,
        Self::Propagation,
        Self::Mobility,
        Self::Routing,
        Self::Agent,
        Self::Transport,
        Self::Application,
    ];

    /// Returns the kind's name as `ackclock list` shows it.
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

/// Describes what a name stands for: its summary, its source and its parameters.
#[derive(Clone, Copy, Debug)]
pub struct Descriptor {
    /// The kind.
    pub kind: Kind,
    /// The name in scenario files.
    pub name: &'static str,
    /// A summary in one line.
    pub summary: &'static str,
    /// Thesis and chapter, or RFC and section.
    pub source: &'static str,
    /// The parameters that a scenario may set.
    pub parameters: &'static [Parameter],
    /// Defaults that replace those of `parameters`, as pairs of name and default: a profile is such a list.
    pub presets: &'static [(&'static str, &'static str)],
}

/// Describes one parameter. [`parameters!`](crate::parameters) makes these descriptions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// The parameter's key in a scenario file.
    pub name: &'static str,
    /// A summary in one line.
    pub summary: &'static str,
    /// The quantity that the parameter measures.
    pub quantity: Quantity,
    /// The value if a scenario sets none, written as in a scenario file; [`Parameter::NONE`] if the parameter
    /// is then absent.
    pub default: &'static str,
    /// The values that the parameter may have, in the quantity's base unit.
    pub range: Range,
    /// Thesis and chapter, or RFC and section.
    pub source: &'static str,
}

/// Says what a parameter measures, which decides how its values are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// A plain number.
    Number,
    /// A whole number.
    Integer,
    /// True or false.
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
    /// One of these words.
    Choice(&'static [&'static str]),
    /// The name of a file beside the scenario.
    File,
}

/// The values that a parameter may have, in base units (seconds, bit/s, bytes, packets).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The least allowed value.
    pub min: f64,
    /// The greatest allowed value.
    pub max: f64,
    /// Whether `min` itself is not allowed.
    pub above_min: bool,
}

impl Range {
    /// Allows every finite value.
    pub const ANY: Self = Self { min: f64::MIN, max: f64::MAX, above_min: false };

    /// Returns the range of the values from `min` on.
    pub const fn at_least(min: f64) -> Self {
        Self { min, max: f64::MAX, above_min: false }
    }

    /// Returns the range of the values greater than `min`.
    pub const fn above(min: f64) -> Self {
        Self { min, max: f64::MAX, above_min: true }
    }

    /// Returns the range from `min` to `max`, both included.
    pub const fn between(min: f64, max: f64) -> Self {
        Self { min, max, above_min: false }
    }

    /// Returns whether the range contains `value`; false for NaN.
    pub fn contains(&self, value: f64) -> bool {
        value <= self.max && if self.above_min { value > self.min } else { value >= self.min }
    }

    /// Returns the range in words, such as "at least 1"; an empty string if the range has no bounds.
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

/// The value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// No value, where the parameter may be absent.
    Absent,
    /// A plain number.
    Number(f64),
    /// A whole number.
    Integer(i64),
    /// True or false.
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
    /// One of several words.
    Choice(&'static str),
    /// The name of a file. The file's content is read together with the scenario.
    File,
}

impl Quantity {
    /// Returns the name of the quantity as tables show it, such as "time".
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

    /// Reads a value from its text; an error says what was expected.
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
            Self::File if text.is_empty() => {
                Err(expected("the name of a file in quotes, not an empty string"))
            }
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
    /// Returns a text from which [`Quantity::read`] reads the value; `None` for one that is absent, and for a file.
    pub fn text(&self) -> Option<String> {
        Some(match self {
            Self::Number(number) => number.to_string(),
            Self::Integer(number) => number.to_string(),
            Self::Flag(flag) => flag.to_string(),
            Self::Time(span) | Self::Limit(Limit::Time(span)) => format!("{} ns", span.nanos()),
            Self::Rate(rate) => format!("{} bit/s", rate.bits_per_second()),
            Self::Size(size) => format!("{} B", size.bytes()),
            Self::Packets(packets) => format!("{packets} packets"),
            Self::Limit(Limit::Packets(packets)) => format!("{packets} packets"),
            Self::Limit(Limit::Bytes(bytes)) => format!("{bytes} B"),
            Self::Limit(Limit::Bdp(products)) => format!("{products} bdp"),
            Self::Limit(Limit::Unlimited) => "unlimited".to_owned(),
            Self::Choice(word) => (*word).to_owned(),
            Self::Absent | Self::File => return None,
        })
    }

    /// Returns the value in its base unit, for range checks; `None` for values that are not numbers and for
    /// an unlimited queue.
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
    /// The text of the default of a parameter that is absent unless a scenario sets it.
    pub const NONE: &'static str = "none";

    /// Returns the default as a value; [`Value::Absent`] if the parameter has none.
    pub fn default_value(&self) -> Value {
        self.value_of(self.default)
    }

    /// Reads a default; [`Value::Absent`] if it is [`Parameter::NONE`] or misspelt. A test of all registered
    /// parameters excludes misspelt defaults.
    fn value_of(&self, default: &str) -> Value {
        if default == Self::NONE {
            Value::Absent
        } else {
            self.quantity.read(default).unwrap_or(Value::Absent)
        }
    }
}

impl Descriptor {
    /// Returns the parameter called `name`; `None` if the descriptor has no such parameter.
    pub fn parameter(&self, name: &str) -> Option<&'static Parameter> {
        self.parameters.iter().find(|parameter| parameter.name == name)
    }

    /// Returns a parameter's default as text: that of the presets if they set one, otherwise the parameter's
    /// own.
    pub fn default_of(&self, parameter: &Parameter) -> &'static str {
        self.presets
            .iter()
            .find(|(name, _)| *name == parameter.name)
            .map_or(parameter.default, |(_, text)| text)
    }

    /// Returns the defaults of all parameters.
    pub fn defaults(&self) -> Values {
        let value = |parameter: &Parameter| parameter.value_of(self.default_of(parameter));
        Values { parameters: self.parameters, values: self.parameters.iter().map(value).collect() }
    }
}

/// Holds one checked value for each parameter of a table, in the table's order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Values {
    parameters: &'static [Parameter],
    values: Vec<Value>,
}

impl Values {
    /// Returns the values in the order of the table.
    pub fn iter(&self) -> impl Iterator<Item = Value> {
        self.values.iter().copied()
    }

    /// Returns whether these values belong to the parameters of `table`, which the names decide.
    pub fn are_of(&self, table: &[Parameter]) -> bool {
        self.parameters
            .iter()
            .map(|parameter| parameter.name)
            .eq(table.iter().map(|parameter| parameter.name))
    }

    /// Returns the value of a parameter; `None` if no parameter has this name.
    pub fn get(&self, name: &str) -> Option<Value> {
        self.values.get(self.position(name)?).copied()
    }

    /// Replaces the value of a parameter. A name that is not declared changes nothing.
    pub fn set(&mut self, name: &str, value: Value) {
        if let Some(held) = self.position(name).and_then(|index| self.values.get_mut(index)) {
            *held = value;
        }
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.parameters.iter().position(|parameter| parameter.name == name)
    }

    /// Takes the defaults and sets several parameters from their text, for tests and examples.
    ///
    /// # Panics
    /// Panics if a name is not declared or a text is misspelt.
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
        /// Parameters for tests.
        struct Parameters {
            /// A gain
            gain: f64 = number("0.5", Range::above(0.0), "an example"),
            /// A floor
            floor: Option<Span> = time("none", Range::ANY, "an example"),
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
    fn ranges_name_and_contain_their_values() {
        assert_eq!(Range::above(0.0).words(), "above 0");
        assert_eq!(Range::between(0.0, 1.0).words(), "at least 0 and at most 1");
        assert!(!Range::above(0.0).contains(0.0));
        assert!(Range::at_least(0.0).contains(0.0));
        assert!(!Range::at_least(0.0).contains(f64::NAN));
    }
}
