//! The drop probability for a predicted level of tokens (Jain 2003 section 5.2): Scepter-I, and the readings
//! of Scepter-T's equation 5.1.
//!
//! Equation 5.1 is p = (max_p / B) (T_target - T_current + T_predicted), with T_predicted "predicted number
//! of tokens in the bucket". To the letter, more predicted tokens would mean more drops, and a bucket that is
//! on target and stays on it would continue to drop. The consistent readings take T_predicted as the tokens
//! that the predicted traffic will take, or, with its sign reversed, as the level that is compared with the
//! target.

use super::{DropLaw, Parameters};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Free,
    /// T_predicted is the tokens that the traffic within the horizon will take.
    Demand,
    /// The target is compared with the predicted level: T_target - T_predicted.
    Level,
    /// The target is compared with the mean of the present and the predicted level.
    MeanLevel,
    Literal,
}

/// A law with its constants.
#[derive(Clone, Copy, Debug)]
pub struct Law {
    form: Form,
    max_probability: f64,
    alpha: f64,
    target: f64,
    depth: f64,
}

/// The inputs of a law, in bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Levels {
    /// The present tokens.
    pub tokens: f64,
    /// The tokens predicted a horizon ahead; the prediction may be below zero or above the depth.
    pub predicted: f64,
    /// The tokens that will be taken within the horizon.
    pub demand: f64,
}

impl Law {
    /// Creates the law for a bucket with a depth of `depth` bytes.
    pub fn new(parameters: &Parameters, depth: f64) -> Self {
        let form = match parameters.law {
            DropLaw::TargetDemand => Form::Demand,
            DropLaw::TargetLevel => Form::Level,
            DropLaw::TargetMeanLevel => Form::MeanLevel,
            DropLaw::TargetLiteral => Form::Literal,
            DropLaw::Free | DropLaw::PiSquared | DropLaw::PidSquared => Form::Free,
        };
        Self {
            form,
            max_probability: parameters.max_probability,
            alpha: parameters.alpha,
            target: parameters.target * depth,
            depth,
        }
    }

    /// Returns the drop probability, from 0 to 1.
    pub fn probability(&self, levels: &Levels) -> f64 {
        let Levels { tokens, predicted, demand } = *levels;
        let missing = match self.form {
            Form::Free => return self.free(predicted),
            Form::Demand => self.target - tokens + demand,
            Form::Level => self.target - predicted,
            Form::MeanLevel => self.target - (tokens + predicted) / 2.0,
            Form::Literal => self.target - tokens + predicted,
        };
        (self.max_probability * missing / self.depth).clamp(0.0, 1.0)
    }

    /// Returns equation 2.5 over the empty part of the bucket: zero below alpha of the depth, from there
    /// linear to max_p at the depth, and 1 if no token is predicted to be left.
    fn free(&self, predicted: f64) -> f64 {
        let empty = (self.depth - predicted) / self.depth;
        match () {
            () if empty >= 1.0 => 1.0,
            () if empty > self.alpha => self.max_probability * (empty - self.alpha) / (1.0 - self.alpha),
            () => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disciplines::scepter::ENTRY;
    use ackclock_base::Values;

    /// Returns the probability for a bucket of 10 kB, max_p 0.2, alpha 0.3, target 5 kB.
    fn probability(law: &str, tokens: f64, predicted: f64, demand: f64) -> f64 {
        let parameters = Parameters::from(&Values::with(ENTRY.descriptor, &[("law", law)]));
        Law::new(&parameters, 10_000.0).probability(&Levels { tokens, predicted, demand })
    }

    fn near(measured: f64, expected: f64) {
        assert!((measured - expected).abs() < 1e-12, "{measured}, not {expected}");
    }

    #[test]
    fn the_free_law_rises_from_alpha_to_max_p_and_jumps_to_one() {
        // 7000 tokens are alpha; halfway from there to 0 is 3500: 0.2 / 2.
        near(probability("free", 0.0, 7000.0, 0.0), 0.0);
        near(probability("free", 0.0, 9000.0, 0.0), 0.0);
        near(probability("free", 0.0, 3500.0, 0.0), 0.1);
        near(probability("free", 0.0, 1e-6, 0.0), 0.2 * (1.0 - 1e-10 / 0.7));
        near(probability("free", 0.0, 0.0, 0.0), 1.0);
        near(probability("free", 0.0, -2000.0, 0.0), 1.0);
    }

    #[test]
    fn each_reading_of_the_target_law() {
        // 0.2 / 10000 of the missing tokens: to the letter 5000 - 6000 + 2000 = 1000; the demand 5000 - 6000
        // + 3000 = 2000; the level 5000 - 2000 = 3000; its mean 5000 - 4000 = 1000.
        near(probability("target-literal", 6000.0, 2000.0, 3000.0), 0.02);
        near(probability("target-demand", 6000.0, 2000.0, 3000.0), 0.04);
        near(probability("target-level", 6000.0, 2000.0, 3000.0), 0.06);
        near(probability("target-mean-level", 6000.0, 2000.0, 3000.0), 0.02);
    }

    #[test]
    fn it_is_a_probability() {
        near(probability("target-level", 9000.0, 9000.0, 0.0), 0.0);
        near(probability("target-demand", 0.0, 0.0, 1e6), 1.0);
    }

    #[test]
    fn on_target_and_staying_there_only_the_literal_reading_drops() {
        // The oddity of equation 5.1: max_p T_target / B = 0.1.
        near(probability("target-literal", 5000.0, 5000.0, 0.0), 0.1);
        near(probability("target-level", 5000.0, 5000.0, 0.0), 0.0);
        near(probability("target-mean-level", 5000.0, 5000.0, 0.0), 0.0);
    }
}
