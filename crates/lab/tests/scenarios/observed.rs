//! Tests of the additional measurements for which a scenario may ask: a warm-up until congestion avoidance,
//! loss events, bursts, distributions.

use ackclock_lab::{Scenario, run};
use serde_json::{Map, Value, json};
use std::sync::atomic::AtomicBool;

fn parsed(text: &str, overrides: Value) -> Scenario {
    let overrides: Map<String, Value> = serde_json::from_value(overrides).expect("a table");
    Scenario::parse(text, "test", &overrides)
        .unwrap_or_else(|problems| panic!("{}", ackclock_lab::language::diagnostics::render(&problems)))
}

fn result(text: &str, overrides: Value) -> Value {
    let scenario = parsed(text, overrides);
    let result = run::run(&scenario, 1, true, &AtomicBool::new(false)).expect("a finished run");
    serde_json::to_value(result).expect("a result as JSON")
}

const THREE: &str = r#"
duration = "40 s"
warmup = { until = "congestion-avoidance", at_most = "20 s" }
observe = { interval = "100 ms" }
[dumbbell]
bottleneck = { rate = "10 Mbit/s", delay = "20 ms", queue = { name = "droptail", limit = "50 packets" } }
access = { rate = "100 Mbit/s", delay = "5 ms" }
[[flows]]
control = "newreno"
count = 3
start = { uniform = ["0 s", "1 s"] }
transport = { name = "rfc", recovery = "sack" }
"#;

fn times(result: &Value) -> (f64, f64) {
    let time = |index: usize| result["measured_s"][index].as_f64().expect("a time");
    (time(0), time(1))
}

#[test]
fn measuring_begins_when_the_last_flow_avoids_congestion() {
    let result = result(THREE, json!({}));
    let (from, to) = times(&result);
    assert!((1.0..20.0).contains(&from), "{from}");
    // The measured interval is as long as with a warm-up that takes its maximum: 20 s.
    assert!((to - from - 20.0).abs() < 1e-9 && result["duration_s"] == to, "{to}");
    // In the sample before that instant at least one flow has no threshold yet, is below it or repairs a
    // loss. In the sample after it the windows of all flows are at their thresholds or above, unless a flow
    // has lost packets since.
    let instants: Vec<f64> = serde_json::from_value(result["series"]["time_s"].clone()).expect("times");
    let before = instants.iter().rposition(|time| *time < from).expect("a sample before");
    let values =
        |flow: &str, quantity: &str, at: usize| result["series"]["flows"][flow][quantity][at].as_f64();
    let names = ["newreno-1", "newreno-2", "newreno-3"];
    let known = |at| names.iter().all(|flow| values(flow, "ssthresh_packets", at).is_some());
    assert!(known(before + 1));
    assert!(!known(before / 2), "at half of that time a flow is in its first slow start");
    for flow in names {
        let (window, threshold) =
            (values(flow, "cwnd_packets", before + 1), values(flow, "ssthresh_packets", before + 1));
        assert!(window >= threshold, "{flow} {window:?} {threshold:?}");
    }
}

#[test]
fn the_search_for_the_warm_up_changes_only_the_measured_interval() {
    let found = result(THREE, json!({}));
    let (from, to) = times(&found);
    let fixed = result(THREE, json!({ "warmup": format!("{from} s"), "duration": format!("{to} s") }));
    assert_eq!((&found["flows"], &found["links"]), (&fixed["flows"], &fixed["links"]));
}

#[test]
fn the_warm_up_ends_at_its_maximum_if_a_flow_never_avoids_congestion() {
    // The window is limited to 8 packets and nothing is lost, so slow start never ends.
    let text = THREE.replace("recovery = \"sack\"", "recovery = \"sack\", window = \"8 packets\"");
    assert_eq!(times(&result(&text, json!({ "flows.0.count": 1 }))), (20.0, 40.0));
}

#[test]
fn flows_that_start_together_before_a_full_queue_lose_together() {
    let observed = r#"{ at = "bottleneck", loss_events = "60 ms", distributions = true }"#;
    let text = THREE.replace("{ interval = \"100 ms\" }", observed);
    let result = result(&text, json!({}));
    let link = &result["links"].as_array().expect("links")[..];
    let link = link.iter().find(|link| link["name"] == "bottleneck").expect("the bottleneck");
    let number = |key: &str| link[key].as_f64().unwrap_or_else(|| panic!("{key} in {link}"));
    assert!(number("loss_events") >= 3.0 && number("loss_events") <= number("dropped_packets"));
    let (share, flows) = (number("loss_synchronisation"), number("loss_event_flows_mean"));
    assert!((1.0 / 3.0..=1.0).contains(&share), "{share}");
    // All three flows are active in every event, because they last.
    assert!((share - flows / 3.0).abs() < 1e-9, "{share} {flows}");
    // Quantiles ascend, and agree with the percentiles that every result has.
    let probabilities: Vec<f64> = serde_json::from_value(result["probabilities"].clone()).expect("numbers");
    for (owner, list, median) in [
        (link, "wait_quantiles_s", "wait_p50_s"),
        (&result["flows"][0], "one_way_delay_quantiles_s", "one_way_delay_p50_s"),
    ] {
        let quantiles: Vec<f64> = serde_json::from_value(owner[list].clone()).expect("numbers");
        assert_eq!(quantiles.len(), probabilities.len());
        assert!(quantiles.is_sorted() && probabilities.is_sorted());
        let half = probabilities.iter().position(|share| *share == 0.5).expect("the median");
        assert_eq!(Some(quantiles[half]), owner[median].as_f64());
    }
    let flow = &result["flows"][0];
    assert!(flow["one_way_delay_min_s"].as_f64() <= flow["one_way_delay_p50_s"].as_f64());
    // None of these fields exists if the scenario does not ask for it.
    let plain = self::result(THREE, json!({}));
    assert!(plain.get("probabilities").is_none() && plain["links"][0].get("loss_events").is_none());
}

#[test]
fn frames_that_exceed_the_queue_are_bursts_with_losses() {
    // Every 100 ms a frame of 20 packets of 1500 bytes arrives over 100 Mbit/s, a packet per 0.12 ms, at a
    // link that sends one in 1 ms and lets 9 or 30 wait. The queue is empty long before the next frame.
    for (limit, without_loss) in [("9 packets", 0.0), ("30 packets", 1.0)] {
        let text = format!(
            "duration = \"10.05 s\"\nobserve = {{ at = \"ab\", bursts = \"10 packets\" }}\n\
             [[links]]\nname = \"fast\"\nbetween = [\"s\", \"a\"]\nrate = \"100 Mbit/s\"\ndelay = \"1 ms\"\n\
             [[links]]\nname = \"ab\"\nbetween = [\"a\", \"b\"]\nrate = \"12 Mbit/s\"\ndelay = \"1 ms\"\n\
             queue = {{ name = \"droptail\", limit = \"{limit}\" }}\n\
             [[flows]]\nname = \"video\"\nfrom = \"s\"\nto = \"b\"\napplication = {{ name = \"video\", rate = \"2.336 Mbit/s\", \
             frames = 10, group = 1, ratio = 1, packet = \"1460 B\", header = \"40 B\" }}\n"
        );
        let result = result(&text, json!({}));
        let group = &result["groups"][0];
        let number = |key: &str| group[key].as_f64().unwrap_or_else(|| panic!("{key} in {group}"));
        assert!((number("bursts") - 100.0).abs() <= 1.0, "{group}");
        assert_eq!(number("bursts_without_loss") / number("bursts"), without_loss, "{group}");
        assert_eq!(number("burst_packets"), 20.0 * number("bursts"));
        assert_eq!(
            number("burst_dropped_packets"),
            result["links"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|link| link["dropped_packets"].as_f64().unwrap_or(0.0))
                .sum::<f64>()
        );
        assert_eq!(number("bursts_over"), number("bursts"));
        // If all packets fit: when the last one arrives, after 2.28 ms, three are being sent or have been,
        // and 16 wait. The last transmission begins, and nothing waits, 19 ms after the first packet arrived.
        if without_loss == 1.0 {
            assert!((number("burst_lasted_mean_s") - 0.019).abs() < 1e-6, "{group}");
            assert!((number("burst_peak_wait_mean_s") - 0.016).abs() < 0.0011, "{group}");
        }
    }
}

#[test]
fn series_can_be_limited_to_links() {
    let all = result(THREE, json!({}));
    let links = result(&THREE.replace("\"100 ms\" }", "\"100 ms\", flows = false }"), json!({}));
    assert_eq!(links["series"]["flows"], json!({}));
    assert_eq!((&links["series"]["links"], &links["flows"]), (&all["series"]["links"], &all["flows"]));
}

#[test]
fn observation_of_unknown_links_and_times_is_refused() {
    let refused = |observed: &str, words: &str| {
        let text = THREE.replace("{ interval = \"100 ms\" }", observed);
        let problems = Scenario::parse(&text, "test", &Map::new()).expect_err("a mistake");
        let said = ackclock_lab::language::diagnostics::render(&problems);
        assert!(said.contains(words), "{said}");
    };
    refused("{ at = \"bottelneck\", loss_events = \"60 ms\" }", "bottleneck");
    refused("{ loss_events = \"60 ms\" }", "`loss_events` without `at`");
    let warmup = THREE.replace("until = \"congestion-avoidance\", ", "");
    assert!(Scenario::parse(&warmup, "test", &Map::new()).is_err());
    let late = THREE.replace("at_most = \"20 s\"", "at_most = \"50 s\"");
    assert!(Scenario::parse(&late, "test", &Map::new()).is_err());
}
