//! Comparison of many associations and many connections over radio with ns-2: `reference/peers` says how its
//! results were made. Means over the seeds are compared, each within its tolerance and two standard errors of
//! the difference: of the means, or of the pairs where both runs have the same losses. The values outside are
//! named with their reason, so that none drifts away unseen.
//!
//! `cargo test -p ackclock-lab --test scenarios -- many_flows_peers --nocapture` prints every value.

use crate::reference::{self, jain, mean, number, standard_error};
use crate::tolerances::tolerance;
use rayon::prelude::*;
use serde_json::{Value, json};

/// The quantities of a run, by name.
type Quantities = Vec<(&'static str, f64)>;

/// Compares the means of each quantity over the runs by the tolerances of `part` and prints them, each with
/// its standard deviation over the runs of ns-2, or over the means of ours that belong to them. `paired` says
/// that both sides had the same losses in each pair of runs. Returns the number of quantities, and the names of
/// those outside.
fn compare(
    label: &str,
    part: &str,
    paired: bool,
    ours: &[Quantities],
    theirs: &[Quantities],
) -> (usize, Vec<String>) {
    let mut outside = Vec::new();
    let names: Vec<&str> = theirs[0].iter().map(|(name, _)| *name).collect();
    for (place, name) in names.iter().enumerate() {
        let column = |runs: &[Quantities]| runs.iter().map(|run| run[place].1).collect::<Vec<f64>>();
        let (our, their) = (column(ours), column(theirs));
        let differences: Vec<f64> = our.iter().zip(&their).map(|(our, their)| our - their).collect();
        let error = match paired {
            true => standard_error(&differences),
            false => standard_error(&our).hypot(standard_error(&their)),
        };
        let allowed = tolerance(&format!("{part}.{name}")) * mean(&their) + 2.0 * error;
        let is_outside = (mean(&our) - mean(&their)).abs() > allowed;
        let cell = |runs: &[f64]| {
            format!("{:.4} ± {:.4}", mean(runs), standard_error(runs) * (runs.len() as f64).sqrt())
        };
        let verdict = if is_outside { " OUTSIDE" } else { "" };
        println!("{label}, {name}: {}, ns-2 {}, within {allowed:.4}{verdict}", cell(&our), cell(&their));
        if is_outside {
            outside.push(format!("{label}, {name}"));
        }
    }
    (names.len(), outside)
}

/// The number of runs of ours for each run of ns-2. They cost little, and leave less to chance.
const REPEATS: u64 = 5;

/// Returns the means of each quantity over the runs of ours that belong to one run of ns-2: of its `seed`, with
/// seeds of their own.
fn repeated(run: &Value, one: impl Fn(u64) -> Quantities) -> Quantities {
    let first = number(run, "/seed") as u64 * REPEATS;
    let runs: Vec<Quantities> = (first..first + REPEATS).map(one).collect();
    let average = |(place, (name, _)): (usize, &(&'static str, f64))| {
        (*name, mean(&runs.iter().map(|run| run[place].1).collect::<Vec<_>>()))
    };
    runs[0].iter().enumerate().map(average).collect()
}

fn flows(result: &Value, field: &str) -> Vec<f64> {
    result["flows"]
        .as_array()
        .expect("flows")
        .iter()
        .map(|flow| flow[field].as_f64().unwrap_or(0.0))
        .collect()
}

fn sum(result: &Value, field: &str) -> f64 {
    flows(result, field).iter().sum()
}

/// Returns the quantities of a run over two bottlenecks. `latency` is the mean of the associations' round
/// trips; it is compared only where queues are hardly ever so full that gaps are acknowledged most of the
/// time, because a sample of ns-2's trace needs the cumulative TSN to move, and one of ours does not.
fn associations_of_ours(result: &Value, latency: bool) -> Quantities {
    let (sent, again) = (sum(result, "sent_packets"), sum(result, "retransmitted_packets"));
    let mut quantities = vec![
        ("utilisation", (sent - again) * 1456.0 * 8.0 / (2e6 * 200.0)),
        ("retransmitted", again / sent),
        ("jain", jain(&flows(result, "delivered_packets"))),
    ];
    if latency {
        quantities.push(("latency", mean(&flows(result, "rtt_mean_s"))));
    }
    quantities
}

fn associations_of_reference(run: &Value, latency: bool) -> Quantities {
    let mut quantities = vec![
        ("utilisation", number(run, "/utilisation")),
        ("retransmitted", number(run, "/retransmitted_share")),
        ("jain", number(run, "/jain")),
    ];
    if latency {
        quantities.push(("latency", number(run, "/rtt_mean")));
    }
    quantities
}

/// Compares the runs of a set with this number of associations, with and without delay of SACKs.
fn associations(set: &str, count: u64, delayed: bool, overrides: &Value) -> (usize, Vec<String>) {
    let scenario = reference::file("scenarios/peers/rbcc-multihomed.toml");
    let mut overrides = overrides.clone();
    overrides["flows.sctp.count"] = json!(count);
    overrides["flows.sctp.transport.delayed_sack"] = json!(delayed);
    let mut theirs = reference::runs(set);
    theirs.retain(|run| run["flows"] == count && run["delayed_sacks"] == delayed);
    let latency = count == 5;
    let one = |seed| associations_of_ours(&reference::ours(&scenario, seed, &overrides), latency);
    let ours: Vec<Quantities> = theirs.par_iter().map(|run| repeated(run, one)).collect();
    let theirs: Vec<Quantities> = theirs.iter().map(|run| associations_of_reference(run, latency)).collect();
    let sacks = if delayed { "delayed" } else { "undelayed" };
    let label = format!("{set}, {count} associations, {sacks} SACKs");
    let part = if count == 5 { "multihomed.few" } else { "multihomed.many" };
    compare(&label, part, false, &ours, &theirs)
}

/// Undelayed SACKs keep the packets of all associations in step, so that two of them meet at the queue at the
/// same instant again and again. In ns-2 the rounding of its floating-point time decides which comes first.
/// With links whose delay changes by a microsecond, ns-2 itself retransmits 3.1 % instead of 2.7 and has a
/// round trip of 0.60 s instead of 0.56, as here.
const DECIDED_BY_ROUNDING: [&str; 2] = [
    "ns2-rbcc-multihomed, 5 associations, undelayed SACKs, retransmitted",
    "ns2-rbcc-multihomed, 5 associations, undelayed SACKs, latency",
];

#[test]
fn many_associations_share_two_bottlenecks_as_in_ns2() {
    let (plain, jitter) = ("ns2-rbcc-multihomed", "ns2-rbcc-multihomed-jitter");
    let with_jitter = json!({ "parallel.access.jitter": "1 us" });
    let compared = [
        associations(plain, 5, true, &json!({})),
        associations(plain, 5, false, &json!({})),
        associations(plain, 25, true, &json!({})),
        associations(plain, 40, true, &json!({})),
        associations(jitter, 5, true, &with_jitter),
        associations(jitter, 5, false, &with_jitter),
    ];
    let outside: Vec<String> = compared.iter().flat_map(|(_, outside)| outside.clone()).collect();
    println!("{} values, outside {}", compared.iter().map(|(count, _)| count).sum::<usize>(), outside.len());
    assert_eq!(outside, DECIDED_BY_ROUNDING);
}

/// Returns the links of a run: the bottleneck, and two for each pair of hosts, with the losses of its mobile.
fn links(scenario: &Value, losses: &[Value]) -> Value {
    let [bottleneck, left, right] = [0, 1, 2].map(|place| &scenario["links"][place]);
    let mut links = vec![bottleneck.clone()];
    for (pair, probability) in losses.iter().enumerate() {
        let loss = json!({ "name": "independent", "probability": probability });
        let (mut near, mut far) = (left.clone(), right.clone());
        near["name"] = json!(format!("left-{pair}"));
        near["between"] = json!([format!("source-{pair}"), "r"]);
        far["name"] = json!(format!("right-{pair}"));
        far["between"] = json!(["station", format!("mobile-{pair}")]);
        far["loss"] = loss.clone();
        far["reverse"]["loss"] = loss;
        links.extend([near, far]);
    }
    json!(links)
}

/// Runs a set's run with this simulator: its losses, and its number of connections for each pair of hosts.
fn over_radio(run: &Value, seed: u64) -> Quantities {
    let text = reference::file("scenarios/peers/radio-pairs.toml");
    let scenario: Value =
        serde_json::to_value(toml::from_str::<toml::Value>(&text).expect("TOML")).expect("JSON");
    let losses = run["losses"].as_array().expect("losses");
    let flow = |pair: usize| {
        let mut flow = scenario["flows"][0].clone();
        flow["name"] = json!(format!("tcp-{pair}"));
        flow["count"] = json!(number(run, "/flows") as usize / losses.len());
        flow["from"] = json!(format!("source-{pair}"));
        flow["to"] = json!(format!("mobile-{pair}"));
        flow["control"] = run["control"].clone();
        flow
    };
    let agent = json!({ "name": "snoop", "cache": "100 packets", "attempts": 10, "rules": "ns2" });
    let agents =
        if run["agent"] == "snoop" { json!([{ "at": "station", "agent": agent }]) } else { json!([]) };
    let overrides = json!({
        "links": links(&scenario, losses), "agents": agents, "flows": (0..losses.len()).map(flow).collect::<Vec<_>>(),
    });
    let result = reference::ours(&text, seed, &overrides);
    let (sent, again) = (sum(&result, "sent_packets"), sum(&result, "retransmitted_packets"));
    let (delivered, trips) = (flows(&result, "delivered_packets"), flows(&result, "rtt_mean_s"));
    // Connections are weighted by what they delivered, because ns-2's trace has a sample for each
    // acknowledgement; those without any sample have delivered next to nothing.
    let weight: f64 =
        delivered.iter().zip(&trips).filter(|(_, trip)| **trip > 0.0).map(|(count, _)| count).sum();
    let latency = delivered.iter().zip(&trips).map(|(count, trip)| count * trip).sum::<f64>() / weight;
    vec![
        ("utilisation", (sent - again) * 1040.0 * 8.0 / (1e6 * 50.0)),
        ("retransmitted", again / sent),
        ("jain", jain(&delivered)),
        ("latency", latency),
        ("timeouts", sum(&result, "timeouts")),
    ]
}

fn radio_of_reference(run: &Value) -> Quantities {
    let (sent, again) = (number(run, "/injected"), number(run, "/retransmitted"));
    vec![
        ("utilisation", (sent - again) * 1040.0 * 8.0 / (1e6 * 50.0)),
        ("retransmitted", again / sent),
        ("jain", number(run, "/jain")),
        ("latency", number(run, "/rtt_mean")),
        ("timeouts", number(run, "/timeouts")),
    ]
}

/// Compares the runs of ns-2 with this control, agent, number of pairs and number of connections.
fn radio(control: &str, agent: &str, pairs: u64, count: u64) -> (usize, Vec<String>) {
    let mut theirs = reference::runs("ns2-radio-pairs");
    theirs.retain(|run| {
        run["control"] == control && run["agent"] == agent && run["pairs"] == pairs && run["flows"] == count
    });
    let ours: Vec<Quantities> =
        theirs.par_iter().map(|run| repeated(run, |seed| over_radio(run, seed))).collect();
    let theirs: Vec<Quantities> = theirs.iter().map(radio_of_reference).collect();
    let label = format!("{control}, agent {agent}, {count} connections of {pairs} pairs");
    compare(&label, "radio.many", true, &ours, &theirs)
}

/// ns-2's Snoop has one state for all connections of a pair of hosts, and helps them little where they are
/// several; ours has one for each connection. With as many pairs as connections all values are within.
const ONE_STATE_FOR_A_PAIR: [&str; 3] = [
    "newreno, agent snoop, 10 connections of 5 pairs, jain",
    "newreno, agent snoop, 10 connections of 5 pairs, timeouts",
    "newreno, agent snoop, 50 connections of 5 pairs, jain",
];

#[test]
fn many_connections_share_a_radio_as_in_ns2() {
    let compared = [
        radio("newreno", "none", 5, 50),
        radio("sack", "none", 5, 50),
        radio("newreno", "snoop", 10, 10),
        radio("newreno", "snoop", 50, 50),
        radio("newreno", "snoop", 5, 10),
        radio("newreno", "snoop", 5, 50),
    ];
    let outside: Vec<String> = compared.iter().flat_map(|(_, outside)| outside.clone()).collect();
    println!("{} values, outside {}", compared.iter().map(|(count, _)| count).sum::<usize>(), outside.len());
    assert_eq!(outside, ONE_STATE_FOR_A_PAIR);
}
