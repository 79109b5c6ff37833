//! Running a scenario.

use crate::build::{self, Keep};
use crate::facts;
use crate::result::{RunResult, SeriesResult};
use crate::scenario::Scenario;
use ackclock_base::Time;
use ackclock_sim::flow::FlowParts;
use ackclock_sim::measure::Interval;
use ackclock_sim::simulation::{RunError, Simulation};
use ackclock_sim::trace::Record;
use ackclock_verify::{Violation, verify};
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
    let simulation = traced(scenario, seed, cancelled)?;
    let records = simulation.network.trace.as_ref().map(|trace| trace.records.as_slice()).unwrap_or_default();
    Ok(verify(records, &facts::network(scenario, seed), simulation.measured().to))
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
pub fn measured(scenario: &Scenario, seed: u64, cancelled: &AtomicBool) -> Result<Interval, RunError> {
    let latest = build::measured(scenario);
    if !scenario.warmup.until_congestion_avoidance {
        return Ok(latest);
    }
    let mut first = build::simulation(scenario, seed, Keep::default(), latest);
    let from = first.reach_congestion_avoidance(latest.from, cancelled)?;
    Ok(Interval { from, to: from + latest.to.since(latest.from) })
}
