//! The stay in ProbeRTT: from when the flight is small enough, for a while and at least a round.

use super::rounds::Rounds;
use crate::control::Ack;
use ackclock_base::{Packets, Span, Time};

/// A stay.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stay {
    /// `probe_rtt_done_stamp`: nothing while the flight is still too large.
    until: Option<Time>,
    /// `probe_rtt_round_done`.
    round_done: bool,
}

impl Stay {
    /// It begins, with too much in flight.
    pub fn begin(&mut self) {
        *self = Self::default();
    }

    /// Takes an acknowledgement in. Whether it is over, after `duration` with no more than `most` in flight. What is compared
    /// is the bound on the window, its floor included: half of the product of a slow path is never reached.
    pub fn is_over(&mut self, ack: &Ack, most: Packets, duration: Span, rounds: &mut Rounds) -> bool {
        if self.until.is_none() {
            if ack.inflight <= most {
                (self.until, self.round_done) = (Some(ack.now + duration), false);
                rounds.begin(ack.delivered);
            }
            return false;
        }
        self.round_done |= rounds.start;
        self.round_done && self.has_passed(ack.now)
    }

    /// Whether its time is over, whatever has been acknowledged.
    pub fn has_passed(&self, now: Time) -> bool {
        self.until.is_some_and(|until| now > until)
    }
}
