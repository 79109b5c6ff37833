//! Tests of links that duplicate packets, and of links that change the ECN field.

use crate::determinism::json_of;
use crate::early_delivery::stepped_json;
use crate::impaired_links::{EVEN, TCP, result, results, scenario};
use ackclock_lab::run::build::Keep;
use serde_json::Value;

fn count(record: &Value, key: &str) -> f64 {
    record[key].as_f64().unwrap_or_else(|| panic!("{key} of {record}"))
}

#[test]
fn a_share_of_the_packets_arrives_twice() {
    // A tenth of 10,000 packets is duplicated; four deviations are 4 sqrt(10,000 * 0.1 * 0.9) = 120. UDP
    // passes all copies to the application. Packets on the wire at the end are not delivered: 20.8 ms are
    // eleven packets and their copies.
    let all = results("duplicate = 0.1", EVEN);
    let (flow, link) = (&all["flows"][0], &all["links"][0]);
    let copies = count(link, "duplicated_packets");
    assert!((copies - 1000.0).abs() < 120.0, "{copies}");
    let missing = count(flow, "sent_packets") + copies - count(flow, "delivered_packets");
    assert!((0.0..=22.0).contains(&missing), "{missing}");
    // With a correlation of 1/2, the random numbers of 5/72 of the packets are below 1/4.
    let mixed = results("duplicate = { share = 0.25, correlation = 0.5 }", EVEN);
    assert!((count(&mixed["links"][0], "duplicated_packets") - 694.4).abs() < 130.0);
    // The reverse direction duplicates nothing, and results of other links have no such field.
    assert_eq!(all["links"][1].get("duplicated_packets"), None);
}

#[test]
fn a_lost_packet_has_no_copy() {
    let all = results("duplicate = 1\nloss = { name = \"independent\", probability = 0.5 }", EVEN);
    let link = &all["links"][0];
    assert!((count(link, "duplicated_packets") - count(link, "delivered_packets")).abs() <= 11.0, "{link}");
    assert!(count(link, "corrupted_packets") > 4000.0);
}

#[test]
fn copies_are_copied_by_the_next_link() {
    let text = |share: &str| {
        format!(
            "duration = \"10 s\"\n[parking_lot]\nhops = 2\nhop = {{ rate = \"10 Mbit/s\", delay = \"10 ms\", duplicate = {share} }}\n\
             access = {{ rate = \"1 Gbit/s\", delay = \"0 s\" }}\n[[flows]]\n{EVEN}\n"
        )
    };
    let result = |share: &str| {
        let result = crate::verified::result(&text(share), &Value::Null);
        (count(&result["flows"][0], "sent_packets"), count(&result["flows"][0], "delivered_packets"))
    };
    // Two links that duplicate everything turn one packet into four. 8 Mbit/s of copies and 8 of originals do
    // not fit over the second link.
    let (sent, delivered) = result("0");
    assert!(sent - delivered < 20.0);
    let (sent, delivered) = result("0.1");
    assert!((delivered / sent - 1.21).abs() < 0.02, "{delivered} of {sent}");
}

#[test]
fn tcp_quic_and_sctp_take_each_packet_once() {
    for flow in [
        TCP,
        "control = \"cubic\"\ntransport = \"linux\"",
        "control = \"newreno\"\ntransport = \"quic\"",
        "control = \"sctp\"\ntransport = \"sctp\"",
    ] {
        let all = results("duplicate = 1\nreverse = { duplicate = 1 }", flow);
        let flow = &all["flows"][0];
        assert!(count(flow, "delivered_packets") > 1000.0, "{flow}");
        assert!(count(flow, "delivered_packets") <= count(flow, "sent_packets"), "{flow}");
        assert!(count(&all["links"][0], "duplicated_packets") >= count(flow, "delivered_packets"), "{flow}");
    }
}

#[test]
fn a_request_is_answered_once() {
    let requests = "application = { name = \"requests\" }";
    let [plain, copied] =
        ["", "duplicate = 1\nreverse = { duplicate = 1 }"].map(|link| result(link, requests));
    for key in ["requests", "completed_requests", "completion_mean_s"] {
        assert_eq!(plain[key], copied[key], "{key}");
    }
    assert!(count(&copied, "delivered_packets") > 1.9 * count(&plain, "delivered_packets"));
}

const MARKING: &str = "queue = { name = \"red\", limit = \"100 packets\", ecn = true }";

fn with_ecn(link: &str) -> Value {
    results(link, "control = \"cubic\"\ntransport = { name = \"rfc\", ecn = true }")
}

#[test]
fn cleared_marks_reach_no_receiver() {
    let [heard, cleared] =
        [MARKING.to_owned(), format!("{MARKING}\necn = \"clear\"")].map(|link| with_ecn(&link));
    for result in [&heard, &cleared] {
        assert!(count(&result["links"][0], "marked_packets") > 0.0);
    }
    // Cleared marks do not slow the sender down: its queue is longer.
    let queue = |result: &Value| count(&result["links"][0], "queue_mean_packets");
    assert!(queue(&cleared) > 1.2 * queue(&heard), "{} and {}", queue(&cleared), queue(&heard));
}

#[test]
fn a_link_that_marks_everything_reduces_the_window_of_a_flow_with_ecn() {
    let [plain, marked] =
        ["", "ecn = \"set-ce\""].map(|link| count(&with_ecn(link)["flows"][0], "goodput_bps"));
    assert!(marked < 0.2 * plain, "{marked} of {plain} bit/s");
    // A connection without ECN ignores the field.
    assert_eq!(result("", TCP), result("ecn = \"set-ce\"\nreverse = { ecn = \"set-ce\" }", TCP));
    let quic = "control = \"newreno\"\ntransport = \"quic\"";
    // A QUIC receiver acknowledges marked packets at once (RFC 9000 section 13.2.1), which moves the goodput a little.
    let [plain, marked] = ["", "ecn = \"set-ce\"\nreverse = { ecn = \"set-ce\" }"]
        .map(|link| count(&result(link, quic), "goodput_bps"));
    assert!((marked / plain - 1.0).abs() < 0.02, "{marked} of {plain} bit/s");
    for rule in ["clear", "set-ect0", "set-ect1", "drop"] {
        assert_eq!(result("", TCP), result(&format!("ecn = \"{rule}\""), TCP), "{rule}");
    }
}

#[test]
fn a_link_that_sets_ect_lets_the_next_queue_mark() {
    let text = |rule: &str| {
        format!(
            "duration = \"10 s\"\n[dumbbell]\nbottleneck = {{ rate = \"10 Mbit/s\", delay = \"10 ms\", {} }}\n\
             access = {{ rate = \"1 Gbit/s\", delay = \"1 ms\" }}\nleft = {{ rate = \"1 Gbit/s\", delay = \"1 ms\", {rule} }}\n\
             [[flows]]\ncontrol = \"cubic\"\n",
            MARKING
        )
    };
    let marked = |rule: &str| {
        let result = crate::verified::result(&text(rule), &Value::Null);
        count(&result["links"][0], "marked_packets")
    };
    assert_eq!(marked("loss = { name = \"independent\", probability = 0 }"), 0.0);
    assert!(marked("ecn = \"set-ect0\"") > 0.0);
}

#[test]
fn a_link_that_drops_by_the_field_delivers_no_ecn_capable_packet() {
    let all = results(
        "ecn = \"drop\"",
        "control = \"newreno\"\ntransport = { name = \"rfc\", ecn = true, handshake = false }",
    );
    // Retransmissions of TCP are not ECN-capable (RFC 3168 section 6.1.5), and arrive.
    let flow = &all["flows"][0];
    assert!(count(flow, "delivered_packets") <= count(flow, "retransmitted_packets"), "{flow}");
    assert!(count(&all["links"][0], "corrupted_packets") > 0.0);
    let message =
        scenario("ecn = \"drop\"\nmedium = \"air\"\n[[media]]\nname = \"air\"\naccess = \"csma\"", "");
    assert!(
        message.is_err_and(|message| message.contains("`ecn = \"drop\"` on a link that shares a medium"))
    );
}

#[test]
fn stepping_gives_the_result_of_a_run() {
    // The last link duplicates packets, so none may be delivered early.
    for link in [
        "duplicate = 0.3",
        "duplicate = 0.3\njitter = \"5 ms\"",
        "ecn = \"clear\"",
        "reorder = { share = 0.1 }",
    ] {
        for flow in [TCP, EVEN, "control = \"bbrv3\"\ntransport = \"quic\""] {
            let scenario =
                scenario(&format!("{link}\nreverse = {{ {} }}", link.replace('\n', ", ")), flow).unwrap();
            assert_eq!(stepped_json(&scenario, 1), json_of(&scenario, 1, Keep::default()), "{link} {flow}");
        }
    }
}
