//! Tests of associations over one and several paths: numbers worked out by hand, failures of paths, and
//! messages about mistakes in scenario files. Every run is checked by the trace verifier.

use crate::verified::{self, number};
use ackclock_cc::registry::{CONTROLS, find_discriminator};
use ackclock_lab::Scenario;
use ackclock_lab::language::diagnostics;
use serde_json::{Map, Value, json};

/// A scenario with two parallel bottlenecks, and one association over both.
const TWO: &str = "duration = \"100 s\"\n[parallel]\npairs = 1\n\
    bottlenecks = [\n\
    { rate = \"1 Mbit/s\", delay = \"10 ms\", queue = { name = \"droptail\", limit = \"50 packets\" } },\n\
    { rate = \"1 Mbit/s\", delay = \"10 ms\", queue = { name = \"droptail\", limit = \"50 packets\" } },\n]\n\
    access = { rate = \"100 Mbit/s\", delay = \"5 ms\" }\n\
    [[flows]]\nname = \"a\"\ncontrol = \"sctp\"\ntransport = { name = \"sctp\" }\n";

/// A scenario with two nodes and two paths between them, the first of which can fail.
const WAYS: &str = "duration = \"600 s\"\n\
    [[links]]\nname = \"one\"\nbetween = [\"a\", \"b\"]\nrate = \"1 Mbit/s\"\ndelay = \"10 ms\"\n\
    [[links]]\nbetween = [\"b\", \"d\"]\nrate = \"1 Gbit/s\"\ndelay = \"0 s\"\n\
    [[links]]\nname = \"two\"\nbetween = [\"a\", \"c\"]\nrate = \"1 Mbit/s\"\ndelay = \"10 ms\"\n\
    [[links]]\nbetween = [\"c\", \"d\"]\nrate = \"1 Gbit/s\"\ndelay = \"0 s\"\n\
    [[flows]]\nname = \"a\"\ncontrol = \"sctp\"\ntransport = { name = \"sctp\" }\n\
    paths = [[\"a\", \"b\", \"d\"], [\"a\", \"c\", \"d\"]]\n";

fn read(text: &str, overrides: &Value) -> Result<Scenario, Vec<diagnostics::Diagnostic>> {
    let overrides: Map<String, Value> = overrides.as_object().cloned().unwrap_or_default();
    Scenario::parse(text, "test", &overrides)
}

/// Returns the flows of a run, whose trace breaks no law.
fn run(text: &str, overrides: Value) -> Vec<Value> {
    verified::result(text, &overrides)["flows"].as_array().expect("flows").clone()
}

fn one(text: &str, overrides: Value) -> Value {
    run(text, overrides).remove(0)
}

fn of_path(flow: &Value, key: &str, path: usize) -> f64 {
    flow[key][path].as_f64().unwrap_or_else(|| panic!("{key} in {flow}"))
}

/// Returns an outage of a link of [`WAYS`], for both directions.
fn outage(link: &str, from: &str) -> (String, Value) {
    (format!("links.{link}"), json!({ "name": "outage", "from": from }))
}

fn with_outages(outages: &[(&str, &str)], mut overrides: Value) -> Value {
    for (link, from) in outages {
        let (link, loss) = outage(link, from);
        overrides[format!("{link}.loss")] = loss.clone();
        overrides[format!("{link}.reverse.loss")] = loss;
    }
    overrides
}

#[test]
fn the_window_of_rbca_falls_to_one_packet_on_a_route_above_its_threshold() {
    // From 30 s on the round trip is at least 275 ms, above the threshold of 2 x 75 ms: the window shrinks with every
    // acknowledgement. It is then no whole number of bytes, and must count as full all the same.
    let text = "duration = \"100 s\"\nwarmup = \"60 s\"\n[dumbbell]\n\
        bottleneck = { rate = \"1 Mbit/s\", delay = \"10 ms\", queue = { name = \"droptail\", limit = \"50 packets\" }, \
        detour = { from = \"30 s\", until = \"1000 s\", longer = \"100 ms\" } }\n\
        access = { rate = \"10 Mbit/s\", delay = \"10 ms\" }\n\
        [[flows]]\nname = \"a\"\ntransport = \"sctp-thesis\"\n\
        control = { name = \"rbca\", threshold_factor = 2.0, rtt_min = \"75 ms\" }\n";
    for count in 1..=5 {
        for flow in run(text, json!({ "flows.a.count": count })) {
            assert_eq!(number(&flow, "cwnd_mean_packets"), 1.0, "{count} flows: {flow}");
        }
    }
}

#[test]
fn a_message_takes_two_round_trips_of_handshake_and_one_of_data() {
    // Over a link of 1 Mbit/s and 10 ms: INIT 52 B, INIT ACK 156 B, COOKIE ECHO 136 B, COOKIE ACK 36 B, a
    // packet of 1500 B and the SACK of 48 B take 0.416 + 1.248 + 1.088 + 0.288 + 12 + 0.384 ms. With six
    // times 10 ms and no delay of the first SACK, the sum is 75.424 ms.
    let flow = one(
        "duration = \"5 s\"\n[[links]]\nbetween = [\"a\", \"b\"]\nrate = \"1 Mbit/s\"\ndelay = \"10 ms\"\n\
         [[flows]]\ncontrol = \"sctp\"\ntransport = \"sctp\"\nfrom = \"a\"\nto = \"b\"\n\
         application = { name = \"bulk\", size = \"1 kB\" }\n",
        json!({}),
    );
    assert!((number(&flow, "completed_s") - 0.075_424).abs() < 1e-9, "{flow}");
    assert_eq!((number(&flow, "delivered_packets"), number(&flow, "sent_packets")), (1.0, 1.0));
}

#[test]
fn the_first_window_is_three_packets_and_doubles_each_round_trip() {
    // Without delayed SACKs each acknowledges a packet: 3 packets in the first round trip of 200 ms, then 6,
    // 12, 24, which are 45 after four. With SACKs for every second packet the window grows from 3 to 5 by two
    // SACKs (of the first, and of the two others).
    let text = "duration = \"1.01 s\"\n[[links]]\nbetween = [\"a\", \"b\"]\nrate = \"1 Gbit/s\"\ndelay = \"100 ms\"\n\
         [[flows]]\nname = \"a\"\ncontrol = \"sctp\"\nfrom = \"a\"\nto = \"b\"\n\
         transport = { name = \"sctp\", handshake = false, delayed_sack = false, max_burst = 100 }\n";
    // At 0, 200, 400, 600, 800 and 1000 ms, 3 + 6 + 12 + 24 + 48 + 96 packets are sent. The run ends before
    // those of 1000 ms.
    let sent = number(&one(text, json!({ "duration": "0.95 s" })), "sent_packets");
    assert_eq!(sent, 3.0 + 6.0 + 12.0 + 24.0 + 48.0);
}

#[test]
fn over_one_path_it_fills_the_link_with_its_payload() {
    // The payload is 1452 of 1500 B: 968,000 bit/s, less the handshake and slow start.
    let flow = one(TWO, json!({}));
    let goodput = number(&flow, "goodput_bps");
    assert!((950_000.0..=968_000.0).contains(&goodput), "{goodput}");
    // Only lost packets are retransmitted.
    assert_eq!(number(&flow, "retransmitted_packets"), number(&flow, "lost_packets"));
    assert_eq!(of_path(&flow, "path_sent_packets", 1), 0.0);
    assert_eq!(number(&flow, "heartbeats_lost"), 0.0);
}

#[test]
fn the_thesis_profile_sends_lost_chunks_over_the_other_path() {
    let flow = one(TWO, json!({ "flows.a.control": "sctp-2960", "flows.a.transport": "sctp-thesis" }));
    let retransmitted = number(&flow, "retransmitted_packets");
    assert!(retransmitted > 0.0 && of_path(&flow, "path_retransmitted_packets", 0) == 0.0, "{flow}");
    assert_eq!(of_path(&flow, "path_sent_packets", 1), retransmitted, "the second path carries nothing else");
}

#[test]
fn a_switch_due_during_the_handshake_happens_at_its_end() {
    // The handshake takes two round trips. After it all data except retransmissions takes the second path, in
    // two associations at once.
    let transport = json!({ "name": "sctp-thesis", "switch_primary_at": "0 s" });
    let overrides =
        json!({ "flows.a.control": "sctp-2960", "flows.a.transport": transport, "flows.a.count": 2 });
    for flow in run(TWO, overrides) {
        assert!(of_path(&flow, "path_sent_packets", 1) > 1000.0, "{flow}");
        assert_eq!(
            of_path(&flow, "path_sent_packets", 0),
            of_path(&flow, "path_retransmitted_packets", 0),
            "{flow}"
        );
    }
}

#[test]
fn concurrent_transfer_uses_both_paths() {
    let one_path = number(&one(TWO, json!({})), "goodput_bps");
    for control in ["sctp", "lia", "cubic"] {
        let overrides =
            json!({ "flows.a.control": control, "flows.a.transport": { "name": "sctp", "cmt": true } });
        let flow = one(TWO, overrides);
        assert!(number(&flow, "goodput_bps") > 1.9 * one_path, "{control}: {flow}");
        // Two paths of different lengths reorder packets all the time, which is no loss (split fast
        // retransmit).
        let spurious = number(&flow, "retransmitted_packets") - number(&flow, "lost_packets");
        assert!(spurious <= 0.002 * number(&flow, "sent_packets"), "{control}: {flow}");
    }
}

#[test]
fn a_failed_path_is_left_after_six_timeouts() {
    // RTO.Min is 1 s and doubles each time: the sixth timeout comes 63 s after the first lost packet. Each
    // loss is repaired over the other path, so the association has no consecutive errors.
    let flow = one(WAYS, with_outages(&[("one", "10 s")], json!({ "duration": "200 s" })));
    assert_eq!((number(&flow, "failovers"), of_path(&flow, "path_timeouts", 0)), (1.0, 6.0));
    assert!(flow["association_failed_s"].is_null());
    // The association is almost idle for 63 s, and sends at the full rate for the other 127 s or more.
    let goodput = number(&flow, "goodput_bps") / 968_000.0;
    assert!((0.62..=(10.0 + 127.5) / 200.0).contains(&goodput), "{goodput}");
}

#[test]
fn a_potentially_failed_path_is_left_after_one_timeout() {
    let overrides = json!({
        "duration": "200 s", "flows.a.transport": { "name": "sctp", "potentially_failed": true }
    });
    let flow = one(WAYS, with_outages(&[("one", "10 s")], overrides));
    assert_eq!((number(&flow, "failovers"), of_path(&flow, "path_timeouts", 0)), (1.0, 1.0));
    assert!(number(&flow, "goodput_bps") > 0.97 * 968_000.0, "{flow}");
}

#[test]
fn an_association_fails_when_every_path_has_failed_and_reports_the_time() {
    // A single path has ten packets in flight, so that no round trip is as long as RTO.Min: eleven timeouts
    // of 1, 2, 4, 8, 16, 32 s and five times 60 s are 363 s. They begin at the last SACK, which comes at most
    // 24 ms before the outage.
    let alone = json!({
        "flows.a.paths": [["a", "b", "d"]],
        "flows.a.transport": { "name": "sctp", "heartbeat_interval": "3000 s", "receive_window": "15 kB" }
    });
    let failed = |flow: &Value| number(flow, "association_failed_s");
    let flow = one(WAYS, with_outages(&[("one", "10 s")], alone));
    assert!((372.976..374.0).contains(&failed(&flow)), "{}", failed(&flow));
    let flow = one(WAYS, with_outages(&[("one", "10 s"), ("two", "40 s")], json!({})));
    assert!(failed(&flow) > 40.0 && number(&flow, "failovers") > 0.0, "{flow}");
}

#[test]
fn everything_arrives_once_although_a_path_fails() {
    // 5,000,000 B are 3444 messages of 1452 B.
    for transport in ["sctp", "sctp-thesis"] {
        for at in ["0.5 s", "1.3 s", "5 s", "20.01 s"] {
            for control in ["sctp", "rbca", "cubic", "lia"] {
                let overrides = json!({
                    "flows.a.control": control,
                    "flows.a.transport": transport,
                    "flows.a.application": { "name": "bulk", "size": "5 MB" },
                });
                let flow = one(WAYS, with_outages(&[("one", at)], overrides));
                let payload = if transport == "sctp" { 1452.0_f64 } else { 1440.0 };
                assert_eq!(
                    number(&flow, "delivered_packets"),
                    (5e6 / payload).ceil(),
                    "{transport} {at} {control}"
                );
                assert!(flow["completed_s"].is_number() && flow["association_failed_s"].is_null(), "{flow}");
            }
        }
    }
}

#[test]
fn the_selector_works_with_every_control() {
    for entry in CONTROLS {
        let name = entry.descriptor.name;
        let overrides = json!({ "duration": "30 s", "flows.a.control": name, "flows.a.selector": "spc" });
        // A control published with a discriminator that uses TCP's timestamps is refused.
        let judge = entry.published.discriminator.and_then(find_discriminator);
        if judge.is_some_and(|judge| judge.needs_timestamps) {
            assert!(read(TWO, &overrides).is_err(), "{name}");
            continue;
        }
        let flow = one(TWO, overrides);
        assert!(number(&flow, "delivered_packets") > 500.0, "{name}: {flow}");
    }
}

#[test]
fn the_schemes_of_the_thesis_use_both_paths_and_lose_little() {
    // Dahal 2007 table 6.1 with five associations: standard SCTP uses 50 % of both paths, RBCA 49 %, and both
    // with SPC more than 80 %.
    let five = TWO.replace("pairs = 1", "pairs = 5").replace("name = \"a\"", "name = \"a\"\ncount = 5");
    let share = |control: &str, selector: &str, more: Value| {
        let mut transport = json!({ "name": "sctp-thesis" });
        for (key, value) in more.as_object().expect("a table") {
            transport[key] = value.clone();
        }
        let overrides = json!({
            "flows.a.control": control, "flows.a.selector": selector, "flows.a.transport": transport,
            "flows.a.start": { "uniform": ["0 s", "1 s"] },
        });
        let flows = run(&five, overrides);
        let sum = |key: &str| flows.iter().map(|flow| number(flow, key)).sum::<f64>();
        (sum("goodput_bps") / 2e6, sum("lost_packets") / sum("sent_packets"))
    };
    let stamps = json!({ "timestamps": true });
    let rbca = json!({ "timestamps": true, "delayed_sack": false });
    let (standard, losses) = share("sctp-2960", "primary", json!({}));
    assert!((0.45..0.55).contains(&standard), "{standard}");
    let (alone, none) = share("rbca", "primary", rbca.clone());
    assert!((0.45..0.49).contains(&alone) && none <= 0.001, "{alone} {none}");
    for (control, transport) in [("sctp-2960", stamps), ("rbca", rbca)] {
        let (both, fewer) = share(control, "spc", transport);
        assert!(both > 0.75 && fewer < losses, "{control}: {both}, {fewer} of {losses}");
    }
}

/// Returns the message about a mistake, with its line, its path and what was found.
fn problem(text: &str, overrides: Value) -> String {
    match read(text, &overrides) {
        Ok(_) => panic!("no problem"),
        Err(problems) => diagnostics::render(&problems),
    }
}

#[test]
fn mistakes_have_their_location() {
    let said = problem(&WAYS.replace("\"c\", \"d\"]]", "\"x\", \"d\"]]"), json!({}));
    assert!(said.contains("test:24:33") && said.contains("the node \"x\""), "{said}");
    let said = problem(&WAYS.replace("transport = { name = \"sctp\" }", "transport = \"rfc\""), json!({}));
    assert!(said.contains("test:24:9") && said.contains("`paths` over a transport with one path"), "{said}");
    let said = problem(WAYS, json!({ "flows.a.selector": "spcc" }));
    assert!(said.contains("\"spcc\"") && said.contains("spc"), "{said}");
    let said = problem(WAYS, json!({ "flows.a.application": "pages" }));
    assert!(said.contains("the application \"pages\" over SCTP"), "{said}");
    let said = problem(WAYS, json!({ "flows.a.discriminator": "spike" }));
    assert!(said.contains("over SCTP"), "{said}");
    let said = problem(WAYS, json!({ "flows.a.paths": [] }));
    assert!(said.contains("found a list of 0 values, expected 1 to 8 values"), "{said}");
    let said = problem(WAYS, json!({ "flows.a.transport": { "name": "sctp", "path_max_retran": 3 } }));
    assert!(said.contains("path_max_retrans"), "{said}");
    let said = problem(TWO, json!({ "flows.a.transport": "rfc", "flows.a.selector": "spc" }));
    assert!(said.contains("a `selector` over a transport with one path"), "{said}");
    let said = problem(TWO, json!({ "parallel.bottlenecks": [] }));
    assert!(
        said.contains("found a list of 0 tables, expected 1 to 8 tables: the bottleneck links"),
        "{said}"
    );
}
