//! What a sender counts.

use ackclock_base::{Packets, Span, Time};

/// Counts over the measured interval.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Data packets sent, retransmissions included.
    pub sent: u64,
    /// Retransmissions.
    pub retransmitted: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// Time from the last packet sent to each such expiry, added up.
    pub timeout_idle: Span,
    /// Probes: packets that a rule's timer has had sent to be told of losses.
    pub probes: u64,
    /// How often the network was found to be in persistent congestion.
    pub persistent_congestions: u64,
    /// Recoveries that began.
    pub fast_retransmits: u64,
    /// The congestion window integrated over time, in packet nanoseconds, up to a time.
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

    /// Counts what another sender has counted as its own, except for the window.
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

    /// Whether the window's area is of the past.
    #[inline]
    pub(super) fn is_behind(&self, now: Time) -> bool {
        now > self.cwnd_since
    }

    #[inline]
    pub(super) fn add_area(&mut self, now: Time, cwnd: Packets) {
        // Signed: one instruction where an unsigned number takes several.
        self.cwnd_area += cwnd * now.since(self.cwnd_since).nanos() as i64 as f64;
        self.cwnd_since = now;
    }

    /// In packet seconds.
    pub(super) fn cwnd_area(&self) -> f64 {
        self.cwnd_area / 1e9
    }
}
