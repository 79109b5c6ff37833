//! ProbeBW: its phases, and the results of its probes.

use super::*;

#[test]
fn down_and_cruise_pace_below_and_at_the_bandwidth_with_a_window_of_twice_the_product() {
    let mut script = in_down();
    assert_eq!(pacing(&mut script), 1_113_750.0, "0.9 * 0.99 * 1.25e6");
    flight(&mut script, 60, |_| {});
    assert!(is_in(&mut script, State::Down), "60 packets are more than the product");
    let mut script = in_cruise();
    assert_eq!(pacing(&mut script), 1_237_500.0);
    // In the last ten rounds a flight of 80 was acknowledged at once: an excess of 80.
    for _ in 0..2 {
        flight(&mut script, BDP, |_| {});
    }
    assert_eq!(script.published("bbr_extra_acked_packets"), 80.0);
    assert_eq!(script.cwnd(), 100.0 + 80.0);
}

//= test draft-ietf-ccwg-bbr section 5.3.3.8.2 seconds
#[test]
fn a_probe_comes_after_two_to_three_seconds() {
    // With the random number 0.25 there is no head start in rounds, and the wait is 2 + 0.25 s.
    let mut script = in_down();
    script.wait(Span::from_millis(2250 - 48));
    flight(&mut script, 60, |_| {});
    assert!(is_in(&mut script, State::Down), "exactly then, not after");
    script.wait(Span::from_nanos(1));
    flight(&mut script, 60, |_| {});
    assert!(is_in(&mut script, State::Refill), "from DOWN too, if it has not drained");
}

#[test]
fn a_probe_comes_after_as_many_rounds_as_there_are_packets_in_the_product() {
    let mut script = in_cruise(); // its last acknowledgement was the first round since DOWN began
    for round in 2..=50 {
        assert!(is_in(&mut script, State::Cruise), "round {round}");
        // Rounds of 40 ms: 50 of them are 2 s, and the time would say 2.25 s.
        flight(&mut script, BDP, |_| {});
    }
    assert!(is_in(&mut script, State::Refill));
}

//= test draft-ietf-ccwg-bbr section 5.3.3.7 plateau
//= test draft-ietf-ccwg-bbr section 5.3.3.9 refill
#[test]
fn a_probe_fills_the_pipe_for_a_round_and_then_sends_a_quarter_more_until_nothing_more_comes() {
    let mut script = in_up();
    assert_eq!(pacing(&mut script), 1_546_875.0, "1.25 * 0.99 * 1.25e6");
    for _ in 0..2 {
        flight(&mut script, 62, |_| {});
        assert!(is_in(&mut script, State::Up));
    }
    flight(&mut script, 62, |_| {});
    assert!(is_in(&mut script, State::Down));
    assert_eq!(script.published("bbr_inflight_longterm_packets"), f64::INFINITY, "nothing was lost");
}

#[test]
fn a_probe_goes_on_while_the_path_gives_more() {
    // Each round brings what was paced, 1.25 * 0.99 of the round before: two such are more than a quarter.
    let mut script = in_up();
    let mut rate = 1250.0;
    for _ in 0..12 {
        rate *= 1.25 * 0.99;
        script.flight(100, Span::from_seconds(100.0 / rate), RTT, |_| {});
        assert!(is_in(&mut script, State::Up));
    }
    assert!(rate > 12_500.0, "ten times in twelve rounds");
}

//= test draft-ietf-ccwg-bbr section 5.3.3.7 caution
#[test]
fn a_probe_after_one_that_was_too_high_stops_at_the_bound_and_the_next_one_goes_on() {
    let mut script = bounded();
    next_up(&mut script, |script| flight(script, BDP, |_| {}));
    flight(&mut script, 62, |ack| ack.inflight = 99.0);
    assert!(is_in(&mut script, State::Down), "as a precaution");
    flight(&mut script, 62, |_| {});
    assert!(is_in(&mut script, State::Refill), "nothing was lost: no waiting for the next");
    flight(&mut script, BDP, |_| {});
    flight(&mut script, 62, |ack| ack.inflight = 99.0);
    assert!(is_in(&mut script, State::Up));
}

#[test]
fn at_the_bound_of_an_earlier_probe_the_bound_grows_and_the_pipe_is_not_called_full() {
    let mut script = bounded();
    next_up(&mut script, |script| flight(script, BDP, |_| {}));
    // The bound grows by a packet per 98.98 acknowledged in the first round, per half of that in the second
    // and per quarter in the third, as the slope doubles at the end of each round in which the window is at
    // the bound; the window follows at the next acknowledgement. First round: 62 acknowledged are less than
    // 98.98, but one packet per 49.49, and 12.51 are left. Second: the window reaches the bound. Third: 74.51
    // are one packet per 49.49, and the 25.02 left one per 24.99.
    let mut grown = Vec::new();
    for _ in 0..5 {
        flight(&mut script, 62, |ack| ack.inflight_before = 120.0);
        flight(&mut script, 62, |ack| {
            ack.inflight_before = 120.0;
            ack.newly_acked = 0.0;
            ack.rate.as_mut().unwrap().prior_delivered -= 1.0;
        });
        assert!(is_in(&mut script, State::Up), "the rate does not grow, but the window is in the way");
        grown.push((script.published("bbr_inflight_longterm_packets") - 98.979_59).round());
    }
    assert_eq!(grown[..3], [1.0, 1.0, 3.0]);
}

#[test]
fn a_bandwidth_is_forgotten_after_two_cycles() {
    let mut script = in_up();
    let slow = |script: &mut Script| flight(script, 20, |_| {}); // 500 packets a second
    (0..3).for_each(|_| slow(&mut script));
    assert!(is_in(&mut script, State::Down));
    next_up(&mut script, slow);
    (0..3).for_each(|_| slow(&mut script));
    assert!(is_in(&mut script, State::Down));
    assert_eq!(script.published("bbr_max_bw_packets_per_s"), 1250.0);
    slow(&mut script);
    assert_eq!(script.published("bbr_max_bw_packets_per_s"), 500.0);
}
