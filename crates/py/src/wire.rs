//! The network of a scenario between two real hosts, with programs or with the scenario's flows on them.

use crate::{parse_point, to_json};
use ackclock_wire::flows::FlowsPlan;
use ackclock_wire::plan::LinksPlan;
use ackclock_wire::{Commands, Device, Error};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What Python wants to run.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    client: Vec<String>,
    server: Vec<String>,
    group: Option<String>,
    /// Whether the flows' data go to the first host.
    download: bool,
    control: Option<String>,
    device: Device,
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
    let Wanted { client, server, group, download, control, device, quiet } =
        serde_json::from_str(wanted).map_err(|error| PyValueError::new_err(format!("wanted: {error}")))?;
    let commands = Commands { client, server, control, device, quiet };
    made(py, |interrupted| {
        let plan = LinksPlan::of(&scenario, seed, group.as_deref())?;
        let plan = if download { plan.exchanged() } else { plan };
        ackclock_wire::run(plan, &commands, interrupted)
    })
}

/// Runs the flows of a scenario on real stacks with its network between them. Returns the outcome as a JSON object. The
/// thread may stay in the namespaces, so the process should end soon. `program` offers controls of ackclock to the kernel.
#[pyfunction]
pub fn wire(
    py: Python<'_>,
    text: &str,
    file: &str,
    overrides: &str,
    seed: u64,
    program: PathBuf,
) -> PyResult<String> {
    let scenario = parse_point(text, file, overrides)?;
    made(py, |interrupted| {
        let plan = FlowsPlan::of(&scenario, seed)?;
        ackclock_wire::run_flows(&scenario, seed, plan, &program, interrupted)
    })
}

/// Makes a run that asks whether the user has interrupted it. Returns the outcome as a JSON object.
fn made<T: Serialize>(
    py: Python<'_>,
    run: impl FnOnce(&mut dyn FnMut() -> bool) -> Result<T, Error> + Send,
) -> PyResult<String> {
    let (made, raised) = py.detach(|| {
        let mut raised = None;
        let made = run(&mut || {
            raised = Python::attach(|py| py.check_signals()).err();
            raised.is_some()
        });
        (made.map(|outcome| to_json(&outcome)), raised)
    });
    match (made, raised) {
        (Ok(outcome), _) => outcome,
        (Err(Error::Interrupted), Some(raised)) => Err(raised),
        (Err(error), _) => Err(PyRuntimeError::new_err(error.to_string())),
    }
}
