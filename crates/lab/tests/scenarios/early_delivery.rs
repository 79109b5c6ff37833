//! Tests of early delivery: packets are delivered to endpoints early if no other event can reach these
//! before. This must not change results. Stepping event by event delivers no packet early, to any endpoint,
//! and gives the same results.

use crate::determinism::{json_of, parse};
use crate::toy_transport::over_toy;
use ackclock_lab::run::build::{self, Keep};
use ackclock_lab::{RunResult, Scenario};
use ackclock_sim::simulation::Simulation;
use proptest::prelude::*;
use serde_json::Value;
use std::sync::atomic::AtomicBool;

/// Returns a dumbbell in which packets of several flows often arrive at the same instant: its wires are equal
/// in pairs, and its rates are multiples of one another.
fn dumbbell(
    pairs: usize,
    [rate, access]: [u32; 2],
    bottleneck: &str,
    control: &str,
    transport: &str,
    flows: &str,
) -> String {
    format!(
        r#"
        duration = "6 s"
        warmup = "1 s"
        [dumbbell]
        pairs = {pairs}
        bottleneck = {{ rate = "{rate} Mbit/s", delay = "10 ms", {bottleneck} }}
        left = {{ rate = "{access} Mbit/s", delay = "2 ms" }}
        right = {{ rate = "{access} Mbit/s", delay = "1 ms" }}
        [[flows]]
        name = "bulk"
        count = {pairs}
        control = {control}
        start = {{ every = "0.1 s" }}
        transport = "{transport}"
        {flows}
        "#
    )
}

/// Many short flows with packets of another size.
const SHORT: &str = r#"
[[flows]]
name = "short"
control = "newreno"
count = 20
start = { uniform = ["0.5 s", "5 s"] }
application = { name = "bulk", size = "40 kB" }
transport = { name = "rfc", packet = "500 B" }
"#;

/// Packets over UDP, and requests that are answered, with the same access links as the bulk flows: their
/// receivers have no timer, and the answers enter a queue at once.
const UDP: &str = r#"
[[flows]]
name = "udp"
count = 2
application = { name = "cbr", rate = "300 kbit/s", packet = "500 B" }
[[flows]]
name = "requests"
count = 2
application = { name = "requests", every = "5 ms" }
"#;

/// Web pages, whose connections a session opens again and again.
const PAGES: &str = r#"
[[flows]]
name = "pages"
control = "newreno"
transport = "ns2"
application = "pages"
"#;

const READS_AND_RESTS: &str = r#"reader = { cycle = [["0.5 s", "2 Mbit/s"], ["1 s", "0 bit/s"]] }"#;

fn simulation(scenario: &Scenario, seed: u64) -> Simulation {
    build::simulation(scenario, seed, Keep::default(), build::measured(scenario))
}

/// Runs a scenario event by event.
fn stepped(scenario: &Scenario, seed: u64) -> Simulation {
    let mut simulation = simulation(scenario, seed);
    while simulation.step().expect("a finished run") {}
    simulation
}

pub(crate) fn stepped_json(scenario: &Scenario, seed: u64) -> String {
    let result = RunResult::of(scenario, seed, &mut stepped(scenario, seed));
    serde_json::to_string_pretty(&result).expect("a result as JSON")
}

/// Returns the share of the events of a stepped run that a plain run has.
fn share_of_events(scenario: &Scenario) -> f64 {
    let mut plain = simulation(scenario, 1);
    plain.run(&AtomicBool::new(false)).expect("a finished run");
    plain.events() as f64 / stepped(scenario, 1).events() as f64
}

/// Returns whether a share of events is the expected one, but for timers and for packets that wait.
fn is_about(share: f64, expected: f64) -> bool {
    (expected - 0.005..expected + 0.04).contains(&share)
}

const DROPTAIL: &str = "queue = { name = \"droptail\", limit = \"50 packets\" }";

#[test]
fn a_packet_and_its_acknowledgement_have_two_events() {
    // A packet has an event at the bottleneck and one at the receiver, its acknowledgement one at the reverse
    // link and one at the sender. Early delivery omits those at the ends: two of four are left.
    let text = dumbbell(4, [10, 100], DROPTAIL, "\"cubic\"", "ns2", "");
    let share = share_of_events(&parse(&text, Value::Null));
    assert!(is_about(share, 2.0 / 4.0), "{share}");
    let mut toy = parse(&dumbbell(4, [10, 100], DROPTAIL, "\"newreno\"", "rfc", ""), Value::Null);
    over_toy(&mut toy);
    let share = share_of_events(&toy);
    assert!(is_about(share, 2.0 / 4.0), "over the example transport {share}");
}

#[test]
fn a_packet_over_udp_has_two_events() {
    // It has a timer at the sender, an event at the bottleneck and one at the receiver, which early delivery
    // omits: two of three are left. The source stops 6 s after its beginning.
    let text = format!(
        "duration = \"6 s\"\n[dumbbell]\npairs = 2\nbottleneck = {{ rate = \"10 Mbit/s\", delay = \"10 ms\", {DROPTAIL} }}\n\
         access = {{ rate = \"100 Mbit/s\", delay = \"2 ms\" }}\n[[flows]]\nname = \"udp\"\ncount = 2\n\
         application = {{ name = \"cbr\", rate = \"1 Mbit/s\" }}\n"
    );
    let share = share_of_events(&parse(&text, Value::Null));
    assert!(is_about(share, 2.0 / 3.0), "{share}");
}

/// When a late packet ends a page whose repair was under way, the repeated packet finds another connection at its arrival,
/// which ignores it. Taken early, it would find the earlier one and be acknowledged. Of ten seeds, three show it.
#[test]
fn a_packet_that_arrives_after_its_connection_has_been_replaced_is_not_taken_before() {
    let text = "duration = \"20 s\"\n[dumbbell]\npairs = 2\n\
         bottleneck = { rate = \"10 Mbit/s\", delay = \"2 ms\", jitter = \"10 ms\", reverse = { jitter = \"0 s\" } }\n\
         left = { rate = \"100 Mbit/s\", delay = \"2 ms\" }\nright = { rate = \"100 Mbit/s\", delay = \"10 ms\" }\n\
         [[flows]]\nname = \"pages\"\ncount = 2\ncontrol = \"newreno\"\ntransport = \"linux\"\n\
         application = { name = \"pages\", objects = 2, connections = 1, object = \"20 kB\", think = \"0 s\" }\n";
    let scenario = parse(text, Value::Null);
    for seed in 0..10 {
        assert_eq!(stepped_json(&scenario, seed), json_of(&scenario, seed, Keep::default()), "seed {seed}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn delivering_early_changes_no_result(
        pairs in 2_usize..6,
        rate in prop::sample::select(vec![1_u32, 10, 40]),
        faster in prop::sample::select(vec![1_u32, 2, 10, 100]),
        bottleneck in prop::sample::select(vec![
            "queue = { name = \"droptail\", limit = \"20 packets\" }",
            "queue = { name = \"red\", limit = \"100 packets\" }",
            "queue = { name = \"pie\", limit = \"100 packets\" }",
            "queue = { name = \"fq-codel\", limit = \"100 packets\" }",
            "jitter = \"5 ms\"",
            "hold = \"10 ms\"",
            "duplicate = 0.2",
            "ecn = \"set-ce\"",
            "reorder = { share = 0.2 }",
        ]),
        // The controls are one with a window, one with a rate, and one whose connections share their windows.
        control in prop::sample::select(vec!["\"cubic\"", "\"bbrv3\"", "{ name = \"tcp-p\", k = 2 }"]),
        transport in prop::sample::select(vec!["ns2", "rfc", "linux"]),
        // The receivers may read slowly, and acknowledge with other packets.
        reader in prop::sample::select(vec!["", "reader = \"1 Mbit/s\"", READS_AND_RESTS]),
        others in prop::sample::subsequence(vec![SHORT, UDP, PAGES], 0..=3),
        toy in prop::bool::weighted(0.2),
        seed in 0_u64..1000,
    ) {
        let flows = [&[reader], &others[..]].concat().join("\n");
        let text = dumbbell(pairs, [rate, rate * faster], bottleneck, control, transport, &flows);
        let mut scenario = parse(&text, Value::Null);
        if toy {
            over_toy(&mut scenario);
        }
        prop_assert_eq!(stepped_json(&scenario, seed), json_of(&scenario, seed, Keep::default()));
    }
}
