//! Comparison of SCTP with ns-2's agent over two paths: `reference/peers` says how its results were made.
//! Each simulator draws its own losses, so means over the seeds are compared, and two standard errors of
//! their difference are allowed as well. With the losses that ns-2 had, packets are compared one by one.
//!
//! `cargo test -p ackclock-lab --test sctp_peers -- --nocapture` prints both sides.

use crate::bare_paths::{Losses, Paths, Sent, connection, transfer};
use crate::reference::{self, mean, number, standard_error};
use crate::tolerances::tolerance;
use rayon::prelude::*;
use serde_json::{Value, json};

/// The number of chunks that arrived, and those of chunks retransmitted over each path.
type Counts = [f64; 3];

fn theirs(name: &str) -> Vec<Counts> {
    let runs = reference::runs(&format!("ns2-sctp-{name}"));
    runs.iter().map(|run| ["/arrived", "/resent/0", "/resent/1"].map(|place| number(run, place))).collect()
}

fn ours(runs: usize, overrides: &Value) -> Vec<Counts> {
    let scenario = reference::file("scenarios/peers/sctp-two-paths.toml");
    let one = |seed: u64| {
        let result = reference::ours(&scenario, seed, overrides);
        let flow = &result["flows"][0];
        ["/delivered_packets", "/path_retransmitted_packets/0", "/path_retransmitted_packets/1"]
            .map(|place| number(flow, place))
    };
    (1..=runs as u64).into_par_iter().map(one).collect()
}

fn compare(name: &str, overrides: &Value) {
    let theirs = theirs(name);
    let ours = ours(theirs.len(), overrides);
    let column = |runs: &[Counts], which: usize| runs.iter().map(|run| run[which]).collect::<Vec<_>>();
    let row = |runs: &[Counts]| [0, 1, 2].map(|which| mean(&column(runs, which)).round());
    println!("{name}: {:?}, ns-2 {:?}", row(&ours), row(&theirs));
    let (ours, theirs) = (column(&ours, 0), column(&theirs, 0));
    let allowed = tolerance(&format!("sctp.{name}.arrived")) * mean(&theirs);
    let chance = 2.0 * standard_error(&ours).hypot(standard_error(&theirs));
    let difference = mean(&ours) - mean(&theirs);
    assert!(difference.abs() <= allowed + chance, "{name}: {difference:.0} of {:.0}", mean(&theirs));
}

#[test]
fn without_losses_as_much_arrives_as_in_ns2() {
    compare("no-loss", &json!({}));
}

#[test]
fn with_losses_as_much_arrives_as_in_ns2() {
    for (name, probability) in [("1-percent", 0.01), ("5-percent", 0.05), ("10-percent", 0.1)] {
        let loss = json!({ "name": "independent", "probability": probability });
        compare(name, &json!({ "duration": "200 s", "links.one.loss": loss, "links.two.loss": loss }));
    }
}

#[test]
fn after_the_failure_of_a_path_as_much_arrives_as_in_ns2() {
    let loss = json!({ "name": "outage", "from": "20 s" });
    compare(
        "failure",
        &json!({ "duration": "200 s", "links.one.loss": loss, "links.one.reverse.loss": loss }),
    );
}

#[test]
fn concurrent_multipath_transfer_carries_as_much_as_in_ns2() {
    for (name, probability) in [("cmt-no-loss", 0.0), ("cmt-1-percent", 0.01)] {
        let loss = json!({ "name": "independent", "probability": probability });
        let cmt = json!({
            "links.one.loss": loss, "links.two.loss": loss, "flows.sctp.transport.cmt": true,
            "flows.sctp.transport.repair": "windows", "flows.sctp.transport.retransmit_to": "highest-ssthresh",
        });
        compare(name, &cmt);
    }
}

/// The paths of `ns2_sctp_packets.tcl`.
const PATHS: Paths = Paths {
    count: 2,
    nanos_per_byte: 8000,
    delay_nanos: 20_000_000,
    further_nanos: 13_000,
    limit: 51,
    loses_first: true,
    dead_nanos: (0, 0),
    end_nanos: 60_000_000_000,
};

/// Runs the profile `sctp-thesis` as the scenario declares it with ns-2's losses: of TSNs by transmission,
/// and of HEARTBEATs.
fn packets_under(losses: Losses) -> Vec<Sent> {
    let transport = [
        ("initial_window", "2.984 packets"),
        ("idle_window", "4 packets"),
        ("confirm_paths", "true"),
        ("sack_first_packet", "true"),
    ];
    let control = [("min_ssthresh", "4 packets")];
    transfer(connection(("sctp-thesis", &transport), ("sctp-2960", &control), 2, u64::MAX), PATHS, losses)
}

/// Returns the number of equal packets, in the same order, over the same path and at the same time, before
/// the first difference.
fn same_packets(run: &Value) -> usize {
    let list = |key: &str| run[key].as_array().expect("a list").clone();
    let (mut losses, mut times) = (Losses::default(), std::collections::BTreeMap::<u64, u64>::new());
    let mut theirs = Vec::new();
    for packet in list("packets") {
        let tsn = packet[2].as_u64().expect("a TSN");
        let count = times.entry(tsn).or_default();
        *count += 1;
        if packet[3] == true {
            losses.data.insert((tsn, *count));
        }
        theirs.push((packet[0].as_f64().expect("a time"), packet[1].as_u64().expect("a path"), tsn));
    }
    for path in 0..2 {
        let asked = list("heartbeats").into_iter().filter(|asked| asked[1].as_u64() == Some(path + 1));
        let lost = asked.zip(1..).filter(|(asked, _)| asked[3] == true);
        losses.heartbeats.extend(lost.map(|(_, number)| (path as usize, number)));
    }
    let ours = packets_under(losses);
    let (start, their_start) = (ours[0].time_s, theirs[0].0);
    let differs = |(our, their): (&Sent, &(f64, u64, u64))| {
        let apart_s = (our.time_s - start) - (their.0 - their_start);
        our.tsn != their.2
            || our.path as u64 + 1 != their.1
            || apart_s.abs() > tolerance("sctp.packets.time_s")
    };
    let place = ours.iter().zip(&theirs).position(differs).unwrap_or(theirs.len());
    for at in (place.saturating_sub(3)..place + 3).filter(|_| place < theirs.len()) {
        let (our, (time_s, path, tsn)) = (&ours[at], theirs[at]);
        let ours = format!("{:9.5} s path {} TSN {:4}", our.time_s - start, our.path + 1, our.tsn);
        println!(
            "{at:4}: {ours}, cwnd {:5.2}; {:9.5} s path {path} TSN {tsn:4}",
            our.cwnd,
            time_s - their_start
        );
    }
    place
}

/// ns-2's `SetPrimary` changes where new data goes, and sends nothing: the next SACK does.
#[test]
fn in_ns2_a_switch_of_the_primary_path_waits_for_the_next_sack() {
    // A packet of 1488 B takes 11.904 ms on each path, so SACKs arrive at least every 23.808 ms. Ours sends
    // at 0.5 s by the RFC's profile, because the window of the second path is empty.
    let first_over_second = |profile: &str, control: &str| {
        let details = [("switch_primary_at", "0.5 s")];
        let paths = Paths { end_nanos: 1_000_000_000, ..PATHS };
        let sent =
            transfer(connection((profile, &details), (control, &[]), 2, u64::MAX), paths, Losses::default());
        sent.iter().find(|packet| packet.path == 1).expect("a packet over the second path").time_s
    };
    assert_eq!(first_over_second("sctp", "sctp"), 0.5);
    let waited_s = first_over_second("sctp-thesis", "sctp-2960") - 0.5;
    assert!(waited_s > 0.0 && waited_s < 0.023_809, "{waited_s} s after the switch");
}

#[test]
fn with_the_same_losses_the_same_packets_are_sent_as_by_ns2() {
    let same: Vec<usize> = reference::runs("ns2-sctp-packets").iter().map(same_packets).collect();
    println!("equal packets of 1000, with a tenth of them lost: {same:?}");
    assert_eq!(same, [1000; 5]);
}
