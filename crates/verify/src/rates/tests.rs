//! Tests at which instants a transmission may end. 1 Gbit/s is a bit per nanosecond, and a byte has 8 bits.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Returns a rate of this many thousandths of a bit per nanosecond.
fn rate(millibits_per_ns: u64) -> Rate {
    Rate::from_bits_per_second(millibits_per_ns * 1_000_000)
}

/// Returns a rate that is `first` in [`rate`]'s unit and changes to another one at each of these nanoseconds.
fn changing(first: u64, changes: &[(u64, u64)]) -> VaryingRate {
    let changes = changes.iter().map(|(at, to)| (Time::from_nanos(*at), rate(*to)));
    VaryingRate {
        rates: OverTime { first: rate(first), changes: changes.collect(), period: None },
        applies: ChangeApplies::BitByBit,
        outage: None,
    }
}

fn outage(from: u64, lasts: u64, every: Option<u64>) -> Option<Outage> {
    let [from_time, lasts] = [Time::from_nanos(from), Time::from_nanos(lasts)];
    Some(Outage { from: from_time, lasts: lasts.since(Time::ZERO), every: every.map(Span::from_nanos) })
}

/// Returns the nanoseconds from `within` at which a transmission that starts at `starts` may end.
fn ends(rate: &SendingRate, starts: u64, bytes: u64, within: impl IntoIterator<Item = u64>) -> Vec<u64> {
    let starts = Time::from_nanos(starts);
    let allowed = |ns: &u64| {
        let sent = Sent { starts, ends: Time::from_nanos(*ns), bytes, waited: false };
        rate.check(&sent, &mut Spare::default()).is_ok()
    };
    within.into_iter().filter(allowed).collect()
}

/// Returns the ends that the transmission of one byte from time zero may have, up to 60 ns.
fn of_a_byte(link: VaryingRate) -> Vec<u64> {
    ends(&SendingRate::Varying(link), 0, 1, 0..60)
}

#[test]
fn a_constant_rate_allows_one_end() {
    let ends = |bits_per_second, bytes, within: std::ops::Range<u64>| {
        ends(&SendingRate::Constant(Rate::from_bits_per_second(bits_per_second)), 0, bytes, within)
    };
    assert_eq!(ends(3_000_000_000, 1000, 0..4000), [2667], "8000 bits at 3 bits a nanosecond: 2666.67");
    assert_eq!(ends(16_000_000_000, 1, 0..4), [1], "half a nanosecond");
    assert_eq!(ends(1_000_000_000_000, 1, 0..4), [1], "a transmission takes at least a nanosecond");
    assert_eq!(ends(3_200_000_000, 1, 0..6), [3], "8 bits at 3.2 bits a nanosecond: 2.5, rounded up");
    assert!(ends(0, 1, 0..6).is_empty(), "never");
}

#[test]
fn a_rate_without_changes_allows_the_same_ends_as_a_constant_rate() {
    for (millibits, end) in [(3000, 3), (3200, 3), (3201, 2), (16_000, 1), (1_000_000, 1)] {
        // 8 bits at 3 bits a nanosecond take 2.67, at 3.2 they take 2.5, at 3.201 they take 2.499.
        assert_eq!(of_a_byte(changing(millibits, &[])), [end]);
        let constant = SendingRate::Constant(rate(millibits));
        assert_eq!(ends(&constant, 0, 1, 0..60), [end]);
    }
    assert!(of_a_byte(changing(0, &[])).is_empty());
}

#[test]
fn bits_may_go_at_the_ends_of_milliseconds() {
    // 1504 B at the end of a millisecond of 12.032 Mbit/s: at 1 ms and, three times as many, at 4 ms of every 4 ms.
    let rates = [(1, 0), (3, 36_096_000)]
        .map(|(ms, bits)| (Time::from_nanos(ms * 1_000_000), Rate::from_bits_per_second(bits)));
    let link = SendingRate::Varying(VaryingRate {
        rates: OverTime {
            first: Rate::from_bits_per_second(12_032_000),
            changes: rates.to_vec(),
            period: Some(Span::from_millis(4)),
        },
        applies: ChangeApplies::AtEndsOfMilliseconds,
        outage: None,
    });
    let mut spare = Spare::default();
    let mut takes = |starts_us: u64, ends_us: u64, bytes, waited| {
        let [starts, ends] = [starts_us, ends_us].map(|us| Time::from_nanos(us * 1000));
        link.check(&Sent { starts, ends, bytes, waited }, &mut spare).is_ok()
    };
    // A packet that starts at the instant of an opportunity or between two opportunities is sent by the next
    // one.
    assert!(takes(0, 1000, 1500, false) && !takes(0, 0, 1500, false) && !takes(0, 4000, 1500, false));
    assert!(takes(1000, 4000, 1500, false));
    // The remaining 3012 B send at once a packet that waited, and the beginning of one that continues at 5
    // ms.
    assert!(takes(4000, 4000, 1500, true) && takes(4000, 5000, 1600, true));
    // A packet that did not wait uses none of the remaining bytes.
    assert!(takes(6000, 8000, 1500, false) && takes(8000, 9000, 100, false));
}

#[test]
fn bits_take_the_rate_of_their_time_and_none_are_sent_in_an_outage() {
    // The same phases. From 0.95 ms half of 1000 B go at 80 Mbit/s, the other half at 8 Mbit/s: 50 + 500 us. From 2.5 ms half
    // go at 8 Mbit/s and half at 80: 500 + 50 us. With an outage from 1.2 to 1.7 ms, the transmission from 0.95 ms sends for
    // 50 us and 200 us, waits, and sends for 300 us: 1050 us in all.
    let [fast, slow] = [80_000_000, 8_000_000].map(Rate::from_bits_per_second);
    let link = |outage| {
        SendingRate::Varying(VaryingRate {
            rates: OverTime {
                first: fast,
                changes: vec![(Time::from_nanos(1_000_000), slow)],
                period: Some(Span::from_millis(3)),
            },
            applies: ChangeApplies::BitByBit,
            outage,
        })
    };
    let takes = |outage, starts: u64, micros: u64| {
        let end = starts + micros * 1000;
        assert_eq!(ends(&link(outage), starts, 1000, end - 2..end + 3), [end]);
    };
    takes(None, 950_000, 550);
    takes(None, 2_500_000, 550);
    takes(outage(1_200_000, 500_000, None), 950_000, 1050);
    takes(outage(1_200_000, 500_000, None), 3_950_000, 550);
}

#[test]
fn if_the_rate_rises_the_end_follows_the_new_rate() {
    // A trace of a cell has 12.032 Mbit/s before 10 ms and 24.064 Mbit/s after. 1488 B are 11904 bits. From 9.010639 ms,
    // 989361 ns send 11903.991552 of them by 10 ms, and 0.008448 are missing. Half a nanosecond is 0.006016 bits before and
    // 0.012032 after: the exact end is 0.35 ns after 10 ms. Another nanosecond would be 0.65 ns late.
    let rates = OverTime {
        first: Rate::from_bits_per_second(12_032_000),
        changes: vec![(Time::from_nanos(10_000_000), Rate::from_bits_per_second(24_064_000))],
        period: None,
    };
    let link = VaryingRate { rates, applies: ChangeApplies::BitByBit, outage: None };
    let within = 9_999_990..10_000_010;
    assert_eq!(ends(&SendingRate::Varying(link), 9_010_639, 1488, within), [10_000_000]);
    // 2.5 bits a nanosecond send 7.5 bits by 3 ns. Half a bit is missing: exactly half a nanosecond at 1 bit a nanosecond,
    // which is rounded up, and a little less at 1.001.
    assert_eq!(of_a_byte(changing(2500, &[(2, 2500), (3, 1001)])), [3]);
    // 0.9 bits a nanosecond send 7.2 bits by 8 ns, 0.8 are missing. At 1.6 bits a nanosecond that is half a nanosecond.
    assert_eq!(of_a_byte(changing(900, &[(8, 1600)])), [9]);
    assert_eq!(of_a_byte(changing(900, &[(8, 1601)])), [8]);
}

#[test]
fn if_the_rate_falls_the_end_may_follow_either_rate() {
    // 2.4 bits a nanosecond send 7.2 bits by 3 ns. The missing 0.8 are a third of a nanosecond at that rate, so the
    // transmission may end. At the rate after it, 0.25 bits a nanosecond, they take 3.2 ns: the nearest nanosecond is 6 ns.
    assert_eq!(of_a_byte(changing(2400, &[(3, 250)])), [3, 6]);
    // 2.2 bits a nanosecond send 6.6 bits by 3 ns. The missing 1.4 are more than half a nanosecond, and take 5.6 ns then.
    assert_eq!(of_a_byte(changing(2200, &[(3, 250)])), [9]);
    // 2.3 bits a nanosecond send 6.9 bits by 3 ns. 1.1 are missing, 0.478 ns; at 2.2, half a nanosecond: rounded up.
    assert_eq!(of_a_byte(changing(2300, &[(3, 2200)])), [3, 4]);
    assert_eq!(of_a_byte(changing(2300, &[(3, 2201)])), [3]);
    // If the rate after it is zero, the exact end is when the link resumes: at 20 ns, plus 0.4 ns.
    assert_eq!(of_a_byte(changing(2400, &[(3, 0), (20, 2000)])), [3, 20]);
}

#[test]
fn several_changes_in_one_transmission_add_up() {
    // By 1, 2, 4 ns: 1, 4, 7 bits. At 2 bits a nanosecond the last bit takes half a nanosecond, rounded up; at 2.001 less.
    assert_eq!(of_a_byte(changing(1000, &[(1, 3000), (2, 1500), (4, 2000)])), [5]);
    assert_eq!(of_a_byte(changing(1000, &[(1, 3000), (2, 1500), (4, 2001)])), [4]);
    // By 1, 2 ns: 1, 7 bits, and 1 is missing, less than half a nanosecond of the 6 bits a nanosecond before. At 0.1 bits a
    // nanosecond until 6 ns another 0.4 are sent, and the missing 0.6 are less than half a nanosecond of 1.5.
    assert_eq!(of_a_byte(changing(1000, &[(1, 6000), (2, 100), (6, 1500)])), [2, 6]);
    // A rate that holds for no time of the transmission does not count.
    assert_eq!(of_a_byte(changing(1000, &[(8, 9000), (9, 0)])), [8]);
}

#[test]
fn a_transmission_that_is_done_does_not_wait() {
    // 8 bits are sent by 8 ns at a bit a nanosecond. Nothing is sent from then to 12 ns, and all the same nothing is missing.
    assert_eq!(of_a_byte(changing(1000, &[(8, 0), (12, 1000)])), [8]);
    assert_eq!(of_a_byte(VaryingRate { outage: outage(8, 4, None), ..changing(1000, &[]) }), [8]);
}

#[test]
fn a_transmission_may_end_as_an_outage_begins_or_after_it() {
    let with = |millibits, changes: &[(u64, u64)]| {
        of_a_byte(VaryingRate { outage: outage(3, 10, Some(30)), ..changing(millibits, changes) })
    };
    // 2.4 bits a nanosecond send 7.2 bits by 3 ns. The missing 0.8 are a third of a nanosecond: the exact end is 13.33 ns.
    assert_eq!(with(2400, &[]), [3, 13]);
    // 2.2 bits a nanosecond send 6.6 bits. The missing 1.4 are 0.64 ns: the exact end is 13.64 ns.
    assert_eq!(with(2200, &[]), [14]);
    // If the rate rises during the outage to 3 bits a nanosecond, the missing 1.4 are 0.47 ns. No end is within the outage.
    assert_eq!(with(2200, &[(5, 3000)]), [3, 13]);
    // If it rises and falls again, the high rate does not count: 1.4 bits at 0.7 bits a nanosecond take 2 ns.
    assert_eq!(with(2200, &[(5, 3000), (7, 700)]), [15]);
    // A transmission that starts in the outage sends nothing in it, and takes a nanosecond after it even for less.
    let link = VaryingRate { outage: outage(3, 10, None), ..changing(1_000_000, &[]) };
    assert_eq!(ends(&SendingRate::Varying(link), 5, 1, 0..60), [14]);
    // So does one that starts while the rate is zero.
    assert_eq!(of_a_byte(changing(0, &[(13, 1_000_000)])), [14]);
}

proptest! {
    /// Compares the check with a walk from nanosecond to nanosecond.
    #[test]
    fn the_check_allows_what_a_walk_finds(
        phases in prop::collection::vec((1_u64..6, prop_oneof![Just(0), 1_u64..12, 1_u64..12_000]), 1..6),
        repeats in any::<bool>(),
        out in prop::option::of((0_u64..20, 1_u64..6, prop::option::of(1_u64..6))),
        starts in 0_u64..20,
        bytes in 1_u64..4,
    ) {
        const LAST: u64 = 80;
        let begins = |phase: usize| phases[..phase].iter().map(|(lasts, _)| lasts).sum::<u64>();
        let all = begins(phases.len());
        let changes = (1..phases.len()).map(|phase| (Time::from_nanos(begins(phase)), rate(phases[phase].1)));
        let link = VaryingRate {
            rates: OverTime {
                first: rate(phases[0].1),
                changes: changes.collect(),
                period: repeats.then(|| Span::from_nanos(all)),
            },
            applies: ChangeApplies::BitByBit,
            outage: out.and_then(|(from, lasts, more)| outage(from, lasts, more.map(|more| lasts + more))),
        };
        // The rate of each nanosecond, and whether the link works in it.
        let by_nanosecond: Vec<u64> =
            phases.iter().flat_map(|(lasts, rate)| std::iter::repeat_n(*rate, *lasts as usize)).collect();
        let without_outage = |ns: u64| {
            by_nanosecond[if repeats { ns % all } else { ns.min(all - 1) } as usize]
        };
        let works = |ns: u64| out.is_none_or(|(from, lasts, more)| {
            ns < from || match more {
                Some(more) => (ns - from) % (lasts + more) >= lasts,
                None => ns >= from + lasts,
            }
        });
        let rate_at = |ns: u64| if works(ns) { without_outage(ns) } else { 0 };
        // The walk, in thousandths of a bit.
        let mut missing = bytes * 8000;
        let mut expected = BTreeSet::new();
        for ns in starts..=LAST {
            let rate = rate_at(ns);
            if missing <= rate && rate > 0 {
                // The exact end is within this nanosecond, or at its end. The first that sends is taken whole.
                let is_nearer = 2 * missing < rate && missing < bytes * 8000;
                expected.insert(if is_nearer { ns } else { ns + 1 });
                break;
            }
            missing -= rate;
            // A change at which less than half a nanosecond is missing.
            let resumes = (ns + 1..).find(|ns| works(*ns)).map_or(0, without_outage);
            let falls = rate_at(ns + 1) < rate && missing > 0 && 2 * missing < rate;
            let stops = !works(ns + 1) && rate > 0 && 2 * missing < resumes;
            if falls || stops {
                expected.insert(ns + 1);
            }
        }
        expected.retain(|end| *end <= LAST);
        let found = ends(&SendingRate::Varying(link), starts, bytes, 0..=LAST);
        prop_assert_eq!(found, Vec::from_iter(expected));
    }
}
