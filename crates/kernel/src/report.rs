//! How decisions reached the kernel.

use serde::{Deserialize, Serialize};

/// The decisions of one control.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// What was asked for.
    pub control: String,
    /// The name in the kernel.
    pub name: String,
    /// Whether the control owns the window in recovery too, and is paced. Otherwise the kernel reduces it then (PRR).
    pub owns_window: bool,
    /// Whether the program has real-time priority. Without it, many decisions are late on a busy machine.
    #[serde(default)]
    pub real_time: bool,
    /// Connections that have begun.
    pub connections: u64,
    /// Events of connections.
    pub events: u64,
    /// Decisions about the very event that the kernel asked about.
    pub in_time: u64,
    /// Decisions that came later than the kernel waits: it took the last one.
    pub late: u64,
    /// Decisions by Reno, since the program had not been heard of or had no room.
    pub reno: u64,
    /// Events for which the ring buffer had no room.
    pub lost_events: u64,
    /// The median of the time from an event to its answer, in microseconds; `None` if there was no event.
    pub p50_us: Option<f64>,
    /// The 99th percentile.
    pub p99_us: Option<f64>,
}

/// The number of bins of a tenth of a microsecond.
const BINS: usize = 100_000;

/// The times from events to their answers. Those above 10 ms count as 10 ms.
#[derive(Clone, Debug)]
pub struct Latencies {
    bins: Vec<u64>,
    count: u64,
}

impl Default for Latencies {
    fn default() -> Self {
        Self { bins: vec![0; BINS], count: 0 }
    }
}

impl Latencies {
    /// Records a time.
    pub fn record(&mut self, ns: u64) {
        let bin = usize::try_from(ns / 100).unwrap_or(BINS).min(BINS - 1);
        self.bins[bin] += 1;
        self.count += 1;
    }

    /// Returns the upper edge of the bin in which the `q`-th part of the times ends, in microseconds; `None` without times.
    pub fn quantile_us(&self, q: f64) -> Option<f64> {
        let rank = ((q * self.count as f64).ceil() as u64).max(1);
        let mut below = 0;
        let bin = self.bins.iter().position(|count| {
            below += count;
            below >= rank
        })?;
        Some((bin + 1) as f64 / 10.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_within_a_tenth_of_a_microsecond() {
        let mut latencies = Latencies::default();
        assert_eq!(latencies.quantile_us(0.5), None);
        for us in 1..=100 {
            latencies.record(us * 1000);
        }
        // The 50th of 1, 2, ... 100 us is 50 us, in the bin up to 50.1 us.
        assert_eq!(latencies.quantile_us(0.5), Some(50.1));
        assert_eq!(latencies.quantile_us(0.99), Some(99.1));
        latencies.record(u64::MAX);
        assert_eq!(latencies.quantile_us(1.0), Some(10_000.0));
    }
}
