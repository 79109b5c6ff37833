//! Cases 12, 13 and 17: acknowledgements in batches, and a policer.

use crate::bench::{Bench, State, packets_per_second};
use crate::startup::RTT;
use ackclock_base::Span;

const SLOT: Span = Span::from_millis(20);

/// Case 12. 50 Mbit/s and 40 ms are 173 packets. Acknowledgements are released every 20 ms, up to 86 packets'
/// worth at once.
///
/// Before the first run, a bandwidth within a tenth of the capacity was expected. It is a fifth above. A
/// packet sent between two acknowledgements of a batch starts its sample at the time of the batch, with a
/// part of the batch's packets delivered. Three slots later the sample also contains the rest of that batch:
/// up to four batches in three slots. The rate never exceeds that of sending.
#[test]
fn case_12_startup_over_aggregation_doubles_each_round_and_overestimates_by_part_of_a_batch() {
    let capacity = packets_per_second(50.0);
    let mut bench = Bench::new(50.0, RTT, 10.0);
    bench.path.slot = Some(SLOT);
    let mut rounds: Vec<f64> = Vec::new();
    let mut latest = 0;
    let last = loop {
        let view = bench.step();
        if view.state != State::Startup {
            break view;
        }
        if view.rounds > latest {
            latest = view.rounds;
            rounds.push(view.max_bw);
        }
        assert!(view.max_bw <= view.pacing && view.max_bw <= capacity * 4.0 / 3.0, "{view:?}");
    };
    // The bandwidth doubles each round until the capacity, starting from 10 packets in 40 to 60 ms.
    let growing = rounds.iter().take_while(|rate| **rate < 0.9 * capacity).count();
    assert!(growing <= 7, "{rounds:?}");
    assert!((1.15..1.25).contains(&(last.max_bw / capacity)), "{last:?}");
    let (_, cruise) = bench.until(|view| view.state == State::Cruise);
    bench.for_ms(400, |_, _| {});
    let later = bench.view();
    assert!(later.extra_acked > 0.5 * SLOT.seconds() * capacity, "{later:?}");
    assert!(later.cwnd > 2.0 * later.bdp(), "{cruise:?} {later:?}");
}

/// Case 13: acknowledgements are released every 20 ms.
#[test]
fn case_13_cruise_over_aggregation_has_room_for_a_batch() {
    let mut bench = Bench::new(50.0, RTT, 10.0);
    bench.enter(State::Cruise);
    bench.path.slot = Some(SLOT);
    bench.for_ms(600, |_, _| {});
    let begun = (bench.path.now, bench.path.delivered);
    let mut unbounded = 0;
    bench.for_ms(3000, |view, _| {
        if view.state == State::Cruise && view.shortterm == f64::INFINITY && view.longterm == f64::INFINITY {
            assert!((view.cwnd - 2.0 * view.bdp() - view.extra_acked).abs() < 90.0, "{view:?}");
            unbounded += 1;
        }
    });
    assert!(unbounded > 1000, "{unbounded} acknowledgements in CRUISE without a bound");
    let view = bench.view();
    assert!(view.extra_acked >= 0.9 * SLOT.seconds() * bench.path.capacity, "{view:?}");
    let seconds = bench.path.now.since(begun.0).seconds();
    let share = (bench.path.delivered - begun.1) as f64 / seconds / bench.path.capacity;
    assert!(share >= 0.95, "{share} of the capacity");
}

/// Case 17. Tokens arrive at 10 Mbit/s, the bucket holds 100 kB, and the access link has 100 Mbit/s.
#[test]
fn case_17_a_policer_is_obeyed() {
    let tokens = packets_per_second(10.0);
    let mut bench = Bench::new(100.0, RTT, 10.0);
    bench.path.policer = Some((tokens, 100_000.0 / 1448.0));
    let mut adapted = false;
    bench.for_ms(5_000, |view, _| adapted |= view.shortterm.is_finite() && view.bw < view.max_bw);
    let (sent, dropped, delivered) = (bench.path.sent, bench.path.dropped, bench.path.delivered);
    bench.for_ms(30_000, |view, _| adapted |= view.shortterm.is_finite() && view.bw < view.max_bw);
    assert!(adapted, "the short-term bounds");
    let path = &bench.path;
    let goodput = (path.delivered - delivered) as f64 / 30.0 / tokens;
    let loss = (path.dropped - dropped) as f64 / (path.sent - sent) as f64;
    assert!(goodput >= 0.85 && loss < 0.05, "goodput {goodput} of the tokens, loss {loss}");
}
