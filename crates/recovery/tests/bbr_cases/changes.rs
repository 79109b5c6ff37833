//! Cases 15 and 16: the capacity grows tenfold, or falls to a tenth.

use crate::bench::{Bench, State, packets_per_second};
use crate::startup::RTT;

/// Case 15. The buffer is one product, so that packets are lost and the long-term bound is finite, at 71
/// packets. That is 274 less than the product of the new capacity, a difference that increments of 1, 2, 4...
/// per round cover in nine rounds.
///
/// Before the first run, at most 14 rounds were expected. There are 19, as follows from the draft: pacing
/// limits most of them. The paced rate is 1.25 * 0.99 of the bandwidth of a sample, which is the mean of the
/// paced rate over the round before. A round therefore grows by g = 1.2375 (1 - 1/g) / ln g, which is 1.153,
/// and tenfold growth takes 16.2 rounds.
#[test]
fn case_15_ten_times_the_capacity_is_found_in_rounds_that_grow_exponentially() {
    let mut bench = Bench::new(10.0, RTT, 1.0);
    bench.until(|view| view.longterm.is_finite());
    bench.until(|view| view.state == State::Cruise);
    (bench.path.capacity, bench.path.buffer) = (packets_per_second(100.0), 345);
    let (mut in_up, mut latest) = (0, 0);
    let view = loop {
        let view = bench.step();
        if view.rounds > latest {
            latest = view.rounds;
            in_up += u64::from(view.state == State::Up);
        }
        if view.max_bw >= 0.98 * packets_per_second(100.0) {
            break view;
        }
        assert!(in_up <= 40, "{view:?}");
    };
    assert!((17..=20).contains(&in_up), "{in_up} rounds in UP: {view:?}");
}

/// Case 16. Older measurements are forgotten after two cycles.
#[test]
fn case_16_a_tenth_of_the_capacity_is_found_in_two_cycles() {
    let mut bench = Bench::new(100.0, RTT, 1.0);
    bench.enter(State::Cruise);
    bench.for_ms(300, |_, _| {});
    bench.path.capacity = packets_per_second(10.0);
    let (mut cycles, mut least) = (0, f64::INFINITY);
    while cycles < 3 {
        let (before, after) = bench.until(|view| view.state != State::ProbeRtt);
        least = least.min(after.bw);
        cycles += u32::from(before.state != State::Down && after.state == State::Down);
        if (after.max_bw / packets_per_second(10.0) - 1.0).abs() < 0.05 {
            break;
        }
    }
    let after = bench.view();
    assert!(
        cycles <= 2 && (after.max_bw / packets_per_second(10.0) - 1.0).abs() < 0.05,
        "{cycles} {after:?}"
    );
    assert!(
        least < 0.3 * packets_per_second(100.0),
        "the short-term bound reduces the bandwidth first: {least}"
    );
}
