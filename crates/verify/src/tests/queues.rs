//! Traces written by hand that break laws of a queue and its transmitter.

use super::story::{NOTHING, Story, network, pair};
use crate::{LinkFacts, NetworkFacts, QueueLimit, Rule, SendingRate, ServiceRules, verify};
use ackclock_base::trace::{Event, Record};
use ackclock_base::{Rate, Time};

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
fn a_link_with_waiting_packets_sends() {
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
    // One packet may wait, and two do.
    let story = pair()
        .launched(0, 3)
        .crosses(3, 0, [0, 2000, 3000, 13_000])
        .crosses(3, 1, [13_000, 13_000, 13_100, 14_100])
        .delivered(14_100, 3);
    assert_eq!(story.breaks(), [Rule::QueueLimit]);
}

#[test]
fn a_queue_may_make_room_for_a_newcomer_at_the_same_instant() {
    // The second waits, the third comes, and at `us` the second is dropped for it. One packet may wait.
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
    let pushes_out = ServiceRules { drops_late: true, ..ServiceRules::default() };
    assert_eq!(story(0).breaks_with(pushes_out), NOTHING);
    assert_eq!(story(1).breaks_with(pushes_out), [Rule::QueueLimit]);
    // A queue that drops only arriving packets may do neither.
    assert_eq!(story(0).breaks_with(ServiceRules::default())[0], Rule::QueueLimit);
    assert!(story(500).breaks_with(ServiceRules::default()).contains(&Rule::Drop));
}

#[test]
fn a_shaper_may_pause_and_packets_of_one_path_keep_their_order() {
    // 10 ms pass before the second goes, though the link is free; then the third goes before the second.
    let moves = |record: &Record| !matches!(record.event, Event::Launched | Event::Offered { link: 0 });
    let late = || {
        pair().changed(|record| {
            record.time_ns += if record.packet == 2 && moves(record) { 10_000_000 } else { 0 }
        })
    };
    let shaper = ServiceRules { holds_back: true, ..ServiceRules::default() };
    assert_eq!(late().breaks_with(shaper), NOTHING);
    assert_eq!(late().breaks_with(ServiceRules::default()), [Rule::WorkConserving]);
    let third = late()
        .launched(0, 3)
        .crosses(3, 0, [0, 1000, 2000, 12_000])
        .crosses(3, 1, [12_000, 12_000, 12_100, 13_100])
        .delivered(13_100, 3);
    let fair =
        ServiceRules { overtakes: true, holds_back: true, drops_late: true, ..ServiceRules::default() };
    let found = third.breaks_with(fair);
    assert!(found.contains(&Rule::QueueOrder) && found.contains(&Rule::DeliveryOrder), "{found:?}");
}

/// Returns the laws broken by four packets of path 0 that leave the second link in this order. All have crossed the first link
/// when the transmission of packet 1 ends on the second, which sends a packet in 10 ms; the queue of the first link may mark
/// if `marks`.
fn leaving_in_the_order(order: [u64; 3], marks: bool) -> Vec<Rule> {
    let mut network = network();
    network.links[0].limit = None;
    network.links[0].service = ServiceRules { drops_only_when_full: !marks, ..ServiceRules::default() };
    network.links[1].rate = SendingRate::Constant(Rate::from_bits_per_second(800_000));
    network.links[1].service =
        ServiceRules { drops_late: true, overtakes: true, queues_by_ecn: true, ..ServiceRules::default() };
    let at_second = |packet: u64| 10_000 + 1000 * packet;
    let mut story = Story::default();
    for packet in 1..=4 {
        story = story.launched(0, packet).crosses(
            packet,
            0,
            [0, 1000 * (packet - 1), 1000 * packet, at_second(packet)],
        );
    }
    for (packet, starts) in [1].into_iter().chain(order).zip([11_000, 21_000, 31_000, 41_000]) {
        let [sent, arrives] = [starts + 10_000, starts + 11_000];
        story =
            story.crosses(packet, 1, [at_second(packet), starts, sent, arrives]).delivered(arrives, packet);
    }
    verify(&story.records, &network, Time::from_seconds(0.06)).into_iter().map(|found| found.rule).collect()
}

#[test]
fn a_marked_packet_may_overtake_its_path_in_two_queues_and_each_queue_keeps_its_order() {
    // RFC 9332 section 2.4: a packet that an earlier link has marked joins the low-latency queue. Packets 2 and 3 wait in one
    // queue and 4 in the other, or 2 in one and 3 and 4 in the other.
    for order in [[2, 3, 4], [4, 2, 3], [2, 4, 3], [3, 2, 4], [3, 4, 2]] {
        assert_eq!(leaving_in_the_order(order, true), NOTHING, "{order:?}");
    }
    // Of three packets in reverse order two were in one queue.
    assert!(leaving_in_the_order([4, 3, 2], true).contains(&Rule::QueueOrder));
    // Without a mark the ECN fields of a path are alike.
    for order in [[4, 2, 3], [3, 2, 4]] {
        let found = leaving_in_the_order(order, false);
        assert!(found.contains(&Rule::QueueOrder) && found.contains(&Rule::DeliveryOrder), "{found:?}");
    }
}

#[test]
fn limits_in_bytes_count_bytes() {
    let with = |most| {
        let link = LinkFacts { limit: Some(QueueLimit::Bytes(most)), ..network().links[0].clone() };
        NetworkFacts { links: vec![link], ..NetworkFacts::default() }
    };
    assert!(with(1500).fits(0, 3, 1500));
    assert!(!with(1499).fits(0, 1, 1500));
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
