//! UDP: packets at the times of a [`Source`], from the start of the flow to its stop, and optional replies.

use crate::endpoint::{Endpoint, Ends, Outbox, Properties, Sent};
use crate::measure::Interval;
use crate::packet::Packet;
use crate::random::Stream;
use crate::ranges::Ranges;
use crate::report::Report;
use crate::session::Tally;
use crate::traffic::Source;
use ackclock_base::{Span, Time};

/// The options of a flow over UDP.
pub struct UdpOptions {
    /// The usual size of a packet on the wire, in bytes.
    pub wire_bytes: u32,
    /// The usual payload of a packet, in bytes.
    pub payload_bytes: u32,
    /// The size on the wire of the reply to each packet, in bytes; `None` for no replies.
    pub reply_bytes: Option<u32>,
    /// The source of the times and sizes of packets.
    pub source: Box<dyn Source>,
    /// The random stream of the source.
    pub random: Stream,
}

impl UdpOptions {
    /// Returns the ends of the flow: the one that sends, and the one that may reply.
    pub fn ends(self, measured: Interval) -> Ends {
        let Self { wire_bytes, payload_bytes, reply_bytes, source, random } = self;
        let header_bytes = wire_bytes - payload_bytes;
        let sender = UdpSender {
            payload_bytes,
            header_bytes,
            source,
            random,
            next: Time::NEVER,
            sent: Sent::default(),
            tally: reply_bytes.map(|_| Tally::new(measured)),
            requests: 0,
            answered: Ranges::default(),
            last_rtt: None,
        };
        [Box::new(sender), Box::new(UdpReceiver { header_bytes, reply_bytes })]
    }
}

/// The sending end. The header words of a packet are the time of sending and, for a request, its number; a
/// reply repeats them.
struct UdpSender {
    payload_bytes: u32,
    header_bytes: u32,
    source: Box<dyn Source>,
    random: Stream,
    next: Time,
    sent: Sent,
    /// The requests and their durations, if there are replies.
    tally: Option<Tally>,
    /// The number of requests, and those that have been answered. A link may duplicate a request or its
    /// reply.
    requests: u64,
    answered: Ranges,
    /// The round-trip time of the last reply.
    last_rtt: Option<Span>,
}

impl Endpoint for UdpSender {
    fn start(&mut self, now: Time, _out: &mut dyn Outbox) {
        self.next = now + self.source.first(&mut self.random);
    }

    fn timer(&self) -> Time {
        self.next
    }

    fn on_timer(&mut self, now: Time, out: &mut dyn Outbox) {
        let payload = self.source.payload().unwrap_or(self.payload_bytes);
        self.sent.packets += 1;
        self.sent.payload_bytes += u64::from(payload);
        self.next = now + self.source.next(&mut self.random);
        let mut header = [now.nanos(), 0, 0];
        if let Some(tally) = &mut self.tally {
            tally.begin(now);
            header[1] = self.requests;
            self.requests += 1;
        }
        out.send(0, Packet { bytes: payload + self.header_bytes, header, ..Packet::default() });
    }

    fn on_packet(&mut self, now: Time, _path: usize, reply: &Packet, _out: &mut dyn Outbox) {
        self.last_rtt = Some(now.since(sent_at(reply)));
        if let Some(tally) = &mut self.tally
            && self.answered.insert(reply.header[1])
        {
            tally.complete(sent_at(reply), now);
        }
    }

    fn stop(&mut self, _now: Time) {
        self.next = Time::NEVER;
    }

    fn sent(&self) -> Sent {
        self.sent
    }

    fn report(&self, _until: Time) -> Report<'_> {
        Report { requests: self.tally.as_ref(), ..Report::default() }
    }

    fn reset_counts(&mut self, _now: Time) {
        self.sent = Sent::default();
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        if self.tally.is_some() {
            series("rtt_s", self.last_rtt.map_or(f64::NAN, Span::seconds));
        }
    }
}

/// The receiving end.
struct UdpReceiver {
    header_bytes: u32,
    reply_bytes: Option<u32>,
}

impl Endpoint for UdpReceiver {
    fn properties(&self) -> Properties {
        Properties { only_answers: true, ..Properties::default() }
    }

    fn on_packet(&mut self, _now: Time, _path: usize, packet: &Packet, out: &mut dyn Outbox) {
        let payload = packet.bytes.saturating_sub(self.header_bytes);
        out.received(Some(sent_at(packet)), 1, u64::from(payload));
        if let Some(bytes) = self.reply_bytes {
            out.send(0, Packet { bytes, header: packet.header, ..Packet::default() });
        }
    }
}

fn sent_at(packet: &Packet) -> Time {
    Time::from_nanos(packet.header[0])
}
