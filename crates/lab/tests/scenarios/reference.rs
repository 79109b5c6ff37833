//! Runs of other implementations, from `reference/peers/data`, and the corresponding runs of this simulator.

use ackclock_lab::language::diagnostics;
use ackclock_lab::{Scenario, run};
use serde_json::{Map, Value};
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Returns the text of a file of the repository.
pub fn file(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the runs of one set, in the order of its file.
pub fn runs(name: &str) -> Vec<Value> {
    let text = file(&format!("reference/peers/data/{name}.jsonl"));
    // The first line describes the origin of the others.
    text.lines().skip(1).map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

/// Returns the result of a scenario with a seed and these values changed: an object of paths and values, or
/// null.
pub fn ours(scenario: &str, seed: u64, overrides: &Value) -> Value {
    let overrides: Map<String, Value> = overrides.as_object().cloned().unwrap_or_default();
    let scenario = Scenario::parse(scenario, "reference", &overrides)
        .unwrap_or_else(|problems| panic!("{}", diagnostics::render(&problems)));
    let result = run::run(&scenario, seed, false, &AtomicBool::new(false)).expect("a finished run");
    serde_json::to_value(result).expect("a result as JSON")
}

/// Returns the number at a JSON pointer.
pub fn number(value: &Value, pointer: &str) -> f64 {
    value.pointer(pointer).and_then(Value::as_f64).unwrap_or_else(|| panic!("no number {pointer} in {value}"))
}

/// Returns the mean of at least one value.
pub fn mean(values: &[f64]) -> f64 {
    assert!(!values.is_empty(), "a mean of nothing");
    values.iter().sum::<f64>() / values.len() as f64
}

/// Returns the standard error of the mean; zero for a single value, which has no random variation.
pub fn standard_error(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return 0.0;
    }
    let (middle, count) = (mean(values), values.len() as f64);
    let squares: f64 = values.iter().map(|value| (value - middle).powi(2)).sum();
    (squares / (count - 1.0) / count).sqrt()
}

/// Returns Jain's index of fairness.
pub fn jain(values: &[f64]) -> f64 {
    values.iter().sum::<f64>().powi(2) / (values.len() as f64 * values.iter().map(|x| x * x).sum::<f64>())
}
