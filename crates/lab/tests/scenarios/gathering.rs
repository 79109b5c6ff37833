//! Where packets of several flows come to a shared link in order anyway they have no event each, nor where nothing can reach an
//! endpoint before them. That must change nothing: with a trace, with which each has one, every result is the same.

use crate::determinism::{json_of, parse};
use ackclock_lab::Scenario;
use ackclock_lab::build::{self, Keep};
use proptest::prelude::*;
use serde_json::Value;
use std::sync::atomic::AtomicBool;

/// A dumbbell whose right sides are alike, so that acknowledgements come back in the order in which the bottleneck has sent what
/// they answer, save for what their sizes change.
fn dumbbell(
    pairs: usize,
    [rate, access]: [u32; 2],
    queue: &str,
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
        bottleneck = {{ rate = "{rate} Mbit/s", delay = "10 ms", queue = {queue} }}
        left = {{ rate = "{access} Mbit/s", delay = {{ evenly = ["2 ms", "31 ms"] }} }}
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

/// Many that come and go, in packets of another size.
const SHORT: &str = r#"
[[flows]]
name = "short"
control = "newreno"
count = 20
start = { uniform = ["0.5 s", "5 s"] }
application = { name = "bulk", size = "40 kB" }
transport = { name = "rfc", packet = "500 B" }
"#;

fn events(scenario: &Scenario, keep: Keep) -> u64 {
    let mut simulation = build::simulation(scenario, 1, keep, build::measured(scenario));
    simulation.run(&AtomicBool::new(false)).expect("a finished run");
    simulation.events()
}

#[test]
fn a_packet_and_its_acknowledgement_have_one_event() {
    // A packet has an event at the bottleneck, its acknowledgement one at the link back and one at the sender. Of these only the first
    // is left, and those of timers and of the few that have to wait.
    let text =
        dumbbell(4, [10, 100], "{ name = \"droptail\", limit = \"50 packets\" }", "\"cubic\"", "ns2", "");
    let scenario = parse(&text, Value::Null);
    let traced = events(&scenario, Keep { trace: true, ..Keep::default() });
    let plain = events(&scenario, Keep::default());
    let share = plain as f64 / traced as f64;
    assert!((0.33..0.42).contains(&share), "{plain} of {traced} events");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_has_no_event_changes_no_result(
        pairs in 2_usize..6,
        rate in prop::sample::select(vec![1_u32, 10, 40]),
        faster in prop::sample::select(vec![1_u32, 2, 10, 100]),
        queue in prop::sample::select(vec![
            "{ name = \"droptail\", limit = \"20 packets\" }",
            "{ name = \"red\", limit = \"100 packets\" }",
            "{ name = \"pie\", limit = \"100 packets\" }",
            "{ name = \"fq-codel\", limit = \"100 packets\" }",
        ]),
        // With a window, with a rate, and one whose connections share their windows.
        control in prop::sample::select(vec!["\"cubic\"", "\"bbrv3\"", "{ name = \"tcp-p\", k = 2 }"]),
        transport in prop::sample::select(vec!["ns2", "rfc", "linux"]),
        short in any::<bool>(),
        seed in 0_u64..1000,
    ) {
        let flows = if short { SHORT } else { "" };
        let text = dumbbell(pairs, [rate, rate * faster], queue, control, transport, flows);
        let scenario = parse(&text, Value::Null);
        let plain = json_of(&scenario, seed, Keep::default());
        prop_assert_eq!(json_of(&scenario, seed, Keep { trace: true, ..Keep::default() }), plain);
    }
}
