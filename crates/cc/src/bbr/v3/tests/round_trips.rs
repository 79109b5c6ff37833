//! ProbeRTT, and pauses of the application.

use super::*;
use crate::bbr::v3::{BbrV3, Parameters};
use crate::control::Control;
use crate::control::{Initial, Sent};
use ackclock_base::Time;
use ackclock_base::random::Scripted;

/// Brings a connection to ProbeRTT: for five seconds no round trip is shorter than the minimum.
fn in_probe_rtt() -> Script {
    let mut script = script_with(&[("probe_wait", "100 s")]);
    // Round trips equal to the minimum do not refresh it (trap T5), whatever ProbeBW does meanwhile.
    while !is_in(&mut script, State::ProbeRtt) {
        flight(&mut script, BDP, |_| {});
        assert!(script.published("bbr_rounds") < 140.0, "5 s are 125 rounds");
    }
    script
}

//= test draft-ietf-ccwg-bbr section 5.3.4.2
#[test]
fn probe_rtt_comes_five_seconds_after_the_least_round_trip_was_seen() {
    // Rounds of 40 ms: the first sample is at 40 ms. 5 s later is not more than 5 s, so ProbeRTT begins in
    // the 127th round. ProbeRTT itself then finds no shorter round trip, so the pattern repeats (trap T5).
    let mut script = in_probe_rtt();
    assert_eq!(script.published("bbr_rounds"), 127.0);
    assert_eq!(script.cwnd(), 25.0, "half of the product");
    assert_eq!(pacing(&mut script), 1_237_500.0, "at the bandwidth");
}

//= test draft-ietf-ccwg-bbr section 5.3.4.1
#[test]
fn probe_rtt_lasts_for_200_ms_and_a_round_from_when_the_flight_fits_and_gives_the_window_back() {
    let mut script = in_probe_rtt();
    flight(&mut script, 26, |_| {});
    assert_eq!(script.cwnd(), 25.0);
    script.wait(Span::from_millis(300));
    flight(&mut script, 26, |_| {});
    assert!(is_in(&mut script, State::ProbeRtt), "the flight does not fit yet: no time has begun");
    flight(&mut script, 25, |_| {});
    for _ in 0..5 {
        flight(&mut script, 25, |_| {});
        assert!(is_in(&mut script, State::ProbeRtt), "200 ms are not more than 200 ms");
    }
    flight(&mut script, 25, |_| {});
    assert!(is_in(&mut script, State::Cruise));
    assert!(
        script.cwnd() > 100.0,
        "{}: the saved window, within twice the product plus the excess",
        script.cwnd()
    );
}

#[test]
fn probe_rtt_gives_back_the_largest_window_that_was_saved() {
    // BBRCheckProbeRTT enters ProbeRTT before BBRSaveCwnd, which then saves max(prior_cwnd, cwnd). A finished
    // recovery had saved 150; the window before ProbeRTT is smaller.
    let (mut control, now) = cruising();
    control.repair.begin(150.0, false);
    control.repair.end();
    let ack =
        Ack { now: now + Span::from_seconds(6.0), rtt: Some(RTT + Span::from_millis(1)), ..Ack::default() };
    control.probe_round_trip(&ack, &mut Scripted::new(&[0.5]));
    assert_eq!(control.state, State::ProbeRtt);
    assert_eq!(control.repair.restored(0.0), 150.0);
}

#[test]
fn a_round_must_have_passed_however_long_it_takes() {
    let mut script = in_probe_rtt();
    flight(&mut script, 25, |_| {});
    script.wait(Span::from_millis(500));
    // These packets were sent before the flight was small enough: no round ends with them.
    flight(&mut script, 1, |ack| ack.rate.as_mut().unwrap().prior_delivered -= 30.0);
    assert!(is_in(&mut script, State::ProbeRtt));
    flight(&mut script, 25, |_| {});
    assert!(is_in(&mut script, State::Cruise));
}

//= test draft-ietf-ccwg-bbr section 5.5.4
#[test]
fn deliveries_in_probe_rtt_do_not_count_for_the_bandwidth() {
    let mut script = in_probe_rtt();
    (0..7).for_each(|_| flight(&mut script, 25, |_| {}));
    assert!(is_in(&mut script, State::Cruise));
    // All samples in ProbeRTT are of packets sent slowly, 625 a second: none counts for the bandwidth or ends
    // a cycle of its filter.
    assert_eq!(script.published("bbr_max_bw_packets_per_s"), 1250.0);
}

//= test draft-ietf-ccwg-bbr section 5.3.4.4
#[test]
fn from_startup_probe_rtt_leads_back_to_startup() {
    // The application is the limit all the time.
    let mut script = script_with(&[]);
    let limited =
        |script: &mut Script| flight(script, 10, |ack| ack.rate.as_mut().unwrap().app_limited = true);
    while !is_in(&mut script, State::ProbeRtt) {
        limited(&mut script);
        assert!(script.published("bbr_rounds") < 140.0);
    }
    // The product of the known values is 10 packets, half of it 5: more than the floor of 4.
    assert_eq!(script.cwnd(), 5.0);
    (0..7).for_each(|_| flight(&mut script, 5, |ack| ack.rate.as_mut().unwrap().app_limited = true));
    assert!(is_in(&mut script, State::Startup));
    assert_eq!(script.published("bbr_full_pipe_rounds"), 0.0);
}

/// Creates a control in CRUISE without a script, since the script sends no packets.
fn cruising() -> (BbrV3, Time) {
    let initial = Initial { limit: 1e6, ..Initial::default() };
    let mut control = BbrV3::new(Parameters::default(), &initial);
    control.state = State::Cruise;
    control.full_pipe.call_full();
    (control.bw, control.cwnd) = (1250.0, 100.0);
    control.max_bw.take(1250.0);
    let now = Time::from_seconds(100.0);
    control.min_rtt.take(now, Some(RTT), &control.parameters);
    control.pacing.follow(0.9 * 1250.0, true);
    (control, now)
}

//= test draft-ietf-ccwg-bbr section 5.4.1
#[test]
fn after_a_pause_no_probe_of_the_round_trip_is_needed_and_packets_leave_at_the_bandwidth() {
    let (mut control, before) = cruising();
    let now = before + Span::from_millis(6_000);
    let mut random = Scripted::new(&[0.25]);
    let rate = |control: &BbrV3| control.decision().pacing_rate.unwrap().bytes_per_second().round();
    assert_eq!(rate(&control), 1_113_750.0);
    control.on_sent(&Sent { now, inflight: 1.0, after_idle: true, app_limited: true }, &mut random);
    assert_eq!(rate(&control), 1_237_500.0);
    let ack =
        Ack { rtt: Some(RTT), rate: Some(Default::default()), ..crate::script::ack_at(now + RTT, 1, 1.0) };
    control.on_ack(&ack, &mut random);
    assert!(control.state.is_probe_bw());
    assert!(
        !control.min_rtt.take(now + RTT + Span::from_millis(5_000), None, &control.parameters),
        "as young as it"
    );
    // Without the pause the same acknowledgement begins ProbeRTT.
    let (mut control, _) = cruising();
    control.on_ack(&ack, &mut random);
    assert_eq!(control.state, State::ProbeRtt);
}

#[test]
fn a_pause_not_made_by_the_application_does_not_count() {
    let (mut control, before) = cruising();
    let now = before + Span::from_millis(6_000);
    let sent = Sent { now, inflight: 1.0, after_idle: true, app_limited: false };
    control.on_sent(&sent, &mut Scripted::new(&[0.25]));
    assert!(!control.idle_restart);
}

#[test]
fn a_pause_in_probe_rtt_may_end_it() {
    let (mut control, now) = cruising();
    let mut random = Scripted::new(&[0.25]);
    control.state = State::ProbeRtt;
    control.cwnd = 25.0;
    let fits = crate::script::ack_at(now, 1, 20.0);
    assert!(!control.stay.is_over(&fits, 25.0, Span::from_millis(200), &mut control.rounds));
    let sent =
        |ms| Sent { now: now + Span::from_millis(ms), inflight: 1.0, after_idle: true, app_limited: true };
    control.on_sent(&sent(200), &mut random);
    assert_eq!(control.state, State::ProbeRtt, "not before its time is over");
    control.on_sent(&sent(201), &mut random);
    assert_eq!(control.state, State::Cruise);
}
