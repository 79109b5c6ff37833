//! Many runs on all cores, handed to Python one by one as they finish.

use crate::arrow::Columns;
use crate::{parse_point, to_json};
use ackclock_lab::run as runner;
use ackclock_lab::scenario::Scenario;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::ThreadPoolBuilder;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

/// How often Python is given the chance to notice Ctrl-C.
const SIGNAL_CHECK: Duration = Duration::from_millis(50);

/// How many finished runs may wait for Python before the cores wait too: series may have a hundred megabytes.
const MAX_WAITING: usize = 4;

/// A finished run: its result in JSON, without the series, and those.
pub type Made = (String, Option<Columns>);

/// One run.
pub struct Job {
    scenario: Scenario,
    seed: u64,
    series: bool,
}

impl Job {
    /// A checked scenario, or one point of it, with a seed.
    pub fn new(text: &str, file: &str, overrides: &str, seed: u64, series: bool) -> PyResult<Self> {
        Ok(Self { scenario: parse_point(text, file, overrides)?, seed, series })
    }

    fn run(&self, cancelled: &AtomicBool) -> Result<Made, String> {
        let result = runner::run(&self.scenario, self.seed, self.series, cancelled);
        let mut result =
            result.map_err(|error| format!("{}, seed {}: {error}", self.scenario.name, self.seed))?;
        let series = result.series.take().map(Columns::of_series).transpose();
        Ok((to_json(&result).map_err(|error| error.to_string())?, series.map_err(|error| error.to_string())?))
    }
}

type Finished = (usize, Result<Made, String>);

/// An iterator over finished runs, in the order in which they finish: (index of the job, result as JSON, series).
#[pyclass]
pub struct Batch {
    finished: Mutex<Receiver<Finished>>,
    cancelled: Arc<AtomicBool>,
    left: usize,
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(signature = (jobs, threads = 0))]
    fn new(jobs: Vec<(String, String, String, u64, bool)>, threads: usize) -> PyResult<Self> {
        let jobs: PyResult<Vec<Job>> = jobs
            .iter()
            .map(|(text, file, overrides, seed, series)| Job::new(text, file, overrides, *seed, *series))
            .collect();
        Self::start(jobs?, threads)
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<(usize, String, Option<Columns>)>> {
        if self.left == 0 {
            return Ok(None);
        }
        loop {
            match py.detach(|| self.receive()) {
                Ok((index, result)) => {
                    self.left -= 1;
                    let made = result.map_err(PyRuntimeError::new_err);
                    return made.map(|(json, series)| Some((index, json, series)));
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

    /// Stops the runs that have not finished.
    fn cancel(&mut self) {
        self.cancelled.store(true, Ordering::Relaxed);
        self.left = 0;
    }
}

impl Batch {
    fn start(jobs: Vec<Job>, threads: usize) -> PyResult<Self> {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        let cancelled = Arc::new(AtomicBool::new(false));
        let (sender, receiver) = sync_channel(MAX_WAITING);
        let left = jobs.len();
        for (index, job) in jobs.into_iter().enumerate() {
            let (sender, cancelled) = (sender.clone(), Arc::clone(&cancelled));
            // First in, first out, so that finished runs come roughly in the order of the jobs.
            pool.spawn_fifo(move || {
                if !cancelled.load(Ordering::Relaxed) {
                    // Nobody listens any more once the batch has been dropped.
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
    match batch.__next__(py)? {
        Some((_, json, series)) => Ok((json, series)),
        None => Err(PyRuntimeError::new_err("the run gave no result")),
    }
}
