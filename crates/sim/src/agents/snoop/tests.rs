//! The agent between a sender and a mobile, packet by packet.

use super::*;
use crate::packet::Extension;
use proptest::prelude::*;

/// A node that records the packets of the agent.
#[derive(Default)]
pub(super) struct Sent(Vec<(Direction, u64)>);

impl Node for Sent {
    fn send(&mut self, direction: Direction, packet: Packet) {
        self.0.push((direction, Segment::head(&packet).number));
    }

    fn send_extended(&mut self, direction: Direction, packet: Packet, _: Extension) {
        self.send(direction, packet);
    }

    fn extension(&self) -> Extension {
        Extension::default()
    }
}

/// An agent, and the packets that it has sent.
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

    pub(super) fn pass(&mut self, direction: Direction, number: u64) -> bool {
        let packet = Packet { bytes: 1000, header: [number, 7, 0], ..Packet::default() };
        self.snoop.on_packet(self.now, direction, &packet, &mut self.sent) == Passage::Passes
    }

    /// Hands the agent data packets with these numbers, one per millisecond, and checks that all continue.
    pub(super) fn data(&mut self, numbers: std::ops::Range<u64>) {
        for number in numbers {
            self.now += Span::from_millis(1);
            assert!(self.pass(Direction::Forward, number), "{number}");
        }
    }

    pub(super) fn ack(&mut self, number: u64) -> bool {
        self.now += Span::from_millis(1);
        self.pass(Direction::Backward, number)
    }

    pub(super) fn sent(&mut self) -> Vec<(Direction, u64)> {
        std::mem::take(&mut self.sent.0)
    }
}

#[test]
fn the_first_duplicate_causes_a_retransmission_and_none_reaches_the_sender() {
    // Of packets 0 to 9, packet 3 is lost: the mobile acknowledges 1, 2, 3, and then 3 six more times, for 4
    // to 9.
    let mut talk = Talk::with(&[]);
    talk.data(0..10);
    assert!(talk.ack(1) && talk.ack(2) && talk.ack(3));
    assert!((0..6).all(|_| !talk.ack(3)));
    assert_eq!(talk.sent(), [(Direction::Forward, 3)]);
    // The retransmission arrives, and all packets received out of order are acknowledged.
    assert!(talk.ack(10));
    assert_eq!((talk.snoop.cache.len(), talk.sent()), (0, vec![]));
    assert_eq!(talk.snoop.counts(), AgentCounts { sent: 1, ended: 6 });
}

#[test]
fn an_additional_duplicate_means_that_the_retransmission_was_lost() {
    let mut talk = Talk::with(&[]);
    talk.data(0..5);
    assert!(talk.ack(1));
    // Packets 2, 3 and 4 cause three duplicates of 1, and the agent's retransmission is lost. Packets 5 and 6
    // follow, and the duplicate that 5 causes, the fourth, shows the loss. Five packets have now been sent
    // after 1, so the fifth duplicate, that of 6, shows nothing. If the second retransmission is lost too, the
    // duplicate that 7 causes shows it.
    assert!((0..3).all(|_| !talk.ack(1)));
    talk.data(5..7);
    assert!(!talk.ack(1));
    assert_eq!(talk.sent(), [(Direction::Forward, 1), (Direction::Forward, 1)]);
    assert_eq!(talk.snoop.expected, 5);
    talk.data(7..8);
    assert!(!talk.ack(1));
    assert_eq!(talk.sent(), []);
    assert!(!talk.ack(1));
    assert_eq!(talk.sent(), [(Direction::Forward, 1)]);
}

#[test]
fn after_the_timer_each_packet_sent_later_may_cause_a_duplicate() {
    // The timer retransmits packet 0. Packets 1 and 2 reach the mobile only after that: their duplicates say
    // nothing about the retransmission, and that of packet 3 does.
    let mut talk = Talk::with(&[]);
    talk.data(0..3);
    talk.now += Span::from_millis(100);
    talk.snoop.on_timer(talk.now, &mut talk.sent);
    assert_eq!(talk.sent(), [(Direction::Forward, 0)]);
    talk.data(3..4);
    assert!(!talk.ack(0) && !talk.ack(0));
    assert_eq!(talk.sent(), []);
    assert!(!talk.ack(0));
    assert_eq!(talk.sent(), [(Direction::Forward, 0)]);
}

#[test]
fn after_ten_retransmissions_duplicates_reach_the_sender() {
    let mut talk = Talk::with(&[]);
    talk.data(0..2);
    // No acknowledgement comes back. The first packet is retransmitted 100 ms after it was sent on, and every
    // 100 ms after that.
    let mut went = Time::from_nanos(1_001_000_000);
    for attempt in 1..=10 {
        assert_eq!(talk.snoop.timer(), went + Span::from_millis(100), "{attempt}");
        went = talk.snoop.timer();
        talk.now = went;
        talk.snoop.on_timer(talk.now, &mut talk.sent);
        assert_eq!(talk.sent(), [(Direction::Forward, 0)]);
    }
    assert_eq!(talk.snoop.timer(), Time::NEVER);
    // Duplicates of the packet continue from now on.
    assert!(talk.ack(0) && talk.ack(0));
    assert_eq!(talk.sent(), []);
    // The sender's retransmission continues, and the agent acts again.
    talk.data(0..1);
    assert!(!talk.ack(0));
    assert_eq!(talk.sent(), [(Direction::Forward, 0)]);
    assert!(talk.ack(2));
    talk.data(2..4);
    assert!(talk.ack(3) && !talk.ack(3));
}

#[test]
fn packets_lost_before_the_agent_are_left_to_the_sender() {
    // Packet 2 is lost before the agent and arrives after 3, so its duplicates continue, before and after its
    // arrival.
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
fn packets_that_the_mobile_has_are_removed_and_acknowledged_again() {
    let mut talk = Talk::with(&[]);
    talk.data(0..3);
    assert!(talk.ack(3));
    // The acknowledgement was lost, and the sender retransmits packet 0.
    assert!(!talk.pass(Direction::Forward, 0));
    assert_eq!(talk.sent(), [(Direction::Backward, 3)]);
}

#[test]
fn the_timer_follows_the_round_trip() {
    // With one sample of 200 ms the estimate is 200 ms and its deviation 100 ms: the timeout is 200 + 4 * 100
    // ms, counted from the arrival of packet 1.
    let mut talk = Talk::with(&[]);
    talk.data(0..1);
    talk.now += Span::from_millis(199);
    assert!(talk.ack(1));
    talk.data(1..2);
    assert_eq!(talk.snoop.timer(), talk.now + Span::from_millis(600));
}

#[test]
fn a_packet_that_the_sender_retransmits_measures_no_round_trip() {
    // Packet 0 comes again 199 ms after the first time. The acknowledgement 1 ms later may be of either, and
    // without a sample the timeout stays the minimum.
    let mut talk = Talk::with(&[]);
    talk.data(0..1);
    talk.now += Span::from_millis(198);
    talk.data(0..1);
    assert!(talk.ack(1));
    talk.data(1..2);
    assert_eq!(talk.snoop.timer(), talk.now + Span::from_millis(100));
}

#[test]
fn the_timer_also_retransmits_late_packets() {
    // Packet 1 arrives after 2, so it is left to the sender. No acknowledgement comes back: the timeout is
    // the minimum, 100 ms, and has not passed after 99 ms.
    let mut talk = Talk::with(&[]);
    talk.data(0..1);
    talk.data(2..3);
    assert!(talk.ack(1));
    talk.data(1..2);
    for (wait, sent) in [(99, vec![]), (1, vec![(Direction::Forward, 1)])] {
        talk.now += Span::from_millis(wait);
        talk.snoop.on_timer(talk.now, &mut talk.sent);
        assert_eq!(talk.sent(), sent);
    }
    // Its duplicates still continue.
    assert!(talk.ack(1));
}

#[test]
fn a_full_cache_keeps_what_it_has() {
    let mut talk = Talk::with(&[("cache", "3 packets")]);
    talk.data(0..6);
    assert_eq!(talk.snoop.cache.len(), 3);
    // Packets 0 to 2 arrive. Packet 3 is not cached, so its duplicates continue to the sender.
    assert!(talk.ack(3) && talk.ack(3));
    assert_eq!(talk.sent(), []);
}

#[test]
fn a_new_connection_empties_the_cache() {
    let mut talk = Talk::with(&[]);
    talk.data(0..5);
    assert!(talk.ack(4));
    let syn = Packet { header: [0, 0, 32 << 56], connection: 1, ..Packet::default() };
    assert!(talk.snoop.on_packet(talk.now, Direction::Forward, &syn, &mut talk.sent) == Passage::Passes);
    let first = Packet { connection: 1, ..Packet::default() };
    assert!(talk.snoop.on_packet(talk.now, Direction::Forward, &first, &mut talk.sent) == Passage::Passes);
    assert_eq!((talk.snoop.cache.len(), talk.snoop.acked.number), (1, 0));
    assert!(talk.ack(5), "of the connection before: not ours");
}

proptest! {
    /// For any sequence of packets, an acknowledgement that continues never has a lower number than one
    /// before it, and the agent sends no packet more than ten times without a retransmission by the sender in
    /// between.
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
            // The timer's retransmissions count as attempts before the present step.
            for (_, number) in talk.sent() {
                times[number as usize] += 1;
                prop_assert!(times[number as usize] <= 10, "{number}");
            }
            match what {
                0 | 1 => {
                    if talk.pass(Direction::Forward, number) {
                        times[number as usize] = 0;
                    }
                }
                _ => {
                    if talk.pass(Direction::Backward, number) {
                        prop_assert!(number >= last, "{number} after {last}");
                        last = number;
                    }
                }
            }
            for (direction, number) in talk.sent() {
                match direction {
                    Direction::Forward => {
                        times[number as usize] += 1;
                        prop_assert!(times[number as usize] <= 10, "{number}");
                    }
                    Direction::Backward => prop_assert_eq!(number, last),
                }
            }
            prop_assert!(talk.snoop.cache.len() <= 12);
        }
    }
}
