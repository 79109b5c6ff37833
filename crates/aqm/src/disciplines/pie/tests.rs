//! Tests of PIE's controller against the equations of RFC 8033.

use super::*;
use crate::discipline::Ecn;
use crate::testing::{Dice, arrival, at, idle, waiting};
use ackclock_base::{Rate, Values, random::Scripted};

fn pie(settings: &[(&str, &str)]) -> Pie {
    let parameters = Parameters::from(&Values::with(ENTRY.descriptor, settings));
    let link = LinkRate { rate: Rate::from_bits_per_second(8_000_000), mean_packet_bytes: 1000 };
    Pie::new(parameters, Capacity::Packets(1000), &link)
}

/// Creates a queue that has long had a delay of `delay_ms`, with a drop probability.
fn steady(probability: f64, delay_ms: u64, settings: &[(&str, &str)]) -> Pie {
    let mut pie = pie(settings);
    pie.controller.burst_allowance = Span::ZERO;
    pie.controller.drop_probability = probability;
    pie.controller.last_delay = Span::from_millis(delay_ms);
    pie
}

fn updated(pie: &mut Pie, delay_ms: u64) -> f64 {
    pie.on_period(at(0.0), &waiting(delay_ms));
    pie.controller.drop_probability
}

fn assert_near(value: f64, expected: f64) {
    assert!((value - expected).abs() <= 1e-12 + 1e-9 * expected.abs(), "{value} instead of {expected}");
}

#[test]
fn a_step_follows_the_controller_and_the_table() {
    // 35 ms after 25 ms: 0.125 (0.035 - 0.015) + 1.25 (0.035 - 0.025) = 0.0025 + 0.0125 = 0.015, divided by the table.
    for (probability, divisor) in
        [(0.0, 2048.0), (5e-6, 512.0), (5e-5, 128.0), (5e-4, 32.0), (5e-3, 8.0), (0.05, 2.0), (0.3, 1.0)]
    {
        let mut pie = steady(probability, 25, &[]);
        assert_near(updated(&mut pie, 35), probability + 0.015 / divisor);
    }
}

#[test]
fn the_integral_rests_only_on_the_target() {
    // At a constant delay beta has no effect. Each update adds 0.125 (d - 0.015): 0 at 15 ms, 0.0025 at 35
    // ms.
    let mut pie = steady(0.3, 15, &[]);
    assert_near(updated(&mut pie, 15), 0.3);
    let mut pie = steady(0.3, 35, &[]);
    for _ in 0..10 {
        updated(&mut pie, 35);
    }
    assert_near(pie.controller.drop_probability, 0.325);
}

#[test]
fn great_steps_are_capped_and_the_probability_stays_one() {
    // 1.25 * 0.2 + 0.125 * 0.2 = 0.275 from 15 ms to 215 ms: capped at 0.02 from 0.1 on; halved below, and not capped.
    assert_near(updated(&mut steady(0.1, 15, &[]), 215), 0.12);
    assert_near(updated(&mut steady(0.05, 15, &[]), 215), 0.05 + 0.1375);
    assert_near(updated(&mut steady(0.1, 15, &[("max_increment", "1")]), 215), 0.375);
    assert_eq!(updated(&mut steady(0.99, 15, &[]), 215), 1.0);
    // Downward there is no cap: 0.5 + 1.25 * -0.2 + 0.125 * 0.
    assert_near(updated(&mut steady(0.5, 215, &[]), 15), 0.25);
}

#[test]
fn beyond_the_high_delay_a_step_is_greater() {
    // At a constant 300 ms: 0.125 * 0.285 = 0.035625, capped at 0.02, and 0.02 more.
    assert_near(updated(&mut steady(0.2, 300, &[]), 300), 0.22);
    assert_near(updated(&mut steady(0.2, 300, &[("high_delay", "250 ms")]), 300), 0.24);
    assert_near(updated(&mut steady(0.2, 250, &[("high_delay", "250 ms")]), 250), 0.22);
}

#[test]
fn an_empty_queue_lets_the_probability_decay() {
    // Two updates with an empty queue: (0.5 - 0.125 * 0.015) 0.98 = 0.4881625. After one with a queue there
    // is no decay yet: 0.5 - 0.001875 - 1.25 * 0.002 = 0.495625.
    let mut pie = steady(0.5, 0, &[]);
    pie.on_period(at(0.0), &idle(0.0));
    assert_near(pie.controller.drop_probability, 0.488_162_5);
    let mut pie = steady(0.5, 2, &[]);
    pie.on_period(at(0.0), &idle(0.0));
    assert_near(pie.controller.drop_probability, 0.495_625);
    // Nor with the first queue after none: 0.5 + 0.125 (0.002 - 0.015) + 1.25 * 0.002 = 0.500875.
    assert_near(updated(&mut steady(0.5, 0, &[]), 2), 0.500_875);
}

#[test]
fn a_burst_is_not_dropped_for_150_ms() {
    // Ten updates of 15 ms use up the allowance; the probability moves during that time.
    let mut pie = pie(&[]);
    let mut verdicts = Vec::new();
    for _ in 0..11 {
        verdicts.push(pie.on_arrival(&arrival(0.0), &waiting(500), &mut Scripted::new(&[0.0])));
        pie.on_period(at(0.0), &waiting(500));
    }
    assert!(verdicts[..10].iter().all(|verdict| *verdict == Verdict::Admit), "{verdicts:?}");
    assert_eq!(verdicts[10], Verdict::Drop);
    // Quiet restores it: a probability of 0, and less than half the target now and at the last update.
    // Half of 15 ms is 7.5. Two of the three are not enough (section 4.4).
    let allowance = |probability, last_ms, packets| {
        let mut pie = steady(probability, last_ms, &[]);
        pie.on_arrival(&arrival(0.0), &waiting(packets), &mut Scripted::new(&[0.999]));
        pie.controller.burst_allowance.nanos() / 1_000_000
    };
    assert_eq!(allowance(0.0, 7, 7), 150);
    assert_eq!([allowance(1e-9, 7, 7), allowance(0.0, 8, 7), allowance(0.0, 7, 8)], [0; 3]);
}

#[test]
fn safeguards_keep_the_link_busy() {
    let picks = |probability, last_ms, packets| {
        let mut pie = steady(probability, last_ms, &[]);
        pie.on_arrival(&arrival(0.0), &waiting(packets), &mut Scripted::new(&[0.0])) == Verdict::Drop
    };
    assert!(picks(0.19, 8, 20));
    assert!(!picks(0.19, 7, 20), "less than half the target");
    assert!(picks(0.2, 7, 20), "but often");
    assert!(picks(0.9, 20, 3));
    assert!(!picks(0.9, 20, 2), "two mean packets");
}

#[test]
fn the_share_of_drops_is_the_probability() {
    // 100 000 draws with p = 0.05: 5000, and four standard deviations of sqrt(100 000 * 0.05 * 0.95) = 69.
    let mut pie = steady(0.05, 20, &[]);
    let mut dice = Dice(1);
    let drops = (0..100_000)
        .filter(|_| pie.on_arrival(&arrival(0.0), &waiting(20), &mut dice) == Verdict::Drop)
        .count();
    assert!((4724..=5276).contains(&drops), "{drops}");
}

/// Returns which of the next arrivals, counted from 1, is the first to be dropped if chance always says `number`.
fn first_drop(pie: &mut Pie, number: f64) -> usize {
    let drops = |pie: &mut Pie| {
        pie.on_arrival(&arrival(0.0), &waiting(20), &mut Scripted::new(&[number])) == Verdict::Drop
    };
    (1..1000).find(|_| drops(pie)).expect("a drop")
}

#[test]
fn derandomised_drops_keep_their_distance() {
    // p = 1/16, which adds up without rounding: no drop while the sum is below 0.85, so none before the 14th arrival
    // (0.875), and a drop for certain when it is 8.5, at the 136th. The sum restarts after each drop (section 5.4).
    for (number, distance) in [(0.0, 14), (0.99, 136)] {
        let mut pie = steady(0.0625, 20, &[("derandomize", "true")]);
        assert_eq!([first_drop(&mut pie, number), first_drop(&mut pie, number)], [distance; 2]);
    }
}

#[test]
fn the_sum_of_probabilities_restarts_when_a_packet_does_not_fit_and_while_the_probability_is_zero() {
    // RFC 8033, appendix A: enque() sets accu_prob_ to 0 when the queue is full, and drop_early() while drop_prob_ is
    // 0. Ten arrivals at 1/16 add up to 0.625. With them the fourth arrival afterwards could be dropped, and without
    // them the 14th.
    let after_ten = || {
        let mut pie = steady(0.0625, 20, &[("derandomize", "true")]);
        for _ in 0..10 {
            assert_eq!(
                pie.on_arrival(&arrival(0.0), &waiting(20), &mut Scripted::new(&[0.0])),
                Verdict::Admit
            );
        }
        pie
    };
    assert_eq!(first_drop(&mut after_ten(), 0.0), 4);
    let mut full = after_ten();
    assert_eq!(full.on_arrival(&arrival(0.0), &waiting(1000), &mut Scripted::new(&[0.0])), Verdict::Drop);
    assert_eq!(first_drop(&mut full, 0.0), 14);
    let mut at_zero = after_ten();
    at_zero.controller.drop_probability = 0.0;
    assert_eq!(at_zero.on_arrival(&arrival(0.0), &waiting(20), &mut Scripted::new(&[0.0])), Verdict::Admit);
    at_zero.controller.drop_probability = 0.0625;
    assert_eq!(first_drop(&mut at_zero, 0.0), 14);
}

#[test]
fn capable_packets_are_marked_below_the_threshold() {
    let with = |threshold, probability, ecn| {
        let mut pie = steady(probability, 20, &[("ecn", "true"), ("mark_threshold", threshold)]);
        pie.on_arrival(&Arrival { ecn, ..arrival(0.0) }, &waiting(20), &mut Scripted::new(&[0.0]))
    };
    let verdict = |probability, ecn| with("0.1", probability, ecn);
    assert_eq!(verdict(0.099, Ecn::Classic), Verdict::Mark);
    assert_eq!(verdict(0.099, Ecn::NotCapable), Verdict::Drop);
    assert_eq!(verdict(0.1, Ecn::Classic), Verdict::Drop);
    // A threshold of 1 is never reached, not even by a probability of 1.
    assert_eq!(with("1", 1.0, Ecn::Classic), Verdict::Mark);
    assert_eq!(with("1", 1.0, Ecn::NotCapable), Verdict::Drop);
}
