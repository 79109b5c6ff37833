//! Controls that answer to marks or to delays, against theory and beside others. Every run is also checked by the trace
//! verifier.

mod verified;

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

fn number(flow: &Value, key: &str) -> f64 {
    flow[key].as_f64().unwrap_or_else(|| panic!("{key} in {flow}"))
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
