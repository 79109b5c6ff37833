//! Tests of applications whose next step waits for the last. Every run is checked by the verifier.

use crate::verified::{self, number};
use ackclock_lab::Scenario;
use serde_json::{Map, Value};

/// Runs flows over 12 Mbit/s and 20 ms from a to b and back: 1500 B take 1 ms, 40 B take 26.7 us.
fn result(link: &str, flows: &str, duration: &str) -> Value {
    let text = format!(
        "duration = \"{duration}\"\n[[links]]\nbetween = [\"a\", \"b\"]\nrate = \"12 Mbit/s\"\ndelay = \"20 ms\"\n\
         {link}\n{flows}"
    );
    verified::result(&text, &Value::Null)
}

/// A flow of pages without its application. With twelve objects, each of six connections carries two packets
/// in succession.
const TWELVE: &str = "[[flows]]\ncontrol = \"newreno\"\nfrom = \"a\"\nto = \"b\"\n";

fn pages(parameters: &str) -> String {
    format!("{TWELVE}application = {{ name = \"pages\", object = \"1448 B\", spread = 0, {parameters} }}\n")
}

#[test]
fn a_page_takes_the_round_trips_of_its_connections() {
    // Six SYNs are sent; the first is answered after 40.053 ms. Its packet and those of the others follow one
    // another: the last of the six leaves 6 ms later and is acknowledged after another 40.027 ms, at 86.080
    // ms. The second object of that connection takes 41.027 ms. A page takes 127.107 ms and the next begins
    // at once: 78 pages in 10 s, and one begun.
    let result = result("", &pages("objects = 12"), "10 s");
    let reader = &result["flows"][0];
    assert_eq!((reader["name"].as_str(), reader["control"].as_str()), (Some("pages"), Some("newreno")));
    for key in ["completion_mean_s", "completion_p50_s", "completion_p95_s"] {
        let time = number(reader, key);
        assert!(
            (time / 0.127_107 - 1.0).abs() < if key == "completion_mean_s" { 1e-4 } else { 0.008 },
            "{key} {time}"
        );
    }
    assert_eq!((number(reader, "pages"), number(reader, "completed_pages")), (79.0, 78.0));
    let delivered = number(reader, "delivered_packets");
    assert!((78.0 * 12.0..79.0 * 12.0).contains(&delivered), "{delivered}");
    assert_eq!(result["flows"].as_array().map(Vec::len), Some(1));
}

#[test]
fn readers_think_and_stop_and_each_is_a_flow() {
    // A page begins every 1.127 s from 0 s on, the fifth at 4.508 s; that of the second reader begins a few
    // milliseconds later. At 4.58 s both have sent six of its objects, none of which is acknowledged before
    // 4.588 s: these six are the last.
    let text = format!("{}count = 2\nstop = \"4.58 s\"\n", pages("objects = 12, think = \"1 s\""));
    let result = result("", &text, "10 s");
    for reader in result["flows"].as_array().expect("flows") {
        assert_eq!(number(reader, "pages"), 5.0);
        assert_eq!(number(reader, "completed_pages"), 4.0);
        assert_eq!(number(reader, "delivered_packets"), 54.0);
    }
    assert_eq!(result["flows"][1]["name"], "pages-2");
}

#[test]
fn a_connection_keeps_its_window_within_a_page_and_loses_it_after() {
    // One connection carries two objects of 20 packets with an initial window of 10. Each page restarts the
    // window, so all pages take the same time.
    let text = format!(
        "{TWELVE}transport = {{ name = \"rfc\", delayed_ack = false }}\n\
         application = {{ name = \"pages\", objects = 2, connections = 1, object = \"28960 B\", spread = 0 }}\n"
    );
    let result = result("", &text, "10 s");
    let reader = &result["flows"][0];
    // The SYN takes 40.053 ms. Ten packets follow. The first is acknowledged after 41.027 ms and releases
    // two, the next a millisecond later does the same, so the link stays busy from there on. The other ten
    // have left after 51.027 ms, and the last acknowledgement arrives after 91.053 ms. Five acknowledgements
    // found the window full, and left 15 packets in flight. Their acknowledgements find a window of which at least half
    // has been used (RFC 7661 section 4.3), up to twice 15: the window is 30. So the 20 packets of the second object leave
    // at once: 20 + 40.027 ms.
    let expected = 40.053 + 91.053 + 60.027;
    let time = number(reader, "completion_mean_s") * 1e3;
    assert!((time - expected).abs() < 0.01, "{time} {expected}");
    assert_eq!(number(reader, "completed_pages"), 52.0, "10 s over 191.13 ms");
}

#[test]
fn losses_delay_pages_and_packets_never_reach_a_later_connection() {
    // With a short queue, a lossy wire and delayed acknowledgements, spurious retransmissions arrive when
    // another connection has long followed theirs. Every page nevertheless has its 50 objects.
    let link = "queue = { name = \"droptail\", limit = \"10 packets\" }\n\
                loss = { name = \"independent\", probability = 0.02 }\n\
                reverse = { loss = { name = \"independent\", probability = 0.05 } }\n";
    let text = "[[flows]]\ncount = 2\ncontrol = \"cubic\"\nfrom = \"a\"\nto = \"b\"\ntransport = \"linux\"\napplication = \"pages\"\n";
    let result = result(link, text, "120 s");
    for reader in result["flows"].as_array().expect("flows") {
        let (begun, complete) = (number(reader, "pages"), number(reader, "completed_pages"));
        assert!(complete > 20.0 && begun == complete + 1.0, "{begun} {complete}");
        // The smallest object is a packet. The mean of the log-normal distribution is 8 kB * exp(0.72) = 16.4
        // kB or about 11.8 packets (cut at both ends), to 7 % over a thousand objects or more.
        let packets = number(reader, "delivered_packets") / complete / 50.0;
        assert!((10.0..14.0).contains(&packets), "{packets}");
        assert!(number(reader, "timeouts") > 0.0 && number(reader, "lost_packets") > 0.0);
    }
}

#[test]
fn a_viewer_climbs_the_ladder_and_then_requests_at_the_playing_rate() {
    // 12 Mbit/s carry 11.58 Mbit/s of payload, enough for 4 Mbit/s. Once the buffer is full, a segment of 4 s
    // is requested every 4 s: 50 segments in the second half of 400 s, 16 Mbit in 1382 packets each, without
    // a switch or a stall.
    let text = format!("{TWELVE}application = \"adaptive-video\"\n");
    let result = result("", &text, "400 s\"\nwarmup = \"200 s");
    let viewer = &result["flows"][0];
    assert_eq!(viewer["name"], "adaptive-video");
    assert_eq!(number(viewer, "video_rate_mean_bps"), 4e6);
    assert_eq!(
        (number(viewer, "rate_switches"), number(viewer, "stalls"), number(viewer, "stall_s")),
        (0.0, 0.0, 0.0)
    );
    assert_eq!((number(viewer, "segments"), number(viewer, "completed_segments")), (50.0, 50.0));
    assert!((number(viewer, "delivered_packets") / (50.0 * 1382.0) - 1.0).abs() < 0.02);
    // A segment takes at least 1382 packets of 1 ms and a round trip. With repairs it takes less than 3.2 s,
    // at which 80 % of its throughput would fall below 4 Mbit/s.
    let time = number(viewer, "completion_p50_s");
    assert!((1.42..3.2).contains(&time), "{time}");
}

#[test]
fn a_link_below_the_lowest_rate_stalls_the_video() {
    // 4 s at 24 Mbit/s are 8288 packets of a millisecond: at least 8.29 s, of which 4 s are played. So each
    // segment after the first is at least 4.29 s late.
    let text =
        format!("{TWELVE}application = {{ name = \"adaptive-video\", lowest = \"24 Mbit/s\", rungs = 1 }}\n");
    let result = result("", &text, "100 s");
    let viewer = &result["flows"][0];
    let arrived = number(viewer, "completed_segments");
    assert!((9.0..=12.0).contains(&arrived), "{arrived}");
    assert_eq!(number(viewer, "stalls"), arrived - 1.0);
    assert!(number(viewer, "stall_s") >= 4.28 * (arrived - 1.0));
}

#[test]
fn too_many_connections_are_refused() {
    let text = "duration = \"1 s\"\n[dumbbell]\nbottleneck = { rate = \"1 Mbit/s\", delay = \"1 ms\" }\n\
                access = { rate = \"1 Mbit/s\", delay = \"1 ms\" }\n[[flows]]\ncount = 2000\ncontrol = \"reno\"\n\
                application = \"pages\"\n";
    let problems = Scenario::parse(text, "test", &Map::new()).expect_err("a mistake");
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].found, "12000 connections in total");
}
