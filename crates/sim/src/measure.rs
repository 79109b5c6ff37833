//! Measurements over an interval of the run, in constant memory.

use ackclock_base::{Span, Time};

/// The measured part of the run: after the warm-up, up to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The first instant that is measured.
    pub from: Time,
    /// The first instant that is no longer measured.
    pub to: Time,
}

impl Interval {
    /// Returns whether an instant is measured.
    #[inline]
    pub fn contains(&self, time: Time) -> bool {
        self.from <= time && time < self.to
    }

    /// Returns the measured part of the time between `start` and `end`.
    #[inline]
    pub fn overlap(&self, start: Time, end: Time) -> Span {
        end.min(self.to).since(start.max(self.from))
    }

    /// Returns the length in seconds.
    pub fn seconds(&self) -> f64 {
        self.to.since(self.from).seconds()
    }
}

/// Integrates a queue's length over time, exactly.
#[derive(Clone, Debug)]
pub struct QueueMeter {
    measured: Interval,
    /// The time up to which the length is integrated, within the measured interval.
    counted: Time,
    packet_ns: f64,
    square_ns: f64,
    empty_ns: u64,
    most: u64,
}

/// Statistics of a queue's length over the measured interval, weighted by time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueueStatistics {
    /// The mean number of waiting packets.
    pub mean_packets: f64,
    /// The standard deviation over time; `None` if only the mean was measured.
    pub std_packets: Option<f64>,
    /// The largest number of waiting packets; `None` if only the mean was measured.
    pub max_packets: Option<u64>,
    /// The share of the time in which no packet waits; `None` if only the mean was measured.
    pub empty_share: Option<f64>,
}

impl QueueMeter {
    /// Creates a meter before any measurement.
    pub fn new(measured: Interval) -> Self {
        Self { measured, counted: measured.from, packet_ns: 0.0, square_ns: 0.0, empty_ns: 0, most: 0 }
    }

    /// Records that the queue's length changes at `time`, which must not lie before the last change. It was
    /// `before` packets until then.
    #[inline]
    pub fn change(&mut self, time: Time, before: u64) {
        let until = time.min(self.measured.to).max(self.counted);
        let ns = until.nanos() - self.counted.nanos();
        self.counted = until;
        // The numbers are signed, because their conversion takes one instruction, and that of unsigned
        // numbers six.
        let (span, length) = (ns as i64 as f64, before as i64 as f64);
        self.empty_ns += if before == 0 { ns } else { 0 };
        self.packet_ns += length * span;
        self.square_ns += length * length * span;
        if ns > 0 {
            self.most = self.most.max(before);
        }
    }

    /// Returns the statistics at the end of the run, when `length` packets wait.
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
    /// Returns the statistics of a queue whose length was not observed, from the sum of the packets' waiting
    /// times in nanoseconds within the measured interval. By Little's law it determines the mean.
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
        // 4 packets wait from 1 s to 3 s, none before and after, and 2 s to 6 s are measured: mean 1, mean
        // square 4, deviation sqrt(4 - 1), and no packet waits in 3 s of 4.
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
    fn the_maximum_counts_only_lengths_that_last_in_the_measured_part() {
        // 2 s to 6 s are measured. 4 packets wait from 1 s to 3 s, so 4 is the maximum although no packet
        // joins in the measured part. Packets that come and go at the same instant do not wait: the 9 at 4 s.
        let at = Time::from_seconds;
        let mut meter = QueueMeter::new(Interval { from: at(2.0), to: at(6.0) });
        for (seconds, before) in [(1.0, 0), (3.0, 4), (4.0, 0), (4.0, 9)] {
            meter.change(at(seconds), before);
        }
        assert_eq!(meter.finish(at(6.0), 0).max_packets, Some(4));
    }
}
