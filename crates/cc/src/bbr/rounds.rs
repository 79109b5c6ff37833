//! Round trips counted by packets (draft-ietf-ccwg-bbr section 5.5.1), and whether the window was used up in one.
//!
//! The host counts rounds as well ([`Ack::round_start`]), but a state of BBR begins a round when it is entered.

use crate::control::{Ack, RateSample};
use ackclock_base::Packets;

/// Packet-timed rounds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rounds {
    /// Rounds so far.
    pub count: u64,
    /// Whether a round ends with the present acknowledgement.
    pub start: bool,
    /// The round ends when a packet is acknowledged that was sent with so much delivered.
    ends_at: Packets,
    /// How much has been delivered.
    delivered: Packets,
    begins_with_ack: bool,
    limited_before: bool,
    limited_now: bool,
}

impl Rounds {
    /// Takes an acknowledgement in, before which this window was in force.
    pub fn take(&mut self, ack: &Ack, sample: &RateSample, cwnd: Packets) {
        self.delivered = ack.delivered;
        if std::mem::take(&mut self.begins_with_ack) {
            self.ends_at = ack.delivered;
        }
        self.start = sample.prior_delivered >= self.ends_at;
        if self.start {
            self.ends_at = ack.delivered;
            self.count += 1;
            self.limited_before = std::mem::take(&mut self.limited_now);
        }
        // Before it arrived there was no room for a packet more. (A host without validation of its window, RFC 7661, says of
        // every moment that the window was the limit, which a paced flow then never sees end.)
        self.limited_now |= ack.inflight_before + 1.0 > cwnd;
    }

    /// A round begins with so much delivered.
    pub fn begin(&mut self, delivered: Packets) {
        self.ends_at = delivered;
    }

    /// A round begins with the acknowledgement that is about to be taken in: what it delivers is not known yet.
    pub fn begin_with_ack(&mut self) {
        self.begins_with_ack = true;
    }

    /// How much had been delivered at the last acknowledgement.
    pub fn delivered(&self) -> Packets {
        self.delivered
    }

    /// Whether the window was what held the host back at any moment of this round or of the one before. An acknowledgement
    /// only tells of the moment before it.
    pub fn cwnd_limited(&self) -> bool {
        self.limited_before || self.limited_now
    }

    /// Packets have changed their size.
    pub fn scale(&mut self, factor: f64) {
        self.ends_at *= factor;
        self.delivered *= factor;
    }
}
