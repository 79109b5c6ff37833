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

#[test]
fn a_sample_that_the_application_limits_counts_only_where_it_shows_more_bandwidth() {
    // A probe that finds 1250 packets a second ends, and with it a cycle. In the next one the application holds the
    // rate at 500, until a loss ends the probe and a flight at 200 shows what the path gives: two cycles after the
    // 1250 the bandwidth is that, and not 500.
    let mut script = in_up();
    (0..3).for_each(|_| flight(&mut script, BDP, |_| {}));
    assert!(is_in(&mut script, State::Down));
    flight(&mut script, BDP, |_| {});
    let limited =
        |script: &mut Script| flight(script, 20, |ack| ack.rate.as_mut().unwrap().app_limited = true);
    next_up(&mut script, limited);
    script.lost(1000, 100.0, |lost| lost.lost = 3.0);
    assert!(is_in(&mut script, State::Down));
    assert_eq!(script.published("bbr_max_bw_packets_per_s"), 1250.0);
    flight(&mut script, 8, |_| {});
    assert_eq!(script.published("bbr_max_bw_packets_per_s"), 200.0);
}

#[test]
fn the_pipe_is_refilled_without_the_bounds_that_losses_between_probes_have_set() {
    // Section 5.3.3.9: BBRStartProbeBW_REFILL calls BBRResetShortTermModel. A loss in CRUISE leaves 0.7 of the window,
    // which is twice the product of 50 packets and the batch of 80: 126.
    let mut script = in_cruise();
    script.lost(500, 50.0, |_| {});
    flight(&mut script, BDP, |_| {});
    assert!(is_in(&mut script, State::Cruise));
    assert!((script.published("bbr_inflight_shortterm_packets") - 126.0).abs() < 1e-9);
    script.wait(Span::from_millis(2300));
    flight(&mut script, BDP, |_| {});
    assert!(is_in(&mut script, State::Refill));
    assert_eq!(script.published("bbr_inflight_shortterm_packets"), f64::INFINITY);
    assert_eq!(script.published("bbr_bw_packets_per_s"), 1250.0);
}
