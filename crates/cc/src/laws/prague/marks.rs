//! The share of packets that are marked, averaged over periods.

use crate::control::Ack;
use ackclock_base::{Packets, Span, Time};

/// The average, and the period being observed.
#[derive(Clone, Copy, Debug)]
pub struct Marks {
    /// The average share of marked packets.
    pub alpha: f64,
    /// Whether a mark has been seen: before, there is no sign of a queue that marks.
    pub seen: bool,
    /// Periods outside slow start.
    pub rounds: u32,
    acked: Packets,
    marked: Packets,
    /// The period ends when everything below this number is acknowledged.
    until: u64,
    /// When the average was last taken; `None` before the first mark.
    taken_at: Option<Time>,
}

impl Marks {
    /// No packet sent yet.
    pub fn new(alpha: f64) -> Self {
        Self { alpha, seen: false, rounds: 0, acked: 0.0, marked: 0.0, until: 0, taken_at: None }
    }

    /// Takes an acknowledgement in. Returns whether a period ends with it: a round trip has passed, and `least`.
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

    /// How long ago the average was taken; [`Span::MAX`] if it has not been.
    pub fn since_period(&self, now: Time) -> Span {
        self.taken_at.map_or(Span::MAX, |at| now.since(at))
    }
}
