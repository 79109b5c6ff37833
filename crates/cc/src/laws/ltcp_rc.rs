//! LTCP-RC (S. Jain 2005, chapters IV and V): LTCP whose increase is multiplied by a factor that compensates
//! for a long round trip, always or only while the flow is in transition.

pub mod factor;
pub mod history;

use self::factor::Factors;
use self::history::LossLayers;
use crate::classic::{Classic, Window, WindowLaw};
use crate::control::{Ack, Loss, Timeout};
use crate::entry::{Build, Entry, PublishedDefaults, control};
use crate::laws::ltcp::{self, FirstLayer, Ltcp};
use ackclock_base::{Packets, Range, choice, parameters};

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "ltcp-rc",
        "Layered TCP (LTCP) whose increase compensates for a long RTT: always (fixed), less once the flow is \
         steady (full-half), or only until it is steady (on-off)",
        "S. Jain 2005 chapters IV (fixed) and V (on-off, full-half)",
        Parameters::TABLE,
    ),
    build: Build::Alone(|values, initial| Box::new(Classic::new(LtcpRc::new(values.into()), initial))),
    published: PublishedDefaults::recovery("sack"),
};

choice! {
    /// The factor on the increase of a steady flow.
    pub enum Mode {
        /// The factor of a flow in transition.
        Fixed = "fixed",
        /// The factor 1.
        OnOff = "on-off",
        /// The factor with `steady_c` instead of `c`.
        FullHalf = "full-half",
    }
}

choice! {
    /// The condition on the layers of the last three losses under which a flow is steady.
    pub enum Steady {
        /// The pseudo-code: no layer is above the one before.
        NotRising = "not-rising",
        /// The prose: all three are the same, or the last is below the one before.
        SameOrFalling = "same-or-falling",
    }
}

choice! {
    /// When a new minimum round trip changes the factor.
    pub enum Update {
        /// As soon as it is seen.
        AtOnce = "at-once",
        /// When the flow next becomes steady or enters transition.
        AtEvent = "at-event",
    }
}

parameters! {
    /// LTCP's parameters, those of the factor, and those that define a steady flow.
    pub struct Parameters {
        /// Factor on the window's increase while the flow is steady: unchanged from transition (fixed), 1 (on-off), or
        /// computed with `steady_c` instead of `c` (full-half)
        mode: Mode = choice("fixed", "S. Jain chapter IV; chapter V equations 5.1 and 5.2"),
        /// Multiplier c of the factor on the window's increase: the factor is c times a power of the minimum round
        /// trip in milliseconds
        c: f64 = number(
            "0.5",
            Range::above(0.0),
            "S. Jain equation 4.2; chapter IV section E1 sweeps 0.4 to 0.8 and chooses 0.5",
        ),
        /// Multiplier that replaces c while the flow is steady, in mode full-half
        steady_c: f64 = number("0.3", Range::above(0.0), "S. Jain equation 5.2"),
        /// Exponent of the minimum round trip in the factor on the window's increase
        alpha: f64 = number(
            "0.3333333333333333",
            Range::between(0.0, 5.0),
            "S. Jain equation 4.2; table I: with 1/3, flows with different RTTs share a link as TCP flows do; with \
             5/3, equally",
        ),
        layer_threshold: Packets = ltcp::LAYER_THRESHOLD,
        beta: f64 = ltcp::BETA,
        /// Condition on the layers of the last three losses for a flow to count as steady: no layer is above the
        /// preceding layer (not-rising), or all three are equal or the last is below the preceding layer
        /// (same-or-falling)
        steady_rule: Steady = choice(
            "not-rising",
            "S. Jain chapter V section A: `not-rising` follows the pseudo-code, `same-or-falling` follows the prose",
        ),
        /// When a new minimum round trip changes the factor on the window's increase: at once (at-once), or when the
        /// flow next becomes steady or enters transition (at-event)
        update: Update = choice(
            "at-once",
            "S. Jain: `at-once` follows the prose of chapter IV, `at-event` follows the pseudo-code of chapter V",
        ),
        first_layer: FirstLayer = ltcp::FIRST_LAYER,
    }
}

/// LTCP with a factor on its increase.
#[derive(Clone, Debug)]
pub struct LtcpRc {
    ltcp: Ltcp,
    factors: Factors,
    losses: LossLayers,
}

impl LtcpRc {
    /// Creates the law of a flow in transition, before the first round trip is known.
    pub fn new(parameters: Parameters) -> Self {
        let Parameters { layer_threshold, beta, first_layer, .. } = parameters;
        Self {
            ltcp: Ltcp::new(ltcp::Parameters { layer_threshold, beta, first_layer }),
            factors: Factors::new(parameters),
            losses: LossLayers::new(parameters.steady_rule),
        }
    }
}

impl WindowLaw for LtcpRc {
    fn observe(&mut self, window: &mut Window, ack: &Ack) {
        self.factors.see(ack.min_rtt);
        let before = self.ltcp.layer();
        self.ltcp.observe(window, ack);
        // A flow that grows past the layer of its last loss is in transition (pseudo-code of chapter V
        // section A).
        let layer = self.ltcp.layer();
        if layer > before && layer > self.losses.current() {
            self.factors.enter(true);
        }
    }

    /// Adds K_R K / cwnd per acknowledgement (chapter IV).
    fn avoid_congestion(&mut self, window: &mut Window, ack: &Ack) {
        let factor = if self.ltcp.is_tcp() { 1.0 } else { self.factors.in_force() };
        self.ltcp.grow(window, ack, factor);
    }

    /// Cuts the window and decides whether the flow is steady. In the printed pseudo-code the cut is inside
    /// the branch of a flow in transition, so that a steady flow would never give way; here it applies to
    /// both.
    fn decrease(&mut self, from: Packets, loss: &Loss) -> Packets {
        let steady = self.losses.record(self.ltcp.layer());
        self.factors.enter(!steady);
        self.ltcp.decrease(from, loss)
    }

    /// Handles a timeout as LTCP does. In the thesis a timeout is not a loss event; only triple duplicates
    /// are.
    fn on_timeout(&mut self, window: &mut Window, timeout: &Timeout) {
        self.ltcp.on_timeout(window, timeout);
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        self.ltcp.publish(series);
        series("k_r", self.factors.in_force());
        series("in_transition", f64::from(u8::from(self.factors.in_transition())));
        series("loss_layer", f64::from(self.losses.current()));
    }
}

#[cfg(test)]
mod tests;
