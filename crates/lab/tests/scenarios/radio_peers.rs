//! Comparison of radio and Snoop with ns-2: `reference/peers` says how its results were made. Each simulator
//! draws its own fading, so fractions and means over the seeds are compared. The bounds were written before
//! the first comparison.
//!
//! ns-2's `Mac` on a LAN delivers a packet when it begins to send it, so the 2 Mbit/s are on the links behind the
//! LAN here. Its Snoop works on LANs only: in a wireless base station it ends ns-2 at the first packet.
//!
//! `cargo test -p ackclock-lab --test scenarios -- radio_peers --nocapture` prints both sides.

use crate::reference::{self, mean, number, standard_error};
use crate::tolerances::tolerance;
use rayon::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Compares the fractions of lost packets at exponents of 2.0, 2.2 and 2.4, from 50 to 424 m.
#[test]
fn a_fading_channel_loses_the_fraction_that_it_loses_in_ns2() {
    let scenario = reference::file("scenarios/peers/radio-fading.toml");
    for run in reference::runs("ns2-radio-fading") {
        let (exponent, distance) = (number(&run, "/exponent"), number(&run, "/distance_m"));
        let changed = json!({ "media.air.propagation.exponent": exponent, "media.air.places.mobile": [1000.0 + distance, 1000.0] });
        let ours = reference::ours(&scenario, number(&run, "/seed") as u64, &changed);
        let theirs = (number(&run, "/transmitted"), number(&run, "/transmitted") - number(&run, "/received"));
        let ours = (number(&ours, "/flows/0/sent_packets"), number(&ours, "/flows/0/corrupted_packets"));
        let share = |(sent, lost): (f64, f64)| lost / sent;
        let both = (ours.1 + theirs.1) / (ours.0 + theirs.0);
        let error = (both * (1.0 - both) * (1.0 / ours.0 + 1.0 / theirs.0)).sqrt();
        let off = share(ours) - share(theirs);
        println!("exponent {exponent}, {distance} m: {:.4} lost, ns-2 {:.4}", share(ours), share(theirs));
        assert!(
            off.abs() <= tolerance("radio.fading.standard_errors") * error,
            "{exponent}, {distance}: {off}"
        );
    }
}

/// Returns overrides with stations around an access point, each with an endless flow of packets.
fn saturated(stations: usize) -> Value {
    let up = |number: usize| {
        json!({
            "name": format!("up-{number}"), "from": format!("sink-{number}"), "to": format!("source-{number}"),
            "application": { "name": "cbr", "rate": "2 Mbit/s", "packet": "1000 B", "header": "0 B" },
        })
    };
    json!({ "dumbbell.pairs": stations, "flows": (1..=stations).map(up).collect::<Vec<_>>() })
}

#[test]
fn saturated_stations_carry_what_they_carry_in_ns2() {
    let scenario = reference::file("scenarios/peers/radio-saturated.toml");
    let mut by_stations = BTreeMap::<u64, Vec<Value>>::new();
    for run in reference::runs("ns2-radio-saturated") {
        by_stations.entry(number(&run, "/stations") as u64).or_default().push(run);
    }
    for (stations, runs) in by_stations {
        let changed = saturated(stations as usize);
        let ours = |run: &Value| {
            let result = reference::ours(&scenario, number(run, "/seed") as u64, &changed);
            let flows = result["flows"].as_array().expect("flows");
            flows.iter().map(|flow| number(flow, "/delivered_packets")).sum::<f64>()
        };
        let ours: Vec<f64> = runs.par_iter().map(ours).collect();
        let theirs: Vec<f64> = runs.iter().map(|run| number(run, "/received")).collect();
        let what = format!("{stations} stations");
        assert_eq!(compare(&what, &ours, &theirs, tolerance("radio.saturated.received")), None);
    }
}

/// Prints both means. Returns how they differ, if by more than tolerance and chance explain.
fn compare(what: &str, ours: &[f64], theirs: &[f64], allowed: f64) -> Option<String> {
    let (measured, expected) = (mean(ours), mean(theirs));
    let line =
        format!("{what}: {measured:.4}, ns-2 {expected:.4} ({:+.1} %)", 100.0 * (measured / expected - 1.0));
    println!("{line}");
    let chance = 2.0 * standard_error(ours).hypot(standard_error(theirs));
    ((measured - expected).abs() > allowed * expected + chance).then_some(line)
}

/// The quantities that both sides report of a run over the lossy hop.
#[derive(Clone, Copy)]
struct Run {
    /// The number of packets acknowledged.
    acked: f64,
    rtt_mean_s: f64,
    rtt_sd_s: f64,
    /// The packets that the sources retransmitted, as a fraction of what they sent.
    again: f64,
    timeouts: f64,
}

impl Run {
    fn of_reference(run: &Value) -> Self {
        let [acked, rtt_mean_s, rtt_sd_s, injected, again, timeouts] =
            ["/acked", "/rtt_mean", "/rtt_sd", "/injected", "/retransmitted", "/timeouts"]
                .map(|at| number(run, at));
        Self { acked, rtt_mean_s, rtt_sd_s, again: again / injected, timeouts }
    }

    fn of_ours(result: &Value) -> Self {
        let flows = result["flows"].as_array().expect("flows");
        let sum = |field: &str| flows.iter().map(|flow| number(flow, field)).sum::<f64>();
        // Flows are weighted by what they delivered, because ns-2's trace has a sample for each
        // acknowledgement.
        let weighted = |value: &dyn Fn(&Value) -> f64| {
            let of = |flow: &Value| value(flow) * number(flow, "/delivered_packets");
            flows.iter().map(of).sum::<f64>() / sum("/delivered_packets")
        };
        let rtt = |flow: &Value| flow["rtt_mean_s"].as_f64().unwrap_or(0.0);
        let spread = |flow: &Value| flow["rtt_std_s"].as_f64().unwrap_or(0.0);
        let rtt_mean_s = weighted(&rtt);
        let squares = weighted(&|flow: &Value| (rtt(flow) - rtt_mean_s).powi(2) + spread(flow).powi(2));
        Self {
            acked: sum("/delivered_packets"),
            rtt_mean_s,
            rtt_sd_s: squares.sqrt(),
            again: sum("/retransmitted_packets") / sum("/sent_packets"),
            timeouts: sum("/timeouts"),
        }
    }
}

/// The runs with one loss probability and one number of flows, of ns-2 and of this simulator.
struct Pair {
    label: String,
    theirs: Vec<Run>,
    ours: Vec<Run>,
}

impl Pair {
    /// Returns a quantity of the runs that have it. At the highest losses some runs have no round trip at
    /// all.
    fn column(&self, quantity: fn(&Run) -> f64) -> (Vec<f64>, Vec<f64>) {
        let of = |runs: &[Run]| runs.iter().map(quantity).filter(|value| *value > 0.0).collect();
        (of(&self.ours), of(&self.theirs))
    }

    fn print(&self) {
        let row = |runs: &[Run]| {
            let of = |quantity: fn(&Run) -> f64| mean(&runs.iter().map(quantity).collect::<Vec<_>>());
            format!(
                "{:6.0} acknowledged, round trip {:.4} ± {:.4} s, {:5.2} % again, {:5.1} timeouts",
                of(|run| run.acked),
                of(|run| run.rtt_mean_s),
                of(|run| run.rtt_sd_s),
                100.0 * of(|run| run.again),
                of(|run| run.timeouts)
            )
        };
        println!("{}:\n    ours {}\n    ns-2 {}", self.label, row(&self.ours), row(&self.theirs));
    }
}

/// Runs each setting of a set with the starting times and seeds of ns-2's runs.
fn lossy_hop(name: &str, changes: &Value) -> Vec<Pair> {
    let scenario = reference::file("scenarios/peers/lossy-hop.toml");
    let mut settings = BTreeMap::<String, Vec<Value>>::new();
    for run in reference::runs(&format!("ns2-lossy-hop-{name}")) {
        let label = format!("{name}, {} of the packets lost, {} flows", run["loss"], run["flows"]);
        settings.entry(label).or_default().push(run);
    }
    let one = |reference: &Value| {
        let mut changes = changes.clone();
        let loss = json!({ "name": "independent", "probability": reference["loss"] });
        for place in ["dumbbell.right.loss", "dumbbell.right.reverse.loss"] {
            changes[place] = loss.clone();
        }
        changes["flows.tcp.count"] = reference["flows"].clone();
        Run::of_ours(&reference::ours(&scenario, number(reference, "/seed") as u64, &changes))
    };
    let pair = |(label, runs): (String, Vec<Value>)| Pair {
        label,
        theirs: runs.iter().map(Run::of_reference).collect(),
        ours: runs.par_iter().map(one).collect(),
    };
    settings.into_iter().map(pair).collect()
}

/// The cases in which this simulator carries a quarter to two fifths more than the bound allows: with one
/// packet in ten lost or more, nearly all of the time is spent in timeouts. ns-2's Vegas forgets
/// retransmissions, and its SACK carries less than its NewReno. The reason was not investigated.
const APART: [&str; 4] = [
    "sack, 0.1 of the packets lost, 5 flows, acknowledged",
    "vegas, 0.1 of the packets lost, 1 flows, acknowledged",
    "vegas, 0.1 of the packets lost, 5 flows, acknowledged",
    "vegas, 0.2 of the packets lost, 5 flows, acknowledged",
];

/// Compares the acknowledged packets and the round trip of a pair by the bounds of `part`, and returns the
/// differences beyond them.
fn misses(pair: &Pair, part: &str) -> Vec<String> {
    type Quantity<'a> = (&'a str, fn(&Run) -> f64, &'a str);
    let quantities: [Quantity<'_>; 2] =
        [("acknowledged", |run| run.acked, "acked"), ("round trip", |run| run.rtt_mean_s, "rtt")];
    let judge = |(what, quantity, key): (&str, fn(&Run) -> f64, &str)| {
        let (ours, theirs) = pair.column(quantity);
        compare(
            &format!("{}, {what}", pair.label),
            &ours,
            &theirs,
            tolerance(&format!("lossy-hop.{part}.{key}")),
        )
    };
    quantities.into_iter().filter_map(judge).collect()
}

#[test]
fn over_a_lossy_hop_tcp_carries_what_it_carries_in_ns2() {
    let vegas = json!({ "name": "vegas", "alpha": "1 packet", "beta": "3 packets", "gamma": "1 packet", "first_alone": true });
    let mut outside = Vec::new();
    for (name, control) in [("newreno", json!("newreno")), ("sack", json!("sack")), ("vegas", vegas)] {
        for pair in lossy_hop(name, &json!({ "flows.tcp.control": control })) {
            pair.print();
            outside.extend(misses(&pair, name));
        }
    }
    let labels: Vec<&str> =
        outside.iter().filter_map(|line| line.split_once(':')).map(|(label, _)| label).collect();
    assert_eq!(labels, APART, "{outside:#?}");
}

/// Returns the runs of NewReno behind an agent with ns-2's limits and these rules.
fn behind_snoop(rules: &str) -> Vec<Pair> {
    let agent = json!({ "name": "snoop", "cache": "100 packets", "attempts": 10, "rules": rules });
    let agents = json!([{ "at": "right", "agent": agent }]);
    lossy_hop("newreno-snoop", &json!({ "flows.tcp.control": "newreno", "agents": agents }))
}

#[test]
fn snoop_carries_at_least_what_ns2s_carries() {
    for pair in behind_snoop("published") {
        pair.print();
        let (ours, theirs) = pair.column(|run| run.acked);
        let least = (1.0 - tolerance("lossy-hop.snoop.acked_less")) * mean(&theirs);
        let chance = 2.0 * standard_error(&ours).hypot(standard_error(&theirs));
        assert!(mean(&ours) >= least - chance, "{}: {} and {}", pair.label, mean(&ours), mean(&theirs));
    }
}

#[test]
fn snoop_by_ns2s_rules_carries_what_ns2s_carries() {
    let mut outside = Vec::new();
    for pair in behind_snoop("ns2") {
        pair.print();
        outside.extend(misses(&pair, "snoop-ns2"));
    }
    assert!(outside.is_empty(), "{outside:#?}");
}
