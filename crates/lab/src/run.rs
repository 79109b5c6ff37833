//! The execution of a scenario.
//!
//! * [`build`]: constructs a simulation from a scenario and a seed.
//! * [`result`]: the result of a run. [`exports`]: a run in the formats of other tools. [`panics`]: what a panic of a run becomes.
//! * [`facts`]: the facts about a scenario for the independent check of a packet trace, [`ackclock_verify`].
//! * [`statistics`]: means over seeds with their intervals, and paired differences, for tests of a control.

pub mod build;
pub mod exports;
pub mod facts;
pub mod panics;
pub mod result;
pub mod statistics;

use crate::language::scenario::Scenario;
use ackclock_base::Time;
use ackclock_sim::flow::FlowParts;
use ackclock_sim::measure::Interval;
use ackclock_sim::simulation::{RunError, Simulation};
use ackclock_sim::trace::Record;
use ackclock_verify::{Violation, verify};
use build::Keep;
use result::{RunResult, SeriesResult};
use std::sync::atomic::AtomicBool;

/// Runs a scenario once. Returns an error if the run fails, or if `cancelled` becomes true.
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

/// Returns the simulation that [`run`] runs, at its beginning, for callers that step through it and read the
/// result at its end.
pub fn begin(
    scenario: &Scenario,
    seed: u64,
    series: bool,
    cancelled: &AtomicBool,
) -> Result<Simulation, RunError> {
    let measured = measured(scenario, seed, cancelled)?;
    Ok(build::simulation(scenario, seed, Keep { series, watch: true, ..Keep::default() }, measured))
}

/// Returns the names of what a run would sample over time, as `flows.FLOW.QUANTITY` and
/// `links.LINK.QUANTITY`. Nothing is simulated: a component that publishes a value publishes it from the
/// beginning, as NaN while there is nothing to sample.
pub fn series_names(scenario: &Scenario) -> Vec<String> {
    let keep = Keep { series: true, ..Keep::default() };
    let mut simulation = build::simulation(scenario, scenario.seed, keep, build::measured(scenario));
    simulation.sample(Time::ZERO);
    let columns = SeriesResult::since(scenario, &simulation, 0).map(SeriesResult::columns);
    columns.into_iter().flatten().skip(1).map(|(path, _)| path).collect()
}

/// The packet trace of a run, with the names of its numbered items.
pub struct TraceResult {
    /// The events, in the order of processing.
    pub records: Vec<Record>,
    /// The flow of each pair of paths. The `path` of a record is twice the index here, plus one in the
    /// backward direction.
    pub flows: Vec<String>,
    /// The names of the links.
    pub links: Vec<String>,
}

/// Runs a scenario once and records what happens to every packet.
pub fn trace(scenario: &Scenario, seed: u64, cancelled: &AtomicBool) -> Result<TraceResult, RunError> {
    let mut simulation = traced(scenario, seed, cancelled)?;
    let records = simulation.network.trace.take().map(|trace| trace.records).unwrap_or_default();
    let of_paths = |flow: FlowParts| std::iter::repeat_n(flow.name, flow.paths.len());
    let flows = build::flows(scenario, seed).into_iter().flat_map(of_paths).collect();
    let links = scenario.network.links.iter().map(|link| link.name.clone()).collect();
    Ok(TraceResult { records, flows, links })
}

/// Runs a scenario once with a packet trace. Returns the violations of the network's physics that the trace
/// contains.
pub fn run_and_verify(
    scenario: &Scenario,
    seed: u64,
    cancelled: &AtomicBool,
) -> Result<Vec<Violation>, RunError> {
    let simulation = traced(scenario, seed, cancelled)?;
    let records = simulation.network.trace.as_ref().map(|trace| trace.records.as_slice()).unwrap_or_default();
    Ok(verify(records, &facts::network(scenario, seed), simulation.measured().to))
}

/// Returns a finished simulation with its packet trace.
fn traced(scenario: &Scenario, seed: u64, cancelled: &AtomicBool) -> Result<Simulation, RunError> {
    let measured = measured(scenario, seed, cancelled)?;
    let keep = Keep { trace: true, ..Keep::default() };
    let mut simulation = build::simulation(scenario, seed, keep, measured);
    simulation.run(cancelled)?;
    Ok(simulation)
}

/// Returns the measured interval of a run. If the warm-up ends when all connections have reached congestion
/// avoidance, a first run finds that instant. A run does not depend on what is measured, so the second run is
/// the same.
pub fn measured(scenario: &Scenario, seed: u64, cancelled: &AtomicBool) -> Result<Interval, RunError> {
    let latest = build::measured(scenario);
    if !scenario.warmup.until_congestion_avoidance {
        return Ok(latest);
    }
    let mut first = build::simulation(scenario, seed, Keep::default(), latest);
    let from = first.reach_congestion_avoidance(latest.from, cancelled)?;
    Ok(Interval { from, to: from + latest.to.since(latest.from) })
}
