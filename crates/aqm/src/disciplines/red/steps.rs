//! How RED's descendants move the slope of its curve: up by adding, down by multiplying (Floyd, Gummadi and Shenker 2001,
//! section 4).

use crate::registry::PERIODS;
use ackclock_base::{Range, Span, parameters};

parameters! {
    /// The steps.
    pub struct Steps {
        /// How often max_probability may move
        interval: Span = time("500 ms", PERIODS, SOURCE),
        /// Step up of max_probability, but never more than a quarter of it
        alpha: f64 = number("0.01", Range::between(0.0, 1.0), SOURCE),
        /// What a step down multiplies max_probability by
        beta: f64 = number("0.9", Range::between(0.0, 1.0), SOURCE),
        /// The least that max_probability becomes
        least_probability: f64 = number("0.01", Range::between(0.0, 1.0), SOURCE),
        /// The greatest that max_probability becomes
        greatest_probability: f64 = number("0.5", Range::between(0.0, 1.0), SOURCE),
    }
}

const SOURCE: &str = "Floyd, Gummadi and Shenker 2001, section 4";

impl Steps {
    /// A step up from a probability; bounds that it is beyond already do not pull it back.
    pub fn up(&self, probability: f64) -> f64 {
        (probability + self.alpha.min(probability / 4.0)).min(self.greatest_probability.max(probability))
    }

    /// A step down.
    pub fn down(&self, probability: f64) -> f64 {
        (probability * self.beta).max(self.least_probability.min(probability))
    }
}
