//! Counts congestion marks as losses (draft-ietf-ccwg-bbr section 3.7), if the host reports each mark: to the
//! model, and only to the model, a marked packet is a lost one.
//!
//! The host knows how many losses followed the sending of a packet. Marks are counted here per round instead.
//! When a round ends, the acknowledged packet was sent at its beginning, so that the number is exact; before
//! that it covers the round so far.

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
    /// Counts the marks of an acknowledgement. Returns the number of packets marked in its round so far.
    fn take(&mut self, ack: &Ack, sample: &RateSample) -> Packets {
        self.packets += f64::from(ack.marks);
        let packets = self.packets;
        if sample.prior_delivered >= self.round_ends_at {
            (self.packets, self.round_ends_at) = (0.0, ack.delivered);
        }
        packets
    }
}

impl BbrV3 {
    /// Adds the marks of an acknowledgement to the losses of its sample, and ends a probe with too many.
    /// Since no packet is lost, the long-term bound becomes the flight itself (`BBRHandleInflightTooHigh` as
    /// called on an acknowledgement).
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
