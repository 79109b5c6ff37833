//! The linear predictor of the next value of a series with the least mean square error, given the series'
//! mean and autocovariance, which are measured on the way.

/// The predictor. It allocates only when it is created.
#[derive(Clone, Debug)]
pub struct Forecast {
    memory: f64,
    seen: f64,
    mean: f64,
    /// Autocovariance at lags 0 to order.
    covariance: Box<[f64]>,
    /// The last values, newest first, one more than the order.
    values: Box<[f64]>,
    coefficients: Box<[f64]>,
    scratch: Box<[f64]>,
}

impl Forecast {
    /// Creates a predictor from the last `order` values; the mean and the autocovariance are averaged over
    /// about `memory` values.
    pub fn new(order: usize, memory: f64) -> Self {
        let zeros = |length| vec![0.0; length].into();
        let order = order.max(1);
        Self {
            memory,
            seen: 0.0,
            mean: 0.0,
            covariance: zeros(order + 1),
            values: zeros(order + 1),
            coefficients: zeros(order),
            scratch: zeros(order),
        }
    }

    /// Adds a value. Returns the prediction of the next.
    pub fn observe(&mut self, value: f64) -> f64 {
        self.values.copy_within(..self.values.len() - 1, 1);
        self.values[0] = value;
        self.seen += 1.0;
        self.mean += (value - self.mean) / self.seen.min(self.memory);
        for (lag, covariance) in self.covariance.iter_mut().enumerate() {
            let pairs = self.seen - lag as f64;
            if pairs >= 1.0 {
                let product = (value - self.mean) * (self.values[lag] - self.mean);
                // Divided by the number of values and not of pairs, which keeps the matrix of covariances
                // positive.
                *covariance += (product - *covariance) / self.seen.min(self.memory);
            }
        }
        solve(&self.covariance, &mut self.coefficients, &mut self.scratch);
        let deviations = self.values.iter().map(|value| value - self.mean);
        self.mean + self.coefficients.iter().zip(deviations).map(|(weight, past)| weight * past).sum::<f64>()
    }
}

/// Computes the coefficients of the best predictor of the order of `coefficients`: Levinson's recursion in
/// Durbin's form, which raises the order one at a time. It ends early if a lower order leaves no error to
/// explain. Rounding and forgetting may produce covariances that no series has; a reflection beyond 1 is
/// limited to 1.
fn solve(covariance: &[f64], coefficients: &mut [f64], scratch: &mut [f64]) {
    coefficients.fill(0.0);
    let mut error = covariance[0];
    for order in 0..coefficients.len() {
        if error <= 1e-9 * covariance[0] {
            return;
        }
        let known: f64 = (0..order).map(|place| coefficients[place] * covariance[order - place]).sum();
        let reflection = ((covariance[order + 1] - known) / error).clamp(-1.0, 1.0);
        scratch[..order].copy_from_slice(&coefficients[..order]);
        for place in 0..order {
            coefficients[place] -= reflection * scratch[order - 1 - place];
        }
        coefficients[order] = reflection;
        error *= 1.0 - reflection * reflection;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Dice;
    use ackclock_base::Random;

    fn solved<const ORDER: usize>(covariance: &[f64]) -> [f64; ORDER] {
        let mut coefficients = [0.0; ORDER];
        solve(covariance, &mut coefficients, &mut [0.0; ORDER]);
        coefficients
    }

    fn near(found: &[f64], expected: &[f64], within: f64) -> bool {
        found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < within)
    }

    #[test]
    fn the_recursion_finds_the_process_behind_its_covariances() {
        // A first-order process x(n) = 0.8 x(n-1) + noise has covariances 0.8^k.
        assert!(near(&solved::<3>(&[1.0, 0.8, 0.64, 0.512]), &[0.8, 0.0, 0.0], 1e-12));
        // x(n) = x(n-1) / 2 + x(n-2) / 4 + noise: r1 = (1/2) / (1 - 1/4) = 2/3, r2 = r1/2 + 1/4 = 7/12,
        // r3 = r2/2 + r1/4 = 11/24.
        let covariance = [1.0, 2.0 / 3.0, 7.0 / 12.0, 11.0 / 24.0];
        assert!(near(&solved::<3>(&covariance), &[0.5, 0.25, 0.0], 1e-12));
    }

    #[test]
    fn it_ends_when_no_error_is_left_to_explain() {
        assert_eq!(solved::<2>(&[0.0, 0.0, 0.0]), [0.0, 0.0]);
        assert_eq!(solved::<2>(&[1.0, -1.0, 1.0]), [-1.0, 0.0]);
        assert_eq!(solved::<2>(&[1.0, 2.0, 0.0]), [1.0, 0.0]);
    }

    #[test]
    fn a_constant_and_an_alternation_are_predicted() {
        let mut constant = Forecast::new(10, 1000.0);
        assert!((0..100).all(|_| (constant.observe(7.0) - 7.0).abs() < 1e-9));
        // 5, 15, 5, 15: the estimates of mean and covariance have errors of the order of 1/n.
        let mut alternating = Forecast::new(10, 1e9);
        let last = (0..100_001).fold(0.0, |_, n| alternating.observe(if n % 2 == 0 { 5.0 } else { 15.0 }));
        assert!((last - 15.0).abs() < 0.01, "{last}");
    }

    #[test]
    fn it_learns_a_process_from_its_values() {
        // x(n) = 0.8 x(n-1) + u, u uniform in (-1/2, 1/2). Over 100,000 values a coefficient has a standard deviation of
        // about 1/sqrt(100,000) = 0.003.
        let (mut forecast, mut dice, mut value) = (Forecast::new(3, 1e9), Dice(1), 0.0);
        for _ in 0..100_000 {
            value = 0.8 * value + dice.uniform() - 0.5;
            forecast.observe(value);
        }
        assert!(near(&forecast.coefficients, &[0.8, 0.0, 0.0], 0.015), "{:?}", forecast.coefficients);
    }

    #[test]
    fn values_before_the_first_have_no_covariance() {
        // After 5 and 15 the mean is 10. Lag 0: (0 + 25) / 2; lag 1: (0 - 25) / 2; lag 2 has no pair.
        let mut forecast = Forecast::new(2, 1e9);
        forecast.observe(5.0);
        forecast.observe(15.0);
        assert_eq!(forecast.covariance[..], [12.5, -12.5, 0.0]);
    }
}
