//! The time spent in ProbeRTT: from when few enough packets are in flight, for a given time and at least one
//! round.

use super::rounds::Rounds;
use crate::control::Ack;
use ackclock_base::{Packets, Span, Time};

/// The state of one stay in ProbeRTT.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stay {
    /// `probe_rtt_done_stamp`: when the time of the stay is over; `None` while too many packets are in
    /// flight.
    until: Option<Time>,
    /// `probe_rtt_round_done`: whether a round has ended since few enough packets were in flight.
    round_done: bool,
}

impl Stay {
    /// Begins a stay, with the flight still too large.
    pub fn begin(&mut self) {
        *self = Self::default();
    }

    /// Updates the stay at an acknowledgement. Returns whether it is over: `duration` and one round have
    /// passed since at most `most` packets were first in flight. `most` includes the floor on the window,
    /// because half of the product of a slow path is never reached.
    pub fn is_over(&mut self, ack: &Ack, most: Packets, duration: Span, rounds: &mut Rounds) -> bool {
        if self.until.is_none() {
            if ack.inflight <= most {
                (self.until, self.round_done) = (Some(ack.now + duration), false);
                rounds.begin(ack.delivered);
            }
            return false;
        }
        self.round_done |= rounds.start;
        //= draft-ietf-ccwg-bbr section 5.3.4.1: ProbeRTT ends when both 200 ms and one round have passed since the packets in flight fell to the window of ProbeRTT
        self.round_done && self.has_passed(ack.now)
    }

    /// Returns whether the time of the stay is over, regardless of the round.
    pub fn has_passed(&self, now: Time) -> bool {
        self.until.is_some_and(|until| now > until)
    }
}
