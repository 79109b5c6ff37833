//! Tests of the purpose of schedulers: how they share a link, and which packets wait.

use crate::verified::{self, number};
use serde_json::{Value, json};

/// Runs flows of two pairs through 10 Mbit/s with 20 ms each way.
fn result(queue: &str, flows: &str) -> Value {
    let text = format!(
        "duration = \"30 s\"\nwarmup = \"5 s\"\n[dumbbell]\npairs = 2\n\
         bottleneck = {{ rate = \"10 Mbit/s\", delay = \"10 ms\", queue = {queue} }}\n\
         access = {{ rate = \"1 Gbit/s\", delay = \"5 ms\" }}\n{flows}"
    );
    verified::result(&text, &Value::Null)
}

/// The goodput of each flow, in Mbit/s.
fn goodputs(result: &Value) -> Vec<f64> {
    let flows = result["flows"].as_array().expect("flows");
    flows.iter().map(|flow| number(flow, "goodput_bps") / 1e6).collect()
}

#[test]
fn fair_queueing_protects_a_flow_from_an_unresponsive_one() {
    // 15 Mbit/s of datagrams pass 10 Mbit/s: a plain queue is always full and leaves almost nothing to TCP.
    // With fair queueing TCP may have half of the link: 5 Mbit/s, of which 1448 of 1500 bytes are goodput,
    // 4.83 Mbit/s. If drops keep its queue short, TCP uses slightly less.
    let flows = "[[flows]]\ncontrol = \"cubic\"\n[[flows]]\nname = \"flood\"\n\
                 application = { name = \"cbr\", rate = \"15 Mbit/s\", packet = \"1472 B\" }\n";
    let tcp = |queue: &str| goodputs(&result(queue, flows))[0];
    assert!(tcp("\"droptail\"") < 0.5);
    for queue in ["drr", "sfq", "cake", "fq-codel"] {
        let tcp = tcp(&format!("\"{queue}\""));
        assert!((4.1..4.9).contains(&tcp), "{queue}: {tcp}");
    }
}

#[test]
fn the_first_band_waits_for_at_most_one_packet() {
    // 1 Mbit/s of voice competes with a bulk transfer that keeps 100 packets waiting. As EF, each voice
    // packet waits at most for the rest of one packet of 1500 B, 1.2 ms beyond the least delay. Unmarked it
    // waits for the queue.
    let voice = |dscp: &str| {
        let flows = format!(
            "[[flows]]\ncontrol = \"cubic\"\n[[flows]]\nname = \"voice\"\n{dscp}\
             application = {{ name = \"cbr\", rate = \"1 Mbit/s\", packet = \"250 B\" }}\n"
        );
        result("{ name = \"prio\", limit = \"100 packets\" }", &flows)
    };
    let lost = |result: &Value| number(&result["flows"][1], "lost_packets");
    let (expedited, plain) = (voice("dscp = \"EF\"\n"), voice(""));
    assert_eq!(lost(&expedited), 0.0);
    assert!(lost(&plain) > 0.0);
    let wait = |result: &Value| {
        number(&result["flows"][1], "one_way_delay_p99_s")
            - number(&result["flows"][1], "one_way_delay_min_s")
    };
    assert!(wait(&expedited) <= 0.0012, "{}", wait(&expedited));
    assert!(wait(&plain) > 0.03, "{}", wait(&plain));
}

#[test]
fn a_first_band_that_fills_the_link_starves_the_others() {
    // With 11 Mbit/s of EF through 10 Mbit/s, no packet of another band leaves once the queue has built up.
    // With lower effort the same flood leaves the link to the transfer.
    let flows = |dscp: &str| {
        format!(
            "[[flows]]\ncontrol = \"cubic\"\nstart = \"2 s\"\n[[flows]]\nname = \"flood\"\ndscp = \"{dscp}\"\n\
             application = {{ name = \"cbr\", rate = \"11 Mbit/s\", packet = \"1472 B\" }}\n"
        )
    };
    let prio = "{ name = \"prio\", limit = \"100 packets\" }";
    assert_eq!(goodputs(&result(prio, &flows("EF")))[0], 0.0);
    assert!(goodputs(&result(prio, &flows("LE")))[0] > 9.0);
}

#[test]
fn cake_moves_the_queue_from_the_modem_to_the_router() {
    // A modem with a queue of one second follows the router, whose link is faster, so the queue builds up in
    // the modem. With CAKE at 9 Mbit/s it builds up in the router, where packets wait for about the target of
    // 5 ms, and the modem never holds more than a packet. The router's link never sends more than 9 of its
    // 100 Mbit/s.
    let run = |queue: &str| {
        let text = format!(
            "duration = \"30 s\"\nwarmup = \"5 s\"\n\
             [[links]]\nname = \"router\"\nbetween = [\"server\", \"modem\"]\nrate = \"100 Mbit/s\"\ndelay = \"1 ms\"\n\
             queue = {queue}\n\
             [[links]]\nname = \"modem\"\nbetween = [\"modem\", \"client\"]\nrate = \"10 Mbit/s\"\ndelay = \"19 ms\"\n\
             queue = {{ name = \"droptail\", limit = \"1 s\" }}\n\
             [[flows]]\ncontrol = \"cubic\"\ncount = 4\nfrom = \"server\"\nto = \"client\"\n"
        );
        verified::result(&text, &Value::Null)
    };
    let link = |result: &Value, name: &str| {
        let links = result["links"].as_array().expect("links");
        links.iter().find(|link| link["name"] == json!(name)).expect("the link").clone()
    };
    let bloated = run("\"droptail\"");
    assert!(number(&link(&bloated, "modem"), "wait_p50_s") > 0.3);
    let shaped = run("{ name = \"cake\", rate = \"9 Mbit/s\" }");
    assert!(number(&link(&shaped, "modem"), "queue_max_packets") <= 1.0);
    let router = link(&shaped, "router");
    assert!(number(&router, "wait_p50_s") < 0.015, "{router}");
    let sent = number(&router, "utilisation") * 100.0;
    assert!((8.5..=9.001).contains(&sent), "{sent}");
}

#[test]
fn cake_holds_its_rate_to_a_packet() {
    // There is more than enough to send: 8 Mbit/s for the 25 measured seconds are 200 Mbit, to within a
    // packet at each end.
    let flood = "[[flows]]\napplication = { name = \"cbr\", rate = \"15 Mbit/s\", packet = \"1472 B\" }\n";
    let result = result("{ name = \"cake\", rate = \"8 Mbit/s\" }", flood);
    let sent = number(&result["links"][0], "utilisation") * 10e6 * 25.0;
    assert!((sent - 200e6).abs() <= 12_000.0, "{sent}");
}

#[test]
fn cake_shares_among_hosts_before_flows() {
    // The first pair has one flow, the second five, and each sends 12 Mbit/s. With isolation by hosts each
    // pair has half of the link; with isolation by flows they have a sixth and five sixths.
    let flood = "application = { name = \"cbr\", rate = \"12 Mbit/s\", packet = \"1472 B\" }\n";
    let flows = format!(
        "[[flows]]\nname = \"one\"\npair = 1\n{flood}[[flows]]\nname = \"many\"\npair = 2\ncount = 5\n{flood}"
    );
    let share = |isolation: &str| {
        let queue = format!("{{ name = \"cake\", isolation = \"{isolation}\" }}");
        let goodputs = goodputs(&result(&queue, &flows));
        goodputs[0] / goodputs.iter().sum::<f64>()
    };
    for isolation in ["triple-isolate", "dual-srchost", "dual-dsthost"] {
        assert!((share(isolation) - 0.5).abs() < 0.005, "{isolation}: {}", share(isolation));
    }
    assert!((share("flows") - 1.0 / 6.0).abs() < 0.005, "{}", share("flows"));
}

#[test]
fn an_unknown_code_point_is_refused() {
    let text = "duration = \"1 s\"\n[dumbbell]\nbottleneck = { rate = \"1 Mbit/s\", delay = \"1 ms\" }\n\
                access = { rate = \"1 Mbit/s\", delay = \"1 ms\" }\n[[flows]]\ncontrol = \"cubic\"\ndscp = \"fast\"\n";
    let problems = verified::problems(text);
    assert_eq!(problems.len(), 1);
    assert!(problems[0].starts_with("flows.0.dscp: \"fast\": one of CS0, LE, CS1, "), "{problems:?}");
}
