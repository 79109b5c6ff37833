//! Whether Startup ends because of losses (draft-ietf-ccwg-bbr section 5.3.1.3): a round of recovery with more than two per
//! cent lost, in at least six places.

use super::bounds::{Latest, too_high};
use crate::control::{Ack, Phase, RateSample};

/// `StartupFullLossCnt`.
const RANGES: u32 = 6;

/// Counts the runs of lost packets in a round. Packets lost in a row are one place, not many.
#[derive(Clone, Copy, Debug, Default)]
pub struct StartupLoss {
    ranges: u32,
    last: Option<u64>,
}

impl StartupLoss {
    /// The packet of this number is lost.
    pub fn on_lost(&mut self, number: u64) {
        let follows = self.last.is_some_and(|last| number == last + 1);
        self.ranges += u32::from(!follows);
        self.last = Some(number);
    }

    /// Whether it was too much, asked at each acknowledgement; the count starts anew with each round.
    pub fn take(&mut self, ack: &Ack, sample: &RateSample, latest: &Latest) -> bool {
        if !latest.round_start {
            return false;
        }
        let Self { ranges, .. } = std::mem::take(self);
        ack.phase == Phase::Recovery && ranges >= RANGES && too_high(sample.lost, sample.tx_in_flight)
    }
}
