//! The compiled module `ackclock._core`: thin bindings to ackclock-lab. Documents are passed as JSON text,
//! series and packet traces as Arrow columns; the Python package documents their meaning.

mod arrow;
mod batch;
#[cfg(feature = "stacks")]
mod drill;
mod episode;
mod exports;
mod here;
mod host;
mod kernel;
#[cfg(feature = "stacks")]
mod library;
mod outlines;
mod python_class;
mod wire;

use crate::arrow::Columns;
use crate::python_class::Plugin;
use ackclock_lab::Scenario;
use ackclock_lab::cost::describe as told;
use ackclock_lab::language::load::overridden;
use ackclock_lab::language::{diagnostics, places, reference, registry as names, schema as schemas};
use ackclock_lab::run::result::declared_fields;
use ackclock_lab::{Diagnostic, Plugins, run as runner};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pyo3::create_exception!(
    _core,
    ScenarioError,
    PyValueError,
    "Raised for an invalid scenario. The message lists all problems; `diagnostics` has them as JSON."
);

/// The compiled core of ackclock.
#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", ackclock_lab::VERSION)?;
    module.add("ScenarioError", module.py().get_type::<ScenarioError>())?;
    module.add_class::<batch::Batch>()?;
    module.add_class::<arrow::Columns>()?;
    python_class::add_classes(module)?;
    module.add_class::<episode::Episode>()?;
    host::add_classes(module)?;
    #[cfg(feature = "stacks")]
    {
        drill::add_to(module)?;
        library::add_to(module)?;
    }
    for function in [
        wrap_pyfunction!(registry, module)?,
        wrap_pyfunction!(schema, module)?,
        wrap_pyfunction!(tables, module)?,
        wrap_pyfunction!(fields, module)?,
        wrap_pyfunction!(check, module)?,
        wrap_pyfunction!(describe, module)?,
        wrap_pyfunction!(outlines::outlines, module)?,
        wrap_pyfunction!(outlines::comparison_warnings, module)?,
        wrap_pyfunction!(run, module)?,
        wrap_pyfunction!(document, module)?,
        wrap_pyfunction!(trace, module)?,
        wrap_pyfunction!(verify, module)?,
        wrap_pyfunction!(exports::export, module)?,
        wrap_pyfunction!(locate, module)?,
        wrap_pyfunction!(wire::path, module)?,
        wrap_pyfunction!(wire::wire, module)?,
        wrap_pyfunction!(kernel::replay, module)?,
    ] {
        module.add_function(function)?;
    }
    Ok(())
}

/// Returns everything that a scenario with these plugins can name, as a JSON array. Python classes are left out.
#[pyfunction]
#[pyo3(signature = (plugins = vec![]))]
fn registry(py: Python<'_>, plugins: Vec<Plugin>) -> PyResult<String> {
    to_json(&names::listed(&Plugin::kinds(py, &plugins, &Arc::default())?))
}

/// Returns the JSON Schema of a scenario file.
#[pyfunction]
fn schema() -> PyResult<String> {
    to_json(&schemas::schema())
}

/// Returns every table of a scenario file with its keys, as a JSON array.
#[pyfunction]
fn tables() -> PyResult<String> {
    to_json(&reference::tables())
}

/// Returns the fields of a result's records, as a JSON object of lists.
#[pyfunction]
fn fields() -> PyResult<String> {
    to_json(&declared_fields())
}

/// Finds a path of keys and indices in a TOML file. Returns how many steps of the path exist, and line and
/// column of the key and of the value of the last of them.
#[pyfunction]
fn locate(text: &str, file: &str, path: Vec<String>) -> PyResult<(usize, places::Place, places::Place)> {
    places::of(text, file, &path).map_err(|problems| refuse(&problems))
}

/// Returns the points of the scenario's sweep, as a JSON object. Raises ScenarioError with every problem that
/// the scenario has.
#[pyfunction]
#[pyo3(signature = (text, file, overrides = "{}", classes = vec![]))]
fn check(py: Python<'_>, text: &str, file: &str, overrides: &str, classes: Vec<Plugin>) -> PyResult<String> {
    // The warnings ask an instance of each control whether it counts marks. Python code that raises then raises in the run again.
    let (document, plugins, _) = here::document(py, (text, file, overrides), &classes)?;
    let checked = Scenario::check_document(&document, &plugins);
    to_json(&checked.map_err(|problems| refuse(&problems))?.points())
}

/// Returns a short description of the scenario, as a JSON object.
#[pyfunction]
#[pyo3(signature = (text, file, overrides = "{}", classes = vec![]))]
fn describe(
    py: Python<'_>,
    text: &str,
    file: &str,
    overrides: &str,
    classes: Vec<Plugin>,
) -> PyResult<String> {
    let (scenario, stop) = here::scenario(py, (text, file, overrides), &classes)?;
    let told = told::of(&scenario);
    // The description asks an instance of each control whether it counts marks, so Python code may have
    // raised.
    stop.check(py)?;
    to_json(&told)
}

/// Runs the scenario once. Returns the result as a JSON object, and the series if they are asked for. With
/// classes written in Python it runs on this thread.
#[pyfunction]
#[pyo3(signature = (text, file, overrides, seed, series, classes = vec![]))]
fn run(
    py: Python<'_>,
    text: &str,
    file: &str,
    overrides: &str,
    seed: u64,
    series: bool,
    classes: Vec<Plugin>,
) -> PyResult<batch::Made> {
    if !classes.is_empty() {
        return here::run(py, (text, file, overrides), &classes, seed, series);
    }
    let job = batch::Job::new(text, file, overrides, seed, series)?;
    batch::run_interruptibly(py, job)
}

/// Runs the scenario once. Returns the result with its series as one JSON object, in the same bytes as the
/// WebAssembly module of the web page.
#[pyfunction]
fn document(py: Python<'_>, text: &str, file: &str, overrides: &str, seed: u64) -> PyResult<String> {
    let scenario = parse_point(text, file, overrides)?;
    let result = py.detach(|| runner::run(&scenario, seed, true, &AtomicBool::new(false)));
    to_json(&result.map_err(|error| PyRuntimeError::new_err(error.to_string()))?)
}

/// Runs the scenario once and returns its packet trace.
#[pyfunction]
#[pyo3(signature = (text, file, overrides, seed, classes = vec![]))]
fn trace(
    py: Python<'_>,
    text: &str,
    file: &str,
    overrides: &str,
    seed: u64,
    classes: Vec<Plugin>,
) -> PyResult<Columns> {
    let (scenario, stop) = here::scenario(py, (text, file, overrides), &classes)?;
    let traced = py.detach(|| runner::trace(&scenario, seed, stop.cancelled()));
    stop.check(py)?;
    let traced = traced.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    py.detach(|| Columns::of_trace(traced)).map_err(arrow::refuse)
}

/// Runs the scenario once with a packet trace and checks the trace. Returns a JSON array of violations, which
/// is empty if there are none.
#[pyfunction]
#[pyo3(signature = (text, file, overrides, seed, classes = vec![]))]
fn verify(
    py: Python<'_>,
    text: &str,
    file: &str,
    overrides: &str,
    seed: u64,
    classes: Vec<Plugin>,
) -> PyResult<String> {
    let (scenario, stop) = here::scenario(py, (text, file, overrides), &classes)?;
    let checked = py.detach(|| runner::run_and_verify(&scenario, seed, stop.cancelled()));
    stop.check(py)?;
    to_json(&checked.map_err(|error| PyRuntimeError::new_err(error.to_string()))?)
}

fn parse_with(text: &str, file: &str, overrides: &str, plugins: &Plugins) -> PyResult<Scenario> {
    let document = overridden(text, file, &read_overrides(overrides)?);
    document.and_then(|document| Scenario::read(&document, plugins)).map_err(|problems| refuse(&problems))
}

fn parse_point(text: &str, file: &str, overrides: &str) -> PyResult<Scenario> {
    Scenario::point(text, file, &read_overrides(overrides)?).map_err(|problems| refuse(&problems))
}

fn read_overrides(text: &str) -> PyResult<Map<String, Value>> {
    serde_json::from_str(text).map_err(|error| PyValueError::new_err(format!("overrides: {error}")))
}

fn refuse(problems: &[Diagnostic]) -> PyErr {
    let error = ScenarioError::new_err(diagnostics::render(problems));
    Python::attach(|py| {
        let json = diagnostics::listed(problems).to_string();
        // The attribute is only a convenience: the text says everything even without it.
        let _ = error.value(py).setattr("diagnostics", json);
    });
    error
}

fn to_json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| PyRuntimeError::new_err(error.to_string()))
}
