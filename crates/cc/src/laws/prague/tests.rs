use super::ENTRY;
use crate::script::Script;
use ackclock_base::{Rate, Span};

/// A window of 100 in congestion avoidance, of which growth is independent of the round trip from the start.
fn at_100(alpha: &str) -> Script {
    let settings = [("initial_alpha", alpha), ("independent_after", "0")];
    Script::of(&ENTRY, &settings).window(100.0).starting_ssthresh(2.0)
}

/// An acknowledgement after so many milliseconds, with this round trip and so many marks.
fn ack(script: &mut Script, wait_ms: u64, rtt_ms: u64, marks: u32) -> f64 {
    script.wait(Span::from_millis(wait_ms));
    script.ack_as(|ack| {
        ack.smoothed_rtt = Span::from_millis(rtt_ms);
        ack.marks = marks;
        (ack.credit, ack.newly_acked) = (1.0, 1.0);
    });
    script.cwnd()
}

#[test]
fn the_first_mark_halves_the_window() {
    assert_eq!(ack(&mut at_100("0"), 0, 50, 1), 50.0);
}

#[test]
fn the_share_of_marked_packets_is_averaged_over_periods() {
    // From 0 with every packet marked, a period of 50 ms at each acknowledgement: 1 - (15/16)^n.
    let mut script = at_100("0");
    ack(&mut script, 0, 50, 1);
    for expected in [0.0625, 0.121_093_75, 0.176_025_39, 0.227_523_80, 0.275_803_57] {
        ack(&mut script, 50, 50, 1);
        let alpha = script.published("marked_share");
        assert!((alpha - expected).abs() < 1e-8, "{alpha} instead of {expected}");
    }
}

#[test]
fn a_mark_cuts_by_half_of_the_share_once_in_a_period_of_at_least_25_ms() {
    // The first mark opens the periods. After 10 ms, less than 25, no second cut; after 30 ms alpha is first
    // 0.5 + (1 - 0.5) / 16 = 0.53125 with both packets marked: 50 (1 - 0.53125 / 2).
    let mut script = at_100("0.5");
    assert_eq!(ack(&mut script, 0, 10, 1), 50.0);
    assert_eq!(ack(&mut script, 10, 10, 1), 50.0);
    let cwnd = ack(&mut script, 20, 10, 1);
    assert!((cwnd - 50.0 * (1.0 - 0.531_25 / 2.0)).abs() < 1e-9, "{cwnd}");
}

#[test]
fn short_round_trips_grow_by_their_square() {
    // (rtt / 25 ms)^2 of Reno's 1 / cwnd: 0.04, 0.16, 0.64, and 1 from 25 ms on.
    for (rtt_ms, growth) in [(5, 0.04), (10, 0.16), (20, 0.64), (25, 1.0), (50, 1.0)] {
        let grown = ack(&mut at_100("0"), 0, rtt_ms, 0) - 100.0;
        assert!((grown - growth / 100.0).abs() < 1e-12, "{rtt_ms} ms: {grown}");
    }
    // Until four rounds after slow start it is Reno's whatever the round trip.
    let mut script = Script::of(&ENTRY, &[]).window(100.0).starting_ssthresh(2.0);
    assert!((ack(&mut script, 0, 5, 0) - 100.01).abs() < 1e-12);
}

#[test]
fn a_loss_halves_the_window_that_a_mark_of_the_same_period_has_cut() {
    // 100 cut to 50 by the first mark; a loss 10 ms later brings the same reduction, not a second one.
    let mut script = at_100("0");
    ack(&mut script, 0, 50, 1);
    script.wait(Span::from_millis(10));
    script.loss();
    assert_eq!(script.cwnd(), 50.0);
    // Half a second later it is a reduction of its own.
    script.recovered();
    script.wait(Span::from_millis(500));
    script.loss();
    assert_eq!(script.cwnd(), 25.0);
}

#[test]
fn packets_are_paced_over_the_round_trip() {
    // The window is halved to 50, but 100 packets of 1000 B are in flight: over 50 ms 16 Mbit/s. In slow start far below the
    // threshold it is twice the window: 11 packets.
    let mut script = at_100("0");
    ack(&mut script, 0, 50, 1);
    assert_eq!(script.decision().pacing_rate, Some(Rate::from_bits_per_second(16_000_000)));
    let mut script = Script::of(&ENTRY, &[]).window(10.0);
    ack(&mut script, 0, 50, 0);
    assert_eq!(script.decision().pacing_rate, Some(Rate::from_bits_per_second(11 * 1000 * 8 * 20 * 2)));
}
