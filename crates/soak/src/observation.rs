//! Defines the ways in which a run can be observed or driven. None of them may change a number of the result.

use crate::watch::StopWatch;
use ackclock_base::{Span, Time};
use ackclock_export::events::Recorder;
use ackclock_lab::run::build::{self, Keep};
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
    /// The run was cancelled, and is not too slow: it has many events.
    TooLong,
    /// The run was cancelled, and is too slow.
    TooSlow {
        /// The CPU time for a simulated second where the run was cancelled, in seconds.
        per_second: f64,
        /// The CPU time of the run until then.
        spent: Duration,
    },
}

/// The number of steps from instant to instant. It divides no usual sampling interval.
const STEPS: u64 = 23;

impl Observation {
    /// Runs a scenario with a seed under this observation, for a CPU time of `most`, or for longer if `judges` and it has to be
    /// seen whether it is too slow.
    pub fn run(
        self,
        scenario: &Scenario,
        seed: u64,
        measured: Interval,
        most: Duration,
        judges: bool,
    ) -> Result<Observed, Unfinished> {
        let recorder = Recorder::default();
        let listens = matches!(self, Self::Recorded | Self::Everything);
        let watch = StopWatch::start(most);
        let mut simulation =
            build::recorded_simulation(scenario, seed, self.keep(), measured, listens.then_some(&recorder));
        match self.drive(&mut simulation, scenario.duration, watch.expired()) {
            Ok(()) => {}
            Err(RunError::Cancelled) if judges => return Err(too_long(&mut simulation, most)),
            Err(RunError::Cancelled) => return Err(Unfinished::TooLong),
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

/// The longest CPU time for a simulated second of a run that is fast enough, in seconds.
const MOST_PER_SECOND: f64 = 10.0;
/// The CPU time after which a run is judged that was too slow where it was cancelled. Until then it may be at a burst, in which
/// no time passes.
pub const A_BURST: Duration = Duration::from_secs(5);

/// Goes on with a run that was cancelled, to see how fast it is: until it is fast enough, or has had the time for a burst.
fn too_long(simulation: &mut Simulation, most: Duration) -> Unfinished {
    let (began, since) = (simulation.now(), StopWatch::start(A_BURST));
    loop {
        match simulation.run(StopWatch::start(most).expired()) {
            Ok(()) => return Unfinished::TooLong,
            Err(RunError::Cancelled) => {}
            Err(_) => return Unfinished::Fails,
        }
        let simulated = simulation.now().since(began).max(Span::from_nanos(1));
        let per_second = since.elapsed().as_secs_f64() / simulated.seconds();
        if per_second <= MOST_PER_SECOND {
            return Unfinished::TooLong;
        }
        if since.elapsed() > A_BURST {
            return Unfinished::TooSlow { per_second, spent: most + since.elapsed() };
        }
    }
}
