//! What losses say of the path: the delivery of the latest round, and the bounds on rate and volume that follow
//! (draft-ietf-ccwg-bbr sections 5.5.6, 5.5.10).

use super::parameters::Parameters;
use crate::control::{Ack, Lost, RateSample};
use ackclock_base::{Packets, at_least};

/// Bounds; infinite where there is none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Packets per second, until the next probe.
    pub bw_shortterm: f64,
    /// Packets in flight, until the next probe.
    pub inflight_shortterm: Packets,
    /// Packets in flight that a probe has found to be too many.
    pub inflight_longterm: Packets,
}

impl Bounds {
    /// None.
    pub const NONE: Self = Self {
        bw_shortterm: f64::INFINITY,
        inflight_shortterm: f64::INFINITY,
        inflight_longterm: f64::INFINITY,
    };

    /// The long-term bound less what is left to others.
    pub fn with_headroom(&self, parameters: &Parameters) -> Packets {
        let headroom = at_least(parameters.headroom * self.inflight_longterm, 1.0);
        if self.inflight_longterm.is_finite() {
            at_least(self.inflight_longterm - headroom, parameters.min_pipe_cwnd)
        } else {
            f64::INFINITY
        }
    }

    /// Forgets what losses between probes have taught.
    pub fn forget_short_term(&mut self) {
        self.bw_shortterm = f64::INFINITY;
        self.inflight_shortterm = f64::INFINITY;
    }

    /// A round with losses outside a probe has ended.
    pub fn lower(&mut self, max_bw: f64, cwnd: Packets, latest: &Latest, beta: f64) {
        let or = |bound: f64, start: f64| if bound.is_finite() { bound } else { start };
        self.bw_shortterm = latest.bw.max(beta * or(self.bw_shortterm, max_bw));
        self.inflight_shortterm = latest.inflight.max(beta * or(self.inflight_shortterm, cwnd));
    }

    /// The reaction to a loss that was none: each as high as before.
    pub fn restore(&mut self, before: &Self) {
        self.bw_shortterm = self.bw_shortterm.max(before.bw_shortterm);
        self.inflight_shortterm = self.inflight_shortterm.max(before.inflight_shortterm);
        self.inflight_longterm = self.inflight_longterm.max(before.inflight_longterm);
    }

    /// Packets have changed their size.
    pub fn scale(&mut self, factor: f64) {
        self.bw_shortterm *= factor;
        self.inflight_shortterm *= factor;
        self.inflight_longterm *= factor;
    }
}

/// Whether so many of a flight are too many.
pub fn too_high(lost: Packets, tx_in_flight: Packets, parameters: &Parameters) -> bool {
    lost > parameters.loss_threshold * tx_in_flight
}

/// How much was in flight when the losses before this packet, and a part of it, reached the threshold: a packet, or what an
/// interface sends as one, may be large.
pub fn inflight_at_loss(lost: &Lost, parameters: &Parameters) -> Packets {
    let threshold = parameters.loss_threshold;
    let flight_before = lost.tx_in_flight - lost.size;
    let lost_before = lost.lost - lost.size;
    flight_before + (threshold * flight_before - lost_before) / (1.0 - threshold)
}

/// What the latest round with a loss, or the present one, has delivered.
#[derive(Clone, Copy, Debug, Default)]
pub struct Latest {
    /// Packets per second.
    pub bw: f64,
    /// Packets.
    pub inflight: Packets,
    /// Whether anything was lost in it.
    pub has_loss: bool,
    /// Whether such a round ends with the present acknowledgement.
    pub round_start: bool,
    round_ends_at: Packets,
}

impl Latest {
    /// Takes an acknowledgement in, with the rate of its sample where that is plausible.
    pub fn take(&mut self, ack: &Ack, sample: &RateSample, rate: Option<f64>) {
        self.bw = at_least(rate.unwrap_or(0.0), self.bw);
        self.inflight = at_least(sample.delivered, self.inflight);
        self.round_start = sample.prior_delivered >= self.round_ends_at;
        if self.round_start {
            self.round_ends_at = ack.delivered;
        }
    }

    /// Ends taking in an acknowledgement: the next round begins with its sample.
    pub fn advance(&mut self, sample: &RateSample, rate: Option<f64>) {
        if self.round_start {
            (self.bw, self.inflight) = (rate.unwrap_or(0.0), sample.delivered);
        }
    }

    /// A packet is lost with so much delivered: with the first a round begins.
    pub fn on_lost(&mut self, delivered: Packets) {
        if !self.has_loss {
            self.round_ends_at = delivered;
        }
        self.has_loss = true;
    }

    /// Forgets.
    pub fn reset(&mut self) {
        (self.has_loss, self.bw, self.inflight) = (false, 0.0, 0.0);
    }

    /// Packets have changed their size.
    pub fn scale(&mut self, factor: f64) {
        self.bw *= factor;
        self.inflight *= factor;
        self.round_ends_at *= factor;
    }
}
