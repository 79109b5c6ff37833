//! What ends a run when Python code in it raises: the exception, and the word to the simulation.

use pyo3::exceptions::{PyException, PyRuntimeError};
use pyo3::prelude::*;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// One for each run.
#[derive(Debug, Default)]
pub struct Stop {
    cancelled: AtomicBool,
    raised: Mutex<Option<(String, PyErr)>>,
}

impl Stop {
    /// What the simulation looks at from time to time.
    pub fn cancelled(&self) -> &AtomicBool {
        &self.cancelled
    }

    /// Whether something has been raised: then no Python code of the run is called any more.
    pub fn is_set(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Python code of `whom` has raised. Only the first exception is kept.
    pub fn raise(&self, whom: &str, error: PyErr) {
        self.cancelled.store(true, Ordering::Relaxed);
        if let Ok(mut raised) = self.raised.lock() {
            raised.get_or_insert((whom.to_owned(), error));
        }
    }

    /// The error of the run, if Python code has raised: with its exception as the cause, but what is no error, such as an
    /// interruption, as it is.
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
