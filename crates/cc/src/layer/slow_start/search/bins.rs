//! The totals sent and delivered at the end of each of the last bins of time.

/// The number of bins that are compared (draft-chung-ccwg-search-09, W).
pub const WINDOW: u64 = 10;

/// The number of bins that a round trip must stay below (EXTRA_BINS) for a comparison.
pub const EXTRA: u64 = 15;

/// The number of bins kept: a round trip, the window, and one more for the interpolation.
const KEPT: usize = (EXTRA + WINDOW + 1) as usize;

/// The totals at the ends of bins.
#[derive(Clone, Debug)]
pub struct Bins {
    /// The number of the newest bin.
    newest: u64,
    /// Packets sent and delivered so far, indexed by the number of the bin modulo the number kept.
    totals: [(f64, f64); KEPT],
}

impl Bins {
    /// Creates the bins, with `sent` and `delivered` packets at the start of the first.
    pub fn new(sent: f64, delivered: f64) -> Self {
        Self { newest: 0, totals: [(sent, delivered); KEPT] }
    }

    /// Ends `passed` bins. Bins without an acknowledgement have the totals of the bin before.
    pub fn pass(&mut self, passed: u64, sent: f64, delivered: f64) {
        let before = self.at(self.newest);
        for skipped in 1..passed {
            self.totals[Self::place(self.newest + skipped)] = before;
        }
        self.newest += passed;
        self.totals[Self::place(self.newest)] = (sent, delivered);
    }

    /// Returns the share of what was sent in a window of bins `ago` bins back that is missing from what is
    /// delivered in the window that ends now; `None` if the bins do not reach back far enough. `ago` is less
    /// than [`EXTRA`].
    pub fn missing(&self, ago: f64) -> Option<f64> {
        let whole = libm::floor(ago);
        let then = self.newest.checked_sub(whole as u64).filter(|then| *then > WINDOW)?;
        let sent_to = |bin: u64| self.at(bin).0 - self.at(bin - WINDOW).0;
        let part = ago - whole;
        let sent = (1.0 - part) * sent_to(then) + part * sent_to(then - 1);
        let delivered = self.at(self.newest).1 - self.at(self.newest - WINDOW).1;
        (sent > 0.0).then(|| (sent - delivered) / sent)
    }

    fn at(&self, bin: u64) -> (f64, f64) {
        self.totals[Self::place(bin)]
    }

    fn place(bin: u64) -> usize {
        (bin % KEPT as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates `count` bins with `sent` and `delivered` packets in each.
    fn after(count: u32, sent: f64, delivered: f64) -> Bins {
        let mut bins = Bins::new(0.0, 0.0);
        for bin in 1..=count {
            bins.pass(1, f64::from(bin) * sent, f64::from(bin) * delivered);
        }
        bins
    }

    #[test]
    fn a_steady_flow_misses_nothing_and_one_that_sends_1_4_misses_0_2857() {
        assert_eq!(after(20, 1.0, 1.0).missing(2.0), Some(0.0));
        assert!((after(20, 1.4, 1.0).missing(2.0).unwrap() - 4.0 / 14.0).abs() < 1e-12);
        assert!((after(20, 1.35, 1.0).missing(2.0).unwrap() - 3.5 / 13.5).abs() < 1e-12);
    }

    #[test]
    fn a_part_of_a_bin_is_taken_from_the_older_one() {
        // What is sent grows by one per bin, as 1, 2, 3...: up to bin n it is n (n + 1) / 2, and in the ten
        // bins up to it 10 n - 45. With 20 bins and 2.5 of them in a round trip: half of that up to 18 (135)
        // and half up to 17 (125).
        let mut bins = Bins::new(0.0, 0.0);
        for bin in 1..=20_u32 {
            bins.pass(1, f64::from(bin * (bin + 1) / 2), 13.0 * f64::from(bin));
        }
        // Delivered in the last ten: 130, sent (135 + 125) / 2 = 130.
        assert!(bins.missing(2.5).unwrap().abs() < 1e-12);
    }

    #[test]
    fn bins_that_do_not_reach_back_give_no_result() {
        assert_eq!(after(12, 2.0, 1.0).missing(2.0), None);
        assert!(after(13, 2.0, 1.0).missing(2.0).is_some());
        assert!(after(60, 2.0, 1.0).missing(14.9).is_some());
    }

    #[test]
    fn a_bin_without_an_acknowledgement_has_the_totals_of_the_one_before() {
        let mut bins = after(20, 1.0, 1.0);
        bins.pass(5, 25.0, 25.0);
        // Bin 23 has the total of bin 20, so 20 - 13 = 7 were sent in the ten bins up to it. In the ten up to
        // bin 25, 25 - 15 = 10 were delivered.
        assert!((bins.missing(2.0).unwrap() - (7.0 - 10.0) / 7.0).abs() < 1e-12);
    }
}
