//! Runs scenarios with Python code on the caller's thread. The run holds the interpreter except where Python
//! code lets other threads run.

use crate::arrow::{self, Columns};
use crate::batch::Made;
use crate::python_class::{Plugin, Stop};
use crate::{read_overrides, refuse, to_json};
use ackclock_base::Time;
use ackclock_lab::language::document::Document;
use ackclock_lab::language::load::overridden;
use ackclock_lab::{Plugins, RunResult, Scenario, run as runner};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::sync::Arc;

/// How often a run looks for Ctrl-C, in addition to the looks of the Python code itself.
const LOOKS: u64 = 1000;

/// Reads a scenario's document and these classes. Returns the document, the plugins that it may name, and the state in which the
/// run keeps an exception.
pub fn document(
    py: Python<'_>,
    (text, file, overrides): (&str, &str, &str),
    classes: &[Plugin],
) -> PyResult<(Document, Plugins, Arc<Stop>)> {
    let stop = Arc::<Stop>::default();
    let document =
        overridden(text, file, &read_overrides(overrides)?).map_err(|problems| refuse(&problems))?;
    let plugins = Plugin::kinds(py, classes, &stop)?;
    Ok((document, plugins, stop))
}

/// Reads a scenario with these classes, without its sweep.
pub fn scenario(
    py: Python<'_>,
    source: (&str, &str, &str),
    classes: &[Plugin],
) -> PyResult<(Scenario, Arc<Stop>)> {
    let (document, plugins, stop) = document(py, source, classes)?;
    Ok((Scenario::read(&document, &plugins).map_err(|problems| refuse(&problems))?, stop))
}

/// Runs the scenario once and returns the result as JSON and the series.
pub fn run(
    py: Python<'_>,
    source: (&str, &str, &str),
    classes: &[Plugin],
    seed: u64,
    series: bool,
) -> PyResult<Made> {
    let (scenario, stop) = scenario(py, source, classes)?;
    let begun = runner::begin(&scenario, seed, series, stop.cancelled());
    stop.check(py)?;
    let failed = |error: &dyn std::fmt::Display| {
        PyRuntimeError::new_err(format!("{}, seed {seed}: {error}", scenario.name))
    };
    let mut simulation = begun.map_err(|error| failed(&error))?;
    let every = (scenario.duration.nanos() / LOOKS).max(1);
    let end = simulation.measured().to;
    let mut until = Time::ZERO;
    while until < end {
        until = Time::from_nanos(until.nanos().saturating_add(every)).min(end);
        let gone_on = simulation.run_until(until, stop.cancelled());
        stop.check(py)?;
        gone_on.map_err(|error| failed(&error))?;
        py.check_signals()?;
    }
    let mut result = RunResult::of(&scenario, seed, &mut simulation);
    let series = result.series.take().map(Columns::of_series).transpose().map_err(arrow::refuse)?;
    Ok((to_json(&result)?, series))
}
