//! Tests of RACK-TLP in whole scenarios, beside selective acknowledgements: when losses that no later packet
//! shows are repaired.

use crate::verified;
use serde_json::{Value, json};

/// A scenario in which twenty packets are sent at once and the queue has no room for the last two. A round
/// trip takes 100 ms plus the queueing delay.
const TAIL: &str = "duration = \"20 s\"\n[dumbbell]\n\
    bottleneck = { rate = \"10 Mbit/s\", delay = \"50 ms\", queue = { name = \"droptail\", limit = \"17 packets\" } }\n\
    access = { rate = \"100 Gbit/s\", delay = \"0 s\" }\n\
    [[flows]]\nname = \"tcp\"\ncontrol = \"reno\"\napplication = { name = \"bulk\", size = \"20 kB\" }\n\
    transport = { name = \"rfc\", packet = \"1000 B\", header = \"0 B\", initial_window = \"20 packets\", \
    handshake = false, delayed_ack = false }\n";

/// Runs the scenario with the trace verifier.
fn run(overrides: Value) -> Value {
    verified::result(TAIL, &overrides)
}

fn flow(result: &Value, key: &str) -> f64 {
    result["flows"][0][key].as_f64().unwrap_or_else(|| panic!("{key} in {}", result["flows"][0]))
}

#[test]
fn a_lost_tail_is_repaired_two_round_trips_after_the_last_acknowledgement() {
    let rack = run(json!({ "flows.tcp.transport.recovery": "rack" }));
    let sack = run(json!({ "flows.tcp.transport.recovery": "sack" }));
    for result in [&rack, &sack] {
        assert_eq!((flow(result, "lost_packets"), flow(result, "delivered_packets")), (2.0, 20.0));
    }
    // The last of 18 acknowledgements arrives after 114.4 ms. The probe is sent two smoothed round trips of
    // 100.8 to 114.4 ms later. Its answer a round trip later shows the other loss, which is repaired another
    // round trip later.
    assert_eq!((flow(&rack, "timeouts"), flow(&rack, "retransmitted_packets")), (0.0, 2.0));
    assert_eq!((flow(&rack, "probes"), flow(&sack, "probes")), (1.0, 0.0));
    let completed = flow(&rack, "completed_s");
    assert!((0.114 + 4.0 * 0.1..0.115 + 2.0 * 0.115 + 2.0 * 0.101).contains(&completed), "{completed}");
    // The timeout is a second after the last acknowledgement.
    assert_eq!(flow(&sack, "timeouts"), 1.0);
    assert!(flow(&sack, "completed_s") > 1.2, "{}", flow(&sack, "completed_s"));
}

#[test]
fn without_the_probe_the_tail_waits_for_the_timeout() {
    let off = json!({ "flows.tcp.transport.recovery": "rack", "flows.tcp.transport.tail_loss_probe": false });
    assert_eq!(flow(&run(off), "timeouts"), 1.0);
}
