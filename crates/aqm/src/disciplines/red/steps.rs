//! How RED's descendants move the slope of its curve: up by adding, down by multiplying (Floyd, Gummadi and Shenker 2001,
//! section 4).

use crate::registry::PERIODS;
use ackclock_base::{Parameter, Quantity, Range, Span, Values};

/// How often.
pub const INTERVAL: Parameter = Parameter {
    name: "interval",
    summary: "How often max_probability may move",
    quantity: Quantity::Time,
    default: "500 ms",
    range: PERIODS,
    source: "Floyd, Gummadi and Shenker 2001, section 4",
};

/// The step up.
pub const ALPHA: Parameter = Parameter {
    name: "alpha",
    summary: "Step up of max_probability, but never more than a quarter of it",
    quantity: Quantity::Number,
    default: "0.01",
    range: Range::between(0.0, 1.0),
    source: "Floyd, Gummadi and Shenker 2001, section 4",
};

/// The step down.
pub const BETA: Parameter = Parameter {
    name: "beta",
    summary: "What a step down multiplies max_probability by",
    quantity: Quantity::Number,
    default: "0.9",
    range: Range::between(0.0, 1.0),
    source: "Floyd, Gummadi and Shenker 2001, section 4",
};

/// The lower bound.
pub const LEAST_PROBABILITY: Parameter = Parameter {
    name: "least_probability",
    summary: "The least that max_probability becomes",
    quantity: Quantity::Number,
    default: "0.01",
    range: Range::between(0.0, 1.0),
    source: "Floyd, Gummadi and Shenker 2001, section 4",
};

/// The upper bound.
pub const GREATEST_PROBABILITY: Parameter = Parameter {
    name: "greatest_probability",
    summary: "The greatest that max_probability becomes",
    quantity: Quantity::Number,
    default: "0.5",
    range: Range::between(0.0, 1.0),
    source: "Floyd, Gummadi and Shenker 2001, section 4",
};

/// The steps.
#[derive(Clone, Copy, Debug)]
pub struct Steps {
    /// How often one may be taken.
    pub interval: Span,
    alpha: f64,
    beta: f64,
    least: f64,
    greatest: f64,
}

impl Steps {
    /// From the parameters above.
    pub fn new(values: &Values) -> Self {
        Self {
            interval: values.time("interval"),
            alpha: values.number("alpha"),
            beta: values.number("beta"),
            least: values.number("least_probability"),
            greatest: values.number("greatest_probability"),
        }
    }

    /// A step up from a probability; bounds that it is beyond already do not pull it back.
    pub fn up(&self, probability: f64) -> f64 {
        (probability + self.alpha.min(probability / 4.0)).min(self.greatest.max(probability))
    }

    /// A step down.
    pub fn down(&self, probability: f64) -> f64 {
        (probability * self.beta).max(self.least.min(probability))
    }
}
