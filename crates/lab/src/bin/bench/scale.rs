//! What a packet costs among ten flows and among ten thousand, and what a flow costs that sends nothing.

use crate::scenarios::median_rate;
use ackclock_lab::Scenario;
use ackclock_lab::build::{self, Keep};
use serde_json::Map;
use std::sync::atomic::AtomicBool;

/// Flows, and simulated seconds in which they send about a million packets or, the most of them, leave slow start.
const SIZES: [(u32, u32); 4] = [(10, 800), (100, 80), (1000, 10), (10_000, 5)];

/// Prints packets per CPU second for each number of flows at 1 Mbit/s each, and bytes for each flow that has sent
/// everything.
pub fn bench(repeat: usize) -> Result<(), String> {
    // First: memory that a run before has left would be used again and not be seen.
    println!("bench idle-flow {} bytes", bytes_of_idle_flow()?);
    for (flows, seconds) in SIZES {
        let scenario = scenario(flows, seconds, "")?;
        println!("bench scale-{flows} {:.0} packets/cpu-s", median_rate(&scenario, repeat)?);
    }
    Ok(())
}

/// Round trips from 40 to 100 ms through 1 Mbit/s for each flow, with one bandwidth-delay product of buffer at the mean.
fn scenario(flows: u32, seconds: u32, sends: &str) -> Result<Scenario, String> {
    let text = format!(
        "name = \"scale\"\nduration = \"{seconds} s\"\n\
         [dumbbell]\npairs = {flows}\n\
         bottleneck = {{ rate = \"{flows} Mbit/s\", delay = \"10 ms\", queue = {{ name = \"droptail\", limit = \"70 ms\" }} }}\n\
         left = {{ rate = \"100 Mbit/s\", delay = {{ evenly = [\"9 ms\", \"39 ms\"] }} }}\n\
         right = {{ rate = \"100 Mbit/s\", delay = \"1 ms\" }}\n\
         [[flows]]\nname = \"sack\"\ncount = {flows}\ncontrol = \"sack\"\nstart = {{ uniform = [\"0 s\", \"1 s\"] }}\n{sends}"
    );
    Scenario::parse(&text, "scale", &Map::new())
        .map_err(|problems| ackclock_lab::diagnostics::render(&problems))
}

/// The memory of ten thousand connections that have each delivered ten packets and have nothing outstanding, divided by
/// their number.
fn bytes_of_idle_flow() -> Result<u64, String> {
    const FLOWS: u32 = 10_000;
    let scenario = scenario(FLOWS, 5, "application = { name = \"bulk\", size = \"10 kB\" }\n")?;
    let before = resident_bytes()?;
    let mut simulation =
        build::simulation(&scenario, scenario.seed, Keep::default(), build::measured(&scenario));
    simulation.run(&AtomicBool::new(false)).map_err(|error| error.to_string())?;
    let idle = simulation.flows.iter().filter(|flow| flow.completed.is_some()).count();
    if idle != FLOWS as usize {
        return Err(format!("{idle} of {FLOWS} flows have delivered everything"));
    }
    Ok(resident_bytes()?.saturating_sub(before) / u64::from(FLOWS))
}

fn resident_bytes() -> Result<u64, String> {
    let text = std::fs::read_to_string("/proc/self/statm").map_err(|error| format!("memory: {error}"))?;
    let pages = text.split_whitespace().nth(1).and_then(|field| field.parse::<u64>().ok());
    pages.map(|pages| pages * 4096).ok_or_else(|| "memory: /proc/self/statm has another form".to_owned())
}
