//! Tests of Learning TCP against hand-computed sequences: the discriminator alone, and around NewReno.

use super::*;
use crate::laws::{learning_tcp, newreno};
use crate::script::Script;
use ackclock_base::Values;
use ackclock_base::random::Scripted;

/// A round trip of 100 ms: checks last 150 ms.
const RTT_MS: u64 = 100;

/// A discriminator under test, with its random numbers and the time in milliseconds.
struct Learner {
    learning: Learning,
    random: Scripted,
    now_ms: u64,
}

impl Learner {
    fn new(settings: &[(&str, &str)], numbers: &[f64]) -> Self {
        let learning = Learning::new(Parameters::from(&Values::with(ENTRY.descriptor, settings)));
        let mut learner = Self { learning, random: Scripted::new(numbers), now_ms: 1000 };
        learner.ack(10.0);
        learner
    }

    fn now(&self) -> Time {
        Time::ZERO + Span::from_millis(self.now_ms)
    }

    /// Reports a processed acknowledgement that leaves the window at `cwnd`.
    fn ack(&mut self, cwnd: f64) {
        Script::new("reno").ack_as(|ack| {
            ack.smoothed_rtt = Span::from_millis(RTT_MS);
            self.learning.on_ack(ack, cwnd);
        });
    }

    /// Lets an acknowledgement arrive after `ms` milliseconds.
    fn arrive_after(&mut self, ms: u64) -> Cause {
        self.now_ms += ms;
        let incoming = IncomingAck { now: self.now(), fresh: true, echo: None, one_way_delay: None };
        self.learning.on_incoming(&incoming, &mut self.random)
    }

    /// Lets an acknowledgement arrive after `ms` milliseconds that shows a loss in a window of ten packets.
    fn loss_after(&mut self, ms: u64) -> Judgement {
        self.loss_in(ms, 10.0)
    }

    fn loss_in(&mut self, ms: u64, cwnd: f64) -> Judgement {
        let told = self.arrive_after(ms);
        let judgement = self.learning.judge(self.now(), cwnd);
        assert_eq!(judgement.cause(), told, "the window hears what the retransmission rule heard");
        judgement
    }

    fn timeout_after(&mut self, ms: u64) -> Cause {
        self.now_ms += ms;
        let timeout = Timeout {
            now: self.now(),
            window: 10.0,
            inflight: 10.0,
            left_in_flight: 0.0,
            sent_to: 0,
            in_a_row: 1,
            keeps_threshold: false,
        };
        self.learning.on_timeout(&timeout, 10.0)
    }

    #[track_caller]
    fn assert_probability(&self, expected: f64) {
        let probability = self.learning.probability;
        assert!((probability - expected).abs() < 1e-12, "{probability} instead of {expected}");
    }
}

#[test]
fn a_loss_is_guessed_to_be_of_transmission_with_the_learning_probability() {
    // 0.49 < 0.5 is a guess of transmission, 0.5 is a guess of congestion.
    assert_eq!(Learner::new(&[], &[0.49]).loss_after(0), Judgement::Transmission);
    assert_eq!(Learner::new(&[], &[0.5]).loss_after(0), Judgement::Congestion);
}

#[test]
fn a_confirmed_guess_raises_the_probability_by_a_tenth_of_what_is_left() {
    // 0.5 + 0.1 * 0.5 = 0.55, then 0.55 + 0.1 * 0.45 = 0.595.
    let mut learner = Learner::new(&[], &[0.0]);
    learner.loss_after(0);
    learner.arrive_after(151);
    learner.assert_probability(0.55);
    learner.loss_after(0);
    learner.arrive_after(151);
    learner.assert_probability(0.595);
}

#[test]
fn a_refuted_guess_lowers_it_by_a_tenth_of_itself() {
    // 0.5 - 0.1 * 0.5 = 0.45, then 0.405.
    let mut learner = Learner::new(&[], &[0.0]);
    for expected in [0.45, 0.405] {
        assert_eq!(learner.loss_after(200), Judgement::Transmission);
        assert_eq!(learner.loss_after(100), Judgement::Refuted);
        learner.assert_probability(expected);
    }
}

#[test]
fn guesses_of_congestion_teach_nothing() {
    let mut learner = Learner::new(&[], &[0.9]);
    for _ in 0..10 {
        assert_eq!(learner.loss_after(50), Judgement::Congestion);
    }
    learner.arrive_after(1000);
    learner.assert_probability(0.5);
}

#[test]
fn the_check_lasts_for_one_and_a_half_round_trips_and_its_end_belongs_to_it() {
    // The check lasts for 1.5 * 100 ms = 150 ms.
    for (after, judgement, probability) in
        [(150, Judgement::Refuted, 0.45), (151, Judgement::Transmission, 0.55)]
    {
        let mut learner = Learner::new(&[], &[0.0]);
        learner.loss_after(0);
        assert_eq!(learner.loss_after(after), judgement, "after {after} ms");
        learner.assert_probability(probability);
    }
    let mut longer = Learner::new(&[("check", "3")], &[0.0]);
    longer.loss_after(0);
    assert_eq!(longer.loss_after(300), Judgement::Refuted);
}

#[test]
fn p_inc_is_the_chance_that_a_confirmed_guess_counts() {
    // A window of 10 after a largest of 40: p_inc = 0.25. The first number is for the guess, the second for
    // p_inc.
    for (number, expected) in [(0.24, 0.55), (0.25, 0.5)] {
        let mut learner = Learner::new(&[], &[0.0, number]);
        learner.ack(40.0);
        learner.loss_in(0, 10.0);
        learner.arrive_after(151);
        learner.assert_probability(expected);
    }
    // As an amount: 0.5 + 0.25 * 0.1 * 0.5 = 0.5125. Without p_inc: 0.55, whatever is drawn.
    for (reading, expected) in [("amount", 0.5125), ("off", 0.55)] {
        let mut learner = Learner::new(&[("p_inc", reading)], &[0.0, 0.99]);
        learner.ack(40.0);
        learner.loss_in(0, 10.0);
        learner.arrive_after(151);
        learner.assert_probability(expected);
    }
}

#[test]
fn the_probability_keeps_its_bounds() {
    let mut learner = Learner::new(&[("initial", "0.985"), ("most", "0.99")], &[0.0]);
    for _ in 0..2 {
        learner.loss_after(0);
        learner.arrive_after(151);
        // 0.985 + 0.1 * 0.015 = 0.9865, then 0.9865 + 0.1 * 0.0135 = 0.98785.
    }
    learner.assert_probability(0.98785);
    for _ in 0..20 {
        learner.loss_after(0);
        learner.arrive_after(151);
    }
    learner.assert_probability(0.99);
    // 0.9^n falls below 0.01 of the initial value at n = 44.
    for _ in 0..50 {
        learner.loss_after(200);
        learner.loss_after(1);
    }
    learner.assert_probability(0.01);
}

#[test]
fn a_timeout_is_congestion_and_refutes_a_guess_that_is_being_checked() {
    let mut learner = Learner::new(&[], &[0.0]);
    assert_eq!(learner.timeout_after(0), Cause::Congestion);
    learner.assert_probability(0.5);
    learner.loss_after(0);
    assert_eq!(learner.timeout_after(150), Cause::Congestion);
    learner.assert_probability(0.45);
    learner.arrive_after(1000);
    learner.assert_probability(0.45);
}

#[test]
fn a_timeout_after_the_check_finds_the_guess_confirmed() {
    let mut learner = Learner::new(&[], &[0.0]);
    learner.loss_after(0);
    assert_eq!(learner.timeout_after(151), Cause::Congestion);
    // p_inc needs a random number, which is drawn at the next acknowledgement.
    learner.assert_probability(0.5);
    learner.arrive_after(0);
    learner.assert_probability(0.55);
}

#[test]
fn timeouts_may_be_guessed_about_too() {
    let mut learner = Learner::new(&[("timeouts", "guess")], &[0.0]);
    learner.arrive_after(0);
    assert_eq!(learner.timeout_after(0), Cause::Transmission);
    assert_eq!(learner.timeout_after(150), Cause::Congestion, "the second refutes the first");
    learner.assert_probability(0.45);
}

/// Creates Learning TCP in congestion avoidance at ten packets, with a known round trip of 100 ms.
fn learning_tcp(judging: &[(&str, &str)], numbers: &[f64]) -> Script {
    let mut script = Script::of(&learning_tcp::ENTRY, &[])
        .judging(judging)
        .drawing(numbers)
        .window(10.0)
        .starting_ssthresh(5.0);
    script.acks(1);
    script.arrival(true, RTT_MS);
    script
}

#[test]
fn a_loss_of_transmission_leaves_the_window_and_a_wrong_guess_starts_it_over() {
    let mut script = learning_tcp(&[], &[0.0]);
    script.set_cwnd(12.0);
    script.loss();
    assert_eq!((script.cwnd(), script.ssthresh()), (12.0, 12.0));
    script.recovered();
    script.wait(Span::from_millis(150));
    script.arrival(true, RTT_MS);
    script.loss();
    // The threshold is half of 12, and the window is one packet in slow start.
    assert_eq!((script.cwnd(), script.ssthresh()), (1.0, 6.0));
    assert_eq!((script.published("guesses_wrong"), script.published("learning_probability")), (1.0, 0.45));
    script.acks(1);
    assert_eq!(script.cwnd(), 2.0);
}

#[test]
fn the_threshold_after_a_wrong_guess_is_two_at_the_least_and_may_stay_after_a_right_one() {
    let mut small = learning_tcp(&[], &[0.0]);
    small.set_cwnd(3.0);
    small.loss();
    small.arrival(true, RTT_MS);
    small.loss();
    assert_eq!((small.cwnd(), small.ssthresh()), (1.0, 2.0));

    let mut keeping = Script::of(&learning_tcp::ENTRY, &[]).acting(&[("threshold", "keep")]).window(4.0);
    keeping.arrival(true, RTT_MS);
    keeping.loss();
    keeping.recovered();
    // Slow start continues: 4 + 4 after a round trip.
    keeping.acks(4);
    assert_eq!(keeping.cwnd(), 8.0);
    // By default slow start has ended: the window grows by a little less than one packet in a round trip.
    let mut ended = Script::of(&learning_tcp::ENTRY, &[]).window(4.0);
    ended.arrival(true, RTT_MS);
    ended.loss();
    ended.recovered();
    ended.acks(4);
    assert!(ended.cwnd() > 4.8 && ended.cwnd() < 5.0);
}

#[test]
fn a_spurious_timeout_that_was_guessed_about_gives_window_and_threshold_back() {
    let mut script = learning_tcp(&[("timeouts", "guess")], &[0.0]);
    let before = (script.cwnd(), script.ssthresh());
    script.timeout();
    assert_eq!((script.cwnd(), script.ssthresh()), before, "retransmitted without a change of the window");
    script.spurious();
    assert_eq!((script.cwnd(), script.ssthresh()), before);
}

#[test]
fn without_guesses_of_transmission_it_is_newreno() {
    let mut learning = learning_tcp(&[("initial", "0"), ("least", "0"), ("most", "0")], &[0.0]);
    let mut newreno = Script::of(&newreno::ENTRY, &[]).window(10.0).starting_ssthresh(5.0);
    newreno.acks(1);
    let mut windows = [Vec::new(), Vec::new()];
    for (script, windows) in [&mut learning, &mut newreno].into_iter().zip(&mut windows) {
        for step in 0..30 {
            script.wait(Span::from_millis(20));
            script.arrival(true, RTT_MS);
            if step % 7 == 3 {
                script.timeout();
            } else if step % 3 == 0 {
                script.loss();
                script.recovered();
            }
            script.acks(20);
            windows.push((script.cwnd(), script.ssthresh()));
        }
    }
    assert_eq!(windows[0], windows[1]);
}

#[test]
fn a_guess_of_congestion_halves_as_newreno_does() {
    let mut script = learning_tcp(&[], &[0.5]);
    script.set_cwnd(12.0);
    script.loss();
    assert_eq!((script.cwnd(), script.ssthresh()), (6.0, 6.0));
    assert_eq!(script.published("judged_congestion"), 1.0);
}
