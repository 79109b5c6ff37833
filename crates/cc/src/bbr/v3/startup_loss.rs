//! Ends Startup because of losses (draft-ietf-ccwg-bbr section 5.3.1.3): in a round of recovery more than two
//! per cent are lost, in at least six runs. Without selective acknowledgements the runs are not known, and
//! any loss ends Startup.

use super::bounds::{Latest, too_high};
use super::parameters::Parameters;
use crate::control::{Ack, Phase, RateSample};

/// Counts the runs of lost packets in a round. Packets lost in a row are one run.
#[derive(Clone, Copy, Debug)]
pub struct StartupLoss {
    selective: bool,
    ranges: u32,
    last: Option<u64>,
    marked: bool,
}

impl StartupLoss {
    /// Creates the counter. `selective` says whether losses are found by selective acknowledgements.
    pub fn new(selective: bool) -> Self {
        Self { selective, ranges: 0, last: None, marked: false }
    }

    /// Records the loss of packet `number`.
    pub fn on_lost(&mut self, number: u64) {
        let follows = self.last.is_some_and(|last| number == last + 1);
        self.ranges += u32::from(!follows);
        self.last = Some(number);
    }

    /// Records marked packets that count as lost. Their numbers are not known, so they are one run. They
    /// count although no recovery is in progress.
    pub fn on_marked(&mut self) {
        self.ranges += 1;
        self.marked = true;
    }

    /// Returns whether the losses end Startup. Called at each acknowledgement; each round starts a new count.
    pub fn take(&mut self, ack: &Ack, sample: &RateSample, latest: &Latest, parameters: &Parameters) -> bool {
        let repairs = ack.phase == Phase::Recovery;
        if !self.selective && repairs {
            return true;
        }
        if !latest.round_start {
            return false;
        }
        let Self { ranges, marked, .. } = std::mem::replace(self, Self::new(self.selective));
        //= draft-ietf-ccwg-bbr section 5.3.1.3: Startup ends after a recovery round in which over 2 % of the data in flight is lost, in at least six separate ranges
        (repairs || marked)
            && ranges >= parameters.startup_full_loss_count
            && too_high(sample.lost, sample.tx_in_flight, parameters)
    }
}
