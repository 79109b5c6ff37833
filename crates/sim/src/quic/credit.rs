//! The sender's end of a connection whose receiving application [reads at a rate of its own](crate::reading).
//! It sends no more pieces of data than the receiver's flow control limit allows (RFC 9000 section 4.1). The
//! initial limit is the receive window.
//!
//! When it has reached the limit and has more to send, it sends a DATA_BLOCKED frame, once for each limit.
//! While nothing is in flight it repeats the frame after a probe timeout, which doubles each time (section
//! 4.1: a blocked sender should repeat the frame periodically).

use super::connection::SendingEnd;
use super::datagram::{Credit, CreditKind, Datagram, DatagramWire, OutboxWire};
use super::options::Options;
use crate::endpoint::{Endpoint, Outbox, Properties, Sent};
use crate::packet::Packet;
use crate::report::Report;
use ackclock_base::Time;

/// The receiver's flow control limit, and the sender's use of it.
#[derive(Clone, Debug)]
pub(super) struct Credited {
    /// The limit in pieces (MAX_DATA).
    limit: u64,
    /// The number of pieces that the application has given to send, and the number of those that have been
    /// passed to the sender because the limit allows them.
    total: u64,
    told: u64,
    /// The last limit for which DATA_BLOCKED has been sent.
    blocked_at: Option<u64>,
    /// The time of the next repetition of DATA_BLOCKED, and the number of its repetitions in a row.
    due: Time,
    repeats: u32,
    /// The number of DATA_BLOCKED frames sent, and the number sent since counting began.
    sent: u64,
    counted: u64,
}

impl Credited {
    /// Creates the state of a new connection that has `pieces` pieces to send.
    pub(super) fn new(options: &Options, pieces: u64) -> Self {
        let limit = options.recovery.window;
        Self {
            limit,
            total: pieces,
            told: pieces.min(limit),
            blocked_at: None,
            due: Time::NEVER,
            repeats: 0,
            sent: 0,
            counted: 0,
        }
    }

    /// Returns the number of pieces that may be sent at the start.
    pub(super) fn allowed(&self) -> u64 {
        self.told
    }

    /// Returns the number of additional pieces that may be sent, and counts them as passed to the sender.
    fn take(&mut self) -> u64 {
        let more = self.total.min(self.limit) - self.told;
        self.told += more;
        more
    }
}

/// The sender's end under flow control.
pub struct CreditedEnd {
    /// The sender's end, which has only the data that the limit allows.
    pub end: SendingEnd,
    credit: Credited,
}

impl CreditedEnd {
    pub(super) fn new(mut end: SendingEnd, credit: Credited) -> Self {
        end.sender.hold_back(credit.total > credit.told);
        Self { end, credit }
    }

    fn on_credit(&mut self, now: Time, credit: Credit, out: &mut dyn Outbox) {
        let Self { end: SendingEnd { sender, packing, .. }, credit: own } = self;
        let CreditKind::MaxData(limit) = credit.kind else { return };
        let mut wire = OutboxWire { out, packing: *packing };
        wire.send(Datagram::Credit(Credit { kind: CreditKind::Acknowledged, ..credit }));
        own.limit = own.limit.max(limit);
        let more = own.take();
        sender.hold_back(own.total > own.told);
        if more > 0 {
            sender.grant(now, more, &mut wire);
        }
    }

    /// Sends DATA_BLOCKED if the sender has reached a limit for the first time and has more to send. Sets the
    /// time of its repetition if nothing is in flight, and otherwise stops the repetition.
    fn watch(&mut self, now: Time, out: &mut dyn Outbox) {
        let core = self.end.sender.core();
        if !core.is_out_of_credit() {
            (self.credit.due, self.credit.repeats) = (Time::NEVER, 0);
            return;
        }
        let waits_alone = core.inflight() == 0;
        if self.credit.blocked_at != Some(self.credit.limit) {
            self.credit.blocked_at = Some(self.credit.limit);
            self.send_blocked(out);
        }
        if !waits_alone {
            self.credit.due = Time::NEVER;
        } else if self.credit.due == Time::NEVER {
            self.wait(now);
        }
    }

    fn wait(&mut self, now: Time) {
        let sender = &self.end.sender;
        let timeout = sender.options().detection.backed_off(sender.core().smoothed(), self.credit.repeats);
        self.credit.due = now + timeout;
    }

    fn send_blocked(&mut self, out: &mut dyn Outbox) {
        let Self { end: SendingEnd { packing, .. }, credit } = self;
        let kind = CreditKind::DataBlocked(credit.limit);
        OutboxWire { out, packing: *packing }.send(Datagram::Credit(Credit { number: credit.sent, kind }));
        (credit.sent, credit.counted) = (credit.sent + 1, credit.counted + 1);
    }
}

impl Endpoint for CreditedEnd {
    fn properties(&self) -> Properties {
        self.end.properties()
    }

    fn start(&mut self, now: Time, out: &mut dyn Outbox) {
        self.end.start(now, out);
        self.watch(now, out);
    }

    fn timer(&self) -> Time {
        self.end.timer().min(self.credit.due)
    }

    fn on_timer(&mut self, now: Time, out: &mut dyn Outbox) {
        if now >= self.end.timer() {
            self.end.on_timer(now, out);
        }
        if now >= self.credit.due && self.end.sender.core().is_out_of_credit() {
            self.send_blocked(out);
            self.credit.repeats = self.credit.repeats.saturating_add(1);
            self.wait(now);
        }
        self.watch(now, out);
    }

    fn on_packet(&mut self, now: Time, path: usize, packet: &Packet, out: &mut dyn Outbox) {
        if let Datagram::Credit(credit) = self.end.reader.read(packet, out) {
            self.on_credit(now, credit, out);
        } else {
            self.end.on_packet(now, path, packet, out);
        }
        self.watch(now, out);
    }

    fn stop(&mut self, now: Time) {
        self.credit.total = self.credit.told;
        self.end.stop(now);
    }

    fn send_more(&mut self, now: Time, packets: u64, out: &mut dyn Outbox) {
        self.credit.total = self.credit.total.saturating_add(packets);
        let more = self.credit.take();
        self.end.sender.hold_back(self.credit.total > self.credit.told);
        self.end.send_more(now, more, out);
        self.watch(now, out);
    }

    fn close(&mut self, now: Time) {
        self.end.close(now);
    }

    fn sent(&self) -> Sent {
        self.end.sent()
    }

    fn report(&self, until: Time) -> Report<'_> {
        Report { window_probes: Some(self.credit.counted), ..self.end.report(until) }
    }

    fn reset_counts(&mut self, now: Time) {
        self.end.reset_counts(now);
        self.credit.counted = 0;
    }

    fn avoids_congestion(&self) -> Option<bool> {
        self.end.avoids_congestion()
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        self.end.publish(series);
    }
}
