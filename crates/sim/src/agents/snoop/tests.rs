//! The agent between a sender and a mobile, packet by packet.

use super::*;
use crate::packet::Extension;
use proptest::prelude::*;

/// What the agent sends.
#[derive(Default)]
pub(super) struct Sent(Vec<(Way, u64)>);

impl Node for Sent {
    fn send(&mut self, way: Way, packet: Packet) {
        self.0.push((way, Segment::head(&packet).number));
    }

    fn send_extended(&mut self, way: Way, packet: Packet, _: Extension) {
        self.send(way, packet);
    }

    fn extension(&self) -> Extension {
        Extension::default()
    }
}

/// An agent, and what has happened.
pub(super) struct Talk<A: ?Sized = Snoop> {
    pub(super) snoop: Box<A>,
    pub(super) now: Time,
    pub(super) sent: Sent,
}

pub(super) fn parameters(settings: &[(&str, &str)]) -> Parameters {
    (&ackclock_base::Values::with(ENTRY.descriptor, settings)).into()
}

impl Talk {
    fn with(settings: &[(&str, &str)]) -> Self {
        Self::of(Box::new(Snoop::new(parameters(settings))))
    }
}

impl<A: Agent + ?Sized> Talk<A> {
    pub(super) fn of(snoop: Box<A>) -> Self {
        Self { snoop, now: Time::from_seconds(1.0), sent: Sent::default() }
    }

    pub(super) fn pass(&mut self, way: Way, number: u64) -> bool {
        let packet = Packet { bytes: 1000, header: [number, 7, 0], ..Packet::default() };
        self.snoop.on_packet(self.now, way, &packet, &mut self.sent) == Passage::Passes
    }

    /// Data with these numbers, a millisecond each; all go on.
    pub(super) fn data(&mut self, numbers: std::ops::Range<u64>) {
        for number in numbers {
            self.now += Span::from_millis(1);
            assert!(self.pass(Way::There, number), "{number}");
        }
    }

    pub(super) fn ack(&mut self, number: u64) -> bool {
        self.now += Span::from_millis(1);
        self.pass(Way::Back, number)
    }

    pub(super) fn sent(&mut self) -> Vec<(Way, u64)> {
        std::mem::take(&mut self.sent.0)
    }
}

#[test]
fn the_first_duplicate_sends_again_and_none_reaches_the_sender() {
    // Of 0 to 9 packet 3 is lost: the mobile acknowledges 1, 2, 3 and then 3 six times more, for 4 to 9.
    let mut talk = Talk::with(&[]);
    talk.data(0..10);
    assert!(talk.ack(1) && talk.ack(2) && talk.ack(3));
    assert!((0..6).all(|_| !talk.ack(3)));
    assert_eq!(talk.sent(), [(Way::There, 3)]);
    // It arrives, and all that came out of order is acknowledged.
    assert!(talk.ack(10));
    assert_eq!((talk.snoop.cache.len(), talk.sent()), (0, vec![]));
    assert_eq!(talk.snoop.counts(), AgentCounts { sent: 1, ended: 6 });
}

#[test]
fn one_duplicate_more_than_packets_went_means_that_it_was_lost_again() {
    let mut talk = Talk::with(&[]);
    talk.data(0..5);
    assert!(talk.ack(1));
    // 2, 3 and 4 cause three duplicates of 1; what the agent sends is lost. 5 and 6 follow: the first of them tells of that, and
    // there are five packets now that went after 1, of which one has just asked.
    assert!((0..3).all(|_| !talk.ack(1)));
    talk.data(5..7);
    assert!(!talk.ack(1));
    assert_eq!(talk.sent(), [(Way::There, 1), (Way::There, 1)]);
    assert_eq!(talk.snoop.expected, 4);
}

#[test]
fn it_gives_up_after_ten_and_lets_the_sender_know() {
    let mut talk = Talk::with(&[]);
    talk.data(0..2);
    // Nothing comes back. 100 ms after it went on, the first packet is sent again, and so every 100 ms.
    let mut went = Time::from_nanos(1_001_000_000);
    for attempt in 1..=10 {
        assert_eq!(talk.snoop.timer(), went + Span::from_millis(100), "{attempt}");
        went = talk.snoop.timer();
        talk.now = went;
        talk.snoop.on_timer(talk.now, &mut talk.sent);
        assert_eq!(talk.sent(), [(Way::There, 0)]);
    }
    assert_eq!(talk.snoop.timer(), Time::NEVER);
    // Duplicates of it go through from now on.
    assert!(talk.ack(0) && talk.ack(0));
    assert_eq!(talk.sent(), []);
    // The sender sends it again: that goes on, and the agent is back.
    talk.data(0..1);
    assert!(!talk.ack(0));
    assert_eq!(talk.sent(), [(Way::There, 0)]);
    assert!(talk.ack(2));
    talk.data(2..4);
    assert!(talk.ack(3) && !talk.ack(3));
}

#[test]
fn what_was_lost_before_it_came_here_is_the_senders() {
    // 2 is lost before it comes here: it comes after 3, so duplicates of it pass, before it comes and after.
    let mut talk = Talk::with(&[]);
    talk.data(0..2);
    talk.data(3..6);
    assert!(talk.ack(2) && talk.ack(2) && talk.ack(2));
    talk.data(2..3);
    assert!(talk.ack(2));
    assert_eq!(talk.sent(), []);
    assert!(talk.ack(6));
}

#[test]
fn what_the_mobile_has_ends_here_and_is_acknowledged_again() {
    let mut talk = Talk::with(&[]);
    talk.data(0..3);
    assert!(talk.ack(3));
    // The acknowledgement was lost on the way: the sender sends 0 again.
    assert!(!talk.pass(Way::There, 0));
    assert_eq!(talk.sent(), [(Way::Back, 3)]);
}

#[test]
fn the_timer_follows_the_round_trip() {
    // Samples of 200 ms: the timeout is 200 ms and four deviations, which begin at 100 ms: 600 ms after the first.
    let mut talk = Talk::with(&[]);
    talk.data(0..1);
    talk.now += Span::from_millis(199);
    assert!(talk.ack(1));
    talk.data(1..2);
    assert_eq!(talk.snoop.timer(), talk.now + Span::from_millis(600));
}

#[test]
fn the_timer_also_sends_what_came_late() {
    // 1 comes after 2: it is the sender's. Nothing comes back: the timeout is the least, 100 ms, and 99 later it is not over.
    let mut talk = Talk::with(&[]);
    talk.data(0..1);
    talk.data(2..3);
    assert!(talk.ack(1));
    talk.data(1..2);
    for (wait, sent) in [(99, vec![]), (1, vec![(Way::There, 1)])] {
        talk.now += Span::from_millis(wait);
        talk.snoop.on_timer(talk.now, &mut talk.sent);
        assert_eq!(talk.sent(), sent);
    }
    // Its duplicates pass all the same.
    assert!(talk.ack(1));
}

#[test]
fn a_full_cache_keeps_what_it_has() {
    let mut talk = Talk::with(&[("cache", "3 packets")]);
    talk.data(0..6);
    assert_eq!(talk.snoop.cache.len(), 3);
    // 0 to 2 arrive; 3 is not kept, so its duplicates are the sender's.
    assert!(talk.ack(3) && talk.ack(3));
    assert_eq!(talk.sent(), []);
}

#[test]
fn a_new_connection_begins_anew() {
    let mut talk = Talk::with(&[]);
    talk.data(0..5);
    assert!(talk.ack(4));
    let syn = Packet { header: [0, 0, 32 << 56], connection: 1, ..Packet::default() };
    assert!(talk.snoop.on_packet(talk.now, Way::There, &syn, &mut talk.sent) == Passage::Passes);
    let first = Packet { connection: 1, ..Packet::default() };
    assert!(talk.snoop.on_packet(talk.now, Way::There, &first, &mut talk.sent) == Passage::Passes);
    assert_eq!((talk.snoop.cache.len(), talk.snoop.acked.number), (1, 0));
    assert!(talk.ack(5), "of the connection before: not ours");
}

proptest! {
    /// Whatever comes: acknowledgements that go on never fall back, and no packet is sent from here more than ten times
    /// without the sender having sent it once more.
    #[test]
    fn acknowledgements_leave_in_order_and_attempts_are_bounded(
        steps in prop::collection::vec((0_u8..4, 0_u64..30, 1_u64..400), 1..400)
    ) {
        let mut talk = Talk::with(&[("cache", "12 packets")]);
        let (mut last, mut times) = (0, [0_u32; 40]);
        for (what, number, ms) in steps {
            talk.now += Span::from_millis(ms);
            let timer = talk.snoop.timer();
            prop_assert!(timer == Time::NEVER || timer.since(Time::from_seconds(0.9)) > Span::ZERO);
            if timer <= talk.now {
                talk.snoop.on_timer(talk.now, &mut talk.sent);
            }
            // What the timer sends is an attempt before what comes now.
            for (_, number) in talk.sent() {
                times[number as usize] += 1;
                prop_assert!(times[number as usize] <= 10, "{number}");
            }
            match what {
                0 | 1 => {
                    if talk.pass(Way::There, number) {
                        times[number as usize] = 0;
                    }
                }
                _ => {
                    if talk.pass(Way::Back, number) {
                        prop_assert!(number >= last, "{number} after {last}");
                        last = number;
                    }
                }
            }
            for (way, number) in talk.sent() {
                match way {
                    Way::There => {
                        times[number as usize] += 1;
                        prop_assert!(times[number as usize] <= 10, "{number}");
                    }
                    Way::Back => prop_assert_eq!(number, last),
                }
            }
            prop_assert!(talk.snoop.cache.len() <= 12);
        }
    }
}
