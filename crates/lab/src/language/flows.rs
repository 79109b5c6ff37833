//! The flows of a scenario: their number, their paths, their transport and their data.

pub(crate) mod control;
mod keys;
mod member;
mod place;
mod sending;
mod start;
pub(crate) mod workload;

use crate::language::document::{Node, Span as Place_, quoted};
use crate::language::limits::MAX_FLOWS;
use crate::language::reader::TableReader;
use ackclock_aqm::Dscp;
use ackclock_base::Span;
use ackclock_sim::traffic::writer::Writer;
pub use control::ControlPlan;
pub use keys::FLOWS;
pub use member::Member;
pub use place::Place;
pub use sending::Sending;
pub use start::Start;
use std::collections::{HashMap, HashSet};
pub use workload::{SourcePlan, Workload};

/// A group of flows with its paths.
#[derive(Clone, Debug)]
pub struct FlowGroup {
    /// The properties that the flows of the group share.
    pub plan: FlowPlan,
    /// The path of each flow. For connections that count as one flow, the paths from which they choose.
    pub members: Vec<Member>,
}

/// A group of flows as the scenario declares it.
#[derive(Clone, Debug)]
pub struct FlowPlan {
    /// The name of the group, from which those of its flows are derived.
    pub name: String,
    /// The number of flows; 1 for connections begun by a timetable.
    pub count: usize,
    /// The place of the flows in the network.
    pub place: Place,
    /// The locations of the place in the file: of the pair, or of each of the nodes; empty if the file names
    /// no place.
    pub place_spans: Vec<Place_>,
    /// When the flows begin.
    pub start: Start,
    /// When the applications stop; `None` for never.
    pub stop: Option<Span>,
    /// The differentiated services code point of their packets, in both directions.
    pub dscp: Dscp,
    /// The transport, the control and the workload.
    pub sending: Sending,
    /// The location of the group in the file.
    pub span: Place_,
}

impl FlowPlan {
    /// Returns the name of flow number `index`, from 0, of several, or of that connection of a timetable.
    pub fn member_name(&self, index: usize) -> String {
        format!("{}-{}", self.name, index + 1)
    }
}

impl FlowGroup {
    /// Returns the bytes of a data packet on the wire.
    pub fn wire_bytes(&self) -> u32 {
        self.plan.sending.transport.wire_bytes()
    }

    /// Returns the payload bytes of a data packet.
    pub fn payload_bytes(&self) -> f64 {
        self.plan.sending.transport.payload_bytes() as f64
    }

    /// Returns the rate at which the flow sends whatever the network does, in bits per second.
    pub fn least_rate_bps(&self) -> f64 {
        self.plan.sending.uncontrolled().map_or(0.0, |source| source.rate_bps(8.0 * self.payload_bytes()))
    }

    /// Returns the writer of the connection of the flow called `name`; `None` if no source writes into it.
    pub fn writer(&self, name: &str, seed: u64) -> Option<Box<Writer>> {
        let Sending { transport, .. } = &self.plan.sending;
        self.plan.sending.writes().map(|source| source.writer(name, seed, transport.payload_bytes()))
    }

    /// Returns the number of flows in results.
    pub fn rows(&self) -> usize {
        self.plan.count
    }

    /// Returns the name of flow number `index`, from 0.
    pub fn member_name(&self, index: usize) -> String {
        match self.rows() {
            1 => self.plan.name.clone(),
            _ => self.plan.member_name(index),
        }
    }

    /// Returns the names of the flows in results.
    pub fn names(&self) -> impl Iterator<Item = String> {
        (0..self.rows()).map(|index| self.member_name(index))
    }

    /// Returns the name of the control, or that of the application if there is none.
    pub fn control_name(&self) -> &'static str {
        self.plan.sending.control_name()
    }
}

/// Reads the flow groups of a run that lasts `written`, if the file itself says how long.
pub fn read(root: &TableReader<'_>, written: Option<Span>) -> Vec<FlowPlan> {
    let mut plans: Vec<FlowPlan> = Vec::new();
    let mut names = HashSet::new();
    for (index, node, table) in root.tables("flows") {
        let Some(plan) = table.and_then(|table| read_plan(&table, node, written)) else { continue };
        if !names.insert(plan.name.clone()) {
            let found = format!("a second group called {}", quoted(&plan.name));
            root.reader.problem(
                &plan.span,
                &format!("flows.{index}"),
                &found,
                "a unique `name` for each group",
                None,
            );
        }
        plans.push(plan);
    }
    check_member_names(root, &plans);
    let count: usize = plans.iter().map(|plan| plan.count).sum();
    if count > MAX_FLOWS {
        root.problem_at("flows", &format!("{count} flows"), &format!("at most {MAX_FLOWS} flows"));
        plans.clear();
    }
    plans
}

/// Reports a group that is called like a flow of another: a group `x` of two has flows `x-1` and `x-2`.
fn check_member_names(root: &TableReader<'_>, plans: &[FlowPlan]) {
    let larger = plans.iter().filter(|plan| plan.count > 1);
    let counts: HashMap<&str, usize> = larger.map(|plan| (plan.name.as_str(), plan.count)).collect();
    for plan in plans.iter().filter(|plan| plan.count == 1) {
        let Some((other, number)) = plan.name.rsplit_once('-') else { continue };
        let (Some(count), Ok(number)) = (counts.get(other), number.parse::<usize>()) else { continue };
        if (1..=*count).contains(&number) {
            let found = format!("a group with the same name as a flow of the group {}", quoted(other));
            let expected = format!(
                "another `name`: the flows of {} are called {other}-1 to {other}-{count}",
                quoted(other)
            );
            root.reader.problem(&plan.span, &format!("flows.{}", plan.name), &found, &expected, None);
        }
    }
}

fn read_plan(table: &TableReader<'_>, node: &Node, written: Option<Span>) -> Option<FlowPlan> {
    let sending = sending::read(table);
    let place = place::read(table);
    let usual_count = match (&place, &sending) {
        (Some((Place::Pairs(pairs), _)), Some(sending)) if sending.workload.timetable().is_none() => {
            pairs.len()
        }
        _ => 1,
    };
    let count = table.read("count").unwrap_or(usual_count);
    let start = start::read(table);
    let stop = table.read("stop");
    if let (Some(stop), Some(start)) = (stop, &start) {
        start::check_stop(table, stop, start.last(count));
    }
    if let (Some(duration), Some(start)) = (written, &start) {
        start::check_end(table, start, count, duration);
    }
    let dscp = read_dscp(table);
    let sending = sending?;
    workload::check_connections(table, sending.application, &sending.workload, count)?;
    let name = table.name("name").unwrap_or(sending.default_name()).to_owned();
    if name.contains(['.', '"']) {
        table.problem_at("name", &quoted(&name), "a name without dots or quotes");
    }
    let (place, place_spans) = place?;
    place::check_paths(table, &place, &sending)?;
    Some(FlowPlan {
        name,
        count,
        place,
        place_spans,
        start: start?,
        stop,
        dscp,
        sending,
        span: node.span.clone(),
    })
}

/// Reads the code point of the flows' packets; the default one if the file names none.
fn read_dscp(table: &TableReader<'_>) -> Dscp {
    table.word("dscp").and_then(Dscp::named).unwrap_or_default()
}
