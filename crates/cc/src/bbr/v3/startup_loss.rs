//! Whether Startup ends because of losses (draft-ietf-ccwg-bbr section 5.3.1.3): a round of recovery with more than two per
//! cent lost, in at least six places. Without selective acknowledgements no places are known, and any loss ends it.

use super::bounds::{Latest, too_high};
use super::parameters::Parameters;
use crate::control::{Ack, Phase, RateSample};

/// Counts the runs of lost packets in a round. Packets lost in a row are one place, not many.
#[derive(Clone, Copy, Debug)]
pub struct StartupLoss {
    selective: bool,
    ranges: u32,
    last: Option<u64>,
    marked: bool,
}

impl StartupLoss {
    /// Nothing lost; losses are found by selective acknowledgements, or not.
    pub fn new(selective: bool) -> Self {
        Self { selective, ranges: 0, last: None, marked: false }
    }

    /// The packet of this number is lost.
    pub fn on_lost(&mut self, number: u64) {
        let follows = self.last.is_some_and(|last| number == last + 1);
        self.ranges += u32::from(!follows);
        self.last = Some(number);
    }

    /// Packets are marked that count as lost, where is not known. Nothing is being repaired then.
    pub fn on_marked(&mut self) {
        self.ranges += 1;
        self.marked = true;
    }

    /// Whether it was too much, asked at each acknowledgement; the count starts anew with each round.
    pub fn take(&mut self, ack: &Ack, sample: &RateSample, latest: &Latest, parameters: &Parameters) -> bool {
        let repairs = ack.phase == Phase::Recovery;
        if !self.selective && repairs {
            return true;
        }
        if !latest.round_start {
            return false;
        }
        let Self { ranges, marked, .. } = std::mem::replace(self, Self::new(self.selective));
        (repairs || marked)
            && ranges >= parameters.startup_full_loss_count
            && too_high(sample.lost, sample.tx_in_flight, parameters)
    }
}
