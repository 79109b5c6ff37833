//! The agent, acknowledgement by acknowledgement.

use super::*;
use crate::packet::Extensions;
use crate::tcp::segment::MAX_SACK_BLOCKS;
use proptest::prelude::*;

/// A node that records the numbers and the windows of the acknowledgements that the agent sends, and the
/// extension that it shows to the agent.
#[derive(Default)]
struct Sent(Vec<u64>, Vec<u64>, Extension);

impl Node for Sent {
    fn send(&mut self, direction: Direction, packet: Packet) {
        self.send_extended(direction, packet, Extension::default());
    }

    fn send_extended(&mut self, direction: Direction, packet: Packet, extension: Extension) {
        assert_eq!((direction, packet.is_extended()), (Direction::Backward, false), "it is kept anew");
        self.0.push(Segment::head(&packet).number);
        self.1.push(extension[MAX_SACK_BLOCKS]);
    }

    fn extension(&self) -> Extension {
        self.2
    }
}

/// An agent that lets the latest of three acknowledgements continue, or of those that have come within 5 ms,
/// and the acknowledgements that have continued, in order.
struct Talk {
    agent: Thinning,
    gone: Sent,
}

impl Talk {
    fn new() -> Self {
        let values = ackclock_base::Values::with(ENTRY.descriptor, &[("every", "3"), ("wait", "5 ms")]);
        Self { agent: Thinning::new((&values).into()), gone: Sent::default() }
    }

    fn packet(&mut self, ms: u64, packet: Packet) {
        let now = Time::ZERO + Span::from_millis(ms);
        while self.agent.timer() <= now {
            let due = self.agent.timer();
            self.agent.on_timer(due, &mut self.gone);
        }
        if self.agent.on_packet(now, Direction::Backward, &packet, &mut self.gone) == Passage::Passes {
            self.gone.0.push(Segment::head(&packet).number);
        }
    }

    fn extended(&mut self, ms: u64, number: u64, extension: Extension) {
        self.gone.2 = extension;
        let id = Extensions::default().keep(extension);
        self.packet(ms, Packet { bytes: 52, extension: id, header: [number, 7, 0], ..Packet::default() });
    }

    fn ack(&mut self, ms: u64, number: u64) {
        self.packet(ms, Packet { bytes: 52, header: [number, 7, 0], ..Packet::default() });
    }
}

#[test]
fn the_latest_of_three_acknowledgements_continues() {
    let mut talk = Talk::new();
    (1..=7).for_each(|number| talk.ack(1, number));
    // Acknowledgement 7 waits until 6 ms.
    assert_eq!(talk.gone.0, [3, 6]);
    assert_eq!(talk.agent.timer(), Time::ZERO + Span::from_millis(6));
    talk.ack(7, 8);
    assert_eq!(talk.gone.0, [3, 6, 7]);
    assert_eq!(talk.agent.counts(), AgentCounts { sent: 1, ended: 6 });
}

#[test]
fn a_repetition_continues_at_once_after_an_overtaken_acknowledgement() {
    // 5 overtakes 3. Neither 3 nor the second 5 tells of more data, so neither waits.
    let mut talk = Talk::new();
    talk.ack(0, 5);
    talk.ack(1, 3);
    talk.ack(2, 5);
    assert_eq!(talk.gone.0, [5, 3, 5]);
}

#[test]
fn the_first_acknowledgement_determines_the_wait() {
    let mut talk = Talk::new();
    talk.ack(0, 1);
    talk.ack(4, 2);
    talk.ack(5, 3);
    // At 5 ms the latest continues, which is 2, just before 3 arrives and waits.
    assert_eq!(talk.gone.0, [2]);
    assert_eq!(talk.agent.timer(), Time::ZERO + Span::from_millis(10));
}

#[test]
fn other_acknowledgements_continue_at_once_behind_a_waiting_one() {
    let duplicate = |talk: &mut Talk| talk.ack(1, 2);
    let blocks = |talk: &mut Talk| talk.extended(1, 3, [0x2_0000_0001, 0, 0, 0]);
    let marked = |talk: &mut Talk| {
        let flags = 1_u64 << 56; // another bit among the flags
        talk.packet(1, Packet { header: [3, 7, flags], ..Packet::default() });
    };
    let gone = |other: &dyn Fn(&mut Talk)| {
        let mut talk = Talk::new();
        talk.ack(0, 1);
        talk.ack(0, 2);
        other(&mut talk);
        talk.gone.0
    };
    assert_eq!(gone(&duplicate), [2, 2]);
    assert_eq!(gone(&blocks), [2, 3]);
    assert_eq!(gone(&marked), [2, 3]);
}

#[test]
fn the_latest_acknowledgement_keeps_its_window() {
    // Linux's receiver reports its window in each acknowledgement, which does not keep them from being
    // thinned.
    let mut talk = Talk::new();
    talk.extended(0, 1, [0, 0, 0, 100]);
    talk.extended(0, 2, [0, 0, 0, 120]);
    talk.ack(6, 3);
    assert_eq!((&talk.gone.0[..], &talk.gone.1[..]), (&[2][..], &[120][..]));
}

proptest! {
    /// The acknowledgements that continue keep their order, are some of those that arrived, and include the
    /// latest.
    #[test]
    fn acknowledgements_keep_their_order_and_the_latest_continues(steps in prop::collection::vec((0_u64..4, 0_u64..3), 1..200)) {
        let mut talk = Talk::new();
        let (mut ms, mut number) = (0, 0);
        let mut came = Vec::new();
        for (pause, more) in steps {
            (ms, number) = (ms + pause, number + more);
            came.push(number);
            talk.ack(ms, number);
        }
        talk.agent.on_timer(Time::from_seconds(1e6), &mut talk.gone);
        let gone = &talk.gone.0;
        prop_assert!(gone.windows(2).all(|pair| pair[0] <= pair[1]));
        let mut rest = came.iter();
        prop_assert!(gone.iter().all(|number| rest.any(|other| other == number)));
        prop_assert_eq!(gone.last(), came.last());
        prop_assert_eq!(talk.agent.timer(), Time::NEVER);
    }
}
