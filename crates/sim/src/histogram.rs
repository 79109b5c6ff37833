//! A summary of a series of times in constant memory: mean, standard deviation, extremes, and quantiles that
//! are exact for few samples and within 0.1 % for many.
//!
//! Recording a sample costs little more than a store: samples are buffered, and counted together when the
//! buffer is full. Few samples take little memory, and their quantiles are those of the samples themselves.

mod bins;
mod moments;

use ackclock_base::Span;
use bins::Bins;
use moments::Moments;

/// The number of samples up to which quantiles are exact.
const EXACT: usize = 128;
/// The number of samples that are counted together once there are more than [`EXACT`].
const BATCH: usize = 32;

/// A histogram of spans.
#[derive(Clone, Debug, Default)]
pub struct Histogram {
    /// The newest samples, in the first `held` places, which are not in the bins.
    recent: Box<[u64]>,
    held: usize,
    /// The number of samples in `recent` that are in the moments.
    added_up: usize,
    moments: Moments,
    /// The counts of all earlier samples; `None` if there are none.
    bins: Option<Box<Bins>>,
}

impl Histogram {
    /// Records a sample.
    #[inline]
    pub fn record(&mut self, span: Span) {
        let ns = span.nanos();
        match self.recent.get_mut(self.held) {
            Some(place) => {
                *place = ns;
                self.held += 1;
            }
            None => self.make_room_for(ns),
        }
    }

    /// Adds all samples of another histogram.
    pub fn absorb(&mut self, other: &Self) {
        if self.count() == 0 {
            self.clone_from(other);
            return;
        }
        self.add_up();
        self.moments.absorb(&other.all_moments());
        if let Some(theirs) = &other.bins {
            self.bins.get_or_insert_with(Box::default).absorb(theirs);
        }
        for ns in other.uncounted() {
            self.record(Span::from_nanos(*ns));
            self.added_up = self.held; // The moments already include them.
        }
    }

    /// Returns the number of samples.
    pub fn count(&self) -> u64 {
        self.moments.count + (self.held - self.added_up) as u64
    }

    /// Returns the mean in seconds; `None` without samples.
    pub fn mean_s(&self) -> Option<f64> {
        self.all_moments().mean().map(|ns| ns / 1e9)
    }

    /// Returns the standard deviation of the samples in seconds (n - 1 in the denominator); `None` for fewer
    /// than two samples.
    pub fn std_s(&self) -> Option<f64> {
        self.all_moments().std().map(|ns| ns / 1e9)
    }

    /// Returns the smallest sample in seconds; `None` without samples.
    pub fn min_s(&self) -> Option<f64> {
        let Moments { count, min, .. } = self.all_moments();
        (count > 0).then_some(min as f64 / 1e9)
    }

    /// Returns the quantile `q` (0 to 1) in seconds by nearest rank; `None` without samples. For up to 128
    /// samples it is one of them; for more it differs from that sample by less than 1/1024 of it.
    pub fn quantile_s(&self, q: f64) -> Option<f64> {
        let Moments { count, min, max, .. } = self.all_moments();
        if count == 0 {
            return None;
        }
        let rank = ((q * count as f64).ceil() as u64).clamp(1, count);
        let ns = match &self.bins {
            None => {
                let mut samples = self.uncounted().to_vec();
                *samples.select_nth_unstable(rank as usize - 1).1 as f64
            }
            Some(bins) => {
                let mut all = bins.clone();
                all.take(self.uncounted());
                all.at_rank(rank).unwrap_or(max as f64).clamp(min as f64, max as f64)
            }
        };
        Some(ns / 1e9)
    }

    /// Returns the samples that are not in the bins.
    fn uncounted(&self) -> &[u64] {
        &self.recent[..self.held]
    }

    fn all_moments(&self) -> Moments {
        let mut moments = self.moments;
        moments.take(&self.recent[self.added_up..self.held]);
        moments
    }

    fn add_up(&mut self) {
        self.moments = self.all_moments();
        self.added_up = self.held;
    }

    #[cold]
    #[inline(never)]
    fn make_room_for(&mut self, ns: u64) {
        if self.bins.is_none() && self.held < EXACT {
            let mut longer = vec![0; (4 * self.held).clamp(8, EXACT)].into_boxed_slice();
            longer[..self.held].copy_from_slice(&self.recent);
            self.recent = longer;
        } else {
            self.add_up();
            self.bins.get_or_insert_with(Box::default).take(&self.recent);
            if self.recent.len() > BATCH {
                self.recent = vec![0; BATCH].into();
            }
            (self.held, self.added_up) = (0, 0);
        }
        self.recent[self.held] = ns;
        self.held += 1;
    }

    /// Returns the memory used in bytes.
    #[cfg(test)]
    fn room(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.recent) + self.bins.as_ref().map_or(0, |bins| bins.room())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn moments_of_one_to_hundred_milliseconds() {
        // 1..100: mean 50.5, sample variance 100 * 101 / 12 = 841.67, deviation 29.0115.
        let mut histogram = Histogram::default();
        (1..=100).for_each(|ms| histogram.record(Span::from_millis(ms)));
        assert!((histogram.mean_s().unwrap() - 0.0505).abs() < 1e-12);
        assert!((histogram.std_s().unwrap() - 0.029_011_5).abs() < 1e-6);
        assert_eq!((histogram.quantile_s(0.5), histogram.quantile_s(0.99)), (Some(0.050), Some(0.099)));
        assert_eq!(histogram.min_s(), Some(0.001));
    }

    #[test]
    fn an_absorbed_histogram_equals_one_of_all_samples() {
        // 1..30 ms and 31..100 ms together are 1..100 ms.
        let of = |range: std::ops::RangeInclusive<u64>| {
            let mut histogram = Histogram::default();
            range.for_each(|ms| histogram.record(Span::from_millis(ms)));
            histogram
        };
        let (mut first, all) = (of(1..=30), of(1..=100));
        first.absorb(&of(31..=100));
        first.absorb(&Histogram::default());
        assert_eq!(first.count(), 100);
        assert!((first.mean_s().unwrap() - 0.0505).abs() < 1e-12);
        assert!((first.std_s().unwrap() - all.std_s().unwrap()).abs() < 1e-12);
        assert_eq!((first.quantile_s(0.5), first.min_s()), (all.quantile_s(0.5), all.min_s()));
        let mut nothing = Histogram::default();
        nothing.absorb(&all);
        assert_eq!(nothing.count(), 100);
    }

    #[test]
    fn an_empty_histogram_has_no_statistics() {
        let histogram = Histogram::default();
        assert_eq!((histogram.mean_s(), histogram.std_s(), histogram.quantile_s(0.5)), (None, None, None));
    }

    #[test]
    fn medians_half_a_millisecond_apart_are_distinguished() {
        // 5 % bins, or 1.6 % ones, would give one number for both series: a thousand samples from 109 ms up
        // and from 109.4 ms up, a microsecond apart.
        let median_ms = |middle: u64| {
            let mut histogram = Histogram::default();
            (0..1000).for_each(|n| histogram.record(Span::from_nanos(middle + 1000 * (n * 7 % 1000))));
            histogram.quantile_s(0.5).unwrap() * 1e3
        };
        // Rank 500 of 1000 samples a microsecond apart lies 0.499 ms above the smallest.
        assert!((median_ms(109_000_000) - 109.499).abs() < 0.02);
        assert!((median_ms(109_400_000) - 109.899).abs() < 0.02);
    }

    #[test]
    fn memory_is_small_for_few_samples_and_bounded_for_many() {
        let of = |count: u64, sample: fn(u64) -> u64| {
            let mut histogram = Histogram::default();
            (0..count).for_each(|n| histogram.record(Span::from_nanos(sample(n))));
            histogram.room()
        };
        let milliseconds_50_to_200 = |n| 50_000_000 + n * 7919 % 150_000_000;
        assert_eq!(of(0, |n| n), size_of::<Histogram>());
        assert!(of(8, milliseconds_50_to_200) <= 200);
        assert!(of(128, milliseconds_50_to_200) <= 1200);
        assert!(of(10_000, milliseconds_50_to_200) <= 3_000);
        assert!(of(1_000_000, milliseconds_50_to_200) <= 10_000);
        assert!(of(1_000_000, milliseconds_50_to_200) == of(2_000_000, milliseconds_50_to_200));
        // The widest range of samples, from a nanosecond to centuries.
        assert!(of(1_000_000, |n| n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (n % 64)) <= 230_000);
    }

    /// Generates times of many shapes: uniform, over many octaves, all equal, around few values, rising, with
    /// a long tail.
    fn shapes() -> impl Strategy<Value = Vec<u64>> {
        let times = || 1_u64..10_000_000_000;
        let many = || 1_usize..3000;
        prop_oneof![
            prop::collection::vec(times(), 1..3000),
            prop::collection::vec((any::<u64>(), 0_u32..64).prop_map(|(bits, shift)| bits >> shift), 1..3000),
            (times(), many()).prop_map(|(time, count)| vec![time; count]),
            (prop::collection::vec(times(), 1..5), many()).prop_map(|(values, count)| values
                .iter()
                .copied()
                .cycle()
                .take(count)
                .collect()),
            (times(), 1_u64..1_000_000, many())
                .prop_map(|(first, step, count)| (0..count as u64).map(|n| first + n * step).collect()),
            prop::collection::vec((times(), 1_u32..1000), 1..3000).prop_map(|parts| parts
                .into_iter()
                .map(|(time, rare)| time / u64::from(rare).pow(2))
                .collect()),
        ]
    }

    fn nearest_rank(samples: &[u64], q: f64) -> f64 {
        let mut sorted = samples.to_vec();
        sorted.sort_unstable();
        let rank = ((q * sorted.len() as f64).ceil() as usize).clamp(1, sorted.len());
        sorted[rank - 1] as f64 / 1e9
    }

    proptest! {
        #[test]
        fn quantiles_are_exact_for_few_samples_and_within_a_tenth_of_a_percent_for_many(
            samples in shapes(), q in 0.0_f64..=1.0, cut in 0.0_f64..=1.0,
        ) {
            // All samples are in one histogram, and in two of which one absorbs the other.
            let (first, second) = samples.split_at((cut * samples.len() as f64) as usize);
            let [whole, mut part, other] = [&samples[..], first, second].map(|samples| {
                let mut histogram = Histogram::default();
                samples.iter().for_each(|ns| histogram.record(Span::from_nanos(*ns)));
                histogram
            });
            part.absorb(&other);
            let exact = nearest_rank(&samples, q);
            for histogram in [whole, part] {
                let found = histogram.quantile_s(q).unwrap();
                let bound = if samples.len() <= EXACT { 0.0 } else { exact / 1024.0 };
                prop_assert!((found - exact).abs() <= bound, "{} for {}", found, exact);
                prop_assert_eq!(histogram.count(), samples.len() as u64);
                prop_assert_eq!(histogram.min_s(), Some(nearest_rank(&samples, 0.0)));
            }
        }
    }
}
