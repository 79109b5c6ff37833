//! An association as the two ends of a flow.

use super::association::Association;
use super::handshake::cookie;
use super::message::{Control, ControlKind, Message, MessageWire, OutboxWire, Reader};
use super::options::{Options, Sizes};
use super::path::Path;
use super::reading::ReadingEnd;
use super::receiver::Receiver;
use crate::endpoint::{Endpoint, Ends, Outbox, Properties, Sent};
use crate::packet::Packet;
use crate::random::Stream;
use crate::report::Report;
use ackclock_base::{Span, Time};
use ackclock_cc::{Backoff, Controller, PathSelector};

/// The parts from which an association is built.
pub struct Connection {
    /// The options.
    pub options: Options,
    /// For each path: its congestion control, the back-off of its timeout, and a random stream for controls
    /// that draw random numbers.
    pub paths: Vec<(Controller, Box<dyn Backoff>, Stream)>,
    /// The selector of the path for new data, if there is one.
    pub selector: Option<Box<dyn PathSelector>>,
    /// The number of chunks to send; [`u64::MAX`] for no end.
    pub chunks: u64,
    /// The random stream of its HEARTBEATs.
    pub random: Stream,
}

impl Connection {
    /// Returns the ends: the sender's, then the receiver's.
    pub fn ends(self) -> Ends {
        self.between(false)
    }

    /// Returns the ends of an association into which an application writes until it is
    /// [closed](Endpoint::close).
    pub fn written_ends(self) -> Ends {
        self.between(true)
    }

    fn between(self, stays_open: bool) -> Ends {
        let Self { options, paths, selector, chunks, random } = self;
        let confirms = options.details.confirm_paths;
        let path = |(index, (controller, backoff, random))| {
            Path::new(&options, controller, backoff, random, index == 0 || !confirms)
        };
        let paths = paths.into_iter().enumerate().map(path).collect();
        let reader = options.reader.clone();
        let receiver = ReceivingEnd {
            receiver: Receiver::new(&options),
            reader: Reader::default(),
            sizes: options.sizes,
            is_established: !options.details.handshake,
        };
        let mut association = Association::new(options, paths, selector, chunks, random);
        if stays_open {
            association.stay_open();
        }
        let sending = SendingEnd { association, reader: Reader::default() };
        match reader {
            Some(reader) => [Box::new(sending), Box::new(ReadingEnd::new(receiver, &reader))],
            None => [Box::new(sending), Box::new(receiver)],
        }
    }
}

/// The sender's end.
pub struct SendingEnd {
    /// The association.
    pub association: Association,
    reader: Reader,
}

impl SendingEnd {
    fn with<R>(
        &mut self,
        out: &mut dyn Outbox,
        act: impl FnOnce(&mut Association, &mut OutboxWire<'_>) -> R,
    ) -> R {
        let sizes = self.association.options().sizes;
        act(&mut self.association, &mut OutboxWire { out, sizes })
    }
}

/// The names of the two series of each path: its window and its retransmission timeout.
const PATH_SERIES: [[&str; 2]; super::options::MAX_PATHS] = [
    ["cwnd_path_1_packets", "rto_path_1_s"],
    ["cwnd_path_2_packets", "rto_path_2_s"],
    ["cwnd_path_3_packets", "rto_path_3_s"],
    ["cwnd_path_4_packets", "rto_path_4_s"],
    ["cwnd_path_5_packets", "rto_path_5_s"],
    ["cwnd_path_6_packets", "rto_path_6_s"],
    ["cwnd_path_7_packets", "rto_path_7_s"],
    ["cwnd_path_8_packets", "rto_path_8_s"],
];

impl Endpoint for SendingEnd {
    fn properties(&self) -> Properties {
        let shares = self.association.paths().iter().any(|path| path.sender.control().properties().shared);
        Properties { shares, ..Properties::default() }
    }

    fn start(&mut self, now: Time, out: &mut dyn Outbox) {
        self.with(out, |association, wire| association.start(now, wire));
    }

    fn timer(&self) -> Time {
        self.association.timer()
    }

    fn on_timer(&mut self, now: Time, out: &mut dyn Outbox) {
        self.with(out, |association, wire| association.on_timer(now, wire));
    }

    fn on_packet(&mut self, now: Time, path: usize, packet: &Packet, out: &mut dyn Outbox) {
        let Self { association, reader } = self;
        let sizes = association.options().sizes;
        match reader.read(packet, out) {
            Message::Sack(sack) => association.on_sack(now, &sack, &mut OutboxWire { out, sizes }),
            Message::Control(control) => {
                association.on_control(now, path, &control, &mut OutboxWire { out, sizes });
            }
            Message::Data(_) => {}
        }
        if association.is_done() {
            out.done();
        }
    }

    fn stop(&mut self, _now: Time) {
        self.association.stop();
    }

    fn send_more(&mut self, now: Time, packets: u64, out: &mut dyn Outbox) {
        self.with(out, |association, wire| association.send_more(now, packets, wire));
    }

    fn close(&mut self, _now: Time) {
        self.association.close();
    }

    fn sent(&self) -> Sent {
        let payload = u64::from(self.association.options().sizes.payload);
        let counts = self.association.paths().iter().map(|path| path.sender.counts());
        counts.fold(Sent::default(), |sum, counts| Sent {
            packets: sum.packets + counts.sent,
            payload_bytes: sum.payload_bytes + (counts.sent - counts.retransmitted) * payload,
        })
    }

    fn report(&self, until: Time) -> Report<'_> {
        self.association.report(until)
    }

    fn reset_counts(&mut self, now: Time) {
        self.association.reset_counts(now);
    }

    fn avoids_congestion(&self) -> Option<bool> {
        let path = &self.association.paths()[self.association.current()];
        let decision = path.sender.control().decision();
        Some(decision.cwnd >= decision.ssthresh && !self.association.recovering())
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        let association = &self.association;
        let path = &association.paths()[association.current()];
        let decision = path.sender.control().decision();
        series("cwnd_packets", decision.cwnd);
        series("ssthresh_packets", if decision.ssthresh.is_finite() { decision.ssthresh } else { f64::NAN });
        series("inflight_packets", association.in_flight() as f64);
        series("rtt_s", association.last_rtt().map_or(f64::NAN, Span::seconds));
        series("path", (association.current() + 1) as f64);
        for (path, [cwnd, rto]) in association.paths().iter().zip(PATH_SERIES) {
            series(cwnd, path.cwnd());
            series(rto, path.sender.rto().seconds());
        }
        association.publish_selector(series);
        path.sender.publish(series);
    }
}

/// The receiver's end. It takes no data before a cookie has come back, unless there is no handshake.
pub(super) struct ReceivingEnd {
    pub(super) receiver: Receiver,
    pub(super) reader: Reader,
    pub(super) sizes: Sizes,
    pub(super) is_established: bool,
}

impl ReceivingEnd {
    fn send_sack(receiver: &mut Receiver, wire: &mut impl MessageWire) {
        let (path, sack) = receiver.sack();
        wire.send(path, &Message::Sack(sack));
    }

    pub(super) fn on_control(&mut self, path: usize, control: &Control, wire: &mut impl MessageWire) {
        let (kind, tag) = match control.kind {
            ControlKind::Init => (ControlKind::InitAck, cookie(control.tag)),
            ControlKind::CookieEcho => {
                self.is_established = true;
                (ControlKind::CookieAck, control.tag)
            }
            ControlKind::Heartbeat => (ControlKind::HeartbeatAck, control.tag),
            _ => return,
        };
        wire.send(path, &Message::Control(Control { kind, tag, ..*control }));
    }
}

impl Endpoint for ReceivingEnd {
    fn timer(&self) -> Time {
        self.receiver.timer()
    }

    fn on_timer(&mut self, _now: Time, out: &mut dyn Outbox) {
        Self::send_sack(&mut self.receiver, &mut OutboxWire { out, sizes: self.sizes });
    }

    fn on_packet(&mut self, now: Time, path: usize, packet: &Packet, out: &mut dyn Outbox) {
        let sizes = self.sizes;
        match self.reader.read(packet, out) {
            Message::Data(data) if self.is_established => {
                let arrived = self.receiver.on_data(now, path, &data);
                let bytes = arrived.delivered * u64::from(sizes.payload);
                out.received(Some(data.sent), arrived.delivered, bytes);
                if arrived.answers {
                    Self::send_sack(&mut self.receiver, &mut OutboxWire { out, sizes });
                }
            }
            Message::Data(_) | Message::Sack(_) => {}
            Message::Control(control) => self.on_control(path, &control, &mut OutboxWire { out, sizes }),
        }
    }
}
