//! RBCC with a threshold that each connection finds for itself (Dahal 2007, section 4.4).
//!
//! The window moves as in [`super::rbcc`]. Five heuristics observe the window and the round trip, and move
//! the threshold.

pub mod heuristics;
pub mod normal;
pub mod parameters;
pub mod probe;
pub mod threshold;
pub mod trend;

use self::parameters::{Parameters, ProbeUnit, RttMinMode};
use self::threshold::Threshold;
use self::trend::Sample;
use crate::classic::{Classic, Window, WindowLaw};
use crate::control::{Ack, Initial, Loss};
use crate::entry::{Build, Entry, PublishedDefaults, control};
use crate::laws::rbcc::step::Step;
use ackclock_base::{Packets, Span};

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "rbcc-dynamic",
        "RBCC that adapts its RTT threshold to trends in the window and the RTT: by heuristics I to III \
         in a probe phase, then by IV and V",
        "Dahal 2007 section 4.4, constants of section 4.5.8",
        Parameters::TABLE,
    ),
    build: Build::Alone(|values, initial| {
        Box::new(Classic::new(RbccDynamic::new(values.into(), initial), initial))
    }),
    published: PublishedDefaults::recovery("newreno"),
};

/// The law of RBCC (Dahal 2007, equations 3.4 and 3.5) with the dynamic threshold of section 4.4.
#[derive(Clone, Debug)]
pub struct RbccDynamic {
    step: Step,
    threshold: Threshold,
    given_base: Option<Span>,
    probe_each_round_trip: bool,
    round_ends: u64,
}

impl RbccDynamic {
    /// Creates the law of a connection that starts with `initial`.
    pub fn new(parameters: Parameters, initial: &Initial) -> Self {
        let given = parameters.rtt_min_mode == RttMinMode::Given;
        Self {
            step: Step::new(&parameters.bounds, initial),
            threshold: Threshold::new(parameters),
            given_base: given.then_some(parameters.rtt_min),
            probe_each_round_trip: parameters.probe_unit == ProbeUnit::RoundTrip,
            round_ends: 0,
        }
    }

    /// Returns whether the heuristics of the threshold use this acknowledgement; the window moves in any case. In
    /// the probe phase they use only the first of each round trip if [`ProbeUnit::RoundTrip`] is set (step 3).
    fn samples(&mut self, ack: &Ack) -> bool {
        if !(self.probe_each_round_trip && self.threshold.probing()) {
            return true;
        }
        let over = ack.acked_to >= self.round_ends;
        if over {
            self.round_ends = ack.sent_to;
        }
        over
    }
}

impl WindowLaw for RbccDynamic {
    fn avoid_congestion(&mut self, window: &mut Window, ack: &Ack) {
        let Some(rtt) = ack.rtt else { return };
        let base = self.given_base.unwrap_or(ack.min_rtt);
        let threshold = self.threshold.above(base);
        self.step.take(window, rtt, threshold);
        if self.samples(ack) {
            self.threshold.sample(&Sample { rtt, min_rtt: base, cwnd: window.cwnd });
        }
    }

    /// Does the same as congestion avoidance, as with a static threshold.
    fn slow_start(&mut self, window: &mut Window, ack: &Ack) {
        self.avoid_congestion(window, ack);
    }

    /// Halves the window as NewReno does, as with a static threshold.
    fn decrease(&mut self, from: Packets, _loss: &Loss) -> Packets {
        self.step.halve(from)
    }

    fn needs_full_window(&self) -> bool {
        false
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        self.threshold.publish(series);
    }
}

#[cfg(test)]
mod tests {
    use crate::script::Script;

    #[test]
    fn the_window_moves_by_equation_3_4_with_the_threshold_of_the_moment() {
        // Minimum round trip 100 ms, threshold 110 ms: (110 - 100) / 100 = + 0.1 packets. This is the first
        // sample.
        let mut script = Script::new("rbcc-dynamic").window(5.0);
        script.ack_with_rtt(100);
        assert!((script.cwnd() - 5.1).abs() < 1e-9);
        // The second step is still 0.1; its unchanged round trip raises the threshold by 12 % to 123.2 ms.
        // The third step is 0.232.
        script.ack_with_rtt(100);
        assert!((script.cwnd() - 5.2).abs() < 1e-9);
        assert!((script.published("rtt_threshold_s") - 0.1232).abs() < 1e-9);
        script.ack_with_rtt(100);
        assert!((script.cwnd() - 5.432).abs() < 1e-9);
    }

    #[test]
    fn above_the_threshold_it_falls_to_the_floor_and_a_loss_halves() {
        // RTT 330 ms over 110: - 2 packets.
        let mut script = Script::new("rbcc-dynamic").window(8.0);
        script.ack_with_rtt(100);
        script.ack_with_rtt(330);
        assert!((script.cwnd() - 6.1).abs() < 1e-9);
        script.loss();
        assert!((script.cwnd() - 3.05).abs() < 1e-9);
    }

    #[test]
    fn a_timeout_leaves_one_packet_and_the_threshold_that_was_found() {
        let mut script = Script::new("rbcc-dynamic").window(8.0);
        script.ack_with_rtt(100);
        script.ack_with_rtt(100);
        let found = script.published("rtt_threshold_s");
        script.timeout();
        assert_eq!(script.cwnd(), 1.0);
        let ssthresh = script.ssthresh();
        assert!((ssthresh - 4.1).abs() < 1e-9, "8 + 0.1 + 0.1, halved: {ssthresh}");
        script.timeout_again();
        assert_eq!((script.ssthresh(), script.published("rtt_threshold_s")), (ssthresh, found));
    }

    #[test]
    fn the_base_is_measured_or_given() {
        let given = [("rtt_min_mode", "given"), ("rtt_min", "50 ms")];
        let mut script = Script::with("rbcc-dynamic", &given).window(5.0);
        script.ack_with_rtt(110);
        assert!((script.cwnd() - 4.0).abs() < 1e-9); // 55 ms: (55 - 110) / 55 = - 1
    }

    #[test]
    fn probes_are_acknowledgements_or_round_trips() {
        // After the first sample, 29 of 30 acknowledgements are probes; at a window of five packets or more
        // they are at most six round trips.
        for (unit, most) in [("ack", 29.0), ("round-trip", 6.0)] {
            let mut script =
                Script::with("rbcc-dynamic", &[("probe_unit", unit), ("probe_clamp", "100")]).window(5.0);
            for _ in 0..30 {
                script.ack_with_rtt(100);
            }
            let probes = script.published("probes");
            assert!(probes <= most && probes > most / 3.0, "{unit}: {probes}");
        }
    }
}
