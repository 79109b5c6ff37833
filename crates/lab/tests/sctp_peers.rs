//! SCTP against ns-2's agent over two paths: `reference/peers` says how its results were made. Losses are drawn by each simulator
//! for itself, so means over the seeds are compared, and two standard errors of their difference are allowed besides.
//!
//! `cargo test -p ackclock-lab --test sctp_peers -- --nocapture` prints both sides.

mod tolerances;

use ackclock_lab::{Scenario, run};
use rayon::prelude::*;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use tolerances::tolerance;

fn file(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Chunks that arrived, and chunks sent again over each path.
type Counts = [f64; 3];

fn reference(name: &str) -> Vec<Counts> {
    let text = file(&format!("reference/peers/data/ns2-sctp-{name}.jsonl"));
    let runs = text.lines().skip(1).map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let number = |value: &Value| value.as_f64().expect("a number");
    runs.map(|run| [number(&run["arrived"]), number(&run["resent"][0]), number(&run["resent"][1])]).collect()
}

fn ours(runs: usize, overrides: &Value) -> Vec<Counts> {
    let overrides: Map<String, Value> = overrides.as_object().cloned().unwrap_or_default();
    let scenario = Scenario::parse(&file("scenarios/peers/sctp-two-paths.toml"), "test", &overrides)
        .unwrap_or_else(|problems| panic!("{}", ackclock_lab::diagnostics::render(&problems)));
    let one = |seed: u64| {
        let result = run::run(&scenario, seed, false, &AtomicBool::new(false)).expect("a finished run");
        let flow = &serde_json::to_value(result).expect("JSON")["flows"][0];
        let number = |value: &Value| value.as_f64().expect("a number");
        let again = &flow["path_retransmitted_packets"];
        [number(&flow["delivered_packets"]), number(&again[0]), number(&again[1])]
    };
    (1..=runs as u64).into_par_iter().map(one).collect()
}

fn mean(runs: &[Counts], which: usize) -> f64 {
    runs.iter().map(|run| run[which]).sum::<f64>() / runs.len() as f64
}

/// Of the mean; zero for a single run.
fn standard_error(runs: &[Counts], which: usize) -> f64 {
    let middle = mean(runs, which);
    let squares: f64 = runs.iter().map(|run| (run[which] - middle).powi(2)).sum();
    if runs.len() < 2 { 0.0 } else { (squares / (runs.len() - 1) as f64 / runs.len() as f64).sqrt() }
}

fn compare(name: &str, overrides: &Value) {
    let theirs = reference(name);
    let ours = ours(theirs.len(), overrides);
    let row = |runs: &[Counts]| [0, 1, 2].map(|which| mean(runs, which).round());
    println!("{name}: {:?}, ns-2 {:?}", row(&ours), row(&theirs));
    let allowed = tolerance(&format!("sctp.{name}.arrived")) * mean(&theirs, 0);
    let chance = 2.0 * standard_error(&ours, 0).hypot(standard_error(&theirs, 0));
    let difference = mean(&ours, 0) - mean(&theirs, 0);
    assert!(difference.abs() <= allowed + chance, "{name}: {difference:.0} of {:.0}", mean(&theirs, 0));
}

#[test]
fn without_losses_as_much_arrives_as_in_ns2() {
    compare("no-loss", &json!({}));
}

#[test]
fn with_losses_as_much_arrives_as_in_ns2() {
    for (name, probability) in [("1-percent", 0.01), ("5-percent", 0.05), ("10-percent", 0.1)] {
        let loss = json!({ "name": "independent", "probability": probability });
        compare(name, &json!({ "duration": "200 s", "links.one.loss": loss, "links.two.loss": loss }));
    }
}

#[test]
fn after_the_failure_of_a_path_as_much_arrives_as_in_ns2() {
    let loss = json!({ "name": "outage", "from": "20 s" });
    compare(
        "failure",
        &json!({ "duration": "200 s", "links.one.loss": loss, "links.one.reverse.loss": loss }),
    );
}
