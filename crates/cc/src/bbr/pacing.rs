//! The pacing rate and the quantum (draft-ietf-ccwg-bbr sections 5.6.2 and 5.6.3).

use crate::control::Decision;
use ackclock_base::{Packets, Range, Rate, Size, Span, at_least, at_most, parameters};

/// The round trip assumed for the initial pacing rate if none is known (section 5.6.2).
const UNKNOWN_RTT: Span = Span::from_millis(1);

parameters! {
    /// The parameters of pacing.
    pub struct Details {
        /// Share by which the pacing rate stays below the estimated bandwidth times the pacing gain, so that queues
        /// drain
        pacing_margin: f64 = number(
            "0.01",
            Range::between(0.0, 0.5),
            "BBRv3 draft, section 5.6.2, PacingMarginPercent; Linux",
        ),
        /// Time in which the pacing rate sends one quantum, within the limits `min_quantum` and `max_quantum`; packets
        /// of a quantum leave back to back
        quantum_time: Span = time("1 ms", Range::between(0.0, 0.1), "BBRv3 draft, section 5.6.3; Linux"),
        /// Largest quantum, the data that pacing sends back to back
        max_quantum: Size =
            size("65536 B", Range::between(1.0, 1e7), "BBRv3 draft, section 5.6.3, and Linux: 64 KB in both"),
        /// Smallest quantum, the data that pacing sends back to back
        min_quantum: f64 = packets(
            "2 packets",
            Range::between(1.0, 100.0),
            "BBRv3 draft, section 5.6.3; Linux, which uses 1 packet below 1.2 Mbit/s",
        ),
    }
}

/// The pacing rate and the send quantum.
#[derive(Clone, Copy, Debug)]
pub struct Pacing {
    details: Details,
    /// The pacing rate in packets per second.
    rate: f64,
    quantum: Packets,
    /// The rate, and the quantum in whole packets, as a [`Decision`] holds them. They are computed once because the
    /// host asks more often than they change.
    told: (Rate, u32),
    packet_bytes: u32,
    /// Whether the initial rate was computed from a measured round trip.
    has_seen_rtt: bool,
}

impl Pacing {
    /// Creates the pacing of a connection on an unknown path, with the initial rate `gain * window` per
    /// assumed round trip.
    pub fn new(details: Details, gain: f64, window: Packets, packet_bytes: u32) -> Self {
        let mut pacing = Self {
            details,
            rate: 0.0,
            quantum: 0.0,
            told: (Rate::from_bits_per_second(1), 1),
            packet_bytes,
            has_seen_rtt: false,
        };
        pacing.begin(gain, window, None);
        pacing
    }

    //= draft-ietf-ccwg-bbr section 5.6.2 initial: the first pacing rate is the gain times the initial window per RTT (per 1 ms if no RTT is known)
    /// Sets the initial rate: `gain * window` per round trip of the handshake, or per millisecond if `rtt` is
    /// `None`.
    pub fn begin(&mut self, gain: f64, window: Packets, rtt: Option<Span>) {
        self.has_seen_rtt = rtt.is_some();
        let rtt = rtt.unwrap_or(UNKNOWN_RTT).max(Span::from_nanos(1));
        self.set(gain * window / rtt.seconds());
    }

    /// Recomputes the initial rate at the first round-trip sample, if the handshake had none. Linux does this
    /// (`bbr_init_pacing_rate_from_rtt`); by the drafts a rate computed from a millisecond would last until
    /// the pipe is full.
    #[inline]
    pub fn see_rtt(&mut self, gain: f64, window: Packets, rtt: Option<Span>) {
        if !self.has_seen_rtt && rtt.is_some() {
            self.begin(gain, window, rtt);
        }
    }

    /// Sets the rate from `bandwidth`, which already includes a gain, in packets per second. Until the pipe
    /// is full the rate only rises.
    pub fn follow(&mut self, bandwidth: f64, pipe_is_full: bool) {
        let rate = bandwidth * (1.0 - self.details.pacing_margin);
        //= draft-ietf-ccwg-bbr section 5.6.2 rises: until the pipe is full, the pacing rate only rises
        if rate > self.rate || (pipe_is_full && rate > 0.0 && rate != self.rate) {
            self.set(rate);
        }
    }

    fn set(&mut self, rate: f64) {
        let Details { quantum_time, max_quantum, min_quantum, .. } = self.details;
        self.rate = rate;
        let most = max_quantum.bytes() as f64 / f64::from(self.packet_bytes.max(1));
        //= draft-ietf-ccwg-bbr section 5.6.3: the send quantum is the data sent in a millisecond at the pacing rate, at least two packets and at most 64 KB
        self.quantum = at_least(at_most(rate * quantum_time.seconds(), most), min_quantum);
        let bits_per_second = rate * f64::from(self.packet_bytes) * 8.0;
        self.told = (Rate::from_bits_per_second((bits_per_second as u64).max(1)), self.quantum as u32);
    }

    /// Returns how many packets may leave back to back.
    pub fn quantum(&self) -> Packets {
        self.quantum
    }

    /// Returns the decision for the host with this window.
    pub fn decision(&self, cwnd: Packets) -> Decision {
        let (rate, quantum) = self.told;
        Decision { cwnd, ssthresh: f64::INFINITY, pacing_rate: Some(rate), send_quantum: Some(quantum) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    //= test draft-ietf-ccwg-bbr section 5.6.3
    #[test]
    fn the_quantum_is_a_millisecond_of_the_rate_between_two_packets_and_64_kibibytes() {
        // At gain 1, 99 % of 10, 100 and 1,000 Mbit/s: 1,237.5 bytes (floor 2 packets), 12,375 (8.5), 123,750 (cap 45.3).
        for (megabits, packets) in [(10.0, 2), (100.0, 8), (1000.0, 45)] {
            let mut pacing = Pacing::new(Details::default(), 1.0, 10.0, 1448);
            pacing.follow(megabits * 1e6 / 8.0 / 1448.0, true);
            assert_eq!(pacing.decision(10.0).send_quantum, Some(packets), "{megabits} Mbit/s");
        }
    }
}
