//! The share of marked packets, averaged over periods.

use crate::control::Ack;
use ackclock_base::{Packets, Span, Time};

/// The average, and the period being observed.
#[derive(Clone, Copy, Debug)]
pub struct Marks {
    /// The average share of marked packets.
    pub alpha: f64,
    /// Whether a mark has been seen; before that, no queue on the path is known to mark.
    pub seen: bool,
    /// The number of periods outside slow start.
    pub rounds: u32,
    acked: Packets,
    marked: Packets,
    /// The period lasts at least until everything below this packet number is acknowledged.
    until: u64,
    /// The time of the last update of the average; `None` before the first mark.
    taken_at: Option<Time>,
}

impl Marks {
    /// Creates the state before the first packet is sent.
    pub fn new(alpha: f64) -> Self {
        Self { alpha, seen: false, rounds: 0, acked: 0.0, marked: 0.0, until: 0, taken_at: None }
    }

    /// Counts an acknowledgement. Returns whether it ends a period, which lasts at least a round trip and at
    /// least `least`.
    pub fn take(&mut self, ack: &Ack, gain: f64, least: Span, in_slow_start: bool) -> bool {
        self.seen |= ack.marks > 0;
        self.acked += ack.newly_acked;
        self.marked += f64::from(ack.marks);
        let is_long_enough = self.taken_at.is_none_or(|at| ack.now >= at + least);
        if ack.acked_to < self.until || !is_long_enough || self.acked <= 0.0 {
            return false;
        }
        if self.seen {
            // A packet that arrives twice may be marked twice and is acknowledged once.
            let share = (self.marked / self.acked).min(1.0);
            self.alpha += gain * (share - self.alpha);
            self.taken_at = Some(ack.now);
        }
        (self.acked, self.marked, self.until) = (0.0, 0.0, ack.sent_to);
        self.rounds = self.rounds.saturating_add(u32::from(!in_slow_start));
        true
    }

    /// Returns the time since the last update of the average; [`Span::MAX`] if there was none.
    pub fn since_period(&self, now: Time) -> Span {
        self.taken_at.map_or(Span::MAX, |at| now.since(at))
    }
}
