//! Tests of TCP's behaviour as seen from outside: small scenarios whose result can be calculated by hand.
//! Every run is also checked by the trace verifier.

use crate::verified;
use serde_json::{Value, json};

/// Runs one flow through a bottleneck. The access links have no delay and practically no queue.
fn run(flow: &str, bottleneck: &str, duration: &str, overrides: Value) -> Value {
    let text = format!(
        "duration = \"{duration}\"\n[dumbbell]\n\
         bottleneck = {{ {bottleneck} }}\naccess = {{ rate = \"100 Gbit/s\", delay = \"0 s\" }}\n\
         [[flows]]\nname = \"tcp\"\n{flow}\n"
    );
    verified::result(&text, &overrides)
}

fn flow(result: &Value, key: &str) -> f64 {
    result["flows"][0][key].as_f64().unwrap_or_else(|| panic!("{key} in {}", result["flows"][0]))
}

fn link(result: &Value, name: &str, key: &str) -> f64 {
    let links = result["links"].as_array().expect("links");
    let link = links.iter().find(|link| link["name"] == name).unwrap_or_else(|| panic!("link {name}"));
    link[key].as_f64().unwrap_or_else(|| panic!("{key} in {link}"))
}

const FAST: &str =
    "rate = \"10 Gbit/s\", delay = \"50 ms\", queue = { name = \"droptail\", limit = \"unlimited\" }";

#[test]
fn a_short_transfer_takes_the_round_trips_of_slow_start() {
    // With an RTT of 100 ms, an initial window of 10 and an acknowledgement for each packet, four rounds
    // carry 10 + 20 + 40 + 80 packets. 100 packets need four rounds: five round trips with the handshake,
    // which are 500 ms and a little serialisation.
    let transfer = "control = \"sack\"\napplication = { name = \"bulk\", size = \"100 kB\" }\n\
                    transport = { name = \"rfc\", packet = \"1000 B\", delayed_ack = false }";
    let result = run(transfer, FAST, "2 s", json!({}));
    let completed = flow(&result, "completed_s");
    assert!((0.5..0.502).contains(&completed), "{completed}");
    assert_eq!(flow(&result, "delivered_packets"), 100.0);
    let result = run(transfer, FAST, "2 s", json!({ "flows.tcp.transport.handshake": false }));
    let completed = flow(&result, "completed_s");
    assert!((0.4..0.402).contains(&completed), "{completed}");
}

#[test]
fn a_delayed_acknowledgement_answers_every_second_packet() {
    let bulk = "control = \"sack\"\ntransport = { name = \"rfc\", window = \"20 packets\" }";
    let each = run(bulk, FAST, "20 s", json!({ "flows.tcp.transport.delayed_ack": false }));
    let second = run(bulk, FAST, "20 s", json!({}));
    let share = |result: &Value| {
        link(result, "bottleneck-reverse", "delivered_packets")
            / link(result, "bottleneck", "delivered_packets")
    };
    assert!((share(&each) - 1.0).abs() < 0.02, "{}", share(&each));
    assert!((share(&second) - 0.5).abs() < 0.02, "{}", share(&second));
}

#[test]
fn a_window_limit_gives_window_over_round_trip() {
    // 20 packets of 1448 B per 100 ms are 20 * 1448 * 8 / 0.1 = 2.3168 Mbit/s.
    let bulk =
        "control = \"sack\"\ntransport = { name = \"rfc\", window = \"20 packets\", delayed_ack = false }";
    let result = run(bulk, FAST, "60 s", json!({}));
    assert!(
        (flow(&result, "goodput_bps") / 2_316_800.0 - 1.0).abs() < 0.01,
        "{}",
        flow(&result, "goodput_bps")
    );
    assert!((flow(&result, "rtt_mean_s") - 0.1).abs() < 1e-4);
    assert!((flow(&result, "one_way_delay_mean_s") - 0.05).abs() < 1e-4);
}

#[test]
fn marks_take_the_place_of_drops() {
    // The threshold ends slow start before the queue overflows, so marks alone have to limit the flow.
    let red = "rate = \"10 Mbit/s\", delay = \"20 ms\", queue = { name = \"red\", limit = \"200 packets\", \
               ecn = true, min_threshold = \"10 packets\", max_threshold = \"60 packets\" }";
    let bulk =
        "control = \"sack\"\ntransport = { name = \"rfc\", ecn = true, initial_ssthresh = \"40 packets\" }";
    let marked = run(bulk, red, "60 s", json!({}));
    assert!(link(&marked, "bottleneck", "marked_packets") > 5.0);
    assert_eq!(link(&marked, "bottleneck", "dropped_packets"), 0.0);
    assert_eq!(flow(&marked, "retransmitted_packets"), 0.0);
    assert!(link(&marked, "bottleneck", "utilisation") > 0.8);
    let dropped = run(bulk, red, "60 s", json!({ "flows.tcp.transport.ecn": false }));
    assert_eq!(link(&dropped, "bottleneck", "marked_packets"), 0.0);
    assert!(link(&dropped, "bottleneck", "dropped_packets") > 5.0);
    assert!(flow(&dropped, "retransmitted_packets") > 5.0);
}

#[test]
fn pacing_spreads_a_window_over_the_round_trip() {
    // An initial window of 100 packets at 100 ms enters a bottleneck four times as fast. Sent back to back,
    // all but one packet wait; paced at 1.2 windows per round trip (which the handshake has measured), hardly
    // any packet waits.
    let bulk = "control = \"sack\"\ntransport = { name = \"rfc\", packet = \"1000 B\", header = \"0 B\", \
                window = \"100 packets\", initial_window = \"100 packets\", delayed_ack = false }";
    let bottleneck =
        "rate = \"32 Mbit/s\", delay = \"50 ms\", queue = { name = \"droptail\", limit = \"1000 packets\" }";
    let longest = |pacing: bool| {
        let overrides = json!({ "flows.tcp.transport.pacing": pacing });
        let result = run(bulk, bottleneck, "10 s", overrides);
        (link(&result, "bottleneck", "queue_max_packets"), flow(&result, "goodput_bps"))
    };
    let (burst, fast) = longest(false);
    let (spread, slow) = longest(true);
    assert_eq!(burst, 99.0);
    assert!(spread <= 1.0, "{spread}");
    assert!((slow / fast - 1.0).abs() < 0.05, "{slow} {fast}");
}

#[test]
fn every_rule_finally_delivers_everything() {
    let losses = [
        "{ name = \"independent\", probability = 0.05 }",
        "{ name = \"gilbert-time\", good = \"400 ms\", bad = \"20 ms\" }",
    ];
    for recovery in ["reno", "newreno", "sack", "vegas"] {
        for (profile, payload) in [("rfc", 1448.0), ("ns2", 1000.0), ("linux", 1448.0)] {
            for loss in losses {
                let transfer = format!(
                    "control = \"sack\"\napplication = {{ name = \"bulk\", size = \"2 MB\" }}\n\
                     transport = {{ name = \"{profile}\", recovery = \"{recovery}\" }}"
                );
                let bottleneck = format!("rate = \"10 Mbit/s\", delay = \"10 ms\", loss = {loss}");
                let result = run(&transfer, &bottleneck, "1000 s", json!({}));
                let case = format!("{recovery} {profile} {loss}");
                assert!(result["flows"][0]["completed_s"].is_f64(), "{case}: {}", result["flows"][0]);
                assert_eq!(flow(&result, "delivered_packets"), (2e6_f64 / payload).ceil(), "{case}");
                // Lost packets have been retransmitted. A lost SYN is not a data packet.
                assert!(
                    flow(&result, "retransmitted_packets") >= flow(&result, "lost_packets") - 3.0,
                    "{case}"
                );
            }
        }
    }
}

#[test]
fn selective_acknowledgements_repair_a_burst_without_a_timeout() {
    // Slow start overshoots a queue of 40 packets and loses dozens of packets at once.
    let bulk = |recovery: &str| {
        format!(
            "control = \"reno\"\ntransport = {{ name = \"rfc\", recovery = \"{recovery}\", delayed_ack = false }}"
        )
    };
    let bottleneck =
        "rate = \"10 Mbit/s\", delay = \"40 ms\", queue = { name = \"droptail\", limit = \"40 packets\" }";
    let sack = run(&bulk("sack"), bottleneck, "30 s", json!({}));
    let reno = run(&bulk("reno"), bottleneck, "30 s", json!({}));
    assert!(flow(&sack, "lost_packets") > 20.0, "{}", flow(&sack, "lost_packets"));
    assert_eq!(flow(&sack, "timeouts"), 0.0);
    assert!(flow(&reno, "timeouts") >= 1.0);
    assert!(flow(&sack, "goodput_bps") > flow(&reno, "goodput_bps"));
}

#[test]
fn a_constant_bit_rate_sends_what_it_says() {
    // 100 packets of 1000 B per second for 10 s are sent. Those in flight at the end are not delivered: 50 ms
    // are 5 packets.
    let cbr = "application = { name = \"cbr\", rate = \"800 kbit/s\", packet = \"1000 B\" }";
    let result = run(cbr, FAST, "10 s", json!({}));
    assert_eq!(flow(&result, "sent_packets"), 1000.0);
    assert!((flow(&result, "delivered_packets") - 995.0).abs() <= 1.0);
    assert!((flow(&result, "one_way_delay_mean_s") - 0.05).abs() < 1e-4);
    assert!(result["flows"][0]["rtt_mean_s"].is_null());
}

#[test]
fn flows_start_and_stop_when_they_are_told() {
    let bulk = "control = \"sack\"\nstart = \"2 s\"\nstop = \"4 s\"\ntransport = { name = \"rfc\", window = \"50 packets\" }";
    let result = run(bulk, FAST, "10 s", json!({}));
    let times = result["series"]["time_s"].as_array().expect("times");
    let goodput = result["series"]["flows"]["tcp"]["goodput_bps"].as_array().expect("goodput");
    let moving = |(_, bits): &(&Value, &Value)| bits.as_f64().is_some_and(|bits| bits > 0.0);
    let busy: Vec<f64> =
        times.iter().zip(goodput).filter(moving).filter_map(|(time, _)| time.as_f64()).collect();
    assert!(busy.first().is_some_and(|first| (2.0..2.3).contains(first)), "{:?}", busy.first());
    assert!(busy.last().is_some_and(|last| (3.9..4.2).contains(last)), "{:?}", busy.last());
}

#[test]
fn a_spurious_timeout_is_undone() {
    // A burst of cross traffic fills a queue without limit: acknowledgements arrive after the timeout. With
    // timestamps the sender sees that they belong to the first transmission (RFC 3522), and retransmits less.
    let text = "duration = \"20 s\"\n[dumbbell]\npairs = 2\n\
        bottleneck = { rate = \"2 Mbit/s\", delay = \"10 ms\", queue = { name = \"droptail\", limit = \"unlimited\" } }\n\
        access = { rate = \"100 Mbit/s\", delay = \"0 s\" }\n\
        [[flows]]\nname = \"tcp\"\ncontrol = \"sack\"\ntransport = { name = \"rfc\", min_rto = \"200 ms\", \
        delayed_ack_time = \"40 ms\", reduce_from = \"window\", window = \"30 packets\" }\n\
        [[flows]]\nname = \"burst\"\napplication = { name = \"cbr\", rate = \"50 Mbit/s\" }\n\
        start = \"5 s\"\nstop = \"5.1 s\"\n";
    let with = |undo: bool| verified::result(text, &json!({ "flows.tcp.transport.spurious_timeouts": undo }));
    let (undone, kept) = (with(true), with(false));
    assert!(flow(&undone, "timeouts") >= 1.0 && flow(&kept, "timeouts") >= 1.0);
    assert!(flow(&undone, "retransmitted_packets") < flow(&kept, "retransmitted_packets"));
}

#[test]
fn a_queue_of_one_bandwidth_delay_product_is_the_same_both_ways() {
    // At 10 Mbit/s and an RTT of 2 * (20 + 5 + 5) = 60 ms, 75,000 bytes are 50 packets of 1500 B. The reverse
    // direction has the same limit, and so loses no acknowledgement.
    let text = "duration = \"20 s\"\n[dumbbell]\n\
        bottleneck = { rate = \"10 Mbit/s\", delay = \"20 ms\", queue = { name = \"droptail\", limit = \"1 bdp\" } }\n\
        access = { rate = \"100 Mbit/s\", delay = \"5 ms\" }\n[[flows]]\nname = \"tcp\"\ncontrol = \"sack\"\n\
        transport = { name = \"rfc\", delayed_ack = false }\n";
    let result = verified::result(text, &json!({}));
    assert_eq!(link(&result, "bottleneck", "queue_max_packets"), 50.0);
    assert!(link(&result, "bottleneck", "dropped_packets") > 0.0);
    assert_eq!(link(&result, "bottleneck-reverse", "dropped_packets"), 0.0);
    assert!(link(&result, "bottleneck", "utilisation") > 0.95);
}

#[test]
fn series_of_counts_rise_to_what_the_records_hold() {
    // 1000 packets in slow start pass a queue of 20. Some are dropped, and the transfer ends long before the
    // run.
    let narrow =
        "rate = \"10 Mbit/s\", delay = \"20 ms\", queue = { name = \"droptail\", limit = \"20 packets\" }";
    let transfer = "control = \"sack\"\napplication = { name = \"bulk\", size = \"1 MB\" }\n\
                    transport = { name = \"rfc\", packet = \"1000 B\" }";
    let result = run(transfer, narrow, "20 s", json!({}));
    let counts = |path: &str| -> Vec<f64> {
        let values = result.pointer(path).and_then(Value::as_array).unwrap_or_else(|| panic!("{path}"));
        values.iter().filter_map(Value::as_f64).collect()
    };
    for (path, total) in [
        ("/series/links/bottleneck/arrived_packets", link(&result, "bottleneck", "arrived_packets")),
        ("/series/links/bottleneck/dropped_packets", link(&result, "bottleneck", "dropped_packets")),
        ("/series/flows/tcp/fast_retransmits", flow(&result, "fast_retransmits")),
    ] {
        let counted = counts(path);
        assert!(counted.is_sorted() && counted[0] < total, "{path}");
        assert_eq!(counted.last(), Some(&total), "{path}");
    }
}

/// Runs a host whose own interface, of 8 Mbit/s, is the bottleneck: a packet of 1000 B on the wire takes 1 ms
/// there and 0.01 ms behind, and the round trip has 100 ms of delay.
fn behind_an_interface(flow: &str, limit: u32, overrides: Value) -> Value {
    let text = format!(
        "duration = \"60 s\"\n[dumbbell]\n\
         bottleneck = {{ rate = \"800 Mbit/s\", delay = \"50 ms\", queue = {{ name = \"droptail\", limit = \"unlimited\" }} }}\n\
         left = {{ rate = \"8 Mbit/s\", delay = \"0 s\", queue = {{ name = \"droptail\", limit = \"{limit} packets\" }} }}\n\
         right = {{ rate = \"100 Gbit/s\", delay = \"0 s\" }}\n\
         [[flows]]\nname = \"tcp\"\n{flow}\n"
    );
    verified::result(&text, &overrides)
}

#[test]
fn a_full_interface_reduces_the_window_and_loses_nothing() {
    // In flight are 101 packets of the round trip, including the one being sent by the interface, and the 20
    // that may wait. A window that asks for more is halved to 61, and grows by one per round trip. Nothing is
    // lost, so nothing is retransmitted. Slow start ends sooner: it sends two packets for each
    // acknowledgement while one leaves, so in the round that begins with 32 the 21st acknowledgement finds
    // the interface full, at a window of 53.
    let bulk = "control = \"sack\"\ntransport = { name = \"ns2\", packet = \"960 B\", header = \"40 B\", \
                window = \"1000 packets\", initial_ssthresh = \"60 packets\", send_jitter = \"0 s\" }";
    let told = behind_an_interface(bulk, 20, json!({ "flows.tcp.transport.local_drop": "cwr" }));
    let lost = behind_an_interface(bulk, 20, json!({}));
    assert!(flow(&lost, "retransmitted_packets") >= 2.0 && flow(&lost, "fast_retransmits") >= 2.0);
    assert_eq!((flow(&told, "retransmitted_packets"), flow(&told, "timeouts")), (0.0, 0.0));
    assert_eq!(flow(&told, "fast_retransmits"), 0.0);
    let series = |name: &str| -> Vec<f64> {
        let values = told["series"]["flows"]["tcp"][name].as_array().unwrap_or_else(|| panic!("{name}"));
        values.iter().filter_map(Value::as_f64).collect()
    };
    let mut thresholds = series("ssthresh_packets");
    thresholds.dedup();
    assert_eq!(thresholds[..2], [60.0, 26.5]);
    assert!(
        thresholds.len() > 5 && thresholds[2..].iter().all(|half| (60.0..61.5).contains(half)),
        "{thresholds:?}"
    );
    let most = series("cwnd_packets").into_iter().fold(0.0, f64::max);
    assert!((120.0..123.0).contains(&most), "{most}");
    // From 61 to 122 takes 61 round trips of 101 to 121 ms, so in 60 s there are eight reductions, each for
    // one or a few refusals.
    let refused = link(&told, "access-1-left", "dropped_packets");
    assert!((6.0..200.0).contains(&refused), "{refused}");
}

#[test]
fn every_rule_delivers_everything_through_a_full_interface() {
    let transfer = |rule: &str| {
        format!(
            "control = \"sack\"\napplication = {{ name = \"bulk\", size = \"500 kB\" }}\n\
             transport = {{ name = \"linux\", packet = \"1000 B\", recovery = \"{rule}\", small_queues = false, local_drop = \"cwr\" }}"
        )
    };
    for rule in ["reno", "newreno", "sack", "vegas"] {
        for limit in [2, 5, 50] {
            let result = behind_an_interface(&transfer(rule), limit, json!({}));
            assert_eq!(flow(&result, "delivered_packets"), 500.0, "{rule}, {limit}");
            assert_eq!(flow(&result, "retransmitted_packets"), 0.0, "{rule}, {limit}");
            assert!(link(&result, "access-1-left", "dropped_packets") > 0.0, "{rule}, {limit}");
        }
    }
}
