//! The thesis's method (Jain 2003 chapter 5): the empty part of the bucket is treated as a queue and
//! predicted as in APACE, and a law computes a drop probability from the prediction.

use super::Parameters;
use super::law::{Law, Levels};
use super::parameters::Unit;
use crate::nlms::Predictor;

/// The predictor with its law.
#[derive(Clone, Debug)]
pub struct Forecast {
    predictor: Predictor,
    law: Law,
    horizon: f64,
    depth: f64,
    /// Whether a prediction is limited to the levels that the bucket can have.
    bounded: bool,
    /// The unit of the prediction, in bytes.
    unit_bytes: f64,
    /// The tokens kept between two arrivals, averaged over about a horizon.
    kept_per_arrival: f64,
    predicted_tokens: f64,
}

impl Forecast {
    /// Creates the prediction for a full bucket of `depth` bytes.
    pub fn new(parameters: &Parameters, depth: f64, mean_packet_bytes: u32) -> Self {
        let Parameters { order, horizon, step, update, bounded, .. } = *parameters;
        let step = if bounded { step.min(update.largest_stable_step(horizon)) } else { step };
        Self {
            predictor: Predictor::new(order, horizon, step, update),
            law: Law::new(parameters, depth),
            horizon: horizon as f64,
            depth,
            bounded,
            unit_bytes: match parameters.unit {
                Unit::Bytes => 1.0,
                Unit::Packets => f64::from(mean_packet_bytes),
            },
            kept_per_arrival: 0.0,
            predicted_tokens: depth,
        }
    }

    /// Processes an arrival, with the level that it finds (`tokens`) and the level that the last arrival left
    /// (`before`), in bytes. Returns the drop probability.
    pub fn probability(&mut self, before: f64, tokens: f64) -> f64 {
        self.kept_per_arrival += (tokens - before - self.kept_per_arrival) / self.horizon;
        let empty = (self.depth - tokens) / self.unit_bytes;
        let predicted = self.depth - self.predictor.observe(empty) * self.unit_bytes;
        self.predicted_tokens = match () {
            // With too large a step the predictor may diverge; the present level is used instead.
            () if !predicted.is_finite() => tokens,
            () if self.bounded => predicted.clamp(0.0, self.depth),
            () => predicted,
        };
        self.law.probability(&Levels {
            tokens,
            predicted: self.predicted_tokens,
            // The tokens taken are the fall of the level plus the tokens that arrive.
            demand: tokens - self.predicted_tokens + self.horizon * self.kept_per_arrival,
        })
    }

    /// Returns the level predicted a horizon ahead, in bytes.
    pub fn predicted_tokens(&self) -> f64 {
        self.predicted_tokens
    }
}
