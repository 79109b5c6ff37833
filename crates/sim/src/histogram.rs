//! A summary of a series of times that takes constant room: mean, standard deviation, extremes, and quantiles with
//! a relative error below 0.8 %.

use ackclock_base::Span;

/// Buckets per octave: 64, so a bucket is at most 1/64 wide and its middle at most 0.8 % off.
const SUB_BITS: u32 = 6;
const SUB: u64 = 1 << SUB_BITS;
const BUCKETS: usize = ((64 - SUB_BITS + 1) as usize) << SUB_BITS;

/// A histogram of spans with logarithmic octaves, each divided linearly.
#[derive(Clone, Debug)]
pub struct Histogram {
    counts: Vec<u32>,
    count: u64,
    sum: f64,
    sum_of_squares: f64,
    /// What is subtracted before squaring, so that a narrow spread around a large mean keeps its digits.
    shift: f64,
    min: u64,
    max: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self {
            counts: Vec::new(),
            count: 0,
            sum: 0.0,
            sum_of_squares: 0.0,
            shift: 0.0,
            min: u64::MAX,
            max: 0,
        }
    }
}

impl Histogram {
    /// Takes in one sample.
    #[inline]
    pub fn record(&mut self, span: Span) {
        let ns = span.nanos();
        if self.count == 0 {
            self.counts = vec![0; BUCKETS];
            self.shift = ns as f64;
        }
        let deviation = ns as f64 - self.shift;
        self.count += 1;
        self.sum += deviation;
        self.sum_of_squares += deviation * deviation;
        self.min = self.min.min(ns);
        self.max = self.max.max(ns);
        let bucket = &mut self.counts[bucket_of(ns)];
        *bucket = bucket.saturating_add(1);
    }

    /// Takes in all samples of another.
    pub fn absorb(&mut self, other: &Self) {
        if self.count == 0 {
            self.clone_from(other);
            return;
        }
        let (count, apart) = (other.count as f64, other.shift - self.shift);
        self.count += other.count;
        self.sum_of_squares += other.sum_of_squares + apart * (2.0 * other.sum + count * apart);
        self.sum += other.sum + count * apart;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        for (mine, others) in self.counts.iter_mut().zip(&other.counts) {
            *mine = mine.saturating_add(*others);
        }
    }

    /// How many samples there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The mean in seconds.
    pub fn mean_s(&self) -> Option<f64> {
        (self.count > 0).then(|| (self.shift + self.sum / self.count as f64) / 1e9)
    }

    /// The standard deviation of the samples in seconds (n - 1 in the denominator).
    pub fn std_s(&self) -> Option<f64> {
        let n = self.count as f64;
        (self.count > 1).then(|| {
            let variance = (self.sum_of_squares - self.sum * self.sum / n) / (n - 1.0);
            variance.max(0.0).sqrt() / 1e9
        })
    }

    /// The least sample in seconds.
    pub fn min_s(&self) -> Option<f64> {
        (self.count > 0).then(|| self.min as f64 / 1e9)
    }

    /// The quantile `q` (0 to 1) in seconds: the middle of the bucket in which the sample of that rank lies.
    pub fn quantile_s(&self, q: f64) -> Option<f64> {
        let rank = ((q * self.count as f64).ceil() as u64).clamp(1, self.count.max(1));
        let mut below = 0;
        let bucket = self.counts.iter().position(|count| {
            below += u64::from(*count);
            below >= rank
        })?;
        let middle = middle_of(bucket).clamp(self.min as f64, self.max as f64);
        Some(middle / 1e9)
    }
}

fn bucket_of(ns: u64) -> usize {
    if ns < SUB {
        return ns as usize;
    }
    let octave = 63 - ns.leading_zeros() - SUB_BITS;
    (((u64::from(octave) + 1) << SUB_BITS) + ((ns >> octave) - SUB)) as usize
}

fn middle_of(bucket: usize) -> f64 {
    let (octave, sub) = ((bucket as u64) >> SUB_BITS, (bucket as u64) & (SUB - 1));
    if octave == 0 {
        return sub as f64;
    }
    let width = libm::ldexp(1.0, octave as i32 - 1);
    (SUB + sub) as f64 * width + (width - 1.0) / 2.0
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
        assert!((histogram.quantile_s(0.5).unwrap() - 0.050).abs() < 0.0004);
        assert!((histogram.quantile_s(0.99).unwrap() - 0.099).abs() < 0.0008);
        assert_eq!(histogram.min_s(), Some(0.001));
    }

    #[test]
    fn two_absorbed_are_one() {
        // 1..30 ms and 31..100 ms are 1..100 ms.
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
    fn nothing_is_known_of_nothing() {
        let histogram = Histogram::default();
        assert_eq!((histogram.mean_s(), histogram.std_s(), histogram.quantile_s(0.5)), (None, None, None));
    }

    proptest! {
        #[test]
        fn a_bucket_holds_what_it_says(ns in any::<u64>()) {
            let middle = middle_of(bucket_of(ns));
            prop_assert!((middle - ns as f64).abs() <= ns as f64 / 127.0 + 0.5, "{} {}", ns, middle);
        }

        #[test]
        fn quantiles_are_within_one_percent(mut spans in prop::collection::vec(1_u64..10_000_000_000, 1..200), q in 0.0_f64..1.0) {
            let mut histogram = Histogram::default();
            spans.iter().for_each(|ns| histogram.record(Span::from_nanos(*ns)));
            spans.sort_unstable();
            let rank = ((q * spans.len() as f64).ceil() as usize).clamp(1, spans.len());
            let exact = spans[rank - 1] as f64 / 1e9;
            prop_assert!((histogram.quantile_s(q).unwrap() - exact).abs() <= exact * 0.01 + 1e-9);
        }
    }
}
