//! Sizes drawn from a measured distribution, as data centres publish them: points of a cumulative
//! distribution function with straight lines between them (ns-2's `RandomVariable/Empirical` with
//! interpolation).

use crate::random::Stream;
use ackclock_base::Random;
use std::sync::Arc;

/// A distribution of sizes in bytes. Clones share its points.
#[derive(Clone, Debug, PartialEq)]
pub struct Empirical {
    /// Sizes in bytes, each with the probability that a transfer is no larger, both ascending. The last
    /// probability is 1.
    points: Arc<[(f64, f64)]>,
}

impl Empirical {
    /// Creates a distribution from points of its function: sizes in bytes with their cumulative
    /// probabilities. Returns `None` if there are no points, if they do not ascend, or if the last
    /// probability is not 1.
    pub fn of(points: Vec<(f64, f64)>) -> Option<Self> {
        let ascends =
            |pair: &[(f64, f64)]| pair[0].0 <= pair[1].0 && pair[0].1 <= pair[1].1 && pair[1].1 <= 1.0;
        let (first, last) = (points.first()?, points.last()?);
        let holds = first.0 >= 0.0 && first.1 >= 0.0 && last.1 == 1.0 && points.windows(2).all(ascends);
        holds.then(|| Self { points: points.into() })
    }

    /// Draws a size in bytes, at least 1: the size whose cumulative probability is a uniform draw. All draws
    /// up to the probability of the first point give its size.
    pub fn draw(&self, random: &mut Stream) -> u64 {
        self.size_at(random.uniform()).round().max(1.0) as u64
    }

    fn size_at(&self, probability: f64) -> f64 {
        let next = self.points.partition_point(|(_, cumulative)| *cumulative < probability);
        let (size, cumulative) = self.points[next.min(self.points.len() - 1)];
        match next.checked_sub(1).and_then(|before| self.points.get(before)) {
            Some((less, below)) if cumulative > *below => {
                less + (size - less) * (probability - below) / (cumulative - below)
            }
            _ => size,
        }
    }

    /// Returns the mean size in bytes.
    pub fn mean(&self) -> f64 {
        let first = self.points[0].0 * self.points[0].1;
        let between = |pair: &[(f64, f64)]| (pair[0].0 + pair[1].0) / 2.0 * (pair[1].1 - pair[0].1);
        first + self.points.windows(2).map(between).sum::<f64>()
    }

    /// Returns the largest size in bytes.
    pub fn most(&self) -> u64 {
        self.points.last().map_or(1, |(size, _)| size.round().max(1.0) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The web search traffic of DCTCP (SIGCOMM 2010) as pFabric (SIGCOMM 2013, figure 4) draws it, in kB.
    const WEB_SEARCH: [(f64, f64); 12] = [
        (0.0, 0.0),
        (10.0, 0.15),
        (20.0, 0.2),
        (30.0, 0.3),
        (50.0, 0.4),
        (80.0, 0.53),
        (200.0, 0.6),
        (1000.0, 0.7),
        (2000.0, 0.8),
        (5000.0, 0.9),
        (10_000.0, 0.97),
        (30_000.0, 1.0),
    ];

    fn web_search() -> Empirical {
        Empirical::of(WEB_SEARCH.map(|(kilobytes, share)| (1000.0 * kilobytes, share)).into()).unwrap()
    }

    #[test]
    fn between_two_points_sizes_lie_on_a_line() {
        let sizes = web_search();
        for (probability, size) in [(0.075, 5e3), (0.15, 10e3), (0.65, 600e3), (0.985, 20e6), (1.0, 30e6)] {
            assert!((sizes.size_at(probability) / size - 1.0).abs() < 1e-9, "{probability}");
        }
        // In kB: 0.15 * 5 + 0.05 * 15 + 0.1 * 25 + 0.1 * 40 + 0.13 * 65 + 0.07 * 140 + 0.1 * 600 + 0.1 * 1500
        // + 0.1 * 3500 + 0.07 * 7500 + 0.03 * 20000 = 1711.25.
        assert!((sizes.mean() / 1_711_250.0 - 1.0).abs() < 1e-9, "{}", sizes.mean());
        assert_eq!(sizes.most(), 30_000_000);
    }

    #[test]
    fn draws_have_the_distribution() {
        // Of 100000 draws a share of 0.53 is at most 80 kB (standard error 0.0016) and 0.1 above 5 MB
        // (0.00095). The deviation of a size is about 4.1 MB, so the mean has a standard error of 13 kB.
        let mut random = Stream::new(1, "sizes");
        let (sizes, count) = (web_search(), 100_000);
        let drawn: Vec<u64> = (0..count).map(|_| sizes.draw(&mut random)).collect();
        let share = |from: u64| drawn.iter().filter(|size| **size > from).count() as f64 / f64::from(count);
        assert!((share(80_000) - 0.47).abs() < 0.006, "{}", share(80_000));
        assert!((share(5_000_000) - 0.1).abs() < 0.004, "{}", share(5_000_000));
        let mean = drawn.iter().sum::<u64>() as f64 / f64::from(count);
        assert!((mean - 1_711_250.0).abs() < 50_000.0, "{mean}");
        assert!(drawn.iter().all(|size| (1..=30_000_000).contains(size)));
    }

    #[test]
    fn the_probability_of_the_first_point_belongs_to_its_size() {
        let sizes = Empirical::of(vec![(6.0, 0.15), (13.0, 0.2), (13.0, 0.5), (20.0, 1.0)]).unwrap();
        for (probability, size) in [(0.0, 6.0), (0.15, 6.0), (0.175, 9.5), (0.3, 13.0), (0.75, 16.5)] {
            assert!((sizes.size_at(probability) - size).abs() < 1e-9, "{probability}");
        }
        for wrong in [vec![], vec![(1.0, 0.5)], vec![(2.0, 0.5), (1.0, 1.0)], vec![(1.0, 0.5), (2.0, 0.2)]] {
            assert_eq!(Empirical::of(wrong), None);
        }
    }
}
