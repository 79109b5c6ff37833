//! Packets per CPU second: runs scenario files and prints, for each, `bench NAME VALUE packets/cpu-s`, the data
//! packets that reached the far end of the first link divided by the CPU seconds that the run took.
//!
//! `bench [--repeat N] FILE...`

use ackclock_lab::Scenario;
use ackclock_lab::build::{self, Keep};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

fn main() -> ExitCode {
    let mut repeat = 3;
    let mut files = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--repeat" {
            repeat = arguments.next().and_then(|number| number.parse().ok()).unwrap_or(repeat).max(1);
        } else {
            files.push(argument);
        }
    }
    for file in &files {
        if let Err(message) = bench(file, repeat) {
            eprintln!("{message}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// The median of several runs: the machine is shared with others.
fn bench(file: &str, repeat: usize) -> Result<(), String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let scenario = Scenario::parse(&text, file, &serde_json::Map::new())
        .map_err(|problems| ackclock_lab::diagnostics::render(&problems))?;
    let mut rates = Vec::new();
    for _ in 0..repeat {
        let started = cpu_seconds()?;
        let mut simulation = build::simulation(&scenario, scenario.seed, Keep::default());
        simulation.run(&AtomicBool::new(false)).map_err(|error| error.to_string())?;
        let packets = simulation.network.links[0].counts().delivered;
        rates.push(packets as f64 / (cpu_seconds()? - started));
    }
    rates.sort_by(f64::total_cmp);
    let name = Path::new(file).file_stem().map_or(file, |stem| stem.to_str().unwrap_or(file));
    println!("bench {name} {:.0} packets/cpu-s", rates[rates.len() / 2]);
    Ok(())
}

/// CPU time of this process in seconds, user and system: fields 14 and 15 of /proc/self/stat would come in ticks of
/// 10 ms; schedstat counts nanoseconds.
fn cpu_seconds() -> Result<f64, String> {
    let text =
        std::fs::read_to_string("/proc/self/schedstat").map_err(|error| format!("CPU time: {error}"))?;
    let nanoseconds: Option<f64> = text.split_whitespace().next().and_then(|field| field.parse().ok());
    nanoseconds.map(|ns| ns / 1e9).ok_or_else(|| "CPU time: /proc/self/schedstat has another form".to_owned())
}
