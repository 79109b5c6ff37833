//! The receiver's end of a connection whose application [reads at a rate of its own](crate::reading). The
//! advertised window closes as unread data fills the buffer, and opens as data is read.
//!
//! The right edge of the window never moves to the left, and moves by whole packets, so by no less than a
//! segment (RFC 9293 section 3.8.6.2.2). An acknowledgement that only opens the window is sent when the
//! window is at least twice the window known to the sender, and the latter is at most half of the buffer
//! (Linux net/ipv4/tcp.c, tcp_cleanup_rbuf). A closed window is opened as soon as one segment has room.

use super::autotuning::Autotuning;
use super::options::Options;
use super::receiver::{Receiver, ReceiverOptions};
use super::segment::{Flags, Segment};
use crate::endpoint::{Endpoint, Outbox};
use crate::packet::Packet;
use crate::reading::{ReaderOptions, Reading};
use ackclock_base::Time;

/// The receiver's end for a slow application.
pub(super) struct ReadingEnd {
    receiver: Receiver,
    reading: Reading,
    tuning: Option<Autotuning>,
    /// The size of the buffer in packets, if it is not tuned.
    buffer: u64,
    /// One past the last packet that has been advertised: RCV.NXT + RCV.WND.
    edge: u64,
    payload_bytes: u32,
    /// Whether a packet that opens the window is acknowledged at once, as in Linux's quick-ACK mode.
    quick_acks: bool,
    /// The number of packets delivered in order from which on each data packet is acknowledged at once;
    /// [`u64::MAX`] for never.
    answers_at: u64,
}

impl ReadingEnd {
    /// Creates an end that has received nothing.
    pub(super) fn new(options: &Options, reader: &ReaderOptions, answers_at: u64) -> Self {
        let payload_bytes = options.details.payload_bytes();
        let buffer = options.recovery.window;
        Self {
            receiver: Receiver::new(ReceiverOptions { window: None, ..options.receiver }),
            reading: Reading::new(reader, payload_bytes),
            tuning: options.receiver.window.map(Autotuning::new),
            buffer,
            edge: buffer,
            payload_bytes,
            quick_acks: options.receiver.rules.quick_acks > 0,
            answers_at,
        }
    }

    /// Returns one past the last packet up to which the window may now open, and the size of the whole
    /// buffer, in packets.
    fn reach(&self) -> (u64, u64) {
        match &self.tuning {
            None => (self.reading.read() + self.buffer, self.buffer),
            Some(tuning) => {
                let opened = self.receiver.delivered() + tuning.window();
                (opened.min(self.reading.read() + tuning.clamp()), tuning.clamp())
            }
        }
    }

    /// Returns whether an acknowledgement that only opens the window is due.
    fn opens(&self) -> bool {
        let (reach, room) = self.reach();
        let next = self.receiver.delivered();
        let (known, open) = (self.edge - next, reach.saturating_sub(next));
        2 * known <= room && open > 0 && open >= 2 * known
    }

    fn acknowledge(&mut self, now: Time, out: &mut dyn Outbox) {
        self.edge = self.edge.max(self.reach().0);
        let next = self.receiver.delivered();
        if let Some(tuning) = &mut self.tuning {
            tuning.on_ack_sent(now, next);
        }
        self.receiver.acknowledge(now).advertising(self.edge - next).send(out);
    }
}

impl Endpoint for ReadingEnd {
    fn timer(&self) -> Time {
        self.receiver.timer().min(self.reading.due())
    }

    fn on_timer(&mut self, now: Time, out: &mut dyn Outbox) {
        let read = self.reading.take(now);
        if read > 0 {
            out.received(None, read, read * u64::from(self.payload_bytes));
        }
        if now >= self.receiver.timer() || (read > 0 && self.opens()) {
            self.acknowledge(now, out);
        }
    }

    fn on_packet(&mut self, now: Time, _path: usize, packet: &Packet, out: &mut dyn Outbox) {
        let segment = Segment::read(packet, out);
        if segment.flags.has(Flags::WINDOW_PROBE) {
            out.received(None, 0, 0);
            self.acknowledge(now, out);
            return;
        }
        if segment.flags.has(Flags::SYN) {
            out.received(None, 0, 0);
            self.receiver.on_syn(now, &segment).send(out);
            return;
        }
        let mut answers = self.receiver.take(now, &segment) || self.receiver.delivered() >= self.answers_at;
        self.reading.hand_over(now, self.receiver.delivered());
        if let Some(tuning) = &mut self.tuning {
            let (read, waiting) = (self.reading.read(), self.reading.waiting());
            answers |= tuning.on_data_for_reader(now, segment.count, read, waiting) && self.quick_acks;
        }
        out.received(Some(segment.stamp), 0, 0);
        if answers {
            self.acknowledge(now, out);
        }
    }

    fn expect(&mut self, packets: u64) {
        self.answers_at = self.answers_at.saturating_add(packets);
    }
}
