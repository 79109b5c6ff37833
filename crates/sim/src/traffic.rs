//! The applications of flows, in one [list](APPLICATIONS) whatever the transport: [bulk] data; sources, which send over UDP or
//! [write](writer) into a connection, and say when each packet leaves, whatever happens to those before it; connections that are begun
//! by a [timetable]; and [sessions](crate::session).
//!
//! A source draws from the random stream of its flow and knows no clock: it is asked for the time to its next packet.

pub mod adaptive_video;
pub mod bulk;
pub mod constant;
pub mod empirical;
pub mod mmpp;
pub mod pages;
pub mod timetable;
pub mod transfers;
pub mod video;
pub mod web;
pub mod writer;

use self::empirical::Empirical;
use self::timetable::Timetable;
use crate::random::Stream;
use crate::session::SessionPlan;
use ackclock_base::declare::{self, Declared};
use ackclock_base::{Descriptor, Kind, Parameter, Range, Rate, Size, Span, Values};
use std::sync::Arc;

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

/// A registered application.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name, what lists say about it, and its parameters.
    pub descriptor: &'static Descriptor,
    /// How it loads a transport.
    pub workload: Workload,
}

/// How an application loads a transport, and what makes it from its parameters.
#[derive(Clone, Copy, Debug)]
pub enum Workload {
    /// It has this number of bytes to send, all from the beginning; `None` for no end.
    Bulk(fn(&Values) -> Option<u64>),
    /// It has packets to send at times of its own.
    Source(SourceEntry),
    /// It begins connections at times that are known before the run.
    Timetable(TimetableEntry),
    /// It has some connections, and goes on when these have delivered. The second argument is the payload of a packet in bytes.
    Session(fn(&Values, u64) -> Arc<dyn SessionPlan>),
}

/// What makes a source.
#[derive(Clone, Copy, Debug)]
pub struct SourceEntry {
    /// Makes one for a flow.
    pub build: fn(&Values) -> Box<dyn Source>,
    /// How large its packets are.
    pub sizes: fn(&Values) -> Sizes,
    /// The bits per second that packets of this payload, in bits, may come to.
    pub rate_bps: fn(&Values, f64) -> f64,
    /// What the source of a flow costs beside its packets, if it sends this number of packets in a second, for this number of
    /// seconds; `None` for nothing.
    pub effort: fn(&Values, f64, f64) -> Option<Effort>,
}

/// What a source costs beside the packets that its rate suggests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    /// The packets of a session, which leave at the rate of all its flows together.
    pub session_packets: f64,
    /// The mean lifetime of a flow of the source in seconds.
    pub lifetime_s: f64,
    /// The steps that the source plays before its first packet.
    pub steps: f64,
}

/// The effort of a source that costs nothing beside its packets.
const NO_EFFORT: fn(&Values, f64, f64) -> Option<Effort> = |_, _, _| None;

/// What makes a timetable.
#[derive(Clone, Copy, Debug)]
pub struct TimetableEntry {
    /// The bytes of the unit in which the file of its parameter `sizes` counts, for packets of this payload; `None` where it names
    /// no file.
    pub unit_of_sizes: fn(&Values, u64) -> Option<f64>,
    /// Makes one for packets of this payload, with the distribution that the file holds, where there is one.
    pub build: fn(&Values, u64, Option<Empirical>) -> Arc<dyn Timetable>,
    /// How messages call its connections.
    pub words: TimetableWords,
}

/// How messages call the connections of a timetable.
#[derive(Clone, Copy, Debug)]
pub struct TimetableWords {
    /// What there are several of, such as `transfers`.
    pub what: &'static str,
    /// The parameter that says how many there are.
    pub number: &'static str,
    /// The connections, as in `20000 transfers`.
    pub connections: &'static str,
    /// What makes them fewer.
    pub remedy: &'static str,
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

/// The applications, in the order in which lists show them. The first is what a flow sends that is told nothing else.
pub const APPLICATIONS: &[Entry] = &[
    bulk::ENTRY,
    constant::CBR,
    constant::ON_OFF,
    mmpp::ENTRY,
    video::ENTRY,
    constant::REQUESTS,
    transfers::ENTRY,
    pages::ENTRY,
    adaptive_video::ENTRY,
    web::ENTRY,
];

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
