//! The run's own random numbers for Python code: what a control or a discipline is handed for the length of an event.

use ackclock_base::Random;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

scoped_tls_hkt::scoped_thread_local!(static mut SOURCE: for<'a> &'a mut (dyn Random + 'a));

/// The source of random numbers of an event. Outside of one it has none to give.
#[pyclass(frozen)]
pub struct Draws;

#[pymethods]
impl Draws {
    /// A number drawn uniformly from [0, 1).
    #[staticmethod]
    fn uniform() -> PyResult<f64> {
        if !SOURCE.is_set() {
            return Err(PyRuntimeError::new_err("random numbers are there for the length of the event only"));
        }
        Ok(SOURCE.with(|random| random.uniform()))
    }
}

/// Calls Python code that may draw from `random`.
pub fn lend<T>(random: &mut dyn Random, call: impl FnOnce() -> T) -> T {
    SOURCE.set(random, call)
}
