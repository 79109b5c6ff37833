//! Defines the ways in which a run can be observed or driven. None of them may change a number of the result.

use crate::watch::StopWatch;
use ackclock_base::{Span, Time};
use ackclock_export::events::Recorder;
use ackclock_lab::build::{self, Keep};
use ackclock_lab::{RunResult, Scenario};
use ackclock_sim::capture::Place;
use ackclock_sim::measure::Interval;
use ackclock_sim::simulation::RunError;
use ackclock_sim::simulation::Simulation;
use ackclock_sim::trace::Record;
use serde_json::Value as Json;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A way to observe or to drive a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observation {
    /// Runs from beginning to end and keeps only the result.
    Plain,
    /// Keeps a packet trace.
    Traced,
    /// Keeps series over time.
    Sampled,
    /// Captures packets at both ends and before and after the first link.
    Captured,
    /// Observes packets at a link as the scenario asks.
    Watched,
    /// Records the calls of all congestion controls.
    Recorded,
    /// Keeps and records all of these.
    Everything,
    /// Runs one event at a time.
    SteppedByEvents,
    /// Runs from instant to instant and keeps series.
    SteppedByTime,
}

/// All observations, with the plain one first.
pub const ALL: [Observation; 9] = [
    Observation::Plain,
    Observation::Traced,
    Observation::Sampled,
    Observation::Captured,
    Observation::Watched,
    Observation::Recorded,
    Observation::Everything,
    Observation::SteppedByEvents,
    Observation::SteppedByTime,
];

/// The outcome of a run.
#[derive(Debug)]
pub struct Observed {
    /// The result, without series.
    pub result: Json,
    /// The series; null if the run kept none.
    pub series: Json,
    /// The packet trace; empty if the run kept none.
    pub records: Vec<Record>,
}

/// Says why a run has no outcome.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unfinished {
    /// The run fails, and says so.
    Fails,
    /// The run was cancelled.
    TooLong {
        /// The CPU time for a simulated second where the run was cancelled, in seconds.
        per_second: f64,
    },
}

/// The number of steps from instant to instant. It divides no usual sampling interval.
const STEPS: u64 = 23;

impl Observation {
    /// Runs a scenario with a seed under this observation, for a CPU time of `most`.
    pub fn run(
        self,
        scenario: &Scenario,
        seed: u64,
        measured: Interval,
        most: Duration,
    ) -> Result<Observed, Unfinished> {
        let recorder = Recorder::default();
        let listens = matches!(self, Self::Recorded | Self::Everything);
        let watch = StopWatch::start(most);
        let mut simulation =
            build::recorded_simulation(scenario, seed, self.keep(), measured, listens.then_some(&recorder));
        match self.drive(&mut simulation, scenario.duration, watch.expired()) {
            Ok(()) => {}
            Err(RunError::Cancelled) => return Err(too_long(&mut simulation, most)),
            Err(_) => return Err(Unfinished::Fails),
        }
        let result = RunResult::of(scenario, seed, &mut simulation);
        let mut result = serde_json::to_value(result).expect("a result can be written");
        let series = result["series"].take();
        let records = simulation.network.trace.take().map(|trace| trace.records).unwrap_or_default();
        Ok(Observed { result, series, records })
    }

    fn keep(self) -> Keep {
        let places = vec![Place::Senders, Place::Receivers, Place::Before(0), Place::After(0)];
        let all = self == Self::Everything;
        let samples = matches!(self, Self::Sampled | Self::SteppedByTime);
        Keep {
            series: samples || all,
            trace: all || self == Self::Traced,
            watch: all || self == Self::Watched,
            capture: if all || self == Self::Captured { places } else { Vec::new() },
        }
    }

    fn drive(
        self,
        simulation: &mut Simulation,
        duration: Span,
        cancelled: &AtomicBool,
    ) -> Result<(), RunError> {
        match self {
            Self::SteppedByEvents => {
                while simulation.step()? {
                    if cancelled.load(Ordering::Relaxed) {
                        return Err(RunError::Cancelled);
                    }
                }
            }
            Self::SteppedByTime => {
                for step in 1..=STEPS {
                    let until = Time::ZERO + (duration / STEPS) * step;
                    simulation.run_until(until, cancelled)?;
                }
            }
            _ => {}
        }
        simulation.run(cancelled)
    }
}

/// Goes on with a run that was cancelled, to see how fast it is where it was too slow.
fn too_long(simulation: &mut Simulation, most: Duration) -> Unfinished {
    let (began, watch) = (simulation.now(), StopWatch::start(most));
    match simulation.run(watch.expired()) {
        Ok(()) | Err(RunError::Cancelled) => {
            let simulated = simulation.now().since(began).max(Span::from_nanos(1));
            Unfinished::TooLong { per_second: watch.elapsed().as_secs_f64() / simulated.seconds() }
        }
        Err(_) => Unfinished::Fails,
    }
}
