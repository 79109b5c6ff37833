//! Defines the ways in which a run can be observed or driven. None of them may change a number of the result.

use ackclock_base::{Span, Time};
use ackclock_export::events::Recorder;
use ackclock_lab::build::{self, Keep};
use ackclock_lab::{RunResult, Scenario};
use ackclock_sim::capture::Place;
use ackclock_sim::measure::Interval;
use ackclock_sim::simulation::Simulation;
use ackclock_sim::trace::Record;
use serde_json::Value as Json;
use std::sync::atomic::AtomicBool;

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

/// The number of steps from instant to instant. It divides no usual sampling interval.
const STEPS: u64 = 23;

impl Observation {
    /// Runs a scenario with a seed under this observation. Keeps series only if `with_series` is set. Returns
    /// `None` if the run fails or is cancelled.
    pub fn run(
        self,
        scenario: &Scenario,
        seed: u64,
        measured: Interval,
        with_series: bool,
        cancelled: &AtomicBool,
    ) -> Option<Observed> {
        let recorder = Recorder::default();
        let listens = matches!(self, Self::Recorded | Self::Everything);
        let mut simulation = build::recorded_simulation(
            scenario,
            seed,
            self.keep(with_series),
            measured,
            listens.then_some(&recorder),
        );
        self.drive(&mut simulation, scenario.duration, cancelled)?;
        let result = RunResult::of(scenario, seed, &mut simulation);
        let mut result = serde_json::to_value(result).expect("a result can be written");
        let series = result["series"].take();
        let records = simulation.network.trace.take().map(|trace| trace.records).unwrap_or_default();
        Some(Observed { result, series, records })
    }

    fn keep(self, with_series: bool) -> Keep {
        let places = vec![Place::Senders, Place::Receivers, Place::Before(0), Place::After(0)];
        let all = self == Self::Everything;
        let samples = matches!(self, Self::Sampled | Self::SteppedByTime);
        Keep {
            series: with_series && (samples || all),
            trace: all || self == Self::Traced,
            watch: all || self == Self::Watched,
            capture: if all || self == Self::Captured { places } else { Vec::new() },
        }
    }

    fn drive(self, simulation: &mut Simulation, duration: Span, cancelled: &AtomicBool) -> Option<()> {
        match self {
            Self::SteppedByEvents => {
                while simulation.step().ok()? {
                    if cancelled.load(std::sync::atomic::Ordering::Relaxed) {
                        return None;
                    }
                }
            }
            Self::SteppedByTime => {
                for step in 1..=STEPS {
                    let until = Time::ZERO + (duration / STEPS) * step;
                    simulation.run_until(until, cancelled).ok()?;
                }
            }
            _ => {}
        }
        simulation.run(cancelled).ok()
    }
}
