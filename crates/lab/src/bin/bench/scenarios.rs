//! What a packet costs on a path: packets per CPU second, and the number of packets for those who count instructions.

use crate::cpu;
use ackclock_lab::Scenario;
use ackclock_lab::build::{self, Keep};
use serde_json::{Map, Value};
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// The data packets that reached the far end of the first link divided by the CPU seconds that the run took: the median of
/// several measurements, since the machine is shared with others.
pub fn bench(file: &str, repeat: usize) -> Result<(), String> {
    let name = Path::new(file).file_stem().map_or(file, |stem| stem.to_str().unwrap_or(file));
    let scenario = read(file, &Map::new())?;
    println!("bench {name} {:.0} packets/cpu-s", median_rate(&scenario, repeat)?);
    Ok(())
}

/// Runs a scenario for so many simulated seconds and prints how many packets its first link delivered. Two such runs under a
/// counter of instructions tell what one packet takes, without what comes before the first.
pub fn count(file: &str, seconds: &str) -> Result<(), String> {
    let mut overrides = Map::new();
    overrides.insert("duration".into(), Value::String(format!("{seconds} s")));
    println!("packets {}", run(&read(file, &overrides)?)?);
    Ok(())
}

/// What is measured takes so long at least, so that the clock's steps are 1 % of it. W1 takes 25 ms.
const MIN_CPU_S: f64 = 1.0;

/// The median of so many measurements of a scenario, in packets per CPU second. What takes little is run several times in each.
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
    Scenario::parse(&text, file, overrides).map_err(|problems| ackclock_lab::diagnostics::render(&problems))
}

/// Data packets delivered by the first link.
fn run(scenario: &Scenario) -> Result<u64, String> {
    let measured = build::measured(scenario);
    let mut simulation = build::simulation(scenario, scenario.seed, Keep::default(), measured);
    simulation.run(&AtomicBool::new(false)).map_err(|error| error.to_string())?;
    Ok(simulation.network.links[0].counts().delivered)
}
