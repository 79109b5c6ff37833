//! Tests of receivers that break the rules, by what a sender must then do.

use crate::verified;
use serde_json::{Value, json};

/// Runs a flow of packets of 1000 bytes for 20 s with these keys of its transport, `more` keys of its own and this
/// bottleneck.
fn run(transport: &str, more: &str, bottleneck: &str) -> Value {
    let text = format!(
        "duration = \"20 s\"\n[dumbbell]\nbottleneck = {{ {bottleneck} }}\n\
         access = {{ rate = \"100 Gbit/s\", delay = \"0 s\" }}\n\
         [[flows]]\nname = \"tcp\"\ncontrol = \"sack\"\n{more}\n\
         transport = {{ name = \"rfc\", packet = \"1000 B\", {transport} }}\n"
    );
    verified::result(&text, &json!({}))
}

fn flow(result: &Value, key: &str) -> f64 {
    result["flows"][0][key].as_f64().unwrap_or_else(|| panic!("{key} in {}", result["flows"][0]))
}

/// A round trip of 100 ms, and a rate so high that only the window counts.
const FAST: &str =
    "rate = \"10 Gbit/s\", delay = \"50 ms\", queue = { name = \"droptail\", limit = \"unlimited\" }";
const SHORT: &str = "application = { name = \"bulk\", size = \"400 kB\" }";

#[test]
fn split_acknowledgements_help_only_where_acknowledgements_are_counted() {
    // Each packet is acknowledged at once. Rounds of slow start carry 10, 20, 40, 80, 160, 320 packets, so 400
    // packets need six, and with the handshake 700 ms. Where each of three acknowledgements of a packet
    // counts for one, a round carries four times as much as the one before: 10, 40, 160, 640 need four, and
    // 500 ms.
    for (growth, splits, time) in
        [("packets", 1, 0.7), ("packets", 3, 0.7), ("delivered", 3, 0.7), ("acks", 1, 0.7), ("acks", 3, 0.5)]
    {
        let transport = format!("delayed_ack = false, growth = \"{growth}\", split_acks = {splits}");
        let completed = flow(&run(&transport, SHORT, FAST), "completed_s");
        assert!((time..time + 0.003).contains(&completed), "{growth}, {splits}: {completed}");
    }
}

#[test]
fn split_acknowledgements_are_as_many_as_is_said() {
    let acks = |splits: u32| {
        let result =
            run(&format!("delayed_ack = false, handshake = false, split_acks = {splits}"), SHORT, FAST);
        let links = result["links"].as_array().unwrap();
        let back = links.iter().find(|link| link["name"] == "bottleneck-reverse").unwrap();
        assert_eq!(flow(&result, "retransmitted_packets"), 0.0);
        back["delivered_packets"].as_f64().unwrap()
    };
    assert_eq!((acks(1), acks(10)), (400.0, 4000.0));
}

#[test]
fn repeated_acknowledgements_are_losses_to_a_sender_without_selective_ones() {
    // Four of each are three duplicates, at which a sender without SACK retransmits what was not lost. RFC
    // 6675 counts what the blocks say, and these have none.
    let retransmitted = |recovery: &str, copies: u32| {
        let transport = format!(
            "delayed_ack = false, recovery = \"{recovery}\", repeat_acks = {copies}, window = \"50 packets\""
        );
        flow(&run(&transport, "", FAST), "retransmitted_packets")
    };
    assert_eq!(retransmitted("newreno", 1), 0.0);
    assert_eq!(retransmitted("newreno", 3), 0.0);
    assert!(retransmitted("newreno", 4) > 0.0);
    assert_eq!(retransmitted("sack", 4), 0.0);
}

#[test]
fn acknowledgements_ahead_add_to_the_window() {
    // A window of 20 packets in a round trip of 100 ms are 200 packets a second. The sender believes that the
    // next ten have arrived as well, so that 30 are on their way.
    for (ahead, rate) in [(0, 200.0), (10, 300.0)] {
        let transport = format!("delayed_ack = false, window = \"20 packets\", acks_ahead = {ahead}");
        let result = run(&transport, "", FAST);
        let found = flow(&result, "delivered_packets") / 20.0;
        assert!((found / rate - 1.0).abs() < 0.02, "{ahead}: {found}");
    }
}

#[test]
fn a_receiver_ahead_conceals_losses() {
    // 1.2 Mbit/s are 142.6 packets a second, 14 in a round trip; the window of 60 also fills the queue of 20.
    let narrow =
        "rate = \"1.2 Mbit/s\", delay = \"50 ms\", queue = { name = \"droptail\", limit = \"20 packets\" }";
    let honest = run("window = \"60 packets\"", "", narrow);
    assert!(flow(&honest, "retransmitted_packets") > 0.0);
    let ahead = run("window = \"60 packets\", acks_ahead = 10", "", narrow);
    assert_eq!(flow(&ahead, "retransmitted_packets"), 0.0);
    // Nothing tells the sender to slow down: it loses many times as much, and what is lost stays lost.
    let dropped = |result: &Value| flow(result, "dropped_packets") / flow(result, "sent_packets");
    assert!(dropped(&ahead) > 10.0 * dropped(&honest), "{} {}", dropped(&ahead), dropped(&honest));
}

#[test]
fn hidden_marks_do_not_slow_a_sender_and_invented_ones_do() {
    let marking = "rate = \"12 Mbit/s\", delay = \"50 ms\", queue = { name = \"codel\", limit = \"1000 packets\", ecn = true }";
    let goodput = |told: &str, accurate: bool| {
        let transport = format!("ecn = true, accurate_ecn = {accurate}, marks_told = \"{told}\"");
        let result = run(&transport, "", marking);
        let links = result["links"].as_array().unwrap();
        let link = links.iter().find(|link| link["name"] == "bottleneck").unwrap();
        (flow(&result, "goodput_bps"), link["queue_mean_packets"].as_f64().unwrap())
    };
    for accurate in [false, true] {
        let (honest, queue) = goodput("honest", accurate);
        let (hidden, full) = goodput("hidden", accurate);
        let (invented, empty) = goodput("invented", accurate);
        // The queue fills to a multiple of what the discipline wants.
        assert!(full > 5.0 * queue && hidden >= honest, "{queue} {full} {honest} {hidden}");
        // A reduction in every round trip leaves the least window: 2 packets of 8000 bits in each 100 ms.
        assert!(empty < 0.1 && (invented / 0.16e6 - 1.0).abs() < 0.05, "{empty} {invented}");
    }
}
