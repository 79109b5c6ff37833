//! LTCP, Layered TCP (Bhandarkar, Jain and Reddy 2005, as described by S. Jain 2005, chapter II): a window of
//! K layers grows as K flows of TCP do, and a loss takes a small part of it.

pub mod layers;

use self::layers::Layers;
use crate::classic::{Classic, Window, WindowLaw};
use crate::control::{Ack, Loss, Timeout};
use crate::entry::{Build, Entry, PublishedDefaults, control};
use ackclock_base::declare::{self, Declared};
use ackclock_base::{Packets, Range, choice, parameters};

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "ltcp",
        "Layered TCP: the window grows by K packets per round trip while it is in layer K; a loss reduces it by 15 %",
        "S. Jain 2005 chapter II, after Bhandarkar, Jain and Reddy 2005",
        Parameters::TABLE,
    ),
    build: Build::Alone(|values, initial| Box::new(Classic::new(Ltcp::new(values.into()), initial))),
    published: PublishedDefaults::recovery("sack"),
};

choice! {
    /// The cut at a loss in layer 1.
    pub enum FirstLayer {
        /// Beta, as in the other layers.
        Layered = "layered",
        /// Half of the window, as in TCP.
        Tcp = "tcp",
    }
}

parameters! {
    /// The boundaries between layers, and the cut at a loss.
    pub struct Parameters {
        layer_threshold: Packets = LAYER_THRESHOLD,
        beta: f64 = BETA,
        first_layer: FirstLayer = FIRST_LAYER,
    }
}

/// W_T, the window at which the second layer begins.
pub const LAYER_THRESHOLD: Declared<Packets> =
    declare::packets("50 packets", Range::between(1.0, 1e6), "S. Jain chapter II, equations 2.6 to 2.8")
        .about("Window at which the second layer begins (W_T)");

/// Beta, the part of the window that a loss takes.
pub const BETA: Declared<f64> =
    declare::number("0.15", Range::between(0.0, 1.0), "S. Jain chapter II, equation 2.2")
        .about("Fraction by which a loss reduces the window");

/// Whether layer 1 has a cut of its own.
pub const FIRST_LAYER: Declared<FirstLayer> = declare::choice(
    "layered",
    "S. Jain's pseudo-code does not treat layer 1 separately; whether LTCP behaves as TCP in layer 1 is unconfirmed",
)
.about(
    "Rules in layer 1: as in the other layers (layered), or as in TCP (tcp), so that a loss halves the window and \
     the factor of ltcp-rc does not apply",
);

/// The law of equations 2.2, 2.7 and 2.8.
#[derive(Clone, Debug)]
pub struct Ltcp {
    layers: Layers,
    parameters: Parameters,
}

impl Ltcp {
    /// Creates the law in its first layer.
    pub fn new(parameters: Parameters) -> Self {
        Self { layers: Layers::new(parameters.layer_threshold), parameters }
    }

    /// Returns the present layer, K.
    pub fn layer(&self) -> u32 {
        self.layers.current()
    }

    /// Returns whether the law is that of TCP at present: in layer 1, if `first_layer` says so.
    pub fn is_tcp(&self) -> bool {
        self.parameters.first_layer == FirstLayer::Tcp && self.layer() == 1
    }

    /// Adds `factor * K / cwnd` per acknowledgement (chapter II).
    pub fn grow(&self, window: &mut Window, ack: &Ack, factor: f64) {
        window.cwnd += factor * f64::from(self.layer()) * ack.abc_increment / window.cwnd;
    }
}

impl WindowLaw for Ltcp {
    /// Updates the layer to the window, whatever moved it, slow start included.
    fn observe(&mut self, window: &mut Window, _ack: &Ack) {
        self.layers.follow(window.cwnd);
    }

    fn avoid_congestion(&mut self, window: &mut Window, ack: &Ack) {
        self.grow(window, ack, 1.0);
    }

    /// Cuts the window by beta (equation 2.2) and updates the layer.
    fn decrease(&mut self, from: Packets, _loss: &Loss) -> Packets {
        let beta = if self.is_tcp() { 0.5 } else { self.parameters.beta };
        let reduced = (1.0 - beta) * from;
        self.layers.follow(reduced);
        reduced
    }

    /// Handles a timeout as TCP does; the thesis does not describe it.
    fn on_timeout(&mut self, window: &mut Window, timeout: &Timeout) {
        window.start_over(timeout);
        self.layers.follow(window.cwnd);
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("layer", f64::from(self.layer()));
    }
}

#[cfg(test)]
mod tests {
    use crate::script::Script;

    #[test]
    fn a_window_of_acknowledgements_adds_a_packet_for_each_layer() {
        // 1200 packets are in layer 5 (W_5 = 1000, W_6 = 1750): one acknowledgement adds 5/1200, and (w + 5/w)^2 is
        // about w^2 + 10, so that 1200 of them give sqrt(1200^2 + 12000) = 1204.99.
        let mut script = Script::new("ltcp").window(1200.0).starting_ssthresh(1200.0);
        script.acks(1);
        assert!((script.cwnd() - (1200.0 + 5.0 / 1200.0)).abs() < 1e-12);
        script.acks(1199);
        assert!((script.cwnd() - 1204.99).abs() < 0.001, "{}", script.cwnd());
    }

    #[test]
    fn crossing_a_boundary_adds_a_layer() {
        // W_3 = 200: 199.995 + 2/199.995 = 200.005, then 3/200.005 more.
        let mut script = Script::new("ltcp").window(199.995).starting_ssthresh(199.0);
        script.acks(1);
        let above = 199.995 + 2.0 / 199.995;
        assert!((script.cwnd() - above).abs() < 1e-12);
        script.acks(1);
        assert!((script.cwnd() - (above + 3.0 / above)).abs() < 1e-12);
    }

    #[test]
    fn slow_start_doubles_and_passes_layers() {
        // 100 acknowledgements from 100 in slow start give 200; the next reaches the threshold of 201 in
        // layer 3: 201 + 3/201.
        let mut script = Script::new("ltcp").window(100.0).starting_ssthresh(201.0);
        script.acks(101);
        assert_eq!(script.cwnd(), 201.0);
        script.acks(1);
        assert!((script.cwnd() - (201.0 + 3.0 / 201.0)).abs() < 1e-12);
    }

    #[test]
    fn a_loss_takes_15_percent_and_a_timeout_starts_over() {
        let mut script = Script::new("ltcp").window(1200.0).starting_ssthresh(1200.0);
        script.loss();
        assert!((script.cwnd() - 1020.0).abs() < 1e-9 && (script.ssthresh() - 1020.0).abs() < 1e-9);
        script.recovered();
        script.timeout();
        assert_eq!((script.cwnd(), script.ssthresh()), (1.0, 510.0));
    }

    #[test]
    fn recovery_from_a_loss_takes_beta_w_over_k_round_trips() {
        // Equation 3.13 for one flow: t = beta W RTT / K. W = 1400, beta = 0.15, layer 5 before and after (1000 to 1750):
        // 210 / 5 = 42 round trips.
        let mut script = Script::new("ltcp").window(1400.0).starting_ssthresh(1400.0);
        script.loss();
        script.recovered();
        let rounds = script.rounds_until(1400.0, 120);
        assert!((42..=43).contains(&rounds), "{rounds}");
    }

    #[test]
    fn the_response_function_is_that_of_equation_3_3() {
        // W^2 = K C / p with C = (1 / beta) (1 - beta / 2) = 6.1667 and W the mean window. At p = 2e-5 and K = 5,
        // W = sqrt(5 * 6.1667 / 2e-5) = 1241.6; the window runs from 1141 to 1342, all of it in layer 5.
        let mean = Script::new("ltcp").window(1200.0).starting_ssthresh(1200.0).mean_window(2e-5, 120, 60);
        assert!((mean / 1241.6 - 1.0).abs() < 0.001, "{mean}");
    }

    #[test]
    fn the_window_falls_with_the_loss_rate_to_the_power_of_three_fifths() {
        // Equation 4.20 with K_R = 1: W ~ 1 / p^0.6, if K is approximated by the cube root of the window. The
        // steps of K make it uneven from point to point, so the slope is measured over a factor of 1000.
        let mean = |loss_rate| {
            let mut script = Script::new("ltcp").window(100.0).starting_ssthresh(100.0);
            script.mean_window(loss_rate, 120, 60)
        };
        let exponent = libm::log10(mean(3e-6) / mean(3e-3)) / 3.0;
        assert!((exponent - 0.6).abs() < 0.03, "{exponent}");
    }

    #[test]
    fn in_the_first_layer_a_loss_takes_beta_or_half_as_asked() {
        for (reading, left) in [("layered", 34.0), ("tcp", 20.0)] {
            let mut script =
                Script::with("ltcp", &[("first_layer", reading)]).window(40.0).starting_ssthresh(40.0);
            script.loss();
            assert!((script.cwnd() - left).abs() < 1e-9);
        }
        // In layer 2 a loss takes 15 percent, with `first_layer` at `tcp` too.
        let mut script =
            Script::with("ltcp", &[("first_layer", "tcp")]).window(100.0).starting_ssthresh(100.0);
        script.acks(1);
        let before = script.cwnd();
        script.loss();
        assert!((script.cwnd() - 0.85 * before).abs() < 1e-9);
    }
}
