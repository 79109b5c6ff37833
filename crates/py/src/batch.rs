//! Runs many scenarios on all cores and gives each result to Python as its run finishes.

use crate::arrow::Columns;
use crate::{read_overrides, refuse, to_json};
use ackclock_lab::language::document::Document;
use ackclock_lab::run as runner;
use ackclock_lab::run::panics::caught;
use ackclock_lab::{Diagnostic, Plugins, Scenario};
use pyo3::exceptions::{PyBaseException, PyRuntimeError};
use pyo3::prelude::*;
use rayon::ThreadPoolBuilder;
use serde_json::{Map, Value};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

/// The interval at which Python can notice Ctrl-C.
const SIGNAL_CHECK: Duration = Duration::from_millis(50);

/// The number of finished runs that may wait for Python before the cores wait too: the series of one run may
/// take a hundred megabytes.
const MAX_WAITING: usize = 4;

/// The result of a run as JSON without its series, and the series.
pub type Made = (String, Option<Columns>);

/// A scenario or one point of its sweep. It is read when the first of its runs begins, so that one core's
/// reading does not delay the others.
struct Point {
    document: Arc<Document>,
    overrides: Map<String, Value>,
    scenario: OnceLock<Result<Scenario, Vec<Diagnostic>>>,
}

/// A point and a seed to run it with.
pub struct Job {
    point: Arc<Point>,
    seed: u64,
    series: bool,
}

/// The reason why a run has no result.
pub enum Failure {
    /// The scenario has these problems.
    Scenario(Vec<Diagnostic>),
    /// The run failed; the text says why.
    Run(String),
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Scenario(problems) => refuse(&problems),
            Failure::Run(message) => PyRuntimeError::new_err(message),
        }
    }
}

/// A requested run: text, file, overrides, seed, and whether series are kept.
type Wanted = (String, String, String, u64, bool);

/// Makes jobs from the requested runs. Consecutive jobs share their document, and their point if it is the
/// same.
fn jobs(wanted: &[Wanted]) -> PyResult<Vec<Job>> {
    let mut jobs: Vec<Job> = Vec::with_capacity(wanted.len());
    for (index, (text, file, overrides, seed, series)) in wanted.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| (&wanted[before], &jobs[before].point));
        let same_file = before.filter(|((other, name, ..), _)| (other, name) == (text, file));
        let point = match same_file {
            Some(((_, _, other, ..), point)) if other == overrides => Arc::clone(point),
            _ => Arc::new(Point {
                document: match same_file {
                    Some((_, point)) => Arc::clone(&point.document),
                    None => Arc::new(Document::parse(text, file).map_err(|problems| refuse(&problems))?),
                },
                overrides: read_overrides(overrides)?,
                scenario: OnceLock::new(),
            }),
        };
        jobs.push(Job { point, seed: *seed, series: *series });
    }
    Ok(jobs)
}

impl Job {
    /// Makes the job that runs one point of a scenario with a seed.
    pub fn new(text: &str, file: &str, overrides: &str, seed: u64, series: bool) -> PyResult<Self> {
        let wanted = (text.to_owned(), file.to_owned(), overrides.to_owned(), seed, series);
        Ok(jobs(&[wanted])?.remove(0))
    }

    /// Runs the job. A panic is its failure alone: a stack or a control that a user has built in may panic in a few of
    /// thousands of runs.
    fn run(&self, cancelled: &AtomicBool) -> Result<Made, Failure> {
        caught(|| self.made(cancelled)).unwrap_or_else(|panic| {
            let name = self
                .point
                .scenario
                .get()
                .and_then(|scenario| scenario.as_ref().ok())
                .map(|scenario| &scenario.name);
            Err(Failure::Run(format!(
                "{}, seed {}: {panic}",
                name.map_or("a scenario", |name| name),
                self.seed
            )))
        })
    }

    fn made(&self, cancelled: &AtomicBool) -> Result<Made, Failure> {
        let point = &self.point;
        let scenario = point
            .scenario
            .get_or_init(|| Scenario::at(&point.document, &point.overrides, &Plugins::default()));
        let scenario = scenario.as_ref().map_err(|problems| Failure::Scenario(problems.clone()))?;
        let result = runner::run(scenario, self.seed, self.series, cancelled);
        let mut result = result
            .map_err(|error| Failure::Run(format!("{}, seed {}: {error}", scenario.name, self.seed)))?;
        let series = result.series.take().map(Columns::of_series).transpose();
        let json = to_json(&result).map_err(|error| Failure::Run(error.to_string()))?;
        Ok((json, series.map_err(|error| Failure::Run(error.to_string()))?))
    }
}

type Finished = (usize, Result<Made, Failure>);

/// A finished run: the index of its job, its result as JSON and its series, or the exception.
type Handed = (usize, Option<String>, Option<Columns>, Option<Py<PyBaseException>>);

/// An iterator over finished runs, in the order in which they finish.
#[pyclass]
pub struct Batch {
    finished: Mutex<Receiver<Finished>>,
    cancelled: Arc<AtomicBool>,
    left: usize,
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(signature = (wanted, threads = 0))]
    fn new(wanted: Vec<Wanted>, threads: usize) -> PyResult<Self> {
        Self::start(jobs(&wanted)?, threads)
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<Handed>> {
        let finished = self.next_finished(py)?;
        Ok(finished.map(|(index, result)| match result {
            Ok((json, series)) => (index, Some(json), series, None),
            Err(failure) => (index, None, None, Some(PyErr::from(failure).into_value(py))),
        }))
    }

    /// Cancels the runs that have not finished.
    fn cancel(&mut self) {
        self.cancelled.store(true, Ordering::Relaxed);
        self.left = 0;
    }
}

impl Batch {
    fn next_finished(&mut self, py: Python<'_>) -> PyResult<Option<Finished>> {
        if self.left == 0 {
            return Ok(None);
        }
        loop {
            match py.detach(|| self.receive()) {
                Ok(finished) => {
                    self.left -= 1;
                    return Ok(Some(finished));
                }
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(interrupt) = py.check_signals() {
                        self.cancel();
                        return Err(interrupt);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(PyRuntimeError::new_err("a run ended without a result"));
                }
            }
        }
    }

    fn start(jobs: Vec<Job>, threads: usize) -> PyResult<Self> {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        let cancelled = Arc::new(AtomicBool::new(false));
        let (sender, receiver) = sync_channel(MAX_WAITING);
        let left = jobs.len();
        for (index, job) in jobs.into_iter().enumerate() {
            let (sender, cancelled) = (sender.clone(), Arc::clone(&cancelled));
            // The pool starts jobs in their order, so that runs finish roughly in that order.
            pool.spawn_fifo(move || {
                if !cancelled.load(Ordering::Relaxed) {
                    // Sending fails once the batch has been dropped, because there is no receiver any more.
                    let _ = sender.send((index, job.run(&cancelled)));
                }
            });
        }
        Ok(Self { finished: Mutex::new(receiver), cancelled, left })
    }

    fn receive(&self) -> Result<Finished, RecvTimeoutError> {
        match self.finished.lock() {
            Ok(finished) => finished.recv_timeout(SIGNAL_CHECK),
            Err(_) => Err(RecvTimeoutError::Disconnected),
        }
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }
}

/// Runs one job so that Ctrl-C ends it.
pub fn run_interruptibly(py: Python<'_>, job: Job) -> PyResult<Made> {
    let mut batch = Batch::start(vec![job], 1)?;
    match batch.next_finished(py)? {
        Some((_, result)) => Ok(result?),
        None => Err(PyRuntimeError::new_err("the run ended without a result")),
    }
}
