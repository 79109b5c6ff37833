//! How late packets leave in real time, and whether a run counts.

use ackclock_base::{Span, Time};
use ackclock_sim::histogram::Histogram;
use serde::Serialize;

/// The bound of the 99th percentile, as a share of the round trip without queues, and its least value.
const P99_SHARE: f64 = 0.01;
const P99_LEAST_S: f64 = 0.2e-3;
/// The bound of the longest stall, as a share of the round trip without queues.
const STALL_SHARE: f64 = 0.5;

/// How late packets have left.
#[derive(Clone, Debug, Default)]
pub struct Lateness {
    late: Histogram,
    most: Span,
    /// When the packet was due that left latest.
    most_at: Time,
}

/// How late packets left, as a run reports it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LatenessResult {
    /// The number of packets that left.
    pub packets: u64,
    /// Quantiles in seconds; `None` if no packet left.
    pub p50_s: Option<f64>,
    /// The 99th percentile.
    pub p99_s: Option<f64>,
    /// The 99.9th percentile.
    pub p999_s: Option<f64>,
    /// The longest time by which a packet left late, in seconds: the longest stall.
    pub max_s: f64,
    /// When that packet was due, in seconds since the beginning of the run.
    pub max_at_s: f64,
    /// The largest 99th percentile with which a run is valid, in seconds.
    pub p99_bound_s: f64,
    /// The longest stall with which a run is valid, in seconds.
    pub max_bound_s: f64,
}

impl Lateness {
    /// Records that a packet that was due at `due` left at `left`.
    pub fn record(&mut self, due: Time, left: Time) {
        let late = left.since(due);
        self.late.record(late);
        if late > self.most {
            (self.most, self.most_at) = (late, due);
        }
    }

    /// Returns the lateness of both sets of events together.
    pub fn and(mut self, other: Self) -> Self {
        self.late.absorb(&other.late);
        if other.most > self.most {
            (self.most, self.most_at) = (other.most, other.most_at);
        }
        self
    }

    /// Returns what a run reports on a path with this round trip without queues.
    pub fn result(&self, round_trip: Span) -> LatenessResult {
        let p99_bound_s = (P99_SHARE * round_trip.seconds()).max(P99_LEAST_S);
        LatenessResult {
            packets: self.late.count(),
            p50_s: self.late.quantile_s(0.5),
            p99_s: self.late.quantile_s(0.99),
            p999_s: self.late.quantile_s(0.999),
            max_s: self.most.seconds(),
            max_at_s: self.most_at.seconds(),
            p99_bound_s,
            // On a path without delay nothing would be valid.
            max_bound_s: (STALL_SHARE * round_trip.seconds()).max(P99_LEAST_S),
        }
    }
}

impl LatenessResult {
    /// Returns why the run is invalid if these are packets at the links, a sentence for each reason; none if it is valid.
    pub fn problems(&self) -> Vec<String> {
        self.problems_of("packet", "left")
    }

    /// Returns why the run is invalid if these are datagrams and timers of stacks in this process.
    pub fn stack_problems(&self) -> Vec<String> {
        self.problems_of("event", "reached its stack")
    }

    fn problems_of(&self, what: &str, verb: &str) -> Vec<String> {
        let ms = |seconds: f64| format!("{:.2} ms", seconds * 1e3);
        let mut problems = Vec::new();
        if let Some(p99) = self.p99_s.filter(|p99| *p99 > self.p99_bound_s) {
            problems.push(format!(
                "one {what} in a hundred {verb} at least {} late, more than the allowed {} (1 % of the RTT \
                 without queues, but at least 0.2 ms)",
                ms(p99),
                ms(self.p99_bound_s)
            ));
        }
        if self.max_s > self.max_bound_s {
            problems.push(format!(
                "the {what} due at {:.3} s {verb} {} late, more than the allowed {} (half of the RTT without \
                 queues, but at least 0.2 ms)",
                self.max_at_s,
                ms(self.max_s),
                ms(self.max_bound_s)
            ));
        }
        problems
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the result of 1000 packets, of which one in a hundred and one more are late by this much, on a
    /// path with a round trip of 40 ms.
    fn result(late_us: u64) -> LatenessResult {
        let mut lateness = Lateness::default();
        for packet in 0..1000 {
            let due = Time::from_nanos(packet * 1_000_000);
            let late = if packet % 100 == 0 || packet == 1 { late_us } else { 10 };
            lateness.record(due, due + Span::from_nanos(late * 1000));
        }
        lateness.result(Span::from_millis(40))
    }

    #[test]
    fn the_bounds_are_shares_of_the_round_trip() {
        let valid = result(350);
        assert_eq!((valid.p99_bound_s, valid.max_bound_s), (0.4e-3, 20e-3));
        assert_eq!((valid.packets, valid.max_s, valid.max_at_s), (1000, 350e-6, 0.0));
        assert_eq!(valid.problems(), Vec::<String>::new());
        // On a short path, 0.2 ms.
        let bounds = Lateness::default().result(Span::from_millis(1));
        assert_eq!((bounds.p99_bound_s, bounds.max_bound_s), (0.2e-3, 0.5e-3));
    }

    #[test]
    fn a_late_percentile_makes_a_run_invalid() {
        let problems = result(500).problems();
        assert_eq!(problems.len(), 1);
        assert!(problems[0].starts_with("one packet in a hundred left at least 0.5"), "{problems:?}");
    }

    #[test]
    fn one_long_stall_makes_a_run_invalid() {
        let mut lateness = Lateness::default();
        for packet in 0..1000 {
            let due = Time::from_nanos(packet * 1_000_000);
            lateness.record(due, due + Span::from_millis(if packet == 500 { 21 } else { 0 }));
        }
        let problems = lateness.result(Span::from_millis(40)).problems();
        assert_eq!(
            problems,
            [
                "the packet due at 0.500 s left 21.00 ms late, more than the allowed 20.00 ms (half of the RTT \
                 without queues, but at least 0.2 ms)"
            ]
        );
    }
}
