//! Traps: cases that implementations have got wrong, beyond what the other tests show. T1 to T16 are this
//! project's numbers for them. T2 and T5 are tested in `min_rtt`, T4, T6, T8 and T14 among the tests of
//! Startup and of losses.

use super::*;
use crate::control::{Phase, RateSample};

/// Plays the acknowledgement of one packet in the middle of a round.
fn within_round(script: &mut Script, change: impl FnOnce(&mut Ack, &mut RateSample)) {
    flight(script, 1, |ack| {
        let mut rate = ack.rate.unwrap();
        rate.prior_delivered -= 20.0;
        change(ack, &mut rate);
        ack.rate = Some(rate);
    });
}

//= test draft-ietf-ccwg-bbr section 5.3.3.8.2 rounds
/// T1: rounds are compared with packets, not with bytes, which would always be more than 63; with a product
/// of 100 packets the limit of 63 counts.
#[test]
fn rounds_between_probes_are_as_many_as_packets_in_the_product_and_at_most_63() {
    let mut script = script_with(&[("probe_wait", "100 s"), ("probe_rtt_interval", "1000 s")]);
    for packets in [10, 20, 40, 80, 100, 100, 100, 100] {
        // 2,500 packets a second: a product of 100, all of it in flight, so that Drain is over at once.
        script.flight(packets, RTT, RTT, |_| {});
    }
    for _ in 1..63 {
        script.flight(100, RTT, RTT, |_| {});
        assert!(is_in(&mut script, State::Cruise));
    }
    script.flight(100, RTT, RTT, |_| {});
    assert!(is_in(&mut script, State::Refill));
}

/// T7: the state before an episode of losses is saved once, at the first loss, and not again in each later
/// round after the reduction.
#[test]
fn undo_restores_the_state_before_the_first_loss_of_an_episode() {
    let mut script = in_cruise();
    for _ in 0..3 {
        flight(&mut script, BDP, |_| {});
    }
    let (cwnd, bandwidth) = (script.cwnd(), script.published("bbr_bw_packets_per_s"));
    script.lost(1000, f64::from(BDP), |_| {});
    script.loss();
    for number in 1001..1005 {
        script.lost(number, f64::from(BDP), |_| {});
        flight(&mut script, 10, |ack| ack.phase = Phase::Recovery);
    }
    assert!(script.published("bbr_bw_packets_per_s") < 0.8 * bandwidth);
    assert!(script.published("bbr_inflight_shortterm_packets").is_finite());
    script.spurious();
    assert_eq!(script.published("bbr_inflight_shortterm_packets"), f64::INFINITY);
    assert_eq!(script.cwnd(), cwnd);
    flight(&mut script, BDP, |_| {});
    assert_eq!(script.published("bbr_bw_packets_per_s"), bandwidth);
}

/// T7 after a timeout: losses of retransmissions belong to its episode, until all that was outstanding has
/// arrived.
#[test]
fn losses_after_a_timeout_are_of_its_episode() {
    let mut script = in_cruise();
    let cwnd = script.cwnd();
    script.timeout();
    script.lost(1000, f64::from(BDP), |_| {});
    flight(&mut script, 2, |_| {});
    assert!(script.cwnd() < 10.0);
    script.lost(1001, 2.0, |_| {});
    script.spurious();
    assert_eq!(script.cwnd(), cwnd);
    // If the timeout was justified, the window is restored when the losses are repaired.
    let mut script = in_cruise();
    script.timeout();
    flight(&mut script, 1, |ack| ack.rate = None);
    assert_eq!(script.cwnd(), 1.0);
    let outstanding = cwnd as u32;
    flight(&mut script, outstanding, |ack| ack.rate = None);
    assert_eq!(script.cwnd(), cwnd);
}

/// T9: the reaction to too many losses is called for each lost packet, and not again by the acknowledgement
/// that revealed them.
#[test]
fn the_reaction_to_too_many_losses_comes_once() {
    let mut script = bounded();
    let bound = script.published("bbr_inflight_longterm_packets");
    flight(&mut script, 40, |ack| {
        let rate = ack.rate.as_mut().unwrap();
        (rate.lost, rate.tx_in_flight) = (5.0, 60.0);
    });
    assert_eq!(script.published("bbr_inflight_longterm_packets"), bound);
}

/// T10: the window was the limit at some moment of the round, though not now.
#[test]
fn a_limiting_window_is_remembered_for_a_round() {
    let grown = |limited: bool| {
        let mut script = bounded();
        next_up(&mut script, |script| flight(script, BDP, |_| {}));
        for _ in 0..3 {
            within_round(&mut script, |ack, _| ack.inflight_before = if limited { 98.5 } else { 60.0 });
            flight(&mut script, 98, |ack| ack.inflight_before = 60.0);
        }
        script.published("bbr_inflight_longterm_packets") > 98.99
    };
    assert_eq!((grown(true), grown(false)), (true, false));
}

/// T11: the flight has to fit into ProbeRTT's window including its floor of four packets. Half of a product
/// of six packets is three, and delayed acknowledgements never leave so few.
#[test]
fn probe_rtt_on_a_slow_path_begins_to_count_at_four_packets() {
    let mut script = script_with(&[]);
    let slow = |script: &mut Script| script.flight(6, RTT, RTT, |ack| ack.inflight = 4.0);
    for _ in 0..150 {
        slow(&mut script);
        if is_in(&mut script, State::ProbeRtt) {
            break;
        }
    }
    assert!(is_in(&mut script, State::ProbeRtt));
    assert_eq!(script.cwnd(), 4.0);
    (0..7).for_each(|_| slow(&mut script));
    assert!(!is_in(&mut script, State::ProbeRtt));
}

/// T12: after more than ten seconds of silence both filters of the round trip have expired, and a round trip
/// that includes a queue becomes the minimum. The draft has it so, and leaves it open.
#[test]
fn after_a_long_pause_an_inflated_round_trip_is_believed() {
    let mut script = script_with(&[]);
    flight(&mut script, 10, |_| {});
    script.wait(Span::from_millis(10_000));
    script.flight(50, Span::from_millis(90), Span::from_millis(90), |_| {});
    assert_eq!(script.published("bbr_min_rtt_s"), 0.09);
}

/// T13: if the handshake gave no round trip, the first sample recomputes the initial rate; after that the
/// rate only rises.
#[test]
fn the_first_round_trip_makes_the_initial_rate_anew() {
    let mut script = Script::new("bbrv3").window(10.0);
    assert_eq!(pacing(&mut script), 27_725_887.0, "2.7725887 * 10,000 bytes in a millisecond");
    flight(&mut script, 10, |_| {});
    // 2.7725887 * 10,000 bytes in 40 ms, which is more than 2.7725887 * 0.99 of the 250 packets a second that
    // were seen.
    assert_eq!(pacing(&mut script), 693_147.0);
    assert_eq!(script.published("bbr_min_rtt_s"), 0.04);
}

/// T15: only a round that ends, and only a plausible sample, shows whether the rate has grown.
#[test]
fn the_full_pipe_is_judged_once_a_round_and_by_valid_samples() {
    let mut script = script();
    for packets in [10, 20, 40, 80, 80] {
        flight(&mut script, packets, |_| {});
    }
    assert_eq!(script.published("bbr_full_pipe_rounds"), 1.0);
    (0..20).for_each(|_| within_round(&mut script, |_, _| {}));
    assert_eq!(script.published("bbr_full_pipe_rounds"), 1.0, "within a round");
    // An interval below the minimum round trip means that the acknowledgement of a first transmission was
    // taken for one of the retransmission.
    (0..20).for_each(|_| {
        flight(&mut script, 10, |ack| ack.rate.as_mut().unwrap().interval = Span::from_millis(39))
    });
    assert_eq!(script.published("bbr_full_pipe_rounds"), 1.0, "without a rate");
    assert!(is_in(&mut script, State::Startup));
}

/// Section 3.6: a mark is taken for congestion, as a round with a loss or, if the host counts marks, as a
/// lost packet.
#[test]
fn marks_end_a_probe_where_they_are_counted() {
    let after = |counts: &str| {
        let mut script = script_with(&[("counts_marks", counts), ("probe_rtt_interval", "1000 s")]);
        for packets in [10, 20, 40, 80, 80, 80, 80, 80, 80, 80, 80, 50] {
            flight(&mut script, packets, |_| {});
        }
        script.wait(Span::from_millis(2300));
        (0..2).for_each(|_| flight(&mut script, BDP, |_| {}));
        assert!(is_in(&mut script, State::Up));
        flight(&mut script, 62, |ack| ack.marks = 1);
        assert!(is_in(&mut script, State::Up), "one of 62 is not more than two per cent");
        flight(&mut script, 62, |ack| ack.marks = 2);
        (is_in(&mut script, State::Down), script.published("bbr_inflight_longterm_packets"))
    };
    assert_eq!(after("true"), (true, 62.0), "the flight that was sent");
    assert_eq!(after("false"), (false, f64::INFINITY));
}

/// Section 5.5.10.2 without selective acknowledgements: at most one loss is known, and it is enough.
#[test]
fn without_selective_acknowledgements_any_loss_is_too_much() {
    let mut script = Script::new("bbrv3").window(10.0).without_selective_acks();
    for packets in [10, 20, 40] {
        flight(&mut script, packets, |_| {});
    }
    script.lost(100, 40.0, |_| {});
    script.loss();
    flight(&mut script, 20, |ack| ack.phase = Phase::Recovery);
    assert!(!is_in(&mut script, State::Startup));
}
