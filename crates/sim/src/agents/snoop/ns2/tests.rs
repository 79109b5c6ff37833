//! The rules of ns-2's agent, packet by packet: the actions of its source code, derived by hand.

use super::*;
use crate::agents::snoop::ENTRY;
use crate::agents::snoop::tests::{Talk, parameters};
use proptest::prelude::*;

fn talk(settings: &[(&str, &str)]) -> Talk<Snoop> {
    Talk::of(Box::new(Snoop::new(parameters(settings))))
}

fn ms(ms: u64) -> Span {
    Span::from_millis(ms)
}

/// Advances the time to that of the timer, and lets the timer expire.
fn expire(talk: &mut Talk<Snoop>) {
    talk.now = talk.snoop.timer();
    talk.snoop.on_timer(talk.now, &mut talk.sent);
}

#[test]
fn the_first_duplicate_passes_and_the_second_sends() {
    // Of packets 0 to 9, packet 3 is lost: 4 to 9 cause six duplicates.
    let mut talk = talk(&[]);
    talk.data(0..10);
    assert!(talk.ack(1) && talk.ack(2) && talk.ack(3));
    assert!(talk.ack(3));
    assert_eq!(talk.sent(), []);
    assert!(!talk.ack(3));
    assert_eq!(talk.sent(), [(Direction::Forward, 3)]);
    // Seven packets are cached and two duplicates have come: five are expected, one more than will come.
    assert_eq!(talk.snoop.expected, 5);
    assert!((0..4).all(|_| !talk.ack(3)));
    assert!(talk.ack(10));
    assert_eq!((talk.snoop.cache.len(), talk.sent()), (0, vec![]));
    assert_eq!(talk.snoop.counts(), AgentCounts { sent: 1, ended: 5 });
}

#[test]
fn a_single_duplicate_counts_for_the_next_packet() {
    let mut talk = talk(&[]);
    talk.data(0..3);
    assert!(talk.ack(1) && talk.ack(1));
    // Packet 1 was only late, so no second duplicate of it came. The first duplicate of 3 counts as the
    // second.
    assert!(talk.ack(3));
    talk.data(3..6);
    assert!(!talk.ack(3));
    assert_eq!(talk.sent(), [(Direction::Forward, 3)]);
}

#[test]
fn a_retransmission_that_is_lost_waits_for_the_timer() {
    let mut talk = talk(&[]);
    talk.data(0..10);
    assert!(talk.ack(3) && talk.ack(3));
    assert!((0..5).all(|_| !talk.ack(3)));
    assert_eq!(talk.sent(), [(Direction::Forward, 3)]);
    // Packet 3 is lost again, and 10 to 12 arrive. One duplicate is still expected; those after it continue,
    // and cause no retransmission.
    talk.data(10..13);
    assert!(!talk.ack(3));
    assert!(talk.ack(3) && talk.ack(3));
    assert_eq!(talk.sent(), []);
    // The last duplicate counted as a second one. Packets 3 to 12 are cached; without the first, and less two
    // duplicates that continued, 9 - 2 = 7 more are expected, and removed.
    assert_eq!(talk.snoop.expected, 7);
    assert!(!talk.ack(3));
    expire(&mut talk);
    assert_eq!(talk.sent(), [(Direction::Forward, 3)]);
}

#[test]
fn an_unexpected_duplicate_causes_a_second_retransmission() {
    // Only packet 2 is cached. After two duplicates the number still expected is one cached packet less two
    // duplicates, -1.
    let mut talk = talk(&[]);
    talk.data(0..3);
    assert!(talk.ack(2) && talk.ack(2) && !talk.ack(2));
    assert_eq!((talk.snoop.expected, talk.sent()), (-1, vec![(Direction::Forward, 2)]));
    assert!(!talk.ack(2));
    assert_eq!(talk.sent(), [(Direction::Forward, 2)]);
    assert!(talk.ack(2));
    assert_eq!(talk.sent(), []);
}

#[test]
fn packets_that_the_sender_retransmits_are_left_to_the_sender() {
    let mut talk = talk(&[]);
    talk.data(0..5);
    assert!(talk.ack(1) && talk.ack(1) && !talk.ack(1));
    assert_eq!(talk.sent(), [(Direction::Forward, 1)]);
    let timer = talk.snoop.timer();
    talk.data(1..2);
    assert!(talk.snoop.timer() > timer);
    // Packets 1 to 4 are cached and two duplicates have come, so 4 - 2 more are expected and removed. All
    // later ones continue.
    assert!(!talk.ack(1) && !talk.ack(1));
    assert!((0..4).all(|_| talk.ack(1)));
    assert_eq!(talk.sent(), []);
    // The timer still retransmits the packet.
    expire(&mut talk);
    assert_eq!(talk.sent(), [(Direction::Forward, 1)]);
}

#[test]
fn a_late_packet_is_left_to_the_sender_if_it_becomes_the_first() {
    for (acked_before, sent) in [(true, vec![]), (false, vec![(Direction::Forward, 1)])] {
        let mut talk = talk(&[]);
        talk.data(0..1);
        if acked_before {
            assert!(talk.ack(1));
        }
        talk.data(2..4);
        talk.data(1..2);
        if !acked_before {
            assert!(talk.ack(1));
        }
        assert!(talk.ack(1));
        assert_eq!(talk.ack(1), acked_before);
        assert_eq!(talk.sent(), sent);
    }
}

#[test]
fn old_packets_continue() {
    let mut talk = talk(&[]);
    talk.data(0..3);
    assert!(talk.ack(3));
    assert!(talk.pass(Direction::Forward, 0) && talk.pass(Direction::Backward, 1));
    assert_eq!((talk.snoop.cache.len(), talk.sent()), (0, vec![]));
}

#[test]
fn the_timer_sends_ten_times() {
    let mut talk = talk(&[]);
    talk.data(0..2);
    // No round trip is known, so the timeout is 0.1 s + 4 * 0.25 s = 1.1 s.
    let mut due = Time::from_nanos(1_001_000_000);
    for _ in 0..10 {
        due += ms(1100);
        assert_eq!(talk.snoop.timer(), due);
        expire(&mut talk);
        assert_eq!(talk.sent(), [(Direction::Forward, 0)]);
    }
    expire(&mut talk);
    assert_eq!((talk.snoop.timer(), talk.sent()), (Time::NEVER, vec![]));
    assert!((0..5).all(|_| talk.ack(0)));
    // The sender's retransmission continues, and the timer starts again.
    talk.data(0..1);
    expire(&mut talk);
    assert_eq!(talk.sent(), [(Direction::Forward, 0)]);
}

#[test]
fn the_timer_follows_the_last_sample() {
    let mut talk = talk(&[]);
    talk.data(0..2);
    talk.now += ms(198);
    // The sample is 200 ms: the estimate is 0.1 / 8 + 7 * 0.2 / 8 = 187.5 ms, and its deviation 12.5 / 8 + 7
    // * 250 / 8 = 220.3125 ms. The timer that this acknowledgement starts uses the estimate before it.
    assert!(talk.ack(1));
    assert_eq!(talk.snoop.timer(), talk.now + ms(1100));
    assert!(talk.ack(2));
    assert_eq!(talk.snoop.timer(), Time::NEVER);
    // The sample is 200 ms again: the estimate is 187.5 / 8 + 7 * 200 / 8 = 198.4375 ms, and its deviation
    // 1.5625 / 8 + 7 * 220.3125 / 8 = 192.96875 ms.
    talk.data(2..3);
    assert_eq!(talk.snoop.timer(), talk.now + Span::from_nanos(198_437_500 + 4 * 192_968_750));
}

#[test]
fn the_timeout_is_not_below_its_minimum() {
    let mut talk = talk(&[]);
    for number in 0..60 {
        talk.data(number..number + 1);
        assert!(talk.ack(number + 1));
    }
    talk.data(60..61);
    assert_eq!(talk.snoop.timer(), talk.now + ms(100));
}

#[test]
fn a_retransmitted_packet_is_timed_from_its_retransmission() {
    // The acknowledgement comes 1.1 s after the packet was first sent, and 1 ms after its retransmission: the
    // sample is 1 ms, the estimate (100 + 7 * 1) / 8 = 13.375 ms, and its deviation (12.375 + 7 * 250) / 8
    // ms.
    let mut talk = talk(&[]);
    talk.data(0..1);
    expire(&mut talk);
    assert!(talk.ack(1));
    talk.data(1..2);
    assert_eq!(talk.snoop.timer(), talk.now + Span::from_nanos(13_375_000 + 4 * 220_296_875));
}

#[test]
fn a_full_cache_keeps_what_it_has() {
    let mut talk = talk(&[("cache", "3 packets")]);
    talk.data(0..6);
    assert_eq!(talk.snoop.cache.len(), 3);
    assert!(talk.ack(3) && (0..4).all(|_| talk.ack(3)));
    assert_eq!(talk.sent(), []);
}

#[test]
fn a_new_connection_keeps_only_the_round_trip_estimate() {
    let mut talk = talk(&[]);
    talk.data(0..5);
    assert!(talk.ack(4));
    let srtt_s = talk.snoop.srtt_s;
    let first = Packet { connection: 1, ..Packet::default() };
    assert!(talk.snoop.on_packet(talk.now, Direction::Forward, &first, &mut talk.sent) == Passage::Passes);
    assert_eq!((talk.snoop.cache.len(), talk.snoop.acked, talk.snoop.srtt_s), (1, 0, srtt_s));
    assert!(talk.ack(5), "an acknowledgement of the connection before");
}

#[test]
fn the_agent_of_a_scenario_follows_the_rules_that_it_names() {
    for (rules, passes) in [("published", false), ("ns2", true)] {
        let values = ackclock_base::Values::with(ENTRY.descriptor, &[("rules", rules)]);
        let mut talk = Talk::of((ENTRY.build)(&values));
        talk.data(0..3);
        assert!(talk.ack(1));
        assert_eq!(talk.ack(1), passes, "{rules}");
    }
}

proptest! {
    /// For any sequence of packets, the agent sends no packet that the sender has not sent or that is
    /// acknowledged, and none more than ten times without a retransmission by the sender in between.
    #[test]
    fn attempts_are_bounded(steps in prop::collection::vec((0_u8..4, 0_u64..30, 1_u64..400), 1..400)) {
        let mut talk = talk(&[("cache", "12 packets")]);
        let mut attempts = [None; 30];
        for (what, number, wait) in steps {
            talk.now += ms(wait);
            if talk.snoop.timer() <= talk.now {
                talk.snoop.on_timer(talk.now, &mut talk.sent);
            } else if what < 2 {
                prop_assert!(talk.pass(Direction::Forward, number));
                attempts[number as usize] = Some(0);
            } else {
                talk.pass(Direction::Backward, number);
            }
            prop_assert!(talk.snoop.timer() >= talk.now);
            for (direction, number) in talk.sent() {
                prop_assert_eq!(direction, Direction::Forward);
                prop_assert!(number >= talk.snoop.acked);
                let attempts = attempts[number as usize].as_mut().expect("a packet that came");
                *attempts += 1;
                prop_assert!(*attempts <= 10, "{number}");
            }
            prop_assert!(talk.snoop.cache.len() <= 12);
        }
    }
}
