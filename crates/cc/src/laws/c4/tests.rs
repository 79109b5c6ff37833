use super::*;
use crate::control::RateSample;
use crate::script::Script;
use ackclock_base::Span;

const SECOND: Span = Span::from_millis(1000);

/// Plays `count` rounds of 100 ms that deliver `packets` packets of 1000 B each; returns the state after
/// each.
fn rounds(script: &mut Script, packets: u32, count: u32) -> Vec<f64> {
    (0..count)
        .map(|_| {
            script.flight(packets, SECOND / 10, SECOND / 10, |_| {});
            script.published("c4_state")
        })
        .collect()
}

/// Brings a flow of 1000 packets a second and 100 ms to the first round of Cruising.
fn cruising() -> Script {
    let mut script = Script::new("c4").window(10.0);
    rounds(&mut script, 100, 1);
    while script.published("c4_state") != State::Cruising as u32 as f64 {
        rounds(&mut script, 100, 1);
    }
    script
}

#[test]
fn initial_sends_twice_the_rate_and_ends_after_three_eras_without_increase() {
    let mut script = Script::new("c4").window(10.0);
    assert_eq!(script.decision().pacing_rate, None);
    assert_eq!(rounds(&mut script, 100, 1), [0.0]);
    // 1000 packets of 1000 bytes a second are 8 Mbit/s; twice that is allowed, and a window of 2 * 100
    // packets. The quantum is what that rate sends in 4 ms, 8 packets.
    let decision = script.decision();
    assert_eq!(decision.pacing_rate, Some(Rate::from_bits_per_second(16_000_000)));
    assert_eq!((decision.cwnd, decision.send_quantum), (200.0, Some(8)));
    assert_eq!(rounds(&mut script, 100, 3), [0.0, 0.0, 1.0]);
    // Initial's own window: 10 + 100 + 100 + 100 / 8 = 222.5; half of it at 1000 a second is the maximum
    // round trip. Draining has 7/8 of the rate, with a margin of 15 ms.
    assert!((script.published("c4_max_rtt_s") - 0.11125).abs() < 1e-9);
    assert!((script.cwnd() - 875.0 * 0.12625).abs() < 1e-9);
}

#[test]
fn a_flow_that_its_application_limits_leaves_the_window_of_initial() {
    // A minute of 100 packets a second: each round brings 10 packets, none of which finds the path full, so the flow
    // stays in Initial (section 4.2). Its window is twice those 10, not the 10 + 6000 that have arrived.
    let mut script = Script::new("c4").window(10.0);
    for _ in 0..600 {
        script.flight(10, SECOND / 10, SECOND / 10, |ack| {
            ack.app_limited = true;
            ack.rate = ack.rate.map(|rate| RateSample { app_limited: true, ..rate });
        });
    }
    assert_eq!((script.published("c4_state"), script.cwnd()), (0.0, 20.0));
    // Then it has enough to send, and finds that the path has no more. Initial's window grows to 10 + 10 + 10 / 8
    // before the third era without an increase ends; half of it, at 100 packets a second, is the maximum round
    // trip. It would be 30 s if the packets before counted.
    assert_eq!(rounds(&mut script, 10, 3), [0.0, 0.0, 1.0]);
    let max_rtt_s = script.published("c4_max_rtt_s");
    assert!((max_rtt_s - 21.25 / 2.0 / 100.0).abs() < 1e-9, "{max_rtt_s}");
}

#[test]
fn the_first_packets_leave_at_no_less_than_128_kilobytes_a_second() {
    let mut script = Script::new("c4").window(2.0);
    rounds(&mut script, 2, 1); // 20 packets a second, twice that is 40 kB/s
    assert_eq!(script.decision().pacing_rate, Some(Rate::from_bits_per_second(131_072 * 8)));
}

#[test]
fn without_more_room_it_cruises_for_two_eras_probes_for_one_and_recovers_for_one() {
    let mut script = cruising();
    assert_eq!(script.decision().pacing_rate, Some(Rate::from_bits_per_second(8_000_000)));
    let max_rtt = script.published("c4_max_rtt_s");
    assert!((script.cwnd() - 1000.0 * (max_rtt + 0.015)).abs() < 1e-9);
    let (recovery, cruising, probing) = (1.0, 2.0, 3.0);
    assert_eq!(rounds(&mut script, 100, 5), [cruising, probing, recovery, cruising, cruising]);
    // Probing: 17/16.
    rounds(&mut script, 100, 1);
    assert_eq!(script.decision().pacing_rate, Some(Rate::from_bits_per_second(8_500_000)));
    rounds(&mut script, 100, 1);
    assert_eq!(script.decision().pacing_rate, Some(Rate::from_bits_per_second(7_500_000)));
}

#[test]
fn a_probe_that_brings_more_is_followed_by_a_push_for_as_long_as_that_brings_more() {
    let mut script = cruising();
    rounds(&mut script, 100, 2); // to Probing
    rounds(&mut script, 106, 1); // 1060 packets a second: there is room
    let (recovery, pushing) = (1.0, 4.0);
    assert_eq!(rounds(&mut script, 106, 1), [pushing]);
    assert_eq!(script.decision().pacing_rate, Some(Rate::from_bits_per_second(10_600_000)));
    // The first era measures what was sent before; 132 are 1.245 of 106, and 140 are less than 19/16 of 132.
    assert_eq!(rounds(&mut script, 106, 1), [pushing]);
    assert_eq!(rounds(&mut script, 132, 1), [pushing]);
    assert_eq!(rounds(&mut script, 140, 1), [recovery]);
    // The queue of the push is drained at 7/8 of 1400 packets a second.
    assert_eq!(script.decision().pacing_rate, Some(Rate::from_bits_per_second(9_800_000)));
}

#[test]
fn losses_cut_a_quarter_once_and_only_in_cruising() {
    let mut script = cruising();
    // At a megabyte per second the threshold is 0.06: one loss makes 0.0625. The 100 packets of a round
    // without a loss would reduce it to nearly nothing, so only half a packet is acknowledged.
    script.lost(1, 100.0, |_| {});
    script.ack_as(|ack| {
        ack.newly_acked = 0.5;
        ack.rate = Some(RateSample { interval: SECOND, prior_delivered: 0.0, ..RateSample::default() });
    });
    assert!((script.published("c4_rate_packets_per_s") - 750.0).abs() < 1e-9);
    assert_eq!(script.published("c4_state"), 1.0);
    script.lost(2, 100.0, |_| {});
    script.ack_as(|ack| ack.rate = Some(RateSample { interval: SECOND, ..RateSample::default() }));
    assert!((script.published("c4_rate_packets_per_s") - 750.0).abs() < 1e-9, "in Recovery nothing is cut");
}

#[test]
fn a_long_round_trip_is_congestion_and_wide_jitter_leads_back_to_initial() {
    let mut script = cruising();
    // 130 ms exceed 111 ms and the threshold of 7.75 % by more than a quarter of the threshold: the rate
    // loses a quarter.
    script.flight(100, SECOND / 10, Span::from_millis(130), |_| {});
    assert!((script.published("c4_rate_packets_per_s") - 750.0).abs() < 1e-6);
    // Round trips of 300 and 20 ms alternate. Soon the maximum is more than 2.5 times the minimum: high
    // jitter (section 4.4.1), for which C4 returns to Initial at the end of a Recovery.
    let mut jittery = cruising();
    rounds(&mut jittery, 100, 1);
    for _ in 0..40 {
        jittery.flight(100, SECOND / 10, Span::from_millis(300), |_| {});
        jittery.flight(100, SECOND / 10, Span::from_millis(20), |_| {});
        if jittery.published("c4_state") == 0.0 {
            return;
        }
    }
    panic!("20 to 300 ms did not lead back to Initial: {}", jittery.published("c4_max_rtt_s"));
}

#[test]
fn a_nominal_rate_that_is_too_high_moves_towards_the_measured_one() {
    // A cycle in which only 800 packets a second arrive, without a sign of congestion: (1000 + 800) / 2.
    let mut script = cruising();
    rounds(&mut script, 80, 4);
    assert!((script.published("c4_rate_packets_per_s") - 900.0).abs() < 1e-9);
}

#[test]
fn a_timeout_leaves_a_packet_until_one_arrives() {
    let mut script = cruising();
    script.timeout();
    assert_eq!(script.cwnd(), 1.0);
    rounds(&mut script, 100, 1);
    assert!(script.cwnd() > 100.0);
}
