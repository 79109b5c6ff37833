//! Tests of links whose rate changes in phases. Every run is checked by the verifier.

use crate::verified;
use serde_json::Value;

/// Runs a flow over one link from a to b, and back over one of 1 Gbit/s.
fn result(rate: &str, queue: &str, flow: &str, duration: &str) -> Value {
    let text = format!(
        "duration = \"{duration}\"\n[[links]]\nbetween = [\"a\", \"b\"]\nrate = {rate}\ndelay = \"10 ms\"\n\
         queue = {queue}\nreverse = {{ rate = \"1 Gbit/s\" }}\n\
         [observe]\ninterval = \"100 ms\"\n[[flows]]\nname = \"flow\"\nfrom = \"a\"\nto = \"b\"\n{flow}"
    );
    verified::result(&text, &Value::Null)
}

const CYCLE: &str = "{ cycle = [[\"1 s\", \"8 Mbit/s\"], [\"2 s\", \"800 kbit/s\"]] }";
/// A source of 16 Mbit/s in packets of 1000 B on the wire, which always exceeds the link.
const FLOOD: &str = "application = { name = \"cbr\", rate = \"15.552 Mbit/s\", packet = \"972 B\" }\n";

#[test]
fn an_overloaded_link_delivers_what_its_phases_allow() {
    // The fast second carries 1000 packets, each slow one 100.
    for queue in
        ["{ name = \"droptail\", limit = \"10 packets\" }", "{ name = \"codel\", limit = \"10 packets\" }"]
    {
        let result = result(CYCLE, queue, FLOOD, "9 s");
        let link = &result["links"][0];
        assert_eq!(link["rate_bps"], 8_000_000, "the highest");
        let delivered = link["delivered_packets"].as_f64().expect("a count");
        assert!((delivered - 3.0 * 1200.0).abs() <= 6.0, "{delivered}");
        assert!(link["utilisation"].as_f64().expect("a share") > 0.999);
        let goodput = result["series"]["flows"]["flow"]["goodput_bps"].as_array().expect("a series");
        for (index, goodput) in goodput.iter().filter_map(Value::as_f64).enumerate() {
            // A packet that leaves the link at the beginning of an interval is delivered 10 ms into it. The
            // first interval of a phase also contains the end of the previous phase.
            let expected = match index % 30 {
                0 | 10 => continue,
                1..10 => 7_776_000.0,
                _ => 777_600.0,
            };
            // The goodput agrees to a packet.
            assert!((goodput - expected).abs() <= 77_760.0, "{queue} {index}: {goodput}");
        }
    }
}

#[test]
fn a_link_continues_after_a_silent_phase() {
    // A second at 8 Mbit/s and a second of silence carry 1000 packets per round, including the packet that is
    // being sent when the silence begins. The link never stops for good.
    let silent = CYCLE.replace("[\"2 s\", \"800 kbit/s\"]", "[\"1 s\", \"0 bit/s\"]");
    for queue in ["droptail", "codel"] {
        let queue = format!("{{ name = \"{queue}\", limit = \"10 packets\" }}");
        let delivered = result(&silent, &queue, FLOOD, "8 s")["links"][0]["delivered_packets"].as_f64();
        assert!((delivered.expect("a count") - 4000.0).abs() <= 4.0, "{queue}: {delivered:?}");
    }
}

#[test]
fn packets_waiting_at_a_change_are_sent_at_the_new_rate() {
    // 100 packets arrive at once at 0.95 s: 50 leave by 1 s at 1 ms each, and the rest takes 10 ms each. The
    // last one has waited 50 ms + 49 * 10 ms = 540 ms, and arrives after 10 ms more of sending and 10 ms of
    // wire.
    let burst = "start = \"950 ms\"\nstop = \"951 ms\"\n\
                 application = { name = \"cbr\", rate = \"777.6 Mbit/s\", packet = \"972 B\" }\n";
    let result = result(CYCLE, "{ name = \"droptail\", limit = \"unlimited\" }", burst, "3 s");
    let flow = &result["flows"][0];
    // A packet arrives every 10 us for a millisecond.
    assert_eq!(flow["delivered_packets"], 100);
    // Packet k leaves at 950 + k ms up to 1000 ms, then one leaves every 10 ms. The delays, less 10 ms of
    // wire, are k - 0.01 (k - 1) ms for the first fifty, so 1275 - 12.25 together, and 50 + 10 (k - 50) -
    // 0.01 (k - 1) for the others, so 2500 + 12750 - 37.25.
    let expected = (1275.0 - 12.25 + 2500.0 + 12_750.0 - 37.25) / 100.0 + 10.0;
    let mean = flow["one_way_delay_mean_s"].as_f64().expect("a mean") * 1e3;
    assert!((mean - expected).abs() < 0.01, "{mean} {expected}");
}

#[test]
fn tcp_follows_the_phases() {
    // A short version of RFC 7928 section 8.2.6: two seconds at 10 Mbit/s, two at 1 Mbit/s. The mean capacity
    // is 5.5 Mbit/s, of which 1448 of 1500 bytes are payload: 5.3 Mbit/s. A queue of half the fast link's
    // product keeps it mostly busy.
    let cycle = "{ cycle = [[\"2 s\", \"10 Mbit/s\"], [\"2 s\", \"1 Mbit/s\"]] }";
    let result =
        result(cycle, "{ name = \"droptail\", limit = \"17 packets\" }", "control = \"newreno\"\n", "20 s");
    let goodput = result["flows"][0]["goodput_bps"].as_f64().expect("goodput");
    assert!((0.7..1.0).contains(&(goodput / 5.31e6)), "{goodput}");
}

#[test]
fn limits_in_time_use_the_nominal_rate() {
    // The mean over the cycle is (8 + 2 * 0.8) / 3 = 3.2 Mbit/s, of which 100 ms are 40 kB: 40 packets of
    // 1000 B wait besides the one being sent. With a nominal rate of 8 Mbit/s there are 100, and the last
    // one, offered in the slow phase, waits 10 ms for each.
    for (nominal, packets) in [("", 40), (", nominal = \"8 Mbit/s\"", 100)] {
        let rate = CYCLE.replace("]] }", &format!("]]{nominal} }}"));
        let result = result(&rate, "{ name = \"droptail\", limit = \"100 ms\" }", FLOOD, "3 s");
        assert_eq!(result["links"][0]["queue_max_packets"], packets);
        let longest = result["links"][0]["wait_p99_s"].as_f64().expect("a wait") * 100.0 / f64::from(packets);
        assert!((0.96..1.04).contains(&longest), "{longest}");
    }
}

#[test]
fn a_discipline_is_told_the_nominal_rate() {
    // Nine seconds at 800 kbit/s and one at 8 Mbit/s have a mean of 1.52 Mbit/s. AVQ's virtual capacity shows
    // the rate that it was told, because it starts at 0.8 of it.
    let virtual_capacity = |nominal: &str| {
        let rate = format!("{{ cycle = [[\"9 s\", \"800 kbit/s\"], [\"1 s\", \"8 Mbit/s\"]]{nominal} }}");
        let quiet =
            "start = \"never\"\napplication = { name = \"cbr\", rate = \"1 kbit/s\", packet = \"972 B\" }\n";
        let result = result(&rate, "{ name = \"avq\", limit = \"10 packets\" }", quiet, "1 s");
        result["series"]["links"]["a-b"]["virtual_capacity_bps"][0].as_f64().expect("a series")
    };
    for (nominal, told) in [("", 1.52e6), (", nominal = \"800 kbit/s\"", 0.8e6)] {
        let capacity = virtual_capacity(nominal);
        assert!((capacity - 0.8 * told).abs() < 1.0, "{nominal}: {capacity}");
    }
}

#[test]
fn pie_does_not_foresee_a_change_of_the_rate() {
    // 125 packets arrive in the last 100 ms of a second at 8 Mbit/s, a quarter more than the link sends. The
    // last ones will be sent after the change, but while the rate is high they are treated like any others:
    // the later rate changes nothing.
    let dropped = |slow: &str| {
        let rate = format!("{{ cycle = [[\"1 s\", \"8 Mbit/s\"], [\"2 s\", \"{slow}\"]] }}");
        let burst = "start = \"900 ms\"\nstop = \"1 s\"\n\
                     application = { name = \"cbr\", rate = \"10 Mbit/s\", packet = \"972 B\" }\n";
        let pie = "{ name = \"pie\", limit = \"unlimited\", target = \"5 ms\", max_burst = \"0 s\" }";
        result(&rate, pie, burst, "3 s")["links"][0]["dropped_packets"].as_u64().expect("a count")
    };
    assert_eq!(dropped("8 kbit/s"), dropped("8 Mbit/s"));
}

/// A scenario with two links in succession, each with a trace of opportunities to send.
const TRACES: &str = r#"
duration = "1 s"
parallel = { bottlenecks = [{ rate = { trace = "r0.trace" }, delay = "0 ms" }], access = { rate = { trace = "r1.trace" }, delay = "0 ms" } }
flows = [{ control = "reno", transport = { name = "sctp-thesis" } }]
files = { "r0.trace" = { text = "1\n5\n5\n5\n7\n" }, "r1.trace" = { text = "1\n1\n3\n4\n5\n" } }
"#;

#[test]
fn several_packets_may_leave_at_the_same_instant() {
    // Three opportunities at the same instant carry three packets of 1500 B and the acknowledgements behind
    // them, in zero time, over one link after the other.
    let swapped =
        TRACES.replace("{ trace = \"r0", "{ trace = \"r2").replace("{ trace = \"r1", "{ trace = \"r0");
    for text in [TRACES.to_owned(), swapped.replace("{ trace = \"r2", "{ trace = \"r1")] {
        assert!(verified::result(&text, &Value::Null)["flows"][0]["goodput_bps"].as_f64() > Some(1e6));
    }
}
