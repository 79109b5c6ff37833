use super::*;

fn receiver(delayed_ack: Option<Span>) -> Receiver {
    Receiver::new(ReceiverOptions {
        rules: Acknowledging {
            delayed_ack: delayed_ack.is_some(),
            delayed_ack_time: delayed_ack.unwrap_or_default(),
            dsack: true,
            ..Acknowledging::default()
        },
        sack: true,
        window: None,
        ecn: true,
        accurate_ecn: None,
    })
}

fn data(number: u64) -> Packet {
    Packet { number, bytes: 1000, stamp: Time::from_nanos(number), ..Packet::default() }
}

fn blocks(ack: &Packet) -> Vec<(u64, u64)> {
    let absolute = |block: &Block| (ack.number + u64::from(block.start), ack.number + u64::from(block.end));
    ack.sack.iter().filter(|block| block.start < block.end).map(absolute).collect()
}

fn on_data(receiver: &mut Receiver, packet: &Packet) -> Option<Packet> {
    receiver.take(Time::ZERO, packet).then(|| receiver.acknowledge(Time::ZERO))
}

fn receive(receiver: &mut Receiver, number: u64) -> Packet {
    on_data(receiver, &data(number)).expect("an acknowledgement at once")
}

#[test]
fn the_most_recent_block_comes_first() {
    let mut receiver = receiver(None);
    assert_eq!(receive(&mut receiver, 0).number, 1);
    assert_eq!(blocks(&receive(&mut receiver, 2)), [(2, 3)]);
    assert_eq!(blocks(&receive(&mut receiver, 5)), [(5, 6), (2, 3)]);
    assert_eq!(blocks(&receive(&mut receiver, 3)), [(2, 4), (5, 6)]);
    assert_eq!(blocks(&receive(&mut receiver, 8)), [(8, 9), (2, 4), (5, 6)]);
    assert_eq!(blocks(&receive(&mut receiver, 11)), [(11, 12), (8, 9), (2, 4)]);
    // Packet 4 joins the ranges 2..4 and 5..6.
    assert_eq!(blocks(&receive(&mut receiver, 4))[0], (2, 6));
}

#[test]
fn the_first_block_tells_of_a_packet_that_came_twice() {
    // RFC 2883 section 4: a duplicate below the cumulative acknowledgement, and one above it, which is
    // followed by its block.
    let mut receiver = receiver(None);
    for number in [0, 1, 2, 4, 5, 8] {
        let ack = receive(&mut receiver, number);
        assert_eq!(ack.duplicate(), None, "{ack:?}");
    }
    let below = receive(&mut receiver, 1);
    assert_eq!((below.duplicate(), blocks(&below)), (Some(1..2), vec![(8, 9), (4, 6)]));
    let above = receive(&mut receiver, 5);
    assert_eq!((above.duplicate(), blocks(&above)), (Some(5..6), vec![(5, 6), (4, 6), (8, 9)]));
    assert_eq!(receive(&mut receiver, 9).duplicate(), None, "once");
}

//= test RFC 5681 section 4.2 gap
#[test]
fn filling_the_hole_acknowledges_what_was_stored() {
    let mut receiver = receiver(None);
    for number in [1, 2, 4] {
        receive(&mut receiver, number);
    }
    let ack = receive(&mut receiver, 0);
    assert_eq!((ack.number, blocks(&ack)), (3, vec![(4, 5)]));
    assert_eq!(receive(&mut receiver, 3).number, 5);
    assert_eq!(receiver.delivered(), 5);
}

//= test RFC 5681 section 4.2 second
//= test RFC 5681 section 4.2 out-of-order
#[test]
fn every_second_packet_is_acknowledged_when_acknowledgements_are_delayed() {
    let mut receiver = receiver(Some(Span::from_millis(200)));
    assert_eq!(on_data(&mut receiver, &data(0)), None);
    assert_eq!(receiver.timer(), Time::from_seconds(0.2));
    let ack = on_data(&mut receiver, &data(1)).unwrap();
    assert_eq!((ack.number, ack.stamp, receiver.timer()), (2, Time::from_nanos(0), Time::NEVER));
    assert_eq!(on_data(&mut receiver, &data(2)), None);
    assert_eq!(receiver.acknowledge(Time::ZERO).number, 3);
    assert_eq!(receive(&mut receiver, 4).number, 3, "out of order: at once");
    assert_eq!(receive(&mut receiver, 3).number, 5, "fills a hole: at once");
}

#[test]
fn quick_acknowledgements_follow_the_start_and_a_duplicate() {
    let mut options = receiver(Some(Span::from_millis(40))).options;
    options.rules.quick_acks = 3;
    let mut receiver = Receiver::new(options);
    let mut answered = |numbers: std::ops::Range<u64>| -> Vec<bool> {
        numbers.map(|number| on_data(&mut receiver, &data(number)).is_some()).collect()
    };
    assert_eq!(answered(0..7), [true, true, true, false, true, false, true]);
    // The fifth packet arrives again. It is acknowledged at once, and so are the next two.
    assert_eq!(answered(4..5), [true]);
    assert_eq!(answered(7..12), [true, true, false, true, false]);
}

#[test]
fn a_tuned_window_is_advertised() {
    let bounds = WindowBounds { initial: 45, most: 2172, initial_bytes: 65_536, packet_bytes: 1448 };
    let mut receiver = Receiver::new(ReceiverOptions { window: Some(bounds), ..receiver(None).options });
    assert_eq!(receive(&mut receiver, 0).window, 47, "a packet opens it by two");
}

#[test]
fn a_packet_that_opens_the_window_is_acknowledged_at_once() {
    let bounds = WindowBounds { initial: 45, most: 2172, initial_bytes: 65_536, packet_bytes: 1448 };
    let delayed = receiver(Some(Span::from_millis(40))).options;
    let answers = |quick_acks| {
        let rules = Acknowledging { quick_acks, ..delayed.rules };
        let mut receiver = Receiver::new(ReceiverOptions { rules, window: Some(bounds), ..delayed });
        (0..9).map(|number| on_data(&mut receiver, &data(number)).is_some()).collect::<Vec<_>>()
    };
    // Six packets open the window from 45 to 45 * 160 / 128 = 56 packets.
    assert_eq!(answers(1), [true, true, true, true, true, true, false, true, false]);
    assert_eq!(answers(0), [false, true, false, true, false, true, false, true, false]);
}

#[test]
fn each_acknowledgement_tells_how_many_packets_were_marked() {
    let mut receiver = receiver(Some(Span::from_millis(200)));
    let mut marks = Vec::new();
    for number in 0..6 {
        let flags = if number == 2 { Flags::default() } else { Flags::CONGESTION_EXPERIENCED };
        let ack = on_data(&mut receiver, &Packet { flags, ..data(number) });
        marks.extend(ack.map(|ack| ack.count));
    }
    assert_eq!(marks, [2, 3, 5]);
}

#[test]
fn marks_are_echoed_until_the_sender_says_it_has_slowed_down() {
    let mut receiver = receiver(None);
    let mut marked = data(0);
    marked.flags = Flags::CONGESTION_EXPERIENCED;
    assert!(on_data(&mut receiver, &marked).unwrap().flags.has(Flags::CONGESTION_ECHO));
    assert!(receive(&mut receiver, 1).flags.has(Flags::CONGESTION_ECHO));
    let mut reduced = data(2);
    reduced.flags = Flags::WINDOW_REDUCED;
    assert!(!on_data(&mut receiver, &reduced).unwrap().flags.has(Flags::CONGESTION_ECHO));
}
