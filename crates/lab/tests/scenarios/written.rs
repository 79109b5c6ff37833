//! Tests of sources that write into connections. Every run is checked by the verifier.

use crate::verified::{self, number};
use ackclock_lab::Scenario;
use serde_json::{Map, Value};

const TRANSPORTS: [&str; 4] = ["rfc", "linux", "quic", "sctp"];

/// Returns a scenario with a flow over 12 Mbit/s and 20 ms from a to b and back.
fn text(flow: &str) -> String {
    format!(
        "duration = \"10 s\"\n[[links]]\nbetween = [\"a\", \"b\"]\nrate = \"12 Mbit/s\"\ndelay = \"20 ms\"\n\
         [[flows]]\nname = \"flow\"\nfrom = \"a\"\nto = \"b\"\n{flow}\n"
    )
}

fn result(flow: &str) -> Value {
    verified::result(&text(flow), &Value::Null)["flows"][0].clone()
}

fn written(transport: &str, application: &str) -> Value {
    result(&format!("control = \"reno\"\ntransport = \"{transport}\"\napplication = {{ {application} }}"))
}

#[test]
fn a_constant_rate_below_the_path_is_the_goodput_and_grows_the_window_to_twice_the_flight_at_most() {
    for transport in TRANSPORTS {
        // 1 Mbit/s for 10 s is 1.25e6 B, of which the last 20 ms (2500 B) are in flight. In a round trip of
        // 41 ms it writes 5.1 kB, fewer than the four packets of the smallest initial window: the window
        // never fills, so it never grows by RFC 9002 section 7.8. What is written during the handshake and in the
        // round trip after it is in flight at once: a packet each 11.6 ms makes eight in 81 ms and 11.6 ms until a second
        // packet is acknowledged. By RFC 7661 section 4.3 and in Linux the window grows to twice that.
        let most = if ["rfc", "linux"].contains(&transport) { 16.0 } else { 10.0 };
        let flow = written(transport, "name = \"cbr\", rate = \"1 Mbit/s\"");
        let goodput = number(&flow, "goodput_bps");
        assert!((0.99e6..=1e6).contains(&goodput), "{transport}: {goodput}");
        let window = number(&flow, "cwnd_mean_packets");
        assert!(window <= most, "{transport}: {window}");
        assert_eq!(number(&flow, "lost_packets"), 0.0, "{transport}");
        assert_eq!(flow["control"], "reno");
        assert_eq!(flow["completed_s"], Value::Null, "{transport}: it goes on writing");
    }
}

#[test]
fn a_source_beyond_the_path_gets_the_goodput_of_a_bulk_transfer() {
    for transport in TRANSPORTS {
        let flow = written(transport, "name = \"cbr\", rate = \"20 Mbit/s\"");
        let bulk = result(&format!("control = \"reno\"\ntransport = \"{transport}\""));
        let ratio = number(&flow, "goodput_bps") / number(&bulk, "goodput_bps");
        assert!((0.97..1.03).contains(&ratio), "{transport}: {ratio}");
    }
}

#[test]
fn periods_and_frames_have_their_mean_rates() {
    for transport in TRANSPORTS {
        // The source is on for 0.5 s of each second at 2 Mbit/s: 10 Mbit in 10 s.
        let flow = written(transport, "name = \"on-off\", rate = \"2 Mbit/s\", on = \"0.5 s\"");
        let goodput = number(&flow, "goodput_bps");
        assert!((0.985e6..=1.005e6).contains(&goodput), "{transport}: {goodput}");
        let flow = written(transport, "name = \"video\", rate = \"3 Mbit/s\"");
        let goodput = number(&flow, "goodput_bps");
        // The first frame of each 0.48 s is five times the others, so up to 5/16 of 0.48 s may be in excess.
        assert!((2.9e6..3.1e6).contains(&goodput), "{transport}: {goodput}");
    }
}

#[test]
fn data_written_before_a_stop_is_still_sent() {
    // 20 Mbit/s for 1 s are 2.5e6 B, which leave at 12 Mbit/s less headers until after the stop. The last
    // packet counts as a full one.
    for transport in TRANSPORTS {
        let flow = result(&format!(
            "control = \"reno\"\ntransport = \"{transport}\"\nstop = \"1 s\"\n\
             application = {{ name = \"cbr\", rate = \"20 Mbit/s\" }}"
        ));
        let bytes = number(&flow, "goodput_bps") * 10.0 / 8.0;
        assert!((2.5e6..2.502e6).contains(&bytes), "{transport}: {bytes}");
        // 2.5e6 B / (12 Mbit/s / 8 * 0.96) = 1.73 s, and slow start adds to it.
        let completed = number(&flow, "completed_s");
        assert!((1.7..4.0).contains(&completed), "{transport}: {completed}");
    }
}

#[test]
fn keys_without_effect_over_a_connection_are_refused() {
    let problems = |flow: &str| {
        let problems = Scenario::parse(&text(flow), "test", &Map::new()).expect_err("a mistake");
        problems.iter().map(|problem| format!("{}: {}", problem.found, problem.expected)).collect::<Vec<_>>()
    };
    let flow = "control = \"reno\"\napplication = { name = \"cbr\", header = \"40 B\" }";
    assert_eq!(
        problems(flow),
        ["`header` of an application in a flow with a `control` or a `transport`: \
             no `header`, because the transport of this flow determines the length of headers"]
    );
    let flow = "control = \"reno\"\napplication = \"requests\"";
    assert!(problems(flow)[0].starts_with("the application \"requests\" in a flow with a"), "{flow}");
    let flow = "transport = \"quic\"\napplication = \"cbr\"";
    assert!(problems(flow)[0].starts_with("no `control`"));
    let flow = "slow_start = \"hystart\"\napplication = \"cbr\"";
    assert!(problems(flow)[0].starts_with("`slow_start` with the application \"cbr\" but no `control`"));
}

const SIZES: &str = "[files.sizes]\ntext = \"1448 50\\n14480 100\\n\"\n";

fn transfers(application: &str, rest: &str) -> String {
    let flow = format!("control = \"newreno\"\napplication = {{ name = \"transfers\", {application} }}");
    format!("{}{rest}", text(&flow))
}

#[test]
fn each_transfer_has_its_size_and_its_time() {
    // A SYN and its answer take 40.053 ms, a packet of 1500 B and its acknowledgement 41.027 ms: 81.080 ms
    // for a transfer of one packet. Each further packet of the first window takes 1 ms more, up to 10 packets
    // without loss within 10 ms, or another round trip if the window is smaller.
    let observe = "[observe]\ntransfers = true\nsize_classes = [\"1448 B\", \"14480 B\"]\n";
    let application = "sizes = \"sizes\", count = 100, every = \"100 ms\"";
    let result = verified::result(&transfers(application, &format!("{observe}{SIZES}")), &Value::Null);
    let rows = result["transfers"].as_array().expect("transfers");
    assert_eq!(rows.len(), 100);
    for (index, row) in rows.iter().enumerate() {
        assert_eq!(row["flow"], "flow");
        assert!((number(row, "start_s") - 0.1 * index as f64).abs() < 1e-9);
        let size = number(row, "size_bytes");
        assert!((1448.0..=14_480.0).contains(&size));
        // The last two transfers are not complete at 10 s.
        if let Some(took) = row["completion_s"].as_f64() {
            let packets = (size / 1448.0).ceil();
            assert!(took > 0.0810 + (packets - 1.0) * 0.0009, "{row}");
            assert!(size > 1448.0 || took < 0.0822, "{row}");
        } else {
            assert!(index >= 98, "{row}");
        }
    }
    let classes = result["size_classes"].as_array().expect("classes");
    assert_eq!(classes.len(), 3);
    // Half of the sizes are in the first class (with a standard error of 5 in 100), none in the last.
    let of = |class: usize, key: &str| number(&classes[class], key);
    assert!((30.0..70.0).contains(&of(0, "transfers")));
    assert_eq!(of(0, "transfers") + of(1, "transfers"), 100.0);
    assert!((of(0, "completion_p50_s") - 0.081_080).abs() < 2e-6, "{}", classes[0]);
    assert!(of(1, "completion_p50_s") <= of(1, "completion_p95_s"));
    assert_eq!((of(2, "transfers"), &classes[2]["completion_p99_s"]), (0.0, &Value::Null));
    assert_eq!(classes[2]["up_to_bytes"], Value::Null);
    assert!(number(&result["flows"][0], "completion_p99_s") > 0.08);
    // Nothing is lost, so nothing is retransmitted.
    assert!(rows.iter().all(|row| number(row, "retransmitted_packets") == 0.0));
}

#[test]
fn records_of_transfers_exist_only_on_request() {
    let result =
        verified::result(&transfers("size = \"3 kB\", count = 3, every = \"1 s\"", ""), &Value::Null);
    assert_eq!((result.get("transfers"), result.get("size_classes")), (None, None));
}

#[test]
fn sizes_that_are_counted_in_packets_are_packets_of_the_transport() {
    let observe = "[observe]\ntransfers = true\n[files.sizes]\ntext = \"3 1\"\n";
    for (unit, bytes) in [("B", 3.0), ("kB", 3000.0), ("packets", 3.0 * 1448.0)] {
        let application = format!("sizes = \"sizes\", unit = \"{unit}\", count = 2");
        let result = verified::result(&transfers(&application, observe), &Value::Null);
        assert_eq!(number(&result["transfers"][1], "size_bytes"), bytes);
    }
}

#[test]
fn mistakes_in_transfers_are_reported() {
    let problems = |application: &str, rest: &str| {
        let text = transfers(application, rest);
        let problems = Scenario::parse(&text, "test", &Map::new()).expect_err("a mistake");
        problems
            .iter()
            .map(|problem| format!("{}: {}: {}", problem.path, problem.found, problem.expected))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        problems("sizes = \"size\"", SIZES),
        [
            "flows.0.application.sizes: the name \"size\" of a missing file: a file at this path, relative to the folder \
             of the scenario file, or its text in [files.\"NAME\"]"
        ]
    );
    assert_eq!(
        problems("size = \"1 kB\", sizes = \"sizes\"", SIZES),
        ["flows.0.application.size: `size` together with `sizes`: only one of `size` and `sizes`"]
    );
    let wrong = problems("sizes = \"sizes\"", "[files.sizes]\ntext = \"10 0.5\\n\"\n");
    assert_eq!(
        wrong,
        [
            "flows.0.application.sizes: a last share of 0.5: a cumulative share of 1 on the last line, or of 100 if the shares are percentages"
        ]
    );
    assert_eq!(
        problems("count = 10001", ""),
        ["flows.0.application.count: 10001: a whole number from 1 to 10000"]
    );
    let observed = problems("count = 1", "[observe]\nsize_classes = [\"1 MB\", \"1 kB\"]\n");
    assert!(
        observed.iter().any(|problem| problem.contains("1000 B after an equal or larger size")),
        "{observed:?}"
    );
}

#[test]
fn transfers_over_many_pairs_pass_one_pair_each() {
    // 10000 transfers over 100 pairs of three links in each direction are 60000 links of paths, not 100 times
    // as many.
    let text = "duration = \"1 s\"\n[dumbbell]\npairs = 100\n\
                bottleneck = { rate = \"10 Mbit/s\", delay = \"1 ms\" }\naccess = { rate = \"1 Gbit/s\", delay = \"1 ms\" }\n\
                [[flows]]\ncontrol = \"reno\"\napplication = { name = \"transfers\", count = 10000, every = \"1 ms\" }\n";
    Scenario::parse(text, "test", &Map::new()).expect("a valid scenario");
}

#[test]
fn many_small_writes_are_announced() {
    // 1 Gbit/s in writes of 1 B are 1.25e8 writes per second for 10 s, each of about 50 ns: 62 s.
    let flow = "control = \"reno\"\napplication = { name = \"cbr\", rate = \"1 Gbit/s\", packet = \"1 B\" }";
    let scenario = Scenario::parse(&text(flow), "test", &Map::new()).expect("a scenario");
    let warnings = ackclock_lab::cost::warnings::of(&scenario);
    assert!(
        warnings.iter().any(|warning| warning.contains("writes of 1 B: up to 1.2e9 writes into connections, about 62 s")),
        "{warnings:?}"
    );
}

#[test]
fn a_part_of_a_packet_is_sent_when_the_application_stops() {
    for transport in TRANSPORTS {
        // 100 B every 0.8 s, ten times until 8 s, are 1000 B, which fill no packet.
        let flow = result(&format!(
            "control = \"reno\"\ntransport = \"{transport}\"\nstop = \"8 s\"\n\
             application = {{ name = \"cbr\", rate = \"1 kbit/s\", packet = \"100 B\" }}"
        ));
        assert_eq!(number(&flow, "sent_packets"), 1.0, "{transport}");
        assert!(number(&flow, "completed_s") > 8.0, "{transport}");
    }
}
