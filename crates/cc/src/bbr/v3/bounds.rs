//! The model's view of losses: the delivery in the latest round, and the bounds on rate and volume
//! (draft-ietf-ccwg-bbr sections 5.5.6, 5.5.10).

use super::parameters::Parameters;
use crate::control::{Ack, Lost, RateSample};
use ackclock_base::{Packets, at_least};

/// The bounds; infinite if there is no bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The bound on the rate until the next probe, in packets per second.
    pub bw_shortterm: f64,
    /// The bound on packets in flight until the next probe.
    pub inflight_shortterm: Packets,
    /// The number of packets in flight that a probe has found to be too many.
    pub inflight_longterm: Packets,
}

impl Bounds {
    /// No bounds.
    pub const NONE: Self = Self {
        bw_shortterm: f64::INFINITY,
        inflight_shortterm: f64::INFINITY,
        inflight_longterm: f64::INFINITY,
    };

    /// Returns the long-term bound less the headroom left to other flows, which is a share of the bound and at
    /// least one packet. The result is at least the smallest pipe, and infinite if there is no bound.
    pub fn with_headroom(&self, parameters: &Parameters) -> Packets {
        //= draft-ietf-ccwg-bbr section 5.3.3.9 headroom: ProbeBW_CRUISE limits the data in flight to inflight_longterm minus 15 % or one packet, whichever is more
        let headroom = at_least(parameters.headroom * self.inflight_longterm, 1.0);
        if self.inflight_longterm.is_finite() {
            at_least(self.inflight_longterm - headroom, parameters.min_pipe_cwnd)
        } else {
            f64::INFINITY
        }
    }

    /// Removes the bounds that losses between probes have set.
    pub fn forget_short_term(&mut self) {
        self.bw_shortterm = f64::INFINITY;
        self.inflight_shortterm = f64::INFINITY;
    }

    /// Lowers the short-term bounds after a round with losses outside a probe; `beta` is the share that they
    /// keep.
    pub fn lower(&mut self, max_bw: f64, cwnd: Packets, latest: &Latest, beta: f64) {
        let or = |bound: f64, start: f64| if bound.is_finite() { bound } else { start };
        //= draft-ietf-ccwg-bbr section 5.5.10.3 lower: after a lossy round, the short-term bounds on bandwidth and data in flight fall by 30 %, but not below that round's own values
        self.bw_shortterm = latest.bw.max(beta * or(self.bw_shortterm, max_bw));
        self.inflight_shortterm = latest.inflight.max(beta * or(self.inflight_shortterm, cwnd));
    }

    /// Raises each bound to at least its value in `before`, when a loss proves spurious.
    pub fn restore(&mut self, before: &Self) {
        self.bw_shortterm = self.bw_shortterm.max(before.bw_shortterm);
        self.inflight_shortterm = self.inflight_shortterm.max(before.inflight_shortterm);
        self.inflight_longterm = self.inflight_longterm.max(before.inflight_longterm);
    }
}

/// Returns whether `lost` packets of a flight of `tx_in_flight` exceed the loss threshold.
pub fn too_high(lost: Packets, tx_in_flight: Packets, parameters: &Parameters) -> bool {
    //= draft-ietf-ccwg-bbr section 5.5.10.2 too-high: the loss is too high if more than 2 % of the data in flight is lost
    lost > parameters.loss_threshold * tx_in_flight
}

//= draft-ietf-ccwg-bbr section 5.5.10.2 prefix: the long-term bound is the data in flight at which the loss reached 2 %, even if that point lies within a packet
/// Returns the flight, in packets, at which the losses reached the threshold. That point lies within the lost
/// packet, which may be large where an interface sends several as one.
pub fn inflight_at_loss(lost: &Lost, parameters: &Parameters) -> Packets {
    let threshold = parameters.loss_threshold;
    let flight_before = lost.tx_in_flight - lost.size;
    let lost_before = lost.lost - lost.size;
    flight_before + (threshold * flight_before - lost_before) / (1.0 - threshold)
}

/// The delivery in the current round, and whether it lost packets.
#[derive(Clone, Copy, Debug, Default)]
pub struct Latest {
    /// The greatest delivery rate of the round, in packets per second.
    pub bw: f64,
    /// The greatest number of packets that a sample of the round delivered.
    pub inflight: Packets,
    /// Whether anything was lost in the round.
    pub has_loss: bool,
    /// Whether the round ends with the present acknowledgement.
    pub round_start: bool,
    round_ends_at: Packets,
}

impl Latest {
    /// Updates the round at an acknowledgement. `rate` is its sample's rate in packets per second, or `None`
    /// if that is implausible.
    pub fn take(&mut self, ack: &Ack, sample: &RateSample, rate: Option<f64>) {
        self.bw = at_least(rate.unwrap_or(0.0), self.bw);
        self.inflight = at_least(sample.delivered, self.inflight);
        self.round_start = sample.prior_delivered >= self.round_ends_at;
        if self.round_start {
            self.round_ends_at = ack.delivered;
        }
    }

    /// Finishes an acknowledgement: if it has ended a round, the next round begins with its sample.
    pub fn advance(&mut self, sample: &RateSample, rate: Option<f64>) {
        if self.round_start {
            (self.bw, self.inflight) = (rate.unwrap_or(0.0), sample.delivered);
        }
    }

    /// Records a lost packet. The first of a round begins the round anew: it ends when a packet is
    /// acknowledged that was sent after `delivered` packets had been delivered.
    pub fn on_lost(&mut self, delivered: Packets) {
        if !self.has_loss {
            self.round_ends_at = delivered;
        }
        self.has_loss = true;
    }

    /// Forgets the losses and the delivery of the round.
    pub fn reset(&mut self) {
        (self.has_loss, self.bw, self.inflight) = (false, 0.0, 0.0);
    }
}
