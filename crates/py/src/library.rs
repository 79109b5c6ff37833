//! Stacks in shared libraries: asking a library what it is, and offering its stack to scenarios.

use ackclock_lab::language::registry;
use ackclock_lab::transports::library::{CALLS, Facts, Library, OPTIONS, PAGE_BYTES, watch};
use ackclock_lab::transports::{Stack, Stacks, Transport};
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::os::fd::RawFd;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a library tells about itself: name, version, controls, what is random, licence.
type Told = (String, String, Vec<String>, String, String);

/// Whether this process is one that runs libraries, and that they may end.
static RUNS_LIBRARIES: AtomicBool = AtomicBool::new(false);

/// A stack in a shared library, with its options. Only a process that runs libraries loads it.
#[pyclass(frozen)]
pub struct StackLibrary {
    library: &'static Library,
    /// Lives as long as the program, like the transports of the registry. It takes some hundred bytes for each library.
    transport: &'static dyn Transport,
}

#[pymethods]
impl StackLibrary {
    /// Describes a library. Raises ValueError if a transport that is built in has its name.
    #[new]
    fn new(path: PathBuf, options: Vec<(String, String)>, told: Told) -> PyResult<Self> {
        let (name, version, controls, random, licence) = told;
        if name == "udp" || registry::transports().iter().any(|built_in| built_in.name == name) {
            return Err(PyValueError::new_err(format!(
                "{}: the library reports the name {name:?}, which is the name of a built-in transport: expected \
                 another name",
                path.display()
            )));
        }
        let facts = Facts { name, version, controls, random, licence };
        let library = Library::new(path, &options, facts).map_err(PyValueError::new_err)?;
        let library = &*Box::leak(Box::new(library));
        Ok(Self { library, transport: Stacks::loaded(library) })
    }
}

impl StackLibrary {
    /// Returns the stack. Loads the library if this process is one that runs libraries.
    pub fn stack(&self) -> PyResult<&'static dyn Stack> {
        self.transport()?;
        Ok(self.library)
    }

    /// Returns the transport of the stack. Loads the library if this process is one that runs libraries.
    pub fn transport(&self) -> PyResult<&'static dyn Transport> {
        if RUNS_LIBRARIES.load(Ordering::Relaxed) {
            self.library.load().map_err(PyRuntimeError::new_err)?;
        }
        Ok(self.transport)
    }
}

/// Loads a library and asks what it is, and whether it takes these options. Returns its name, version, controls, what is random, and its
/// licence. Raises ValueError if it is no such library. A library may end the process.
#[pyfunction]
fn inspect_library(path: PathBuf, options: Vec<(String, String)>) -> PyResult<Told> {
    for (key, _) in &options {
        if OPTIONS.contains(&key.as_str()) {
            return Err(PyValueError::new_err(format!(
                "{}: the option {key} is reserved for values from the scenario; use another name",
                path.display()
            )));
        }
    }
    let Facts { name, version, controls, random, licence } =
        Library::inspect(&path, &options).map_err(PyValueError::new_err)?;
    Ok((name, version, controls, random, licence))
}

/// Makes this process one that runs libraries, and notes each call of them in an open file of 4096 bytes. Raises OSError if that cannot be.
#[pyfunction]
fn watch_libraries(file: RawFd) -> PyResult<()> {
    if !watch(file) {
        return Err(PyOSError::new_err(format!(
            "the file that records library calls has fewer than {PAGE_BYTES} bytes or cannot be mapped into memory"
        )));
    }
    RUNS_LIBRARIES.store(true, Ordering::Relaxed);
    Ok(())
}

/// Reads what such a file holds. Returns the function of a library that was being called, or an empty text; the time of the simulation in
/// nanoseconds; and the name of the stack.
#[pyfunction]
fn last_library_call(page: &[u8]) -> PyResult<(&'static str, u64, String)> {
    let mut words = page.chunks_exact(8).map(|word| u64::from_ne_bytes(word.try_into().unwrap_or_default()));
    let (Some(call), Some(now)) = (words.next(), words.next()) else {
        return Err(PyValueError::new_err(format!("found {} bytes, expected {PAGE_BYTES}", page.len())));
    };
    let name: Vec<u8> =
        page[16..PAGE_BYTES.min(page.len())].iter().copied().take_while(|byte| *byte != 0).collect();
    let call = usize::try_from(call).ok().and_then(|call| CALLS.get(call)).copied().unwrap_or_default();
    Ok((call, now, String::from_utf8_lossy(&name).into_owned()))
}

/// Adds what Python needs for libraries to the module.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<StackLibrary>()?;
    module.add_function(wrap_pyfunction!(inspect_library, module)?)?;
    module.add_function(wrap_pyfunction!(watch_libraries, module)?)?;
    module.add_function(wrap_pyfunction!(last_library_call, module)?)
}
