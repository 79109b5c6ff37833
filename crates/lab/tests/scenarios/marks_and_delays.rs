//! Controls that answer to marks or to delays, against theory and beside others. Every run is also checked by the trace
//! verifier.

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

/// How long a flow's packets wait on average, and the longest that 99 of 100 do, in milliseconds.
fn waits_ms(flow: &Value, least_rtt_ms: f64) -> (f64, f64) {
    (1e3 * number(flow, "rtt_mean_s") - least_rtt_ms, 1e3 * number(flow, "rtt_p99_s") - least_rtt_ms)
}

const DUAL: &str =
    "rate = \"40 Mbit/s\", delay = \"10 ms\", queue = { name = \"dualpi2\", limit = \"1000 packets\" }";

#[test]
fn beside_reno_dctcp_has_about_its_window_and_a_tenth_of_its_wait() {
    let flows = run(DUAL, "40 s", &[("\"dctcp\"", ", ecn = true"), ("\"sack\"", "")]);
    // 20 ms, 1500 B there and 40 B back at 40 Mbit/s.
    let least = 20.308;
    let ((dctcp, dctcp_99), (reno, _)) = (waits_ms(&flows[0], least), waits_ms(&flows[1], least));
    // All are marked from 1.2 ms on, Reno's queue is held at 15 ms on average, with Reno's saw below and above.
    assert!(dctcp < 0.8 && dctcp_99 < 1.5, "{dctcp} and {dctcp_99} ms");
    assert!((10.0..20.0).contains(&reno), "{reno} ms");
    // DCTCP's window is 2 / p_CL (De Schepper et al. 2016) and Reno's 1.22 / sqrt(p_C) (Mathis et al. 1997). With
    // p_CL = 2 sqrt(p_C) their ratio is 1.22; marks of DCTCP's own queue make its window smaller, bursts of drops Reno's.
    let ratio = number(&flows[1], "cwnd_mean_packets") / number(&flows[0], "cwnd_mean_packets");
    assert!((0.8..1.6).contains(&ratio), "{ratio}");
}

#[test]
fn what_is_sent_as_ect0_waits_with_the_others() {
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
        // Up to the steps of a window in whole packets of 1.2 ms, and bursts of two for one acknowledgement.
        assert!((mean - target).abs() < 0.1 * target + 2.4, "{control}: {mean} ms");
        assert!(number(&flows[0], "goodput_bps") > 9e6, "{control}");
    }
}

#[test]
fn ledbat_gives_way_to_reno_where_the_buffer_is_deeper_than_its_target() {
    // Reno's queue swings between half of what the path holds and the full 300 ms: above 100 ms nearly always.
    let flows = run(DEEP, "150 s", &[("\"sack\"", ""), ("\"ledbat\"", "")]);
    let share = number(&flows[1], "goodput_bps") / 10e6;
    assert!(share < 0.1, "{share}");
}

#[test]
fn ledbat_plus_plus_alone_stays_under_its_target_and_gives_way_to_reno() {
    // Written before the first run. Alone: under 60 ms in the mean, since every round above costs a part of the window; and a
    // tenth of the time at most in slowdowns, so that nine tenths of the link are used less what the drains leave empty.
    let alone = run(DEEP, "120 s", &[("\"ledbat++\"", "")]);
    let (mean, _) = waits_ms(&alone[0], 101.232);
    assert!((2.0..60.0).contains(&mean), "{mean} ms");
    assert!(number(&alone[0], "goodput_bps") > 8e6, "{}", number(&alone[0], "goodput_bps"));
    let beside = run(DEEP, "150 s", &[("\"sack\"", ""), ("\"ledbat++\"", "")]);
    let share = number(&beside[1], "goodput_bps") / 10e6;
    assert!(share < 0.1, "{share}");
}

#[test]
fn copa_alone_keeps_some_packets_waiting() {
    // Written before the first run. Arun and Balakrishnan 2018 section 2.1: the queue swings between empty and 2.5 / delta = 5
    // packets of 1.2 ms, so that the mean lies below 6.1 ms, and the link is used. (The first run had the transport pace, at 1.2
    // times the window over the smoothed round trip; that delays what Copa does, and 11.8 ms waited. Now it paces itself. With its competitive mode it is 6.2 ms: a tenth of the
    // range of such a queue, below which it counts as nearly empty, is less than a packet.)
    let flows = run(DEEP, "60 s", &[("\"copa\"", "")]);
    let (mean, _) = waits_ms(&flows[0], 101.232);
    assert!(mean < 6.1, "{mean} ms");
    assert!(number(&flows[0], "goodput_bps") > 9e6, "{}", number(&flows[0], "goodput_bps"));
}

#[test]
fn copa_competes_where_reno_fills_the_queue() {
    // Written before the first run. In its default mode it would starve beside a full queue, as LEDBAT does: less than a tenth.
    // In its competitive mode it is to have more than that.
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
    // With a buffer of one product no round trip is more than twice the least, so Initial is left once (section 4.4.1 asks for
    // 2.5 times). What it has queued drains at 7/8 and 15/16, down to the margin of 15 ms that the window has room for.
    let shallow = DEEP.replace("250", "83");
    let flows = run(&shallow, "60 s", &[("\"c4\"", "")]);
    let (mean, _) = waits_ms(&flows[0], 101.232);
    assert!(mean < 15.0, "{mean} ms");
    assert!(number(&flows[0], "goodput_bps") > 9e6, "{}", number(&flows[0], "goodput_bps"));
}

#[test]
fn c4_alone_starts_again_and_again_where_the_buffer_is_deep() {
    // Initial ends when three products of buffer overflow, so that the greatest round trip is up to four times the least. Beyond
    // 2.5 times section 4.4.1 takes that for jitter and goes back to Initial, whose window of two products of that round trip fills
    // the buffer again. So says the draft; what its author's code does there was not seen. (Known before this was written, when
    // proportional rate reduction no longer held C4 back: 211 ms, and 18 % of the packets lost.)
    let flows = run(DEEP, "60 s", &[("\"c4\"", "")]);
    let (mean, longest) = waits_ms(&flows[0], 101.232);
    assert!(mean > 100.0 && longest > 290.0, "{mean} and {longest} ms");
    assert!(number(&flows[0], "goodput_bps") > 9e6, "{}", number(&flows[0], "goodput_bps"));
}

#[test]
fn vivace_alone_uses_the_link_without_filling_the_queue_and_yields_beside_reno() {
    // Written when runs on 10 Mbit/s and 40 ms were known: 93 % of the link, and a twentieth of it beside CUBIC. A slope of the round
    // trip costs 900 times what a rate is worth, so that beside a queue that others fill it goes down.
    let alone = run(DEEP, "60 s", &[("\"vivace\"", "")]);
    let (mean, _) = waits_ms(&alone[0], 101.232);
    assert!(mean < 30.0, "{mean} ms");
    assert!(number(&alone[0], "goodput_bps") > 8e6, "{}", number(&alone[0], "goodput_bps"));
    let beside = run(DEEP, "100 s", &[("\"sack\"", ""), ("\"vivace\"", "")]);
    let share = number(&beside[1], "goodput_bps") / 10e6;
    assert!(share < 0.5, "{share}");
}

#[test]
fn dctcp_holds_the_queue_at_the_step_of_red() {
    // RFC 8257 sections 3.1 and 4.1: RED with both thresholds K = 65 packets, weight 1 and ECN marks every packet above K and drops none.
    // Two flows at 10 Gbit/s and a round trip of 100 us have a window of about (10 Gbit/s * 100 us / 1500 B + K) / 2 = 74 packets each;
    // the queue swings about sqrt(window / 2) = 6 packets each below K (Alizadeh et al. 2010, equation 10), and less than a flow's
    // growth of a packet above it on average. Both begin before there is a queue, since a SYN may not be marked.
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
