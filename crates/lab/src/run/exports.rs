//! Exports of a run in the formats of other tools. They are written during the run, so the memory that they
//! need depends on the packets in flight and not on the length of the run.

use crate::language::flows::{FlowGroup, Sending};
use crate::language::scenario::Scenario;
use crate::run::build::{self, Keep};
use crate::run::measured;
use crate::run::result::RunResult;
use ackclock_base::{Span, Time};
use ackclock_export::dialect::{Dialect, Pair};
use ackclock_export::events::{Recorder, Table};
use ackclock_export::mahimahi::{self, Deliveries};
use ackclock_export::pcapng::{CaptureFile, Interface};
use ackclock_export::qlog::QlogFile;
use ackclock_sim::capture::{Capture, Captured, Place};
use ackclock_sim::simulation::{RunError, Simulation};
use ackclock_sim::timeline::Timeline;
use ackclock_sim::transmission::{Changes, Manner};
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The exports to write.
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    /// The captures, each with the place at which packets are seen.
    pub captures: Vec<(Place, PathBuf)>,
    /// Whether captures contain payloads, which are zeros.
    pub payloads: bool,
    /// The files for qlog, each with its flow's row of results. A file is written only if the row has one
    /// connection of TCP or QUIC.
    pub qlogs: Vec<(usize, PathBuf)>,
    /// The mahimahi files of the data that flows deliver, each with its flow's row.
    pub deliveries: Vec<(usize, PathBuf)>,
    /// The mahimahi files of rates, each with its link.
    pub rates: Vec<(u32, PathBuf)>,
    /// Whether the event log is returned.
    pub events: bool,
}

/// The exports that were written.
pub struct Exported {
    /// The result of the run, which exports do not change.
    pub result: RunResult,
    /// The files, each with its number of records.
    pub files: Vec<(PathBuf, u64)>,
    /// The event log; `None` if it was not asked for.
    pub events: Option<Table>,
    /// The names of the rows of results.
    pub rows: Vec<String>,
}

/// The reason why an export failed.
#[derive(Debug)]
pub enum ExportError {
    /// The run failed.
    Run(RunError),
    /// A file could not be written.
    File(PathBuf, io::Error),
}

impl From<RunError> for ExportError {
    fn from(error: RunError) -> Self {
        Self::Run(error)
    }
}

type Out = BufWriter<File>;

/// The simulated time between two writes of what has been seen.
const SLICE: Span = Span::from_millis(20);

/// Returns whether each row of a group has one connection of a transport that qlog describes, as a qlog file
/// requires.
fn has_one_connection(group: &FlowGroup) -> bool {
    let Sending { transport, workload, .. } = &group.plan.sending;
    workload.is_one_connection() && transport.dialect().qlog_name().is_some()
}

/// Runs a scenario once and writes the exports. `goes_on` is called repeatedly during the run, and cancels it
/// by returning false.
pub fn export(
    scenario: &Scenario,
    seed: u64,
    wishes: &Wishes,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Exported, ExportError> {
    let cancelled = AtomicBool::new(false);
    let measured = measured(scenario, seed, &cancelled)?;
    let records = wishes.events || !wishes.qlogs.is_empty();
    let recorder = records.then(Recorder::default);
    let (places, mut files) = Files::begin(scenario, seed, wishes)?;
    let keep = Keep { watch: true, capture: places, ..Keep::default() };
    let mut simulation = build::recorded_simulation(scenario, seed, keep, measured, recorder.as_ref());
    let mut until = Time::ZERO;
    while until < measured.to {
        until = (until + SLICE).min(measured.to);
        simulation.run_until(until, &cancelled)?;
        if !goes_on() {
            return Err(RunError::Cancelled.into());
        }
        files.take(&mut simulation, recorder.as_ref(), wishes.events, until, until == measured.to)?;
    }
    let mut written = files.finish()?;
    for (link, path) in &wishes.rates {
        let lines =
            write_rate(scenario, *link, path).map_err(|error| ExportError::File(path.clone(), error))?;
        written.push((path.clone(), lines));
    }
    let events = recorder.filter(|_| wishes.events).map(|recorder| recorder.with(|log| log.table()));
    let result = RunResult::of(scenario, seed, &mut simulation);
    Ok(Exported { result, files: written, events, rows: rows(scenario) })
}

fn rows(scenario: &Scenario) -> Vec<String> {
    let names =
        |group: &FlowGroup| (0..group.rows()).map(|index| group.member_name(index)).collect::<Vec<_>>();
    scenario.flows.iter().flat_map(names).collect()
}

fn write_rate(scenario: &Scenario, link: u32, path: &Path) -> io::Result<u64> {
    let plan = &scenario.network.links[link as usize];
    let constant = || Changes {
        rates: Timeline::constant(plan.wire.pace.rate),
        manner: Manner::BitByBit,
        outage: None,
        nominal: plan.wire.pace.rate,
    };
    let changes = plan.changes().unwrap_or_else(constant);
    mahimahi::write_rate(&changes, scenario.duration, BufWriter::new(File::create(path)?))
}

/// The files that are being written.
struct Files {
    pairs: Vec<Pair>,
    /// The captures, each with the index of its place.
    captures: Vec<(usize, PathBuf, CaptureFile<Out>)>,
    /// For each place, whether its capture has one interface per row (at the ends of flows) or only one (at a
    /// link).
    by_row: Vec<bool>,
    /// The qlog files by row; `deliveries` are the delivery files by row.
    qlogs: HashMap<usize, (PathBuf, QlogFile<Out>)>,
    deliveries: HashMap<usize, (PathBuf, Deliveries<Out>)>,
    /// The index of the place that qlog uses; `receivers` is that of deliveries.
    senders: Option<usize>,
    receivers: Option<usize>,
    /// The number of records of the event log that qlog has received.
    told: usize,
}

impl Files {
    fn begin(scenario: &Scenario, seed: u64, wishes: &Wishes) -> Result<(Vec<Place>, Self), ExportError> {
        let mut places: Vec<Place> = Vec::new();
        let mut index = |place: Place| {
            places.iter().position(|other| *other == place).unwrap_or_else(|| {
                places.push(place);
                places.len() - 1
            })
        };
        let about = format!("{}, seed {seed}; times are relative to the start of the run", scenario.name);
        let rows = rows(scenario);
        let pairs = pairs(scenario, seed);
        let mut captures = Vec::new();
        for (place, path) in &wishes.captures {
            let begun = begin_capture(scenario, *place, path, &about, &rows, wishes.payloads);
            captures.push((index(*place), path.clone(), at(path, begun)?));
        }
        let mut qlogs = HashMap::new();
        let groups: Vec<&FlowGroup> =
            scenario.flows.iter().flat_map(|group| std::iter::repeat_n(group, group.rows())).collect();
        for (row, path) in &wishes.qlogs {
            let told = groups.get(*row).is_some_and(|group| has_one_connection(group));
            let Some(pair) = pairs.iter().find(|pair| pair.row == *row && told) else { continue };
            let file = open(path).and_then(|file| QlogFile::new(file, &rows[*row], &about, pair));
            qlogs.insert(*row, (path.clone(), at(path, file)?));
        }
        let mut deliveries = HashMap::new();
        for (row, path) in &wishes.deliveries {
            deliveries.insert(*row, (path.clone(), Deliveries::new(at(path, open(path))?)));
        }
        let senders = (!qlogs.is_empty()).then(|| index(Place::Senders));
        let receivers = (!deliveries.is_empty()).then(|| index(Place::Receivers));
        let by_row = places.iter().map(|place| matches!(place, Place::Senders | Place::Receivers)).collect();
        let files = Self { pairs, captures, by_row, qlogs, deliveries, senders, receivers, told: 0 };
        Ok((places, files))
    }

    /// Writes what has been seen before `until`.
    fn take(
        &mut self,
        simulation: &mut Simulation,
        recorder: Option<&Recorder>,
        keeps_records: bool,
        until: Time,
        is_end: bool,
    ) -> Result<(), ExportError> {
        if let Some(capture) = simulation.network.trace.as_mut().and_then(|trace| trace.capture.as_mut()) {
            self.take_packets(capture, recorder, until, is_end)?;
        }
        self.tell_records(recorder, until)?;
        if let Some(recorder) = recorder.filter(|_| !keeps_records) {
            recorder.with(|log| log.clear());
            self.told = 0;
        }
        Ok(())
    }

    fn take_packets(
        &mut self,
        capture: &mut Capture,
        recorder: Option<&Recorder>,
        until: Time,
        is_end: bool,
    ) -> Result<(), ExportError> {
        if is_end {
            capture.decide_all();
        }
        for place in 0..capture.places() {
            while let Some(captured) = capture.take(place, until) {
                if Some(place) == self.senders {
                    // Records that a packet causes on arrival are written after it, records that cause a
                    // packet before it.
                    let before = captured.time + Span::from_nanos(u64::from(captured.path + 1) % 2);
                    self.tell_records(recorder, before)?;
                }
                self.add(&captured)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, captured: &Captured) -> Result<(), ExportError> {
        let pair = &self.pairs[captured.path as usize / 2];
        for (place, path, file) in &mut self.captures {
            if *place == captured.place {
                let interface = if self.by_row[*place] { pair.row as u32 } else { 0 };
                at(path, file.add(interface, pair, captured))?;
            }
        }
        if Some(captured.place) == self.senders
            && let Some((path, file)) = self.qlogs.get_mut(&pair.row)
        {
            at(path, file.add_packet(pair, captured))?;
        }
        if Some(captured.place) == self.receivers
            && captured.path.is_multiple_of(2)
            && let Some((path, file)) = self.deliveries.get_mut(&pair.row)
        {
            at(path, file.add(captured.time, captured.packet.bytes))?;
        }
        Ok(())
    }

    /// Passes what controls heard before `before` to qlog.
    fn tell_records(&mut self, recorder: Option<&Recorder>, before: Time) -> Result<(), ExportError> {
        let Some(recorder) = recorder.filter(|_| !self.qlogs.is_empty()) else { return Ok(()) };
        let Self { qlogs, told, .. } = self;
        recorder.with(|log| {
            while let Some(record) = log.records.get(*told).filter(|record| record.call.time() < before) {
                let source = log.sources[record.source as usize];
                if let Some((path, file)) = qlogs.get_mut(&source.row) {
                    at(path, file.add_record(record, source, log.model_state(record)))?;
                }
                *told += 1;
            }
            Ok(())
        })
    }

    fn finish(self) -> Result<Vec<(PathBuf, u64)>, ExportError> {
        let mut written = Vec::new();
        for (_, path, file) in self.captures {
            let packets = file.packets;
            at(&path, file.finish())?;
            written.push((path, packets));
        }
        for (_, (path, file)) in self.qlogs {
            let events = file.events;
            at(&path, file.finish())?;
            written.push((path, events));
        }
        for (_, (path, file)) in self.deliveries {
            let lines = file.lines;
            at(&path, file.finish())?;
            written.push((path, lines));
        }
        written.sort();
        Ok(written)
    }
}

fn at<T>(path: &Path, result: io::Result<T>) -> Result<T, ExportError> {
    result.map_err(|error| ExportError::File(path.to_owned(), error))
}

fn open(path: &Path) -> io::Result<Out> {
    File::create(path).map(BufWriter::new)
}

fn begin_capture(
    scenario: &Scenario,
    place: Place,
    path: &Path,
    about: &str,
    rows: &[String],
    payloads: bool,
) -> io::Result<CaptureFile<Out>> {
    let links = &scenario.network.links;
    let of_rows = |end: &str| -> Vec<Interface> {
        let of = |name: &String| Interface {
            name: name.clone(),
            description: format!("the {end}'s end of flow {name}"),
            speed: None,
        };
        rows.iter().map(of).collect()
    };
    let of_link = |link: u32, side: &str| {
        let link = &links[link as usize];
        let description = format!("{side} the queue of link {}", link.name);
        vec![Interface {
            name: link.name.clone(),
            description,
            speed: Some(link.wire.pace.rate.bits_per_second()),
        }]
    };
    let (interfaces, dropped) = match place {
        Place::Senders => (of_rows("sender"), ""),
        Place::Receivers => (of_rows("receiver"), ""),
        Place::Before(link) => (of_link(link, "in front of"), "dropped by the queue"),
        Place::After(link) => (of_link(link, "behind"), "corrupted on the wire"),
    };
    CaptureFile::new(open(path)?, about, &interfaces, dropped, payloads)
}

/// Returns the pairs of paths of all flows, in the order of their numbers.
fn pairs(scenario: &Scenario, seed: u64) -> Vec<Pair> {
    let of_rows = |group: &FlowGroup| {
        std::iter::repeat_n(group.plan.sending.transport.dialect(), group.rows()).collect::<Vec<_>>()
    };
    let dialects: Vec<Arc<dyn Dialect>> = scenario.flows.iter().flat_map(of_rows).collect();
    let flows = build::flows(scenario, seed);
    let of_flow = |(flow, parts): (usize, &ackclock_sim::flow::FlowParts)| {
        let dialect = dialects[parts.row].clone();
        let row = parts.row;
        (0..parts.paths.len() as u32)
            .map(|path| Pair { flow: flow as u32, path, row, dialect: dialect.clone() })
            .collect::<Vec<_>>()
    };
    flows.iter().enumerate().flat_map(of_flow).collect()
}
