//! TCP's sender and receiver as the two ends of a flow.

use super::misbehaving::MisbehavingEnd;
use super::options::Options;
use super::reading::ReadingEnd;
use super::receiver::Receiver;
use super::segment::{Flags, Segment};
use super::sender::{SegmentWire, TcpSender};
use crate::endpoint::{Endpoint, Ends, Launch, Outbox, Properties, Sent};
use crate::packet::Packet;
use crate::random::Stream;
use crate::report::Report;
use ackclock_base::Time;
use ackclock_cc::{Backoff, Controller};
use std::any::Any;

/// The parts from which a connection is built.
pub struct Connection {
    /// The options.
    pub options: Options,
    /// The congestion control.
    pub control: Controller,
    /// The back-off of the retransmission timeout.
    pub backoff: Box<dyn Backoff>,
    /// The number of packets to send; [`u64::MAX`] for no end.
    pub packets: u64,
    /// The random stream for controls that draw random numbers.
    pub random: Stream,
}

impl Connection {
    /// Returns the ends: the sender's, then the receiver's.
    pub fn ends(self) -> Ends {
        self.between(false, u64::MAX)
    }

    /// Returns the ends of a connection whose duration counts: the receiver acknowledges the last packet at
    /// once, as it would a FIN.
    pub fn timed_ends(self) -> Ends {
        let packets = self.packets;
        self.between(false, packets)
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
        let Self { options, control, backoff, packets, random } = self;
        let mut sender = TcpSender::new(&options, control, backoff, packets, random);
        if stays_open {
            sender.stay_open();
        }
        if let Some(reader) = &options.reader {
            return [Box::new(sender), Box::new(ReadingEnd::new(&options, reader, answers_at))];
        }
        if !options.details.misbehaviour.is_honest() {
            return [Box::new(sender), Box::new(MisbehavingEnd::new(&options, answers_at))];
        }
        let receiver = ReceivingEnd {
            receiver: Receiver::new(options.receiver),
            payload_bytes: options.details.payload_bytes(),
            only_answers: !options.receiver.rules.delayed_ack,
            answers_at,
        };
        [Box::new(sender), Box::new(receiver)]
    }
}

/// The wire of a sender that sends through an outbox.
struct OutboxWire<'a>(&'a mut dyn Outbox);

impl SegmentWire for OutboxWire<'_> {
    #[inline]
    fn send(&mut self, segment: Segment) -> Launch {
        segment.send(self.0)
    }

    fn leaves(&self) -> Option<Time> {
        self.0.leaves(0)
    }
}

impl Endpoint for TcpSender {
    fn properties(&self) -> Properties {
        let shares = self.core().control().properties().shared;
        Properties { only_answers: false, shares, send_jitter: self.send_jitter() }
    }

    fn start(&mut self, now: Time, out: &mut dyn Outbox) {
        self.start(now, &mut OutboxWire(out));
    }

    fn timer(&self) -> Time {
        self.timer()
    }

    fn on_timer(&mut self, now: Time, out: &mut dyn Outbox) {
        self.on_timer(now, &mut OutboxWire(out));
    }

    fn on_packet(&mut self, now: Time, _path: usize, packet: &Packet, out: &mut dyn Outbox) {
        let segment = Segment::read(packet, out);
        self.on_ack(now, &segment, &mut OutboxWire(out));
        if self.core().is_done() {
            out.done();
        }
    }

    fn stop(&mut self, _now: Time) {
        self.stop();
    }

    fn send_more(&mut self, now: Time, packets: u64, out: &mut dyn Outbox) {
        self.send_more(now, packets, &mut OutboxWire(out));
    }

    fn close(&mut self, now: Time) {
        self.close(now);
    }

    fn sent(&self) -> Sent {
        self.measured().sent(self.payload_bytes())
    }

    fn report(&self, until: Time) -> Report<'_> {
        Report { window_probes: self.window_probes(), ..self.measured().report(until) }
    }

    fn reset_counts(&mut self, now: Time) {
        self.measured_mut().reset_counts(now);
        self.reset_probes();
    }

    fn absorb(&mut self, other: &dyn Endpoint) {
        let other: &dyn Any = other;
        if let Some(other) = other.downcast_ref::<Self>() {
            self.measured_mut().absorb(other.measured());
        }
    }

    fn avoids_congestion(&self) -> Option<bool> {
        Some(self.measured().avoids_congestion())
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        self.measured().publish(series);
    }
}

/// The receiver's end.
struct ReceivingEnd {
    receiver: Receiver,
    payload_bytes: u32,
    only_answers: bool,
    /// The number of packets delivered in order from which on each data packet is acknowledged at once;
    /// [`u64::MAX`] for never.
    answers_at: u64,
}

impl Endpoint for ReceivingEnd {
    fn properties(&self) -> Properties {
        Properties { only_answers: self.only_answers, ..Properties::default() }
    }

    fn timer(&self) -> Time {
        self.receiver.timer()
    }

    fn on_timer(&mut self, now: Time, out: &mut dyn Outbox) {
        self.receiver.acknowledge(now).send(out);
    }

    fn on_packet(&mut self, now: Time, _path: usize, packet: &Packet, out: &mut dyn Outbox) {
        let segment = Segment::read(packet, out);
        if segment.flags.has(Flags::SYN) {
            out.received(None, 0, 0);
            self.receiver.on_syn(now, &segment).send(out);
            return;
        }
        let before = self.receiver.delivered();
        let answers = self.receiver.take(now, &segment) || self.receiver.delivered() >= self.answers_at;
        let new = self.receiver.delivered() - before;
        out.received(Some(segment.stamp), new, new * u64::from(self.payload_bytes));
        if answers {
            self.receiver.acknowledge(now).send(out);
        }
    }

    fn expect(&mut self, packets: u64) {
        self.answers_at = self.answers_at.saturating_add(packets);
    }
}
