//! The receiver's end of a receiver that breaks the rules: it makes its sender send faster (Savage, Cardwell,
//! Wetherall and Anderson, "TCP Congestion Control with a Misbehaving Receiver", ACM CCR 29(5), 1999), or lies
//! about marks (RFC 3168 section 7).
//!
//! Each acknowledgement of the honest [receiver](super::receiver) becomes several. An acknowledgement of a part
//! of a packet cannot have a number here, where everything is counted in packets: it repeats the number before
//! and has the flag [`Flags::PART`].

use super::options::Options;
use super::receiver::Receiver;
use super::segment::{Flags, Segment};
use crate::endpoint::{Endpoint, Outbox};
use crate::packet::Packet;
use ackclock_base::{Range, Time, choice, parameters};

choice! {
    /// What a receiver tells of marks.
    pub enum Marks {
        /// Every mark.
        Honest = "honest",
        /// No mark.
        Hidden = "hidden",
        /// A mark for every packet.
        Invented = "invented",
    }
}

parameters! {
    /// How a receiver breaks the rules.
    pub struct Misbehaviour {
        /// The number of acknowledgements that the receiver sends instead of one for new data, each for an equal part
        /// of the data
        split_acks: u32 = integer(
            "1",
            Range::between(1.0, 1000.0),
            "Savage and others 1999, ACK division; byte counting (RFC 3465) makes it ineffective",
        ),
        /// The number of times that the receiver sends each acknowledgement
        repeat_acks: u32 = integer("1", Range::between(1.0, 1000.0), "Savage and others 1999, DupACK spoofing"),
        /// The number of packets that the receiver acknowledges before they arrive; above 0, it also acknowledges
        /// missing packets, which are then never retransmitted
        acks_ahead: u64 = integer("0", Range::between(0.0, 1e6), "Savage and others 1999, optimistic ACKing"),
        /// With ecn, the marks that the receiver reports: every mark (honest), none (hidden), or a mark for every
        /// packet (invented)
        marks_told: Marks = choice("honest", "RFC 3168 section 7"),
    }
}

impl Misbehaviour {
    /// Returns whether the receiver breaks no rule.
    pub fn is_honest(&self) -> bool {
        self.split_acks == 1
            && self.repeat_acks == 1
            && self.acks_ahead == 0
            && self.marks_told == Marks::Honest
    }
}

/// The receiver's end that misbehaves.
pub(super) struct MisbehavingEnd {
    receiver: Receiver,
    misbehaviour: Misbehaviour,
    payload_bytes: u32,
    /// The number of the acknowledgement sent last, without those ahead.
    acknowledged: u64,
    /// The number of deliveries at which it acknowledges at once.
    answers_at: u64,
}

impl MisbehavingEnd {
    /// Creates an end that has received nothing.
    pub(super) fn new(options: &Options, answers_at: u64) -> Self {
        Self {
            receiver: Receiver::new(options.receiver),
            misbehaviour: options.details.misbehaviour,
            payload_bytes: options.details.payload_bytes(),
            acknowledged: 0,
            answers_at,
        }
    }

    fn acknowledge(&mut self, now: Time, out: &mut dyn Outbox) {
        let ack = self.receiver.acknowledge(now);
        let Misbehaviour { split_acks, repeat_acks, acks_ahead, .. } = self.misbehaviour;
        if ack.number > self.acknowledged {
            let part = Segment { number: self.acknowledged, flags: ack.flags.with(Flags::PART), ..ack };
            let part = part.without_blocks();
            for _ in 1..split_acks {
                part.send(out);
            }
        }
        for _ in 0..repeat_acks {
            ack.send(out);
        }
        // The honest one goes first: a sender ignores an acknowledgement of packets that it has not sent.
        if acks_ahead > 0 {
            Segment { number: ack.number + acks_ahead, ..ack }.without_blocks().send(out);
        }
        self.acknowledged = ack.number;
    }
}

impl Endpoint for MisbehavingEnd {
    fn timer(&self) -> Time {
        self.receiver.timer()
    }

    fn on_timer(&mut self, now: Time, out: &mut dyn Outbox) {
        self.acknowledge(now, out);
    }

    fn on_packet(&mut self, now: Time, _path: usize, packet: &Packet, out: &mut dyn Outbox) {
        let mut segment = Segment::read(packet, out);
        if segment.flags.has(Flags::SYN) {
            out.received(None, 0, 0);
            self.receiver.on_syn(now, &segment).send(out);
            return;
        }
        segment.flags = match self.misbehaviour.marks_told {
            Marks::Honest => segment.flags,
            Marks::Hidden => segment.flags.without(Flags::CONGESTION_EXPERIENCED),
            Marks::Invented => segment.flags.with(Flags::CONGESTION_EXPERIENCED),
        };
        if self.misbehaviour.acks_ahead > 0 {
            self.receiver.skip_to(segment.number);
        }
        let before = self.receiver.delivered();
        let answers = self.receiver.take(now, &segment) || self.receiver.delivered() >= self.answers_at;
        let new = self.receiver.delivered() - before;
        out.received(Some(segment.stamp), new, new * u64::from(self.payload_bytes));
        if answers {
            self.acknowledge(now, out);
        }
    }

    fn expect(&mut self, packets: u64) {
        self.answers_at = self.answers_at.saturating_add(packets);
    }
}
