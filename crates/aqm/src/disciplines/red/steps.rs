//! The steps by which RED's descendants move the slope of its curve: up by adding, down by multiplying
//! (Floyd, Gummadi and Shenker 2001, section 4).

use crate::entry::PERIODS;
use ackclock_base::{Range, Span, parameters};

parameters! {
    /// How often the probability moves, its steps and its bounds.
    pub struct Steps {
        /// Time between two adaptations of max_probability
        interval: Span = time("500 ms", PERIODS, SOURCE),
        /// Amount by which an adaptation increases max_probability, limited to a quarter of max_probability
        alpha: f64 = number("0.01", Range::between(0.0, 1.0), SOURCE),
        /// Factor by which an adaptation multiplies max_probability to decrease it
        beta: f64 = number("0.9", Range::between(0.0, 1.0), SOURCE),
        /// Value below which max_probability is not decreased; a smaller initial value is not raised to it
        least_probability: f64 = number("0.01", Range::between(0.0, 1.0), SOURCE),
        /// Value above which max_probability is not increased; a larger initial value is not lowered to it
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_probability_beyond_a_bound_is_not_pulled_back() {
        // The bounds are 0.01 and 0.5. From 0.495 a step up of 0.01 stops at 0.5, and from 0.6 it stays; from 0.0105 a
        // step down to nine tenths stops at 0.01, and from 0.005 it stays.
        let steps = Steps::default();
        assert_eq!([steps.up(0.495), steps.up(0.6)], [0.5, 0.6]);
        assert_eq!([steps.down(0.0105), steps.down(0.005)], [0.01, 0.005]);
    }
}
