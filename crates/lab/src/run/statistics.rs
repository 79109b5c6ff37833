//! Means over seeds with Student's intervals, and paired differences, for tests of a control.
//!
//! ```
//! use ackclock_lab::run::statistics::{paired_difference, summarise};
//!
//! // Delays with the seeds 1, 2, 3 under two controls, in seconds.
//! let (mine, theirs) = ([0.050, 0.070, 0.060], [0.054, 0.073, 0.065]);
//! assert_eq!(summarise(&mine).expect("two samples or more").to_string(), "0.060 ± 0.025");
//! // Each seed is a little quicker, though the seeds differ more than the controls do.
//! let difference = paired_difference(&mine, &theirs).expect("one length");
//! assert_eq!(difference.to_string(), "-0.0040 ± 0.0025");
//! assert!(difference.is_below(0.0));
//! ```

use crate::language::scenario::Scenario;
use crate::run;
use crate::run::result::RunResult;
use ackclock_sim::simulation::RunError;
use std::f64::consts::{FRAC_2_PI, FRAC_PI_2};
use std::fmt;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::{iter, thread};

/// The probability with which the interval of a [`Summary`] covers the mean.
pub const LEVEL: f64 = 0.95;

/// The mean of at least two samples, and how sure it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The mean, in the unit of the samples.
    pub mean: f64,
    /// The sample standard deviation, with n - 1 in its denominator.
    pub std: f64,
    /// Half the width of the two-sided 95 % interval of the mean: t(n - 1) std / sqrt(n) (Student 1908).
    pub half_width: f64,
    /// The number of samples.
    pub count: usize,
}

impl Summary {
    /// Returns whether the whole interval lies below `bound`.
    pub fn is_below(&self, bound: f64) -> bool {
        self.mean + self.half_width < bound
    }

    /// Returns whether the whole interval lies above `bound`.
    pub fn is_above(&self, bound: f64) -> bool {
        self.mean - self.half_width > bound
    }
}

impl fmt::Display for Summary {
    /// Writes the mean and half the width of its interval, with two digits of the latter.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { mean, half_width, .. } = self;
        if *half_width == 0.0 || !half_width.is_finite() {
            return write!(f, "{mean} ± {half_width}");
        }
        let decimals = (1.0 - libm::floor(libm::log10(*half_width))).max(0.0) as usize;
        write!(f, "{mean:.decimals$} ± {half_width:.decimals$}")
    }
}

/// Returns the mean of the samples and its interval; `None` with fewer than two samples. A sample that is not
/// a number makes both not a number, and such an interval lies neither above nor below anything.
pub fn summarise(samples: &[f64]) -> Option<Summary> {
    let count = samples.len();
    if count < 2 {
        return None;
    }
    // The rounded mean of equal samples may differ from them: the sum of ten times 0.1 is not 1.
    if samples.iter().all(|sample| *sample == samples[0]) {
        return Some(Summary { mean: samples[0], std: 0.0, half_width: 0.0, count });
    }
    let n = count as f64;
    let mean = samples.iter().sum::<f64>() / n;
    let squares: f64 = samples.iter().map(|sample| (sample - mean) * (sample - mean)).sum();
    let std = libm::sqrt(squares / (n - 1.0));
    let half_width = t_quantile(count - 1, LEVEL) * std / libm::sqrt(n);
    Some(Summary { mean, std, half_width, count })
}

/// Returns the summary of the differences `first - second`, element by element; `None` with fewer than two
/// or if the lengths differ. Where element k of both has the same seed, what both runs have in common
/// cancels out, and the interval is narrower than that of two independent means.
pub fn paired_difference(first: &[f64], second: &[f64]) -> Option<Summary> {
    let differences: Vec<f64> = first.iter().zip(second).map(|(first, second)| first - second).collect();
    (first.len() == second.len()).then(|| summarise(&differences))?
}

/// Runs the scenario with each of the seeds, on all processors, and returns a number of each result, in the
/// order of the seeds. Returns the first error in this order if a run fails.
pub fn over_seeds(
    scenario: &Scenario,
    seeds: impl IntoIterator<Item = u64>,
    number: impl Fn(&RunResult) -> f64 + Sync,
) -> Result<Vec<f64>, RunError> {
    let seeds: Vec<u64> = seeds.into_iter().collect();
    let next = AtomicUsize::new(0);
    let worker = || {
        let index = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|index| *index < seeds.len());
        let run = |index: usize| {
            let result = run::run(scenario, seeds[index], false, &AtomicBool::new(false));
            (index, result.map(|result| number(&result)))
        };
        iter::from_fn(index).map(run).collect::<Vec<_>>()
    };
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let mut numbers = thread::scope(|scope| {
        let workers: Vec<_> = (0..processors.min(seeds.len())).map(|_| scope.spawn(worker)).collect();
        let numbers =
            workers.into_iter().map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic)));
        numbers.flatten().collect::<Vec<_>>()
    });
    numbers.sort_by_key(|(index, _)| *index);
    numbers.into_iter().map(|(_, number)| number).collect()
}

/// Returns the t that a Student variable with this number of degrees of freedom (at least 1) does not exceed, in
/// absolute value, with probability `level`.
pub fn t_quantile(degrees_of_freedom: usize, level: f64) -> f64 {
    // With t = tan(angle) sqrt(degrees of freedom), the probability grows with the angle from 0 to 1.
    let (mut low, mut high) = (0.0, FRAC_PI_2);
    for _ in 0..f64::MANTISSA_DIGITS {
        let angle = (low + high) / 2.0;
        *(if within(angle, degrees_of_freedom) < level { &mut low } else { &mut high }) = angle;
    }
    libm::tan((low + high) / 2.0) * libm::sqrt(degrees_of_freedom as f64)
}

/// Returns the probability that a Student variable is at most tan(angle) sqrt(degrees of freedom) in absolute
/// value (Abramowitz and Stegun 1964, equations 26.7.3 and 26.7.4).
fn within(angle: f64, degrees_of_freedom: usize) -> f64 {
    let (sine, cosine) = (libm::sin(angle), libm::cos(angle));
    // The odd terms are cos, 2/3 cos^3, 2/3 4/5 cos^5, ..., the even ones 1, 1/2 cos^2, 1/2 3/4 cos^4, ...
    let is_odd = degrees_of_freedom % 2 == 1;
    let (mut power, mut term) = if is_odd { (1, cosine) } else { (0, 1.0) };
    let mut sum = 0.0;
    while power + 2 <= degrees_of_freedom {
        sum += term;
        term *= cosine * cosine * (power + 1) as f64 / (power + 2) as f64;
        power += 2;
    }
    if is_odd { FRAC_2_PI * (angle + sine * sum) } else { sine * sum }
}

#[cfg(test)]
mod tests {
    use super::{over_seeds, paired_difference, summarise, t_quantile};
    use crate::Scenario;
    use serde_json::Map;
    use std::f64::consts::PI;

    fn assert_close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9 * expected.abs(), "{found} instead of {expected}");
    }

    #[test]
    fn quantiles_are_those_of_their_closed_forms_and_of_tables() {
        // One degree of freedom is Cauchy's distribution: t = tan(pi p / 2).
        assert_close(t_quantile(1, 0.5), 1.0);
        assert_close(t_quantile(1, 0.95), libm::tan(PI * 0.475));
        // Two: p = t / sqrt(2 + t^2), so t = p sqrt(2 / (1 - p^2)) = 4.3027.
        assert_close(t_quantile(2, 0.95), 0.95 * libm::sqrt(2.0 / (1.0 - 0.9025)));
        // Printed in every table, to three decimals.
        for (degrees_of_freedom, t) in [(3, 3.182), (4, 2.776), (9, 2.262), (10, 2.228), (30, 2.042)] {
            let found = t_quantile(degrees_of_freedom, 0.95);
            assert!((found - t).abs() < 0.0005, "{found} instead of {t}");
        }
        // Many are the normal distribution.
        assert!((t_quantile(100_000, 0.95) - 1.96).abs() < 1e-4);
    }

    #[test]
    fn the_interval_of_three_samples_is_worked_by_hand() {
        // Mean 20, deviations -10, 0, 10: std = sqrt(200 / 2) = 10; half width = 4.302653 * 10 / sqrt(3) = 24.8414.
        let summary = summarise(&[10.0, 20.0, 30.0]).expect("three samples");
        assert_eq!((summary.mean, summary.count), (20.0, 3));
        assert_close(summary.std, 10.0);
        assert!((summary.half_width - 24.8414).abs() < 1e-4, "{}", summary.half_width);
        assert_eq!(summary.to_string(), "20 ± 25");
        assert!(summary.is_below(45.0) && !summary.is_below(44.0));
        assert!(summary.is_above(-5.0) && !summary.is_above(-4.0));
    }

    #[test]
    fn a_pair_cancels_what_the_seeds_have_in_common() {
        // Apart, the means differ by 1 with half widths of 25; the differences are 1, 1, 1.
        let (first, second) = ([11.0, 21.0, 31.0], [10.0, 20.0, 30.0]);
        let difference = paired_difference(&first, &second).expect("one length");
        assert_eq!((difference.mean, difference.half_width), (1.0, 0.0));
        assert!(difference.is_above(0.999));
        // 1, 2, 3: mean 2, half width 4.302653 / sqrt(3) = 2.484, so 0 is inside.
        let difference = paired_difference(&[11.0, 22.0, 33.0], &second).expect("one length");
        assert!((difference.half_width - 2.48414).abs() < 1e-5, "{}", difference.half_width);
        assert!(!difference.is_above(0.0));
    }

    #[test]
    fn what_has_no_interval_supports_nothing() {
        assert_eq!(summarise(&[1.0]), None);
        assert_eq!(paired_difference(&[1.0, 2.0], &[1.0]), None);
        let summary = summarise(&[1.0, f64::NAN, 1.0]).expect("three samples");
        assert!(!summary.is_above(0.0) && !summary.is_below(2.0));
        let equal = summarise(&[0.1; 10]).expect("ten samples");
        assert_eq!((equal.mean, equal.half_width), (0.1, 0.0));
    }

    #[test]
    fn numbers_come_in_the_order_of_their_seeds() {
        let text = "duration = \"1 s\"\n[dumbbell]\nbottleneck = { rate = \"1 Mbit/s\", delay = \"10 ms\" }\n\
                    access = { rate = \"10 Mbit/s\", delay = \"1 ms\" }\n[[flows]]\ncontrol = \"newreno\"\n";
        let scenario = Scenario::parse(text, "test", &Map::new()).expect("a scenario");
        let numbers = over_seeds(&scenario, [5, 3, 4, 5], |result| result.seed as f64);
        assert_eq!(numbers.expect("four runs"), [5.0, 3.0, 4.0, 5.0]);
        assert_eq!(over_seeds(&scenario, [], |_| 0.0).expect("no run"), [0.0; 0]);
    }
}
