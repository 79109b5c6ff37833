//! Cases 5 to 9, 21 and 22: the phases of ProbeBW.

use crate::bench::{Bench, State, packets_per_second};
use crate::startup::RTT;
use ackclock_base::Span;

/// Returns a connection that has just entered UP for the first time, at 10 Mbit/s of payload with a buffer of
/// ten products.
fn in_up() -> Bench {
    let mut bench = Bench::new(10.0, RTT, 10.0);
    bench.enter(State::Up);
    bench
}

/// Case 5. The bound from losses is infinite. If it were finite and the window reached it, the estimator
/// would restart and the plateau would not end the probe.
#[test]
fn case_5_up_ends_on_a_plateau() {
    let mut bench = in_up();
    let (before, after) = bench.until(|view| view.state != State::Up);
    assert_eq!(after.state, State::Down);
    assert_eq!((before.full_pipe_rounds, after.full_pipe_rounds), (2, 3));
    assert_eq!((after.longterm, bench.path.dropped), (f64::INFINITY, 0));
}

/// Returns a connection in UP, which the application has limited to a fifth of 100 Mbit/s since REFILL began.
fn limited_in_up() -> Bench {
    let mut bench = Bench::new(100.0, RTT, 10.0);
    bench.enter(State::Refill);
    bench.write_at(20.0);
    bench.until(|view| view.state == State::Up);
    bench
}

/// Case 6. The text updates the long-term bound; the code does not if the application limited the lost
/// packets (trap T6): the bound stays infinite.
#[test]
fn case_6_losses_end_up_though_limited_by_the_application() {
    let mut bench = limited_in_up();
    bench.for_ms(80, |view, _| assert_eq!(view.state, State::Up));
    let begun = bench.path.now;
    bench.path.drop_every = Some(16);
    let (_, after) = bench.until(|view| view.state != State::Up);
    assert_eq!(after.state, State::Cruise, "DOWN ends at once because the flight fits");
    assert_eq!(after.longterm, f64::INFINITY);
    assert!(after.now.since(begun) < RTT * 3, "UP ends within three round trips");
}

/// Case 7, second half. Packets sent before the application slowed down may count two rounds without growth,
/// but not three.
#[test]
fn case_7_a_flow_limited_by_the_application_never_leaves_up() {
    let mut bench = limited_in_up();
    for _ in 0..30 {
        bench.for_ms(1000, |view, _| assert_eq!(view.state, State::Up));
        bench.path.round_trip = bench.path.round_trip.saturating_sub(Span::from_nanos(1_000));
    }
}

#[test]
fn case_8_down_ends_when_the_flight_fits() {
    let mut bench = in_up();
    let (_, down) = bench.until(|view| view.state == State::Down);
    assert!((down.pacing / (0.9 * 0.99 * down.bw) - 1.0).abs() < 1e-6);
    let (before, after) = bench.until(|view| view.state != State::Down);
    assert_eq!(after.state, State::Cruise);
    let target = after.max_bw * after.min_rtt;
    assert!(before.inflight > target && after.inflight <= target, "{before:?} {after:?}");
    assert!((after.pacing / (0.99 * after.bw) - 1.0).abs() < 1e-6);
}

/// Case 9. With the draft's cut of the capacity by a tenth, DOWN sends 0.891 of the old capacity, which
/// drains 0.009 of a product per round trip: depending on the excess, that may or may not be in time. A cut
/// by 15 % leaves less than DOWN sends.
#[test]
fn case_9_down_ends_in_time_though_the_flight_does_not_fit() {
    // With the default interval, ProbeRTT would come first.
    let settings = [("probe_rtt_interval", "30 s")];
    let mut bench = Bench::with(20.0, Span::from_millis(100), 10.0, &settings);
    bench.enter(State::Up);
    let (_, down) = bench.until(|view| view.state == State::Down);
    bench.path.capacity *= 0.85;
    let (_, after) = bench.until(|view| view.state != State::Down);
    assert_eq!(after.state, State::Refill);
    // DOWN lasts 2 s and the random quarter of a second.
    let waited = after.now.since(down.now).seconds();
    assert!((2.25..2.26).contains(&waited), "{waited} s");
}

/// Case 21. The product is 100 packets. Three packets of one flight are lost, which is more than two per
/// cent.
#[test]
fn case_21_losses_end_up_at_once_and_bound_the_flight() {
    // 28.96 Mbit/s are 2,500 packets of 1,448 bytes per second.
    let mut bench = Bench::new(28.96, RTT, 10.0);
    bench.enter(State::Up);
    bench.for_ms(45, |view, _| assert_eq!(view.state, State::Up));
    let flight = bench.view();
    bench.path.drop_next = 3;
    let (before, after) = bench.until(|view| view.state != State::Up);
    assert_eq!(after.state, State::Down);
    assert!(after.longterm.is_finite() && after.longterm >= 0.7 * before.bdp());
    assert!(
        (flight.inflight - 3.0..=flight.inflight + 5.0).contains(&after.longterm),
        "{flight:?} {after:?}"
    );
}

/// Case 22. A full stop would bring no acknowledgement and so no round, so the application slows down to a
/// twentieth.
#[test]
fn case_22_an_application_limit_in_refill_does_not_lower_the_bandwidth() {
    let mut bench = Bench::new(10.0, RTT, 10.0);
    let (_, refill) = bench.enter(State::Refill);
    bench.write_at(0.5);
    let (_, up) = bench.until(|view| view.state != State::Refill);
    assert_eq!((up.state, up.rounds - refill.rounds), (State::Up, 1));
    bench.for_ms(500, |view, _| assert_eq!(view.max_bw, refill.max_bw));
    // When the application writes again, the probe ends as any other, and the next one follows.
    bench.write_all();
    bench.until(|view| view.state == State::Down);
    let (_, again) = bench.until(|view| view.state == State::Up);
    assert!((again.max_bw / packets_per_second(10.0) - 1.0).abs() < 0.02, "{again:?}");
}
