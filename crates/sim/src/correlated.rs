//! Correlated random numbers, each of which depends on the one before it, as Linux's network emulator draws
//! them.

use ackclock_base::Random;

/// A sequence of correlated numbers: `get_crandom` of Linux's `net/sched/sch_netem.c`. Each number is
/// `u = (1 - c) v + c u'`, where c is the correlation, v is uniform, and u' is the previous number; the first u'
/// is uniform. Linux combines 32-bit integers; this code combines fractions.
///
/// The mean of the numbers is 1/2 and the correlation of successive numbers is c, but for c above 0 they are
/// not uniform: their variance is (1 - c) / (1 + c) times that of uniform numbers, so that few of them lie
/// near 0 and 1.
#[derive(Clone, Debug)]
pub(crate) struct Correlated {
    correlation: f64,
    last: Option<f64>,
}

impl Correlated {
    /// Returns a sequence of numbers with this correlation, from 0 to 1.
    pub(crate) fn new(correlation: f64) -> Self {
        Self { correlation, last: None }
    }

    /// Returns the next number, from 0 to below 1.
    pub(crate) fn next(&mut self, random: &mut impl Random) -> f64 {
        if self.correlation == 0.0 {
            return random.uniform();
        }
        let last = self.last.unwrap_or_else(|| random.uniform());
        let next = (1.0 - self.correlation) * random.uniform() + self.correlation * last;
        self.last = Some(next);
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;
    use ackclock_base::random::Scripted;

    #[test]
    fn each_number_depends_on_the_previous_one() {
        // The 0.8 drawn first serves as the number before the first one: 0.75 * 0.4 + 0.25 * 0.8 = 0.5; 0.75
        // * 0.6 + 0.25 * 0.5 = 0.575.
        let mut random = Scripted::new(&[0.8, 0.4, 0.6]);
        let mut numbers = Correlated::new(0.25);
        assert!((numbers.next(&mut random) - 0.5).abs() < 1e-15);
        assert!((numbers.next(&mut random) - 0.575).abs() < 1e-15);
    }

    #[test]
    fn correlation_and_variance_are_those_of_the_formula() {
        // The variance of uniform numbers is 1/12. With c = 0.25 it is 0.75 / 1.25 times that, 0.05; with c =
        // 0.9, 0.1 / 1.9 / 12 = 0.00439.
        for (correlation, variance) in [(0.0, 1.0 / 12.0), (0.25, 0.05), (0.9, 0.1 / 1.9 / 12.0)] {
            let (mut numbers, mut random) = (Correlated::new(correlation), Stream::new(1, "correlated"));
            let drawn: Vec<f64> = (0..400_000).map(|_| numbers.next(&mut random) - 0.5).collect();
            let mean = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / 400_000.0;
            let found = mean(&mut drawn.iter().map(|value| value * value));
            let together = mean(&mut drawn.windows(2).map(|pair| pair[0] * pair[1]));
            assert!((found / variance - 1.0).abs() < 0.02, "{correlation}: {found}");
            assert!((together / found - correlation).abs() < 0.01, "{correlation}: {together}");
        }
    }
}
