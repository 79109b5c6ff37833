//! Benchmarks of the cost of a packet on a path: packets per CPU second, and the number of packets for
//! counters of instructions.

use crate::cpu;
use ackclock_lab::Scenario;
use ackclock_lab::run::build::{self, Keep};
use serde_json::{Map, Value};
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Prints the number of data packets that reached the far end of the first link per CPU second: the median of
/// several measurements, because other programs share the machine.
pub fn bench(file: &str, repeat: usize) -> Result<(), String> {
    let name = Path::new(file).file_stem().map_or(file, |stem| stem.to_str().unwrap_or(file));
    let scenario = read(file, &Map::new())?;
    println!("bench {name} {:.0} packets/cpu-s", median_rate(&scenario, repeat)?);
    Ok(())
}

/// Runs a scenario for this number of simulated seconds and prints how many packets its first link delivered.
/// Two such runs under a counter of instructions show the cost of one packet without that of the start-up.
pub fn count(file: &str, seconds: &str) -> Result<(), String> {
    let mut overrides = Map::new();
    overrides.insert("duration".into(), Value::String(format!("{seconds} s")));
    println!("packets {}", run(&read(file, &overrides)?)?);
    Ok(())
}

/// The minimum CPU time of a measurement, so that the clock's steps are 1 % of it. W1 takes 25 ms.
const MIN_CPU_S: f64 = 1.0;

/// Returns the median of `repeat` measurements of a scenario, in packets per CPU second. A short scenario is
/// run several times per measurement.
pub fn median_rate(scenario: &Scenario, repeat: usize) -> Result<f64, String> {
    let mut rates = Vec::new();
    for _ in 0..repeat {
        let started = cpu::seconds()?;
        let (mut packets, mut spent_s) = (0, 0.0);
        while spent_s < MIN_CPU_S {
            packets += run(scenario)?;
            spent_s = cpu::seconds()? - started;
        }
        rates.push(packets as f64 / spent_s);
    }
    rates.sort_by(f64::total_cmp);
    Ok(rates[rates.len() / 2])
}

fn read(file: &str, overrides: &Map<String, Value>) -> Result<Scenario, String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    Scenario::parse(&text, file, overrides)
        .map_err(|problems| ackclock_lab::language::diagnostics::render(&problems))
}

/// Returns the number of data packets delivered by the first link.
fn run(scenario: &Scenario) -> Result<u64, String> {
    let measured = build::measured(scenario);
    let mut simulation = build::simulation(scenario, scenario.seed, Keep::default(), measured);
    simulation.run(&AtomicBool::new(false)).map_err(|error| error.to_string())?;
    Ok(simulation.network.links[0].counts().delivered)
}
