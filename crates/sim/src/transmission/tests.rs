//! Checks of transmission times against times computed by hand, and properties that hold for any rate over
//! time.

use super::*;
use proptest::prelude::*;

const MBIT: u64 = 1_000_000;

fn rate(bits: u64) -> Rate {
    Rate::from_bits_per_second(bits)
}

fn ms(ms: u64) -> Span {
    Span::from_millis(ms)
}

fn at(ns: u64) -> Time {
    Time::from_nanos(ns)
}

fn link(rates: Timeline<Rate>, manner: Manner, outage: Option<Outage>) -> Transmission {
    let nominal = rate(12 * MBIT);
    Transmission::new(nominal, Some(Changes { rates, manner, outage, nominal }))
}

fn cycle(phases: &[(u64, u64)]) -> Timeline<Rate> {
    Timeline::cycle(phases.iter().map(|(lasts, bits)| (ms(*lasts), rate(*bits)))).unwrap()
}

#[test]
fn a_packet_goes_on_at_the_rate_of_the_next_phase() {
    // 1000 B take 1 ms at 8 Mbit/s and 0.1 ms at 80 Mbit/s. The phases last 20 and 10 ms from time zero, so
    // the second begins at 20 ms and the cycle repeats at 30 ms.
    let mut link = link(cycle(&[(20, 80 * MBIT), (10, 8 * MBIT)]), Manner::BitByBit, None);
    let mut micros = |ns| link.time(at(ns), 1000).nanos() / 1000;
    assert_eq!(micros(0), 100);
    assert_eq!(micros(19_950_000), 550, "half of it in each phase");
    assert_eq!(micros(20_000_000), 1000);
    assert_eq!(micros(29_500_000), 550, "the cycle repeats");
    assert_eq!(micros(30_000_000), 100);
    // The link may be idle for many cycles: 3015 ms are 100 cycles and 15 ms, and 3025 ms lie in the second
    // phase of the same cycle.
    assert_eq!(micros(3_015_000_000), 100);
    assert_eq!(micros(3_025_000_000), 1000);
}

#[test]
fn a_packet_waits_for_the_end_of_a_silent_phase() {
    // A cycle has 20 ms at 8 Mbit/s, at which 1000 B take 1 ms, and 1000 ms at a rate of zero. Of a packet
    // that starts 0.25 ms before the silent phase, 0.25 ms are sent before and 0.75 ms after it. One that
    // starts at 1500 ms waits until the second silent phase ends at 2040 ms.
    let mut link = link(cycle(&[(20, 8 * MBIT), (1000, 0)]), Manner::BitByBit, None);
    assert_eq!(link.time(at(19_750_000), 1000), ms(1001));
    assert_eq!(link.time(at(1_500_000_000), 1000), ms(541), "from 2040 ms on");
}

#[test]
fn the_known_rate_is_that_of_now_not_of_the_queued_packets() {
    let mut link = link(cycle(&[(20, 80 * MBIT), (10, 8 * MBIT)]), Manner::BitByBit, None);
    assert_eq!(link.time(at(25_000_000), 1000), ms(1));
    for (ns, mbit) in [(0, 80), (19_999_999, 80), (20_000_000, 8), (5_000_000, 80), (3_025_000_000, 8)] {
        assert_eq!(link.rate_at(at(ns)), rate(mbit * MBIT), "{ns}");
    }
    assert_eq!(link.time(at(26_000_000), 1000), ms(1));
    assert!(link.varies());
}

#[test]
fn one_rate_lasts_for_ever() {
    let mut link = Transmission::new(rate(8 * MBIT), None);
    assert_eq!(link.time(at(0), 1000), ms(1));
    assert_eq!(link.time(at(u64::MAX - 1), 1000), ms(1));
    assert_eq!(link.rate_at(at(7)), rate(8 * MBIT));
    assert!(!link.varies());
}

#[test]
fn one_delivery_opportunity_each_millisecond_is_12_032_megabits_per_second() {
    // 1504 B each millisecond are 1504 * 8 / 0.001 = 12,032,000 bit/s, so 1504 B take 1 ms at whatever time
    // they start, and 1500 B take 12,000 / 12.032 = 997,340.4 ns.
    let mut link = link(cycle(&[(1, 12_032_000)]), Manner::Fluctuating, None);
    assert_eq!(link.time(at(0), 1504), ms(1));
    assert_eq!(link.time(at(123_456), 1504), ms(1));
    assert_eq!(link.time(at(1_123_456), 1500), Span::from_nanos(997_340));
}

#[test]
fn a_packet_that_straddles_a_pause_goes_on_after_it() {
    // A trace of 10 ms has opportunities at 1 ms and 10 ms: 12.032 Mbit/s from 0 to 1 ms and from 9 to 10 ms,
    // and nothing in between. Of 1504 B that start at 0.4 ms, six tenths are sent by 1 ms, and the other four
    // tenths from 9 ms to 9.4 ms: 9 ms after the start. A packet that starts at 9.4 ms has 0.6 ms until 10 ms
    // and continues in the next round at once, until 10.4 ms.
    let mut link = link(cycle(&[(1, 12_032_000), (8, 0), (1, 12_032_000)]), Manner::Fluctuating, None);
    assert_eq!(link.time(at(400_000), 1504), ms(9));
    assert_eq!(link.time(at(9_400_000), 1504), ms(1));
    // Nothing is sent in the pause: a packet that starts 4 ms into a round waits until 9 ms and takes 1 ms
    // more.
    assert_eq!(link.time(at(24_000_000), 1504), ms(6));
    // A router uses the nominal rate, since it cannot follow a rate that fluctuates.
    assert_eq!(link.rate_at(at(4_000_000)), rate(12 * MBIT));
    assert_eq!(link.rest_at(at(4_000_000), at(10_000_000)), ms(1), "1500 B at 12 Mbit/s, not the pause");
}

#[test]
fn the_rest_of_the_bits_takes_the_new_rate() {
    // 1000 B start 0.5 ms before the rate falls from 8 to 2 Mbit/s: half of them are sent, and the other 4000
    // bits take 2 ms at 2 Mbit/s.
    let steps = || Timeline::steps(rate(8 * MBIT), [(at(10_000_000), rate(2 * MBIT))]);
    let mut bits = link(steps(), Manner::BitByBit, None);
    assert_eq!(bits.time(at(9_500_000), 1000), Span::from_nanos(2_500_000));
    assert_eq!(bits.time(at(12_000_000), 1000), ms(4));
    assert_eq!(bits.rate_at(at(12_000_000)), rate(2 * MBIT));
}

#[test]
fn an_outage_interrupts_a_packet() {
    // 1000 B at 8 Mbit/s start 0.25 ms before an outage of 100 ms and take 101 ms.
    let outage = Outage { from: at(10_000_000), lasts: ms(100), every: None };
    let mut link = link(Timeline::constant(rate(8 * MBIT)), Manner::BitByBit, Some(outage));
    assert_eq!(link.time(at(9_750_000), 1000), ms(101));
    assert_eq!(link.time(at(110_750_000), 1000), ms(1));
}

#[test]
fn a_packet_works_for_a_nanosecond_at_least() {
    // 40 B at 1 Tbit/s take 0.32 ns, which count as 1 ns. During an outage from 100 to 150 ns a packet waits
    // for its end and takes one nanosecond more. If the rate is zero until 20 ms, a packet waits for that
    // time and takes one nanosecond more.
    let fast = 1_000_000 * MBIT;
    let outage = Outage { from: at(100), lasts: Span::from_nanos(50), every: None };
    let mut interrupted = link(cycle(&[(20, fast)]), Manner::BitByBit, Some(outage));
    assert_eq!([99, 103, 150].map(|ns| interrupted.time(at(ns), 40).nanos()), [1, 48, 1]);
    let mut silent = link(cycle(&[(20, 0), (10, fast)]), Manner::BitByBit, None);
    assert_eq!(silent.time(at(0), 40).nanos(), 20_000_001);
}

#[test]
fn a_rate_that_holds_only_within_an_outage_sends_nothing() {
    // A byte is to be sent from 0 ns on. The rate is zero, 0.5 bit/ns from 9 ns, 47 bit/ns from 14 ns and 0.1
    // bit/ns from 15 ns, with an outage from 10 to 15 ns. Half a bit is sent by 10 ns, and the other 7.5 bits
    // take 75 ns from 15 ns on.
    let gbit = |tenths: u64| rate(tenths * 100 * MBIT);
    let rates = Timeline::steps(rate(0), [(at(9), gbit(5)), (at(14), gbit(470)), (at(15), gbit(1))]);
    let outage = Outage { from: at(10), lasts: Span::from_nanos(5), every: None };
    assert_eq!(link(rates, Manner::BitByBit, Some(outage)).time(at(0), 1).nanos(), 90);
}

#[test]
fn work_at_the_end_of_an_outage_is_not_done_before_it() {
    // At 1 Gbit/s, 1 bit of a byte is sent by 1 ns. The rate is zero from then until 10 ns, when an outage of
    // 5 ns begins, and 1 Tbit/s afterwards: the other 7 bits take 0.007 ns after 15 ns.
    let rates = Timeline::steps(rate(1000 * MBIT), [(at(1), rate(0)), (at(10), rate(1_000_000 * MBIT))]);
    let outage = Outage { from: at(10), lasts: Span::from_nanos(5), every: None };
    assert_eq!(link(rates, Manner::BitByBit, Some(outage)).time(at(0), 1).nanos(), 15);
}

/// Generates phases of 1 to 4 ms, at least one of which has a rate.
fn phases() -> impl Strategy<Value = Vec<(u64, u64)>> {
    prop::collection::vec(
        (1_u64..5, prop::sample::select(vec![0, 1, 100_000, 12_032_000, 60_160_000])),
        1..12,
    )
    .prop_filter("something is sent", |phases| phases.iter().any(|(_, bits)| *bits > 1))
}

fn outage() -> impl Strategy<Value = Option<Outage>> {
    // The period of outages is not a multiple of a phase, so outages do not hide all phases forever.
    let some = (0_u64..20_000_000, 1_u64..2_000_000, 7_000_001_u64..9_000_000);
    prop::option::of(some.prop_map(|(from, lasts, every)| Outage {
        from: at(from),
        lasts: Span::from_nanos(lasts),
        every: Some(Span::from_nanos(every)),
    }))
}

proptest! {
    /// Packets sent one after the other take exactly the bits that the link can send in that time, whatever
    /// its rate, except for the rounding of each packet's end.
    #[test]
    fn no_bit_is_made_or_lost(
        phases in phases(), outage in outage(), sizes in prop::collection::vec(40_u32..3000, 1..30),
    ) {
        let rates = cycle(&phases);
        let mut link = link(rates.clone(), Manner::BitByBit, outage);
        let mut now = Time::ZERO;
        for bytes in &sizes {
            let takes = link.time(now, *bytes);
            prop_assert!(takes > Span::ZERO);
            now += takes;
        }
        // Sums what the link could send, in bits times 10^9, phase by phase and without the time of outages.
        let (mut could, mut from) = (0_u128, Time::ZERO);
        while from < now {
            let present = rates.present(from);
            let to = present.until.min(now);
            let works = outage.map_or(to.since(from), |outage| outage.works(from, to));
            could += u128::from(present.value.bits_per_second()) * u128::from(works.nanos());
            from = to;
        }
        let sent: u128 = sizes.iter().map(|bytes| u128::from(*bytes) * 8_000_000_000).sum();
        // Each end is rounded to a nanosecond, up or down, at the highest rate.
        let rounding = 60_160_000 * sizes.len() as u128;
        prop_assert!(could.abs_diff(sent) <= rounding, "{could} {sent}");
    }
}
