//! Traces written by hand, each with the laws that it breaks.

mod agents;
mod copies;
mod dependencies;
mod queues;
mod shared;
mod story;

use super::*;
use story::{NOTHING, Story, network, pair};

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
        .note(21_000, 0, 5, Event::Corrupted { link: 0 })
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
fn the_time_of_a_packet_does_not_go_back() {
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
fn nodes_pass_on_arriving_packets() {
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
fn a_packet_whose_fate_is_decided_at_departure_may_wait_at_the_end() {
    // The first packet has been sent, the second is being sent from 1000 to 2000 us, the third waits from 1200 us on.
    let breaks = |drops_late, end_us: u64| {
        let mut network = network();
        network.links.iter_mut().for_each(|link| link.service.drops_late = drops_late);
        let story = pair().launched(1200, 3).note(1200, 0, 3, Event::Offered { link: 0 });
        let found = verify(&story.records, &network, Time::from_nanos(end_us * 1000));
        found.into_iter().map(|violation| violation.rule).collect::<Vec<_>>()
    };
    assert_eq!(breaks(true, 1500), NOTHING);
    assert_eq!(breaks(false, 1500), [Rule::Conservation, Rule::Conservation], "decided at arrival");
    assert_eq!(breaks(true, 2500), [Rule::Conservation, Rule::Conservation], "the link is idle");
}

#[test]
fn the_replay_stops_after_a_hundred_violations() {
    let story = (1..1000).fold(Story::default(), |story, packet| story.delivered(packet, packet));
    assert_eq!(story.breaks().len(), MAX_VIOLATIONS);
}

#[test]
fn a_violation_names_link_flow_and_packet() {
    let story = pair().without(|record| record.event == Event::Started { link: 0 });
    let found = story.violations_on(&network());
    let text = found[0].to_string();
    assert!(text.contains("flow f, packet 1, link slow"), "{text}");
    let json = serde_json::to_value(&found[0]).unwrap();
    assert_eq!((json["rule"].as_str(), json["time_ns"].as_u64()), (Some("route"), Some(1_000_000)));
}
