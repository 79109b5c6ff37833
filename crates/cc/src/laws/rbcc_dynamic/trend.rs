//! The inputs of the heuristics of RBCC's dynamic threshold: for how long the window and the round trip have
//! risen or fallen (Dahal 2007, section 4.4).

use super::parameters::RttCount;
use ackclock_base::{Packets, Span};

/// A sample: the round trip, and the window that equation 3.4 computed from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// The round trip.
    pub rtt: Span,
    /// The minimum round trip so far.
    pub min_rtt: Span,
    /// The window, in packets.
    pub cwnd: Packets,
}

/// Counters over consecutive samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Trend {
    rule: RttCount,
    before: Option<Sample>,
    /// The number of samples in a row in which the window grew.
    pub grown: u32,
    /// The number of samples in a row in which the window did not grow.
    pub not_grown: u32,
    /// The count of the round trip: one more for a sample with a shorter round trip than the last, one less for a
    /// longer one, and 0 for an equal one. By [`RttCount::Run`] a change of direction counts from 0 again.
    pub rtt_count: i32,
}

impl Trend {
    /// Creates the counters before any sample.
    pub fn new(rule: RttCount) -> Self {
        Self { rule, before: None, grown: 0, not_grown: 0, rtt_count: 0 }
    }

    /// Compares a sample with the one before. Returns false for the first sample, which cannot be compared
    /// and does not count.
    pub fn see(&mut self, sample: &Sample) -> bool {
        let Some(before) = self.before.replace(*sample) else { return false };
        if sample.cwnd > before.cwnd {
            (self.grown, self.not_grown) = (self.grown.saturating_add(1), 0);
        } else {
            (self.grown, self.not_grown) = (0, self.not_grown.saturating_add(1));
        }
        let count = self.rtt_count;
        self.rtt_count = match (sample.rtt.cmp(&before.rtt), self.rule) {
            (std::cmp::Ordering::Equal, _) => 0,
            (std::cmp::Ordering::Less, RttCount::Net) => count.saturating_add(1),
            (std::cmp::Ordering::Greater, RttCount::Net) => count.saturating_sub(1),
            (std::cmp::Ordering::Less, RttCount::Run) => count.max(0).saturating_add(1),
            (std::cmp::Ordering::Greater, RttCount::Run) => count.min(0).saturating_sub(1),
        };
        true
    }

    /// Creates a trend with these counters, for tests of the heuristics.
    #[cfg(test)]
    pub fn counted(grown: u32, not_grown: u32, rtt_count: i32) -> Self {
        Self { grown, not_grown, rtt_count, ..Self::new(RttCount::Net) }
    }

    /// Resets the counters (section 4.4 C, step 3c).
    pub fn reset(&mut self) {
        (self.grown, self.not_grown, self.rtt_count) = (0, 0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(rule: RttCount, samples: &[(u64, f64)]) -> Vec<(u32, u32, i32)> {
        let mut trend = Trend::new(rule);
        let see = |(ms, cwnd): &(u64, f64)| {
            let rtt = Span::from_millis(*ms);
            trend.see(&Sample { rtt, min_rtt: rtt, cwnd: *cwnd });
            (trend.grown, trend.not_grown, trend.rtt_count)
        };
        samples.iter().map(see).collect()
    }

    #[test]
    fn windows_are_counted_in_runs_and_round_trips_net() {
        // Rises are -1, falls +1, no change 0 at once.
        let samples = [(100, 5.0), (110, 6.0), (120, 7.0), (115, 7.0), (110, 6.0), (110, 6.5), (105, 6.4)];
        let expected = [(0, 0, 0), (1, 0, -1), (2, 0, -2), (0, 1, -1), (0, 2, 0), (1, 0, 0), (0, 1, 1)];
        assert_eq!(counts(RttCount::Net, &samples), expected);
    }

    #[test]
    fn as_a_run_a_fall_after_rises_starts_over() {
        let samples = [(100, 1.0), (110, 1.0), (120, 1.0), (115, 1.0), (110, 1.0), (130, 1.0)];
        let rtt_counts: Vec<i32> = counts(RttCount::Run, &samples).iter().map(|count| count.2).collect();
        assert_eq!(rtt_counts, [0, -1, -2, 1, 2, -1]);
    }
}
