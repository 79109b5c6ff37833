//! Count, mean, standard deviation and extremes of a series, in constant memory.

/// The sums over a series of times in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moments {
    pub(super) count: u64,
    sum: f64,
    sum_of_squares: f64,
    /// The number subtracted before squaring, so that a narrow spread around a large mean keeps its
    /// precision: the first sample.
    shift: u64,
    pub(super) min: u64,
    pub(super) max: u64,
}

impl Default for Moments {
    fn default() -> Self {
        Self { count: 0, sum: 0.0, sum_of_squares: 0.0, shift: 0, min: u64::MAX, max: 0 }
    }
}

impl Moments {
    /// Adds samples in their order.
    pub(super) fn take(&mut self, samples: &[u64]) {
        let Some(&first) = samples.first() else { return };
        if self.count == 0 {
            self.shift = first;
        }
        self.count += samples.len() as u64;
        for &ns in samples {
            // The difference is signed, because its conversion takes one instruction, and that of an unsigned
            // number six.
            let deviation = ns.wrapping_sub(self.shift) as i64 as f64;
            self.sum += deviation;
            self.sum_of_squares += deviation * deviation;
            self.min = self.min.min(ns);
            self.max = self.max.max(ns);
        }
    }

    /// Adds the sums of another series, which may be empty. This one must not be empty.
    pub(super) fn absorb(&mut self, other: &Self) {
        let (count, apart) = (other.count as f64, other.shift as f64 - self.shift as f64);
        self.count += other.count;
        self.sum_of_squares += other.sum_of_squares + apart * (2.0 * other.sum + count * apart);
        self.sum += other.sum + count * apart;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// Returns the mean in nanoseconds; `None` without samples.
    pub(super) fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.shift as f64 + self.sum / self.count as f64)
    }

    /// Returns the standard deviation in nanoseconds (n - 1 in the denominator); `None` for fewer than two
    /// samples.
    pub(super) fn std(&self) -> Option<f64> {
        let n = self.count as f64;
        (self.count > 1).then(|| {
            let variance = (self.sum_of_squares - self.sum * self.sum / n) / (n - 1.0);
            variance.max(0.0).sqrt()
        })
    }
}
