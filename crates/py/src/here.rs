//! Runs with Python code in them: on the thread of whoever calls, which keeps the interpreter to itself but where Python
//! code gives way to other threads.

use crate::arrow::{self, Columns};
use crate::batch::Made;
use crate::guest::{Guest, Stop};
use crate::{read_overrides, refuse, to_json};
use ackclock_base::Time;
use ackclock_lab::document::Document;
use ackclock_lab::scenario::overridden;
use ackclock_lab::{RunResult, Scenario, run as runner};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::sync::Arc;

/// How many times in a run Ctrl-C is looked for, besides by the Python code itself.
const LOOKS: u64 = 1000;

/// A scenario's document, and what its Python code has to raise.
pub fn document(
    py: Python<'_>,
    (text, file, overrides): (&str, &str, &str),
    guests: &[Py<Guest>],
) -> PyResult<(Document, Arc<Stop>)> {
    let stop = Arc::<Stop>::default();
    let document =
        overridden(text, file, &read_overrides(overrides)?).map_err(|problems| refuse(&problems))?;
    Ok((document.bringing(Guest::bring(py, guests, &stop)), stop))
}

/// The same, read, without looking at its sweep.
pub fn scenario(
    py: Python<'_>,
    source: (&str, &str, &str),
    guests: &[Py<Guest>],
) -> PyResult<(Scenario, Arc<Stop>)> {
    let (document, stop) = document(py, source, guests)?;
    Ok((Scenario::read(&document).map_err(|problems| refuse(&problems))?, stop))
}

/// Runs it once.
pub fn run(
    py: Python<'_>,
    source: (&str, &str, &str),
    guests: &[Py<Guest>],
    seed: u64,
    series: bool,
) -> PyResult<Made> {
    let (scenario, stop) = scenario(py, source, guests)?;
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
