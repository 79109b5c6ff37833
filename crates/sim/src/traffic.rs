//! What applications send over UDP, or [write](writer) into a connection: when each packet leaves, whatever happens to
//! those before it. And connections over TCP that are begun by a timetable.
//!
//! A source draws from the random stream of its flow and knows no clock: it is asked for the time to its next packet.

pub mod adaptive_video;
pub mod constant;
pub mod empirical;
pub mod mmpp;
pub mod pages;
pub mod timetable;
pub mod transfers;
pub mod video;
pub mod web;
pub mod writer;

use crate::random::Stream;
use ackclock_base::declare::{self, Declared};
use ackclock_base::{Descriptor, Kind, Parameter, Range, Rate, Size, Span, Values};

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
    /// Its name, what lists say about it, and its parameters.
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

/// The sources over UDP and for connections, in the order in which lists show them.
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
const PACKET: Declared<Size> = declare::size("1000 B", Range::between(1.0, 65_000.0), "none")
    .about("Payload of a packet; over a connection, what is written at a time");
const HEADER: Declared<Size> = declare::size("28 B", Range::between(0.0, 500.0), "IPv4 20 B, UDP 8 B")
    .about("What the headers add to a packet on the wire");
/// Mean times: neither so short that a packet's worth of them takes long, nor longer than a run.
const MEAN_TIMES: Range = Range::between(1e-6, 1e6);
/// Mean numbers of what there is at least one of.
const MEAN_NUMBERS: Range = Range::between(1.0, 1e6);

/// For tests: when the packets of a source leave, up to `until`, in seconds.
#[cfg(test)]
pub(crate) fn departures(source: &mut dyn Source, seed: u64, until: f64) -> Vec<f64> {
    let mut random = Stream::new(seed, "source");
    let mut now = ackclock_base::Time::ZERO + source.first(&mut random);
    let mut times = Vec::new();
    while now.seconds() < until {
        times.push(now.seconds());
        now += source.next(&mut random);
    }
    times
}
