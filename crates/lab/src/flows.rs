//! The flows of a scenario: how many, where, how they send and what.

mod control;
mod keys;
mod place;
mod sending;
mod start;
mod workload;

use crate::document::{Node, Span as Place_, quoted};
use crate::limits::MAX_FLOWS;
use crate::reader::TableReader;
use ackclock_aqm::Dscp;
use ackclock_base::Span;
use ackclock_sim::traffic::writer::Writer;
pub use control::ControlPlan;
pub use keys::FLOWS;
pub use place::Place;
pub use sending::Sending;
pub use start::Start;
use std::collections::{HashMap, HashSet};
pub use workload::{SourcePlan, Workload};

/// A group of flows with its paths.
#[derive(Clone, Debug)]
pub struct FlowGroup {
    /// What the flows of the group have in common.
    pub plan: FlowPlan,
    /// Each flow's path; of connections that are one flow the paths that they choose from.
    pub members: Vec<Member>,
}

/// One flow's path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The links to the receiver.
    pub forward: Vec<u32>,
    /// The links back.
    pub backward: Vec<u32>,
    /// Its other paths, of a transport that has several.
    pub others: Vec<Self>,
}

impl Member {
    /// All its paths.
    pub fn paths(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.others)
    }

    /// Links there and back, over all paths.
    pub fn steps(&self) -> usize {
        self.paths().map(|path| path.forward.len() + path.backward.len()).sum()
    }
}

/// A group of flows as it is written.
#[derive(Clone, Debug)]
pub struct FlowPlan {
    /// Its name; flows are called after it.
    pub name: String,
    /// How many flows; one where they are connections begun by a timetable.
    pub count: usize,
    /// Where they go.
    pub place: Place,
    /// Where in the file that stands: the pair, or each of the nodes; empty where nothing is said.
    pub place_spans: Vec<Place_>,
    /// When they begin.
    pub start: Start,
    /// When their applications stop.
    pub stop: Option<Span>,
    /// The differentiated services code point that their packets carry, in both directions.
    pub dscp: Dscp,
    /// How they send.
    pub sending: Sending,
    /// Where it stands in the file.
    pub span: Place_,
}

impl FlowPlan {
    /// The name of the k-th flow of several, or of the k-th connection of a timetable, from 0.
    pub fn member_name(&self, index: usize) -> String {
        format!("{}-{}", self.name, index + 1)
    }
}

impl FlowGroup {
    /// Bytes of a data packet on the wire.
    pub fn wire_bytes(&self) -> u32 {
        self.plan.sending.transport.wire_bytes()
    }

    /// Payload bytes of a data packet.
    pub fn payload_bytes(&self) -> f64 {
        self.plan.sending.transport.payload_bytes() as f64
    }

    /// What the flow sends whatever the network does, in bits per second.
    pub fn least_rate_bps(&self) -> f64 {
        self.plan.sending.uncontrolled().map_or(0.0, |source| source.rate_bps(8.0 * self.payload_bytes()))
    }

    /// What writes into the connection of the flow called `name`, where something does.
    pub fn writer(&self, name: &str, seed: u64) -> Option<Box<Writer>> {
        let Sending { transport, .. } = &self.plan.sending;
        self.plan.sending.writes().map(|source| source.writer(name, seed, transport.payload_bytes()))
    }

    /// How many flows it has in results.
    pub fn rows(&self) -> usize {
        self.plan.count
    }

    /// The name of the k-th flow, from 0.
    pub fn member_name(&self, index: usize) -> String {
        match self.rows() {
            1 => self.plan.name.clone(),
            _ => self.plan.member_name(index),
        }
    }

    /// The names of its flows in results.
    pub fn names(&self) -> impl Iterator<Item = String> {
        (0..self.rows()).map(|index| self.member_name(index))
    }

    /// The name of what controls its sending.
    pub fn control_name(&self) -> &'static str {
        self.plan.sending.control_name()
    }
}

/// Reads the flow groups.
pub fn read(root: &TableReader<'_>) -> Vec<FlowPlan> {
    let mut plans: Vec<FlowPlan> = Vec::new();
    let mut names = HashSet::new();
    for (index, node, table) in root.tables("flows") {
        let Some(plan) = table.and_then(|table| read_plan(&table, node)) else { continue };
        if !names.insert(plan.name.clone()) {
            let found = format!("a second group called {}", quoted(&plan.name));
            root.reader.problem(&plan.span, &format!("flows.{index}"), &found, "a `name` of its own", None);
        }
        plans.push(plan);
    }
    check_member_names(root, &plans);
    let count: usize = plans.iter().map(|plan| plan.count).sum();
    if count > MAX_FLOWS {
        root.problem_at("flows", &format!("{count} flows"), &format!("at most {MAX_FLOWS}"));
        plans.clear();
    }
    plans
}

/// A group `x` of two has flows `x-1` and `x-2`; another group must not be called so.
fn check_member_names(root: &TableReader<'_>, plans: &[FlowPlan]) {
    let larger = plans.iter().filter(|plan| plan.count > 1);
    let counts: HashMap<&str, usize> = larger.map(|plan| (plan.name.as_str(), plan.count)).collect();
    for plan in plans.iter().filter(|plan| plan.count == 1) {
        let Some((other, number)) = plan.name.rsplit_once('-') else { continue };
        let (Some(count), Ok(number)) = (counts.get(other), number.parse::<usize>()) else { continue };
        if (1..=*count).contains(&number) {
            let found = format!("a group called like a flow of {}", quoted(other));
            root.reader.problem(&plan.span, &format!("flows.{}", plan.name), &found, "another `name`", None);
        }
    }
}

fn read_plan(table: &TableReader<'_>, node: &Node) -> Option<FlowPlan> {
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

/// Reads the code point of the flows' packets; the default one where none is named.
fn read_dscp(table: &TableReader<'_>) -> Dscp {
    table.word("dscp").and_then(Dscp::named).unwrap_or_default()
}
