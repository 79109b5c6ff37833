//! Tests of the state machine against closed forms, on the path of BBRv3's tests: 1,250 packets of 1,000
//! bytes a second, 40 ms, a product of 50.

use super::{BbrV1, Parameters, State};
use crate::control::{Ack, Change, Initial, Phase};
use crate::script::Script;
use ackclock_base::random::Scripted;
use ackclock_base::{Span, Time};

const RTT: Span = Span::from_millis(40);
const BDP: u32 = 50;

/// Sends a flight over the path, which is acknowledged at once. A flight larger than the product takes longer
/// than a round trip.
fn flight(script: &mut Script, packets: u32, change: impl FnOnce(&mut Ack)) {
    let interval = RTT.max(Span::from_seconds(f64::from(packets) / 1250.0));
    script.wait(interval.saturating_sub(RTT));
    script.flight(packets, interval, RTT, change);
}

fn script_with(settings: &[(&str, &str)], drawn: f64) -> Script {
    let mut script = Script::with("bbrv1", settings).window(10.0).drawing(&[drawn]);
    script.change(&Change::Opens { rtt: Some(RTT) });
    script
}

fn is_in(script: &mut Script, state: State) -> bool {
    script.published("bbr_state") == f64::from(state as u32)
}

/// Returns the pacing rate in bytes per second.
fn pacing(script: &mut Script) -> f64 {
    script.decision().pacing_rate.unwrap().bytes_per_second().round()
}

/// Brings a connection to the first phase of a cycle, the one that probes.
fn probing() -> Script {
    let mut script = script_with(&[], 0.0);
    for packets in [10, 20, 40, 80, 80, 80, 80] {
        assert!(is_in(&mut script, State::Startup));
        flight(&mut script, packets, |_| {});
    }
    assert!(is_in(&mut script, State::Drain));
    flight(&mut script, BDP, |_| {});
    assert!(is_in(&mut script, State::ProbeBw));
    script
}

#[test]
fn the_initial_rate_is_the_initial_window_over_the_round_trip_of_the_handshake_or_a_millisecond() {
    // 2 / ln 2 * 10,000 bytes over 1 ms and over 40 ms.
    let mut script = Script::new("bbrv1").window(10.0);
    assert_eq!(pacing(&mut script), 28_853_901.0);
    script.change(&Change::Opens { rtt: Some(RTT) });
    assert_eq!(pacing(&mut script), 721_348.0);
}

#[test]
fn startup_paces_at_2_over_ln_2_and_drain_at_its_inverse() {
    // Startup: 2.88539 * 0.99 * 1.25e6 bytes a second. Drain: 0.99 * 1.25e6 / 2.88539.
    let mut script = script_with(&[], 0.0);
    for packets in [10, 20, 40, 80] {
        flight(&mut script, packets, |_| {});
    }
    assert_eq!(pacing(&mut script), 3_570_670.0);
    (0..3).for_each(|_| flight(&mut script, 80, |_| {}));
    assert_eq!(pacing(&mut script), 428_885.0);
}

#[test]
fn a_cycle_probes_for_a_round_trip_and_until_the_pipe_is_full_then_drains_then_cruises() {
    let mut script = probing();
    assert_eq!(pacing(&mut script), 1_546_875.0, "1.25 * 0.99 * 1.25e6");
    // The window has room for twice the product and three quanta of two packets. A quarter more than the
    // product, and the quanta, are 68.5 packets.
    flight(&mut script, BDP, |_| {});
    assert_eq!(script.cwnd(), 106.0);
    flight(&mut script, 68, |_| {});
    assert_eq!(script.published("bbr_phase"), 0.0, "not yet 68.5");
    flight(&mut script, 69, |_| {});
    assert_eq!(script.published("bbr_phase"), 1.0);
    assert_eq!(pacing(&mut script), 928_125.0, "0.75 * 0.99 * 1.25e6");
    // 56 packets, the product and the quanta, count as drained. Draining needs no full round trip.
    flight(&mut script, 56, |_| {});
    let mut phases = Vec::new();
    for _ in 0..7 {
        assert_eq!(pacing(&mut script), 1_237_500.0);
        phases.push(script.published("bbr_phase"));
        script.wait(Span::from_millis(1)); // a phase is over after more than a round trip
        flight(&mut script, BDP, |_| {});
        if script.published("bbr_phase") == 0.0 {
            break;
        }
    }
    assert_eq!(phases, [2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    flight(&mut script, 51, |ack| ack.newly_lost = 1.0);
    assert_eq!(script.published("bbr_phase"), 1.0, "a loss ends the phase that probes");
}

#[test]
fn a_bandwidth_is_forgotten_after_ten_rounds() {
    let mut script = probing();
    for _ in 0..9 {
        flight(&mut script, 25, |_| {});
        assert_eq!(script.published("bbr_max_bw_packets_per_s"), 1250.0);
    }
    flight(&mut script, 25, |_| {});
    assert_eq!(script.published("bbr_max_bw_packets_per_s"), 625.0);
}

#[test]
fn a_bandwidth_stays_known_while_the_application_sends_little() {
    // Section 4.1.1.3: an application-limited sample below the maximum leaves the filter as it is, for
    // however many rounds. The first sample that counts after them is the only one of the last ten rounds.
    let mut script = probing();
    for _ in 0..30 {
        flight(&mut script, 1, |ack| ack.rate.as_mut().unwrap().app_limited = true);
        assert_eq!(script.published("bbr_max_bw_packets_per_s"), 1250.0);
    }
    flight(&mut script, 25, |_| {});
    assert_eq!(script.published("bbr_max_bw_packets_per_s"), 625.0);
}

#[test]
fn probe_rtt_on_a_short_path_leaves_the_bandwidth_as_it_was() {
    // Four packets in round trips of 10 ms are 400 packets a second, and 200 ms have twenty rounds: twice
    // what the filter remembers.
    let mut script = script_with(&[], 0.0);
    let rtt = Span::from_millis(10);
    let flight = |script: &mut Script, packets: u32, rtt: Span| {
        script.flight(packets, rtt.max(Span::from_seconds(f64::from(packets) / 8000.0)), rtt, |_| {});
    };
    for packets in [10, 20, 40, 80, 80, 80, 80, 80] {
        flight(&mut script, packets, rtt);
    }
    for _ in 0..2_000 {
        if is_in(&mut script, super::State::ProbeRtt) {
            break;
        }
        flight(&mut script, 88, rtt + Span::from_millis(1));
    }
    assert!(is_in(&mut script, super::State::ProbeRtt));
    let mut rounds = 0;
    while is_in(&mut script, super::State::ProbeRtt) {
        flight(&mut script, 4, rtt);
        rounds += 1;
        let bandwidth = script.published("bbr_max_bw_packets_per_s");
        assert!(rounds < 30 && (bandwidth - 8000.0).abs() < 1e-6, "{rounds}: {bandwidth}");
    }
    assert!(rounds > 19, "{rounds}");
}

#[test]
fn losses_change_no_bandwidth_and_recovery_gives_the_window_back() {
    let mut script = probing();
    flight(&mut script, BDP, |_| {});
    let cwnd = script.cwnd();
    script.loss();
    flight(&mut script, 20, |ack| {
        ack.phase = Phase::Recovery;
        (ack.newly_lost, ack.inflight) = (30.0, 60.0);
        ack.rate.as_mut().unwrap().prior_delivered -= 1.0;
    });
    // 106 at the loss, less 30 for the packets lost, are 76. The flight of 60 and the 20 that were delivered
    // are more: 80.
    assert_eq!(script.cwnd(), 80.0);
    assert_eq!(script.published("bbr_max_bw_packets_per_s"), 1250.0);
    script.recovered();
    flight(&mut script, 20, |ack| ack.phase = Phase::Recovery);
    assert_eq!(script.cwnd(), cwnd);
    // The draft sets one packet, whatever the host still has in flight.
    script.timeout_leaving(17.0);
    assert_eq!(script.cwnd(), 1.0);
    script.spurious();
    assert_eq!(script.cwnd(), cwnd);
}

#[test]
fn a_recovery_right_after_another_continues_it_and_conserves_no_packets() {
    // This is Startup with a packet lost in every round. Linux compares its state with the state at the
    // previous acknowledgement (bbr_set_cwnd_to_recover_or_restore): Recovery after Recovery is not a first
    // round. In the first round as much is sent as is delivered.
    let mut script = script_with(&[], 0.0);
    flight(&mut script, 10, |_| {});
    script.loss();
    let in_recovery = |ack: &mut Ack| ack.phase = Phase::Recovery;
    flight(&mut script, 20, |ack| {
        in_recovery(ack);
        (ack.newly_lost, ack.inflight) = (1.0, 0.0);
        ack.rate.as_mut().unwrap().prior_delivered -= 1.0;
    });
    assert_eq!(script.cwnd(), 20.0, "as much as was delivered");
    script.recovered();
    script.loss();
    flight(&mut script, 20, |ack| {
        in_recovery(ack);
        (ack.newly_lost, ack.inflight) = (1.0, 0.0);
    });
    // 20 less the one that was lost, and 20 more that were delivered.
    assert_eq!(script.cwnd(), 39.0);
}

#[test]
fn a_timeout_in_startup_is_no_sign_of_a_full_pipe() {
    // Linux's bbr_set_state sets full_bw to 0: the round after the timeout counts as growth, and three more
    // without growth may follow.
    let mut script = script_with(&[], 0.0);
    (0..3).for_each(|_| flight(&mut script, 10, |_| {}));
    script.timeout();
    for _ in 0..3 {
        flight(&mut script, 10, |_| {});
        assert!(is_in(&mut script, State::Startup));
    }
    flight(&mut script, 10, |_| {});
    assert!(!is_in(&mut script, State::Startup));
}

#[test]
fn probe_rtt_gives_back_the_largest_window_that_was_saved() {
    // The draft's BBRCheckProbeRTT, and tcp_bbr.c, enter ProbeRTT before they save the window:
    // max(prior_cwnd, cwnd). A finished recovery had saved 150; the window before ProbeRTT is the initial
    // one.
    let initial = Initial { limit: 1e6, ..Initial::default() };
    let mut control = BbrV1::new(Parameters::default(), &initial);
    control.repair.begin(150.0, false);
    control.repair.end();
    for seconds in [0.0, 11.0] {
        let ack = Ack { now: Time::from_seconds(seconds), rtt: Some(RTT), ..Ack::default() };
        control.probe_round_trip(&ack, &mut Scripted::new(&[0.0]));
    }
    assert_eq!(control.state, State::ProbeRtt);
    assert_eq!(control.repair.restored(0.0), 150.0);
}

#[test]
fn probe_rtt_comes_after_ten_seconds_without_a_round_trip_as_short_and_keeps_four_packets() {
    let mut script = probing();
    // A round trip as short as the minimum refreshes it, so ProbeRTT does not come in these 300 rounds, 12 s.
    for _ in 0..300 {
        flight(&mut script, BDP, |_| {});
        assert!(is_in(&mut script, State::ProbeBw));
    }
    let longer = RTT + Span::from_millis(1);
    let longer = |script: &mut Script, packets| script.flight(packets, longer, longer, |_| {});
    let mut rounds = 0;
    while !is_in(&mut script, State::ProbeRtt) {
        longer(&mut script, BDP);
        rounds += 1;
    }
    assert_eq!(rounds, 244, "41 ms each: 10.004 s");
    assert_eq!((script.cwnd(), script.published("bbr_min_rtt_s")), (4.0, 0.041));
    longer(&mut script, 4);
    for _ in 0..4 {
        longer(&mut script, 4);
        assert!(is_in(&mut script, State::ProbeRtt), "for 200 ms");
    }
    longer(&mut script, 4);
    assert!(is_in(&mut script, State::ProbeBw));
    assert!(script.cwnd() > 100.0);
}

#[test]
fn aggregation_has_room_by_option() {
    let window = |settings: &[(&str, &str)]| {
        let mut script = script_with(settings, 0.0);
        for packets in [10, 20, 40, 50, 50, 50, 50, 50, 50, 50] {
            flight(&mut script, packets, |_| {});
        }
        script.cwnd()
    };
    // Flights of 50 are acknowledged at once: the window has room for 50 more.
    assert_eq!(window(&[("extra_acked_rounds", "10")]) - window(&[]), 50.0);
}
