//! The network of a scenario between two real hosts.

use crate::{parse_point, to_json};
use ackclock_wire::plan::Plan;
use ackclock_wire::{Commands, Error};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use serde::Deserialize;

/// What Python wants to run.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    client: Vec<String>,
    server: Vec<String>,
    group: Option<String>,
    control: Option<String>,
    quiet: bool,
}

/// Runs programs on two hosts in namespaces with the scenario's network between them. Returns the outcome as a
/// JSON object. The thread may stay in the namespaces, so the process should end soon.
#[pyfunction]
pub fn path(
    py: Python<'_>,
    text: &str,
    file: &str,
    overrides: &str,
    seed: u64,
    wanted: &str,
) -> PyResult<String> {
    let scenario = parse_point(text, file, overrides)?;
    let Wanted { client, server, group, control, quiet } =
        serde_json::from_str(wanted).map_err(|error| PyValueError::new_err(format!("wanted: {error}")))?;
    let commands = Commands { client, server, control, quiet };
    let mut raised = None;
    let made = py.detach(|| {
        let plan = Plan::of(&scenario, seed, group.as_deref())?;
        ackclock_wire::run(plan, &commands, &mut || {
            raised = Python::attach(|py| py.check_signals()).err();
            raised.is_some()
        })
    });
    match (made, raised) {
        (Ok(outcome), _) => to_json(&outcome),
        (Err(Error::Interrupted), Some(raised)) => Err(raised),
        (Err(error), _) => Err(PyRuntimeError::new_err(error.to_string())),
    }
}
