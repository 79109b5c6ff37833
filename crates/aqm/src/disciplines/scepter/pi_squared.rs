//! PI squared on the level of the tokens, instead of the thesis's prediction: a controller moves p' until the
//! empty part of the bucket has the desired size, and drops with p'^2, because a Reno window is proportional
//! to the inverse of the root of the drop probability (De Schepper et al. 2016). The empty part grows by the
//! arrivals less the rate, as a queue does, so the gains are those of a queue: RFC 9332 appendix A.1, where
//! they fall with the round trip.
//!
//! The state is the controller's output, limited to probabilities: there is no wind-up while the bucket is
//! full or empty, and p' responds in the first period in which the level moves.

use super::Parameters;
use ackclock_base::{Rate, Span};

/// The shortest update period.
const MIN_PERIOD_S: f64 = 1e-3;

/// The controller. Levels are expressed as the time in which the missing tokens arrive.
#[derive(Clone, Copy, Debug)]
pub struct PiSquared {
    period_s: f64,
    target_s: f64,
    alpha: f64,
    beta: f64,
    previous_s: f64,
    base: f64,
}

impl PiSquared {
    /// Creates the controller for a bucket of `depth` bytes that is full at first.
    pub fn new(parameters: &Parameters, rate: Rate, depth: f64) -> Self {
        let round_trip_s = parameters.round_trip.seconds();
        let target_s = (1.0 - parameters.target) * depth / rate.bytes_per_second();
        let period_s = target_s.min(round_trip_s / 3.0).max(MIN_PERIOD_S);
        Self {
            period_s,
            target_s,
            alpha: 0.1 * period_s / (round_trip_s * round_trip_s),
            beta: 0.3 / round_trip_s,
            previous_s: 0.0,
            base: 0.0,
        }
    }

    /// Returns the update period (Tupdate).
    pub fn period(&self) -> Span {
        Span::from_seconds(self.period_s)
    }

    /// Updates the controller at the end of a period; the missing tokens take `missing_s` seconds to arrive.
    /// Returns the probability with which packets are dropped or marked from now on.
    pub fn update(&mut self, missing_s: f64) -> f64 {
        let step = self.alpha * (missing_s - self.target_s) + self.beta * (missing_s - self.previous_s);
        self.base = (self.base + step).clamp(0.0, 1.0);
        self.previous_s = missing_s;
        self.base * self.base
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disciplines::scepter::ENTRY;
    use ackclock_base::Values;

    const RATE: Rate = Rate::from_bits_per_second(8_000_000);

    /// 8 Mbit/s fill 100 kB in 100 ms.
    fn controller(settings: &[(&str, &str)]) -> PiSquared {
        PiSquared::new(&Parameters::from(&Values::with(ENTRY.descriptor, settings)), RATE, 100_000.0)
    }

    fn near(measured: f64, expected: f64) {
        assert!((measured - expected).abs() < 1e-12, "{measured}, not {expected}");
    }

    #[test]
    fn it_follows_the_difference_equation() {
        // Target 50 ms, T = 100 / 3 ms, alpha = 0.1 x 0.0333 / 0.01 = 1 / 3, beta = 3. From 0 to 80 ms missing:
        // 30 ms / 3 + 80 ms x 3 = 0.25; then 80 ms again: 30 ms / 3 = 0.01 more; back at 50 ms: -30 ms x 3 = -0.09.
        let mut controller = controller(&[("round_trip", "100 ms")]);
        near(controller.period().seconds(), 0.033_333_333);
        controller.update(0.08);
        near(controller.base, 0.25);
        near(controller.update(0.08), 0.0676);
        near(controller.base, 0.26);
        controller.update(0.05);
        near(controller.base, 0.17);
    }

    #[test]
    fn its_gains_scale_with_the_round_trip() {
        // 0.3 / R, and 0.1 / R^2 for each second: at twice the round trip a half and, over the same time, a quarter.
        let (short, long) = (controller(&[("round_trip", "60 ms")]), controller(&[("round_trip", "120 ms")]));
        near(long.beta, short.beta / 2.0);
        near(long.alpha / long.period_s, short.alpha / short.period_s / 4.0);
    }

    #[test]
    fn after_any_time_at_a_bound_it_responds_at_once() {
        // After an hour with a full bucket p' is 0, and no less, so the first rise of 80 ms lifts it to (80 -
        // 50) / 3 + 3 x 80.
        let mut controller = controller(&[]);
        for _ in 0..100_000 {
            controller.update(0.0);
        }
        controller.update(0.08);
        near(controller.base, 0.25);
        // After an hour with an empty bucket p' is 1, and falls with the first token.
        for _ in 0..100_000 {
            controller.update(0.1);
        }
        near(controller.base, 1.0);
        controller.update(0.04);
        near(controller.base, 1.0 - 0.01 / 3.0 - 0.18);
    }
}
