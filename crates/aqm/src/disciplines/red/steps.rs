//! The steps by which RED's descendants move the slope of its curve: up by adding, down by multiplying
//! (Floyd, Gummadi and Shenker 2001, section 4).

use crate::entry::PERIODS;
use ackclock_base::{Range, Span, parameters};

parameters! {
    /// How often the probability moves, its steps and its bounds.
    pub struct Steps {
        /// Time between moves of max_probability
        interval: Span = time("500 ms", PERIODS, SOURCE),
        /// Step up of max_probability, at most a quarter of it
        alpha: f64 = number("0.01", Range::between(0.0, 1.0), SOURCE),
        /// Factor on max_probability in a step down
        beta: f64 = number("0.9", Range::between(0.0, 1.0), SOURCE),
        /// Smallest max_probability
        least_probability: f64 = number("0.01", Range::between(0.0, 1.0), SOURCE),
        /// Greatest max_probability
        greatest_probability: f64 = number("0.5", Range::between(0.0, 1.0), SOURCE),
    }
}

const SOURCE: &str = "Floyd, Gummadi and Shenker 2001, section 4";

impl Steps {
    /// Returns the probability after a step up. A probability that is already beyond the bound is not pulled
    /// back.
    pub fn up(&self, probability: f64) -> f64 {
        (probability + self.alpha.min(probability / 4.0)).min(self.greatest_probability.max(probability))
    }

    /// Returns the probability after a step down. A probability that is already beyond the bound is not
    /// pulled back.
    pub fn down(&self, probability: f64) -> f64 {
        (probability * self.beta).max(self.least_probability.min(probability))
    }
}
