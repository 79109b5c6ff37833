//! Benchmarks of the cost of a packet among ten and among ten thousand flows, and of the memory of a flow
//! that sends nothing.

use crate::scenarios::median_rate;
use ackclock_lab::Scenario;
use ackclock_lab::run::build::{self, Keep};
use serde_json::Map;
use std::sync::atomic::AtomicBool;

/// The numbers of flows, and the simulated seconds in which they send about a million packets or, with the
/// most flows, leave slow start.
const SIZES: [(u32, u32); 4] = [(10, 800), (100, 80), (1000, 10), (10_000, 5)];

/// Prints the packets per CPU second for each number of flows at 1 Mbit/s each, and the bytes per flow that
/// has sent everything.
pub fn bench(repeat: usize) -> Result<(), String> {
    // The memory is measured first: memory freed by an earlier run would be reused and not be seen.
    println!("bench idle-flow {} bytes", bytes_of_idle_flow()?);
    for (flows, seconds) in SIZES {
        let scenario = scenario(flows, seconds, "")?;
        println!("bench scale-{flows} {:.0} packets/cpu-s", median_rate(&scenario, repeat)?);
    }
    Ok(())
}

/// Returns a scenario with round trips from 40 to 100 ms and 1 Mbit/s per flow, and a buffer of one
/// bandwidth-delay product at the mean round trip.
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
        .map_err(|problems| ackclock_lab::language::diagnostics::render(&problems))
}

/// Returns the memory per connection, in bytes, of ten thousand connections that have each delivered ten
/// packets and have nothing outstanding.
fn bytes_of_idle_flow() -> Result<u64, String> {
    const FLOWS: u32 = 10_000;
    let scenario = scenario(FLOWS, 5, "application = { name = \"bulk\", size = \"10 kB\" }\n")?;
    let before = resident_bytes()?;
    let mut simulation =
        build::simulation(&scenario, scenario.seed, Keep::default(), build::measured(&scenario));
    simulation.run(&AtomicBool::new(false)).map_err(|error| error.to_string())?;
    let idle = simulation.flows.iter().filter(|flow| flow.completed.is_some()).count();
    if idle != FLOWS as usize {
        return Err(format!("only {idle} of {FLOWS} flows delivered all their data, expected all flows"));
    }
    Ok(resident_bytes()?.saturating_sub(before) / u64::from(FLOWS))
}

fn resident_bytes() -> Result<u64, String> {
    let text = std::fs::read_to_string("/proc/self/statm").map_err(|error| format!("memory: {error}"))?;
    let pages = text.split_whitespace().nth(1).and_then(|field| field.parse::<u64>().ok());
    pages.map(|pages| pages * 4096).ok_or_else(|| "memory: cannot parse /proc/self/statm".to_owned())
}
