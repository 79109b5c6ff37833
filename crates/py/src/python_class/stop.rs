//! Ends a run when its Python code raises: keeps the exception and cancels the simulation.

use pyo3::exceptions::{PyException, PyRuntimeError};
use pyo3::prelude::*;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// The state of one run: whether it is cancelled, and the first exception.
#[derive(Debug, Default)]
pub struct Stop {
    cancelled: AtomicBool,
    raised: Mutex<Option<(String, PyErr)>>,
}

impl Stop {
    /// Returns the flag that cancels the simulation.
    pub fn cancelled(&self) -> &AtomicBool {
        &self.cancelled
    }

    /// Returns whether Python code has raised. If so, no more Python code of the run is called.
    pub fn is_set(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Cancels the run because Python code of `whom` has raised. Only the first exception is kept.
    pub fn raise(&self, whom: &str, error: PyErr) {
        self.cancelled.store(true, Ordering::Relaxed);
        if let Ok(mut raised) = self.raised.lock() {
            raised.get_or_insert((whom.to_owned(), error));
        }
    }

    /// Returns the error of the run if Python code has raised: a RuntimeError whose cause is the exception.
    /// An exception that is no error, such as an interruption, is returned itself.
    pub fn check(&self, py: Python<'_>) -> PyResult<()> {
        let raised = self.raised.lock().ok().and_then(|mut raised| raised.take());
        let Some((whom, error)) = raised else { return Ok(()) };
        if !error.is_instance_of::<PyException>(py) {
            return Err(error);
        }
        let told =
            PyRuntimeError::new_err(format!("{whom} raised {}", error.to_string().trim_end_matches(": ")));
        told.set_cause(py, Some(error));
        Err(told)
    }
}
