//! The simulator for web pages.
//!
//! * [`check`]: what is wrong with a scenario's text, and what it comes to.
//! * [`run`]: a run that goes on step by step, so that a page can show how far it is and stop it.
//! * [`border`]: both as functions that JavaScript calls. Text goes over it as JSON.

pub mod border;
pub mod check;
pub mod run;

use ackclock_lab::registry;
use ackclock_lab::result::declared_fields;
use serde_json::{Value, json};

/// What scenarios and results can hold: the registry, and the fields of results.
pub fn catalogue() -> Value {
    json!({
        "version": ackclock_lab::VERSION,
        "registry": registry::listed(),
        "fields": declared_fields(),
    })
}
