//! QUIC's sender and receiver as the two ends of a flow.

use super::credit::{Credited, CreditedEnd};
use super::datagram::{Datagram, DatagramWire, OutboxWire, Packing, Reader};
use super::options::Options;
use super::reading::ReadingEnd;
use super::receiver::Receiver;
use super::sender::QuicSender;
use crate::endpoint::{Endpoint, Ends, Outbox, Properties, Sent};
use crate::packet::Packet;
use crate::random::Stream;
use crate::report::Report;
use ackclock_aqm::Ecn;
use ackclock_base::Time;
use ackclock_cc::{Backoff, Controller};
use std::any::Any;

/// The parts from which a connection is built.
pub struct Connection {
    /// The options.
    pub options: Options,
    /// The congestion control.
    pub control: Controller,
    /// The back-off of the timeout for the connection's first packet.
    pub backoff: Box<dyn Backoff>,
    /// The number of pieces of data to send; [`u64::MAX`] for no end.
    pub pieces: u64,
    /// The random stream for controls that draw random numbers.
    pub random: Stream,
}

impl Connection {
    /// Returns the ends: the sender's, then the receiver's.
    pub fn ends(self) -> Ends {
        self.between(false, u64::MAX)
    }

    /// Returns the ends of a connection whose duration counts: the receiver acknowledges the last packet at
    /// once, as it would one that ends the stream.
    pub fn timed_ends(self) -> Ends {
        let pieces = self.pieces;
        self.between(false, pieces)
    }

    /// Returns the ends of a connection that stays open when it has delivered everything. The receiver
    /// acknowledges the last packet of those that it [expects](Endpoint::expect) at once.
    pub fn lasting_ends(self) -> Ends {
        self.between(true, 0)
    }

    /// Returns the ends of a connection into which an application writes until it is
    /// [closed](Endpoint::close).
    pub fn written_ends(self) -> Ends {
        self.between(true, u64::MAX)
    }

    fn between(self, stays_open: bool, answers_at: u64) -> Ends {
        let Self { options, control, backoff, pieces, random } = self;
        let credit = options.reader.as_ref().map(|_| Credited::new(&options, pieces));
        let allowed = credit.as_ref().map_or(pieces, Credited::allowed);
        let mut sender = QuicSender::new(&options, control, backoff, allowed, random);
        if stays_open {
            sender.stay_open();
        }
        let packing = options.packing(sender.counts_marks());
        let receiving = ReceivingEnd {
            receiver: Receiver::new(options.receiver),
            packing,
            payload_bytes: options.payload_bytes,
            answers_at,
            reader: Reader::default(),
        };
        let sending = SendingEnd { sender, packing, reader: Reader::default() };
        match (credit, &options.reader) {
            (Some(credit), Some(reader)) => [
                Box::new(CreditedEnd::new(sending, credit)),
                Box::new(ReadingEnd::new(receiving, &options, reader)),
            ],
            _ => [Box::new(sending), Box::new(receiving)],
        }
    }
}

/// The sender's end.
pub struct SendingEnd {
    /// The sender.
    pub sender: QuicSender,
    pub(super) packing: Packing,
    pub(super) reader: Reader,
}

impl Endpoint for SendingEnd {
    fn properties(&self) -> Properties {
        Properties {
            only_answers: false,
            shares: self.sender.measured().core.control().properties().shared,
            send_jitter: self.sender.options().send_jitter,
        }
    }

    fn start(&mut self, now: Time, out: &mut dyn Outbox) {
        self.sender.start(now, &mut OutboxWire { out, packing: self.packing });
    }

    fn timer(&self) -> Time {
        self.sender.timer()
    }

    fn on_timer(&mut self, now: Time, out: &mut dyn Outbox) {
        self.sender.on_timer(now, &mut OutboxWire { out, packing: self.packing });
    }

    fn on_packet(&mut self, now: Time, _path: usize, packet: &Packet, out: &mut dyn Outbox) {
        let Self { sender, packing, reader } = self;
        let datagram = reader.read(packet, out);
        let mut wire = OutboxWire { out, packing: *packing };
        match datagram {
            Datagram::Ack(ack) => sender.on_ack(now, &ack, &mut wire),
            Datagram::Initial(sent) => sender.on_initial(now, sent, &mut wire),
            Datagram::Data(_) | Datagram::Credit(_) => {}
        }
        if self.sender.core().is_done() {
            out.done();
        }
    }

    fn stop(&mut self, _now: Time) {
        self.sender.stop();
    }

    fn send_more(&mut self, now: Time, packets: u64, out: &mut dyn Outbox) {
        self.sender.send_more(now, packets, &mut OutboxWire { out, packing: self.packing });
    }

    fn close(&mut self, now: Time) {
        self.sender.close(now);
    }

    fn sent(&self) -> Sent {
        self.sender.measured().sent(self.sender.options().payload_bytes)
    }

    fn report(&self, until: Time) -> Report<'_> {
        self.sender.measured().report(until)
    }

    fn reset_counts(&mut self, now: Time) {
        self.sender.measured_mut().reset_counts(now);
    }

    fn absorb(&mut self, other: &dyn Endpoint) {
        let other: &dyn Any = other;
        if let Some(other) = other.downcast_ref::<Self>() {
            self.sender.measured_mut().absorb(other.sender.measured());
        }
    }

    fn avoids_congestion(&self) -> Option<bool> {
        Some(self.sender.measured().avoids_congestion())
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        self.sender.measured().publish(series);
    }
}

/// The receiver's end.
pub(super) struct ReceivingEnd {
    pub(super) receiver: Receiver,
    pub(super) packing: Packing,
    pub(super) payload_bytes: u32,
    /// The number of pieces delivered in order from which on each packet with new data in order is
    /// acknowledged at once; [`u64::MAX`] for never.
    pub(super) answers_at: u64,
    pub(super) reader: Reader,
}

impl ReceivingEnd {
    #[inline]
    pub(super) fn acknowledge(&mut self, now: Time, out: &mut dyn Outbox) {
        OutboxWire { out, packing: self.packing }.send(Datagram::Ack(self.receiver.acknowledge(now)));
    }
}

impl Endpoint for ReceivingEnd {
    fn timer(&self) -> Time {
        self.receiver.timer()
    }

    fn on_timer(&mut self, now: Time, out: &mut dyn Outbox) {
        self.acknowledge(now, out);
    }

    fn on_packet(&mut self, now: Time, _path: usize, packet: &Packet, out: &mut dyn Outbox) {
        match self.reader.read(packet, out) {
            Datagram::Data(data) => {
                let before = self.receiver.delivered();
                let answers = self.receiver.take(now, &data, packet.ecn == Ecn::Experienced);
                let delivered = self.receiver.delivered();
                let new = delivered - before;
                out.received(Some(data.sent), new, new * u64::from(self.payload_bytes));
                if answers || (new > 0 && delivered >= self.answers_at) {
                    self.acknowledge(now, out);
                }
            }
            Datagram::Initial(sent) => {
                out.received(None, 0, 0);
                OutboxWire { out, packing: self.packing }.send(Datagram::Initial(sent));
            }
            Datagram::Ack(_) | Datagram::Credit(_) => {}
        }
    }

    fn expect(&mut self, packets: u64) {
        self.answers_at = self.answers_at.saturating_add(packets);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::testing::Last;
    use crate::quic::datagram::Data;
    use crate::quic::receiver::ReceiverOptions;
    use ackclock_base::Span;

    const PACKING: Packing = Packing { data: 1200, ack: 50, initial: 1200, field: Ecn::NotCapable };

    /// Delivers packet `number`, with the piece of that number, at time zero. Returns whether it is
    /// acknowledged at once.
    fn is_answered(end: &mut ReceivingEnd, number: u64) -> bool {
        let mut last = Last::default();
        let data = Data { number, piece: number, sent: Time::ZERO, wanted: 0 };
        OutboxWire { out: &mut last, packing: PACKING }.send(Datagram::Data(data));
        end.on_packet(Time::ZERO, 0, &last.packet.clone(), &mut last);
        last.packet.bytes == PACKING.ack
    }

    #[test]
    fn the_last_packet_that_is_expected_is_acknowledged_at_once() {
        // Every second packet is acknowledged. The fifth is the first of two, and is not held back only if no
        // more than five are expected. With three expected and then two more, the third waits.
        let options =
            ReceiverOptions { ack_threshold: 2, max_ack_delay: Span::from_millis(25), max_ranges: 3 };
        let answered = |answers_at, more| {
            let receiver = Receiver::new(options);
            let reader = Reader::default();
            let mut end =
                ReceivingEnd { receiver, packing: PACKING, payload_bytes: 1000, answers_at, reader };
            end.expect(more);
            [0, 1, 2, 3, 4].map(|number| is_answered(&mut end, number))
        };
        assert_eq!(answered(5, 0), [false, true, false, true, true]);
        assert_eq!(answered(3, 2), [false, true, false, true, true]);
        assert_eq!(answered(u64::MAX, 0), [false, true, false, true, false]);
    }
}
