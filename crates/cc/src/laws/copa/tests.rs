use super::*;
use crate::script::{Script, timeout_at};
use ackclock_base::Time;

/// Creates a flow with a window of ten in congestion avoidance, after round trips of 90 ms and then of 100.
fn at_ten(settings: &[(&str, &str)]) -> Script {
    let mut script = Script::with("copa", settings).window(10.0).starting_ssthresh(2.0);
    script.ack_with_rtt(90);
    for _ in 0..4 {
        script.set_cwnd(10.0);
        script.acks_over(10, 100);
    }
    script.set_cwnd(10.0);
    script
}

#[test]
fn below_the_target_an_acknowledgement_adds_v_over_delta_and_the_window() {
    // 10 ms of queue at delta 0.5: 200 packets a second, 20 in the standing 100 ms. At 10 packets: 1 / (0.5 * 10) = 0.2 each.
    let mut script = at_ten(&[]);
    assert!((script.published("queueing_delay_s") - 0.01).abs() < 1e-9);
    let velocity = script.published("velocity");
    script.ack_with_rtt(100);
    assert!((script.cwnd() - 10.0 - 0.2 * velocity).abs() < 1e-9, "{}", script.cwnd());
}

#[test]
fn above_the_target_it_shrinks_as_fast_and_the_velocity_restarts() {
    let mut script = at_ten(&[]);
    script.set_cwnd(25.0);
    script.ack_with_rtt(100);
    assert!((script.cwnd() - 25.0 + 2.0 / 25.0).abs() < 1e-9, "{}", script.cwnd());
    assert_eq!(script.published("velocity"), 1.0);
}

#[test]
fn slow_start_doubles_until_the_rate_is_beyond_the_target() {
    let mut script = Script::new("copa").window(10.0);
    (0..10).for_each(|_| script.ack_with_rtt(90));
    assert_eq!((script.cwnd(), script.ssthresh()), (20.0, f64::INFINITY));
    // 18 ms of queue: 111 packets a second, 12 in 108 ms, so 20 exceed the target. (The standing round trip
    // forgets the one of 90 ms.)
    for _ in 0..6 {
        script.acks_over(1, 20);
        script.ack_with_rtt(108);
    }
    let mut waited = Script::new("copa").window(20.0);
    waited.ack_with_rtt(90);
    for _ in 0..8 {
        waited.wait(ackclock_base::Span::from_millis(20));
        waited.ack_with_rtt(108);
    }
    assert!(waited.ssthresh().is_finite());
}

#[test]
fn the_velocity_doubles_when_the_window_has_risen_for_three_windows() {
    let mut script = Script::new("copa").window(100.0).starting_ssthresh(2.0);
    let mut velocities = Vec::new();
    for _ in 0..8 {
        let window = script.cwnd();
        script.acks_over(window as u32, 100);
        velocities.push(script.published("velocity"));
    }
    assert_eq!(velocities[..2], [1.0, 1.0]);
    let last = velocities[7] / velocities[6];
    assert_eq!(last, 2.0, "{velocities:?}");
}

const COMPETITIVE: &[(&str, &str)] = &[("competitive", "true")];

/// Plays 15 round trips of 190 to 200 ms above a base of 90 ms: the queue is never nearly empty.
fn competitive() -> Script {
    let mut script = Script::with("copa", COMPETITIVE).window(20.0).starting_ssthresh(2.0);
    script.ack_with_rtt(90);
    for _ in 0..15 {
        script.set_cwnd(20.0);
        script.acks_over(10, 190);
        script.acks_over(10, 200);
    }
    script
}

#[test]
fn a_queue_that_is_never_empty_makes_it_competitive_and_a_loss_halves_one_over_delta() {
    // The sample of 90 ms leaves the filter after five round trips of 200 ms, one second of the 5.85, and no
    // later round trip is near it. From then on 1/delta grows by one, from two, in each round of some 205 ms
    // (acknowledgements are 19 or 20 ms apart, and the first after a round trip counts): 2 + 4.85 / 0.205 = 25.
    let mut script = competitive();
    let delta = script.published("delta");
    assert!((1.0 / 27.0..1.0 / 23.0).contains(&delta), "{delta}");
    script.loss();
    assert!((script.published("delta") - 2.0 * delta).abs() < 1e-9);
    let mut alone = Script::new("copa").window(20.0).starting_ssthresh(2.0);
    alone.ack_with_rtt(90);
    (0..15).for_each(|_| alone.acks_over(20, 200));
    assert_eq!(alone.published("delta"), 0.5);
}

#[test]
fn the_default_delta_is_back_at_the_acknowledgement_that_shows_the_queue_nearly_empty() {
    // With a base of 90 ms and round trips up to 200 ms, the queue is nearly empty below 90 + 0.1 * 110 = 101
    // ms. (A standing queue keeps the smoothed round trip, here the last one, near 200 ms, so that four of
    // them are 0.8 s.)
    for (ms, delta) in [(102, None), (100, Some(0.5))] {
        let mut script = competitive();
        let before = script.published("delta");
        script.ack_with_rtt(ms);
        assert_eq!(script.published("delta"), delta.unwrap_or(before), "{ms} ms");
    }
}

#[test]
fn an_oscillation_of_five_round_trips_whose_trough_is_empty_leaves_the_default_delta() {
    // Section 2.2: the queue of Copa flows alone empties once in five round trips; here its delay repeats 0,
    // 2, 4, 6, 4 ms.
    let mut script = Script::with("copa", COMPETITIVE).window(20.0).starting_ssthresh(2.0);
    for round in 0..100 {
        script.set_cwnd(20.0);
        script.acks_over(20, [40, 42, 44, 46, 44][round % 5]);
        assert_eq!(script.published("delta"), 0.5, "round {round}");
    }
}

#[test]
fn it_paces_at_twice_the_windows_rate() {
    // 2 * 10 packets of 1000 B in the standing 100 ms.
    let rate = at_ten(&[]).decision().pacing_rate.map(|rate| rate.bits_per_second());
    assert_eq!(rate, Some(1_600_000));
}

#[test]
fn a_loss_leaves_the_window() {
    let mut script = at_ten(&[]);
    script.loss();
    assert_eq!(script.cwnd(), 10.0);
}

#[test]
fn a_timeout_halves_one_over_delta_as_a_loss_does() {
    // Section 2.2: 1/delta of some 25, well above the default of 2, falls to half.
    let mut script = competitive();
    let delta = script.published("delta");
    script.timeout();
    assert!((script.published("delta") - 2.0 * delta).abs() < 1e-9);
}

#[test]
fn after_a_timeout_the_velocity_begins_anew_with_a_rising_window() {
    // Section 2.1: the velocity is 1 when the direction changes and doubles after three windows in one direction. The
    // window falls fast before the timeout; windows of 2, 4 and 8 packets follow the one packet that it leaves.
    let mut law = Copa::new(Parameters::default());
    (law.velocity, law.rises, law.steady, law.round_cwnd) = (8.0, false, 5, 60.0);
    let mut window = Window { cwnd: 40.0, ssthresh: 2.0 };
    law.on_timeout(&mut window, &timeout_at(Time::from_seconds(1.0), 40.0));
    assert_eq!((window.cwnd, law.velocity), (1.0, 1.0));
    let velocities = [2.0, 4.0, 8.0].map(|cwnd| {
        law.end_round(cwnd);
        law.velocity
    });
    assert_eq!(velocities, [1.0, 1.0, 2.0]);
}
