//! The greatest delivery rate of this cycle of ProbeBW and the one before (draft-ietf-ccwg-bbr section 5.5.5).

/// Two slots. (A windowed filter of three samples keeps one for three cycles.)
#[derive(Clone, Copy, Debug, Default)]
pub struct MaxBandwidth {
    /// Packets per second: in the cycle before, and in this one.
    slots: [f64; 2],
}

impl MaxBandwidth {
    /// The greatest of both; zero before the first sample.
    pub fn get(&self) -> f64 {
        self.slots[0].max(self.slots[1])
    }

    /// Takes a sample in.
    pub fn take(&mut self, rate: f64) {
        self.slots[1] = self.slots[1].max(rate);
    }

    /// A new cycle begins; not after a cycle without a sample, or nothing would be known.
    pub fn advance(&mut self) {
        if self.slots[1] > 0.0 {
            self.slots = [self.slots[1], 0.0];
        }
    }

    /// Packets have changed their size.
    pub fn scale(&mut self, factor: f64) {
        self.slots = self.slots.map(|rate| rate * factor);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_lives_for_two_cycles_and_an_empty_cycle_does_not_count() {
        let mut filter = MaxBandwidth::default();
        filter.take(100.0);
        filter.advance();
        filter.take(10.0);
        assert_eq!(filter.get(), 100.0, "of the cycle before");
        filter.advance();
        assert_eq!(filter.get(), 10.0, "two cycles later");
        filter.advance();
        filter.advance();
        assert_eq!(filter.get(), 10.0, "nothing newer");
    }
}
