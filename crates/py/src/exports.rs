//! Writes a run in the formats of other tools.

use crate::arrow::{self, Columns};
use crate::python_class::Plugin;
use crate::{here, to_json};
use ackclock_lab::run::exports::{self, ExportError, Wishes};
use ackclock_sim::capture::Place;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use serde::Deserialize;
use std::path::PathBuf;

/// What Python asks to export; the places of captures have the index of their link.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Wanted {
    captures: Vec<(String, u32, PathBuf)>,
    payloads: bool,
    qlogs: Vec<(usize, PathBuf)>,
    deliveries: Vec<(usize, PathBuf)>,
    rates: Vec<(u32, PathBuf)>,
    events: bool,
}

fn place(word: &str, link: u32) -> PyResult<Place> {
    match word {
        "senders" => Ok(Place::Senders),
        "receivers" => Ok(Place::Receivers),
        "before" => Ok(Place::Before(link)),
        "after" => Ok(Place::After(link)),
        other => Err(PyValueError::new_err(format!("no place {other}"))),
    }
}

/// An exported run: its result as JSON, the files with the numbers of their records as JSON, and the event
/// log.
type Exported = (String, String, Option<Columns>);

/// Runs the scenario once and writes the files that ``wishes``, a JSON object, asks for.
#[pyfunction]
#[pyo3(signature = (text, file, overrides, seed, wishes, classes = vec![]))]
pub fn export(
    py: Python<'_>,
    text: &str,
    file: &str,
    overrides: &str,
    seed: u64,
    wishes: &str,
    classes: Vec<Plugin>,
) -> PyResult<Exported> {
    let (scenario, stop) = here::scenario(py, (text, file, overrides), &classes)?;
    let wanted: Wanted =
        serde_json::from_str(wishes).map_err(|error| PyValueError::new_err(format!("wishes: {error}")))?;
    let captures = wanted.captures.into_iter();
    let captures = captures.map(|(word, link, path)| Ok((place(&word, link)?, path)));
    let wishes = Wishes {
        captures: captures.collect::<PyResult<_>>()?,
        payloads: wanted.payloads,
        qlogs: wanted.qlogs,
        deliveries: wanted.deliveries,
        rates: wanted.rates,
        events: wanted.events,
    };
    let mut interrupt = None;
    let mut goes_on = || {
        interrupt = Python::attach(|py| py.check_signals().err());
        interrupt.is_none() && !stop.is_set()
    };
    let exported = py.detach(|| exports::export(&scenario, seed, &wishes, &mut goes_on));
    stop.check(py)?;
    let mut exported = match (exported, interrupt) {
        (_, Some(interrupt)) => return Err(interrupt),
        (Err(ExportError::Run(error)), _) => return Err(PyRuntimeError::new_err(error.to_string())),
        (Err(ExportError::File(path, error)), _) => {
            let number = error.raw_os_error();
            // From the number and the text, Python makes the matching subclass of OSError.
            return Err(match number {
                Some(number) => PyOSError::new_err((number, error.to_string(), path)),
                None => PyOSError::new_err(format!("{}: {error}", path.display())),
            });
        }
        (Ok(exported), None) => exported,
    };
    let events = Columns::of_events(&mut exported).transpose().map_err(arrow::refuse)?;
    Ok((to_json(&exported.result)?, to_json(&exported.files)?, events))
}
