//! Measuring over an interval of the run, in constant room.

use ackclock_base::{Span, Time};

/// The part of the run that counts: after the warm-up, up to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The first instant that counts.
    pub from: Time,
    /// The first that no longer does.
    pub to: Time,
}

impl Interval {
    /// Whether an instant counts.
    #[inline]
    pub fn contains(&self, time: Time) -> bool {
        self.from <= time && time < self.to
    }

    /// How much of the time between `start` and `end` counts.
    #[inline]
    pub fn overlap(&self, start: Time, end: Time) -> Span {
        end.min(self.to).since(start.max(self.from))
    }

    /// Its length in seconds.
    pub fn seconds(&self) -> f64 {
        self.to.since(self.from).seconds()
    }
}

/// Integrates a queue's length over time, exactly.
#[derive(Clone, Debug)]
pub struct QueueMeter {
    measured: Interval,
    /// Up to when the length is counted; nothing is before the measured interval, nor after it.
    counted: Time,
    packet_ns: f64,
    square_ns: f64,
    empty_ns: u64,
    most: u64,
}

/// A queue over the measured interval; each is weighted by time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueueStatistics {
    /// Mean number of waiting packets.
    pub mean_packets: f64,
    /// Standard deviation over time; `None` where only the mean was measured.
    pub std_packets: Option<f64>,
    /// The longest; `None` where only the mean was measured.
    pub max_packets: Option<u64>,
    /// The share of the time in which nothing waits; `None` where only the mean was measured.
    pub empty_share: Option<f64>,
}

impl QueueMeter {
    /// Nothing measured yet.
    pub fn new(measured: Interval) -> Self {
        Self { measured, counted: measured.from, packet_ns: 0.0, square_ns: 0.0, empty_ns: 0, most: 0 }
    }

    /// The queue's length changes at `time`, which never lies before the last; until then it was `before` packets.
    #[inline]
    pub fn change(&mut self, time: Time, before: u64) {
        let until = time.min(self.measured.to).max(self.counted);
        let ns = until.nanos() - self.counted.nanos();
        self.counted = until;
        // Signed, because that takes a processor one instruction to convert and unsigned numbers six.
        let (span, length) = (ns as i64 as f64, before as i64 as f64);
        self.empty_ns += if before == 0 { ns } else { 0 };
        self.packet_ns += length * span;
        self.square_ns += length * length * span;
        if ns > 0 {
            self.most = self.most.max(before);
        }
    }

    /// The statistics at the end of the run, when `length` packets wait.
    pub fn finish(&mut self, end: Time, length: u64) -> QueueStatistics {
        self.change(end, length);
        let ns = measured_ns(self.measured, end);
        let mean = self.packet_ns / ns;
        let variance = (self.square_ns / ns - mean * mean).max(0.0);
        QueueStatistics {
            mean_packets: mean,
            std_packets: Some(variance.sqrt()),
            max_packets: Some(self.most),
            empty_share: Some(self.empty_ns as f64 / ns),
        }
    }
}

impl QueueStatistics {
    /// What the time tells that all packets waited within the measured interval, where the queue's length was not followed:
    /// by Little's law its mean.
    pub fn of_waits(packet_ns: f64, end: Time, measured: Interval) -> Self {
        let mean_packets = packet_ns / measured_ns(measured, end);
        Self { mean_packets, std_packets: None, max_packets: None, empty_share: None }
    }
}

fn measured_ns(measured: Interval, end: Time) -> f64 {
    measured.overlap(Time::ZERO, end).nanos().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_measured_part_counts() {
        // 4 packets from 1 s to 3 s, none before and after; measured from 2 s to 6 s: mean 1, mean square 4,
        // deviation sqrt(4 - 1), and nothing waits in 3 s of 4.
        let at = Time::from_seconds;
        let mut meter = QueueMeter::new(Interval { from: at(2.0), to: at(6.0) });
        meter.change(at(1.0), 0);
        meter.change(at(3.0), 4);
        let statistics = meter.finish(at(6.0), 0);
        assert!((statistics.mean_packets - 1.0).abs() < 1e-12);
        assert!((statistics.std_packets.unwrap() - 3.0_f64.sqrt()).abs() < 1e-12);
        assert_eq!(statistics.empty_share, Some(0.75));
    }

    #[test]
    fn the_longest_is_what_lasts_within_the_measured_part() {
        // Measured from 2 s to 6 s. 4 packets wait from 1 s to 3 s, so 4 is the longest although none joins in the measured
        // part. What comes and goes at the same instant does not wait: the 9 at 4 s.
        let at = Time::from_seconds;
        let mut meter = QueueMeter::new(Interval { from: at(2.0), to: at(6.0) });
        for (seconds, before) in [(1.0, 0), (3.0, 4), (4.0, 0), (4.0, 9)] {
            meter.change(at(seconds), before);
        }
        assert_eq!(meter.finish(at(6.0), 0).max_packets, Some(4));
    }
}
