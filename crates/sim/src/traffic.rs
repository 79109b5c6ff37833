//! What applications send over UDP: when each packet leaves, whatever happens to those before it. And
//! connections over TCP that are begun by a timetable.
//!
//! A source draws from the random stream of its flow and knows no clock: it is asked for the time to its next packet.

pub mod adaptive_video;
pub mod constant;
pub mod mmpp;
pub mod pages;
pub mod timetable;
pub mod transfers;
pub mod video;
pub mod web;

use crate::measure::Interval;
use crate::packet::Packet;
use crate::random::Stream;
use crate::session::Tally;
use ackclock_base::declare::{self, Declared};
use ackclock_base::{Descriptor, Kind, Parameter, Range, Rate, Size, Span, Time, Values};

/// When packets leave.
pub trait Source: Send {
    /// The time from the start of the flow to its first packet.
    fn first(&mut self, random: &mut Stream) -> Span;

    /// The time from a packet to the next.
    fn next(&mut self, random: &mut Stream) -> Span;

    /// The payload of the packet that is due, in bytes; `None` for the usual one.
    fn payload(&mut self) -> Option<u32> {
        None
    }
}

/// A registered source.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// What it is.
    pub descriptor: &'static Descriptor,
    /// Makes one for a flow.
    pub build: fn(&Values) -> Box<dyn Source>,
    /// How large its packets are.
    pub sizes: fn(&Values) -> Sizes,
    /// The bits per second that packets of this payload, in bits, may come to.
    pub rate_bps: fn(&Values, f64) -> f64,
}

/// How large the packets of a source are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Payload of a packet.
    pub packet: Size,
    /// What the headers add to it on the wire.
    pub header: Size,
    /// Payload of the reply to each packet, where there is one.
    pub reply: Option<Size>,
}

/// The sources over UDP, in the order in which lists show them.
pub const SOURCES: &[Entry] =
    &[constant::CBR, constant::ON_OFF, mmpp::ENTRY, video::ENTRY, constant::REQUESTS];

/// The source called `name`.
pub fn find(name: &str) -> Option<&'static Entry> {
    SOURCES.iter().find(|entry| entry.descriptor.name == name)
}

const fn application(
    name: &'static str,
    summary: &'static str,
    source: &'static str,
    parameters: &'static [Parameter],
) -> Descriptor {
    Descriptor { kind: Kind::Application, name, summary, source, parameters, presets: &[] }
}

const RATE: Declared<Rate> = declare::rate("100 kbit/s", Range::between(1.0, 1e12), "none");
const PACKET: Declared<Size> =
    declare::size("1000 B", Range::between(1.0, 65_000.0), "none").about("Payload of a packet");
const HEADER: Declared<Size> = declare::size("28 B", Range::between(0.0, 500.0), "IPv4 20 B, UDP 8 B")
    .about("What the headers add to a packet on the wire");
/// Mean times: neither so short that a packet's worth of them takes long, nor longer than a run.
const MEAN_TIMES: Range = Range::between(1e-6, 1e6);
/// Mean numbers of what there is at least one of.
const MEAN_NUMBERS: Range = Range::between(1.0, 1e6);

/// What a flow over UDP sends.
pub struct UdpOptions {
    /// Usual bytes of a packet on the wire.
    pub wire_bytes: u32,
    /// Usual payload bytes of a packet.
    pub payload_bytes: u32,
    /// Bytes on the wire of the reply to each packet, where there is one.
    pub reply_bytes: Option<u32>,
    /// When packets leave.
    pub source: Box<dyn Source>,
    /// What the source draws from.
    pub random: Stream,
}

/// Both ends: packets as the source says, from the start of the flow to its stop, and what answers them.
pub struct UdpSender {
    options: UdpOptions,
    next: Time,
    number: u64,
    counted_from: u64,
    /// Payload bytes sent since counting began.
    sent_bytes: u64,
    /// Requests and how long they took, where there are replies.
    tally: Option<Tally>,
}

impl UdpSender {
    /// A sender that has not started.
    pub fn new(options: UdpOptions, measured: Interval) -> Self {
        let tally = options.reply_bytes.map(|_| Tally::new(measured));
        Self { options, next: Time::NEVER, number: 0, counted_from: 0, sent_bytes: 0, tally }
    }

    /// Begins.
    pub fn start(&mut self, now: Time) {
        self.next = now + self.options.source.first(&mut self.options.random);
    }

    /// Ends.
    pub fn stop(&mut self) {
        self.next = Time::NEVER;
    }

    /// When the next packet leaves.
    pub fn timer(&self) -> Time {
        self.next
    }

    /// The packet that is due now.
    pub fn on_timer(&mut self, now: Time) -> Packet {
        let number = self.number;
        self.number += 1;
        let payload = self.options.source.payload().unwrap_or(self.options.payload_bytes);
        self.sent_bytes += u64::from(payload);
        self.next = now + self.options.source.next(&mut self.options.random);
        self.tally.iter_mut().for_each(|tally| tally.begin(now));
        Packet { number, stamp: now, bytes: payload + self.header(), ..Packet::default() }
    }

    /// The payload of a packet that has arrived.
    pub fn payload_of(&self, packet: &Packet) -> u32 {
        packet.bytes.saturating_sub(self.header())
    }

    /// What answers a packet that has arrived, if anything does.
    pub fn reply_to(&self, packet: &Packet) -> Option<Packet> {
        let bytes = self.options.reply_bytes?;
        Some(Packet { number: packet.number, stamp: packet.stamp, bytes, ..Packet::default() })
    }

    /// A reply has come back.
    pub fn on_reply(&mut self, now: Time, reply: &Packet) {
        self.tally.iter_mut().for_each(|tally| tally.complete(reply.stamp, now));
    }

    /// Requests and how long they took, where there are replies.
    pub fn tally(&self) -> Option<&Tally> {
        self.tally.as_ref()
    }

    /// Packets sent since counting began.
    pub fn sent(&self) -> u64 {
        self.number - self.counted_from
    }

    /// Payload bytes of these.
    pub fn sent_bytes(&self) -> u64 {
        self.sent_bytes
    }

    /// Starts counting anew at the end of the warm-up.
    pub fn reset_counts(&mut self) {
        (self.counted_from, self.sent_bytes) = (self.number, 0);
    }

    fn header(&self) -> u32 {
        self.options.wire_bytes - self.options.payload_bytes
    }
}

/// For tests: when the packets of a source leave, up to `until`, in seconds.
#[cfg(test)]
pub(crate) fn departures(source: &mut dyn Source, seed: u64, until: f64) -> Vec<f64> {
    let mut random = Stream::new(seed, "source");
    let mut now = Time::ZERO + source.first(&mut random);
    let mut times = Vec::new();
    while now.seconds() < until {
        times.push(now.seconds());
        now += source.next(&mut random);
    }
    times
}
