//! The receiver's end of an association whose application [reads at a rate of its own](crate::reading).
//! Unread data takes room, and the window in SACKs (a_rwnd) is the room that is left (RFC 9260 section
//! 6.2.1).
//!
//! A SACK that only reports a wider window is sent when the window has grown by a sixteenth of the buffer and
//! by at least one packet (Linux net/sctp/associola.c, sctp_peer_needs_update, sctp_rwnd_upd_shift).

use super::connection::ReceivingEnd;
use super::message::{Data, Message, MessageWire, OutboxWire};
use crate::endpoint::{Endpoint, Outbox};
use crate::packet::Packet;
use crate::reading::{ReaderOptions, Reading};
use ackclock_base::Time;

/// The receiver's end for a slow application.
pub(super) struct ReadingEnd {
    end: ReceivingEnd,
    reading: Reading,
    /// The size of the buffer in chunks, and the room that the sender has been told.
    buffer: u64,
    told: u64,
}

/// A SACK reports the window once it has grown by the buffer's size divided by this (2 to the power of
/// sctp_rwnd_upd_shift).
const UPDATE_PART: u64 = 16;

impl ReadingEnd {
    pub(super) fn new(end: ReceivingEnd, reader: &ReaderOptions) -> Self {
        let buffer = end.receiver.room();
        Self { reading: Reading::new(reader, end.sizes.payload), end, buffer, told: buffer }
    }

    fn make_room(&mut self) {
        self.end.receiver.set_room(self.buffer.saturating_sub(self.reading.waiting()));
    }

    fn send_sack(&mut self, out: &mut dyn Outbox) {
        self.told = self.end.receiver.left();
        let has_no_echo = self.end.receiver.has_no_echo();
        let (path, mut sack) = self.end.receiver.sack();
        if has_no_echo {
            sack.echo.sent = Time::NEVER; // it answers no packet, so it gives no round-trip sample
        }
        OutboxWire { out, sizes: self.end.sizes }.send(path, &Message::Sack(sack));
    }

    fn on_data(&mut self, now: Time, path: usize, data: &Data, out: &mut dyn Outbox) {
        let receiver = &mut self.end.receiver;
        // If unread data fills the whole buffer, even the next chunk in order has no room.
        let answers = if data.tsn == receiver.next() && receiver.room() == 0 {
            receiver.refuse(path, data);
            true
        } else {
            receiver.on_data(now, path, data).answers
        };
        let delivered = receiver.delivered();
        self.reading.hand_over(now, delivered);
        self.make_room();
        out.received(Some(data.sent), 0, 0);
        if answers {
            self.send_sack(out);
        }
    }
}

impl Endpoint for ReadingEnd {
    fn timer(&self) -> Time {
        self.end.receiver.timer().min(self.reading.due())
    }

    fn on_timer(&mut self, now: Time, out: &mut dyn Outbox) {
        let read = self.reading.take(now);
        if read > 0 {
            out.received(None, read, read * u64::from(self.end.sizes.payload));
            self.make_room();
        }
        let grown = self.end.receiver.left().saturating_sub(self.told);
        if now >= self.end.receiver.timer() || grown >= (self.buffer / UPDATE_PART).max(1) {
            self.send_sack(out);
        }
    }

    fn on_packet(&mut self, now: Time, path: usize, packet: &Packet, out: &mut dyn Outbox) {
        let sizes = self.end.sizes;
        match self.end.reader.read(packet, out) {
            Message::Data(data) if self.end.is_established => self.on_data(now, path, &data, out),
            Message::Data(_) | Message::Sack(_) => {}
            Message::Control(control) => {
                self.end.on_control(path, &control, &mut OutboxWire { out, sizes });
            }
        }
    }
}
