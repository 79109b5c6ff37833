//! What stands around a window, from end to end: slow starts that end before a queue overflows, a mark that takes less
//! than a loss, and a connection that remembers an earlier one. What a test expects was written before
//! its first run, where it does not say otherwise. Every run is also checked by the trace verifier.

use crate::verified::{self, number};
use serde_json::Value;

fn flow(bottleneck: &str, duration: &str, flow: &str) -> Value {
    let text = format!(
        "duration = \"{duration}\"\n[dumbbell]\nbottleneck = {{ {bottleneck} }}\n\
         access = {{ rate = \"10 Gbit/s\", delay = \"0 s\" }}\n[[flows]]\n{flow}\n"
    );
    verified::result(&text, &Value::Null)["flows"][0].clone()
}

/// Packets lost in five seconds by a flow that has a path of 100 Mbit/s and 50 ms for itself, which holds 417 packets, and a
/// buffer that holds so many times that.
fn lost(slow_start: &str, buffer: u32) -> f64 {
    let bottleneck = format!(
        "rate = \"100 Mbit/s\", delay = \"25 ms\", queue = {{ name = \"droptail\", limit = \"{} packets\" }}",
        417 * buffer
    );
    let transport = "transport = { name = \"rfc\", window = \"100000 packets\" }";
    let found = flow(&bottleneck, "5 s", &format!("control = \"sack\"\n{slow_start}\n{transport}"));
    number(&found, "lost_packets")
}

#[test]
fn conservative_growth_loses_a_quarter_of_what_slow_start_does() {
    // Slow start sends two packets for each acknowledgement: for the round trip until it hears of the overflow one of them is
    // lost, as many as path and buffer hold, 4 * 417. At 1.25 packets for each it is a quarter of that (RFC 9406 section 4.2).
    // The rise shows in the first packets of a round, sent while the acknowledgements of a window above 417 packets came: of
    // 640, so that the window is 1280 then. (With a buffer of one path's worth that overflows already, and more is lost: the
    // first expectation of a quarter there was wrong.)
    let standard = lost("slow_start = \"standard\"", 3);
    let conservative = lost("slow_start = \"hystart++\"", 3);
    assert!((1500.0..1800.0).contains(&standard), "{standard}");
    assert!((0.15..0.35).contains(&(conservative / standard)), "{conservative} of {standard}");
}

#[test]
fn standard_is_what_a_law_without_another_slow_start_has() {
    assert_eq!(lost("slow_start = \"standard\"", 1), lost("", 1));
}

#[test]
fn hystart_ends_at_half_of_the_path_and_loses_nothing() {
    // A train of half the round trip comes when half of the path is full.
    assert_eq!(lost("slow_start = \"hystart\"", 1), 0.0);
}

#[test]
fn search_ends_when_the_buffer_holds_four_times_the_path() {
    // In units of the round trip without a queue, from when sending reaches the link's rate: what is sent doubles for one and
    // then is twice that rate, so that a packet sent at x >= 1 waits x - 0.557 and is acknowledged at 2x + 0.443. In 3.5 up to
    // x were sent 1.443 (1 - 2^(x - 3.5)) + 1.443 + 2 (x - 1), and 3.5 are delivered from x = 2.03 on: 0.26 is missing at
    // x = 2.22, acknowledged at 4.9, when 4.3 times the path wait. With less of a buffer the loss comes first. (The first
    // expectation, that a buffer of once the path is enough, was not worked out and does not hold.)
    let search = "slow_start = \"search\"";
    assert_eq!(lost(search, 1), lost("", 1));
    assert!(lost("", 6) > 2000.0);
    assert_eq!(lost(search, 6), 0.0);
}

#[test]
fn a_mark_that_takes_a_fifth_leaves_the_link_better_used() {
    // CoDel marks at 5 ms of queue where the round trip is 100 ms: a window of some 1.05 of what the path holds. Halved it
    // uses 3/4 of the link on its way back and at four fifths 9/10, both times 1.05: 0.79 and 0.94, or a fifth more.
    let bottleneck = "rate = \"20 Mbit/s\", delay = \"50 ms\", queue = { name = \"codel\", ecn = true }";
    let goodput = |response: &str| {
        let transport = "transport = { name = \"rfc\", ecn = true, window = \"100000 packets\" }";
        let found = flow(bottleneck, "120 s", &format!("control = \"sack\"\n{response}\n{transport}"));
        number(&found, "goodput_bps")
    };
    let (halved, abe) = (goodput(""), goodput("ecn_response = \"abe\""));
    assert!((1.05..1.25).contains(&(abe / halved)), "{abe} against {halved}");
}

/// Packets that arrive in so long at a path of 100 Mbit/s and 50 ms, which holds 417, with a buffer of as many.
fn arrived(resume: &str, duration: &str) -> f64 {
    let bottleneck =
        "rate = \"100 Mbit/s\", delay = \"25 ms\", queue = { name = \"droptail\", limit = \"417 packets\" }";
    let transport = "transport = { name = \"rfc\", window = \"100000 packets\" }";
    number(
        &flow(bottleneck, duration, &format!("control = \"sack\"\n{resume}\n{transport}")),
        "delivered_packets",
    )
}

#[test]
fn what_is_remembered_right_saves_round_trips() {
    // Slow start from ten has sent 10 + 20 + 40 + 80 + 160 in five round trips. From half of 400 after the first it has 10, then 200,
    // and then what the path takes, some 400 a round trip: three times as much, and no less than twice.
    let resumed =
        "resume = { name = \"careful-resume\", saved_cwnd = \"400 packets\", saved_rtt = \"50 ms\" }";
    let (with, without) = (arrived(resumed, "0.3 s"), arrived("", "0.3 s"));
    assert!(with > 2.0 * without, "{with} instead of {without}");
    // Of a path three times as long, and with nothing remembered, it makes no use.
    let elsewhere = resumed.replace("50 ms", "150 ms");
    assert_eq!(arrived(&elsewhere, "0.3 s"), without);
    assert_eq!(arrived("resume = \"careful-resume\"", "0.3 s"), without);
}

#[test]
fn what_is_remembered_wrong_is_taken_back() {
    // Half of 4000 are more than path and buffer hold. What that loses is lost once: after five seconds no less than four fifths
    // have arrived of what slow start alone gets there.
    let resumed =
        "resume = { name = \"careful-resume\", saved_cwnd = \"4000 packets\", saved_rtt = \"50 ms\" }";
    let (with, without) = (arrived(resumed, "5 s"), arrived("", "5 s"));
    assert!(with > 0.8 * without, "{with} instead of {without}");
}
