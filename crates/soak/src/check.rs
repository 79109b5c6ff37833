//! Checks one scenario: all [observations](Observation) give the same numbers, the numbers are possible, and
//! the packet trace obeys physics and adds up to the numbers.

use crate::accounts;
use crate::observation::{self, A_BURST, Observation, Observed, Unfinished};
use crate::small::small;
use crate::watch::StopWatch;
use ackclock_base::Time;
use ackclock_lab::cost::Cost;
use ackclock_lab::language::diagnostics;
use ackclock_lab::run::facts;
use ackclock_lab::{Scenario, run};
use ackclock_sim::trace::Record;
use ackclock_verify::verify;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// Says what was done with a scenario in which no check failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// The scenario was refused, with reasons.
    Refused,
    /// The scenario was left out: it is too large, a run of it fails, or a run takes too long.
    LeftOut,
    /// The scenario ran under every observation.
    Ran,
}

/// Describes a failed check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The observation that differs or the check that fails. Shrinking a scenario keeps this text the same.
    pub kind: String,
    /// The finding, in words.
    pub what: String,
}

impl Failure {
    pub(crate) fn new(kind: &str, what: impl Into<String>) -> Self {
        Self { kind: kind.to_owned(), what: what.into() }
    }
}

/// The longest CPU time that one run of a scenario may take.
const MOST: Duration = Duration::from_millis(500);
/// How much longer a run may take than is expected: this build is up to twice as slow as the one for which the estimate was
/// made, and so is a machine that does other things besides.
const TOLERANCE: f64 = 4.0;

/// The expected time for a packet that a link delivers, in seconds: the command line announces 2e6 packets for a second.
const PACKET_S: f64 = 0.5e-6;

/// Checks the scenario in a text. A panic counts as a failure.
pub fn check(text: &str, seed: u64) -> Result<Verdict, Failure> {
    let checked = catch_unwind(AssertUnwindSafe(|| check_text(text, seed)));
    checked.unwrap_or_else(|panic| {
        let words = panic.downcast_ref::<String>().cloned();
        let words = words.or_else(|| panic.downcast_ref::<&str>().map(|words| (*words).to_owned()));
        Err(Failure::new("panic", words.unwrap_or_default()))
    })
}

fn check_text(text: &str, seed: u64) -> Result<Verdict, Failure> {
    match Scenario::parse(text, "random.toml", &overrides(text)) {
        Ok(scenario) => {
            // What is left of the run may hold most of its work: a source may begin with a burst.
            let foretold_s = expected_s(&scenario);
            match small(scenario) {
                Some(scenario) => check_runs(&scenario, seed, foretold_s),
                None => Ok(Verdict::LeftOut),
            }
        }
        Err(problems) => {
            if problems.is_empty() || diagnostics::render(&problems).is_empty() {
                return Err(Failure::new("refusal", "refused without a reason"));
            }
            let lines = text.lines().count().max(1);
            // A file whose text the scenario contains may have more lines than the scenario, because an
            // escape can stand for a line's end.
            let mut own = problems.iter().filter(|problem| problem.file == "random.toml");
            match own.find(|problem| problem.line.is_some_and(|line| line > lines + 1)) {
                Some(outside) => Err(Failure::new(
                    "refusal",
                    format!("a problem on a line beyond the {lines} lines of the scenario: {outside:?}"),
                )),
                None => Ok(Verdict::Refused),
            }
        }
    }
}

/// Reads overrides from a first line such as `#! {"flows.tcp.count": 2}`; empty if the text has no such line.
fn overrides(text: &str) -> Map<String, Json> {
    let json = text.lines().next().and_then(|line| line.strip_prefix("#!")).unwrap_or_default();
    serde_json::from_str(json).unwrap_or_default()
}

/// Returns the time that a run is expected to take, in seconds: the estimate from which announcements are made.
fn expected_s(scenario: &Scenario) -> f64 {
    let costs_s: f64 = Cost::all(scenario).iter().map(|cost| cost.seconds).sum();
    scenario.expected_packets() * PACKET_S + costs_s
}

/// Checks all runs of a scenario, which as it was generated is expected to take `foretold_s` seconds. Runs of a control whose
/// random numbers no seed sets differ without any fault. They are not compared with one another, and each is still checked by
/// itself.
fn check_runs(scenario: &Scenario, seed: u64, foretold_s: f64) -> Result<Verdict, Failure> {
    let watch = StopWatch::start(MOST);
    let Ok(measured) = run::measured(scenario, seed, watch.expired()) else { return Ok(Verdict::LeftOut) };
    let is_seeded = !scenario.flows.iter().any(|group| group.plan.sending.transport.facts().draws_unseeded);
    let mut plain: Option<Observed> = None;
    let mut series = Json::Null;
    // A run that is expected to take long may also take much memory, which is bounded by the packets under way.
    let judges = TOLERANCE * foretold_s < A_BURST.as_secs_f64();
    for observation in observation::ALL {
        let observed = match observation.run(scenario, seed, measured, MOST, judges) {
            Ok(observed) => observed,
            Err(Unfinished::TooSlow { per_second, spent }) => {
                let what = format!(
                    "{observation:?}: {per_second:.0} s of computing time per simulated second; the whole run was expected to \
                     take {:.2} s and was cancelled after {:.2} s",
                    foretold_s,
                    spent.as_secs_f64()
                );
                return Err(Failure::new("slow", what));
            }
            Err(_) => return Ok(Verdict::LeftOut),
        };
        if !is_seeded {
            (plain, series) = (None, Json::Null);
        }
        check_series(observation, &mut series, &observed.series)?;
        if observation == Observation::Traced {
            accounts::check(scenario, measured, &observed.records, &observed.result);
            check_physics(scenario, seed, &observed.records, measured.to)?;
        }
        match &plain {
            Some(plain) => compare(observation, plain, &observed)?,
            None => {
                check_numbers(&observed.result)?;
                plain = Some(observed);
            }
        }
    }
    Ok(Verdict::Ran)
}

/// Returns a failure unless the observed run has all numbers of the plain run. An observation at a link may
/// add numbers.
fn compare(observation: Observation, plain: &Observed, observed: &Observed) -> Result<(), Failure> {
    let mut path = String::new();
    match difference(&plain.result, &observed.result, &mut path) {
        Some((before, after)) => {
            let what = format!("{path} is {before} in a plain run and {after} in the observed run");
            Err(Failure::new(&format!("{observation:?}"), what))
        }
        None => Ok(()),
    }
}

/// Returns the first number that differs, as plain and as observed; `None` if all agree. `path` then says
/// where the number is.
fn difference(plain: &Json, observed: &Json, path: &mut String) -> Option<(String, String)> {
    let before = path.len();
    match (plain, observed) {
        (Json::Object(plain), Json::Object(observed)) => {
            for (key, value) in plain {
                path.push_str(&format!(".{key}"));
                let found = difference(value, observed.get(key).unwrap_or(&Json::Null), path);
                if found.is_some() {
                    return found;
                }
                path.truncate(before);
            }
            None
        }
        (Json::Array(plain), Json::Array(observed)) if plain.len() == observed.len() => {
            for (index, (plain, observed)) in plain.iter().zip(observed).enumerate() {
                path.push_str(&format!("[{index}]"));
                let found = difference(plain, observed, path);
                if found.is_some() {
                    return found;
                }
                path.truncate(before);
            }
            None
        }
        _ => (plain != observed).then(|| (plain.to_string(), observed.to_string())),
    }
}

/// Returns a failure if the trace violates a rule of physics.
fn check_physics(scenario: &Scenario, seed: u64, records: &[Record], end: Time) -> Result<(), Failure> {
    match verify(records, &facts::network(scenario, seed), end).first() {
        Some(violation) => Err(Failure::new(&format!("{:?}", violation.rule), violation.to_string())),
        None => Ok(()),
    }
}

fn check_numbers(result: &Json) -> Result<(), Failure> {
    let wrong = |what: &str, owner: &Json| Err(Failure::new("number", format!("{what}: {owner}")));
    for flow in list(&result["flows"]) {
        // Null over a transport that does not tell what it retransmits.
        let untold = ["throughput_bps", "timeout_idle_s"];
        let is_untold = flow["retransmitted_packets"].is_null();
        for key in ["goodput_bps", "start_s"].iter().chain(&untold) {
            // A flow that never begins has no start.
            let may_be_null =
                is_untold && untold.contains(key) || *key == "start_s" && flow["sent_packets"] == 0;
            let is_null = may_be_null && flow[*key].is_null();
            if !is_null && !flow[*key].as_f64().is_some_and(|number| number >= 0.0) {
                return wrong(key, flow);
            }
        }
        if flow["cwnd_mean_packets"].as_f64().is_some_and(|cwnd| cwnd < 0.0) {
            return wrong("cwnd_mean_packets", flow);
        }
    }
    for link in list(&result["links"]) {
        if !link["utilisation"].as_f64().is_some_and(|share| (0.0..=1.0 + 1e-9).contains(&share)) {
            return wrong("utilisation", link);
        }
        if !link["queue_mean_packets"].as_f64().is_some_and(|mean| mean >= 0.0) {
            return wrong("queue_mean_packets", link);
        }
    }
    if result["fairness"].as_f64().is_some_and(|index| index <= 0.0 || index > 1.0 + 1e-9) {
        return wrong("fairness", &result["fairness"]);
    }
    Ok(())
}

/// Returns a failure unless all series have one value for each time and equal those of the first run with
/// series.
fn check_series(observation: Observation, first: &mut Json, series: &Json) -> Result<(), Failure> {
    if series.is_null() {
        return Ok(());
    }
    let length = list(&series["time_s"]).len();
    for owner in ["flows", "links"] {
        let all = series[owner].as_object().into_iter().flatten();
        for (name, values) in all.flat_map(|(_, named)| named.as_object().into_iter().flatten()) {
            if list(values).len() != length {
                return Err(Failure::new(
                    "series",
                    format!("the series {name} of {owner} and `time_s` differ in length"),
                ));
            }
        }
    }
    if first.is_null() {
        first.clone_from(series);
    }
    match difference(first, series, &mut String::new()) {
        Some((before, after)) => {
            let what = format!("a series contains {before} in a sampled run and {after} in the observed run");
            Err(Failure::new(&format!("series {observation:?}"), what))
        }
        None => Ok(()),
    }
}

fn list(json: &Json) -> &[Json] {
    json.as_array().map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn differences_are_found_at_every_depth() {
        let plain = json!({ "flows": [{ "a": 1.0 }, { "a": 2.0, "b": null }], "fairness": 0.5 });
        let differs = |observed: &Json| {
            let mut path = String::new();
            difference(&plain, observed, &mut path).map(|_| path)
        };
        assert_eq!(differs(&plain), None);
        let mut other = plain.clone();
        other["flows"][1]["a"] = json!(2.0000001);
        assert_eq!(differs(&other), Some(".flows[1].a".to_owned()));
        let mut other = plain.clone();
        other["flows"][1]["b"] = json!(3);
        assert_eq!(differs(&other), Some(".flows[1].b".to_owned()));
        let mut other = plain.clone();
        other["flows"].as_array_mut().unwrap().pop();
        assert_eq!(differs(&other), Some(".flows".to_owned()));
        // Numbers that an observation at a link adds are no difference.
        let mut other = plain.clone();
        other["flows"][0]["bursts"] = json!(7);
        assert_eq!(differs(&other), None);
    }

    #[test]
    fn a_panic_is_a_failure() {
        assert_eq!(check("duration = ", 1), Ok(Verdict::Refused));
        let failure = catch_unwind(|| panic!("{}", "words")).map_err(|_| ());
        assert!(failure.is_err(), "and does not end the program");
    }
}
