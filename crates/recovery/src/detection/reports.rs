//! Missing reports (RFC 9260 section 7.2.4): a packet is lost when a fixed number of acknowledgements have
//! reported it missing. An acknowledgement reports the packets missing below the highest number that it newly
//! acknowledges ("Highest TSN Newly Acknowledged"). RFC 6675 counts the packets acknowledged above a missing
//! one. Here acknowledgements are counted, so an acknowledgement of three packets at once is one report.
//!
//! A packet has as many reports as there were acknowledgements that reported up to a number above it. It is
//! therefore enough to keep the highest of those numbers. The frontier below which every missing packet has
//! enough reports only moves up, so no packet is examined twice.

use crate::ledger::MAX_DUPACK_THRESHOLD;
use std::ops::Range;

/// The counts for one sequence of numbers.
#[derive(Clone, Debug)]
pub struct MissingReports {
    /// The highest numbers up to which acknowledgements reported, descending. Only the first `threshold`
    /// entries are used.
    highest: [u64; MAX_DUPACK_THRESHOLD as usize],
    threshold: usize,
    frontier: u64,
}

impl MissingReports {
    /// Creates counts of zero. A packet is lost once `threshold` acknowledgements have reported it missing; the
    /// threshold is clamped to the range from 1 to [`MAX_DUPACK_THRESHOLD`].
    pub fn new(threshold: u32) -> Self {
        let threshold = threshold.clamp(1, MAX_DUPACK_THRESHOLD) as usize;
        Self { highest: [0; MAX_DUPACK_THRESHOLD as usize], threshold, frontier: 0 }
    }

    /// Records an acknowledgement that reports the packets missing below `number`. Returns the range of
    /// numbers that have enough reports now and had not before: those of them that are missing are lost.
    pub fn report_below(&mut self, number: u64) -> Range<u64> {
        let kept = &mut self.highest[..self.threshold];
        if let Some(place) = kept.iter().position(|highest| number > *highest) {
            kept[place..].rotate_right(1);
            kept[place] = number;
        }
        let from = self.frontier;
        //= RFC 9260 section 7.2.4 reports: a chunk is lost when it is reported missing for the third time
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
    fn a_packet_is_lost_at_the_third_report() {
        // Packets 5 and 7 are missing. After reports up to 6, 8 and 9, packet 5 has three reports and packet
        // 7 two. The next report is the third for packet 7.
        let mut reports = MissingReports::new(3);
        assert_eq!(reports.report_below(6), 0..0);
        assert_eq!(reports.report_below(8), 0..0);
        assert_eq!(reports.report_below(9), 0..6);
        assert_eq!(reports.report_below(10), 6..8);
        assert_eq!(reports.report_below(4), 8..8, "a low number reports nothing about higher ones");
    }

    proptest! {
        #[test]
        fn the_frontier_agrees_with_a_count_for_each_number(
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
