//! Packets per CPU second: the data packets that reached the far end of the first link divided by the CPU seconds that
//! the run took.

use crate::cpu;
use ackclock_lab::Scenario;
use ackclock_lab::build::{self, Keep};
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// The median of several runs: the machine is shared with others.
pub fn bench(file: &str, repeat: usize) -> Result<(), String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let scenario = Scenario::parse(&text, file, &serde_json::Map::new())
        .map_err(|problems| ackclock_lab::diagnostics::render(&problems))?;
    let mut rates = Vec::new();
    for _ in 0..repeat {
        let started = cpu::seconds()?;
        let mut simulation =
            build::simulation(&scenario, scenario.seed, Keep::default(), build::measured(&scenario));
        simulation.run(&AtomicBool::new(false)).map_err(|error| error.to_string())?;
        let packets = simulation.network.links[0].counts().delivered;
        rates.push(packets as f64 / (cpu::seconds()? - started));
    }
    rates.sort_by(f64::total_cmp);
    let name = Path::new(file).file_stem().map_or(file, |stem| stem.to_str().unwrap_or(file));
    println!("bench {name} {:.0} packets/cpu-s", rates[rates.len() / 2]);
    Ok(())
}
