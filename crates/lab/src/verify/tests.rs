//! Traces written by hand, each with what it breaks.

mod impaired;
mod shared;
mod simulated;

use super::facts::Facts;
use super::*;
use ackclock_sim::outage::Outage;
use ackclock_sim::transmission::Manner;

/// A trace in microseconds, of packets of 1000 B.
#[derive(Clone, Default)]
struct Story {
    records: Vec<Record>,
}

impl Story {
    fn note(mut self, us: u64, path: u32, packet: u64, event: Event) -> Self {
        self.records.push(Record { time_ns: us * 1000, path, packet, bytes: 1000, event });
        self
    }

    fn launched(self, us: u64, packet: u64) -> Self {
        self.note(us, 0, packet, Event::Launched)
    }

    /// Offered, started, sent, arrived.
    fn crosses(self, packet: u64, link: u32, us: [u64; 4]) -> Self {
        self.note(us[0], 0, packet, Event::Offered { link })
            .note(us[1], 0, packet, Event::Started { link })
            .note(us[2], 0, packet, Event::Sent { link })
            .note(us[3], 0, packet, Event::Arrived { link })
    }

    fn delivered(self, us: u64, packet: u64) -> Self {
        self.note(us, 0, packet, Event::Delivered)
    }

    fn dropped(self, us: u64, packet: u64) -> Self {
        self.note(us, 0, packet, Event::Offered { link: 0 }).note(us, 0, packet, Event::Dropped { link: 0 })
    }

    fn without(mut self, unwanted: impl Fn(&Record) -> bool) -> Self {
        self.records.retain(|record| !unwanted(record));
        self
    }

    fn changed(mut self, change: impl Fn(&mut Record)) -> Self {
        self.records.iter_mut().for_each(change);
        self
    }

    /// The laws broken within 50 ms.
    fn breaks(self) -> Vec<Rule> {
        self.breaks_with(Service { drops_only_when_full: true, ..Service::IN_ORDER })
    }

    /// The same, where the slow link's discipline may do more than a tail-drop queue.
    fn breaks_with(self, service: Service) -> Vec<Rule> {
        let mut trace = Trace::default();
        trace.records = self.records;
        let paths = [
            PathFacts { flow: "f".into(), backward: false, links: vec![0, 1] },
            PathFacts { flow: "f".into(), backward: true, links: vec![1] },
        ];
        let mut links = links();
        links[0].service = service;
        let found = verify(&trace, &links, &paths, &[], Time::from_seconds(0.05));
        found.iter().for_each(|violation| println!("{violation}"));
        found.into_iter().map(|violation| violation.rule).collect()
    }
}

/// A byte per microsecond, 10 ms of wire, one packet may wait; then ten bytes per microsecond, 1 ms, no limit.
fn links() -> [LinkFacts; 2] {
    let link = |name: &str, rate, delay_ms, capacity| LinkFacts {
        name: name.into(),
        rate: Rate::from_bits_per_second(rate),
        changes: None,
        delay: Span::from_millis(delay_ms),
        jitter: Span::ZERO,
        detour: None,
        longer: None,
        hold: Span::ZERO,
        reorders: false,
        capacity,
        service: Service { drops_only_when_full: true, ..Service::IN_ORDER },
        medium: None,
    };
    [link("slow", 8_000_000, 10, Some(Capacity::Packets(1))), link("fast", 80_000_000, 1, None)]
}

/// One packet goes through, the second waits for it.
fn pair() -> Story {
    Story::default()
        .launched(0, 1)
        .crosses(1, 0, [0, 0, 1000, 11_000])
        .launched(0, 2)
        .crosses(2, 0, [0, 1000, 2000, 12_000])
        .crosses(1, 1, [11_000, 11_000, 11_100, 12_100])
        .crosses(2, 1, [12_000, 12_000, 12_100, 13_100])
        .delivered(12_100, 1)
        .delivered(13_100, 2)
}

const NOTHING: [Rule; 0] = [];

#[test]
fn a_lawful_trace_passes() {
    let story = pair()
        // No room: dropped. At 1 ms, when the second has left the queue, there is room again.
        .launched(0, 3)
        .dropped(0, 3)
        .launched(1000, 4)
        .crosses(4, 0, [1000, 2000, 3000, 13_000])
        .crosses(4, 1, [13_000, 13_000, 13_100, 14_100])
        .delivered(14_100, 4)
        // Corrupted on the wire, and overtaken by the end of the run at 50 ms.
        .launched(20_000, 5)
        .note(20_000, 0, 5, Event::Offered { link: 0 })
        .note(20_000, 0, 5, Event::Started { link: 0 })
        .note(21_000, 0, 5, Event::Sent { link: 0 })
        .note(21_000, 0, 5, Event::Lost { link: 0 })
        .launched(45_000, 6)
        .crosses(6, 0, [45_000, 45_000, 46_000, 56_000]);
    assert_eq!(story.breaks(), NOTHING);
    assert_eq!(Story::default().breaks(), NOTHING);
}

#[test]
fn unknown_paths_and_links_are_reported() {
    assert_eq!(
        pair().launched(0, 3).changed(|r| r.path += 7 * u32::from(r.packet == 3)).breaks(),
        [Rule::Known]
    );
    assert_eq!(pair().note(20_000, 0, 1, Event::Offered { link: 9 }).breaks(), [Rule::Known]);
}

#[test]
fn nothing_happens_to_a_packet_that_was_not_launched() {
    assert_eq!(pair().delivered(20_000, 3).breaks()[0], Rule::Launch);
    assert_eq!(pair().launched(20_000, 2).breaks()[0], Rule::Launch);
}

#[test]
fn a_packet_keeps_its_size_and_its_path() {
    let arrives = |record: &Record| record.packet == 1 && record.event == Event::Arrived { link: 0 };
    let longer = pair().changed(|record| record.bytes += u32::from(arrives(record)));
    assert_eq!(longer.breaks(), [Rule::Identity]);
    let elsewhere = pair().changed(|record| record.path += u32::from(arrives(record)));
    assert_eq!(elsewhere.breaks(), [Rule::Identity]);
}

#[test]
fn the_time_of_a_packet_goes_on() {
    // Written in this order, the second link hands the packet over before the first.
    let story = Story::default()
        .launched(0, 1)
        .crosses(1, 1, [11_000, 11_000, 11_100, 12_100])
        .crosses(1, 0, [0, 0, 1000, 11_000])
        .delivered(12_100, 1);
    assert_eq!(story.breaks()[0], Rule::TimeGoesOn);
}

#[test]
fn a_packet_follows_its_path() {
    let shortcut = Story::default().launched(0, 1).crosses(1, 1, [0, 0, 100, 1100]).delivered(1100, 1);
    assert_eq!(shortcut.breaks(), [Rule::Route]);
    let short = Story::default().launched(0, 1).crosses(1, 0, [0, 0, 1000, 11_000]).delivered(11_000, 1);
    assert_eq!(short.breaks(), [Rule::Route]);
    let leap = Story::default().launched(0, 1).crosses(1, 0, [0, 0, 1000, 11_000]);
    let leap = leap.crosses(1, 1, [11_000, 11_000, 11_100, 12_100]).delivered(12_100, 1);
    assert_eq!(leap.without(|record| record.event == Event::Started { link: 1 }).breaks(), [Rule::Route]);
}

#[test]
fn a_packet_meets_one_fate() {
    assert_eq!(pair().delivered(20_000, 2).breaks(), [Rule::OneFate, Rule::Conservation]);
    assert_eq!(pair().note(20_000, 0, 2, Event::Offered { link: 0 }).breaks()[0], Rule::OneFate);
}

#[test]
fn a_queue_keeps_its_order() {
    // Three at once; the third goes before the second (room for two, so that only the order is wrong).
    let story = Story::default()
        .launched(0, 1)
        .crosses(1, 1, [0, 0, 100, 1100])
        .launched(0, 2)
        .crosses(2, 1, [0, 200, 300, 1300])
        .launched(0, 3)
        .crosses(3, 1, [0, 100, 200, 1200])
        .delivered(1100, 1)
        .delivered(1300, 2)
        .delivered(1300, 3)
        .changed(|record| record.path = 1);
    assert_eq!(story.breaks(), [Rule::QueueOrder]);
}

#[test]
fn a_link_sends_one_packet_at_a_time() {
    let story = Story::default()
        .launched(0, 1)
        .crosses(1, 1, [0, 0, 100, 1100])
        .launched(50, 2)
        .crosses(2, 1, [50, 50, 150, 1150])
        .delivered(1100, 1)
        .delivered(1150, 2)
        .changed(|record| record.path = 1);
    assert_eq!(story.breaks()[0], Rule::OneAtATime);
}

#[test]
fn a_transmission_takes_the_time_of_its_bits() {
    let story = |sent| {
        Story::default()
            .launched(0, 1)
            .crosses(1, 1, [0, 0, sent, sent + 1000])
            .delivered(sent + 1000, 1)
            .changed(|record| record.path = 1)
    };
    assert_eq!(story(100).breaks(), NOTHING);
    assert_eq!(story(99).breaks(), [Rule::LinkRate]);
    assert_eq!(story(101).breaks(), [Rule::LinkRate]);
}

/// The only length of a transmission that a link's facts allow, among those from one nanosecond less to one more.
fn takes(link: LinkFacts, starts: u64, bytes: u32, about: u64) -> u64 {
    let facts = Facts { links: &[link], paths: &[], agents: &[] };
    let starts = Time::from_nanos(starts);
    let allowed =
        |ns: &u64| facts.check_transmission(0, starts, starts + Span::from_nanos(*ns), bytes).is_ok();
    let all: Vec<u64> = (about - 1..=about + 1).filter(allowed).collect();
    assert_eq!(all.len(), 1, "{about}: {all:?}");
    all[0]
}

#[test]
fn transmissions_are_rounded_to_a_nanosecond_and_never_instant() {
    let time = |rate, bytes, about| {
        takes(LinkFacts { rate: Rate::from_bits_per_second(rate), ..links()[0].clone() }, 0, bytes, about)
    };
    assert_eq!(time(3_000_000_000, 1000, 2667), 2667, "8000 bits at 3 bits a nanosecond: 2666.67");
    assert_eq!(time(16_000_000_000, 1, 1), 1, "half a nanosecond");
    assert_eq!(time(1_000_000_000_000, 1, 1), 1);
}

/// 80 Mbit/s for a millisecond, then 8 Mbit/s for two, again and again.
fn changing(manner: Manner, outage: Option<Outage>) -> LinkFacts {
    let rate = Rate::from_bits_per_second;
    let phases = [(Span::from_millis(1), rate(80_000_000)), (Span::from_millis(2), rate(8_000_000))];
    let rates = Timeline::cycle(phases).unwrap();
    let changes = Changes { rates, manner, outage, nominal: rate(8_000_000) };
    LinkFacts { changes: Some(changes), ..links()[1].clone() }
}

#[test]
fn a_transmission_takes_the_rate_of_its_start() {
    // 1000 B take 100 us or 1000 us. 7.3 ms are two cycles and 1.3 ms.
    let micros =
        |(at, about): (u64, u64)| takes(changing(Manner::AtStart, None), at, 1000, about * 1000) / 1000;
    let starts =
        [(0, 100), (999_999, 100), (1_000_000, 1000), (2_999_999, 1000), (3_000_000, 100), (7_300_000, 1000)];
    assert_eq!(starts.map(micros), [100, 100, 1000, 1000, 100, 1000]);
}

#[test]
fn bits_take_the_rate_of_their_time_and_none_in_an_outage() {
    // From 0.95 ms half of 1000 B go at 80 Mbit/s, the other half at 8 Mbit/s: 50 + 500 us. From 2.5 ms half at 8 Mbit/s
    // and half at 80: 500 + 50 us. In an outage from 1.2 to 1.7 ms, after 50 us and 200, nothing: 1050 us in all.
    let outage =
        Some(Outage { from: Time::from_nanos(1_200_000), lasts: Span::from_nanos(500_000), every: None });
    let takes = |outage, at, micros: u64| takes(changing(Manner::BitByBit, outage), at, 1000, micros * 1000);
    assert_eq!(takes(None, 950_000, 550), 550_000);
    assert_eq!(takes(None, 2_500_000, 550), 550_000);
    assert_eq!(takes(outage, 950_000, 1050), 1_050_000);
    assert_eq!(takes(outage, 3_950_000, 550), 550_000);
}

#[test]
fn a_wire_takes_its_delay() {
    let story = |arrived| {
        Story::default()
            .launched(0, 1)
            .crosses(1, 1, [0, 0, 100, arrived])
            .delivered(arrived, 1)
            .changed(|record| record.path = 1)
    };
    assert_eq!(story(1099).breaks(), [Rule::LinkDelay]);
    assert_eq!(story(1101).breaks(), [Rule::LinkDelay]);
}

#[test]
fn a_link_with_work_works() {
    let story = |started: u64| {
        Story::default()
            .launched(0, 1)
            .crosses(1, 1, [0, started, started + 100, started + 1100])
            .delivered(started + 1100, 1)
            .changed(|record| record.path = 1)
    };
    assert_eq!(story(1).breaks(), [Rule::WorkConserving], "idle, and waits");
    let gap = pair().changed(|record| {
        let late = record.packet == 2 && record.time_ns > 0;
        record.time_ns += 1000 * u64::from(late);
    });
    assert_eq!(gap.breaks(), [Rule::WorkConserving], "a pause between two packets");
}

#[test]
fn the_queue_has_a_limit() {
    // One may wait, two do.
    let story = pair()
        .launched(0, 3)
        .crosses(3, 0, [0, 2000, 3000, 13_000])
        .crosses(3, 1, [13_000, 13_000, 13_100, 14_100])
        .delivered(14_100, 3);
    assert_eq!(story.breaks(), [Rule::QueueLimit]);
}

#[test]
fn a_queue_may_make_room_for_a_newcomer_at_the_same_instant() {
    // The second waits, the third comes, and at `us` the second goes for it. One may wait.
    let second = |record: &Record| {
        record.packet == 2 && !matches!(record.event, Event::Launched | Event::Offered { link: 0 })
    };
    let story = |us: u64| {
        pair()
            .without(second)
            .launched(0, 3)
            .note(0, 0, 3, Event::Offered { link: 0 })
            .note(us, 0, 2, Event::Dropped { link: 0 })
            .note(1000, 0, 3, Event::Started { link: 0 })
            .note(2000, 0, 3, Event::Sent { link: 0 })
            .note(12_000, 0, 3, Event::Arrived { link: 0 })
            .crosses(3, 1, [12_000, 12_000, 12_100, 13_100])
            .delivered(13_100, 3)
    };
    let pushes_out = Service { drops_late: true, ..Service::IN_ORDER };
    assert_eq!(story(0).breaks_with(pushes_out), NOTHING);
    assert_eq!(story(1).breaks_with(pushes_out), [Rule::QueueLimit]);
    // A queue that drops only what arrives may do neither.
    assert_eq!(story(0).breaks_with(Service::IN_ORDER)[0], Rule::QueueLimit);
    assert!(story(500).breaks_with(Service::IN_ORDER).contains(&Rule::Drop));
}

#[test]
fn a_shaper_may_pause_and_nobody_may_overtake_on_a_path() {
    // 10 ms pass before the second goes, though the link is free; then the third goes before the second.
    let moves = |record: &Record| !matches!(record.event, Event::Launched | Event::Offered { link: 0 });
    let late = || {
        pair().changed(|record| {
            record.time_ns += if record.packet == 2 && moves(record) { 10_000_000 } else { 0 }
        })
    };
    let shaper = Service { holds_back: true, ..Service::IN_ORDER };
    assert_eq!(late().breaks_with(shaper), NOTHING);
    assert_eq!(late().breaks_with(Service::IN_ORDER), [Rule::WorkConserving]);
    let third = late()
        .launched(0, 3)
        .crosses(3, 0, [0, 1000, 2000, 12_000])
        .crosses(3, 1, [12_000, 12_000, 12_100, 13_100])
        .delivered(13_100, 3);
    let fair = Service { overtakes: true, holds_back: true, drops_late: true, ..Service::IN_ORDER };
    let found = third.breaks_with(fair);
    assert!(found.contains(&Rule::QueueOrder) && found.contains(&Rule::DeliveryOrder), "{found:?}");
}

#[test]
fn limits_in_bytes_count_bytes() {
    let links = |most| [LinkFacts { capacity: Some(Capacity::Bytes(most)), ..links()[0].clone() }];
    assert!(Facts { links: &links(1500), paths: &[], agents: &[] }.fits(0, 3, 1500));
    assert!(!Facts { links: &links(1499), paths: &[], agents: &[] }.fits(0, 1, 1500));
}

#[test]
fn a_queue_with_room_drops_nothing() {
    let idle = Story::default().launched(0, 1).dropped(0, 1);
    assert_eq!(idle.breaks(), [Rule::Drop]);
    let room = pair().launched(1500, 3).dropped(1500, 3);
    assert_eq!(room.breaks(), [Rule::Drop]);
    let late = pair().launched(0, 3).dropped(0, 3).changed(|record| {
        record.time_ns += u64::from(record.event == Event::Dropped { link: 0 });
    });
    assert_eq!(late.breaks(), [Rule::Drop]);
}

#[test]
fn nodes_pass_on_what_arrives() {
    let held = Story::default()
        .launched(0, 1)
        .crosses(1, 0, [0, 0, 1000, 11_000])
        .crosses(1, 1, [11_500, 11_500, 11_600, 12_600])
        .delivered(12_600, 1);
    assert_eq!(held.breaks(), [Rule::HandOver]);
    let early = pair().changed(|record| record.time_ns -= u64::from(record.event == Event::Delivered));
    assert_eq!(early.breaks()[..2], [Rule::Route, Rule::TimeGoesOn]);
}

#[test]
fn deliveries_are_in_order() {
    // Both reach the end at once, so that only the order is wrong.
    let story = Story::default()
        .launched(0, 1)
        .launched(0, 2)
        .crosses(2, 1, [0, 0, 100, 1100])
        .crosses(1, 1, [0, 100, 200, 1200])
        .delivered(1100, 2)
        .delivered(1200, 1)
        .changed(|record| record.path = 1);
    assert_eq!(story.breaks(), [Rule::DeliveryOrder]);
}

#[test]
fn every_packet_is_accounted_for() {
    let vanished = pair().without(|record| record.packet == 2 && record.event == Event::Delivered);
    assert_eq!(vanished.breaks(), [Rule::Conservation]);
    // The path and the link each miss it.
    let swallowed = Story::default().launched(0, 1).note(0, 0, 1, Event::Offered { link: 0 });
    assert_eq!(swallowed.breaks(), [Rule::Conservation, Rule::Conservation]);
}

#[test]
fn what_a_late_decision_is_open_for_may_wait_at_the_end() {
    // The first packet has been sent, the second is being sent from 1000 to 2000 us, the third waits from 1200 us on.
    let breaks = |drops_late, end_us: u64| {
        let links = links().map(|link| LinkFacts { service: Service { drops_late, ..link.service }, ..link });
        let story = pair().launched(1200, 3).note(1200, 0, 3, Event::Offered { link: 0 });
        let mut trace = Trace::default();
        trace.records = story.records;
        let paths = [PathFacts { flow: "f".into(), backward: false, links: vec![0, 1] }];
        let found = verify(&trace, &links, &paths, &[], Time::from_nanos(end_us * 1000));
        found.into_iter().map(|violation| violation.rule).collect::<Vec<_>>()
    };
    assert_eq!(breaks(true, 1500), NOTHING);
    assert_eq!(breaks(false, 1500), [Rule::Conservation, Rule::Conservation], "decided at arrival");
    assert_eq!(breaks(true, 2500), [Rule::Conservation, Rule::Conservation], "the link is idle");
}

#[test]
fn the_replay_stops_after_so_many_violations() {
    let story = (1..1000).fold(Story::default(), |story, packet| story.delivered(packet, packet));
    assert_eq!(story.breaks().len(), MAX_VIOLATIONS);
}

#[test]
fn a_violation_names_link_flow_and_packet() {
    let mut trace = Trace::default();
    trace.records = pair().without(|record| record.event == Event::Started { link: 0 }).records;
    let paths = [PathFacts { flow: "f".into(), backward: false, links: vec![0, 1] }];
    let found = verify(&trace, &links(), &paths, &[], Time::from_seconds(0.05));
    let text = found[0].to_string();
    assert!(text.contains("flow f, packet 1, link slow"), "{text}");
    let json = serde_json::to_value(&found[0]).unwrap();
    assert_eq!((json["rule"].as_str(), json["time_ns"].as_u64()), (Some("route"), Some(1_000_000)));
}
