//! Tests of QUIC connections: numbers worked out by hand, losses, marks, and messages about mistakes in
//! scenario files. Every run is checked by the trace verifier.

use crate::verified::{self, number};
use ackclock_lab::Scenario;
use ackclock_lab::language::diagnostics;
use serde_json::{Map, Value, json};

/// A scenario with one link of 8 Mbit/s, which takes a microsecond per byte, and 10 ms.
const ONE: &str = "duration = \"20 s\"\n\
    [[links]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\nrate = \"8 Mbit/s\"\ndelay = \"10 ms\"\n\
    queue = { name = \"droptail\", limit = \"100 packets\" }\n\
    [[flows]]\nname = \"q\"\ncontrol = \"newreno\"\ntransport = { name = \"quic\" }\nfrom = \"a\"\nto = \"b\"\n";

fn flow(overrides: Value) -> Value {
    verified::result(ONE, &overrides)["flows"][0].clone()
}

fn near(found: f64, expected: f64) -> bool {
    (found - expected).abs() < 1e-6
}

#[test]
fn one_packet_takes_a_handshake_and_a_round_trip_with_a_delayed_acknowledgement() {
    // Initial packets of 1228 B forward and back take 2 (1.228 + 10) = 22.456 ms. 1500 B of data take 11.5
    // ms. The acknowledgement is delayed by 25 ms, and takes 10.065 ms with 65 B.
    let flow = flow(json!({ "flows.q.application": { "name": "bulk", "size": "1000 B" } }));
    let completed = number(&flow, "completed_s");
    assert!(near(completed, 0.069_021), "{completed}");
}

#[test]
fn a_lost_last_packet_is_retransmitted_after_a_probe_timeout() {
    // The link loses what it sends from 20 to 100 ms. Data leaves at 22.456 ms, the duration of the
    // handshake, so PTO is 22.456 + 4 * 11.228 + 25 = 92.368 ms. The packet that arrives follows a gap, so it
    // is acknowledged at once: 11.5 + 10.065 ms more.
    let outage = json!({ "name": "outage", "from": "20 ms", "until": "100 ms" });
    let flow = flow(json!({
        "flows.q.application": { "name": "bulk", "size": "1000 B" },
        "links.l.loss": outage,
    }));
    let completed = number(&flow, "completed_s");
    assert!(near(completed, 0.136_389), "{completed}");
    let counted = ["retransmitted_packets", "probes", "timeouts", "persistent_congestions"];
    assert_eq!(counted.map(|key| number(&flow, key)), [1.0, 1.0, 0.0, 0.0]);
}

#[test]
fn a_single_connection_fills_the_link() {
    // 1439 of 1500 B are payload: 7.675 of 8 Mbit/s.
    let flow = flow(json!({ "warmup": "2 s" }));
    let goodput = number(&flow, "goodput_bps");
    assert!((0.98..1.000_001).contains(&(goodput / (8e6 * 1439.0 / 1500.0))), "{goodput}");
}

#[test]
fn everything_arrives_despite_losses_and_reordering() {
    for (control, loss) in
        [("newreno", 0.05), ("cubic", 0.2), ("vegas", 0.02), ("dctcp", 0.01), ("a-tcp", 0.1)]
    {
        let loss = json!({ "name": "independent", "probability": loss });
        let flow = flow(json!({
            "duration": "300 s",
            "flows.q.control": control,
            "flows.q.application": { "name": "bulk", "size": "1 MB" },
            "flows.q.transport.spurious_recoveries": true,
            "links.l.loss": loss,
            "links.l.reverse.loss": loss,
            "links.l.jitter": "20 ms",
            "links.l.reorder": true,
        }));
        assert_eq!(number(&flow, "delivered_packets"), 695.0, "1 MB / 1439 B: {control}");
        assert!(flow["completed_s"].is_number(), "{control}");
        assert!(number(&flow, "retransmitted_packets") > 0.0, "{control}");
    }
}

#[test]
fn marks_reduce_the_window_instead_of_losses() {
    for control in ["cubic", "dctcp"] {
        let overrides = json!({
            "flows.q.control": control,
            "flows.q.transport.ecn": true,
            "links.l.queue": { "name": "codel", "limit": "200 packets", "ecn": true },
            "warmup": "5 s",
        });
        let result = verified::result(ONE, &overrides);
        let (flow, link) = (&result["flows"][0], &result["links"][0]);
        assert!(number(link, "marked_packets") > 0.0, "{control}");
        assert_eq!(number(flow, "lost_packets"), 0.0, "{control}");
        assert!(number(link, "queue_mean_packets") < 40.0, "{control}: {link}");
    }
}

#[test]
fn applications_of_many_connections_go_over_quic() {
    for application in [
        json!({ "name": "transfers", "count": 20, "size": "50 kB" }),
        json!({ "name": "pages" }),
        json!({ "name": "adaptive-video" }),
        json!({ "name": "web" }),
    ] {
        let flow = flow(json!({
            "flows.q.application": application,
            "links.l.loss": { "name": "independent", "probability": 0.02 },
        }));
        assert!(number(&flow, "completion_p50_s") > 0.0, "{application}: {flow}");
    }
}

#[test]
fn a_discriminator_that_uses_timestamps_is_refused() {
    let overrides: Map<String, Value> =
        json!({ "flows.q.discriminator": "spike" }).as_object().cloned().unwrap_or_default();
    let problems = Scenario::parse(ONE, "test", &overrides).expect_err("no timestamps");
    let text = diagnostics::render(&problems);
    assert!(text.contains("the loss discriminator \"spike\" over QUIC"), "{text}");
}

#[test]
fn three_seconds_of_silence_are_persistent_congestion_once() {
    let outage = json!({ "name": "outage", "from": "5 s", "until": "8 s" });
    let silent = flow(json!({ "links.l.loss": outage }));
    let short = flow(json!({ "links.l.loss": { "name": "outage", "from": "5 s", "until": "5.1 s" } }));
    assert_eq!(number(&silent, "persistent_congestions"), 1.0);
    // A probe timeout is about 0.3 s with a full queue. Probes occur after one, three and seven of them; the
    // silence ends before fifteen.
    assert!((3.0..=5.0).contains(&number(&silent, "probes")), "{silent}");
    assert_eq!(number(&short, "persistent_congestions"), 0.0, "{short}");
}

#[test]
fn adaptive_thresholds_retransmit_less_on_a_path_that_reorders() {
    let retransmitted = |thresholds: &str| {
        let flow = flow(json!({
            "flows.q.transport.loss_thresholds": thresholds,
            "links.l.jitter": "10 ms",
            "links.l.reorder": true,
        }));
        assert_eq!(number(&flow, "corrupted_packets"), 0.0);
        (number(&flow, "retransmitted_packets"), number(&flow, "goodput_bps"))
    };
    let (fixed, adaptive) = (retransmitted("fixed"), retransmitted("adaptive"));
    assert!(adaptive.0 < fixed.0 / 4.0 && adaptive.1 > fixed.1, "{fixed:?}, {adaptive:?}");
}

#[test]
fn gains_and_bursts_determine_when_the_first_window_is_sent() {
    // A byte takes 10 ns. The handshake takes 2 (12.28 us + 10 ms) = 20.02456 ms. Ten packets over half of it
    // are 1.001228 ms apart, over four fifths of it (a gain of 1.25) 1.601965 ms. A burst of ten leaves back
    // to back, at 15 us per packet on the wire.
    let completed = |transport: Value| {
        let mut values = json!({ "name": "quic" });
        let extra = transport.as_object().expect("a table").clone();
        values.as_object_mut().expect("a table").extend(extra);
        let flow = flow(json!({
            "flows.q.application": { "name": "bulk", "size": "14390 B" },
            "flows.q.transport": values,
            "links.l.rate": "800 Mbit/s",
        }));
        number(&flow, "completed_s")
    };
    let usual = completed(json!({}));
    let slower = completed(json!({ "pacing_slow_start": 1.25 })) - usual;
    assert!(near(slower, 9.0 * (0.001_601_965 - 0.001_001_228)), "{slower}");
    let sooner = usual - completed(json!({ "pacing_burst": "10 packets" }));
    assert!(near(sooner, 9.0 * (0.001_001_228 - 0.000_015)), "{sooner}");
    assert_eq!(completed(json!({ "pacing_avoidance": 3.0 })), usual, "still in slow start");
}
