//! Tests of what reduces a window once, of how it grows afterwards, and of what an undo takes back. Each has the scenario of
//! a report, in which the right window can be worked out by hand.

use crate::verified::{self, number};
use serde_json::{Value, json};

/// Runs a scenario and returns the window of flow `f` at each millisecond, and its other results.
fn windows(text: &str, mut overrides: Value) -> (Vec<f64>, Value) {
    overrides["observe"] = json!({ "interval": "1 ms" });
    let result = verified::result(text, &overrides);
    let windows = result["series"]["flows"]["f"]["cwnd_packets"].as_array().expect("windows");
    let windows = windows.iter().map(|window| window.as_f64().unwrap_or(f64::NAN)).collect();
    (windows, result["flows"][0].clone())
}

/// Returns the windows to which the window falls by more than a packet, rounded, from sample `from` on.
fn falls(windows: &[f64], from: usize) -> Vec<f64> {
    let fell = |pair: &&[f64]| pair[1] < pair[0] - 1.0;
    windows[from..].windows(2).filter(fell).map(|pair| pair[1].round()).collect()
}

/// Returns how often the window rises by more than an eighth within a millisecond, above 8 packets. After the first slow start
/// only an undo does that.
fn jumps(windows: &[f64]) -> usize {
    windows.windows(2).filter(|pair| pair[0] > 8.0 && pair[1] > 1.125 * pair[0]).count()
}

/// A flow with 150 packets in flight at 20 Mbit/s and 120 ms, of which packets are marked when a burst over UDP fills the
/// queue at 2 s. A packet of 1500 bytes takes 0.6 ms, so the path holds 200 packets and the flow alone waits nowhere.
const MARKED: &str = r#"
duration = "3 s"
[dumbbell]
pairs = 2
access = { rate = "1 Gbit/s", delay = "0 ms" }
[dumbbell.bottleneck]
rate = "20 Mbit/s"
delay = "60 ms"
queue = { name = "red", limit = "1000 packets", min_threshold = "100 packets", max_threshold = "110 packets", weight = 1, max_probability = 1, ecn = true, drops_above_maximum = false }
[[flows]]
name = "f"
control = "newreno"
transport = { name = "quic", ecn = true, window = "150 packets" }
[[flows]]
name = "burst"
application = { name = "cbr", rate = "200 Mbit/s", packet = "1500 B" }
start = "2 s"
stop = "2.008 s"
"#;

const TRANSPORTS: [&str; 4] = ["quic", "rfc", "rfc rack", "linux"];

/// Returns the transport of the flow: a profile, and the rule of recovery after a space.
fn transport(words: &str) -> Value {
    let mut transport = json!({ "ecn": true, "window": "150 packets" });
    let (name, rule) = words.split_once(' ').unwrap_or((words, ""));
    transport["name"] = name.into();
    if !rule.is_empty() {
        transport["recovery"] = rule.into();
    }
    transport
}

//= test RFC 3168 section 6.1.2 once
#[test]
fn a_loss_in_the_window_of_a_mark_takes_nothing_more() {
    // 100 ms after the burst the wire loses one packet that had left before the mark was heard of. The window of 150 falls
    // to 75, once. (It was 150, 75, 38.) The flow may have one packet less in flight when the mark arrives.
    let outage = json!({ "name": "outage", "from": "2.1 s", "until": "2.1006 s" });
    for words in TRANSPORTS {
        let overrides = json!({ "dumbbell.bottleneck.loss": outage, "flows.0.transport": transport(words) });
        let (windows, flow) = windows(MARKED, overrides);
        let falls = falls(&windows, 1900);
        assert!(falls.len() == 1 && (74.0..=75.0).contains(&falls[0]), "{words}: {falls:?}");
        assert_eq!(flow["lost_packets"], 1, "{words}: the packet is lost");
    }
}

#[test]
fn the_window_does_not_grow_in_the_round_after_a_mark() {
    // Half of 150 packets, and 0.7 of them under CUBIC, for at least the 120 ms after which a packet is acknowledged that was
    // sent after the reduction. (NewReno had grown by two packets by then and CUBIC by 3.2 %.) Afterwards the window grows.
    for words in TRANSPORTS {
        for (control, reduced) in [("newreno", 75.0), ("cubic", 105.0), ("hstcp", f64::NAN)] {
            let overrides = json!({ "flows.0.transport": transport(words), "flows.0.control": control });
            let (windows, flow) = windows(MARKED, overrides);
            let fall = (1900..windows.len() - 1).find(|at| windows[at + 1] < windows[*at] - 1.0);
            let after = &windows[fall.expect("a reduction") + 1..];
            assert!(reduced.is_nan() || (after[0] - reduced).abs() <= 1.0, "{words} {control}: {}", after[0]);
            assert!(
                after[..118].iter().all(|window| *window == after[0]),
                "{words} {control}: {:?}",
                &after[..118]
            );
            assert!(after[300] > after[0], "{words} {control}");
            assert_eq!(flow["lost_packets"], 0, "{words} {control}");
        }
    }
}

/// Changes [`MARKED`] to a flow of 100 packets at 80 ms. Packets that leave at 1 s are 200 ms late and taken for lost. The
/// burst lasts from `start` to `stop`.
fn late(start: &str, stop: &str) -> Value {
    json!({
        "duration": "2 s",
        "dumbbell.bottleneck.delay": "40 ms",
        "dumbbell.bottleneck.reorder": true,
        "dumbbell.bottleneck.detour": { "from": "1 s", "until": "1.0007 s", "longer": "200 ms" },
        "dumbbell.bottleneck.reverse": { "reorder": false, "queue": "droptail", "detour": { "from": "99 s", "longer": "0 ms" } },
        "flows.0.ecn_response": "abe",
        "flows.0.transport": { "name": "quic", "ecn": true, "spurious_recoveries": true, "window": "100 packets" },
        "flows.1.start": start,
        "flows.1.stop": stop,
    })
}

#[test]
fn an_undo_does_not_take_back_what_a_mark_took() {
    // The loss of 1 s halves 100 packets to 50. The mark of the burst leaves 0.8 of them (RFC 8511): 40. Then the late
    // packets are acknowledged. A mark proves congestion and ends what can be undone (Linux's tcp_enter_cwr): 40 packets.
    // (They became 50, what the loss had left.)
    let (marked, _) = windows(MARKED, late("1.12 s", "1.13 s"));
    assert_eq!((falls(&marked, 900), jumps(&marked[900..])), (vec![50.0, 40.0], 0));
    // Without the burst the loss is all, and undone.
    let (undone, _) = windows(MARKED, late("1.9 s", "1.901 s"));
    assert_eq!((falls(&undone, 900), jumps(&undone[900..])), (vec![50.0], 1));
}

#[test]
fn late_packets_do_not_undo_an_episode_in_which_a_packet_was_lost() {
    // Packets that leave at 1 s are late and taken for lost together with one that the last link loses: 100 to 50 packets. A
    // packet of 1.175 s is lost as well: 25. Then the late ones are acknowledged. In neither episode was every lost packet
    // late (RFC 9438 section 4.9.2), so nothing is undone. (The window became 51.)
    let text = r#"
duration = "2 s"
[dumbbell]
bottleneck = { rate = "20 Mbit/s", delay = "40 ms", queue = { name = "droptail", limit = "1000 packets" }, reorder = true, detour = { from = "1 s", until = "1.0007 s", longer = "200 ms" }, loss = { name = "outage", from = "1.175 s", until = "1.1766 s" }, reverse = { reorder = false, detour = { from = "99 s", longer = "0 ms" } } }
left = { rate = "1 Gbit/s", delay = "0 ms" }
right = { rate = "1 Gbit/s", delay = "0 ms", loss = { name = "outage", from = "1.0430 s", until = "1.0442 s" } }
[[flows]]
name = "f"
control = "newreno"
transport = { name = "quic", spurious_recoveries = true, window = "100 packets" }
"#;
    let (windows, _) = windows(text, json!({}));
    assert_eq!((falls(&windows, 900), jumps(&windows[900..])), (vec![50.0, 25.0], 0));
}

/// A flow at 20 Mbit/s and 80 ms whose losses are all real.
const LOSSY: &str = r#"
duration = "60 s"
[dumbbell]
bottleneck = { rate = "20 Mbit/s", delay = "40 ms", queue = { name = "droptail", limit = "1000 packets" }, loss = { name = "independent", probability = 0.002 } }
access = { rate = "1 Gbit/s", delay = "0 ms" }
[[flows]]
name = "f"
control = "newreno"
transport = { name = "linux", window = "60 packets" }
"#;

#[test]
fn copies_that_the_network_makes_undo_nothing() {
    // RFC 3708 section 2: a report of a packet that was never retransmitted says nothing of a retransmission. A copy of each
    // fiftieth packet leaves the goodput within a tenth of that without copies. (52 of 55 reductions were undone, and it was
    // 7.43 Mbit/s instead of 4.26.)
    let (_, alone) = windows(LOSSY, json!({}));
    let (windows, copied) = windows(LOSSY, json!({ "dumbbell.bottleneck.duplicate": 0.02 }));
    assert_eq!(jumps(&windows[1000..]), 0);
    assert!(falls(&windows, 0).len() > 30, "{:?}", falls(&windows, 0));
    let ratio = number(&copied, "goodput_bps") / number(&alone, "goodput_bps");
    assert!((0.9..1.1).contains(&ratio), "{ratio}");
}

#[test]
fn an_echo_of_an_earlier_retransmission_undoes_nothing() {
    // In order and without copies every loss is real. A packet that was retransmitted in one recovery and begins the next is
    // acknowledged with the echo of that retransmission, which is older than the new recovery and yet no original (RFC 3522
    // section 3.2). (7 of 125 reductions were undone.)
    let overrides = json!({
        "dumbbell.bottleneck.loss.probability": 0.03,
        "flows.0.control": "cubic",
        "flows.0.transport.window": "200 packets",
    });
    let (windows, flow) = windows(LOSSY, overrides);
    let recoveries = number(&flow, "fast_retransmits");
    assert!(recoveries > 100.0, "{recoveries}");
    assert_eq!(jumps(&windows[1000..]), 0);
}
