//! Runs the simulator in web pages.
//!
//! * [`check`] checks a scenario's text and describes the scenario.
//! * [`run`] runs a scenario step by step, so that a page can show progress and stop the run.
//! * [`border`] exports both as functions for JavaScript, which exchange text as JSON.

pub mod border;
pub mod check;
pub mod run;

use ackclock_lab::Plugins;
use ackclock_lab::language::reference;
use ackclock_lab::language::registry;
use ackclock_lab::run::result::declared_fields;
use serde_json::{Value, json};

/// Returns the version, the registry, the tables of the scenario language and the fields of results.
pub fn catalogue() -> Value {
    json!({
        "version": ackclock_lab::VERSION,
        "registry": registry::listed(&Plugins::default()),
        "tables": reference::tables(),
        "fields": declared_fields(),
    })
}
