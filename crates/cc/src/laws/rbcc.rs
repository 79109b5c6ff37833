//! RBCC, RTT Based Congestion Control (Dahal 2007, sections 3.3 and 4.1 to 4.3) with a static threshold.
//!
//! At every fresh acknowledgement the window moves by a fraction of a packet that is proportional to the
//! distance between a threshold and the round trip, so that the queue stays partly filled and does not
//! overflow. There is no slow start; the reaction to a loss is NewReno's.

pub mod step;

use self::step::{Bounds, Step};
use crate::classic::{Classic, Window, WindowLaw};
use crate::control::{Ack, Initial, Loss, Phase, Timeout};
use crate::entry::{Build, Entry, PublishedDefaults, control};
use ackclock_base::{Packets, Range, Span, choice, parameters};

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "rbcc",
        "RBCC (RTT Based Congestion Control): each acknowledgement of new data moves the window by the relative \
         difference between a threshold and the RTT, in packets: up if the RTT is below the threshold, \
         down if it is above; a loss halves the window",
        "Dahal 2007 sections 3.3, 4.1 to 4.3, equations 3.4, 3.5, 4.1",
        Parameters::TABLE,
    ),
    build: Build::Alone(|values, initial| {
        Box::new(Classic::new(Wired::new(&values.into(), initial), initial))
    }),
    published: PublishedDefaults::recovery("newreno"),
};

choice! {
    /// The source of the base round trip.
    pub enum RttMinMode {
        /// A value given beforehand.
        Given = "given",
        /// The minimum measured so far.
        Measured = "measured",
    }
}

parameters! {
    /// Choices that the thesis leaves open for the wired form, and its threshold.
    pub struct Parameters {
        /// Whether a timeout reduces the window to one packet, as in NewReno; if not, a timeout leaves the window as it is
        timeout_cut: bool = flag(true, "Dahal section 4.1 v, vi: as NewReno; window after a timeout not stated"),
        /// Whether the window changes at every acknowledgement with a round-trip sample, including duplicates before a
        /// recovery; if not, only at acknowledgements of new data
        every_ack: bool = flag(false, "Dahal section 4.4: acknowledgements of new data; section 3.3: all"),
        /// The threshold and the bounds on the window.
        threshold: Threshold,
    }
}

parameters! {
    /// The threshold and the bounds on the window.
    pub struct Threshold {
        /// Round-trip threshold as a multiple of the base round trip (F)
        threshold_factor: f64 = number(
            "2",
            Range { min: 1.0, max: 1000.0, above_min: true },
            "Dahal equation 4.1; section 4.5.3 sweeps it, 4.5.4 uses 2.0",
        ),
        /// Source of the base round trip: `rtt_min` (given), or the minimum measured so far (measured)
        rtt_min_mode: RttMinMode = choice("given", "Dahal section 4.3: computed beforehand"),
        /// Base round trip with rtt_min_mode `given`; without effect with `measured`
        rtt_min: Span = time(
            "62 ms",
            Range { min: 0.0, max: 3600.0, above_min: true },
            "from Dahal tables 4.1, 5.1 and 6.1, as latency divided by F (0.0618 to 0.0622 s); the thesis states no \
             value",
        ),
        /// The bounds on the window.
        bounds: Bounds,
    }
}

/// The wired form of RBCC: an acknowledgement moves the window by (threshold - RTT) / min(RTT, threshold)
/// packets (equation 3.4), within bounds (equation 3.5).
#[derive(Clone, Debug)]
pub struct Wired {
    rbcc: Rbcc,
    timeout_cut: bool,
    every_ack: bool,
}

/// A threshold, and the step towards it.
#[derive(Clone, Debug)]
pub struct Rbcc {
    factor: f64,
    rtt_min: Option<Span>,
    step: Step,
    threshold: Span,
}

impl Rbcc {
    /// Creates the state of a connection that starts with `initial`.
    pub fn new(parameters: &Threshold, initial: &Initial) -> Self {
        let factor = parameters.threshold_factor;
        let rtt_min = (parameters.rtt_min_mode == RttMinMode::Given).then_some(parameters.rtt_min);
        Self {
            factor,
            rtt_min,
            step: Step::new(&parameters.bounds, initial),
            threshold: rtt_min.map_or(Span::ZERO, |base| base.scale(factor)),
        }
    }

    /// Returns the step and the present threshold.
    pub(crate) fn step(&self) -> (&Step, Span) {
        (&self.step, self.threshold)
    }

    /// Updates the threshold if the base round trip is measured.
    pub(crate) fn observe(&mut self, ack: &Ack) {
        if self.rtt_min.is_none() && ack.min_rtt != Span::MAX {
            self.threshold = ack.min_rtt.scale(self.factor);
        }
    }

    pub(crate) fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("rtt_threshold_s", self.threshold.seconds());
    }
}

impl Wired {
    /// Creates the law of a connection that starts with `initial`.
    pub fn new(parameters: &Parameters, initial: &Initial) -> Self {
        Self {
            rbcc: Rbcc::new(&parameters.threshold, initial),
            timeout_cut: parameters.timeout_cut,
            every_ack: parameters.every_ack,
        }
    }
}

impl WindowLaw for Wired {
    fn avoid_congestion(&mut self, window: &mut Window, ack: &Ack) {
        if let Some(rtt) = ack.rtt {
            self.rbcc.step.take(window, rtt, self.rbcc.threshold);
        }
    }

    /// Does the same as congestion avoidance: equation 3.4 acts on every fresh acknowledgement (section 3.3).
    fn slow_start(&mut self, window: &mut Window, ack: &Ack) {
        self.avoid_congestion(window, ack);
    }

    fn observe(&mut self, window: &mut Window, ack: &Ack) {
        self.rbcc.observe(ack);
        if self.every_ack && !ack.fresh && ack.phase == Phase::Open {
            self.avoid_congestion(window, ack);
        }
    }

    /// Halves the window: "As NewReno" (section 4.1 v, vi).
    fn decrease(&mut self, from: Packets, _loss: &Loss) -> Packets {
        self.rbcc.step.halve(from)
    }

    fn on_timeout(&mut self, window: &mut Window, timeout: &Timeout) {
        if self.timeout_cut {
            window.start_over(timeout);
        }
    }

    fn needs_full_window(&self) -> bool {
        false
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        self.rbcc.publish(series);
    }
}

#[cfg(test)]
mod tests {
    use crate::script::Script;
    use ackclock_base::Span;

    #[test]
    fn below_the_threshold_the_window_grows_by_threshold_over_rtt_less_one() {
        // Equation 3.4, F = 2, RTT_min = 62 ms: threshold 124 ms.
        // RTT = 62 ms: (124 - 62) / 62 = +1. RTT = 100 ms: (124 - 100) / 100 = +0.24.
        let mut script = Script::new("rbcc").window(1.0);
        script.ack_with_rtt(62);
        assert!((script.cwnd() - 2.0).abs() < 1e-9);
        script.ack_with_rtt(100);
        assert!((script.cwnd() - 2.24).abs() < 1e-9);
    }

    #[test]
    fn above_the_threshold_it_shrinks_by_rtt_over_threshold_less_one() {
        // RTT = 186 ms: (124 - 186) / 124 = -0.5; RTT = 4 * 124 ms: -3, limited only by the floor.
        let mut script = Script::new("rbcc").window(10.0);
        script.ack_with_rtt(186);
        assert!((script.cwnd() - 9.5).abs() < 1e-9);
        script.ack_with_rtt(496);
        assert!((script.cwnd() - 6.5).abs() < 1e-9);
        for _ in 0..4 {
            script.ack_with_rtt(496);
        }
        assert_eq!(script.cwnd(), 1.0);
    }

    #[test]
    fn the_window_stops_at_the_limit_by_default() {
        let mut capped = Script::new("rbcc").limit(20.0).window(20.0);
        capped.ack_with_rtt(62);
        assert_eq!(capped.cwnd(), 20.0);
        let mut free = Script::with("rbcc", &[("window_cap", "false")]).limit(20.0).window(20.0);
        free.ack_with_rtt(62);
        assert_eq!(free.cwnd(), 21.0);
    }

    #[test]
    fn a_measured_base_moves_the_threshold() {
        // Base 100 ms measured, F = 2: at 100 ms the step is +1, at 250 ms it is (200 - 250) / 200 = -0.25.
        let mut script = Script::with("rbcc", &[("rtt_min_mode", "measured")]).window(5.0);
        script.ack_with_rtt(100);
        assert!((script.cwnd() - 6.0).abs() < 1e-9);
        script.ack_with_rtt(250);
        assert!((script.cwnd() - 5.75).abs() < 1e-9);
    }

    #[test]
    fn a_timeout_leaves_one_packet_and_the_law_goes_on_from_there() {
        // Section 4.1 v, vi: as NewReno. A timeout sets the slow start threshold, but there is no slow start:
        // at 62 ms the window grows by one packet, below and above that threshold alike.
        let mut script = Script::new("rbcc").window(12.0);
        script.timeout();
        assert_eq!((script.cwnd(), script.ssthresh()), (1.0, 6.0));
        script.timeout_again();
        assert_eq!((script.cwnd(), script.ssthresh()), (1.0, 6.0));
        for expected in 2..=9 {
            script.ack_with_rtt(62);
            assert!((script.cwnd() - f64::from(expected)).abs() < 1e-9);
        }
    }

    #[test]
    fn a_timeout_may_take_nothing() {
        let mut script = Script::with("rbcc", &[("timeout_cut", "false")]).window(12.0);
        script.timeout();
        assert_eq!(script.cwnd(), 12.0);
    }

    #[test]
    fn duplicates_move_the_window_where_every_acknowledgement_does() {
        // F = 2, 62 ms: at 186 ms each acknowledgement takes half a packet.
        let mut every = Script::with("rbcc", &[("every_ack", "true")]).window(10.0);
        let mut fresh = Script::new("rbcc").window(10.0);
        for script in [&mut every, &mut fresh] {
            script.ack_as(|ack| (ack.fresh, ack.rtt) = (false, Some(Span::from_millis(186))));
        }
        assert!((every.cwnd() - 9.5).abs() < 1e-9);
        assert_eq!(fresh.cwnd(), 10.0);
    }

    #[test]
    fn a_loss_halves() {
        let mut script = Script::new("rbcc").window(12.0);
        script.loss();
        assert_eq!((script.cwnd(), script.ssthresh()), (6.0, 6.0));
    }
}
