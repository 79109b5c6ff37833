//! Losses: between probes, in probes, in Startup, and spurious ones.

use super::*;
use crate::bbr::v3::Parameters;
use crate::bbr::v3::bounds::{Bounds, Latest, inflight_at_loss, too_high};
use crate::control::{Lost, Phase};
use ackclock_base::Time;

//= test draft-ietf-ccwg-bbr section 5.5.10.2 too-high
#[test]
fn a_loss_in_a_probe_sets_the_bound_to_the_flight_at_which_two_per_cent_were_lost() {
    let (mut script, before) =
        (in_up(), |script: &mut Script| script.published("bbr_inflight_longterm_packets"));
    script.lost(400, 100.0, |lost| lost.lost = 2.0);
    assert!(is_in(&mut script, State::Up), "two of a hundred are not more than two per cent");
    script.lost(401, 100.0, |lost| lost.lost = 3.0);
    assert!(is_in(&mut script, State::Down));
    assert!((before(&mut script) - 98.979_59).abs() < 1e-5);
    script.lost(402, 90.0, |lost| lost.lost = 4.0);
    assert!((before(&mut script) - 98.979_59).abs() < 1e-5, "one reaction for a probe");
}

#[test]
fn a_loss_of_application_limited_packets_ends_a_probe_and_sets_no_bound() {
    let mut script = in_up();
    script.lost(400, 20.0, |lost| lost.app_limited = true);
    assert!(is_in(&mut script, State::Down));
    assert_eq!(script.published("bbr_inflight_longterm_packets"), f64::INFINITY);
}

//= test draft-ietf-ccwg-bbr section 5.5.10.2 prefix
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
    let parameters = Parameters::default();
    // The size of the lost packet, the flight, the amount lost and the flight at the threshold, in thousands
    // of bytes.
    for (size, flight, gone, at) in
        [(1.0, 100.0, 3.0, 98.979_59), (2.0, 200.0, 5.0, 198.979_59), (64.0, 150.0, 64.0, 87.755_10)]
    {
        let found = inflight_at_loss(&lost(size, flight, gone), &parameters);
        assert!((found - at).abs() < 1e-5, "{found} instead of {at}");
    }
    assert!(!too_high(2.0, 100.0, &parameters) && too_high(3.0, 100.0, &parameters));
}

//= test draft-ietf-ccwg-bbr section 5.5.10.3 lower
#[test]
fn losses_between_probes_lower_the_short_term_bounds_by_seven_tenths_a_round() {
    // The delivery rate is a tenth of the bandwidth: 0.7^6 = 0.118 is above that, 0.7^7 = 0.082 below.
    let mut latest = Latest::default();
    (latest.bw, latest.inflight) = (125.0, 5.0);
    let mut bounds = Bounds::NONE;
    for round in 1..=7 {
        bounds.lower(1250.0, 100.0, &latest, 0.7);
        let expected = (0.7_f64.powi(round) * 1250.0).max(125.0);
        assert!((bounds.bw_shortterm - expected).abs() < 1e-9, "round {round}: {bounds:?}");
    }
    assert_eq!(bounds.bw_shortterm, 125.0);
    // In the control: a loss in CRUISE, and the round that ends after it.
    let mut script = in_cruise();
    let number = 1000;
    script.lost(number, f64::from(BDP), |_| {});
    flight(&mut script, BDP, |_| {});
    assert_eq!(script.published("bbr_bw_packets_per_s"), 1250.0, "all is delivered, whatever was lost");
    script.lost(number + 1, f64::from(BDP), |_| {});
    flight(&mut script, 25, |_| {});
    script.lost(number + 2, f64::from(BDP), |_| {});
    flight(&mut script, 25, |_| {});
    assert!((script.published("bbr_bw_packets_per_s") - 0.7 * 1250.0).abs() < 1e-9);
}

//= test draft-ietf-ccwg-bbr section 5.5.10.3 probing
#[test]
fn losses_of_a_probe_lower_no_short_term_bound() {
    // One of a hundred is lost in UP, which is not too many, and the round after it delivers a fifth.
    let mut script = in_up();
    script.lost(400, 100.0, |_| {});
    flight(&mut script, 10, |_| {});
    flight(&mut script, 10, |_| {});
    assert!(is_in(&mut script, State::Up));
    assert_eq!(script.published("bbr_bw_packets_per_s"), 1250.0);
    assert_eq!(script.published("bbr_inflight_shortterm_packets"), f64::INFINITY);
}

//= test draft-ietf-ccwg-bbr section 5.3.3.9 headroom
#[test]
fn headroom_is_fifteen_per_cent_and_at_least_a_packet_above_the_least_window() {
    let of = |inflight_longterm| {
        Bounds { inflight_longterm, ..Bounds::NONE }.with_headroom(&Parameters::default())
    };
    assert_eq!([of(100.0), of(10.0), of(4.0)], [85.0, 8.5, 4.0]);
    assert_eq!(of(6.0), 5.0, "a whole packet");
    assert_eq!(of(f64::INFINITY), f64::INFINITY);
}

//= test draft-ietf-ccwg-bbr section 5.3.3.9 headroom
#[test]
fn cruise_leaves_the_headroom_and_refill_takes_it() {
    // The bound is 98.98 packets, and 0.85 * 98.98 = 84.13. A window of twice the product of 50 would be 100
    // and more: DOWN and REFILL end at the bound, CRUISE at the bound without the headroom.
    let mut script = bounded();
    let mut windows = Vec::new();
    for (wait_ms, state) in [(0, State::Down), (0, State::Cruise), (2300, State::Refill)] {
        script.wait(Span::from_millis(wait_ms));
        flight(&mut script, if state == State::Down { 90 } else { BDP }, |_| {});
        assert!(is_in(&mut script, state), "{state:?}");
        windows.push((script.cwnd() * 100.0).round() / 100.0);
    }
    assert_eq!(windows, [98.98, 84.13, 98.98]);
}

//= test draft-ietf-ccwg-bbr section 5.3.1.3
#[test]
fn startup_ends_after_a_round_of_recovery_with_six_gaps_and_more_than_two_per_cent_lost() {
    let leaves = |ranges: u64, lost: f64, phase| {
        let mut script = script();
        for packets in [10, 20, 40] {
            flight(&mut script, packets, |_| {});
        }
        // Each run has two packets, and counts once.
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
        let bound = script.published("bbr_inflight_longterm_packets");
        (!is_in(&mut script, State::Startup)).then_some(bound)
    };
    assert_eq!(leaves(6, 2.1, Phase::Recovery), Some(50.0), "what the round delivered; the product was 40");
    assert_eq!(leaves(5, 2.1, Phase::Recovery), None);
    assert_eq!(leaves(6, 2.0, Phase::Recovery), None);
    assert_eq!(leaves(6, 2.1, Phase::Open), None);
}

//= test draft-ietf-ccwg-bbr section 5.5.11.2
#[test]
fn a_spurious_loss_in_a_probe_leads_back_to_it_through_refill() {
    let mut script = in_up();
    let cwnd = script.cwnd();
    script.lost(400, 50.0, |lost| lost.lost = 2.0);
    script.loss();
    flight(&mut script, 25, |ack| ack.phase = Phase::Recovery);
    assert!(script.cwnd() < cwnd);
    script.spurious();
    assert!(is_in(&mut script, State::Refill));
    assert_eq!(script.published("bbr_inflight_longterm_packets"), f64::INFINITY);
    assert_eq!(script.cwnd(), cwnd);
    flight(&mut script, BDP, |_| {});
    assert!(
        is_in(&mut script, State::Refill),
        "the round begins with what this acknowledgement has delivered"
    );
    flight(&mut script, BDP, |_| {});
    assert!(is_in(&mut script, State::Up));
}

#[test]
fn spurious_losses_in_startup_lead_back_to_it() {
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
    assert_eq!(script.published("bbr_inflight_longterm_packets"), f64::INFINITY);
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
fn a_timeout_leaves_one_packet_more_than_what_the_host_has_not_given_up() {
    // BBROnEnterRTO (section 5.6.4.4): C.cwnd = C.inflight + 1, where RACK still has 17 packets in flight.
    let mut script = in_cruise();
    let cwnd = script.cwnd();
    script.timeout_leaving(17.0);
    assert_eq!(script.cwnd(), 18.0);
    script.recovered();
    assert_eq!(script.cwnd(), cwnd);
}
