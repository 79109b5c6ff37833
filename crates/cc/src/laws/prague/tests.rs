use super::ENTRY;
use crate::control::{Ack, Phase};
use crate::script::Script;
use ackclock_base::{Rate, Span};

/// Creates a flow with a window of 100 in congestion avoidance, whose growth does not depend on the round
/// trip from the start.
fn at_100(settings: &[(&str, &str)]) -> Script {
    at(100.0, settings)
}

fn at(window: f64, settings: &[(&str, &str)]) -> Script {
    let settings = [&[("independent_after", "0")], settings].concat();
    Script::of(&ENTRY, &settings).window(window).starting_ssthresh(2.0)
}

/// Acknowledges one packet after `wait_ms`, with a round trip of `rtt_ms` and `marks` marks, and ends a round
/// trip. Returns the window with its fraction.
fn ack(script: &mut Script, wait_ms: u64, rtt_ms: u64, marks: u32) -> f64 {
    ack_as(script, wait_ms, rtt_ms, |ack| ack.marks = marks)
}

fn ack_as(script: &mut Script, wait_ms: u64, rtt_ms: u64, change: impl FnOnce(&mut Ack)) -> f64 {
    script.wait(Span::from_millis(wait_ms));
    script.ack_as(|ack| {
        ack.smoothed_rtt = Span::from_millis(rtt_ms);
        ack.newly_acked = 1.0;
        ack.sent_to = ack.acked_to;
        change(ack);
    });
    window(script)
}

fn window(script: &mut Script) -> f64 {
    script.published("prague_window_packets")
}

fn close(one: f64, other: f64) {
    assert!((one - other).abs() < 1e-9 * other.abs().max(1.0), "{one} instead of {other}");
}

#[test]
fn the_first_mark_halves_the_window() {
    assert_eq!(ack(&mut at_100(&[]), 0, 50, 1), 50.0);
}

#[test]
fn the_host_is_allowed_the_window_rounded_up_and_two_packets_at_least() {
    // tcp_prague.c: max(2, ceil). 10 + 1/10 x 1500/1052 of a packet (the script's packets have 1000 bytes and
    // 52 of headers) rounds up to 11.
    let mut script = at(10.0, &[]);
    let grown = ack(&mut script, 0, 50, 0);
    close(grown, 10.0 + 1500.0 / 1052.0 / 10.0);
    assert_eq!(script.cwnd(), 11.0);
    let mut script = at(2.0, &[("rate_up_to", "0 packets")]);
    assert_eq!(ack(&mut script, 0, 50, 1), 1.0);
    assert_eq!(script.cwnd(), 2.0);
}

#[test]
fn the_allowed_window_falls_by_a_packet_per_acknowledgement() {
    let mut script = at_100(&[]);
    ack(&mut script, 0, 50, 1);
    assert_eq!((script.cwnd(), script.ssthresh()), (99.0, 99.0));
    // No packet arrives unmarked: the window stays at 50, which the allowed window reaches after 49 more
    // acknowledgements.
    let marked = |ack: &mut Ack| (ack.marks, ack.sent_to) = (1, ack.acked_to + 1000);
    (0..49).for_each(|_| {
        ack_as(&mut script, 0, 50, marked);
    });
    assert_eq!((window(&mut script), script.cwnd()), (50.0, 50.0));
}

#[test]
fn the_share_of_marked_packets_is_averaged_over_periods() {
    // From 0 with every packet marked and a period of 50 ms per acknowledgement: 1 - (15/16)^n, the first
    // mark included.
    let mut script = at_100(&[]);
    for expected in [0.0625, 0.121_093_75, 0.176_025_39, 0.227_523_80, 0.275_803_57] {
        ack(&mut script, 50, 50, 1);
        let alpha = script.published("marked_share");
        assert!((alpha - expected).abs() < 1e-8, "{alpha} instead of {expected}");
    }
}

#[test]
fn a_mark_cuts_by_half_of_the_share_once_in_a_congestion_window_reduced_state_that_begins_after_25_ms() {
    // Linux's CWR lasts until more than what was sent at its beginning is acknowledged, a round trip of 20
    // ms. Every packet is marked. The state that begins after 20 ms is within 25 ms of the cut and makes no
    // cut, so there is one cut every 40 ms.
    let mut script = at_100(&[("gain", "0.0625"), ("initial_alpha", "0.5")]);
    let marked = |ack: &mut Ack| (ack.marks, ack.sent_to) = (1, ack.acked_to + 19);
    let mut before = ack_as(&mut script, 0, 20, marked);
    let mut cuts = Vec::new();
    for ms in 1..=120 {
        let after = ack_as(&mut script, 1, 20, marked);
        if after < before {
            cuts.push(ms);
        }
        before = after;
    }
    assert_eq!(cuts, [40, 80, 120]);
    // With every packet marked alpha is 0.5 + (1 - 0.5) / 16 = 0.53125 after the first mark, and the next cut is by half of it.
    let mut script = at_100(&[("initial_alpha", "0.5")]);
    ack(&mut script, 0, 10, 1);
    let cut = ack(&mut script, 30, 10, 1);
    close(cut, 50.0 * (1.0 - 0.531_25 / 2.0));
}

#[test]
fn short_round_trips_grow_by_their_square_and_small_packets_by_more() {
    // (rtt / 25 ms)^2 of Reno's 1 / cwnd: 0.04, 0.16, 0.64, and 1 from 25 ms on. The factor is 1500 bytes
    // over those of a packet on the wire (PRAGUE's MTU_SYS), here 1052 and, with 248 bytes of payload, 300.
    let full = 1500.0 / 1052.0;
    for (rtt_ms, growth) in [(5, 0.04), (10, 0.16), (20, 0.64), (25, 1.0), (50, 1.0)] {
        let grown = ack(&mut at_100(&[]), 0, rtt_ms, 0) - 100.0;
        close(grown, growth * full / 100.0);
    }
    close(ack(&mut at_100(&[]).packet_bytes(248), 0, 50, 0) - 100.0, 5.0 / 100.0);
    // Until four rounds after slow start the growth is Reno's, whatever the round trip.
    let mut script = Script::of(&ENTRY, &[]).window(100.0).starting_ssthresh(2.0);
    close(ack(&mut script, 0, 5, 0), 100.0 + full / 100.0);
}

#[test]
fn it_grows_unless_the_application_limits_it() {
    // tcp_prague.c 0.7, prague_update_cwnd: no growth while tp->app_limited. A full window is not required.
    let grown = |change: fn(&mut Ack)| {
        let mut script = at_100(&[]);
        ack_as(&mut script, 0, 50, change) - 100.0
    };
    assert!(grown(|ack| ack.cwnd_limited = false) > 0.0);
    close(grown(|ack| ack.app_limited = true), 0.0);
}

/// Creates a flow in rate mode: a window of four packets of 1500 bytes on the wire, halved by the first mark
/// to 2 in 5 ms.
fn by_rate() -> Script {
    let mut script = at(4.0, &[("initial_alpha", "0.5")]).packet_bytes(1448);
    ack(&mut script, 0, 5, 1);
    assert_eq!((window(&mut script), script.published("prague_by_rate")), (2.0, 1.0));
    script
}

#[test]
fn below_four_packets_the_rate_grows_by_a_packet_in_a_virtual_round_trip_for_each_that_it_sends_in_one() {
    // 2 packets in 5 ms are 400 packets a second, 10 in the virtual round trip of 25 ms. An acknowledgement adds
    // 1 / 25 ms / 10 = 4 packets a second, 0.02 packets of window.
    let mut script = by_rate();
    close(ack(&mut script, 1, 5, 0), 2.0 + 4.0 * 0.005);
    // 30 ms later comes a cut by half of alpha, which is 0.5 + 0.03125; the mark of this period is not yet in
    // it.
    let before = window(&mut script);
    close(ack(&mut script, 30, 5, 1), before * (1.0 - 0.531_25 / 2.0));
}

#[test]
fn the_rate_swings_by_a_thirty_second_in_the_halves_of_a_virtual_round_trip() {
    // 1448 bytes x 8 x 400 a second = 4.6336 Mbit/s, times 1 +- 1/32. A period began at the first mark.
    let mut script = by_rate();
    let rate = |script: &mut Script, wait_ms| {
        ack_as(script, wait_ms, 5, |ack| ack.newly_acked = 0.0);
        script.decision().pacing_rate
    };
    assert_eq!(rate(&mut script, 12), Some(Rate::from_bits_per_second(4_778_400)));
    assert_eq!(rate(&mut script, 1), Some(Rate::from_bits_per_second(4_488_800)));
}

#[test]
fn a_loss_halves_the_window_that_a_mark_of_the_same_period_has_cut() {
    // 100 is cut to 50 by the first mark; a loss 10 ms later causes the same reduction, not a second one.
    let mut script = at_100(&[]);
    ack(&mut script, 0, 50, 1);
    script.wait(Span::from_millis(10));
    script.loss();
    assert_eq!((window(&mut script), script.cwnd()), (50.0, 50.0));
    // During its repair the window does not grow. Half a second later a loss causes a reduction of its own,
    // which is undone when it proves spurious.
    assert_eq!(ack_as(&mut script, 1, 50, |ack| ack.phase = Phase::Recovery), 50.0);
    script.recovered();
    script.wait(Span::from_millis(500));
    script.loss();
    assert_eq!((window(&mut script), script.cwnd()), (25.0, 25.0));
    script.spurious();
    assert_eq!((window(&mut script), script.cwnd()), (50.0, 50.0));
}

#[test]
fn after_a_timeout_the_allowed_window_rises_from_the_flight_left_to_half() {
    let mut script = at_100(&[]);
    script.timeout_leaving(3.0);
    assert_eq!((window(&mut script), script.cwnd()), (50.0, 4.0));
    ack(&mut script, 1, 50, 0);
    assert_eq!((window(&mut script), script.cwnd()), (50.0, 5.0));
}

#[test]
fn packets_are_paced_over_the_round_trip() {
    // The window is halved to 50, but 100 packets of 1000 B are in flight: over 50 ms, 16 Mbit/s. In slow
    // start far below the threshold the rate is twice that of the window, which is 11 packets.
    let mut script = at_100(&[]);
    ack(&mut script, 0, 50, 1);
    assert_eq!(script.decision().pacing_rate, Some(Rate::from_bits_per_second(16_000_000)));
    let mut script = Script::of(&ENTRY, &[]).window(10.0);
    ack(&mut script, 0, 50, 0);
    assert_eq!(script.decision().pacing_rate, Some(Rate::from_bits_per_second(11 * 1000 * 8 * 20 * 2)));
}

#[test]
fn by_option_a_queue_that_grows_as_classic_ones_do_is_answered_by_five_sixteenths() {
    // 100 periods whose round trip alternates between 10 and 50 ms, with one of a hundred packets marked:
    // with alpha of about 0.01 a cut takes half a per cent, with the fallback 0.625 / 2.
    let cut = |fallback: &str| {
        let mut script = at_100(&[("classic_fallback", fallback)]);
        ack(&mut script, 0, 30, 1);
        for period in 0..100 {
            let rtt_ms = if period % 2 == 0 { 10 } else { 50 };
            ack_as(&mut script, 30, 30, |ack| {
                ack.rtt = Some(Span::from_millis(rtt_ms));
                ack.min_rtt = Span::from_millis(10);
                ack.marks = u32::from(period == 98);
                ack.newly_acked = 100.0;
            });
        }
        let before = window(&mut script);
        1.0 - ack_as(&mut script, 30, 30, |ack| (ack.marks, ack.newly_acked) = (1, 1.0)) / before
    };
    assert!(cut("false") < 0.01);
    close(cut("true"), 0.3125);
}
