//! Tests of applications that read slowly: the goodput of a flow, the queues, what limits the flow, and what
//! exports show.

use crate::verified::{self, number, problems};
use ackclock_lab::Scenario;
use ackclock_lab::run::build::Keep;
use ackclock_lab::run::exports::{Wishes, export};
use serde_json::{Map, Value, json};

/// Returns a scenario with a bottleneck of 10 Mbit/s and a round trip of 40 ms, which is 34.5 packets, and a
/// queue of 50.
fn text(transport: &str, control: &str) -> String {
    format!(
        r#"
        duration = "50 s"
        warmup = "10 s"
        [dumbbell]
        bottleneck = {{ rate = "10 Mbit/s", delay = "18 ms", queue = {{ name = "droptail", limit = "50 packets" }} }}
        access = {{ rate = "100 Mbit/s", delay = "1 ms" }}
        [[flows]]
        name = "slow"
        control = "{control}"
        transport = {transport}
        reader = "2 Mbit/s"
        "#
    )
}

const TRANSPORTS: [(&str, &str, f64); 4] = [
    ("{ name = \"rfc\", window = \"60 packets\" }", "cubic", 1448.0),
    ("\"linux\"", "cubic", 1448.0),
    ("{ name = \"quic\", window = \"60 packets\" }", "cubic", 1439.0),
    ("{ name = \"sctp\", receive_window = \"80 kB\" }", "sctp", 1452.0),
];

#[test]
fn a_flow_has_the_rate_of_its_reader_and_leaves_the_queue_empty() {
    // 2 Mbit/s of payload for 40 s are 80 Mbit, to a packet. The bottleneck has five times that rate, so its
    // queue empties. QUIC gives credit for 30 packets at once, which the bottleneck sends in 36 of the 173 ms
    // that the application takes to read them.
    for (transport, control, payload) in TRANSPORTS {
        let result = verified::result(&text(transport, control), &Value::Null);
        let flow = &result["flows"][0];
        let packets = 80e6 / 8.0 / payload;
        let delivered = number(flow, "delivered_packets");
        assert!((delivered - packets).abs() <= 1.0, "{transport}: {delivered} of {packets}");
        let goodput = number(flow, "goodput_bps");
        assert!((goodput - 2e6).abs() <= 8.0 * payload / 40.0, "{transport}: {goodput}");
        let bottleneck = result["links"].as_array().unwrap().iter().find(|link| link["name"] == "bottleneck");
        let (queue, empty) = (number(bottleneck.unwrap(), "queue_mean_packets"), "queue_empty_share");
        let empty = number(bottleneck.unwrap(), empty);
        assert!(queue < 2.0 && empty > 0.75, "{transport}: {queue} packets wait, none for {empty}");
        // In results that report it, the receiver's window limited the flow most of the time that pacing did
        // not.
        let share = flow["receive_window_limited_share"].as_f64();
        assert_eq!(share.is_none(), control == "sctp");
        assert!(share.is_none_or(|share| share > 0.85), "{transport}: {share:?}");
        assert!(flow["window_probes"].is_u64(), "{flow}");
        // The congestion window has not grown meanwhile: it only had to cover what was in flight at first.
        let cwnd = number(flow, "cwnd_mean_packets");
        assert!(cwnd < 130.0, "{transport}: {cwnd}");
    }
}

#[test]
fn a_reader_that_pauses_halves_the_goodput_without_timeouts() {
    // The application reads for 5 s and rests for 5 s, at half of 8 Mbit/s: 4 Mbit/s less what a window of 60
    // packets, 0.695 Mbit, takes to fill and to empty.
    let pauses = json!({
        "flows.slow.reader": { "cycle": [["5 s", "8 Mbit/s"], ["5 s", "0 bit/s"]] },
    });
    for (transport, control, _) in TRANSPORTS {
        let result = verified::result(&text(transport, control), &pauses);
        let goodput = number(&result["flows"][0], "goodput_bps");
        assert!((3.5e6..4.001e6).contains(&goodput), "{transport}: {goodput}"); // the last packet may be one of the next cycle
        assert_eq!(result["flows"][0]["timeouts"], 0, "{transport}");
    }
}

#[test]
fn a_reader_that_is_faster_than_the_path_changes_no_goodput() {
    for (transport, control, _) in TRANSPORTS {
        let fast = verified::result(&text(transport, control), &json!({ "flows.slow.reader": "1 Gbit/s" }));
        let goodput = number(&fast["flows"][0], "goodput_bps");
        assert!(goodput > 9e6, "{transport}: {goodput}");
    }
}

#[test]
fn snoop_and_thinning_let_window_updates_pass() {
    // Three packets fill the buffer, and at 0.2 Mbit/s one is read in 57.9 ms. Without its updates, the flow
    // would wait for probes a second or more apart.
    for agent in ["snoop", "ack-thinning"] {
        let text = text("{ name = \"rfc\", window = \"3 packets\" }", "newreno");
        let text = text.replace("2 Mbit/s", "0.2 Mbit/s");
        let text = format!("{text}\n[[agents]]\nat = \"right\"\nagent = \"{agent}\"\n");
        let result = verified::result(&text, &Value::Null);
        let goodput = number(&result["flows"][0], "goodput_bps");
        assert!((goodput - 2e5).abs() < 2.0 * 8.0 * 1448.0 / 40.0, "{agent}: {goodput}");
    }
}

#[test]
fn quic_repeats_that_it_is_blocked_ever_more_rarely_until_there_is_credit() {
    // The application reads 8 Mbit/s for 1 s and rests for 9 s, five times. In each active second it reads 695 pieces, and
    // the sender uses up a limit for each 30 of them: 23 or 24 frames, 115 to 120 in all. In each pause the last frame is
    // repeated after a probe timeout P, 3 P, 7 P, 15 P, ...: P is a smoothed round trip of 36 ms to 85 ms, four mean
    // deviations and 25 ms, so that (2^5 - 1) P is below 9 s and (2^8 - 1) P above: 5 to 7 repetitions. Every pause begins
    // anew with P: 140 to 155 frames. If the interval stayed as long as at the end of the pause before, later pauses would
    // have at most one repetition, and there would be at most 131; if it did not double, more than 300.
    let pauses = json!({ "warmup": "0 s", "flows.slow.reader": { "cycle": [["1 s", "8 Mbit/s"], ["9 s", "0 bit/s"]] } });
    let quic = text("{ name = \"quic\", window = \"60 packets\" }", "cubic");
    let result = verified::result(&quic, &pauses);
    let blocked = number(&result["flows"][0], "window_probes");
    assert!((140.0..=155.0).contains(&blocked), "{blocked}");
}

#[test]
fn credit_that_is_lost_overtaken_or_repeated_is_used_once() {
    // The receiver gives credit for four packets at a time, which the application takes 23 ms to read. The way back loses
    // a tenth of it and delays it by up to 80 ms, so that credit overtakes older credit. An older limit takes none back,
    // a repeated one grants nothing, and a lost one is repeated or replaced by the next. Eight packets of 1439 B in a
    // round trip of 40 ms and, in the mean, 40 ms more are at most 1.15 Mbit/s.
    let lossy = text("{ name = \"quic\", window = \"8 packets\" }", "cubic").replace(
        "queue = { name = \"droptail\", limit = \"50 packets\" }",
        "queue = { name = \"droptail\", limit = \"50 packets\" }, \
         reverse = { queue = \"droptail\", jitter = \"80 ms\", reorder = true, loss = { name = \"independent\", probability = 0.1 } }",
    );
    let result = verified::result(&lossy, &Value::Null);
    let goodput = number(&result["flows"][0], "goodput_bps");
    assert!((0.5e6..1.15e6).contains(&goodput), "{goodput}");
}

#[test]
fn qlog_shows_the_window_and_the_credit() {
    let shown = |transport: &str| {
        let text = text(transport, "newreno").replace("50 s", "2 s").replace("10 s", "0 s");
        let scenario = Scenario::parse(&text, "test", &Map::new()).expect("a valid scenario");
        let path = std::env::temp_dir().join(format!("slow-reader-{}.qlog", transport.len()));
        let wishes = Wishes { qlogs: vec![(0, path.clone())], ..Wishes::default() };
        assert!(export(&scenario, 1, &wishes, &mut || true).is_ok());
        let written = std::fs::read_to_string(&path).expect("a file");
        std::fs::remove_file(path).expect("a file");
        written
    };
    // Of 60 packets of 1448 B, three have been acknowledged and none read when the window is first reported:
    // 86,880 B in any case.
    let tcp = shown("{ name = \"rfc\", window = \"60 packets\" }");
    assert!(tcp.contains(r#"{"frame_type":"max_data","maximum":86880}"#));
    // Half of four pieces of 1439 B has been read, so six are allowed. The credit for four was used before.
    let quic = shown("{ name = \"quic\", window = \"4 packets\" }");
    assert!(quic.contains(r#"{"frame_type":"max_data","maximum":8634}"#));
    assert!(quic.contains(r#"{"frame_type":"data_blocked","limit":5756}"#));
}

#[test]
fn mistakes_in_readers_are_reported() {
    let usual = text("\"rfc\"", "newreno");
    let told = |from: &str, to: &str| problems(&usual.replace(from, to));
    let read = "reader = \"2 Mbit/s\"";
    assert_eq!(
        told(read, "reader = \"0 bit/s\""),
        ["flows.0.reader: \"0 bit/s\": a rate from 1 bit/s to 1 Tbit/s"]
    );
    assert_eq!(
        told(read, "reader = { cycle = [[\"1 s\", \"0 bit/s\"]] }"),
        ["flows.0.reader.cycle: a rate that stays at 0: a phase with a rate above 0"]
    );
    assert_eq!(told(read, "reader = { cycle = [[\"1 s\", \"1 Mbit/s\"]], nominal = \"1 Mbit/s\" }").len(), 1);
    let over_udp = told("control = \"newreno\"\n        transport = \"rfc\"", "application = \"cbr\"");
    assert_eq!(
        over_udp,
        [
            "flows.0.reader: `reader` with the application \"cbr\" but no `control`: no `reader`, or a `control` as well: without one, the application sends over UDP"
        ]
    );
    let transfers = told(read, "reader = \"2 Mbit/s\"\napplication = \"transfers\"");
    assert_eq!(transfers.len(), 1, "{transfers:?}");
    assert!(transfers[0].starts_with("flows.0.reader: `reader` with the application \"transfers\""));
}

#[test]
fn tracing_a_slow_reader_does_not_change_the_result() {
    for (transport, control, _) in TRANSPORTS {
        let text = text(transport, control).replace("50 s", "15 s");
        let scenario = Scenario::parse(&text, "test", &Map::new()).expect("a valid scenario");
        let plain = crate::determinism::json_of(&scenario, 1, Keep::default());
        let traced = crate::determinism::json_of(&scenario, 1, Keep { trace: true, ..Keep::default() });
        assert_eq!(plain, traced, "{transport}");
    }
}
