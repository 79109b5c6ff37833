//! Gives Python code the run's random numbers for the duration of an event.

use ackclock_base::Random;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

scoped_tls_hkt::scoped_thread_local!(static mut SOURCE: for<'a> &'a mut (dyn Random + 'a));

/// The source of random numbers during an event. Outside an event it raises RuntimeError.
#[pyclass(frozen)]
pub struct Draws;

#[pymethods]
impl Draws {
    /// Draws a number uniformly from [0, 1). Raises RuntimeError outside an event.
    #[staticmethod]
    fn uniform() -> PyResult<f64> {
        if !SOURCE.is_set() {
            return Err(PyRuntimeError::new_err(
                "random numbers can be drawn only during an event, in the method that is given `random`",
            ));
        }
        Ok(SOURCE.with(|random| random.uniform()))
    }
}

/// Calls Python code that may draw from `random`.
pub fn lend<T>(random: &mut dyn Random, call: impl FnOnce() -> T) -> T {
    SOURCE.set(random, call)
}
