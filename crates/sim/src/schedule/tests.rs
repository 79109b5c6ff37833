//! Compares the schedule with lists and sets.

use super::*;
use ackclock_base::Span;
use proptest::prelude::*;

/// Returns the sources of events due at 7 ns, in the order in which they are served.
fn served(events: &[(usize, Order)]) -> Vec<usize> {
    let mut schedule = Schedule::default();
    let sources: Vec<SourceId> = (0..8).map(|_| schedule.add_source()).collect();
    for (source, order) in events {
        schedule.set(sources[*source], Time::from_nanos(7), *order);
    }
    std::iter::from_fn(|| schedule.next_before(Time::NEVER)).map(|(_, source)| source.index()).collect()
}

#[test]
fn equal_times_come_by_rank_then_departure() {
    let arrival = |departed| Order::arrival(Time::from_nanos(departed));
    let events = [
        (7, Order::MEASURING),
        (6, Order::SAMPLE),
        (5, Order::SERVICE),
        (4, Order::TIMER),
        (3, arrival(2)),
        (1, arrival(5)),
        (2, arrival(6)),
        (0, arrival(7)),
    ];
    let expected = [7, 6, 5, 4, 3, 1, 2, 0];
    assert_eq!(served(&events), expected);
    // The order in which the events are scheduled does not matter.
    let reversed: Vec<_> = events.into_iter().rev().collect();
    assert_eq!(served(&reversed), expected);
    let mixed: Vec<_> = [3, 6, 1, 4, 7, 2, 5, 0].map(|place: usize| events[place]).into();
    assert_eq!(served(&mixed), expected);
}

#[test]
fn ties_are_broken_at_random_by_the_seed() {
    // Sources 3 and 4 are due together at 1,000 instants, and set in either order. The order of service does
    // not depend on the order of setting, differs with the seed, and favours neither source. The standard
    // deviation of 1,000 fair draws is 16.
    let firsts = |seed, turned: bool| {
        let mut schedule = Schedule::new(seed);
        let sources: Vec<SourceId> = (0..5).map(|_| schedule.add_source()).collect();
        let mut first = |ms: u64| {
            let due = Time::from_nanos(ms * 1_000_000);
            for source in if turned { [4, 3] } else { [3, 4] } {
                schedule.set(sources[source], due, Order::TIMER);
            }
            let [first, _] = [(); 2].map(|()| schedule.next_before(Time::NEVER));
            first.map(|(_, source)| source.index())
        };
        (1..=1000).map(|ms| first(ms) == Some(3)).collect::<Vec<bool>>()
    };
    assert_eq!(firsts(1, false), firsts(1, true));
    assert_ne!(firsts(1, false), firsts(2, false));
    for seed in 1..=5 {
        let count = firsts(seed, false).iter().filter(|first| **first).count();
        assert!((436..=564).contains(&count), "{count} of 1000 with seed {seed}");
    }
}

#[test]
fn events_beyond_the_longest_run_never_happen() {
    // A packet on a link of a few bits per second may arrive after a century; the longest run, 10^6 s, ends
    // before that.
    let mut schedule = Schedule::default();
    let sources = [schedule.add_source(), schedule.add_firm_source()];
    for (source, years) in sources.into_iter().zip([1.0, 500.0]) {
        let due = Time::from_seconds(years * 365.25 * 86400.0);
        schedule.set(source, due, Order::arrival(due));
    }
    assert_eq!(schedule.next_before(Time::from_seconds(1e6)), None);
    assert_eq!(schedule.next_before(Time::NEVER).map(|(time, _)| time), Some(MAX_TIME));
}

/// Returns an order that depends on the source alone, so that events at equal times are ordered by rank or by
/// source.
fn order_of(source: usize) -> Order {
    [Order::TIMER, Order::SERVICE, Order::arrival(Time::ZERO)][source % 3]
}

/// Compares the schedule with a list: after any sequence of setting and clearing, the earliest event comes
/// first.
fn agrees_with_a_list(operations: impl Iterator<Item = (usize, Option<u64>)>) -> Result<(), TestCaseError> {
    let mut schedule = Schedule::default();
    let mut sources = Vec::new();
    let mut model: Vec<Option<Key>> = Vec::new();
    for (index, time) in operations {
        while sources.len() <= index {
            sources.push(schedule.add_source());
            model.push(None);
        }
        let order = order_of(index);
        match time {
            Some(ns) => schedule.set(sources[index], Time::from_nanos(ns), order),
            None => schedule.clear(sources[index]),
        }
        let key = |ns| schedule.lots.flipped(key_of(Time::from_nanos(ns), order, sources[index]));
        model[index] = time.map(key);
        // The first event is looked at without being taken.
        let best = model.iter().enumerate().filter_map(|(i, key)| key.map(|key| (key, i))).min();
        let Some((key, first)) = best else {
            prop_assert_eq!(schedule.next_before(Time::NEVER), None);
            continue;
        };
        prop_assert_eq!(schedule.next_before(time_of(key)), None);
        let found = schedule.clone().next_before(Time::NEVER);
        prop_assert_eq!(found, Some((time_of(key), sources[first])));
    }
    Ok(())
}

#[test]
fn buckets_become_as_narrow_as_events_follow_one_another() {
    // Three sources are each due again after a mean of 84 us (2^24 ns / 200), with buckets of 2^24 ns. Of
    // some 600 events in the time of a bucket all but three are set after its turn has begun. One event per
    // 28 us asks for buckets of 56 us, about 2^16 ns; a width within a factor of two of that is kept.
    let mut schedule = Schedule { width_bits: 24, ..Schedule::default() };
    let mut bits = 1_u64;
    let mut next = |schedule: &mut Schedule, now: Time, source| {
        bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let due = Time::from_nanos(now.nanos() + (bits >> 32) % ((1 << 24) / 100));
        schedule.set(source, due, Order::TIMER);
    };
    for _ in 0..3 {
        let source = schedule.add_firm_source();
        next(&mut schedule, Time::ZERO, source);
    }
    for _ in 0..400_000 {
        let (now, source) = schedule.next_before(Time::NEVER).unwrap();
        next(&mut schedule, now, source);
    }
    assert!((15..=17).contains(&schedule.width_bits), "{}", schedule.width_bits);
}

#[test]
fn buckets_become_narrow_within_two_seconds_after_a_slow_beginning() {
    // One event in ten seconds asks for wider buckets than the widest, of which 256 span 1.07 s. In
    // the second such span of events 28 us apart, which ask for about 2^16 ns, the buckets have that width.
    let mut schedule = Schedule::default();
    let source = schedule.add_firm_source();
    let mut run = |events: u64, apart_ns: u64| {
        for _ in 0..events {
            schedule.set(source, schedule.now() + Span::from_nanos(apart_ns), Order::TIMER);
            schedule.next_before(Time::NEVER).unwrap();
        }
        schedule.width_bits
    };
    assert_eq!(run(100, 10_000_000_000), MAX_WIDTH_BITS);
    assert!((15..=17).contains(&run(2 * (1 << 30) / 28_000 + 1, 28_000)));
}

proptest! {
    #[test]
    fn the_earliest_wins(operations in prop::collection::vec((0_usize..40, prop::option::of(0_u64..1000)), 1..200)) {
        agrees_with_a_list(operations.into_iter())?;
    }

    /// Times range from nanoseconds to weeks, so that events lie in the buckets and beyond them.
    #[test]
    fn the_earliest_wins_at_any_distance(
        operations in prop::collection::vec((0_usize..40, prop::option::of((any::<u64>(), 14_u32..64))), 1..300),
    ) {
        agrees_with_a_list(
            operations.into_iter().map(|(index, time)| (index, time.map(|(bits, shift)| bits >> shift))),
        )?;
    }

    /// Simulates a run: the first event is served and set anew for later; sometimes another event is moved.
    /// Many sources begin at once, so that a bucket is crowded.
    #[test]
    fn time_goes_on(
        count in 1_usize..600,
        spread in 0_u32..30,
        ahead in prop::collection::vec((1_u64..1 << 34, 0_u32..34, 0_usize..600), 1..2000),
    ) {
        let mut schedule = Schedule::default();
        let mut model = std::collections::BTreeSet::new();
        let mut due = Vec::new();
        for index in 0..count {
            let ns = (index as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (63 - spread);
            let (source, order) = (schedule.add_source(), order_of(index));
            schedule.set(source, Time::from_nanos(ns), order);
            let key = schedule.lots.flipped(key_of(Time::from_nanos(ns), order, source));
            model.insert((key, index));
            due.push((key, source));
        }
        for (bits, shift, other) in ahead {
            let (now, source) = schedule.next_before(Time::NEVER).unwrap();
            let (key, index) = model.pop_first().unwrap();
            prop_assert_eq!((now, source.index()), (time_of(key), index));
            let other = other % count;
            let moves = if other.is_multiple_of(5) { other } else { index };
            for index in [index, moves] {
                let later = now.nanos() + (bits >> shift) + u64::from(index != moves);
                model.remove(&(due[index].0, index));
                let order = order_of(index);
                schedule.set(due[index].1, Time::from_nanos(later), order);
                let key = schedule.lots.flipped(key_of(Time::from_nanos(later), order, due[index].1));
                model.insert((key, index));
                due[index].0 = key;
            }
        }
    }
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "before the current time Time")]
fn setting_an_event_in_the_past_panics() {
    let mut schedule = Schedule::default();
    let source = schedule.add_source();
    schedule.wait_until(Time::from_nanos(8));
    schedule.set(source, Time::from_nanos(7), Order::TIMER);
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "the event of a firm source cannot be cancelled")]
fn clearing_a_firm_source_panics() {
    let mut schedule = Schedule::default();
    let source = schedule.add_firm_source();
    schedule.set(source, Time::from_nanos(7), Order::TIMER);
    schedule.clear(source);
}
