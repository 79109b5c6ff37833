//! The thesis's way (Jain 2003 chapter 5): the empty part of the bucket is a queue, which is predicted as APACE predicts its
//! own, and a law makes a drop probability of the prediction.

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
    /// Whether a prediction is held to what the bucket can hold.
    bounded: bool,
    /// What the empty part is predicted in, in bytes.
    unit_bytes: f64,
    /// Tokens kept between two arrivals, averaged over about a horizon.
    kept_per_arrival: f64,
    predicted_tokens: f64,
}

impl Forecast {
    /// The prediction for a full bucket of `depth` bytes.
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

    /// Sees the level that an arrival finds, and the one that the arrival before it left; says with what probability to
    /// drop the arrival.
    pub fn probability(&mut self, before: f64, tokens: f64) -> f64 {
        self.kept_per_arrival += (tokens - before - self.kept_per_arrival) / self.horizon;
        let empty = (self.depth - tokens) / self.unit_bytes;
        let predicted = self.depth - self.predictor.observe(empty) * self.unit_bytes;
        self.predicted_tokens = match () {
            // Too large a step lets the predictor diverge; then the level there is has to do.
            () if !predicted.is_finite() => tokens,
            () if self.bounded => predicted.clamp(0.0, self.depth),
            () => predicted,
        };
        self.law.probability(&Levels {
            tokens,
            predicted: self.predicted_tokens,
            // What is taken out is what the level falls by, and what comes in besides.
            demand: tokens - self.predicted_tokens + self.horizon * self.kept_per_arrival,
        })
    }

    /// The level that is expected a horizon ahead, in bytes.
    pub fn predicted_tokens(&self) -> f64 {
        self.predicted_tokens
    }
}
