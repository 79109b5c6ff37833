//! Startup and Drain.

use super::*;

//= test draft-ietf-ccwg-bbr section 5.6.2 initial
#[test]
fn the_initial_rate_is_the_initial_window_over_the_round_trip_of_the_handshake_or_a_millisecond() {
    // 2.7725887 * 14,480 bytes over 1 ms and over 40 ms.
    let mut script = Script::new("bbrv3").window(10.0).packet_bytes(1448);
    assert_eq!(pacing(&mut script), 40_147_085.0);
    script.change(&Change::Opens { rtt: Some(RTT) });
    assert_eq!(pacing(&mut script), 1_003_677.0);
    script.change(&Change::Opens { rtt: None });
    assert_eq!(pacing(&mut script), 40_147_085.0);
}

//= test draft-ietf-ccwg-bbr section 5.3.1.2
#[test]
fn startup_ends_in_the_third_round_that_grows_by_less_than_a_quarter() {
    // 250, 500, 1,000 and 1,250 (a quarter more, still growth), then three times 1,250.
    let mut script = in_drain();
    assert_eq!(script.published("bbr_max_bw_packets_per_s"), 1250.0);
    assert_eq!(pacing(&mut script), 618_750.0, "0.5 * 0.99 * 1.25e6");
}

//= test draft-ietf-ccwg-bbr section 5.6.2 rises
#[test]
fn startup_paces_at_4_ln_2_of_the_bandwidth_and_lets_the_window_grow_by_what_is_delivered() {
    let mut script = script();
    let unpaced = pacing(&mut script);
    flight(&mut script, 10, |_| {});
    assert_eq!(script.cwnd(), 20.0);
    assert_eq!(pacing(&mut script), unpaced, "it only rises until the pipe is full");
    script.change(&Change::Opens { rtt: Some(RTT) });
    for packets in [20, 40, 80] {
        flight(&mut script, packets, |_| {});
    }
    assert_eq!(pacing(&mut script), 3_431_079.0, "2.7725887 * 0.99 * 1.25e6");
}

#[test]
fn an_application_limited_flow_never_fills_the_pipe() {
    let mut script = script();
    script.change(&Change::Opens { rtt: Some(RTT) });
    for _ in 0..50 {
        flight(&mut script, 10, |ack| ack.rate.as_mut().unwrap().app_limited = true);
    }
    assert!(is_in(&mut script, State::Startup));
    assert_eq!(script.published("bbr_max_bw_packets_per_s"), 250.0, "more than was known before");
    // 10 + 10, then at most twice the known product, 2 * 250 * 0.04 = 20, and the batch of 10 (trap T14).
    assert_eq!(script.cwnd(), 30.0);
}

//= test draft-ietf-ccwg-bbr section 5.3.2
#[test]
fn drain_ends_when_the_flight_fits_or_in_the_fourth_round() {
    let mut script = in_drain();
    flight(&mut script, 80, |ack| ack.inflight = 50.1);
    assert!(is_in(&mut script, State::Drain));
    flight(&mut script, 80, |ack| ack.inflight = 50.0);
    // The state passes DOWN, which the same acknowledgement leaves: the order of section 5.2.3.
    assert!(is_in(&mut script, State::Cruise));
    let mut script = in_drain();
    for _ in 0..3 {
        flight(&mut script, 80, |_| {});
        assert!(is_in(&mut script, State::Drain));
    }
    flight(&mut script, 80, |_| {});
    assert!(is_in(&mut script, State::Down));
}
