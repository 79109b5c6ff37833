//! Marks of congestion as losses (draft-ietf-ccwg-bbr section 3.6), where the host counts each of them: a packet that has been
//! marked is one lost, for the model alone.
//!
//! How many losses came after a packet was sent the host knows; of marks it is counted here by the round. When a round ends the
//! packet acknowledged was sent at its beginning, so that the number is exact; before, it is what has come of it so far.

use super::BbrV3;
use super::state::State;
use crate::control::{Ack, RateSample};
use ackclock_base::{Packets, Random};

/// The packets marked in this round.
#[derive(Clone, Copy, Debug, Default)]
pub struct Marks {
    packets: Packets,
    round_ends_at: Packets,
}

impl Marks {
    /// Takes an acknowledgement in; how many there are in the round that it belongs to.
    fn take(&mut self, ack: &Ack, sample: &RateSample) -> Packets {
        self.packets += f64::from(ack.marks);
        let packets = self.packets;
        if sample.prior_delivered >= self.round_ends_at {
            (self.packets, self.round_ends_at) = (0.0, ack.delivered);
        }
        packets
    }

    /// Packets have changed their size.
    pub fn scale(&mut self, factor: f64) {
        self.packets *= factor;
        self.round_ends_at *= factor;
    }
}

impl BbrV3 {
    /// Counts the marks of an acknowledgement among the losses of its sample, and ends a probe that has brought too many. No
    /// packet is lost, so the long-term bound is the flight itself (`BBRHandleInflightTooHigh` as it is called on an
    /// acknowledgement).
    pub(super) fn count_marks(&mut self, ack: &Ack, sample: &mut RateSample, random: &mut dyn Random) {
        sample.lost += self.marks.take(ack, sample);
        if ack.marks == 0 {
            return;
        }
        self.latest.on_lost(ack.delivered);
        if self.state == State::Startup {
            self.startup_loss.on_marked();
        }
        if self.cycle.is_probe_sample && self.is_too_high(sample.lost, sample.tx_in_flight) {
            let bound = (!sample.app_limited).then_some(sample.tx_in_flight);
            self.end_probe_too_high(ack.now, ack.delivered, bound, random);
        }
    }
}
