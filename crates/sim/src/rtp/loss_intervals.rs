//! The mean number of packets between two loss events, as TFRC has it (RFC 5348 sections 5.2 and 5.4), with or without the interval since
//! the last event.
//!
//! RFC 5348 lets that interval count if it makes the mean longer. NADA asks whether it exceeds seven means, which it never does then: with a
//! weight of one in six, it is at most six times a mean that holds it.

use ackclock_base::{Span, Time};
use std::collections::VecDeque;

/// The weights of the intervals, the newest first (RFC 5348 section 5.4 for n = 8).
const WEIGHTS: [f64; 8] = [1.0, 1.0, 1.0, 1.0, 0.8, 0.6, 0.4, 0.2];

/// The intervals between loss events.
#[derive(Clone, Debug, Default)]
pub(super) struct LossIntervals {
    /// The number of packets since the last event began, or since the first packet.
    running: u64,
    /// The numbers of packets of complete intervals, the newest first. The oldest one begins with the first packet.
    complete: VecDeque<u64>,
    /// The time at which the first lost packet of the last event was sent.
    event: Option<Time>,
}

impl LossIntervals {
    /// Records a packet that was sent at `sent`. Losses within a round trip of the first one are one event.
    pub(super) fn take(&mut self, sent: Time, is_lost: bool, rtt: Span) {
        if is_lost && self.event.is_none_or(|event| sent > event + rtt) {
            self.event = Some(sent);
            self.complete.push_front(self.running);
            self.complete.truncate(WEIGHTS.len());
            self.running = 0;
        }
        self.running += 1;
    }

    /// Returns the number of packets since the last loss event began, as a multiple of the mean interval; `None` without an event. With
    /// `running`, that interval counts in the mean if it makes it longer.
    pub(super) fn since_last(&self, running: bool) -> Option<f64> {
        self.event?;
        let mut longest = mean(self.complete.iter().copied());
        if running {
            longest = longest.max(mean(std::iter::once(self.running).chain(self.complete.iter().copied())));
        }
        Some(self.running as f64 / longest.max(1.0))
    }
}

/// Returns the weighted mean of the first eight intervals, the newest first.
fn mean(intervals: impl Iterator<Item = u64>) -> f64 {
    let (sum, weights) = intervals.zip(WEIGHTS).fold((0.0, 0.0), |(sum, weights), (length, weight)| {
        (sum + length as f64 * weight, weights + weight)
    });
    sum / weights
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Span = Span::from_millis(100);

    /// Returns the intervals after packets each 10 ms, of which those with these numbers, from 0, are lost.
    fn after(packets: u64, lost: &[u64]) -> LossIntervals {
        let mut intervals = LossIntervals::default();
        for number in 0..packets {
            let sent = Time::ZERO + Span::from_millis(10) * number;
            intervals.take(sent, lost.contains(&number), RTT);
        }
        intervals
    }

    #[test]
    fn losses_within_a_round_trip_are_one_event() {
        assert_eq!(after(40, &[]).since_last(false), None);
        // The packets 20 to 30 are sent within 100 ms, so they are one event, 20 packets after the first one.
        assert_eq!(after(40, &[20, 25, 30]).since_last(false), Some(20.0 / 20.0));
        // The packet 31 is later: intervals of 20 and 11 packets, and 9 packets since.
        assert_eq!(after(40, &[20, 31]).since_last(false), Some(9.0 / 15.5));
    }

    #[test]
    fn old_intervals_weigh_less_and_the_running_one_nothing() {
        // Intervals of 80, 20, 20, 20, 20, 20, 20, 20 packets, the newest first: (80 + 20 * 5) / 6 = 30.
        let lost: Vec<u64> = (1..=8).map(|event| 20 * event).chain([240]).collect();
        assert_eq!(after(300, &lost).since_last(false), Some(60.0 / 30.0));
        assert_eq!(after(540, &lost).since_last(false), Some(300.0 / 30.0));
    }

    #[test]
    fn with_the_running_interval_no_loss_is_seven_means_ago() {
        // A short running interval does not count. A long one does: (60 + 80 + 20 + 20 + 20 * 2.0) / 6 = 36.7, and 10,000 of them have a
        // mean of 10,000 / 6 at least.
        let lost: Vec<u64> = (1..=8).map(|event| 20 * event).chain([240]).collect();
        assert_eq!(after(250, &lost).since_last(true), Some(10.0 / 30.0));
        assert_eq!(after(300, &lost).since_last(true), Some(60.0 / (220.0 / 6.0)));
        let since = after(10_240, &lost).since_last(true).expect("an event");
        assert!((5.8..6.0).contains(&since), "{since}");
    }

    #[test]
    fn a_first_packet_that_is_lost_has_an_interval_of_one_packet() {
        assert_eq!(after(10, &[0]).since_last(false), Some(10.0));
    }
}
