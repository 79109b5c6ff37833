//! A-TCP (Cho 2006 chapter IV): TCP/k whose strength a controller sets, from the window at which the flow's
//! queue begins to build, and from whether that window has moved.

use crate::classic::{Classic, Window, WindowLaw};
use crate::control::{Ack, Loss, Timeout};
use crate::entry::{Build, Entry, PublishedDefaults, control};
use crate::laws::adaptive_strength::{self, Controller};
use crate::laws::tcp_k;
use ackclock_base::{Packets, parameters};

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "a-tcp",
        "One flow that grows and shrinks as k flows would: k rises after a loss while there is no queue, and is 1 \
         once a queue has built up or a competing flow is detected",
        "Cho 2006 section IV.E, algorithms 2 to 4",
        Parameters::TABLE,
    ),
    build: Build::Alone(|values, initial| Box::new(Classic::new(Adaptive::new(&values.into()), initial))),
    published: PublishedDefaults::recovery("sack"),
};

parameters! {
    /// A-TCP's controller, and the use made of its result.
    pub struct Parameters {
        /// The parameters of the controller.
        controller: adaptive_strength::Parameters,
        /// Whether k is only computed and published as a series, while the flow stays standard TCP
        display_only: bool = flag(false, "Cho 2006 figure 27"),
    }
}

/// A flow with the strength that its controller finds.
#[derive(Clone, Debug)]
pub struct Adaptive {
    controller: Controller,
    display_only: bool,
}

impl Adaptive {
    /// Creates the law before the first round trip.
    pub fn new(parameters: &Parameters) -> Self {
        Self { controller: Controller::new(parameters.controller), display_only: parameters.display_only }
    }

    fn k(&self) -> f64 {
        if self.display_only { 1.0 } else { self.controller.k() }
    }
}

impl WindowLaw for Adaptive {
    fn observe(&mut self, window: &mut Window, ack: &Ack) {
        let Some(rtt) = ack.rtt.filter(|_| ack.fresh) else { return };
        if window.cwnd >= window.ssthresh {
            self.controller.on_threshold(ack.now);
        }
        self.controller.on_rtt(ack.now, rtt.seconds(), window.cwnd);
    }

    fn slow_start(&mut self, window: &mut Window, ack: &Ack) {
        tcp_k::grow(window, self.k(), ack.abc_increment);
    }

    fn avoid_congestion(&mut self, window: &mut Window, ack: &Ack) {
        tcp_k::grow(window, self.k(), ack.abc_increment);
    }

    fn decrease(&mut self, from: Packets, _loss: &Loss) -> Packets {
        from * tcp_k::rest(self.k())
    }

    fn on_loss(&mut self, window: &mut Window, loss: &Loss) {
        self.controller.on_loss(loss.now);
        tcp_k::cut(window, self.k(), loss);
    }

    /// Reacts to a timeout. Cho gives no rule: the window starts over as the standard's, and the controller
    /// takes the timeout for a loss.
    fn on_timeout(&mut self, window: &mut Window, timeout: &Timeout) {
        self.controller.on_loss(timeout.now);
        window.start_over(timeout);
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        self.controller.publish(series);
    }
}

#[cfg(test)]
mod tests {
    use crate::script::Script;
    use ackclock_base::Span;

    fn check(script: &mut Script, rtt_ms: u64) {
        script.wait(Span::from_millis(1001));
        script.ack_with_rtt(rtt_ms);
    }

    /// Brings a flow past the loss that ends slow start, with round trips of 50 to 60 ms seen.
    fn started(settings: &[(&str, &str)]) -> Script {
        let settings = [&[("srtt_gain", "1")], settings].concat();
        let mut script = Script::with("a-tcp", &settings).window(200.0);
        script.ack_with_rtt(50);
        script.ack_with_rtt(60);
        script.loss();
        script
    }

    #[test]
    fn the_slow_start_loss_halves_and_then_k_climbs() {
        let mut script = started(&[]);
        let window = script.cwnd();
        assert_eq!(window, 101.0);
        check(&mut script, 50); // k = 2, already for this acknowledgement
        assert!((script.cwnd() - (window + 2.0 / window)).abs() < 1e-12);
        let window = script.cwnd();
        check(&mut script, 50);
        assert!((script.cwnd() - (window + 3.0 / window)).abs() < 1e-12);
    }

    #[test]
    fn without_competition_a_loss_takes_one_part_in_twice_the_root() {
        // Figure 32: knee_k = 11, k = 3, the cut is a sixth; the threshold is half.
        let mut script = started(&[]);
        (0..10).for_each(|_| check(&mut script, 50));
        check(&mut script, 60);
        let window = script.cwnd();
        script.loss();
        assert!((script.cwnd() - window * 5.0 / 6.0).abs() < 1e-12);
        assert!((script.ssthresh() - window / 2.0).abs() < 1e-12);
    }

    #[test]
    fn a_timeout_starts_over_and_is_a_loss_to_the_controller() {
        // Algorithm 4 line 4: a knee at strength 9 gives k = 3.
        let mut script = started(&[]);
        (0..8).for_each(|_| check(&mut script, 50));
        check(&mut script, 60);
        assert_eq!((script.published("k"), script.published("knee_k")), (1.0, 9.0));
        script.timeout();
        assert_eq!((script.cwnd(), script.published("k")), (1.0, 3.0));
        script.wait(Span::from_millis(499)); // still in the pause of 10 x 50 ms
        script.ack_with_rtt(50);
        assert_eq!((script.cwnd(), script.published("k")), (4.0, 3.0));
    }

    #[test]
    fn its_mean_window_alone_is_that_of_equation_4_5() {
        // Figure 30: a loss takes one part in 2k, k = floor(sqrt(knee_k)), and the standing queue keeps k = 1
        // until the next loss. The mean window is sqrt((4k-1)/2) / sqrt(p); with p = 1e-4 it is 234.5 for k =
        // 3 (knee_k = 11) and 308.2 for k = 5 (knee_k = 34). The equation leaves out the pause after a loss,
        // in which k is still the root; here the pause is switched off.
        for (knee_k, expected) in [(11, 234.52), (34, 308.22)] {
            let mut script = started(&[("delta", "0"), ("alpha", "0")]);
            (1..knee_k).for_each(|_| check(&mut script, 50));
            check(&mut script, 60);
            let mean = script.mean_window(1e-4, 60, 60);
            assert!((mean / expected - 1.0).abs() < 0.01, "knee_k = {knee_k}: {mean} for {expected}");
        }
    }

    #[test]
    fn for_display_only_it_is_standard_tcp() {
        let mut script = started(&[("display_only", "true")]);
        (0..10).for_each(|_| check(&mut script, 50));
        check(&mut script, 60);
        let window = script.cwnd();
        check(&mut script, 60);
        assert!((script.cwnd() - (window + 1.0 / window)).abs() < 1e-12);
        script.loss();
        assert!((script.cwnd() - (window + 1.0 / window) / 2.0).abs() < 1e-12);
    }
}
