//! Westwood's estimate of the bandwidth: a low-pass filter over the packets that each acknowledgement reports
//! as arrived.

use crate::control::Ack;
use ackclock_base::Time;

/// The weights of the module's type 1, 19/21 and 1/21: those of the filter with a time constant for
/// acknowledgements tau/10 apart.
const FIXED: (f64, f64) = (0.9047, 0.0476);

/// The greatest number of packets that an acknowledgement counts for: a higher number would mean that
/// acknowledgements were lost.
const MAX_PACKETS: u64 = 2;

/// The bandwidth of the network, estimated from arrivals.
#[derive(Clone, Debug)]
pub struct Bandwidth {
    fixed: bool,
    time_constant: f64,
    /// The estimate in packets per second.
    filtered: f64,
    last_sample: f64,
    last_ack: Option<Time>,
    acked_to: u64,
    /// The number of duplicates that counted for packets which a cumulative acknowledgement will report
    /// again.
    counted_before: u64,
    /// Packets acknowledged at the same instant as the last sample.
    pending: u64,
}

impl Bandwidth {
    /// Creates the filter with fixed weights, or with a time constant in seconds.
    pub fn new(fixed: bool, time_constant: f64) -> Self {
        Self {
            fixed,
            time_constant,
            filtered: 0.0,
            last_sample: 0.0,
            last_ack: None,
            acked_to: 0,
            counted_before: 0,
            pending: 0,
        }
    }

    /// Returns the estimate, in packets per second.
    pub fn packets_per_second(&self) -> f64 {
        self.filtered
    }

    /// Takes an acknowledgement, also a duplicate, as a sample. Acknowledgements at the same instant are one
    /// sample.
    pub fn observe(&mut self, ack: &Ack) {
        self.pending += self.packets(ack);
        let Some(last) = self.last_ack else {
            (self.last_ack, self.pending) = (Some(ack.now), 0);
            return;
        };
        let interval = ack.now.since(last).seconds();
        if interval > 0.0 {
            self.sample(self.pending as f64, interval);
            (self.last_ack, self.pending) = (Some(ack.now), 0);
        }
    }

    /// Returns how many packets an acknowledgement reports as arrived.
    fn packets(&mut self, ack: &Ack) -> u64 {
        let new = ack.acked_to.saturating_sub(self.acked_to);
        self.acked_to = ack.acked_to;
        if new == 0 {
            self.counted_before += 1;
            return 1;
        }
        if new == 1 {
            return 1;
        }
        let before = self.counted_before;
        self.counted_before = before.saturating_sub(new);
        new.saturating_sub(before).clamp(1, MAX_PACKETS)
    }

    fn sample(&mut self, packets: f64, mut interval: f64) {
        if self.fixed {
            self.filter(packets / interval, FIXED);
            return;
        }
        let tau = self.time_constant;
        let half = tau / 2.0;
        let mut idle = libm::floor(interval / half);
        interval -= idle * half;
        // The module counts a remainder of less than 10 ms as another half of tau.
        if interval < 0.01 && idle > 0.0 {
            interval = half;
            idle -= 1.0;
        }
        if idle > 0.0 {
            // Samples of zero, tau/2 apart, have weights 3/5 and 1/5; after the first, the previous sample is
            // zero too.
            self.filter(0.0, (0.6, 0.2));
            self.filtered *= libm::pow(0.6, idle - 1.0);
        }
        let weights = ((2.0 * tau - interval) / (2.0 * tau + interval), interval / (2.0 * tau + interval));
        self.filter(packets / interval, weights);
    }

    fn filter(&mut self, sample: f64, (old, new): (f64, f64)) {
        self.filtered = old * self.filtered + new * (sample + self.last_sample);
        self.last_sample = sample;
    }
}
