//! Tests of determinism: the same scenario and seed give the same result, to the byte: when repeated, in
//! parallel with others, with a trace, with series, in debug and in release, on every machine. The random
//! draws of a flow do not depend on other flows.

use ackclock_lab::run::build::{self, Keep};
use ackclock_lab::{RunResult, Scenario, VERSION, run};
use ackclock_sim::capture::Place;
use rayon::prelude::*;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::sync::atomic::AtomicBool;

const TEXT: &str = include_str!("../data/determinism.toml");
const EXPECTED: &str = include_str!("../data/determinism.json");

#[test]
fn a_run_repeats_itself_to_the_byte() {
    let scenario = parse(TEXT, Value::Null);
    let first = json_of(&scenario, 1, Keep::default());
    assert_eq!(json_of(&scenario, 1, Keep::default()), first);
    // A run leaves no state in its scenario or in the process.
    assert_eq!(json_of(&parse(TEXT, Value::Null), 1, Keep::default()), first);
    assert_ne!(json_of(&scenario, 2, Keep::default()), first, "the seed matters");
}

#[test]
fn runs_in_parallel_do_not_disturb_each_other() {
    const SEEDS: u64 = 4;
    let scenario = parse(TEXT, Value::Null);
    let alone: Vec<String> = (0..SEEDS).map(|seed| json_of(&scenario, seed, Keep::default())).collect();
    let threads = rayon::ThreadPoolBuilder::new().num_threads(8).build().expect("a pool of threads");
    let together: Vec<String> = threads.install(|| {
        (0..64).into_par_iter().map(|run| json_of(&scenario, run % SEEDS, Keep::default())).collect()
    });
    for (run, json) in together.iter().enumerate() {
        assert_eq!(json, &alone[run % SEEDS as usize], "run {run}");
    }
}

#[test]
fn traces_captures_and_series_do_not_change_the_result() {
    let scenario = parse(TEXT, Value::Null);
    let plain = json_of(&scenario, 1, Keep::default());
    assert_eq!(json_of(&scenario, 1, Keep { trace: true, ..Keep::default() }), plain);
    let capture = vec![Place::Senders, Place::Before(0), Place::After(0)];
    assert_eq!(json_of(&scenario, 1, Keep { capture, ..Keep::default() }), plain);
    let result = run::run(&scenario, 1, true, &AtomicBool::new(false)).expect("a finished run");
    let series = result.series.as_ref().expect("series");
    assert!(serde_json::to_string(series).expect("series as JSON").len() > plain.len());
    assert_eq!(text_of(&RunResult { series: None, ..result }), plain);
}

/// The recorded result is that of every build on every machine. If a change is intended, the failure says
/// where the new result is.
#[test]
fn the_result_equals_the_recorded_one() {
    let scenario = parse(TEXT, Value::Null);
    let actual = json_of(&scenario, 1, Keep::default());
    let actual = actual.replace(&format!("\"version\": \"{VERSION}\""), "\"version\": \"any\"") + "\n";
    if actual != EXPECTED {
        let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("determinism.json");
        std::fs::write(&place, &actual).expect("the new result is written");
        let line = actual.lines().zip(EXPECTED.lines()).position(|(new, old)| new != old);
        panic!(
            "line {} differs from crates/lab/tests/data/determinism.json; the new result is in {}. If it is meant \
             to differ, put it there, and say in the commit why the numbers move.",
            line.map_or(0, |line| line + 1),
            place.display()
        );
    }
}

/// Checks what must hold of that result with any implementation, so that a wrong result is not recorded.
#[test]
fn the_recorded_result_is_plausible() {
    let result: Value = serde_json::from_str(EXPECTED).expect("JSON");
    let flows = result["flows"].as_array().expect("flows");
    let links = result["links"].as_array().expect("links");
    let bottleneck = &links[0];
    assert_eq!(number(bottleneck, "rate_bps"), 8e6);
    assert!((0.85..=1.0).contains(&number(bottleneck, "utilisation")), "{bottleneck}");
    // RED keeps the mean queue near its thresholds and never lets more than 60 packets wait.
    assert!((5.0..40.0).contains(&number(bottleneck, "queue_mean_packets")), "{bottleneck}");
    assert!(number(bottleneck, "queue_max_packets") <= 60.0, "{bottleneck}");
    for link in links {
        let gone = ["delivered_packets", "lost_packets"].map(|key| number(link, key)).iter().sum::<f64>();
        // The difference is in packets in flight at the beginning or the end of the interval.
        assert!((number(link, "arrived_packets") - gone).abs() <= 61.0, "{link}");
    }
    // The bottleneck carries 5 s at 8 Mbit/s, less what RED, losses and headers take. No flow gets more than
    // the link.
    let goodput: f64 = flows.iter().map(|flow| number(flow, "goodput_bps")).sum();
    assert!((0.8 * 8e6..8e6).contains(&goodput), "{goodput}");
    // The base round trip of the first pair is 2 (2 + 7 + 4) = 26 ms, that of the second 2 (11 + 7 + 4) = 44
    // ms.
    for flow in flows.iter().filter(|flow| flow["rtt_min_s"].is_f64()) {
        assert!((0.026..0.1).contains(&number(flow, "rtt_min_s")), "{flow}");
        assert!(number(flow, "rtt_min_s") <= number(flow, "rtt_p50_s"), "{flow}");
    }
    // 200 kB at 1448 bytes are 139 packets; 4 s of 400 kbit/s in packets of 500 bytes are 400.
    let flow = |name: &str| flows.iter().find(|flow| flow["name"] == name).expect("a flow");
    assert_eq!(number(flow("file"), "delivered_packets"), 139.0);
    assert_eq!(number(flow("cbr"), "sent_packets"), 400.0);
    // Every kind of event for which the scenario was made occurs.
    let total = |key: &str| flows.iter().map(|flow| number(flow, key)).sum::<f64>();
    for key in ["timeouts", "fast_retransmits", "dropped_packets", "corrupted_packets"] {
        assert!(total(key) > 0.0, "{key}");
    }
    assert!(number(bottleneck, "marked_packets") > 0.0 && number(bottleneck, "corrupted_packets") > 0.0);
    let fairness = result["fairness"].as_f64().expect("fairness");
    assert!((1.0 / 7.0..1.0).contains(&fairness), "{fairness}");
}

/// Two parallel links, each with losses and a flow of its own.
const SIDE_BY_SIDE: &str = r#"
duration = "20 s"
[[links]]
between = ["a", "b"]
rate = "5 Mbit/s"
delay = "20 ms"
queue = { name = "red", limit = "50 packets" }
loss = { name = "independent", probability = 0.01 }
[[links]]
between = ["c", "d"]
rate = "5 Mbit/s"
delay = "20 ms"
loss = { name = "independent", probability = 0.01 }
[[flows]]
name = "first"
control = "newreno"
count = 3
from = "a"
to = "b"
start = { uniform = ["0 s", "1 s"] }
transport = "ns2"
"#;

#[test]
fn a_flow_on_other_links_changes_nothing() {
    let more = format!(
        "{SIDE_BY_SIDE}[[flows]]\nname = \"last\"\ncontrol = \"sack\"\ncount = 2\nfrom = \"c\"\nto = \"d\"\n\
         start = {{ uniform = [\"0 s\", \"1 s\"] }}\ntransport = \"ns2\"\n"
    );
    let (few, many) = (value_of(SIDE_BY_SIDE, Value::Null), value_of(&more, Value::Null));
    assert!(number(&few["flows"][0], "corrupted_packets") > 0.0, "something was drawn at random");
    assert_eq!(many["flows"].as_array().map(Vec::len), Some(5));
    for index in 0..3 {
        assert_eq!(many["flows"][index], few["flows"][index], "flow {index}");
    }
    assert_eq!(many["links"][0], few["links"][0]);
    assert!(
        number(&many["links"][2], "delivered_packets") > 0.0
            && number(&few["links"][2], "delivered_packets") == 0.0
    );
}

/// Flows that share a bottleneck, each over an access link that loses packets.
const SHARED: &str = r#"
duration = "20 s"
[dumbbell]
pairs = 3
bottleneck = { rate = "2 Mbit/s", delay = "10 ms" }
left = { rate = "10 Mbit/s", delay = "5 ms", loss = { name = "gilbert-packets", good = "30 packets", bad = "2 packets" } }
right = { rate = "10 Mbit/s", delay = "5 ms" }
[[flows]]
name = "cbr"
application = { name = "cbr", rate = "800 kbit/s" }
start = { uniform = ["0 s", "1 s"] }
stop = "18 s"
[[flows]]
name = "tcp"
control = "newreno"
start = { uniform = ["0 s", "1 s"] }
"#;

#[test]
fn another_flow_at_the_bottleneck_does_not_change_the_draws_of_others() {
    let more = format!(
        "{SHARED}[[flows]]\nname = \"rival\"\ncontrol = \"cubic\"\nstart = {{ uniform = [\"0 s\", \"1 s\"] }}\n"
    );
    let (few, many) = (value_of(SHARED, Value::Null), value_of(&more, Value::Null));
    assert_same_draws(&few, &many);
    // The rival flow has an effect nevertheless.
    assert_ne!(few["flows"][1]["delivered_packets"], many["flows"][1]["delivered_packets"]);
}

#[test]
fn two_schemes_are_compared_on_the_same_draws() {
    let newreno = value_of(SHARED, Value::Null);
    let vegas = value_of(SHARED, json!({ "flows.tcp.control": "vegas" }));
    assert_same_draws(&newreno, &vegas);
    assert_ne!(newreno["flows"][1]["delivered_packets"], vegas["flows"][1]["delivered_packets"]);
}

/// Asserts that starting times, and the packets of the constant bit rate that the access link corrupts, do
/// not depend on other flows.
fn assert_same_draws(one: &Value, other: &Value) {
    for index in 0..2 {
        assert_eq!(one["flows"][index]["start_s"], other["flows"][index]["start_s"]);
    }
    assert_ne!(one["flows"][0]["start_s"], one["flows"][1]["start_s"], "each flow has draws of its own");
    assert!(number(&one["flows"][0], "corrupted_packets") > 10.0);
    for key in ["sent_packets", "corrupted_packets"] {
        assert_eq!(one["flows"][0][key], other["flows"][0][key], "{key}");
    }
}

pub fn parse(text: &str, overrides: Value) -> Scenario {
    let overrides: Map<String, Value> = overrides.as_object().cloned().unwrap_or_default();
    Scenario::parse(text, "test", &overrides)
        .unwrap_or_else(|problems| panic!("{}", ackclock_lab::language::diagnostics::render(&problems)))
}

pub fn json_of(scenario: &Scenario, seed: u64, keep: Keep) -> String {
    let traced = keep.trace || !keep.capture.is_empty();
    let mut simulation = build::simulation(scenario, seed, keep, build::measured(scenario));
    simulation.run(&AtomicBool::new(false)).expect("a finished run");
    assert_eq!(simulation.network.trace.is_some(), traced);
    text_of(&RunResult::of(scenario, seed, &mut simulation))
}

fn text_of(result: &RunResult) -> String {
    serde_json::to_string_pretty(result).expect("a result as JSON")
}

fn value_of(text: &str, overrides: Value) -> Value {
    let json = json_of(&parse(text, overrides), 1, Keep::default());
    serde_json::from_str(&json).expect("JSON")
}

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("no number {key} in {value}"))
}
