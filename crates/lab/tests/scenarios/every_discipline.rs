//! Tests of every registered discipline at a bottleneck: each run is checked by the trace verifier, repeats
//! exactly, and keeps the link busy.

use ackclock_aqm::entry::Entry;
use ackclock_aqm::registry::QUEUES;
use ackclock_lab::language::diagnostics;
use ackclock_lab::{RunResult, Scenario};
use serde_json::{Map, Value};
use std::sync::atomic::AtomicBool;

/// Returns a scenario of six TCP flows, half of which may be marked, and one flow over UDP, through 5 Mbit/s;
/// 60 packets are 144 ms.
fn scenario(entry: &Entry, settings: &str) -> Scenario {
    let name = entry.descriptor.name;
    let text = format!(
        "duration = \"20 s\"\n[dumbbell]\npairs = 4\n\
         bottleneck = {{ rate = \"5 Mbit/s\", delay = \"20 ms\", \
         queue = {{ name = \"{name}\", limit = \"60 packets\"{settings} }} }}\n\
         access = {{ rate = \"50 Mbit/s\", delay = {{ evenly = [\"1 ms\", \"20 ms\"] }} }}\n\
         [[flows]]\nname = \"plain\"\ncount = 3\ncontrol = \"newreno\"\nstart = {{ every = \"0.1 s\" }}\n\
         [[flows]]\nname = \"capable\"\ncount = 3\ncontrol = \"cubic\"\ntransport = {{ name = \"rfc\", ecn = true }}\n\
         [[flows]]\nname = \"udp\"\napplication = {{ name = \"cbr\", rate = \"0.5 Mbit/s\" }}\n"
    );
    Scenario::parse(&text, name, &Map::new())
        .unwrap_or_else(|problems| panic!("{name}\n{}", diagnostics::render(&problems)))
}

fn run(scenario: &Scenario) -> Value {
    let result: RunResult =
        ackclock_lab::run::run(scenario, 1, false, &AtomicBool::new(false)).expect("a finished run");
    serde_json::to_value(result).expect("a result as JSON")
}

/// Returns settings of a discipline. Policers and shapers have a rate, here one that sometimes lets
/// everything through.
fn settings(entry: &Entry, ecn: bool) -> String {
    let rate = entry.descriptor.parameter("rate").map(|_| ", rate = \"4 Mbit/s\"");
    let ecn = entry.descriptor.parameter("ecn").map(|_| format!(", ecn = {ecn}"));
    // CHOKe's pairs leave its RED almost nothing to mark here: one or two packets per run by default, often
    // none. The default threshold of four packets is for data centres: flows that halve their window reach
    // two thirds of the rate with it.
    let own = match entry.descriptor.name {
        "choke" => ", max_probability = 1",
        "phantom-queue" => ", threshold = \"25 kB\"",
        _ => "",
    };
    format!("{}{}{own}", rate.unwrap_or_default(), ecn.unwrap_or_default())
}

#[test]
fn every_discipline_obeys_physics() {
    for entry in QUEUES {
        for ecn in [false, true] {
            let scenario = scenario(entry, &settings(entry, ecn));
            let found = ackclock_lab::run::run_and_verify(&scenario, 1, &AtomicBool::new(false));
            let found = found.expect("a finished run");
            assert!(found.is_empty(), "{}: {found:?}", entry.descriptor.name);
        }
    }
}

#[test]
fn every_discipline_keeps_the_link_busy_and_repeats_itself() {
    for entry in QUEUES {
        let name = entry.descriptor.name;
        let scenario = scenario(entry, &settings(entry, true));
        let result = run(&scenario);
        assert_eq!(result, run(&scenario), "{name}");
        // The rate is 5 Mbit/s, of which a policer or a shaper lets 4 through. Loss costs Reno a quarter at
        // most.
        let link = &result["links"][0];
        let utilisation = link["utilisation"].as_f64().expect("a utilisation");
        assert!(utilisation > 0.6, "{name}: utilisation {utilisation}");
        // Packets are marked only if the settings ask for it.
        let plain = run(&scenario_without_ecn(entry));
        let marked = |result: &Value| result["links"][0]["marked_packets"].as_u64().expect("a count");
        let marks = entry.descriptor.parameter("ecn").is_some();
        assert_eq!(marked(&result) > 0, marks, "{name}: {} marked", marked(&result));
        assert_eq!(marked(&plain), 0, "{name}");
    }
}

fn scenario_without_ecn(entry: &Entry) -> Scenario {
    scenario(entry, &settings(entry, false))
}
