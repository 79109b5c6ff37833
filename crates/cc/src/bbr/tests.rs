//! The skeleton against closed forms. The path carries 1,250 packets of 1,000 bytes a second (10 Mbit/s) in a round trip of
//! 40 ms: its bandwidth-delay product is 50 packets.

use super::bounds::{Bounds, Latest, inflight_at_loss, too_high};
use super::{Bbr, ENTRY, State};
use crate::control::{Ack, Change, Control, Initial, Lost, Phase};
use crate::script::Script;
use ackclock_base::{Span, Time};

const RTT: Span = Span::from_millis(40);
const BDP: u32 = 50;

/// A flight over the path: what exceeds the product takes longer.
fn flight(script: &mut Script, packets: u32, change: impl FnOnce(&mut Ack)) {
    let interval = RTT.max(Span::from_seconds(f64::from(packets) / 1250.0));
    script.flight(packets, interval, RTT, change);
}

fn script() -> Script {
    Script::of(&ENTRY, &[]).window(10.0).drawing(&[0.25])
}

fn is_in(script: &mut Script, state: State) -> bool {
    script.published("bbr_state") == f64::from(state.index())
}

/// Bytes per second.
fn pacing(script: &mut Script) -> f64 {
    script.decision().pacing_rate.unwrap().bytes_per_second().round()
}

/// Through Startup: 10, 20, 40 packets a round, then the pipe is full.
fn in_drain() -> Script {
    let mut script = script();
    for packets in [10, 20, 40, 80, 80, 80, 80] {
        assert!(is_in(&mut script, State::Startup));
        flight(&mut script, packets, |_| {});
    }
    assert!(is_in(&mut script, State::Drain));
    script
}

/// Drain has lasted its four rounds, and too much is in flight still.
fn in_down() -> Script {
    let mut script = in_drain();
    (0..4).for_each(|_| flight(&mut script, 80, |_| {}));
    assert!(is_in(&mut script, State::Down));
    script
}

fn in_cruise() -> Script {
    let mut script = in_down();
    flight(&mut script, BDP, |_| {});
    assert!(is_in(&mut script, State::Cruise));
    script
}

fn in_up() -> Script {
    let mut script = in_cruise();
    script.wait(Span::from_millis(2300));
    flight(&mut script, BDP, |_| {});
    assert!(is_in(&mut script, State::Refill));
    flight(&mut script, BDP, |_| {});
    assert!(is_in(&mut script, State::Up));
    script
}

#[test]
fn the_initial_rate_is_the_initial_window_over_the_round_trip_of_the_handshake_or_a_millisecond() {
    // 2.7725887 * 14,480 bytes over 1 ms and over 40 ms.
    let initial = Initial { window: 10.0, ssthresh: f64::INFINITY, limit: 1e6, packet_bytes: 1448 };
    let mut control = Bbr::new(&initial);
    let rate = |control: &Bbr| control.decision().pacing_rate.unwrap().bytes_per_second().round();
    assert_eq!(rate(&control), 40_147_085.0);
    control.on_change(&Change::Opens { rtt: Some(RTT) });
    assert_eq!(rate(&control), 1_003_677.0);
    control.on_change(&Change::Opens { rtt: None });
    assert_eq!(rate(&control), 40_147_085.0);
}

#[test]
fn the_quantum_is_a_millisecond_of_the_rate_between_two_packets_and_64_kibibytes() {
    // At gain 1, 99 % of 10, 100 and 1,000 Mbit/s: 1,237.5 bytes (floor 2 packets), 12,375 (8.5), 123,750 (cap 45.3).
    for (megabits, packets) in [(10.0, 2), (100.0, 8), (1000.0, 45)] {
        let initial = Initial { window: 10.0, ssthresh: f64::INFINITY, limit: 1e6, packet_bytes: 1448 };
        let mut control = Bbr::new(&initial);
        control.pacing_rate = 0.99 * megabits * 1e6 / 8.0 / 1448.0;
        control.set_quantum();
        assert_eq!(control.decision().send_quantum, Some(packets), "{megabits} Mbit/s");
    }
}

#[test]
fn startup_ends_in_the_third_round_that_grows_by_less_than_a_quarter() {
    // 250, 500, 1,000, 1,250 (a quarter more: still growth), then three times 1,250.
    let mut script = in_drain();
    assert_eq!(script.published("bbr_max_bw_packets_per_second"), 1250.0);
    assert_eq!(pacing(&mut script), 618_750.0, "0.5 * 0.99 * 1.25e6");
}

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
fn what_the_application_limits_never_fills_the_pipe() {
    let mut script = script();
    script.change(&Change::Opens { rtt: Some(RTT) });
    for _ in 0..50 {
        flight(&mut script, 10, |ack| ack.rate.as_mut().unwrap().app_limited = true);
    }
    assert!(is_in(&mut script, State::Startup));
    assert_eq!(script.published("bbr_max_bw_packets_per_second"), 250.0, "more than was known before");
    // 10 + 10, and then no more than twice the product of what is known: 2 * 250 * 0.04 = 20.
    assert_eq!(script.cwnd(), 20.0);
}

#[test]
fn drain_ends_when_the_flight_fits_or_in_the_fourth_round() {
    let mut script = in_drain();
    flight(&mut script, 80, |ack| ack.inflight = 50.1);
    assert!(is_in(&mut script, State::Drain));
    flight(&mut script, 80, |ack| ack.inflight = 50.0);
    // By way of DOWN, which the same acknowledgement leaves: the order of section 5.2.3.
    assert!(is_in(&mut script, State::Cruise));
    let mut script = in_drain();
    for _ in 0..3 {
        flight(&mut script, 80, |_| {});
        assert!(is_in(&mut script, State::Drain));
    }
    flight(&mut script, 80, |_| {});
    assert!(is_in(&mut script, State::Down));
}

#[test]
fn down_and_cruise_pace_below_and_at_the_bandwidth_with_a_window_of_twice_the_product() {
    let mut script = in_down();
    assert_eq!(pacing(&mut script), 1_113_750.0, "0.9 * 0.99 * 1.25e6");
    flight(&mut script, 60, |_| {});
    assert!(is_in(&mut script, State::Down), "60 packets are more than the product");
    let mut script = in_cruise();
    assert_eq!(pacing(&mut script), 1_237_500.0);
    flight(&mut script, BDP, |_| {});
    assert_eq!(script.cwnd(), 100.0);
}

#[test]
fn a_probe_comes_after_two_to_three_seconds() {
    // The random number 0.25: no round of head start, and 2.25 s.
    let mut script = in_down();
    script.wait(Span::from_millis(2250 - 40));
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
    assert_eq!(script.published("bbr_inflight_longterm"), f64::INFINITY, "nothing was lost");
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

#[test]
fn a_loss_in_a_probe_sets_the_bound_to_the_flight_at_which_two_per_cent_were_lost() {
    let (mut script, before) = (in_up(), |script: &mut Script| script.published("bbr_inflight_longterm"));
    script.lost(400, 100.0, |lost| lost.lost = 2.0);
    assert!(is_in(&mut script, State::Up), "two of a hundred are not more than two per cent");
    script.lost(401, 100.0, |lost| lost.lost = 3.0);
    assert!(is_in(&mut script, State::Down));
    assert!((before(&mut script) - 98.979_59).abs() < 1e-5);
    script.lost(402, 90.0, |lost| lost.lost = 4.0);
    assert!((before(&mut script) - 98.979_59).abs() < 1e-5, "one reaction for a probe");
}

#[test]
fn a_loss_of_what_the_application_limited_ends_a_probe_and_bounds_nothing() {
    let mut script = in_up();
    script.lost(400, 20.0, |lost| lost.app_limited = true);
    assert!(is_in(&mut script, State::Down));
    assert_eq!(script.published("bbr_inflight_longterm"), f64::INFINITY);
}

/// Down after a probe in which too much was lost with 100 packets in flight: the bound is 98.98.
fn bounded() -> Script {
    let mut script = in_up();
    script.lost(401, 100.0, |lost| lost.lost = 3.0);
    script
}

/// From Down to the next probe.
fn next_up(script: &mut Script, change: impl Fn(&mut Script)) {
    change(script);
    assert!(is_in(script, State::Cruise));
    script.wait(Span::from_millis(2300));
    change(script);
    assert!(is_in(script, State::Refill));
    change(script);
    assert!(is_in(script, State::Up));
}

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
    // The bound grows by a packet for 98.98 acknowledged in the first round, and for half of that, and a quarter, as the slope
    // doubles at the end of each round in which the window is at the bound; the window follows at the next acknowledgement.
    // First: 62 are none of 98.98, but one of 49.49, and 12.51 are left. Second: the window gets there. Third: 74.51 are one
    // of 49.49, and the 25.02 left one of 24.99.
    let mut grown = Vec::new();
    for _ in 0..5 {
        flight(&mut script, 62, |_| {});
        flight(&mut script, 62, |ack| {
            ack.newly_acked = 0.0;
            ack.rate.as_mut().unwrap().prior_delivered -= 1.0;
        });
        assert!(is_in(&mut script, State::Up), "the rate does not grow, but the window is in the way");
        grown.push((script.published("bbr_inflight_longterm") - 98.979_59).round());
    }
    assert_eq!(grown[..3], [1.0, 1.0, 3.0]);
}

#[test]
fn a_bandwidth_that_is_gone_is_forgotten_after_two_cycles() {
    let mut script = in_up();
    let slow = |script: &mut Script| flight(script, 20, |_| {}); // 500 packets a second
    (0..3).for_each(|_| slow(&mut script));
    assert!(is_in(&mut script, State::Down));
    next_up(&mut script, slow);
    (0..3).for_each(|_| slow(&mut script));
    assert!(is_in(&mut script, State::Down));
    assert_eq!(script.published("bbr_max_bw_packets_per_second"), 1250.0);
    slow(&mut script);
    assert_eq!(script.published("bbr_max_bw_packets_per_second"), 500.0);
}

#[test]
fn a_packet_as_large_as_many_counts_up_to_where_the_threshold_was() {
    let lost = |size, tx_in_flight, lost| Lost {
        now: Time::ZERO,
        number: 0,
        sent: Time::ZERO,
        size,
        tx_in_flight,
        lost,
        prior_delivered: 0.0,
        delivered: 0.0,
        app_limited: false,
    };
    // (size, in flight, lost) in thousands of bytes: 98,979.59, 198,979.59 and 87,755.10 bytes.
    for (size, flight, gone, at) in
        [(1.0, 100.0, 3.0, 98.979_59), (2.0, 200.0, 5.0, 198.979_59), (64.0, 150.0, 64.0, 87.755_10)]
    {
        let found = inflight_at_loss(&lost(size, flight, gone));
        assert!((found - at).abs() < 1e-5, "{found} instead of {at}");
    }
    assert!(!too_high(2.0, 100.0) && too_high(3.0, 100.0));
}

#[test]
fn losses_between_probes_lower_the_short_term_bounds_by_seven_tenths_a_round() {
    // What is delivered is a tenth of the bandwidth: 0.7^6 = 0.118 is above that, 0.7^7 = 0.082 below.
    let mut latest = Latest::default();
    (latest.bw, latest.inflight) = (125.0, 5.0);
    let mut bounds = Bounds::NONE;
    for round in 1..=7 {
        bounds.lower(1250.0, 100.0, &latest);
        let expected = (0.7_f64.powi(round) * 1250.0).max(125.0);
        assert!((bounds.bw_shortterm - expected).abs() < 1e-9, "round {round}: {bounds:?}");
    }
    assert_eq!(bounds.bw_shortterm, 125.0);
    // And in the control: a loss in CRUISE, and the round that ends after it.
    let mut script = in_cruise();
    let number = 1000;
    script.lost(number, f64::from(BDP), |_| {});
    flight(&mut script, BDP, |_| {});
    assert_eq!(script.published("bbr_bw_packets_per_second"), 1250.0, "all is delivered, whatever was lost");
    script.lost(number + 1, f64::from(BDP), |_| {});
    flight(&mut script, 25, |_| {});
    script.lost(number + 2, f64::from(BDP), |_| {});
    flight(&mut script, 25, |_| {});
    assert!((script.published("bbr_bw_packets_per_second") - 0.7 * 1250.0).abs() < 1e-9);
}

#[test]
fn losses_of_a_probe_lower_no_short_term_bound() {
    // One of a hundred is lost in UP, which is not too much, and the round after delivers a fifth.
    let mut script = in_up();
    script.lost(400, 100.0, |_| {});
    flight(&mut script, 10, |_| {});
    flight(&mut script, 10, |_| {});
    assert!(is_in(&mut script, State::Up));
    assert_eq!(script.published("bbr_bw_packets_per_second"), 1250.0);
    assert_eq!(script.published("bbr_inflight_shortterm"), f64::INFINITY);
}

#[test]
fn headroom_is_fifteen_per_cent_and_at_least_a_packet_above_the_least_window() {
    let of = |inflight_longterm| Bounds { inflight_longterm, ..Bounds::NONE }.with_headroom();
    assert_eq!([of(100.0), of(10.0), of(4.0)], [85.0, 8.5, 4.0]);
    assert_eq!(of(6.0), 5.0, "a whole packet");
    assert_eq!(of(f64::INFINITY), f64::INFINITY);
}

#[test]
fn startup_ends_after_a_round_of_recovery_with_six_gaps_and_more_than_two_per_cent_lost() {
    let leaves = |ranges: u64, lost: f64, phase| {
        let mut script = script();
        for packets in [10, 20, 40] {
            flight(&mut script, packets, |_| {});
        }
        // Runs of two packets: they count once.
        for range in 0..ranges {
            script.lost(100 + 3 * range, 100.0, |_| {});
            script.lost(101 + 3 * range, 100.0, |_| {});
        }
        script.loss();
        flight(&mut script, 50, |ack| {
            ack.phase = phase;
            let rate = ack.rate.as_mut().unwrap();
            (rate.lost, rate.tx_in_flight) = (lost, 100.0);
        });
        let bound = script.published("bbr_inflight_longterm");
        (!is_in(&mut script, State::Startup)).then_some(bound)
    };
    assert_eq!(leaves(6, 2.1, Phase::Recovery), Some(50.0), "what the round delivered; the product was 40");
    assert_eq!(leaves(5, 2.1, Phase::Recovery), None);
    assert_eq!(leaves(6, 2.0, Phase::Recovery), None);
    assert_eq!(leaves(6, 2.1, Phase::Open), None);
}

#[test]
fn a_loss_in_a_probe_that_was_none_leads_back_to_it_by_way_of_refill() {
    let mut script = in_up();
    let cwnd = script.cwnd();
    script.lost(400, 50.0, |lost| lost.lost = 2.0);
    script.loss();
    flight(&mut script, 25, |ack| ack.phase = Phase::Recovery);
    assert!(script.cwnd() < cwnd);
    script.spurious();
    assert!(is_in(&mut script, State::Refill));
    assert_eq!(script.published("bbr_inflight_longterm"), f64::INFINITY);
    assert_eq!(script.cwnd(), cwnd);
    flight(&mut script, BDP, |_| {});
    assert!(is_in(&mut script, State::Up));
}

#[test]
fn losses_in_startup_that_were_none_lead_back_to_it() {
    let mut script = script();
    for packets in [10, 20, 40] {
        flight(&mut script, packets, |_| {});
    }
    (0..6).for_each(|range| script.lost(100 + 2 * range, 40.0, |_| {}));
    script.loss();
    flight(&mut script, 40, |ack| {
        ack.phase = Phase::Recovery;
        ack.inflight = 90.0;
        ack.rate.as_mut().unwrap().lost = 6.0;
    });
    assert!(is_in(&mut script, State::Drain));
    script.spurious();
    assert!(is_in(&mut script, State::Startup));
    assert_eq!(script.published("bbr_inflight_longterm"), f64::INFINITY);
}

#[test]
fn a_timeout_leaves_one_packet_and_the_end_of_a_recovery_the_window_before_it() {
    let mut script = in_cruise();
    let cwnd = script.cwnd();
    script.loss();
    flight(&mut script, 10, |ack| {
        ack.phase = Phase::Recovery;
        ack.rate = None;
    });
    script.timeout();
    assert_eq!(script.cwnd(), 1.0);
    script.recovered();
    assert_eq!(script.cwnd(), cwnd);
}

#[test]
fn a_change_of_the_packet_size_changes_no_rate_and_no_window_in_bytes() {
    let mut script = in_cruise();
    flight(&mut script, BDP, |_| {});
    let before = script.decision();
    script.change(&Change::PacketBytes(500));
    let after = script.decision();
    assert_eq!((after.cwnd, after.pacing_rate), (2.0 * before.cwnd, before.pacing_rate));
    assert_eq!(script.published("bbr_max_bw_packets_per_second"), 2500.0);
    // The host's totals are in the new packets from now on: a round is no longer for that.
    let delivered = 2.0 * (10.0 + 20.0 + 40.0 + 8.0 * 80.0 + 2.0 * 50.0);
    let rounds = |script: &mut Script, prior_delivered, delivered| {
        script.flight(0, RTT, RTT, |ack| {
            ack.delivered = delivered;
            let rate = ack.rate.as_mut().unwrap();
            (rate.prior_delivered, rate.delivered) = (prior_delivered, 100.0);
            ack.phase = Phase::Open;
        });
        script.published("bbr_rounds")
    };
    let first = rounds(&mut script, delivered - 1.0, delivered + 99.0);
    assert_eq!(rounds(&mut script, delivered, delivered + 100.0), first + 1.0);
}
