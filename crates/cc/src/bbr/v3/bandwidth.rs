//! The greatest delivery rate of the present cycle of ProbeBW and the one before (draft-ietf-ccwg-bbr section
//! 5.5.5).

/// A maximum filter with two slots. (A windowed filter of three samples keeps a sample for three cycles.)
#[derive(Clone, Copy, Debug, Default)]
pub struct MaxBandwidth {
    /// Packets per second: the maximum of the cycle before, and of this one.
    slots: [f64; 2],
    greatest: f64,
}

impl MaxBandwidth {
    /// Returns the greater of the two cycles' maxima, in packets per second; zero before the first sample.
    pub fn get(&self) -> f64 {
        self.greatest
    }

    /// Adds a sample, in packets per second.
    pub fn take(&mut self, rate: f64) {
        if rate > self.slots[1] {
            self.slots[1] = rate;
            self.greatest = self.slots[0].max(rate);
        }
    }

    //= draft-ietf-ccwg-bbr section 5.5.6: the maximum bandwidth is the largest sample of the last two cycles of ProbeBW
    /// Begins a new cycle. A cycle without a sample continues, since otherwise no rate would be known.
    pub fn advance(&mut self) {
        if self.slots[1] > 0.0 {
            self.slots = [self.slots[1], 0.0];
            self.greatest = self.slots[0];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    //= test draft-ietf-ccwg-bbr section 5.5.6
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
