//! Distributions of jitter: the time by which a packet arrives later than the delay of its link.

use crate::radio::normal;
use crate::random::Stream;
use ackclock_base::{Random, Span, choice};

choice! {
    /// A distribution of jitter. Each keeps the mean that is asked for exactly and has a greatest value.
    pub enum Distribution {
        /// A uniform distribution from 0 to twice the mean.
        Uniform = "uniform",
        /// A normal distribution whose standard deviation is a quarter of the mean. Values more than four
        /// deviations from the mean become 0 or twice the mean.
        Normal = "normal",
        /// A Pareto distribution with shape 3, shifted to begin at 0: `mean * 162 / 77 * (u^(-1/3) - 1)` for
        /// a uniform u in (0, 1]. Values above 81/11 of the mean become 81/11 of the mean.
        Pareto = "pareto",
    }
}

/// The number of deviations from the mean at which normal jitter ends, as in the tables of Linux's network
/// emulator (iproute2, `netem/normal.c`).
const DEVIATIONS: f64 = 4.0;

/// The largest Pareto jitter in units of its scale. u^(-1/3) ends at 4.5, as in the tables of Linux's network
/// emulator, whose largest number is 4 and stands for (u^(-1/3) - 1.5) * 4/3 (iproute2, `netem/pareto.c`).
const PARETO_MOST: f64 = 3.5;

impl Distribution {
    /// Returns the largest jitter of a distribution with this mean.
    pub fn most(self, mean: Span) -> Span {
        match self {
            Self::Uniform | Self::Normal => mean * 2,
            // The mean of u^(-1/3) - 1, cut off at 3.5: the integral of u^(-1/3) from 4.5^-3 to 1 is 3/2 (1 -
            // 4.5^-2), and the rest adds 4.5 * 4.5^-3; together 77/162 above 1. The largest value is 3.5 /
            // (77/162) = 81/11 of the mean.
            Self::Pareto => mean.scale(81.0 / 11.0),
        }
    }

    /// Draws a jitter from the distribution whose [largest](Self::most) value is `most`.
    pub(crate) fn draw(self, most: Span, random: &mut Stream) -> Span {
        let share = match self {
            Self::Uniform => random.uniform(),
            Self::Normal => (1.0 + normal::draw(random).clamp(-DEVIATIONS, DEVIATIONS) / DEVIATIONS) / 2.0,
            Self::Pareto => ((1.0 / libm::cbrt(1.0 - random.uniform()) - 1.0) / PARETO_MOST).min(1.0),
        };
        most.scale(share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the mean, the standard deviation, and the smallest and largest value of 400,000 draws, in
    /// units of the mean.
    fn moments(distribution: Distribution) -> [f64; 4] {
        let mean = Span::from_millis(10);
        let (most, mut random) = (distribution.most(mean), Stream::new(5, "jitter"));
        let drawn: Vec<f64> =
            (0..400_000).map(|_| distribution.draw(most, &mut random).seconds() / mean.seconds()).collect();
        let average = drawn.iter().sum::<f64>() / 400_000.0;
        let variance = drawn.iter().map(|value| (value - average).powi(2)).sum::<f64>() / 400_000.0;
        let (least, greatest) =
            (drawn.iter().copied().reduce(f64::min), drawn.iter().copied().reduce(f64::max));
        [average, variance.sqrt(), least.unwrap(), greatest.unwrap()]
    }

    #[test]
    fn every_distribution_keeps_the_mean_and_has_its_deviation() {
        // Uniform: 2 / sqrt(12) = 0.57735. Normal: 0.25; values beyond four deviations (6 in 100,000)
        // contribute at most 0.1 % of it. Pareto: with y = min(u^(-1/3), 4.5), E y = 1 + 77/162 and E y^2 = 3
        // (1 - 1/4.5) + 4.5^2 / 4.5^3 = 23/9, so its deviation is sqrt(23/9 - (239/162)^2) = 0.61565, and
        // 0.61565 * 162/77 = 1.29525 means. The standard error of the mean is the deviation / 632.
        for (distribution, deviation, [least, greatest]) in [
            (Distribution::Uniform, 0.57735, [0.0, 2.0]),
            (Distribution::Normal, 0.25, [0.0, 2.0]),
            (Distribution::Pareto, 1.29525, [0.0, 81.0 / 11.0]),
        ] {
            let [mean, found, low, high] = moments(distribution);
            assert!((mean - 1.0).abs() < 4.0 * deviation / 632.0, "{distribution:?}: {mean}");
            assert!((found / deviation - 1.0).abs() < 0.01, "{distribution:?}: {found}");
            assert!(low >= least && high <= greatest + 1e-6, "{distribution:?}: {low} to {high}");
        }
    }

    #[test]
    fn tails_have_their_probabilities() {
        // Normal: 2.275 % of values lie more than two deviations above the mean, at 1.5 means. Pareto: values
        // above y = 2, at 162/77 means, have u below 1/8; 4.5^-3 = 1.0974 % are cut off to 81/11 means.
        // Standard errors are at most sqrt(0.125 * 0.875 / 400,000) = 0.0005.
        for (distribution, above, share) in [
            (Distribution::Normal, 1.5, 0.02275),
            (Distribution::Pareto, 162.0 / 77.0, 0.125),
            (Distribution::Pareto, 81.0 / 11.0 - 1e-6, 1.0 / 91.125),
        ] {
            let mean = Span::from_millis(10);
            let (most, mut random) = (distribution.most(mean), Stream::new(6, "tails"));
            let beyond = (0..400_000)
                .filter(|_| distribution.draw(most, &mut random).seconds() > above * mean.seconds())
                .count();
            assert!((beyond as f64 / 400_000.0 - share).abs() < 0.002, "{distribution:?}: {beyond}");
        }
    }
}
