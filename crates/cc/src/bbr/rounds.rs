//! Round trips counted by packets (draft-ietf-ccwg-bbr section 5.5.1), and whether the window was the limit
//! in one.
//!
//! The host counts rounds too ([`Ack::round_start`]), but BBR begins a new round whenever it enters certain
//! states.

use crate::control::{Ack, RateSample};
use ackclock_base::Packets;

/// Packet-timed rounds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rounds {
    /// The number of rounds so far.
    pub count: u64,
    /// Whether the present acknowledgement ends a round.
    pub start: bool,
    /// The round ends when a packet is acknowledged that was sent after this many packets had been delivered.
    ends_at: Packets,
    /// The number of packets delivered so far.
    delivered: Packets,
    begins_with_ack: bool,
    limited_before: bool,
    limited_now: bool,
}

impl Rounds {
    /// Updates the round at an acknowledgement; `cwnd` is the window before it.
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
        // Before this acknowledgement arrived there was no room for one more packet. `ack.cwnd_limited` is
        // not used: a host without congestion window validation (RFC 7661) always sets it, and a paced flow
        // would then appear limited for ever.
        self.limited_now |= ack.inflight_before + 1.0 > cwnd;
    }

    /// Begins a round after `delivered` packets have been delivered.
    pub fn begin(&mut self, delivered: Packets) {
        self.ends_at = delivered;
    }

    /// Begins a round with the next acknowledgement; the number of packets that it delivers is not known yet.
    pub fn begin_with_ack(&mut self) {
        self.begins_with_ack = true;
    }

    /// Returns the number of packets delivered up to the last acknowledgement.
    pub fn delivered(&self) -> Packets {
        self.delivered
    }

    /// Returns whether the window was the limit at any moment of this round or the one before. Each
    /// acknowledgement shows only the moment before it.
    pub fn cwnd_limited(&self) -> bool {
        self.limited_before || self.limited_now
    }
}
