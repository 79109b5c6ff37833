//! Runs a scenario file, or a small scenario of its own: `cargo run -p ackclock-lab --example run_scenario --
//! FILE.toml`.

use ackclock_lab::language::diagnostics;
use ackclock_lab::{Scenario, run};
use serde_json::Map;
use std::error::Error;
use std::sync::atomic::AtomicBool;

const DUEL: &str = r#"
duration = "30 s"

[dumbbell]
bottleneck = { rate = "10 Mbit/s", delay = "20 ms", queue = { name = "droptail", limit = "1 bdp" } }
access = { rate = "100 Mbit/s", delay = "5 ms" }

[[flows]]
control = "cubic"

[[flows]]
control = "newreno"
"#;

fn main() -> Result<(), Box<dyn Error>> {
    let (file, text) = match std::env::args().nth(1) {
        Some(file) => (file.clone(), std::fs::read_to_string(file)?),
        None => ("the example's scenario".to_owned(), DUEL.to_owned()),
    };
    let scenario =
        Scenario::parse(&text, &file, &Map::new()).map_err(|problems| diagnostics::render(&problems))?;
    let result = run::run(&scenario, 1, false, &AtomicBool::new(false))?;
    println!("flow                  Mbit/s");
    for flow in &result.flows {
        println!("{:<20}  {:>6.3}", flow.name, flow.goodput_bps / 1e6);
    }
    Ok(())
}
