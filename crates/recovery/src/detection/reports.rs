//! Missing reports (RFC 9260 section 7.2.4): a packet is lost when so many acknowledgements have reported it missing. An
//! acknowledgement reports what is missing below the highest number that it newly acknowledges ("Highest TSN Newly
//! Acknowledged"). RFC 6675 counts packets acknowledged above a missing one; here it is acknowledgements that count, so that
//! one that tells of three packets at once is one report.
//!
//! A packet below n of the numbers that acknowledgements reported up to has n reports. So the highest few of those numbers
//! are all that has to be kept, and the frontier below which everything has had enough only moves up: no packet is looked
//! at twice.

use crate::ledger::MAX_DUPACK_THRESHOLD;
use std::ops::Range;

/// The counts of one sequence of numbers.
#[derive(Clone, Debug)]
pub struct MissingReports {
    /// The highest numbers up to which was reported, descending; as many as make a loss.
    highest: [u64; MAX_DUPACK_THRESHOLD as usize],
    threshold: usize,
    frontier: u64,
}

impl MissingReports {
    /// No report so far. A packet is lost at the report of this number, from 1 on.
    pub fn new(threshold: u32) -> Self {
        let threshold = threshold.clamp(1, MAX_DUPACK_THRESHOLD) as usize;
        Self { highest: [0; MAX_DUPACK_THRESHOLD as usize], threshold, frontier: 0 }
    }

    /// An acknowledgement reports what is missing below this number. Returns the numbers that have enough reports now and had
    /// not before: what is missing of them is lost.
    pub fn report_below(&mut self, number: u64) -> Range<u64> {
        let kept = &mut self.highest[..self.threshold];
        if let Some(place) = kept.iter().position(|highest| number > *highest) {
            kept[place..].rotate_right(1);
            kept[place] = number;
        }
        let from = self.frontier;
        //= RFC 9260 section 7.2.4 reports: the third report makes a chunk lost
        self.frontier = from.max(kept[self.threshold - 1]);
        from..self.frontier
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    //= test RFC 9260 section 7.2.4 reports
    #[test]
    fn the_third_report_makes_a_packet_lost() {
        // 5 and 7 are missing. Reports up to 6, 8, 9: 5 has three of them, 7 two; the next makes them three.
        let mut reports = MissingReports::new(3);
        assert_eq!(reports.report_below(6), 0..0);
        assert_eq!(reports.report_below(8), 0..0);
        assert_eq!(reports.report_below(9), 0..6);
        assert_eq!(reports.report_below(10), 6..8);
        assert_eq!(reports.report_below(4), 8..8, "an old number reports nothing of what is above it");
    }

    proptest! {
        #[test]
        fn it_is_the_count_of_each_number(
            threshold in 1_u32..6, upto in prop::collection::vec(0_u64..50, 0..40)
        ) {
            let mut reports = MissingReports::new(threshold);
            let (mut counts, mut lost) = ([0_u32; 50], 0);
            for number in upto {
                counts[..number as usize].iter_mut().for_each(|count| *count += 1);
                let enough = reports.report_below(number);
                prop_assert_eq!(enough.start, lost);
                lost = enough.end;
                let expected = counts.iter().filter(|count| **count >= threshold).count();
                prop_assert_eq!(lost as usize, expected);
            }
        }
    }
}
