//! LTCP-RC (S. Jain 2005, chapters IV and V): LTCP whose increase is multiplied by a factor that makes up for a long
//! round trip, always or only while the flow is in transition.

pub mod factor;
pub mod history;

use self::factor::Factors;
use self::history::LossLayers;
use crate::classic::{Classic, Window, WindowLaw};
use crate::control::{Ack, Loss, Timeout};
use crate::laws::ltcp::{self, FirstLayer, Ltcp};
use crate::registry::{Build, Companions, Entry, control};
use ackclock_base::{Packets, Range, choice, parameters};

/// The entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "ltcp-rc",
        "LTCP whose increase makes up for a long round trip, always or while the flow is in transition",
        "S. Jain 2005 chapters IV (fixed) and V (on-off, full-half)",
        Parameters::TABLE,
    ),
    build: Build::Alone(|values, initial| Box::new(Classic::new(LtcpRc::new(values.into()), initial))),
    companions: Companions::recovery("sack"),
};

choice! {
    /// What multiplies the increase of a steady flow.
    pub enum Mode {
        /// The factor of a flow in transition.
        Fixed = "fixed",
        /// Nothing.
        OnOff = "on-off",
        /// The factor with `steady_c` in the place of `c`.
        FullHalf = "full-half",
    }
}

choice! {
    /// What the layers of the last three losses must show for a flow to be called steady.
    pub enum Steady {
        /// The pseudo-code: none of them lies above the one before.
        NotRising = "not-rising",
        /// The prose: all are the same, or the last lies below the one before.
        SameOrFalling = "same-or-falling",
    }
}

choice! {
    /// When a new least round trip changes the factor.
    pub enum Update {
        /// As soon as it is seen.
        AtOnce = "at-once",
        /// When the flow next becomes steady or is in transition again.
        AtEvent = "at-event",
    }
}

parameters! {
    /// LTCP's, with those of the factor and of what tells a steady flow.
    pub struct Parameters {
        /// The factor of a steady flow: as in transition (fixed), 1 (on-off), or with steady_c (full-half)
        mode: Mode = choice("fixed", "S. Jain chapter IV; chapter V equations 5.1 and 5.2"),
        /// The factor is c times a power of the least round trip in milliseconds
        c: f64 = number(
            "0.5",
            Range::above(0.0),
            "S. Jain equation 4.2; chapter IV section E1 sweeps 0.4 to 0.8 and takes 0.5",
        ),
        /// In mode full-half, what takes the place of c while the flow is steady
        steady_c: f64 = number("0.3", Range::above(0.0), "S. Jain equation 5.2"),
        /// The power of the least round trip
        alpha: f64 = number(
            "0.3333333333333333",
            Range::between(0.0, 5.0),
            "S. Jain equation 4.2; table I: 1/3 shares as TCP does, 5/3 regardless of round trips",
        ),
        layer_threshold: Packets = ltcp::LAYER_THRESHOLD,
        beta: f64 = ltcp::BETA,
        /// When a flow is steady: the last three losses fell in layers that do not rise, or in the same or a lower
        steady_rule: Steady = choice(
            "not-rising",
            "S. Jain chapter V section A: not-rising in the pseudo-code, same-or-falling in the prose",
        ),
        /// Whether a new least round trip changes the factor at once or at the next change of state
        update: Update = choice(
            "at-once",
            "S. Jain chapter IV, in words; the pseudo-code of chapter V stores it for the next event",
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
    /// The law of a flow in transition, before the first round trip is known.
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
        // A flow that climbs past the layer of its last loss is in transition (pseudo-code of chapter V section A).
        let layer = self.ltcp.layer();
        if layer > before && layer > self.losses.current() {
            self.factors.enter(true);
        }
    }

    /// K_R K / cwnd for each acknowledgement (chapter IV).
    fn avoid_congestion(&mut self, window: &mut Window, ack: &Ack) {
        let factor = if self.ltcp.is_tcp() { 1.0 } else { self.factors.in_force() };
        self.ltcp.grow(window, ack, factor);
    }

    /// The printed pseudo-code has the cut inside the branch of a flow in transition; a flow that is steady would then
    /// never give way. It is taken to apply to both.
    fn decrease(&mut self, from: Packets, loss: &Loss) -> Packets {
        let steady = self.losses.record(self.ltcp.layer());
        self.factors.enter(!steady);
        self.ltcp.decrease(from, loss)
    }

    /// Not a loss event of the thesis, which counts triple duplicates: as LTCP.
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
