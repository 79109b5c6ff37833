//! Runs a scenario step by step.

use crate::check::FILE;
use ackclock_lab::language::diagnostics;
use ackclock_lab::run::result::SeriesResult;
use ackclock_lab::{Diagnostic, RunResult, Scenario, run};
use ackclock_sim::simulation::{RunError, Simulation};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::sync::atomic::AtomicBool;

/// The greatest number of data packets that a page simulates in one run, which takes about two minutes in a
/// browser.
const MOST_PACKETS: f64 = 1e8;
/// The greatest number of values in the series of one run: 32 MB in the simulator and about 80 MB as JSON. A
/// browser allows a module at most 4 GiB, and the page must also hold the JSON and the parsed values.
const MOST_NUMBERS: f64 = 4e6;

/// The request for a run.
#[derive(Clone, Debug, Deserialize)]
pub struct Wanted {
    /// The text of the scenario.
    pub text: String,
    /// Values that replace those of the text, by dotted path.
    #[serde(default)]
    pub overrides: Map<String, Value>,
    /// The seed; `None` for the seed of the scenario.
    pub seed: Option<u64>,
    /// Whether the run keeps series.
    #[serde(default)]
    pub series: bool,
}

/// The reason why a run did not begin or could not continue.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// The scenario has these problems.
    Wrong(Vec<Diagnostic>),
    /// The scenario cannot be run here; the text says why.
    Impossible(String),
}

impl Refusal {
    /// Returns the reason as JSON: a list of problems, or a sentence.
    pub fn json(&self) -> Value {
        match self {
            Self::Wrong(problems) => diagnostics::listed(problems),
            Self::Impossible(reason) => Value::from(reason.as_str()),
        }
    }
}

impl From<RunError> for Refusal {
    fn from(error: RunError) -> Self {
        Self::Impossible(error.to_string())
    }
}

/// A run in progress.
pub struct Run {
    scenario: Scenario,
    seed: u64,
    simulation: Simulation,
}

impl Run {
    /// Begins a run.
    pub fn begin(wanted: &Wanted) -> Result<Self, Refusal> {
        let scenario = Scenario::point(&wanted.text, FILE, &wanted.overrides).map_err(Refusal::Wrong)?;
        check_size(&scenario, wanted.series)?;
        let seed = wanted.seed.unwrap_or(scenario.seed);
        let simulation = run::begin(&scenario, seed, wanted.series, &AtomicBool::new(false))?;
        Ok(Self { scenario, seed, simulation })
    }

    /// Processes at most this number of events. Returns whether there are more.
    pub fn step(&mut self, events: u32) -> Result<bool, RunError> {
        for _ in 0..events {
            if !self.simulation.step()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns the fraction of the run's duration that has been simulated, from 0 to 1.
    pub fn progress(&self) -> f64 {
        self.simulation.now().seconds() / self.simulation.measured().to.seconds()
    }

    /// Returns how many packets have left the first link since the warm-up.
    pub fn packets(&self) -> u64 {
        self.simulation.network.links.first().map_or(0, |link| link.counts().delivered)
    }

    /// Returns the series from the sample with this number on; `None` if the run keeps no series.
    pub fn series_since(&self, sample: usize) -> Option<SeriesResult> {
        SeriesResult::since(&self.scenario, &self.simulation, sample)
    }

    /// Ends the run and returns its result.
    pub fn finish(mut self) -> RunResult {
        RunResult::of(&self.scenario, self.seed, &mut self.simulation)
    }
}

/// Refuses a scenario whose run would need more memory or time than a page has.
fn check_size(scenario: &Scenario, series: bool) -> Result<(), Refusal> {
    let packets = scenario.expected_packets();
    if packets > MOST_PACKETS {
        return Err(Refusal::Impossible(format!(
            "this run can send up to {packets:.1e} packets, but a page simulates at most {MOST_PACKETS:.0e}; use a \
             shorter `duration` or lower rates, or run it with `ackclock run` on the command line"
        )));
    }
    let numbers = scenario.expected_numbers();
    if series && numbers > MOST_NUMBERS {
        return Err(Refusal::Impossible(format!(
            "the series of this run have about {numbers:.1e} numbers, but a page keeps at most {MOST_NUMBERS:.0e}; use \
             a longer `interval` or `flows = false` in [observe], or run it with `ackclock run` on the command line"
        )));
    }
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use serde_json::json;

    pub(crate) const DUMBBELL: &str = "duration = \"1 s\"\n[dumbbell]\n\
        bottleneck = { rate = \"10 Mbit/s\", delay = \"8 ms\" }\naccess = { rate = \"1 Gbit/s\", delay = \"1 ms\" }\n\
        [[flows]]\nname = \"a\"\ncontrol = \"cubic\"\n[[flows]]\nname = \"b\"\ncontrol = \"newreno\"\n";

    fn wanted(text: &str) -> Wanted {
        Wanted { text: text.to_owned(), overrides: Map::new(), seed: Some(7), series: true }
    }

    fn through(mut run: Run, events: u32) -> String {
        while run.step(events).expect("a run that can be done") {}
        serde_json::to_string(&run.finish()).expect("JSON")
    }

    #[test]
    fn a_run_in_steps_gives_the_same_result() {
        let scenario = Scenario::parse(DUMBBELL, FILE, &Map::new()).expect("a good scenario");
        let whole = run::run(&scenario, 7, true, &AtomicBool::new(false)).expect("a run");
        let whole = serde_json::to_string(&whole).expect("JSON");
        for events in [1, 7, 100_000] {
            let begun = Run::begin(&wanted(DUMBBELL)).expect("a run");
            assert!(through(begun, events) == whole, "{events} events at a time");
        }
    }

    #[test]
    fn a_warm_up_that_ends_by_itself_ends_at_the_same_instant() {
        let text = DUMBBELL.replace(
            "[dumbbell]",
            "warmup = { until = \"congestion-avoidance\", at_most = \"0.9 s\" }\n[dumbbell]",
        );
        let scenario = Scenario::parse(&text, FILE, &Map::new()).expect("a good scenario");
        let whole = run::run(&scenario, 7, true, &AtomicBool::new(false)).expect("a run");
        let begun = Run::begin(&wanted(&text)).expect("a run");
        assert_eq!(through(begun, 1000), serde_json::to_string(&whole).expect("JSON"));
    }

    #[test]
    fn series_grow_and_reading_them_removes_nothing() {
        let mut run = Run::begin(&wanted(DUMBBELL)).expect("a run");
        let (mut times, mut queue) = (Vec::new(), Vec::new());
        let take = |run: &Run, times: &mut Vec<Value>, queue: &mut Vec<Value>| {
            let series = json!(run.series_since(times.len()).expect("series"));
            times.extend(series["time_s"].as_array().cloned().unwrap_or_default());
            let new = series["links"]["bottleneck"]["queue_packets"].as_array().cloned();
            queue.extend(new.unwrap_or_default());
        };
        let mut before = 0.0;
        while run.step(500).expect("a run that can be done") {
            assert!(run.progress() >= before && run.progress() <= 1.0);
            before = run.progress();
            take(&run, &mut times, &mut queue);
        }
        assert_eq!(run.progress(), 1.0);
        assert!(run.packets() > 0);
        take(&run, &mut times, &mut queue);
        let result = json!(run.finish());
        assert_eq!(result["series"]["time_s"], json!(times));
        assert_eq!(result["series"]["links"]["bottleneck"]["queue_packets"], json!(queue));
    }

    #[test]
    fn a_run_too_large_for_a_page_is_refused_with_advice() {
        let refused = |text: &str, series: bool| match Run::begin(&Wanted { series, ..wanted(text) }) {
            Err(Refusal::Impossible(reason)) => Some(reason),
            Err(Refusal::Wrong(problems)) => panic!("{problems:?}"),
            Ok(_) => None,
        };
        // 10 Mbit/s for 2e5 s are 1.7e8 packets of 1500 B.
        let long = refused(&DUMBBELL.replace("\"1 s\"", "\"200000 s\""), false).expect("a refusal");
        assert!(long.contains("at most 1e8"), "{long}");
        // A thousand flows with eight series each, and their links, have a thousand samples.
        let many = DUMBBELL.replace("name = \"a\"\n", "name = \"a\"\ncount = 1000\n");
        assert!(refused(&many, true).expect("a refusal").contains("at most 4e6"));
        assert_eq!(refused(&many, false), None);
    }

    #[test]
    fn a_wrong_scenario_is_refused_with_its_problems() {
        let refused = Run::begin(&wanted(&DUMBBELL.replace("cubic", "qubic")));
        let Err(Refusal::Wrong(problems)) = refused else { panic!("not refused") };
        assert_eq!(problems[0].hint.as_deref(), Some("`cubic`"));
    }
}
