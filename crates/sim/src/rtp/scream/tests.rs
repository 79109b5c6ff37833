//! The formulas of the draft by hand.

use super::super::control::PacketReport;
use super::*;

const CALL: Call =
    Call { min_bps: 150e3, max_bps: 1.5e6, frames_per_second: 25.0, feedback: Span::from_millis(40) };
const BASE: Span = Span::from_millis(50);
const RTT: Span = Span::from_millis(100);
const RTT_S: f64 = 0.1;

/// Reports each 40 ms of four packets that leave each 10 ms.
struct Script {
    scream: Scream,
    next: u64,
}

impl Script {
    /// Returns a call with a window in bytes, of which `in_flight` bytes were in flight at most.
    fn new(window: f64, in_flight: u64) -> Self {
        let mut scream = Scream::new(Parameters::default(), CALL);
        scream.window = window;
        scream.on_sent(in_flight);
        Self { scream, next: 0 }
    }

    /// Reports four packets of `bytes` with this queueing delay, of which the first is lost, or marked. Returns the window afterwards.
    fn report(&mut self, bytes: u32, queueing: Span, lost: bool, marked: bool) -> f64 {
        let packet = |number: u64| {
            let sent = Time::ZERO + Span::from_millis(10) * number;
            let first = number == self.next;
            let arrived = (!lost || !first).then_some(sent + BASE + queueing);
            PacketReport { bytes, sent, arrived, marked: marked && first }
        };
        let packets: Vec<_> = (self.next..self.next + 4).map(packet).collect();
        self.next += 4;
        let now = Time::ZERO + RTT + Span::from_millis(10) * self.next;
        self.scream.on_feedback(&Feedback { now, rtt: RTT, packets: &packets });
        self.scream.window
    }

    /// Reports four packets without losses, marks or a queue.
    fn quiet(&mut self, bytes: u32) -> f64 {
        self.report(bytes, Span::ZERO, false, false)
    }
}

fn near(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-9, "{found} is not {expected}");
}

#[test]
fn the_defaults_are_those_of_the_draft() {
    let ms = |ms: u64| Span::from_millis(ms);
    let Parameters { qdelay_target, min_window, mss, head_room, beta_loss, beta_ecn, .. } =
        Parameters::default();
    assert_eq!((qdelay_target, min_window.bytes(), mss.bytes()), (ms(60), 3000, 1000));
    assert_eq!((head_room, beta_loss, beta_ecn), (1.5, 0.7, 0.8));
    let Parameters { cautious_rounds, mul_increase, virtual_rtt, qdelay_weight, overhead, .. } =
        Parameters::default();
    assert_eq!((cautious_rounds, mul_increase, virtual_rtt), (100.0, 0.02, ms(25)));
    assert_eq!((qdelay_weight, overhead), (1.0 / 4.0, 3.0));
    let Parameters { min_pacing, pacing_headroom, relaxed_pacing, relaxed_from, .. } = Parameters::default();
    assert_eq!((min_pacing.bits_per_second(), pacing_headroom), (50_000, 1.5));
    assert_eq!((relaxed_pacing, relaxed_from), (4.0, 0.8));
    let Parameters { packet_overhead, adjust_gain, excess_weight, .. } = Parameters::default();
    assert_eq!((packet_overhead.bytes(), adjust_gain, excess_weight), (20, 1.0 / 16.0, 1.0 / 64.0));
}

#[test]
fn the_window_grows_by_a_packet_and_a_fiftieth_of_itself_each_round_trip() {
    // 4000 of 10,000 B are reported: 4000 * 1000 / 10,000 = 400 B, times 1 + 0.02 * 10,000 / 1000 = 1.2.
    near(Script::new(10_000.0, 10_000).quiet(1000), 10_000.0 + 400.0 * 1.2);
}

#[test]
fn a_short_round_trip_lets_the_window_grow_less() {
    // 5 of the 25 ms of the virtual round trip.
    let mut scream = Script::new(10_000.0, 10_000).scream;
    scream.grow(Time::from_seconds(1.0), 4000.0, 0.005, 1.0);
    near(scream.window, 10_000.0 + 400.0 * 1.2 / 5.0);
}

#[test]
fn the_window_does_not_grow_past_what_was_in_flight() {
    // 1000 + 1.5 * 6300 = 10,450 B, less than 10,480; with 6400 B, 10,600.
    near(Script::new(10_000.0, 6300).quiet(1000), 10_000.0);
    near(Script::new(10_000.0, 6400).quiet(1000), 10_480.0);
    // The round trip before counts too, and the one before that does not. Reports are 40 ms apart.
    let mut script = Script::new(10_000.0, 6400);
    for expected in [10_480.0, 10_480.0] {
        near(script.quiet(1000), expected);
        script.scream.window = 10_000.0;
    }
    (0..8).for_each(|_| {
        script.quiet(0);
        script.scream.window = 10_000.0;
    });
    near(script.quiet(1000), 10_000.0);
}

#[test]
fn the_window_stays_at_the_highest_rate() {
    let mut script = Script::new(10_000.0, 10_000);
    script.scream.target_bps = CALL.max_bps;
    near(script.quiet(1000), 10_000.0);
}

#[test]
fn a_loss_leaves_seven_tenths_and_a_mark_four_fifths() {
    // No packet is reported without a mark, or the window would grow by a little after the reduction.
    near(Script::new(10_000.0, 0).report(0, Span::ZERO, true, false), 7000.0);
    near(Script::new(10_000.0, 0).report(0, Span::ZERO, false, true), 8000.0);
    near(Script::new(10_000.0, 0).report(0, Span::ZERO, true, true), 7000.0);
    near(Script::new(3500.0, 0).report(0, Span::ZERO, true, false), 3000.0);
}

#[test]
fn one_reaction_a_virtual_round_trip_counts_what_came_between() {
    let mut scream = Script::new(10_000.0, 0).scream;
    let at = |ms: u64| Time::ZERO + Span::from_millis(1000 + ms);
    let mut lose = |ms: u64, lost: bool| {
        scream.has_loss |= lost;
        scream.react(at(ms), RTT_S);
        scream.window
    };
    near(lose(0, true), 7000.0);
    near(lose(10, true), 7000.0);
    near(lose(24, false), 7000.0);
    near(lose(25, false), 4900.0);
    near(lose(50, false), 4900.0);
}

#[test]
fn a_queue_reduces_the_window_from_half_of_the_target_on() {
    // 45 ms is half way from 30 to 60 ms: as if half of the packets had marks, which takes a quarter at a round trip of at most 25 ms, and
    // a sixteenth at one of 100 ms.
    for (queueing_s, rtt_s, expected) in [
        (0.030, 0.025, 10_000.0),
        (0.045, 0.025, 7500.0),
        (0.045, 0.010, 7500.0),
        (0.045, 0.1, 9375.0),
        (0.060, 0.025, 5000.0),
        (0.300, 0.025, 5000.0),
    ] {
        let mut scream = Script::new(10_000.0, 0).scream;
        scream.queueing_s = queueing_s;
        scream.react(Time::from_seconds(1.0), rtt_s);
        near(scream.window, expected);
    }
}

#[test]
fn the_mean_queueing_delay_rises_slowly_and_falls_at_once() {
    // A quarter of the way from 0 to 40 ms, and again; each 25 ms at most. The least delay is that of the first packets.
    let mut script = Script::new(10_000.0, 0);
    script.quiet(0);
    for (queueing, expected_s) in [(40, 0.010), (40, 0.0175), (10, 0.010), (12, 0.0105)] {
        script.report(0, Span::from_millis(queueing), false, false);
        near(script.scream.queueing_s, expected_s);
    }
    let now = Time::ZERO + RTT + Span::from_millis(10) * script.next;
    script.scream.average(now + Span::from_millis(24), 0.1, RTT_S);
    near(script.scream.queueing_s, 0.0105);
}

#[test]
fn growth_is_slow_near_the_last_congestion() {
    // The last congestion began at 10,000 B. At 9500 B the distance is (8 * 0.05)^2 = 0.16, and the addition counts for a quarter at least:
    // 4000 / 9500 * 1000 * 0.25 B. The share of 2 % counts by the distance as well.
    let mut script = Script::new(9500.0, 10_000);
    script.scream.inflection = Some(10_000.0);
    near(script.quiet(1000), 9500.0 + 4000.0 / 9.5 * 0.25 * (1.0 + 0.02 * 9.5 * 0.16));
    // At 10,000 B the distance is a tenth, and from an eighth away on it is 1.
    let mut scream = Script::new(10_000.0, 0).scream;
    scream.inflection = Some(10_000.0);
    near(scream.distance(), 0.1);
    scream.window = 8750.0;
    near(scream.distance(), 1.0);
}

#[test]
fn the_window_at_congestion_is_that_before_the_first_reduction() {
    let mut script = Script::new(10_000.0, 0);
    script.report(0, Span::ZERO, true, false);
    script.report(0, Span::ZERO, true, false);
    assert_eq!(script.scream.inflection, Some(10_000.0));
    // It has grown since.
    script.scream.on_sent(10_000);
    let grown = script.quiet(1000);
    script.report(0, Span::ZERO, true, false);
    assert_eq!(script.scream.inflection, Some(grown));
}

#[test]
fn growth_by_a_share_returns_over_a_hundred_round_trips() {
    // 5 s after a loss, half of 100 round trips of 100 ms.
    let mut scream = Script::new(10_000.0, 20_000).scream;
    scream.congested = Some(Time::ZERO);
    scream.grow(Time::from_seconds(5.0), 4000.0, RTT_S, 1.0);
    near(scream.window, 10_000.0 + 400.0 * 1.1);
}

#[test]
fn the_target_is_the_window_over_the_round_trip_less_margins() {
    // 800 kbit/s, of which 1000 / 1020 is payload, and a part in 1.2. The packet is a tenth of the window.
    let mut scream = Script::new(10_000.0, 0).scream;
    near(scream.target(RTT_S), 800e3 / 1.02 / 1.2);
    // A packet is a quarter of 4000 B, so 0.15 is taken off; of 3000 B a third, so 0.2 at most.
    scream.window = 4000.0;
    near(scream.target(RTT_S), 0.85 * 320e3 / 1.02 / 1.2);
    scream.window = 3000.0;
    near(scream.target(RTT_S), 0.8 * 240e3 / 1.02 / 1.2);
    scream.window = 1e5;
    near(scream.target(RTT_S), 1.5e6);
    scream.window = 3000.0;
    near(scream.target(1.0), 150e3);
}

#[test]
fn packets_that_wait_and_large_frames_lower_the_target() {
    let mut scream = Script::new(10_000.0, 0).scream;
    scream.target_bps = 600e3;
    // A frame of 40 ms at 600 kbit/s has 3000 B; one of 3600 B is a fifth larger, which counts for a 64th.
    scream.on_frame(3600, Span::from_millis(40));
    near(scream.excess, 0.2 / 64.0);
    // Packets have waited for a frame's time, and a quarter of one is allowed.
    near(scream.adjustment, 0.75 / 16.0);
    near(scream.target(RTT_S), 800e3 / 1.02 / (1.2 + 0.75 / 16.0 + 0.2 / 64.0));
    // The mean forgets, and the adjustment falls by a quarter of a frame's time.
    scream.on_frame(2000, Span::ZERO);
    near(scream.excess, 0.2 / 64.0 * 63.0 / 64.0);
    near(scream.adjustment, 0.5 / 16.0);
    // Both have bounds.
    (0..1000).for_each(|_| scream.on_frame(25_000, Span::from_seconds(1.0)));
    assert_eq!((scream.adjustment, scream.excess), (0.5, 0.2));
}

#[test]
fn packets_leave_faster_near_the_highest_rate() {
    let mut scream = Script::new(10_000.0, 0).scream;
    for (target_bps, expected_bps) in [
        (150e3, 225e3),
        (1.2e6, 1.8e6),
        // Half of the way from 0.8 to 1, and the whole way, on which the factor is 4 at most.
        (1.35e6, 1.35e6 * 1.5 * 2.0),
        (1.5e6, 1.5e6 * 1.5 * 4.0),
    ] {
        scream.target_bps = target_bps;
        near(scream.sending_bps(0), expected_bps);
    }
    scream.target_bps = 20e3;
    near(scream.sending_bps(0), 75e3);
}

#[test]
fn three_windows_may_be_in_flight() {
    near(Script::new(10_000.0, 0).scream.window(), 30_000.0);
}

#[test]
fn the_round_trip_is_smoothed_as_in_rfc_6298() {
    let mut script = Script::new(10_000.0, 0);
    script.scream.rtt_s = Some(0.180);
    script.quiet(0);
    near(script.scream.rtt_s.expect("a round trip"), 0.180 - 0.080 / 8.0);
}
