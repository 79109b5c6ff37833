//! Tests that a link with a trace agrees with a model of mahimahi's `mm-link` (`link_queue.cc`), which goes
//! from one opportunity to the next.

use super::{at_zero, opportunities};
use ackclock_aqm::{Arrival, Ecn};
use ackclock_base::{Rate, Span, Time};
use ackclock_sim::channel::Impairments;
use ackclock_sim::link::{Fate, Link, LinkParts};
use ackclock_sim::measure::Interval;
use ackclock_sim::transmission::{Changes, Manner};
use proptest::prelude::*;
use std::collections::VecDeque;

const MS: u64 = 1_000_000;

/// Returns when each packet is delivered, in milliseconds. `packets` holds arrival times in nanoseconds and
/// sizes in bytes, in order.
///
/// The queue is a list of packets. Each opportunity carries 1504 bytes: first of the packet in transit, then
/// of waiting packets. It comes before a packet that arrives in the same millisecond, because `mm-link`
/// catches up with its clock, which has whole milliseconds, before it accepts the packet.
fn mm_link(schedule: &[u64], packets: &[(u64, u64)]) -> Vec<u64> {
    let mut delivered = vec![0; packets.len()];
    let mut arriving = packets.iter().enumerate().peekable();
    let mut waiting: VecDeque<(usize, u64)> = VecDeque::new();
    let (mut round, mut line, mut left) = (0, 0, packets.len());
    while left > 0 {
        let now = round + schedule[line];
        (round, line) =
            if line + 1 < schedule.len() { (round, line + 1) } else { (round + schedule[line], 0) };
        while let Some((packet, (_, bytes))) = arriving.next_if(|(_, (ns, _))| ns / MS < now) {
            waiting.push_back((packet, *bytes));
        }
        let mut carries = 1504;
        while carries > 0
            && let Some((packet, bytes)) = waiting.front_mut()
        {
            let sent = carries.min(*bytes);
            (carries, *bytes) = (carries - sent, *bytes - sent);
            if *bytes == 0 {
                delivered[*packet] = now;
                left -= 1;
                waiting.pop_front();
            }
        }
    }
    delivered
}

/// Returns when a link of the simulator without a queue limit delivers the packets, in nanoseconds.
fn ours(schedule: &[u64], packets: &[(u64, u64)]) -> Vec<u64> {
    let text: String = schedule.iter().map(|ms| format!("{ms}\n")).collect();
    let manner = Manner::Opportunities { at_zero: at_zero(&text).unwrap() };
    let (rates, nominal) = (opportunities(&text).unwrap(), Rate::from_bits_per_second(1_000_000));
    let parts = LinkParts {
        name: "link".into(),
        from: "a".into(),
        to: "b".into(),
        rate: nominal,
        changes: Some(Changes { rates, manner, outage: None, nominal }),
        delay: Span::ZERO,
        discipline: None,
        impairments: Impairments::default(),
        seed: 1,
    };
    let mut link = Link::new(parts, true, Interval { from: Time::ZERO, to: Time::NEVER });
    let mut delivered = |ns: u64, bytes: u64| {
        let arrival =
            Arrival { now: Time::from_nanos(ns), bytes: bytes as u32, flow: 0, ecn: Ecn::NotCapable };
        match link.offer(&arrival) {
            Fate::Arrives { at, .. } => at.nanos(),
            other => panic!("{other:?}"),
        }
    };
    packets.iter().map(|(ns, bytes)| delivered(*ns, *bytes)).collect()
}

fn agree(schedule: &[u64], packets: &[(u64, u64)]) {
    let theirs: Vec<u64> = mm_link(schedule, packets).iter().map(|ms| ms * MS).collect();
    assert_eq!(ours(schedule, packets), theirs);
}

#[test]
fn a_packet_waits_for_the_next_opportunity() {
    // Opportunities are at 1, 1401, 1402, 2802 ... ms. A packet that arrives at the first or 0.3 ms later
    // waits 1.4 s for the next.
    let schedule = [1, 1401];
    assert_eq!(mm_link(&schedule, &[(MS + 300_000, 1500)]), [1401]);
    assert_eq!(mm_link(&schedule, &[(MS, 1500)]), [1401]);
    assert_eq!(mm_link(&schedule, &[(MS - 1, 1500)]), [1]);
    // Two packets of 752 B share an opportunity. The rest of a packet leaves with the next one.
    assert_eq!(mm_link(&schedule, &[(0, 752), (0, 752), (0, 1500), (0, 5)]), [1, 1, 1401, 1402]);
    for arrives in [0, MS - 1, MS, MS + 1, MS + 300_000, 1401 * MS, 1402 * MS] {
        agree(
            &schedule,
            &[(arrives, 1500), (arrives, 100), (arrives, 1504), (arrives, 40), (arrives + MS, 1500)],
        );
    }
}

/// Generates traces like the public ones: several opportunities in a millisecond of a fast cell, gaps of a
/// few milliseconds, silences of up to 1.4 s, and first lines at zero or later.
fn schedules() -> impl Strategy<Value = Vec<u64>> {
    let gaps = prop_oneof![6 => Just(0_u64), 6 => Just(1), 4 => 2_u64..6, 2 => 6_u64..60, 1 => 60_u64..1400];
    prop::collection::vec(gaps, 1..60).prop_filter_map("it lasts", |gaps| {
        let mut now = 0;
        let times: Vec<u64> = gaps
            .iter()
            .map(|gap| {
                now += gap;
                now
            })
            .collect();
        (now > 0).then_some(times)
    })
}

/// Generates packets after gaps in microseconds: bursts, whole milliseconds and arbitrary times.
fn packets() -> impl Strategy<Value = Vec<(u64, u64)>> {
    let gaps = prop_oneof![4 => Just(0_u64), 2 => (0_u64..40).prop_map(|ms| ms * 1000), 2 => 0_u64..3000, 1 => 0_u64..900_000];
    let bytes =
        prop_oneof![3 => Just(1500_u64), 1 => Just(1504), 1 => Just(752), 2 => Just(40), 2 => 40_u64..1504];
    prop::collection::vec((gaps, bytes), 1..120).prop_map(|packets| {
        let mut now = 0;
        packets
            .into_iter()
            .map(|(us, bytes)| {
                now += us * 1000;
                (now, bytes)
            })
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn packets_are_delivered_when_mm_link_delivers_them(schedule in schedules(), packets in packets()) {
        agree(&schedule, &packets);
    }
}
