//! Results of scenarios whose trace the verifier accepts, and helpers that read results and mistakes.

use ackclock_lab::language::diagnostics;
use ackclock_lab::{Scenario, run};
use serde_json::{Map, Value};
use std::sync::atomic::AtomicBool;

/// Runs a scenario with its first seed and these values changed, an object of paths and values, or null.
/// Returns its result.
pub fn result(text: &str, overrides: &Value) -> Value {
    let overrides: Map<String, Value> = overrides.as_object().cloned().unwrap_or_default();
    let scenario = Scenario::parse(text, "test", &overrides)
        .unwrap_or_else(|problems| panic!("{}", diagnostics::render(&problems)));
    let cancelled = AtomicBool::new(false);
    let found = run::run_and_verify(&scenario, scenario.seed, &cancelled).expect("a finished run");
    assert!(
        found.is_empty(),
        "{} violations, the first {:?}, in\n{text}",
        found.len(),
        &found[..found.len().min(3)]
    );
    let result = run::run(&scenario, scenario.seed, true, &cancelled).expect("a finished run");
    serde_json::to_value(result).expect("a result as JSON")
}

/// Returns the number under `key` in a record of a result.
pub fn number(record: &Value, key: &str) -> f64 {
    record[key].as_f64().unwrap_or_else(|| panic!("{key} in {record}"))
}

/// Returns the mistakes of a scenario, each as its path, what was found and what was expected.
pub fn problems(text: &str) -> Vec<String> {
    let problems = Scenario::parse(text, "test", &Map::new()).expect_err("a mistake");
    let told =
        problems.iter().map(|problem| format!("{}: {}: {}", problem.path, problem.found, problem.expected));
    told.collect()
}
