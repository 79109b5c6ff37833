//! The counts of a sender.

use ackclock_base::{Packets, Span, Time};

/// Counts since the connection began, or since the [last reset](super::Sender::reset_counts) at the end of the
/// warm-up.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Data packets sent, including retransmissions.
    pub sent: u64,
    /// Retransmissions.
    pub retransmitted: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// The sum of the times from the last packet sent to each expiry of the retransmission timer.
    pub timeout_idle: Span,
    /// Probes: packets that a rule's timer sent to learn of losses.
    pub probes: u64,
    /// The number of times that persistent congestion was found.
    pub persistent_congestions: u64,
    /// Recoveries begun.
    pub fast_retransmits: u64,
    /// The integral of the congestion window, in packet nanoseconds, up to `cwnd_since`.
    cwnd_area: f64,
    cwnd_since: Time,
}

impl Counts {
    pub(super) fn begin(&mut self, now: Time) {
        self.cwnd_since = now;
    }

    pub(super) fn reset(&mut self, now: Time) {
        *self = Self { cwnd_since: self.cwnd_since.max(now), ..Self::default() };
    }

    /// Adds the counts of another sender, except for the integral of its window.
    pub fn absorb(&mut self, other: &Self) {
        self.sent += other.sent;
        self.retransmitted += other.retransmitted;
        self.timeouts += other.timeouts;
        self.timeout_idle += other.timeout_idle;
        self.probes += other.probes;
        self.persistent_congestions += other.persistent_congestions;
        self.fast_retransmits += other.fast_retransmits;
    }

    #[inline]
    pub(super) fn note_sent(&mut self, again: bool) {
        self.sent += 1;
        self.retransmitted += u64::from(again);
    }

    pub(super) fn note_timeout(&mut self, idle: Span) {
        self.timeouts += 1;
        self.timeout_idle += idle;
    }

    /// Returns whether the integral of the window reaches only to a time before `now`.
    #[inline]
    pub(super) fn is_behind(&self, now: Time) -> bool {
        now > self.cwnd_since
    }

    #[inline]
    pub(super) fn add_area(&mut self, now: Time, cwnd: Packets) {
        // A signed conversion takes one instruction, an unsigned one several.
        self.cwnd_area += cwnd * now.since(self.cwnd_since).nanos() as i64 as f64;
        self.cwnd_since = now;
    }

    /// Returns the integral of the congestion window in packet seconds, up to the last call of
    /// [`Self::add_area`].
    pub(super) fn cwnd_area(&self) -> f64 {
        self.cwnd_area / 1e9
    }
}
