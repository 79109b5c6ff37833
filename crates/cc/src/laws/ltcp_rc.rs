//! LTCP-RC (S. Jain 2005, chapters IV and V): LTCP whose increase is multiplied by a factor that makes up for a long
//! round trip, always or only while the flow is in transition.

pub mod factor;
pub mod history;

use self::factor::{Factors, UPDATE};
use self::history::{LossLayers, Steady};
use crate::classic::{Classic, Window, WindowLaw};
use crate::control::{Ack, Loss, Timeout};
use crate::laws::ltcp::{BETA, FIRST_LAYER, LAYER_THRESHOLD, Ltcp};
use crate::registry::{Build, Companions, Entry, control};
use ackclock_base::{Packets, Parameter, Quantity, Range, Values};

/// The entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "ltcp-rc",
        "LTCP whose increase makes up for a long round trip, always or while the flow is in transition",
        "S. Jain 2005 chapters IV (fixed) and V (on-off, full-half)",
        &[
            MODE,
            factor::C,
            factor::STEADY_C,
            factor::ALPHA,
            LAYER_THRESHOLD,
            BETA,
            STEADY_RULE,
            UPDATE,
            FIRST_LAYER,
        ],
    ),
    build: Build::Alone(|values, initial| Box::new(Classic::new(LtcpRc::new(values), initial))),
    companions: Companions::recovery("sack"),
};

const MODE: Parameter = Parameter {
    name: "mode",
    summary: "The factor of a steady flow: as in transition (fixed), 1 (on-off), or with steady_c (full-half)",
    quantity: Quantity::Choice(&["fixed", "on-off", "full-half"]),
    default: "fixed",
    range: Range::ANY,
    source: "S. Jain chapter IV; chapter V equations 5.1 and 5.2",
};

const STEADY_RULE: Parameter = Parameter {
    name: "steady_rule",
    summary: "When a flow is steady: the last three losses fell in layers that do not rise, or in the same or a lower",
    quantity: Quantity::Choice(&["not-rising", "same-or-falling"]),
    default: "not-rising",
    range: Range::ANY,
    source: "S. Jain chapter V section A: not-rising in the pseudo-code, same-or-falling in the prose",
};

/// LTCP with a factor on its increase.
#[derive(Clone, Debug)]
pub struct LtcpRc {
    ltcp: Ltcp,
    factors: Factors,
    losses: LossLayers,
}

impl LtcpRc {
    /// From the registered parameters.
    pub fn new(values: &Values) -> Self {
        let rule = match values.choice(STEADY_RULE.name) {
            "not-rising" => Steady::NotRising,
            _ => Steady::SameOrFalling,
        };
        Self {
            ltcp: Ltcp::new(values),
            factors: Factors::new(values, values.choice(MODE.name)),
            losses: LossLayers::new(rule),
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
