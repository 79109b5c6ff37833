//! The applications of flows, in one [list](APPLICATIONS) for all transports: [bulk] data; sources, which
//! send over UDP or [write](writer) into a connection at times that do not depend on the network; connections
//! that begin by a [timetable]; and [sessions](crate::session).
//!
//! A source draws from the random stream of its flow and knows no clock. It is asked for the time to its next
//! packet.

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

/// The times at which an application sends packets, and their sizes.
pub trait Source: Send {
    /// Returns the time from the start of the flow to the first packet.
    fn first(&mut self, random: &mut Stream) -> Span;

    /// Returns the time from a packet to the next.
    fn next(&mut self, random: &mut Stream) -> Span;

    /// Returns the payload in bytes of the packet that is due; `None` for the usual payload.
    fn payload(&mut self) -> Option<u32> {
        None
    }
}

/// A registered application.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The name, the summary and the parameters.
    pub descriptor: &'static Descriptor,
    /// The way in which the application loads a transport.
    pub workload: Workload,
}

/// The way in which an application loads a transport, with the function that builds it from its parameters.
#[derive(Clone, Copy, Debug)]
pub enum Workload {
    /// The application has this number of bytes to send, all from the beginning; `None` for no end.
    Bulk(fn(&Values) -> Option<u64>),
    /// The application sends packets at times of its own.
    Source(SourceEntry),
    /// The application begins connections at times that are known before the run.
    Timetable(TimetableEntry),
    /// The application has some connections, and continues when they have delivered their data. The second
    /// argument is the payload of a packet in bytes.
    Session(fn(&Values, u64) -> Arc<dyn SessionPlan>),
}

/// The functions that describe and build a source.
#[derive(Clone, Copy, Debug)]
pub struct SourceEntry {
    /// Builds the source of a flow.
    pub build: fn(&Values) -> Box<dyn Source>,
    /// Returns the sizes of its packets.
    pub sizes: fn(&Values) -> Sizes,
    /// Returns an upper bound of the mean rate in bits per second, for packets whose payload has this number
    /// of bits.
    pub rate_bps: fn(&Values, f64) -> f64,
}

/// The functions that describe and build a timetable.
#[derive(Clone, Copy, Debug)]
pub struct TimetableEntry {
    /// Returns the files that its parameters name, for packets of this payload.
    pub files: fn(&Values, u64) -> NamedFiles,
    /// Builds the timetable for packets of this payload, with the contents of the file, if it names one.
    pub build: fn(&Values, u64, Option<FromFile>) -> Arc<dyn Timetable>,
    /// The words for its connections in messages.
    pub words: TimetableWords,
}

/// The files that the parameters of a timetable name.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NamedFiles {
    /// The unit in bytes of the sizes in the file that `sizes` names; `None` if it names none.
    pub sizes: Option<f64>,
    /// The unit in bytes of the sizes in the file that `list` names; `None` if it names none.
    pub list: Option<f64>,
}

/// The contents of a file that a timetable names.
#[derive(Clone, Debug, PartialEq)]
pub enum FromFile {
    /// The distribution of the sizes of connections.
    Sizes(Empirical),
    /// The connections in the order of their beginnings: the time after the timetable's start, and the bytes.
    List(Arc<[(Span, u64)]>),
}

/// The words for the connections of a timetable in messages.
#[derive(Clone, Copy, Debug)]
pub struct TimetableWords {
    /// The plural noun for them, such as `transfers`.
    pub what: &'static str,
    /// The parameter that sets their number.
    pub number: &'static str,
    /// The words after the number of connections, as in `20000 transfers`.
    pub connections: &'static str,
    /// The advice on how to reduce their number.
    pub remedy: &'static str,
}

/// The packet sizes of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// The payload of a packet.
    pub packet: Size,
    /// The size of the headers on the wire.
    pub header: Size,
    /// The payload of the reply to each packet, if there is a reply.
    pub reply: Option<Size>,
}

/// The applications, in the order of lists. The first is the default of a flow.
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
    .about("Payload of a packet over UDP, or size of a write into a connection");
const HEADER: Declared<Size> = declare::size("28 B", Range::between(0.0, 500.0), "IPv4 20 B, UDP 8 B").about(
    "Size of the headers of a UDP packet on the wire; only for a flow over UDP, because the transport of a connection \
     sets the size of its headers",
);
/// The range of mean times in seconds: not so short that a source needs very many events for each packet, and
/// no longer than a run.
const MEAN_TIMES: Range = Range::between(1e-6, 1e6);
/// The range of mean numbers that are at least one.
const MEAN_NUMBERS: Range = Range::between(1.0, 1e6);

/// Returns the times in seconds, before `until`, at which a source sends packets.
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
