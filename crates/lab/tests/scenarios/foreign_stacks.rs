//! Tests of foreign QUIC stacks as transports of scenarios: what they deliver, what their results hold, and what scenarios may say
//! of them.

use crate::verified::{self, number};
use ackclock_cc::registry::CONTROLS;
use ackclock_lab::{Diagnostic, Scenario};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Returns a scenario of 20 s with a bottleneck of 10 Mbit/s, a round trip of 40 ms and this queue, whose flow has these keys.
fn text(queue: &str, flow: &str) -> String {
    format!(
        r#"
        duration = "20 s"
        warmup = "5 s"
        [dumbbell]
        bottleneck = {{ rate = "10 Mbit/s", delay = "18 ms", queue = {queue} }}
        access = {{ rate = "100 Mbit/s", delay = "1 ms" }}
        [[flows]]
        name = "flow"
        {flow}
        "#
    )
}

const BDP: &str = r#"{ name = "droptail", limit = "1 bdp" }"#;

/// The payload of a packet over all of it, which bounds the goodput of a full link.
const SHARE: f64 = 1439.0 / 1500.0;

#[test]
fn a_stack_fills_the_bottleneck_under_its_own_controls_and_under_ours() {
    for (transport, control) in [
        ("noq", "noq:newreno"),
        ("noq", "noq:cubic"),
        ("noq", "cubic"),
        ("noq", "bbrv3"),
        ("quinn", "quinn:cubic"),
        ("quinn", "sack"),
    ] {
        let flow = format!("control = \"{control}\"\ntransport = \"{transport}\"");
        let result = verified::result(&text(BDP, &flow), &Value::Null);
        let flow = &result["flows"][0];
        let goodput = number(flow, "goodput_bps");
        assert!(goodput > 0.9 * SHARE * 10e6, "{control} over {transport}: {goodput}");
        // A packet of acknowledgements is smaller, and the last byte of an offset may be missing: 1 %.
        assert!(goodput <= 1.01 * SHARE * 10e6, "{control} over {transport}: {goodput}");
        assert_eq!(flow["control"], control);
    }
}

#[test]
fn what_a_stack_does_not_tell_is_null() {
    let flow = "control = \"noq:cubic\"\ntransport = \"noq\"";
    let result = verified::result(&text(BDP, flow), &Value::Null);
    let flow = &result["flows"][0];
    for untold in [
        "retransmitted_packets",
        "throughput_bps",
        "timeouts",
        "timeout_idle_s",
        "probes",
        "persistent_congestions",
        "fast_retransmits",
        "rtt_mean_s",
        "window_limited_share",
    ] {
        assert!(flow[untold].is_null(), "{untold}: {}", flow[untold]);
    }
    // What it gives up for lost is what the queue drops, but for packets that are on their way at either end of measured time.
    let (dropped, lost) = (number(flow, "dropped_packets"), number(flow, "stack_lost_packets"));
    assert!(dropped > 0.0 && (dropped - lost).abs() <= 2.0, "{dropped} dropped, {lost} lost");
    assert!(number(flow, "stack_reductions") > 0.0 && number(flow, "cwnd_mean_packets") > 20.0, "{flow}");
    assert_eq!((&flow["closed_s"], &flow["randomness"]), (&Value::Null, &json!("seeded")));
    // A flow over a transport of ours has none of a stack's fields.
    let ours = verified::result(&text(BDP, "control = \"cubic\"\ntransport = \"quic\""), &Value::Null);
    assert!(ours["flows"][0].get("closed_s").is_none() && ours["flows"][0]["timeouts"].is_u64());
}

#[test]
fn marks_reach_the_stack_and_replace_losses() {
    let flow = "control = \"noq:cubic\"\ntransport = \"noq\"";
    let queue = r#"{ name = "codel", ecn = true, limit = "4 bdp" }"#;
    let result = verified::result(&text(queue, flow), &Value::Null);
    let bottleneck = result["links"].as_array().unwrap().iter().find(|link| link["name"] == "bottleneck");
    let flow = &result["flows"][0];
    assert!(number(bottleneck.unwrap(), "marked_packets") > 3.0, "{bottleneck:?}");
    assert_eq!((number(flow, "dropped_packets"), number(flow, "stack_lost_packets")), (0.0, 0.0));
    assert!(number(flow, "stack_reductions") > 3.0, "{flow}");
}

#[test]
fn transfers_and_bulk_with_an_end_complete() {
    for (transport, control) in [("noq", "noq:newreno"), ("quinn", "quinn:cubic"), ("noq", "tcp-p")] {
        let flow = format!(
            "control = \"{control}\"\ntransport = \"{transport}\"\napplication = {{ name = \"bulk\", size = \"2 MB\" }}"
        );
        let result = verified::result(&text(BDP, &flow), &json!({ "warmup": "0 s" }));
        // 2 MB at 9.6 Mbit/s take 1.67 s, a handshake and slow start some round trips of 40 ms more.
        let completed = number(&result["flows"][0], "completed_s");
        assert!((1.67..2.5).contains(&completed), "{control}: {completed}");
        let flow = format!(
            "control = \"{control}\"\ntransport = \"{transport}\"\n\
             application = {{ name = \"transfers\", every = \"500 ms\", size = \"100 kB\" }}"
        );
        let result = verified::result(&text(BDP, &flow), &json!({ "observe": { "transfers": true } }));
        let flow = &result["flows"][0];
        let [begun, completed] = ["connections", "completed_connections"].map(|key| number(flow, key));
        assert!(begun > 10.0 && completed >= begun - 2.0, "{control}: {completed} of {begun}");
        let transfers = result["transfers"].as_array().expect("transfers");
        assert!(transfers.iter().all(|transfer| transfer["retransmitted_packets"].is_null()), "{control}");
    }
}

#[test]
fn a_source_writes_at_its_own_rate() {
    let flow =
        "control = \"noq:cubic\"\ntransport = \"noq\"\napplication = { name = \"cbr\", rate = \"2 Mbit/s\" }";
    let result = verified::result(&text(BDP, flow), &Value::Null);
    let goodput = number(&result["flows"][0], "goodput_bps");
    assert!((goodput - 2e6).abs() < 8.0 * 1439.0, "{goodput}");
}

#[test]
fn a_stack_shares_the_bottleneck_with_other_transports() {
    let more = "control = \"noq:cubic\"\ntransport = \"noq\"\n[[flows]]\nname = \"tcp\"\ncontrol = \"cubic\"\n\
                transport = \"linux\"\n[[flows]]\nname = \"quinn\"\ncontrol = \"quinn:cubic\"\ntransport = \"quinn\"";
    let result = verified::result(&text(BDP, more), &json!({ "duration": "40 s" }));
    let shares: Vec<f64> =
        result["flows"].as_array().unwrap().iter().map(|flow| number(flow, "goodput_bps") / 10e6).collect();
    assert!(shares.iter().all(|share| *share > 0.1) && shares.iter().sum::<f64>() > 0.85, "{shares:?}");
}

#[test]
fn a_connection_that_the_stack_closes_is_a_result() {
    // Slow start overshoots a queue of two products at 100 Mbit/s and 100 ms by more gaps than noq's receiver takes.
    let flow = "control = \"noq:newreno\"\ntransport = \"noq\"";
    let overrides = json!({
        "dumbbell.bottleneck": { "rate": "100 Mbit/s", "delay": "48 ms", "queue": { "name": "droptail", "limit": "2 bdp" } },
        "dumbbell.access.rate": "1 Gbit/s",
        "warmup": "0 s",
    });
    let result = verified::result(&text(BDP, flow), &overrides);
    let flow = &result["flows"][0];
    let reason = flow["closed_reason"].as_str().expect("a closed connection");
    assert!(reason.contains("too many gaps"), "{reason}");
    assert!((0.5..5.0).contains(&number(flow, "closed_s")), "{flow}");
    assert!(flow["completed_s"].is_null());
}

#[test]
fn equal_seeds_give_equal_results() {
    for (transport, control) in [("noq", "noq:cubic"), ("quinn", "quinn:newreno"), ("noq", "vegas")] {
        let flow = format!("control = \"{control}\"\ntransport = \"{transport}\"\ncount = 2");
        let result = || verified::result(&text(BDP, &flow), &Value::Null);
        assert_eq!(result(), result(), "{control} over {transport}");
    }
}

#[test]
fn what_a_stack_cannot_do_is_a_located_problem() {
    let cases = [
        (
            "control = \"noq:cubic\"",
            "control \"noq:cubic\" over a transport other than noq, expected `transport = \"noq\"`",
        ),
        (
            "control = \"noq:cubic\"\ntransport = \"quinn\"",
            "the congestion control \"noq:cubic\" over quinn, expected `transport = \"noq\"`, the stack of this control",
        ),
        ("control = \"noq:cubik\"\ntransport = \"noq\"", "did you mean `noq:cubic`?"),
        (
            "control = \"bbrv3\"\ntransport = \"quinn\"",
            "the congestion control \"bbrv3\" over quinn, expected another congestion control: \"bbrv3\" does not run over this stack, because the control sets a sending rate",
        ),
        (
            "control = \"spike\"\ntransport = \"noq\"",
            "the congestion control \"spike\" over noq, expected another congestion control: \"spike\" does not run over this stack, because the control's loss discriminator runs only",
        ),
        ("control = \"cubic\"\ntransport = { name = \"noq\", sack = true }", "sack"),
        (
            "control = \"noq:cubic\"\ntransport = \"noq\"\napplication = \"pages\"",
            "the application \"pages\" over a QUIC stack other than ackclock's, expected \"bulk\"",
        ),
        (
            "control = \"cubic\"\ntransport = \"noq\"\nbackoff = \"rta\"",
            "`backoff` over noq, expected no `backoff`: the stack itself decides its timers",
        ),
        (
            "control = \"noq:cubic\"\ntransport = \"noq\"\nslow_start = \"hystart++\"",
            "`slow_start` with the control \"noq:cubic\", expected no `slow_start`, or a congestion control of ackclock",
        ),
    ];
    for (flow, expected) in cases {
        let problems = Scenario::parse(&text(BDP, flow), "test", &Map::new()).expect_err("a problem");
        let found: Vec<String> = problems.iter().map(Diagnostic::message).collect();
        assert!(found.iter().any(|problem| problem.contains(expected)), "{flow}: {found:#?}");
    }
}

/// Returns the result of a flow over a slow link in front of an even slower one, with a round trip of over 300 ms.
fn over_two_slow_links(duration: &str, flow: &str) -> Value {
    let text = format!(
        "duration = \"{duration}\"\n[[links]]\nbetween = [\"a\", \"p\"]\nrate = \"1 Mbit/s\"\ndelay = \"7 ms\"\n\
         [[links]]\nbetween = [\"p\", \"b\"]\nrate = \"128 kbit/s\"\ndelay = \"150 ms\"\n\
         [[flows]]\nname = \"flow\"\nfrom = \"a\"\nto = \"b\"\n{flow}\n"
    );
    verified::result(&text, &Value::Null)
}

#[test]
fn the_receivers_window_bounds_a_stack_as_it_bounds_quic() {
    // Hybla multiplies its window by 2^12.6 a round trip at 314 ms: after one it is more than 50,000 packets, and the
    // stacks had sent 727,255 after a second. Over every transport no more than the 10,000 packets of the receiver's
    // window leave without an acknowledgement, and a few without stream data.
    for transport in ["quic", "noq", "quinn"] {
        let flow = format!("control = \"hybla\"\ntransport = \"{transport}\"");
        let result = over_two_slow_links("1 s", &flow);
        let sent = number(&result["flows"][0], "sent_packets");
        assert!((10_000.0..10_020.0).contains(&sent), "{transport}: {sent}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// RFC 9000 section 4.1: a sender must not exceed the receiver's limit. Whatever the control, the stack and the path
    /// are, the queue of a link never holds more than the receiver's window, and a few packets without stream data.
    #[test]
    fn no_control_has_more_than_the_receivers_window_in_flight(
        control in 0..CONTROLS.len(),
        transport in prop::sample::select(vec!["quic", "noq", "quinn"]),
        window in 20_u32..400,
        rate_kbps in 100_u32..10_000,
        delay_ms in 1_u32..300,
    ) {
        let text = format!(
            "duration = \"3 s\"\n[[links]]\nbetween = [\"a\", \"b\"]\nrate = \"{rate_kbps} kbit/s\"\ndelay = \"{delay_ms} ms\"\n\
             queue = {{ name = \"droptail\", limit = \"100000 packets\" }}\n[[flows]]\nfrom = \"a\"\nto = \"b\"\n\
             control = \"{}\"\ntransport = {{ name = \"{transport}\", window = \"{window} packets\" }}\n",
            CONTROLS[control].descriptor.name
        );
        // A control that the stack cannot run is refused.
        prop_assume!(Scenario::parse(&text, "test", &Map::new()).is_ok());
        let result = verified::result(&text, &Value::Null);
        let queue = result["series"]["links"]["a-b"]["queue_packets"].as_array().expect("samples of the queue");
        let most = queue.iter().filter_map(Value::as_f64).fold(0.0, f64::max);
        prop_assert!(!queue.is_empty());
        prop_assert!(most <= f64::from(window) + 20.0, "{most} packets wait in\n{text}");
    }
}
