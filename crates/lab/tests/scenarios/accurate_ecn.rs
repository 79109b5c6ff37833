//! Flows with Accurate ECN: three bits and an option convey what a counter that never wraps would. Every run
//! is also checked by the trace verifier.

use crate::verified;
use serde_json::{Value, json};

/// Runs two flows through a queue that marks. Returns all that is measured of both.
fn flows(control: &str, queue: &str, acks: &str, accurate: bool, details: &str) -> Value {
    let text = format!(
        "duration = \"20 s\"\n[dumbbell]\npairs = 2\n\
         bottleneck = {{ rate = \"20 Mbit/s\", delay = \"10 ms\", queue = {queue}, reverse = {acks} }}\n\
         access = {{ rate = \"1 Gbit/s\", delay = \"1 ms\" }}\n\
         [[flows]]\ncount = 2\nname = \"tcp\"\ncontrol = \"{control}\"\nstart = {{ every = \"1 s\" }}\n\
         transport = {{ name = \"rfc\", ecn = true, accurate_ecn = {accurate}, {details} }}\n"
    );
    verified::result(&text, &json!({}))["flows"].clone()
}

const DUALPI2: &str = "{ name = \"dualpi2\" }";
const CODEL: &str = "{ name = \"codel\", ecn = true, limit = \"unlimited\" }";
const NO_LOSS: &str = "{}";
const ONE_IN_FIVE: &str = "{ loss = { name = \"independent\", probability = 0.2 } }";

/// With an acknowledgement for each packet, both methods convey the same marks at the same time, even if some
/// acknowledgements are lost: the bytes convey what three bits do not.
#[test]
fn a_control_that_counts_hears_the_same_marks_over_the_wire() {
    for (control, queue) in [("prague", DUALPI2), ("dctcp", CODEL)] {
        for acks in [NO_LOSS, ONE_IN_FIVE] {
            let [wire, perfect] =
                [true, false].map(|accurate| flows(control, queue, acks, accurate, "delayed_ack = false"));
            assert!(wire[0]["delivered_packets"].as_u64() > Some(5000), "{wire}");
            assert_eq!(wire, perfect, "{control} {acks}");
        }
    }
}

/// With delayed acknowledgements, the first of several consecutive marks is reported at once, which a
/// receiver without Accurate ECN does not do.
#[test]
fn with_delayed_acknowledgements_both_reach_the_same_goodput() {
    let [wire, perfect] = [true, false].map(|accurate| {
        let found = flows("prague", DUALPI2, NO_LOSS, accurate, "delayed_ack = true");
        [0, 1].map(|flow| found[flow]["goodput_bps"].as_f64().unwrap_or_default()).iter().sum::<f64>()
    });
    assert!((wire / perfect - 1.0).abs() < 0.02, "{wire} {perfect}");
}

/// RFC 3168's echo lasts until the sender announces its reaction; Accurate ECN's counter moves once. Either
/// way there is one reaction per window of data.
#[test]
fn a_control_that_does_not_count_reacts_to_the_same_marks() {
    let [wire, echo] =
        [true, false].map(|accurate| flows("reno", CODEL, NO_LOSS, accurate, "delayed_ack = false"));
    assert_eq!(wire, echo);
}
