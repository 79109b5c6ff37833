//! The result of a scenario, of a run in whose trace the verifier finds nothing.

use ackclock_lab::{Scenario, diagnostics, run};
use serde_json::{Map, Value};
use std::sync::atomic::AtomicBool;

/// Runs a scenario with its first seed, with these values changed: an object of paths and values, or null.
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
