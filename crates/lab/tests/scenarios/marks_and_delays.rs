//! Tests of controls that react to marks or to delays, compared with theory and beside other controls. Every
//! run is also checked by the trace verifier.

use crate::verified::{self, number};
use serde_json::Value;

fn run(bottleneck: &str, duration: &str, flows: &[(&str, &str)]) -> Vec<Value> {
    let mut text = format!(
        "duration = \"{duration}\"\nwarmup = \"20 s\"\n[dumbbell]\nbottleneck = {{ {bottleneck} }}\n\
         access = {{ rate = \"10 Gbit/s\", delay = \"0 s\" }}\n"
    );
    for (control, transport) in flows {
        text += &format!("[[flows]]\ncontrol = {control}\ntransport = {{ name = \"rfc\"{transport} }}\n");
    }
    let result = verified::result(&text, &Value::Null);
    result["flows"].as_array().expect("flows").clone()
}

/// Returns the mean and the 99th percentile of a flow's queueing delay, in milliseconds.
fn waits_ms(flow: &Value, least_rtt_ms: f64) -> (f64, f64) {
    (1e3 * number(flow, "rtt_mean_s") - least_rtt_ms, 1e3 * number(flow, "rtt_p99_s") - least_rtt_ms)
}

const DUAL: &str =
    "rate = \"40 Mbit/s\", delay = \"10 ms\", queue = { name = \"dualpi2\", limit = \"1000 packets\" }";

#[test]
fn beside_reno_dctcp_has_about_its_window_and_a_tenth_of_its_wait() {
    let flows = run(DUAL, "40 s", &[("\"dctcp\"", ", ecn = true"), ("\"sack\"", "")]);
    // The least round trip is 20 ms plus 1500 B forward and 40 B back at 40 Mbit/s.
    let least = 20.308;
    let ((dctcp, dctcp_99), (reno, _)) = (waits_ms(&flows[0], least), waits_ms(&flows[1], least));
    // All packets of DCTCP are marked from 1.2 ms on. Reno's queue is held at 15 ms on average, with Reno's
    // sawtooth around it.
    assert!(dctcp < 0.8 && dctcp_99 < 1.5, "{dctcp} and {dctcp_99} ms");
    assert!((10.0..20.0).contains(&reno), "{reno} ms");
    // DCTCP's window is 2 / p_CL (De Schepper et al. 2016), and Reno's is 1.22 / sqrt(p_C) (Mathis et al.
    // 1997). With p_CL = 2 sqrt(p_C) their ratio is 1.22. Marks of DCTCP's own queue reduce its window, and
    // bursts of drops reduce Reno's.
    let ratio = number(&flows[1], "cwnd_mean_packets") / number(&flows[0], "cwnd_mean_packets");
    assert!((0.8..1.6).contains(&ratio), "{ratio}");
}

#[test]
fn packets_sent_as_ect0_wait_in_the_classic_queue() {
    let flows = run(DUAL, "30 s", &[("\"dctcp\"", ", ecn = true, ecn_field = \"ect0\"")]);
    let (mean, _) = waits_ms(&flows[0], 20.308);
    assert!(mean > 5.0, "{mean} ms");
}

const DEEP: &str =
    "rate = \"10 Mbit/s\", delay = \"50 ms\", queue = { name = \"droptail\", limit = \"250 packets\" }";

#[test]
fn ledbat_alone_keeps_the_queue_at_its_target() {
    for (control, target) in
        [("\"ledbat\"", 100.0), ("{ name = \"ledbat\", target = \"5 ms\", gain = 10 }", 5.0)]
    {
        let flows = run(DEEP, "120 s", &[(control, "")]);
        let (mean, _) = waits_ms(&flows[0], 101.232);
        // The tolerance covers the steps of a window in whole packets of 1.2 ms, and bursts of two per
        // acknowledgement.
        assert!((mean - target).abs() < 0.1 * target + 2.4, "{control}: {mean} ms");
        assert!(number(&flows[0], "goodput_bps") > 9e6, "{control}");
    }
}

#[test]
fn ledbat_yields_to_reno_at_a_buffer_deeper_than_its_target() {
    // Reno's queue swings between half of what the path holds and the full 300 ms: nearly always above 100
    // ms.
    let flows = run(DEEP, "150 s", &[("\"sack\"", ""), ("\"ledbat\"", "")]);
    let share = number(&flows[1], "goodput_bps") / 10e6;
    assert!(share < 0.1, "{share}");
}

#[test]
fn ledbat_plus_plus_alone_stays_below_its_target_and_yields_to_reno() {
    // These expectations were written before the first run. Alone, the flow queues less than 60 ms on
    // average, because every round above costs a part of the window. It spends at most a tenth of the time in
    // slowdowns, so nine tenths of the link are used, less what empty drains cost.
    let alone = run(DEEP, "120 s", &[("\"ledbat++\"", "")]);
    let (mean, _) = waits_ms(&alone[0], 101.232);
    assert!((2.0..60.0).contains(&mean), "{mean} ms");
    assert!(number(&alone[0], "goodput_bps") > 8e6, "{}", number(&alone[0], "goodput_bps"));
    let beside = run(DEEP, "150 s", &[("\"sack\"", ""), ("\"ledbat++\"", "")]);
    let share = number(&beside[1], "goodput_bps") / 10e6;
    assert!(share < 0.1, "{share}");
}

#[test]
fn copa_alone_keeps_a_few_packets_queued() {
    // These expectations were written before the first run. Arun and Balakrishnan 2018 section 2.1: the queue
    // swings between empty and 2.5 / delta = 5 packets of 1.2 ms, so the mean is below 6.1 ms and the link is
    // used. (In the first run the transport paced, at 1.2 times the window over the smoothed round trip. That
    // delays Copa's reaction, and the mean wait was 11.8 ms. Copa now paces itself. With its competitive mode
    // the wait is 6.2 ms: a tenth of the range of such a queue, below which it counts as nearly empty, is
    // less than a packet.)
    let flows = run(DEEP, "60 s", &[("\"copa\"", "")]);
    let (mean, _) = waits_ms(&flows[0], 101.232);
    assert!(mean < 6.1, "{mean} ms");
    assert!(number(&flows[0], "goodput_bps") > 9e6, "{}", number(&flows[0], "goodput_bps"));
}

#[test]
fn copa_competes_when_reno_fills_the_queue() {
    // These expectations were written before the first run. In its default mode Copa starves beside a full
    // queue, as LEDBAT does: it gets less than a tenth. In its competitive mode it gets more than that.
    let share = |competitive: bool| {
        let copa = format!("{{ name = \"copa\", competitive = {competitive} }}");
        let flows = run(DEEP, "150 s", &[("\"sack\"", ""), (&copa, "")]);
        number(&flows[1], "goodput_bps") / 10e6
    };
    let (default, competitive) = (share(false), share(true));
    assert!(default < 0.1, "{default}");
    assert!(competitive > 0.1 && competitive > 2.0 * default, "{competitive}");
}

#[test]
fn c4_alone_fills_the_link_with_less_than_its_margin_queued() {
    // With a buffer of one product no round trip exceeds twice the least, so C4 leaves Initial once (section
    // 4.4.1 asks for 2.5 times). The queue drains at 7/8 and 15/16, down to the margin of 15 ms for which the
    // window has room.
    let shallow = DEEP.replace("250", "83");
    let flows = run(&shallow, "60 s", &[("\"c4\"", "")]);
    let (mean, _) = waits_ms(&flows[0], 101.232);
    assert!(mean < 15.0, "{mean} ms");
    assert!(number(&flows[0], "goodput_bps") > 9e6, "{}", number(&flows[0], "goodput_bps"));
}

#[test]
fn c4_alone_restarts_repeatedly_at_a_deep_buffer() {
    // Initial ends when a buffer of three products overflows, so the greatest round trip is up to four times
    // the least. Beyond 2.5 times, section 4.4.1 takes that for jitter and returns to Initial, whose window
    // of two products of that round trip fills the buffer again. This is what the draft says; the behaviour
    // of its author's code was not seen. (The result was known before this was written, after proportional
    // rate reduction no longer limited C4: 211 ms, and 18 % of the packets lost.)
    let flows = run(DEEP, "60 s", &[("\"c4\"", "")]);
    let (mean, longest) = waits_ms(&flows[0], 101.232);
    assert!(mean > 100.0 && longest > 290.0, "{mean} and {longest} ms");
    assert!(number(&flows[0], "goodput_bps") > 9e6, "{}", number(&flows[0], "goodput_bps"));
}

#[test]
fn vivace_alone_uses_the_link_without_filling_the_queue_and_yields_beside_reno() {
    // This was written with results for 10 Mbit/s and 40 ms known: 93 % of the link, and a twentieth of it
    // beside CUBIC. A rising round trip costs 900 times what a rate is worth, so the rate falls beside a
    // queue that others fill.
    let alone = run(DEEP, "60 s", &[("\"vivace\"", "")]);
    let (mean, _) = waits_ms(&alone[0], 101.232);
    assert!(mean < 30.0, "{mean} ms");
    assert!(number(&alone[0], "goodput_bps") > 8e6, "{}", number(&alone[0], "goodput_bps"));
    let beside = run(DEEP, "100 s", &[("\"sack\"", ""), ("\"vivace\"", "")]);
    let share = number(&beside[1], "goodput_bps") / 10e6;
    assert!(share < 0.5, "{share}");
}

#[test]
fn dctcp_keeps_the_queue_at_the_step_of_red() {
    // RFC 8257 sections 3.1 and 4.1: RED with both thresholds K = 65 packets, weight 1 and ECN marks every
    // packet above K and drops none. Two flows at 10 Gbit/s and a round trip of 100 us have a window of about
    // (10 Gbit/s * 100 us / 1500 B + K) / 2 = 74 packets each. The queue swings by about sqrt(window / 2) = 6
    // packets each below K (Alizadeh et al. 2010, equation 10), and exceeds K on average by less than a
    // flow's growth of a packet. Both flows begin before there is a queue, because a SYN may not be marked.
    let mut found = Vec::new();
    for more in ["", ", gentle = false", ", drops_above_maximum = true"] {
        let text = format!(
            "duration = \"200 ms\"\nwarmup = \"50 ms\"\n[dumbbell]\naccess = {{ rate = \"40 Gbit/s\", delay = \"10 us\" }}\n\
             [dumbbell.bottleneck]\nrate = \"10 Gbit/s\"\ndelay = \"30 us\"\n\
             queue = {{ name = \"red\", limit = \"1000 packets\", min_threshold = \"65 packets\", \
             max_threshold = \"65 packets\", weight = 1, max_probability = 1, ecn = true{more} }}\n\
             [[flows]]\ncount = 2\ncontrol = \"dctcp\"\nstart = {{ uniform = [\"0 s\", \"20 us\"] }}\n\
             transport = {{ name = \"linux\", ecn = true }}\n"
        );
        let link = verified::result(&text, &Value::Null)["links"][0].clone();
        let of = |key: &str| number(&link, key);
        found.push([of("marked_packets"), of("dropped_packets"), of("queue_mean_packets")]);
    }
    for [marked, dropped, queue] in &found[..2] {
        assert!(*marked > 1000.0 && *dropped == 0.0 && (55.0..=67.0).contains(queue), "{found:?}");
    }
    assert!(found[2][0] == 0.0 && found[2][1] > 50.0, "{found:?}");
}

#[test]
fn c4_keeps_a_small_window_while_its_application_sends_little() {
    // 100 packets a second over 100 ms, for 30 s. The 10 packets that waited for the handshake leave with the next 10,
    // so the rate is that of up to 20 packets in a round trip, and Initial's window twice that, 40. The 3,000 packets
    // that arrive do not enlarge it (RFC 9002 section 7.8).
    let text = "duration = \"30 s\"\n[dumbbell]\nbottleneck = { rate = \"10 Mbit/s\", delay = \"50 ms\" }\n\
                access = { rate = \"1 Gbit/s\", delay = \"0 s\" }\n[[flows]]\nname = \"f\"\ncontrol = \"c4\"\ntransport = \"quic\"\n\
                application = { name = \"cbr\", rate = \"1.16 Mbit/s\" }\n";
    let result = verified::result(text, &Value::Null);
    assert!(number(&result["flows"][0], "delivered_packets") > 2900.0, "{}", result["flows"][0]);
    let windows = result["series"]["flows"]["f"]["cwnd_packets"].as_array().expect("windows");
    let most = windows.iter().filter_map(Value::as_f64).fold(0.0, f64::max);
    assert!((20.0..=40.0).contains(&most), "{most}");
}
