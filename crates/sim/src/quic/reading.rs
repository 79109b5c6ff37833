//! The receiver's end of a connection whose application [reads at a rate of its own](crate::reading). Its
//! flow control limit is the amount read plus the window.
//!
//! A MAX_DATA frame is sent when half of the window has been read since the previous one (RFC 9000 section
//! 4.2 leaves that to the receiver). The sender must acknowledge it. Without an acknowledgement within a
//! probe timeout, the frame is repeated with the present limit (section 13.3), and the timeout doubles.

use super::connection::ReceivingEnd;
use super::datagram::{Credit, CreditKind, Datagram, DatagramWire, OutboxWire};
use super::options::Options;
use crate::endpoint::{Endpoint, Outbox};
use crate::packet::Packet;
use crate::reading::{ReaderOptions, Reading};
use ackclock_aqm::Ecn;
use ackclock_base::{Span, Time};
use ackclock_recovery::detection::quic::QuicOptions;
use ackclock_recovery::rtt::RttEstimator;

/// The receiver's end for a slow application.
pub(super) struct ReadingEnd {
    end: ReceivingEnd,
    reading: Reading,
    /// The window in pieces, and the limit that the sender has been given.
    window: u64,
    limit: u64,
    detection: QuicOptions,
    rtt: RttEstimator,
    /// The time at which this end sent its Initial packet, until the first data answers that; otherwise
    /// `None`.
    initial: Option<Time>,
    /// The number of the next MAX_DATA, and the time at which the last one was sent, until that one is
    /// acknowledged; otherwise `None`.
    next: u64,
    unanswered: Option<Time>,
    /// The time of the next repetition of MAX_DATA, and the number of repetitions in a row.
    due: Time,
    repeats: u32,
}

impl ReadingEnd {
    pub(super) fn new(end: ReceivingEnd, options: &Options, reader: &ReaderOptions) -> Self {
        let window = options.recovery.window;
        Self {
            reading: Reading::new(reader, end.payload_bytes),
            end,
            window,
            limit: window,
            detection: options.detection,
            rtt: RttEstimator::new(options.recovery.timer, options.recovery.timer_rules.min_rto_bounds),
            initial: None,
            next: 0,
            unanswered: None,
            due: Time::NEVER,
            repeats: 0,
        }
    }

    fn send(&self, credit: Credit, out: &mut dyn Outbox) {
        OutboxWire { out, packing: self.end.packing }.send(Datagram::Credit(credit));
    }

    fn give_credit(&mut self, now: Time, out: &mut dyn Outbox) {
        self.limit = self.reading.read() + self.window;
        self.send(Credit { number: self.next, kind: CreditKind::MaxData(self.limit) }, out);
        self.next += 1;
        self.unanswered = Some(now);
        self.due = now + self.detection.backed_off(self.rtt.fine(), self.repeats);
    }

    fn on_credit(&mut self, now: Time, credit: Credit, out: &mut dyn Outbox) {
        match credit.kind {
            CreditKind::DataBlocked(_) => {
                out.received(None, 0, 0);
                self.send(Credit { kind: CreditKind::Acknowledged, ..credit }, out);
            }
            CreditKind::Acknowledged if credit.number + 1 == self.next => {
                if let Some(sent) = self.unanswered.take() {
                    self.rtt.sample_held(now.since(sent), Span::ZERO);
                }
                (self.due, self.repeats) = (Time::NEVER, 0);
            }
            CreditKind::Acknowledged | CreditKind::MaxData(_) => {}
        }
    }
}

impl Endpoint for ReadingEnd {
    fn timer(&self) -> Time {
        self.end.receiver.timer().min(self.reading.due()).min(self.due)
    }

    fn on_timer(&mut self, now: Time, out: &mut dyn Outbox) {
        let read = self.reading.take(now);
        if read > 0 {
            out.received(None, read, read * u64::from(self.end.payload_bytes));
            if 2 * (self.reading.read() + self.window - self.limit) >= self.window {
                self.give_credit(now, out);
            }
        }
        if now >= self.due {
            self.repeats = self.repeats.saturating_add(1);
            self.give_credit(now, out);
        }
        if now >= self.end.receiver.timer() {
            self.end.acknowledge(now, out);
        }
    }

    fn on_packet(&mut self, now: Time, _path: usize, packet: &Packet, out: &mut dyn Outbox) {
        match self.end.reader.read(packet, out) {
            Datagram::Data(data) => {
                if let Some(sent) = self.initial.take() {
                    self.rtt.sample_held(now.since(sent), Span::ZERO);
                }
                let before = self.end.receiver.delivered();
                let answers = self.end.receiver.take(now, &data, packet.ecn == Ecn::Experienced);
                let delivered = self.end.receiver.delivered();
                self.reading.hand_over(now, delivered);
                out.received(Some(data.sent), 0, 0);
                if answers || (delivered > before && delivered >= self.end.answers_at) {
                    self.end.acknowledge(now, out);
                }
            }
            Datagram::Initial(sent) => {
                out.received(None, 0, 0);
                self.initial = Some(now);
                OutboxWire { out, packing: self.end.packing }.send(Datagram::Initial(sent));
            }
            Datagram::Credit(credit) => self.on_credit(now, credit, out),
            Datagram::Ack(_) => {}
        }
    }

    fn expect(&mut self, packets: u64) {
        self.end.expect(packets);
    }
}
