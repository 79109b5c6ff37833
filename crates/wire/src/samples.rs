//! What the ends of flows count over time, in intervals of one length from the beginning of the run.

use ackclock_base::{Span, Time};

/// Amounts, added up within each interval.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    interval: Span,
    sums: Vec<u64>,
}

impl Sums {
    /// Creates the sums of intervals of this length; of length 0, nothing is added up.
    pub fn new(interval: Span) -> Self {
        Self { interval, sums: Vec::new() }
    }

    /// Adds an amount to the interval in which `now` lies.
    pub fn add(&mut self, now: Time, amount: u64) {
        let Some(index) = index(now, self.interval) else { return };
        if self.sums.len() <= index {
            self.sums.resize(index + 1, 0);
        }
        self.sums[index] += amount;
    }

    /// Returns the amount per second in each of the first `count` intervals.
    pub fn per_second(&self, count: usize) -> Vec<f64> {
        let sums = self.sums.iter().copied().chain(std::iter::repeat(0));
        sums.take(count).map(|sum| sum as f64 / self.interval.seconds()).collect()
    }
}

/// A quantity at the end of each interval.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples {
    interval: Span,
    values: Vec<f64>,
}

impl Samples {
    /// Creates the samples at the ends of intervals of this length; of length 0, there are none.
    pub fn new(interval: Span) -> Self {
        Self { interval, values: Vec::new() }
    }

    /// Records that the quantity has this value at `now`; NaN if it has none. Intervals that ended since the last call get it.
    pub fn set(&mut self, now: Time, value: f64) {
        if let Some(ended) = index(now, self.interval) {
            self.values.resize(self.values.len().max(ended), value);
        }
    }

    /// Returns the samples of the first `count` intervals, NaN where there was nothing to sample.
    pub fn values(&self, count: usize) -> Vec<f64> {
        self.values.iter().copied().chain(std::iter::repeat(f64::NAN)).take(count).collect()
    }

    /// Records that there was nothing to sample before `now`.
    pub fn begin(&mut self, now: Time) {
        self.set(now, f64::NAN);
    }
}

/// Returns the index of the interval in which `now` lies, which is the number of those that have ended; `None` if they have no length.
fn index(now: Time, interval: Span) -> Option<usize> {
    let index = now.nanos().checked_div(interval.nanos())?;
    usize::try_from(index).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: f64) -> Time {
        Time::from_seconds(seconds)
    }

    #[test]
    fn amounts_belong_to_the_interval_in_which_they_come() {
        let mut sums = Sums::new(Span::from_millis(500));
        for (seconds, amount) in [(0.1, 3), (0.4, 2), (1.5, 7)] {
            sums.add(at(seconds), amount);
        }
        // 5 in the first half second are 10 per second; 1.5 s begins the fourth.
        assert_eq!(sums.per_second(5), [10.0, 0.0, 0.0, 14.0, 0.0]);
        let mut none = Sums::default();
        none.add(at(1.0), 3);
        assert_eq!(none, Sums::default());
    }

    #[test]
    fn a_sample_is_the_first_value_after_an_interval_has_ended() {
        let mut samples = Samples::new(Span::from_millis(500));
        samples.begin(at(0.7));
        for (seconds, value) in [(0.8, 1.0), (1.01, 2.0), (1.02, 3.0), (2.1, 4.0)] {
            samples.set(at(seconds), value);
        }
        let values = samples.values(5);
        assert!(values[0].is_nan() && values[4].is_nan());
        assert_eq!(values[1..4], [2.0, 4.0, 4.0]);
    }
}
