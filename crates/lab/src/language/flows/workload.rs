//! The workload of a group of flows: the chosen application, whatever transport carries it.

use super::member::Member;
use crate::language::choice::Choice;
use crate::language::limits::MAX_FLOWS;
use crate::language::reader::TableReader;
use crate::language::values::files::{self, Mistake};
use crate::language::values::sizes;
use ackclock_base::{Descriptor, Values};
use ackclock_sim::random::Stream;
use ackclock_sim::session::SessionPlan;
use ackclock_sim::traffic::empirical::Empirical;
use ackclock_sim::traffic::timetable::Timetable;
use ackclock_sim::traffic::writer::Writer;
use ackclock_sim::traffic::{
    self, FromFile, NamedFiles, Sizes, Source, SourceEntry, TimetableEntry, transfers,
};
use std::sync::Arc;

/// The data that a group of flows sends.
#[derive(Clone, Debug)]
pub enum Workload {
    /// This number of bytes, all available from the beginning; `None` for no end.
    Bulk(Option<u64>),
    /// Packets at times that a source determines.
    Source(SourcePlan),
    /// Many connections, begun by a timetable, which count as one flow.
    Timetable(&'static Descriptor, Arc<dyn Timetable>),
    /// Sessions. The connections of each session count as one flow.
    Session(&'static Descriptor, Arc<dyn SessionPlan>),
}

/// A chosen source, with its parameters.
#[derive(Clone, Debug)]
pub struct SourcePlan {
    /// The descriptor of the application.
    pub descriptor: &'static Descriptor,
    entry: SourceEntry,
    values: Values,
}

impl SourcePlan {
    pub(super) fn new(entry: SourceEntry, application: Choice) -> Self {
        Self { descriptor: application.descriptor, entry, values: application.values }
    }

    /// Returns the sizes of the source's packets.
    pub fn sizes(&self) -> Sizes {
        (self.entry.sizes)(&self.values)
    }

    /// Creates a source for a flow.
    pub fn build(&self) -> Box<dyn Source> {
        (self.entry.build)(&self.values)
    }

    /// Returns the maximum rate, in bits per second, of packets with this payload in bits.
    pub fn rate_bps(&self, payload_bits: f64) -> f64 {
        (self.entry.rate_bps)(&self.values, payload_bits)
    }

    /// Returns the bytes of a write into a connection.
    fn write_bytes(&self) -> u32 {
        self.sizes().packet.bytes() as u32
    }

    /// Returns the bits written per second, and the bytes of a write.
    pub fn written(&self) -> (f64, f64) {
        let bytes = f64::from(self.write_bytes());
        (self.rate_bps(8.0 * bytes), bytes)
    }

    /// Returns the writer into the connection called `name`, whose packets have this payload.
    pub fn writer(&self, name: &str, seed: u64, payload_bytes: u64) -> Box<Writer> {
        let random = Stream::new(seed, &format!("flow {name} traffic"));
        Box::new(Writer::new(self.build(), random, self.write_bytes(), payload_bytes as u32))
    }
}

impl Workload {
    /// Returns the number of packets that a single connection has to send when it begins; [`u64::MAX`] for no
    /// end, and 0 if a source writes.
    pub fn packets(&self, payload_bytes: u64) -> u64 {
        match self {
            Self::Bulk(Some(bytes)) => bytes.div_ceil(payload_bytes.max(1)),
            Self::Source(_) => 0,
            Self::Bulk(None) | Self::Timetable(..) | Self::Session(..) => u64::MAX,
        }
    }

    /// Returns whether a flow is one connection that lasts.
    pub fn is_one_connection(&self) -> bool {
        matches!(self, Self::Bulk(_) | Self::Source(_))
    }

    /// Returns the timetable, if there is one.
    pub fn timetable(&self) -> Option<&dyn Timetable> {
        match self {
            Self::Timetable(_, timetable) => Some(&**timetable),
            _ => None,
        }
    }

    /// Returns the source, if there is one.
    pub fn source(&self) -> Option<&SourcePlan> {
        match self {
            Self::Source(source) => Some(source),
            _ => None,
        }
    }

    /// Returns the maximum number of connections on each path.
    pub fn copies(&self) -> usize {
        match self {
            Self::Timetable(_, timetable) => timetable.most_connections() as usize,
            Self::Session(_, session) => session.connections(),
            Self::Bulk(_) | Self::Source(_) => 1,
        }
    }

    /// Returns the number of links on the paths of all connections, in both directions, for flows with these
    /// paths.
    pub fn steps(&self, members: &[Member]) -> usize {
        let links = members.iter().map(Member::steps);
        match self {
            Self::Timetable(_, timetable) => timetable.most_steps(&links.collect::<Vec<_>>()),
            Self::Session(_, session) => links.sum::<usize>() * session.connections(),
            Self::Bulk(_) | Self::Source(_) => links.sum(),
        }
    }
}

/// Returns the workload of an application whose packets have this payload; `None` after a problem was
/// reported.
pub(super) fn read(
    table: &TableReader<'_>,
    entry: &'static traffic::Entry,
    application: Choice,
    payload_bytes: u64,
) -> Option<Workload> {
    let values = &application.values;
    Some(match entry.workload {
        traffic::Workload::Bulk(size) => Workload::Bulk(size(values)),
        traffic::Workload::Source(source) => Workload::Source(SourcePlan::new(source, application)),
        traffic::Workload::Timetable(TimetableEntry { files, build, .. }) => {
            let file = match files(values, payload_bytes) {
                NamedFiles { list: Some(unit), .. } => Some(read_list(table, unit)?),
                NamedFiles { sizes: Some(unit), .. } => Some(read_sizes(table, unit)?),
                NamedFiles { list: None, sizes: None } => None,
            };
            Workload::Timetable(entry.descriptor, build(values, payload_bytes, file))
        }
        traffic::Workload::Session(build) => {
            Workload::Session(entry.descriptor, build(values, payload_bytes))
        }
    })
}

/// Reads the distribution of the sizes of connections from the file that `sizes` names, in units of `unit`
/// bytes.
fn read_sizes(table: &TableReader<'_>, unit: f64) -> Option<FromFile> {
    let points = read_file(table, "sizes", &["size"], |text| sizes::distribution(text, unit))?;
    Empirical::of(points).map(FromFile::Sizes)
}

/// Reads the connections from the file that `list` names, with sizes in units of `unit` bytes.
fn read_list(table: &TableReader<'_>, unit: f64) -> Option<FromFile> {
    let replaced = ["size", "sizes", "count", "every", "intervals"];
    let list = read_file(table, "list", &replaced, |text| sizes::list(text, unit))?;
    Some(FromFile::List(list.into()))
}

/// Reads the file that a `key` of the application names, in place of which none of `others` may stand.
fn read_file<T>(
    table: &TableReader<'_>,
    key: &str,
    others: &[&str],
    parse: impl FnOnce(&str) -> Result<T, Mistake>,
) -> Option<T> {
    let application = table.get("application")?;
    let crate::language::document::Value::Table(given) = &application.value else { return None };
    let keys: Vec<&str> = given.entries.iter().map(|(key, _, _)| key.as_str()).collect();
    let reader = table.reader.table(application, &table.path_of("application"), &keys)?;
    if let Some(other) = others.iter().find(|other| given.get(other).is_some()) {
        let found = format!("`{other}` together with `{key}`");
        reader.problem_at(other, &found, &format!("only one of `{other}` and `{key}`"));
        return None;
    }
    files::read(&reader, key, reader.text(key)?, parse)
}

/// The maximum number of connections of a timetable. Each takes as much memory as a flow.
const MAX_CONNECTIONS: u64 = transfers::MOST;
/// The maximum number of connections of the sessions of a group.
const MAX_OF_SESSIONS: u64 = MAX_FLOWS as u64;

/// Reports a group of `count` flows with too many connections, and returns `None` for it.
pub(super) fn check_connections(
    table: &TableReader<'_>,
    entry: &traffic::Entry,
    workload: &Workload,
    count: usize,
) -> Option<()> {
    match (workload, entry.workload) {
        (Workload::Timetable(_, timetable), traffic::Workload::Timetable(TimetableEntry { words, .. })) => {
            if table.get("count").is_some() {
                let expected = format!("no `count`: {} sets the number of {}", words.number, words.what);
                table.problem_at("count", &format!("`count` of {}", words.what), &expected);
            }
            let most = timetable.most_connections();
            if most > MAX_CONNECTIONS {
                let expected = format!("at most {MAX_CONNECTIONS} {}: {}", words.connections, words.remedy);
                table.problem_at("application", &format!("{most} {}", words.connections), &expected);
                return None;
            }
        }
        (Workload::Session(_, session), _) => {
            let connections = session.connections() * count;
            if connections as u64 > MAX_OF_SESSIONS {
                let found = format!("{connections} connections in total");
                let expected =
                    format!("at most {MAX_OF_SESSIONS} connections: reduce `count` or `connections`");
                table.problem_at("application", &found, &expected);
                return None;
            }
        }
        _ => {}
    }
    Some(())
}
