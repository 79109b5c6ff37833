use super::{Controller, Parameters};
use ackclock_base::{Span, Time};

/// A controller with a clock. Its gain is 1 unless a test concerns smoothing: the smoothed round trip is the
/// last one.
struct Run {
    controller: Controller,
    now: Time,
}

const LOW: f64 = 0.050;
const HIGH: f64 = 0.060;

/// Returns the default parameters with a gain of 1.
fn unsmoothed() -> Parameters {
    Parameters { srtt_gain: 1.0, ..Parameters::default() }
}

impl Run {
    fn new(parameters: Parameters) -> Self {
        Self { controller: Controller::new(parameters), now: Time::from_seconds(1.0) }
    }

    /// Brings a controller past the loss that ends slow start, with round trips of 50 to 60 ms seen: above 52
    /// ms there is a queue.
    fn after_slow_start() -> Self {
        let mut run = Self::new(unsmoothed());
        run.rtt(LOW, 10.0);
        run.rtt(HIGH, 20.0);
        run.controller.on_loss(run.now);
        run
    }

    fn rtt(&mut self, rtt: f64, cwnd: f64) {
        self.controller.on_rtt(self.now, rtt, cwnd);
    }

    /// Delivers a round trip of `rtt` seconds after the pause of 10 x 50 ms, so that the controller checks it.
    fn check(&mut self, rtt: f64, cwnd: f64) {
        self.now += Span::from_millis(501);
        self.rtt(rtt, cwnd);
    }

    fn loss(&mut self) {
        self.now += Span::from_millis(501);
        self.controller.on_loss(self.now);
    }

    /// Returns k, knee_k, knee_cwnd and knee_cwnd_ref.
    fn state(&self) -> (f64, f64, f64, f64) {
        let Controller { k, knee_k, knee_cwnd, knee_cwnd_ref, .. } = self.controller;
        (k, knee_k, knee_cwnd, knee_cwnd_ref)
    }
}

#[test]
fn line_1_smooths_by_an_eighth_from_the_first_sample_also_in_pauses() {
    let mut run = Run::new(Parameters::default());
    run.rtt(0.080, 10.0);
    assert_eq!(run.controller.srtt, 0.080);
    run.rtt(0.160, 10.0); // in the pause: 7/8 x 80 + 1/8 x 160 = 90 ms
    assert!((run.controller.srtt - 0.090).abs() < 1e-12);
    assert_eq!((run.controller.srtt_least, run.controller.srtt_most), (0.080, run.controller.srtt));
}

#[test]
fn before_the_first_loss_k_does_not_rise() {
    let mut run = Run::new(unsmoothed());
    (0..10).for_each(|_| run.check(LOW, 10.0));
    assert_eq!(run.controller.k(), 1.0);
}

#[test]
fn line_2_one_check_in_ten_least_round_trips() {
    let mut run = Run::after_slow_start();
    run.check(LOW, 10.0);
    assert_eq!(run.controller.k(), 2.0);
    run.now += Span::from_millis(500); // not more than 10 x 50 ms
    run.rtt(LOW, 10.0);
    assert_eq!(run.controller.k(), 2.0);
    run.now += Span::from_millis(1);
    run.rtt(LOW, 10.0);
    assert_eq!(run.controller.k(), 3.0);
}

#[test]
fn a_loss_pauses_for_delta() {
    let mut run = Run::new(Parameters { delta: 4.0, ..unsmoothed() });
    run.rtt(LOW, 10.0);
    run.controller.on_loss(run.now);
    run.now += Span::from_millis(200);
    run.rtt(LOW, 10.0);
    assert_eq!(run.controller.k(), 1.0);
    run.now += Span::from_millis(1);
    run.rtt(LOW, 10.0);
    assert_eq!(run.controller.k(), 2.0);
}

#[test]
fn alone_it_goes_from_aggressive_to_hold_and_back_at_a_loss() {
    let mut run = Run::after_slow_start();
    // The controller is aggressive, because knee and reference are both 0: k grows with each check that sees
    // no queue.
    (0..10).for_each(|_| run.check(LOW, 100.0));
    assert_eq!(run.state(), (11.0, 1.0, 0.0, 0.0));
    // At the knee, window and k are recorded and k becomes 1; it stays 1 when the queue is gone.
    run.check(HIGH, 420.0);
    assert_eq!(run.state(), (1.0, 11.0, 420.0, 420.0));
    run.check(LOW, 430.0);
    assert_eq!(run.state(), (1.0, 11.0, 420.0, 420.0));
    // A later knee in the same epoch moves the window within 10 %, and leaves knee_k.
    run.check(HIGH, 440.0);
    assert_eq!(run.state(), (1.0, 11.0, 440.0, 440.0));
    // A loss without competition: k = floor(sqrt(11)) = 3 (figure 32), and the maximum delay is learnt anew.
    run.loss();
    assert_eq!(run.state(), (3.0, 11.0, 440.0, 440.0));
    assert_eq!(run.controller.srtt_most, run.controller.srtt_least);
    // The queue is still present, and no low delay has been seen: this is no knee, but k becomes 1 and may
    // rise again.
    run.check(HIGH, 400.0);
    assert_eq!(run.state(), (1.0, 11.0, 440.0, 440.0));
    run.check(LOW, 400.0);
    assert_eq!(run.state(), (2.0, 11.0, 440.0, 440.0));
}

#[test]
fn a_competitor_keeps_k_at_one_for_an_epoch_and_the_next_is_a_trial() {
    let mut run = Run::after_slow_start();
    (0..3).for_each(|_| run.check(LOW, 100.0));
    run.check(HIGH, 420.0);
    run.loss();
    // The knee has moved to half the window: the reference stays, and knee_k is 5.
    (0..3).for_each(|_| run.check(LOW, 200.0));
    run.check(HIGH, 210.0);
    assert_eq!(run.state(), (1.0, 5.0, 210.0, 420.0));
    // At the loss, knee and reference differ: the reference becomes 0 and the knee stays, so that they still
    // differ.
    run.loss();
    assert_eq!(run.state(), (1.0, 1.0, 210.0, 0.0));
    (0..3).for_each(|_| run.check(LOW, 150.0));
    assert_eq!(run.controller.k(), 1.0);
    // The next knee becomes the new reference.
    run.check(HIGH, 200.0);
    assert_eq!(run.state(), (1.0, 1.0, 200.0, 200.0));
    // The next loss therefore halves (k = sqrt(1)), and k may grow again afterwards: a trial.
    run.loss();
    assert_eq!(run.controller.k(), 1.0);
    run.check(LOW, 150.0);
    assert_eq!(run.controller.k(), 2.0);
}

#[test]
fn lines_11_to_15_a_knee_within_beta_is_the_new_reference() {
    for (knee, reference) in [(378.0, 378.0), (462.0, 462.0), (377.0, 420.0), (463.0, 420.0)] {
        let mut run = Run::after_slow_start();
        run.check(LOW, 100.0);
        run.check(HIGH, 420.0);
        run.check(LOW, 300.0);
        run.check(HIGH, knee); // 420 x 0.9 = 378, 420 x 1.1 = 462
        assert_eq!(run.state(), (1.0, 2.0, knee, reference));
    }
}

#[test]
fn a_queue_counts_from_a_fifth_of_the_greatest() {
    // Section IV.D: 50 + 0.2 (60 - 50) = 52 ms is still low.
    for (rtt, k) in [(0.052 - 1e-9, 2.0), (0.052 + 1e-9, 1.0)] {
        let mut run = Run::after_slow_start();
        run.check(rtt, 100.0);
        assert_eq!(run.controller.k(), k);
    }
}

#[test]
fn the_root_of_the_knees_strength() {
    // Figure 29: 34 gives 5; without rounding down 5.83.
    for (whole_root, k) in [(true, 5.0), (false, 34.0_f64.sqrt())] {
        let mut run = Run::new(Parameters { whole_root, ..unsmoothed() });
        run.rtt(LOW, 10.0);
        run.rtt(HIGH, 10.0);
        run.controller.on_loss(run.now);
        (0..33).for_each(|_| run.check(LOW, 100.0));
        run.check(HIGH, 1800.0);
        run.loss();
        assert_eq!(run.controller.k(), k);
    }
}

#[test]
fn slow_start_may_end_without_a_loss() {
    for (slow_start_needs_loss, k) in [(true, 1.0), (false, 2.0)] {
        let mut run = Run::new(Parameters { slow_start_needs_loss, ..unsmoothed() });
        run.rtt(LOW, 10.0);
        run.controller.on_threshold(run.now);
        run.check(LOW, 10.0);
        assert_eq!(run.controller.k(), k);
    }
}
