use super::*;
use crate::script::Script;

/// Creates a sender with a base rate of `megabits` Mbit/s in packets of 1000 B.
fn at(megabits: f64) -> Vivace {
    let initial = Initial::default();
    Vivace { rate: megabits * 125.0, smoothed_rtt: 0.04, ..Vivace::new(Parameters::default(), &initial) }
}

#[test]
fn steps_in_one_direction_are_amplified_by_their_number_and_from_the_fourth_on_twice() {
    // The amplifier is 1, 2, 3, 5 and 7 in the first five steps. With a slope of 0.1 utility per Mbit/s the
    // first step is 0.1 Mbit/s, far below the bound of 5 % of 1000.
    let mut vivace = at(1000.0);
    let mut last = vivace.megabits(vivace.rate);
    for confidence in [1.0, 2.0, 3.0, 5.0, 7.0] {
        vivace.climb(0.1);
        let now = vivace.megabits(vivace.rate);
        assert!((now - last - 0.1 * confidence).abs() < 1e-9, "{}", now - last);
        last = now;
    }
    // A step in the other direction restarts at one.
    vivace.climb(-0.1);
    assert!((vivace.megabits(vivace.rate) - last + 0.1).abs() < 1e-9);
}

#[test]
fn a_step_beyond_the_bound_is_cut_and_the_next_bound_is_wider() {
    // 5 %, 15 % and 25 % of the rate: 100, 105, 120.75, 150.9375. After a small step the bound is 5 % again.
    let mut vivace = at(100.0);
    for expected in [105.0, 120.75, 150.9375] {
        vivace.climb(1e6);
        assert!((vivace.megabits(vivace.rate) - expected).abs() < 1e-9);
    }
    vivace.climb(1e-3);
    assert_eq!(vivace.bounded, 0);
    // The fifth step, amplified by 7, would be 7 * 2 = 14 Mbit/s: 9.3 % of 150, more than 5 %.
    let before = vivace.rate;
    vivace.climb(2.0);
    assert!((vivace.rate / before - 1.05).abs() < 1e-9);
}

/// Delivers one acknowledgement a millisecond, of packets that took `rtt_ms`; returns the rates in Mbit/s of
/// the intervals that begin.
fn run(
    script: &mut Script,
    milliseconds: u32,
    rtt_ms: impl Fn(u32) -> u64,
    packets: impl Fn(f64) -> f64,
) -> Vec<f64> {
    let mut rates = Vec::new();
    for step in 0..milliseconds {
        script.wait(Span::from_millis(1));
        let rate = script.decision().pacing_rate.map_or(0.0, |rate| rate.bits_per_second() as f64 / 1e6);
        script.ack_as(|ack| {
            ack.rtt = Some(Span::from_millis(rtt_ms(step)));
            ack.smoothed_rtt = Span::from_millis(40);
            ack.newly_acked = packets(rate);
        });
        if rates.last().is_none_or(|last: &f64| (last - rate).abs() > 1e-6) {
            rates.push(rate);
        }
    }
    rates
}

#[test]
fn it_starts_with_the_window_over_the_round_trip_and_doubles_with_each_interval() {
    // 10 packets of 8000 bits in 40 ms: 2 Mbit/s. Nothing is lost and the round trip stays, so that twice the
    // rate has a higher utility.
    let mut script = Script::new("vivace").window(10.0);
    assert_eq!((script.cwnd(), script.decision().pacing_rate), (10.0, None));
    let rates = run(&mut script, 130, |_| 40, |rate| rate / 8.0);
    assert_eq!(rates[..5], [0.0, 2.0, 4.0, 8.0, 16.0], "{rates:?}");
    assert_eq!(script.published("vivace_starts"), 1.0);
}

#[test]
fn when_doubling_lowers_the_utility_it_probes_around_the_rate_before() {
    // In the acknowledgements from 110 ms on, the round trip grows by a tenth of the time: the utility of the
    // intervals sent then, at 4 Mbit/s and more, is lower. Every packet still arrives.
    let mut script = Script::new("vivace").window(10.0);
    let rates = run(
        &mut script,
        400,
        |step| if step < 110 { 40 } else { 40 + u64::from(step - 110) / 10 },
        |rate| rate / 8.0,
    );
    assert_eq!(script.published("vivace_starts"), 0.0);
    let base = script.published("vivace_rate_packets_per_s") / 125.0;
    assert!(base <= 8.0, "{base} of {rates:?}");
    // The probes are five per cent above and below the rate between them.
    let probes: Vec<f64> = rates.windows(2).map(|pair| pair[1] / pair[0]).collect();
    assert!(probes.iter().any(|ratio| (ratio - 0.95 / 1.05).abs() < 1e-6), "{probes:?}");
}

#[test]
fn an_interval_that_was_not_sent_is_not_judged() {
    // The host sends 2 Mbit/s whatever rate it is allowed.
    let mut script = Script::new("vivace").window(10.0);
    run(&mut script, 2000, |_| 40, |_| 0.25);
    assert_eq!(script.published("vivace_starts"), 0.0);
    assert!(script.published("vivace_rate_packets_per_s") < 4.0 * 250.0);
}

#[test]
fn a_timeout_leaves_a_packet_and_then_half_the_rate() {
    let mut script = Script::new("vivace").window(10.0);
    run(&mut script, 30, |_| 40, |rate| rate / 8.0);
    let before = script.published("vivace_rate_packets_per_s");
    script.timeout();
    assert_eq!(script.cwnd(), 1.0);
    script.ack_as(|ack| ack.smoothed_rtt = Span::from_millis(40));
    assert!((script.published("vivace_rate_packets_per_s") - before / 2.0).abs() < 1e-9);
    assert!(script.cwnd() > 1.0);
}
