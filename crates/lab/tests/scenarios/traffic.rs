//! Tests of traffic that does not react to the network, and of the web. Every run is checked by the verifier.

use crate::verified::number;
use ackclock_lab::run::build;
use ackclock_lab::{Scenario, run};
use serde_json::{Map, Value};
use std::sync::atomic::AtomicBool;

/// Runs a flow over 12 Mbit/s and 20 ms from a to b and back: 1500 B take 1 ms.
fn alone(flow: &str, limit: &str) -> Value {
    let text = format!(
        "duration = \"10 s\"\n[[links]]\nbetween = [\"a\", \"b\"]\nrate = \"12 Mbit/s\"\ndelay = \"20 ms\"\n\
         queue = {{ name = \"droptail\", limit = \"{limit}\" }}\n\
         [[flows]]\nname = \"flow\"\nfrom = \"a\"\nto = \"b\"\n{flow}"
    );
    let scenario = Scenario::parse(&text, "test", &Map::new()).expect("a scenario");
    let cancelled = AtomicBool::new(false);
    let violations = run::run_and_verify(&scenario, 1, &cancelled).expect("a finished run");
    assert!(violations.is_empty(), "{violations:?}");
    let run = run::run(&scenario, 1, true, &cancelled).expect("a finished run");
    serde_json::to_value(run).expect("a result as JSON")
}

/// Runs flows over a bottleneck of 5 Mbit/s and 28 ms with a buffer of 36 packets, with seven pairs and 1 ms
/// on each side.
fn result(flows: &str, duration: &str, seed: u64, series: bool) -> Value {
    let scenario = scenario(flows, duration);
    let cancelled = AtomicBool::new(false);
    let violations = run::run_and_verify(&scenario, seed, &cancelled).expect("a finished run");
    assert!(violations.is_empty(), "{violations:?}");
    let result = run::run(&scenario, seed, series, &cancelled).expect("a finished run");
    serde_json::to_value(result).expect("a result as JSON")
}

fn scenario(flows: &str, duration: &str) -> Scenario {
    let text = format!(
        "duration = \"{duration}\"\n[dumbbell]\npairs = 7\n\
         bottleneck = {{ rate = \"5 Mbit/s\", delay = \"28 ms\", queue = {{ name = \"droptail\", limit = \"36 packets\" }} }}\n\
         access = {{ rate = \"100 Mbit/s\", delay = \"1 ms\" }}\n{flows}"
    );
    Scenario::parse(&text, "test", &Map::new())
        .unwrap_or_else(|problems| panic!("{}", ackclock_lab::language::diagnostics::render(&problems)))
}

fn flow<'r>(result: &'r Value, name: &str) -> &'r Value {
    let flows = result["flows"].as_array().expect("flows");
    flows.iter().find(|flow| flow["name"] == name).unwrap_or_else(|| panic!("flow {name}"))
}

const TCP: &str = "[[flows]]\nname = \"tcp\"\npair = 1\ncontrol = \"reno\"\n\
                   transport = { name = \"ns2\", window = \"200 packets\" }\n";

#[test]
fn a_source_beyond_the_bottleneck_keeps_sending_and_loses_the_excess() {
    // 10 Mbit/s of payload in packets of 1000 + 40 B meet 5 Mbit/s: 1250 packets leave per second in any
    // case, and 5e6 / 8320 = 601 arrive.
    let udp = "[[flows]]\nname = \"udp\"\npair = 2\n\
               application = { name = \"cbr\", rate = \"10 Mbit/s\", header = \"40 B\" }\n";
    let result = result(&format!("{TCP}{udp}"), "20 s", 1, false);
    let udp = flow(&result, "udp");
    assert_eq!(number(udp, "sent_packets"), 25_000.0);
    assert!((number(udp, "delivered_packets") / 20.0 - 601.0).abs() < 12.0);
    // TCP yields as far as it can.
    assert!(number(flow(&result, "tcp"), "goodput_bps") < 0.02 * number(udp, "goodput_bps"));
}

#[test]
fn the_traffic_has_the_periods_of_the_scenario() {
    // The source is off for 10 s, then on at 3 Mbit/s for 10 s, from 5 s until 38 s: it is on from 15 to 25 s
    // and from 35 to 38 s.
    let udp = "[[flows]]\nname = \"udp\"\npair = 2\nstart = \"5 s\"\nstop = \"38 s\"\n\
               application = { name = \"on-off\", rate = \"3 Mbit/s\", jitter = 0.5, on = \"10 s\", begins = \"off\" }\n\
               [observe]\ninterval = \"1 s\"\n";
    let result = result(udp, "50 s", 1, true);
    let series = result["series"]["flows"]["udp"]["goodput_bps"].as_array().expect("a series");
    for (second, goodput) in series.iter().filter_map(Value::as_f64).enumerate() {
        // A packet sent in the last 30 ms of a second is delivered in the next.
        let on = (15..25).contains(&second) || (35..38).contains(&second);
        let expected = if on { 3e6 } else { 0.0 };
        assert!((goodput - expected).abs() < 0.1 * 3e6, "{second}: {goodput}");
    }
}

#[test]
fn sources_differ_from_seed_to_seed_and_not_from_run_to_run() {
    let udp =
        "[[flows]]\ncount = 2\nname = \"udp\"\napplication = { name = \"mmpp\", rate = \"2 Mbit/s\" }\n";
    let sent = |seed| {
        let result = result(udp, "20 s", seed, false);
        (number(flow(&result, "udp-1"), "sent_packets"), number(flow(&result, "udp-2"), "sent_packets"))
    };
    assert_eq!(sent(1), sent(1));
    assert_ne!(sent(1), sent(2));
    assert_ne!(sent(1).0, sent(1).1);
}

const WEB: &str = "[[flows]]\nname = \"web\"\npair = [3, 4, 5, 6, 7]\ncontrol = \"reno\"\ntransport = \"ns2\"\n\
                   application = { name = \"web\", between_sessions = \"500 ms\", pages = 5, objects = 5 }\n";

#[test]
fn web_sessions_are_one_flow_of_many_connections() {
    let text = format!("{TCP}{WEB}");
    let result = result(&text, "50 s", 1, true);
    assert_eq!(result["flows"].as_array().map(Vec::len), Some(2));
    let web = flow(&result, "web");
    let begun = number(web, "connections");
    // 100 sessions of 25 objects begin on average every 0.5 s over 50 s.
    assert!((1500.0..=2500.0).contains(&begun), "{begun}");
    let parts = build::flows(&scenario(&text, "50 s"), 1);
    assert_eq!(parts.len(), 1 + begun as usize);
    let paths: std::collections::BTreeSet<_> =
        parts[1..].iter().map(|part| part.paths[0].forward.clone()).collect();
    assert_eq!(paths.len(), 5);
    assert!(number(web, "completed_connections") > 0.9 * begun);
    // A row counts what all of its connections do: packets that are neither lost nor delivered are in flight,
    // or arrived twice.
    let (sent, lost) = (number(web, "sent_packets"), number(web, "lost_packets"));
    let delivered = number(web, "delivered_packets");
    assert!(delivered > 4.0 * begun && lost > 0.0);
    assert!(sent - lost >= delivered && sent - lost < 1.2 * delivered + 100.0, "{sent} {lost} {delivered}");
    let series = result["series"]["flows"]["web"]["goodput_bps"].as_array().expect("a series");
    let bits: f64 = series.iter().filter_map(Value::as_f64).sum::<f64>() * 50.0 / series.len() as f64;
    assert!((bits / (delivered * 8000.0) - 1.0).abs() < 0.02, "{bits}");
    assert!(result["series"]["flows"]["tcp"]["cwnd_packets"].is_array());
}

#[test]
fn a_row_whose_sessions_begin_after_the_end_retransmits_nothing() {
    let result = result(&format!("{TCP}{WEB}start = \"never\"\n"), "10 s", 1, true);
    let web = flow(&result, "web");
    for key in
        ["connections", "retransmitted_packets", "throughput_bps", "timeouts", "probes", "fast_retransmits"]
    {
        assert_eq!(number(web, key), 0.0, "{key}");
    }
}

#[test]
fn a_single_object_takes_the_round_trips_of_slow_start() {
    // One object of nearly constant size (shape 100, mean 10 packets: from 1 up) crosses an empty path of 60
    // ms. Its first packet takes a round trip and its transmission, 61.7 ms. No object of less than 64
    // packets takes more than six round trips of doubling windows; with 8.32 Mbit in total that is less than
    // 0.5 s.
    let web = "[[flows]]\nname = \"web\"\ncontrol = \"reno\"\n\
               transport = { name = \"ns2\", initial_window = \"1 packet\" }\n\
               application = { name = \"web\", sessions = 1, pages = 1, objects = 1, shape = 100 }\n";
    let result = result(web, "5 s", 3, false);
    let web = flow(&result, "web");
    assert_eq!((number(web, "connections"), number(web, "completed_connections")), (1.0, 1.0));
    let (time, packets) = (number(web, "completion_mean_s"), number(web, "delivered_packets"));
    // Windows of 1 + 2 + 4 + ... packets need as many rounds as the number of packets has binary digits.
    let rounds = (packets + 1.0).log2().ceil();
    assert!(time > 0.06 * rounds && time < 0.06 * rounds + 0.00168 * packets + 0.005, "{time} {packets}");
}

#[test]
fn sessions_after_the_end_of_the_run_are_an_empty_row() {
    let late = "[[flows]]\nname = \"web\"\nstart = \"never\"\ncontrol = \"reno\"\napplication = \"web\"\n";
    let result = result(&format!("{TCP}{late}"), "5 s", 1, true);
    let web = flow(&result, "web");
    assert_eq!((number(web, "connections"), number(web, "sent_packets")), (0.0, 0.0));
}

#[test]
fn fairness_is_over_the_flows_that_start() {
    let three = "[[flows]]\ncontrol = \"reno\"\nname = \"three\"\ncount = 3\nstart = { at = \"0 s\", every = \"1 s\" }\n";
    let absent = "[[flows]]\ncontrol = \"reno\"\nname = \"absent\"\ncount = 2\nstart = \"never\"\n";
    let without = result(three, "10 s", 1, false);
    let with = result(&format!("{three}{absent}"), "10 s", 1, false);
    let fairness = number(&without, "fairness");
    assert!(fairness > 0.4 && fairness < 1.0, "{fairness}");
    assert_eq!(number(&with, "fairness"), fairness);
    assert_eq!(with["groups"][1]["fairness"], Value::Null);
}

#[test]
fn udp_has_nothing_that_only_connections_have() {
    for name in ["cbr", "on-off", "mmpp", "video", "requests"] {
        let text = format!(
            "duration = \"1 s\"\n[[links]]\nbetween = [\"a\", \"b\"]\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n\
             [[flows]]\nfrom = \"a\"\nto = \"b\"\nbackoff = \"exponential\"\napplication = \"{name}\"\n"
        );
        let problems = Scenario::parse(&text, "test", &Map::new()).expect_err("a mistake");
        assert_eq!(problems.len(), 1);
        assert_eq!(problems[0].found, format!("`backoff` with the application \"{name}\" but no `control`"));
        assert_eq!(
            problems[0].expected,
            "no `backoff`, or a `control` as well: without one, the application sends over UDP"
        );
    }
}

#[test]
fn a_single_transfer_takes_its_round_trips() {
    // At 12 Mbit/s and 20 ms each way, 1500 B take 1 ms and 40 B 27 us. SYN and its answer take 40.053 ms.
    // Ten packets leave at once. The second arrives after 22 ms and is acknowledged with the first, which
    // lets the eleventh out after 42.027 ms. It arrives after another 21 ms and, as the last one, is
    // acknowledged at once: after 83.053 ms.
    let result = alone(
        "control = \"newreno\"\nstart = \"1 s\"\n\
         application = { name = \"transfers\", size = \"15928 B\", every = \"2 s\" }\n",
        "50 packets",
    );
    // The transfers begin at 1, 3, 5, 7 and 9 s.
    let transfers = flow(&result, "flow");
    assert_eq!((number(transfers, "connections"), number(transfers, "completed_connections")), (5.0, 5.0));
    assert_eq!(number(transfers, "delivered_packets"), 55.0);
    let mean = number(transfers, "completion_mean_s") * 1e3;
    assert!((mean - (40.053 + 83.053)).abs() < 0.01, "{mean}");
}

#[test]
fn transfers_beside_another_flow_are_one_flow() {
    let short = "[[flows]]\nname = \"short\"\npair = [2, 3]\ncontrol = \"newreno\"\ntransport = \"ns2\"\n\
                 start = \"10 s\"\nstop = \"31 s\"\n\
                 application = { name = \"transfers\", size = \"30 kB\", every = \"5 s\" }\n";
    let result = result(&format!("{TCP}{short}"), "50 s", 1, true);
    let short = flow(&result, "short");
    // The transfers begin at 10, 15, 20, 25 and 30 s.
    assert_eq!((number(short, "connections"), number(short, "delivered_packets")), (5.0, 150.0));
    assert!(number(short, "completion_p50_s") > 0.06 * 4.0, "2, 4, 8 and 16 packets");
}

#[test]
fn each_frame_of_video_is_a_burst() {
    // At 1 Mbit/s there is a frame every 40 ms, the first of twelve with 13 packets, the others with 3. In 10
    // s there are 250 frames, 21 of them large: 21 * 18750 + 229 * 3750 B in 21 * 13 + 229 * 3 packets.
    let result_with = |limit| alone("application = \"video\"\n", limit);
    let result = result_with("50 packets");
    let video = flow(&result, "flow");
    assert_eq!((number(video, "sent_packets"), number(video, "delivered_packets")), (960.0, 960.0));
    assert_eq!((number(video, "throughput_bps"), number(video, "goodput_bps")), (1_002_000.0, 1_002_000.0));
    assert_eq!(number(&result["links"][0], "queue_max_packets"), 12.0);
    let series = result["series"]["flows"]["flow"]["goodput_bps"].as_array().expect("a series");
    let bits = series.iter().filter_map(Value::as_f64).sum::<f64>() * 10.0 / series.len() as f64;
    assert!((bits / 10_020_000.0 - 1.0).abs() < 0.01, "{bits}");
    // If five packets may wait, six of a large frame pass and seven are dropped.
    assert_eq!(number(flow(&result_with("5 packets"), "flow"), "dropped_packets"), 21.0 * 7.0);
}

#[test]
fn requests_are_answered_after_a_round_trip() {
    // 64 + 28 B take 61.3 us and 200 + 28 B 152 us: 40.213 ms. Requests are sent at 0, 1, ... 9 s.
    let result = alone("application = \"requests\"\n", "50 packets");
    let requests = flow(&result, "flow");
    assert_eq!((number(requests, "requests"), number(requests, "completed_requests")), (10.0, 10.0));
    assert!((number(requests, "completion_mean_s") - 0.040_213_3).abs() < 1e-6);
    assert_eq!(number(requests, "delivered_packets"), 10.0);
    assert_eq!(number(&result["links"][1], "delivered_packets"), 10.0);
    // With a hundred requests per second, those of the last 40.2 ms, at 9.96, 9.97, 9.98 and 9.99 s, have no
    // reply yet.
    let often = alone("application = { name = \"requests\", every = \"10 ms\" }\n", "50 packets");
    let often = flow(&often, "flow");
    assert_eq!((number(often, "requests"), number(often, "completed_requests")), (1000.0, 996.0));
}
