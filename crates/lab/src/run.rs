//! Running a scenario.

use crate::agents;
use crate::build::{self, Keep};
use crate::result::{RunResult, SeriesResult};
use crate::scenario::Scenario;
use crate::verify::{self, AgentFacts, LinkFacts, MediumFacts, PathFacts, Violation};
use ackclock_base::{Span, Time};
use ackclock_sim::flow::FlowParts;
use ackclock_sim::measure::Interval;
use ackclock_sim::simulation::{RunError, Simulation};
use ackclock_sim::trace::Record;
use std::sync::atomic::AtomicBool;

/// Runs a scenario once; stops early when `cancelled` becomes true.
pub fn run(
    scenario: &Scenario,
    seed: u64,
    series: bool,
    cancelled: &AtomicBool,
) -> Result<RunResult, RunError> {
    let mut simulation = begin(scenario, seed, series, cancelled)?;
    simulation.run(cancelled)?;
    Ok(RunResult::of(scenario, seed, &mut simulation))
}

/// The simulation that [`run`] runs, at its beginning: for whoever wants to step through it and read the result off at its
/// end.
pub fn begin(
    scenario: &Scenario,
    seed: u64,
    series: bool,
    cancelled: &AtomicBool,
) -> Result<Simulation, RunError> {
    let measured = measured(scenario, seed, cancelled)?;
    Ok(build::simulation(scenario, seed, Keep { series, watch: true, ..Keep::default() }, measured))
}

/// What a run would sample over time, as `flows.FLOW.QUANTITY` and `links.LINK.QUANTITY`: nothing is simulated for it. Who publishes
/// something publishes it from the beginning, NaN where there is nothing to sample yet.
pub fn series_names(scenario: &Scenario) -> Vec<String> {
    let keep = Keep { series: true, ..Keep::default() };
    let mut simulation = build::simulation(scenario, scenario.seed, keep, build::measured(scenario));
    simulation.sample(Time::ZERO);
    let columns = SeriesResult::since(scenario, &simulation, 0).map(SeriesResult::columns);
    columns.into_iter().flatten().skip(1).map(|(path, _)| path).collect()
}

/// The packet trace of a run, with the names of what it numbers.
pub struct TraceResult {
    /// What happened, in the order of processing.
    pub records: Vec<Record>,
    /// The flow of each path there and back: of the records, `path` is twice the index here, plus one for the way back.
    pub flows: Vec<String>,
    /// The links.
    pub links: Vec<String>,
}

/// Runs a scenario once and keeps what happened to every packet.
pub fn trace(scenario: &Scenario, seed: u64, cancelled: &AtomicBool) -> Result<TraceResult, RunError> {
    let mut simulation = traced(scenario, seed, cancelled)?;
    let records = simulation.network.trace.take().map(|trace| trace.records).unwrap_or_default();
    let of_paths = |flow: FlowParts| std::iter::repeat_n(flow.name, flow.paths.len());
    let flows = build::flows(scenario, seed).into_iter().flat_map(of_paths).collect();
    let links = scenario.network.links.iter().map(|link| link.name.clone()).collect();
    Ok(TraceResult { records, flows, links })
}

/// Runs a scenario once with a packet trace, and checks the trace against the physics of the network.
pub fn run_and_verify(
    scenario: &Scenario,
    seed: u64,
    cancelled: &AtomicBool,
) -> Result<Vec<Violation>, RunError> {
    Ok(verify_trace(scenario, seed, &traced(scenario, seed, cancelled)?))
}

/// A finished simulation with its packet trace.
fn traced(scenario: &Scenario, seed: u64, cancelled: &AtomicBool) -> Result<Simulation, RunError> {
    let measured = measured(scenario, seed, cancelled)?;
    let keep = Keep { trace: true, ..Keep::default() };
    let mut simulation = build::simulation(scenario, seed, keep, measured);
    simulation.run(cancelled)?;
    Ok(simulation)
}

/// The part of the run that is measured. Where that begins when all connections have reached congestion avoidance, a first
/// run finds the instant: nothing that a run does depends on what is measured of it, so the run itself pays nothing.
pub(crate) fn measured(scenario: &Scenario, seed: u64, cancelled: &AtomicBool) -> Result<Interval, RunError> {
    let latest = build::measured(scenario);
    if !scenario.warmup.until_congestion_avoidance {
        return Ok(latest);
    }
    let mut first = build::simulation(scenario, seed, Keep::default(), latest);
    let from = first.reach_congestion_avoidance(latest.from, cancelled)?;
    Ok(Interval { from, to: from + latest.to.since(latest.from) })
}

/// No packet is larger (see the scenario language's bounds).
const MAX_PACKET_BYTES: u64 = 1 << 16;

fn medium_facts(scenario: &Scenario, number: usize) -> MediumFacts {
    let manner = scenario.network.media[number].manner();
    let answer = manner.answer.map_or(Span::ZERO, |answer| answer.takes.max(answer.missed));
    let set_aside = if manner.is_plain() { 0 } else { u64::from(manner.packets) };
    MediumFacts {
        number,
        framing_bytes: manner.framing_bytes,
        collides: manner.collides,
        repeats: manner.answer.is_some(),
        tells: if manner.packets > 1 { manner.most + answer } else { answer },
        set_aside,
        // The last of them may not have fitted into the turn.
        set_aside_bytes: (u64::from(manner.bytes) + MAX_PACKET_BYTES).min(set_aside * MAX_PACKET_BYTES),
    }
}

fn verify_trace(scenario: &Scenario, seed: u64, simulation: &Simulation) -> Vec<Violation> {
    let Some(trace) = &simulation.network.trace else { return Vec::new() };
    let capacities = build::capacities(scenario);
    let links: Vec<LinkFacts> = scenario
        .network
        .links
        .iter()
        .zip(capacities)
        .map(|(link, capacity)| LinkFacts {
            name: link.name.clone(),
            rate: link.pace.rate,
            changes: link.changes(),
            delay: link.delay,
            jitter: link.jitter.most,
            detour: link.detour,
            longer: link.longer.clone(),
            hold: link.hold,
            reorders: link.reorders,
            capacity,
            service: link.service(),
            medium: link.medium.map(|medium| medium_facts(scenario, medium)),
        })
        .collect();
    let path = |flow: &FlowParts, backward: bool, links: &Vec<u32>| PathFacts {
        flow: flow.name.clone(),
        backward,
        links: links.clone(),
    };
    let flows = build::flows(scenario, seed);
    let pairs = flows.iter().flat_map(|flow| flow.paths.iter().map(move |pair| (flow, pair)));
    let paths: Vec<PathFacts> = pairs
        .flat_map(|(flow, pair)| [path(flow, false, &pair.forward), path(flow, true, &pair.backward)])
        .collect();
    let agents = agent_facts(scenario, &flows);
    verify::verify(trace, &links, &paths, &agents, simulation.measured().to)
}

/// Where agents are: on both ways of a path, each before a link.
fn agent_facts(scenario: &Scenario, flows: &[FlowParts]) -> Vec<AgentFacts> {
    let firsts = flows.iter().scan(0, |next, flow| {
        let first = *next;
        *next += 2 * flow.paths.len() as u32;
        Some(first)
    });
    let firsts: Vec<u32> = firsts.collect();
    let parts = agents::parts(&scenario.agents, &scenario.network.links, flows);
    let facts = parts.iter().flat_map(|agent| {
        let pair = &flows[agent.flow as usize].paths[agent.path as usize];
        let first = firsts[agent.flow as usize] + 2 * agent.path;
        let [there, back] = agent.after;
        [
            AgentFacts { path: first, link: pair.forward[there] },
            AgentFacts { path: first + 1, link: pair.backward[back] },
        ]
    });
    facts.collect()
}
