//! Tests of links whose rate and delay follow steps, traces and outages, and of links that hold packets in
//! slots. Every run is checked by the verifier.

use crate::verified;
use ackclock_lab::Scenario;
use ackclock_lab::language::diagnostics::render;
use proptest::prelude::*;
use serde_json::{Map, Value};
use std::sync::atomic::AtomicBool;

/// Returns a scenario with a flow over one link from a to b with these properties, and back over one of 1
/// Gbit/s and 10 ms.
fn scenario(link: &str, flow: &str, duration: &str, rest: &str) -> String {
    let reverse = "reverse = { rate = \"1 Gbit/s\", delay = \"10 ms\", jitter = \"0 s\", reorder = false, hold = \"0 s\" }";
    format!(
        "duration = \"{duration}\"\n[[links]]\nbetween = [\"a\", \"b\"]\n{link}\n{reverse}\n\
         [[flows]]\nname = \"flow\"\nfrom = \"a\"\nto = \"b\"\n{flow}\n{rest}"
    )
}

fn result(link: &str, flow: &str, duration: &str, rest: &str) -> Value {
    verified::result(&scenario(link, flow, duration, rest), &Value::Null)
}

/// Returns a file beside the scenario.
fn file(name: &str, text: &str) -> String {
    format!("[files.\"{name}\"]\ntext = {text:?}\n")
}

fn ms(result: &Value, key: &str) -> f64 {
    result["flows"][0][key].as_f64().expect("a time") * 1e3
}

/// A source that sends a packet of 1504 B on the wire every 10 ms, from 5 ms on.
const SPARSE: &str =
    "start = \"5 ms\"\napplication = { name = \"cbr\", rate = \"1180.8 kbit/s\", packet = \"1476 B\" }";
/// A source that sends 24 Mbit/s in packets of the same size.
const FLOOD: &str = "application = { name = \"cbr\", rate = \"23.555319149 Mbit/s\", packet = \"1476 B\" }";

#[test]
fn a_trace_of_one_opportunity_each_millisecond_is_12_032_megabits_per_second() {
    // The rate is 1504 * 8 / 1 ms. Twice as much is offered. One packet is sent per millisecond, and 9,989
    // packets have passed the 10 ms of wire before 10 s.
    let link = "rate = { trace = \"one.trace\" }\ndelay = \"10 ms\"\nqueue = { name = \"droptail\", limit = \"20 packets\" }";
    let result = result(link, FLOOD, "10 s", &file("one.trace", "1\n"));
    assert_eq!(result["links"][0]["rate_bps"], 12_032_000);
    assert_eq!(result["flows"][0]["delivered_packets"], 9_989);
    assert!(result["links"][0]["utilisation"].as_f64().expect("a share") > 0.999);
}

#[test]
fn a_packet_interrupted_by_a_silence_of_a_trace_continues_after_it() {
    // Opportunities are at 6 and 46 ms, after which the trace repeats: 1504 B may leave at 6, 46, 52, 92 and
    // 98 ms. Packets of 2256 B, one and a half opportunities, arrive at 5, 15 and 25 ms. The first uses a
    // whole opportunity, stands still from 6 ms on, and ends with half of the next at 46 ms. The second uses
    // the other half and all of the third, at 52 ms. The last uses the fourth and half of the fifth, at 98
    // ms. With 10 ms of wire they take 51, 47 and 83 ms, a mean of 181 / 3 ms.
    let link = "rate = { trace = \"two.trace\" }\ndelay = \"10 ms\"\nqueue = { name = \"droptail\", limit = \"unlimited\" }";
    let three = "start = \"5 ms\"\nstop = \"26 ms\"\n\
                 application = { name = \"cbr\", rate = \"1782.4 kbit/s\", packet = \"2228 B\" }";
    let result = result(link, three, "1 s", &file("two.trace", "6\n46\n"));
    assert_eq!(result["flows"][0]["delivered_packets"], 3);
    let (mean, least) = (ms(&result, "one_way_delay_mean_s"), ms(&result, "one_way_delay_min_s"));
    assert!((mean - 181.0 / 3.0).abs() < 1e-6 && (least - 47.0).abs() < 1e-6, "{mean} {least}");
}

#[test]
fn an_outage_delays_the_packet_being_sent_and_loses_nothing() {
    // Packets of 1504 B take 1 ms at 12.032 Mbit/s. One per 10 ms from 5 ms on, 99 in a second, never wait:
    // each takes 11 ms. From 205.5 ms on nothing is sent for 100 ms. The packet of 205 ms is half sent, and
    // complete at 306 ms. Those of 215 to 305 ms follow at 307 to 316 ms, and that of 315 ms at 317 ms. They
    // take 100 ms longer, then 91, 82, ... 10 and 1 ms: 100 + 10 * 50.5 + 1 = 606 ms more in total.
    let link =
        "rate = \"12.032 Mbit/s\"\ndelay = \"10 ms\"\nqueue = { name = \"droptail\", limit = \"unlimited\" }";
    let outage = format!("{link}\noutage = {{ from = \"205.5 ms\", lasts = \"100 ms\" }}");
    let [plain, outage] =
        [link, &outage].map(|link| result(link, &format!("stop = \"990 ms\"\n{SPARSE}"), "2 s", ""));
    assert_eq!(plain["flows"][0]["delivered_packets"], outage["flows"][0]["delivered_packets"]);
    assert_eq!(outage["links"][0]["dropped_packets"], 0);
    let packets = plain["flows"][0]["delivered_packets"].as_f64().expect("a count");
    assert!((ms(&plain, "one_way_delay_mean_s") - 11.0).abs() < 1e-6);
    let more = (ms(&outage, "one_way_delay_mean_s") - 11.0) * packets;
    assert!((more - 606.0).abs() < 1e-3, "{more}");
}

#[test]
fn steps_and_traces_of_delay_have_the_same_effect() {
    // A packet every 10 ms takes 11 ms up to 1 s, then 41 ms, and 21 ms from 2 s on; the end of its
    // transmission decides.
    let rate = "rate = \"12.032 Mbit/s\"";
    let steps = format!(
        "{rate}\ndelay = {{ steps = [[\"0 s\", \"10 ms\"], [\"1 s\", \"40 ms\"], [\"2 s\", \"20 ms\"]] }}"
    );
    let trace = format!("{rate}\ndelay = {{ trace = \"delay.csv\" }}");
    let csv = file("delay.csv", "time_s,delay_s\n0,0.01\n1,0.04\n2,0.02\n");
    let flow = format!("stop = \"3 s\"\n{SPARSE}");
    let [by_steps, by_trace] =
        [(steps.as_str(), ""), (&trace, &csv)].map(|(link, rest)| result(link, &flow, "4 s", rest));
    assert_eq!(by_steps, by_trace);
    // Each second has 100 packets, from 5 ms on. At 2 s the wire becomes 20 ms shorter. The packet that
    // starts at 2.005 s does not overtake the one that started at 1.995 s and arrives at 2.036 s: it takes 31
    // ms instead of 21.
    let mean = (100.0 * 11.0 + 100.0 * 41.0 + 100.0 * 21.0 + 10.0) / 300.0;
    assert!(
        (ms(&by_steps, "one_way_delay_mean_s") - mean).abs() < 1e-6,
        "{}",
        ms(&by_steps, "one_way_delay_mean_s")
    );
}

#[test]
fn held_packets_arrive_at_the_ends_of_slots() {
    // Packets reach the other end at 16, 26, 36 ... ms. Slots of 25 ms end at 25, 50, 75 ... ms: waits of 9,
    // 24, 14, 4 and 19 ms repeat, with a mean of 14 ms.
    let link = "rate = \"12.032 Mbit/s\"\ndelay = \"10 ms\"\nhold = \"25 ms\"";
    let result = result(link, &format!("stop = \"2 s\"\n{SPARSE}"), "3 s", "");
    let (mean, least) = (ms(&result, "one_way_delay_mean_s"), ms(&result, "one_way_delay_min_s"));
    assert!((mean - 25.0).abs() < 1e-6 && (least - 15.0).abs() < 1e-6, "{mean} {least}");
}

#[test]
fn jitter_comes_in_bursts() {
    // Jitter of up to 20 ms for a tenth of the time has a mean of 1 ms if packets overtake. Bursts of 0.1 s
    // after 0.9 s are about 100 in 100 s, of exponential lengths, so the mean has a relative standard error
    // of about sqrt(2 / 100), or 0.15 ms. Four are 0.6 ms.
    let link = "rate = \"12.032 Mbit/s\"\ndelay = \"10 ms\"\nreorder = true\n\
                jitter = { most = \"20 ms\", good = \"900 ms\", bad = \"100 ms\" }";
    let result = result(link, SPARSE, "100 s", "");
    let mean = ms(&result, "one_way_delay_mean_s") - 11.0;
    assert!((mean - 1.0).abs() < 0.6, "{mean}");
    // Of the tenth with jitter, a tenth has more than 18 ms: the longest hundredth of all.
    let most = ms(&result, "one_way_delay_p99_s") - 11.0;
    assert!((15.0..20.0).contains(&most), "{most}");
}

#[test]
fn round_trips_are_as_declared() {
    // The bottleneck takes 7 ms and 3 ms. The four access links share 30 ms of 40 ms, and the rest of
    // 10.000000001 s.
    let rtts = [0.04, 10.000_000_001, 0.01];
    let text = "duration = \"1 s\"\n[dumbbell]\nrtt = [\"40 ms\", \"10000000001 ns\", \"10 ms\"]\n\
                bottleneck = { rate = \"10 Mbit/s\", delay = \"7 ms\", reverse = { delay = \"3 ms\" } }\n\
                access = { rate = \"1 Gbit/s\" }\n[[flows]]\ncount = 3\ncontrol = \"sack\"\n";
    let scenario = parse(text).unwrap();
    for (member, rtt) in scenario.flows[0].members.iter().zip(rtts) {
        let links = member.forward.iter().chain(&member.backward);
        let delays = links.map(|link| scenario.network.links[*link as usize].delay.nanos());
        assert_eq!(delays.sum::<u64>() as f64 / 1e9, rtt);
    }
    // One round trip holds for all pairs.
    let one = text.replace("[\"40 ms\", \"10000000001 ns\", \"10 ms\"]", "\"40 ms\"");
    let delays: Vec<f64> =
        parse(&one).unwrap().network.links.iter().map(|link| link.delay.millis()).collect();
    assert_eq!(delays[..6], [7.0, 3.0, 7.5, 7.5, 7.5, 7.5]);
}

fn parse(text: &str) -> Result<Scenario, String> {
    Scenario::parse(text, "folder/path.toml", &Map::new()).map_err(|problems| render(&problems))
}

#[test]
fn mistakes_in_changing_links_are_reported() {
    let rate = "rate = \"10 Mbit/s\"";
    let delay = "delay = \"10 ms\"";
    let two_ways = "rate = { trace = \"x\", steps = [[\"0 s\", \"1 Mbit/s\"]] }";
    let traced = "rate = { trace = \"x\" }";
    let one = file("x", "1\n");
    for (link, rest, told) in [
        (
            format!("{traced}\n{delay}"),
            file("x", "1\n2\nfast\n"),
            "folder/x:3:1: `links.0.rate.trace`: found \"fast\", expected a time in whole milliseconds",
        ),
        (format!("{traced}\n{delay}"), file("y", "1\n"), "found the name \"x\" of a missing file"),
        (
            format!("{traced}\n{delay}\noutage = {{ from = \"1 s\", lasts = \"1 s\" }}"),
            one.clone(),
            "an `outage` of a link whose `rate` is a trace of delivery opportunities",
        ),
        (format!("{two_ways}\n{delay}"), one, "only one of `cycle`, `steps` and `trace`"),
        (
            format!("rate = {{ steps = [[\"1 s\", \"1 Mbit/s\"]] }}\n{delay}"),
            String::new(),
            "a first step from 1 s, expected a first step from \"0 s\"",
        ),
        (
            format!("rate = {{ steps = [[\"0 s\", \"1 Mbit/s\"], [\"0 s\", \"2 Mbit/s\"]] }}\n{delay}"),
            String::new(),
            "expected steps in chronological order",
        ),
        (
            format!("rate = {{ steps = [[\"0 s\", \"1 Mbit/s\"], [\"1 s\", \"0 bit/s\"]] }}\n{delay}"),
            String::new(),
            "a rate that stays at 0",
        ),
        (
            format!("{rate}\ndelay = {{ steps = [[\"0 s\", \"1 ms\"]], evenly = [\"1 ms\", \"2 ms\"] }}"),
            String::new(),
            "only one of `evenly`, `cycle`",
        ),
        (
            format!("{rate}\ndelay = {{ trace = \"x\" }}"),
            file("x", "0,0.01\n"),
            "folder/x:1:1: `links.0.delay.trace`: found \"0,0.01\", expected the header time_s,delay_s",
        ),
        (
            format!("{rate}\n{delay}\noutage = {{ from = \"1 s\", lasts = \"2 s\", every = \"2 s\" }}"),
            String::new(),
            "outages without a pause between them",
        ),
        (format!("{rate}\n{delay}\noutage = {{ from = \"1 s\" }}"), String::new(), "no `lasts`"),
        (format!("{rate}\n{delay}\njitter = {{ most = \"1 ms\" }}"), String::new(), "no `good`"),
        (format!("{rate}\n{delay}"), "[files]\nx = 1\n".to_owned(), "a table of `text`"),
    ] {
        let message = parse(&scenario(&link, "control = \"sack\"", "1 s", &rest)).unwrap_err();
        assert!(message.contains(told), "{told}: {message}");
    }
    let dumbbell = "duration = \"1 s\"\n[dumbbell]\nrtt = RTT\nbottleneck = { rate = \"1 Mbit/s\", delay = \"10 ms\" }\n\
                    access = ACCESS\n[[flows]]\ncontrol = \"sack\"\n";
    let access = "{ rate = \"1 Gbit/s\" }";
    for (rtt, access, told) in [
        ("\"19 ms\"", access, "a round-trip time of 19 ms, expected at least 20 ms"),
        (
            "[\"40 ms\", \"50 ms\"]",
            access,
            "2 round-trip times, expected at most 1 round-trip time: one for each pair of hosts",
        ),
        (
            "\"40 ms\"",
            "{ rate = \"1 Gbit/s\", delay = \"1 ms\" }",
            "both an `rtt` and a `delay` of the access links",
        ),
    ] {
        let message = parse(&dumbbell.replace("RTT", rtt).replace("ACCESS", access)).unwrap_err();
        assert!(message.contains(told), "{told}: {message}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// Checks with any rate, delay and outages that packets are conserved and that none overtakes another if
    /// the link forbids it. The verifier checks every packet.
    #[test]
    fn packets_are_conserved_and_in_order(
        gaps in prop::collection::vec(0_u64..60, 1..60),
        steps in prop::collection::vec((1_u64..400, 0_u64..3), 0..6),
        delays in prop::collection::vec((1_u64..400, 0_u64..50), 1..6),
        outage in prop::option::of((0_u64..500, 1_u64..90, 91_u64..300)),
        hold in 0_u64..20, traced in any::<bool>(), queue in 0_usize..3, tcp in any::<bool>(),
    ) {
        let times = |gaps: &[u64]| gaps.iter().scan(1, |ms, gap| { *ms += gap; Some(*ms) }).map(|ms| format!("{ms}\n")).collect::<String>();
        let list = |first: String, others: &[(u64, u64)], value: &dyn Fn(u64) -> String| {
            let mut ms = 0;
            let more = others.iter().map(|(after, which)| { ms += after; format!(", [\"{ms} ms\", {}]", value(*which)) });
            format!("{{ steps = [[\"0 s\", {first}]{}] }}", more.collect::<String>())
        };
        let rate = |which: u64| format!("\"{}\"", ["0 bit/s", "300 kbit/s", "20 Mbit/s"][which as usize]);
        let mut rates = steps.clone();
        rates.push((50, 2));
        let rate = if traced { "{ trace = \"x\" }".to_owned() } else { list("\"8 Mbit/s\"".to_owned(), &rates, &rate) };
        let delay = list("\"10 ms\"".to_owned(), &delays, &|ms| format!("\"{ms} ms\""));
        let outage = outage.filter(|_| !traced).map_or(String::new(), |(from, lasts, every)| {
            format!("outage = {{ from = \"{from} ms\", lasts = \"{lasts} ms\", every = \"{every} ms\" }}\n")
        });
        let queue = ["droptail", "codel", "pie"][queue];
        let link = format!("rate = {rate}\ndelay = {delay}\n{outage}hold = \"{hold} ms\"\nqueue = \"{queue}\"");
        let flow = if tcp { "control = \"cubic\"\ntransport = \"linux\"" } else { FLOOD };
        let text = scenario(&link, flow, "1 s", &file("x", &times(&gaps)));
        let scenario = parse(&text).map_err(TestCaseError::fail)?;
        let found = ackclock_lab::run::run_and_verify(&scenario, 1, &AtomicBool::new(false)).expect("a finished run");
        prop_assert!(found.is_empty(), "{} in\n{text}", found[0]);
    }
}

#[test]
fn a_call_counts_a_longer_route_as_a_queue_until_it_estimates_the_base_delay_anew() {
    // RFC 8698 section 5.1.1: the base delay is the least of some minutes, here of one, so that an earlier route does
    // not count for ever. From 70 s on the route is 60 ms longer. Until the minute ends this is a queue of 60 ms, at
    // which the rate is XREF / 60 ms * 1.5 Mbit/s = 250 kbit/s. It is approached with a time constant of TAU^2 / (KAPPA x)
    // = 8.3 s, so after 45 s 6 kbit/s are missing. Then it is the highest again.
    let link = "rate = \"5 Mbit/s\"\ndelay = { steps = [[\"0 s\", \"10 ms\"], [\"70 s\", \"70 ms\"]] }";
    let rates = |control: &str| {
        let flow = format!("transport = \"rtp\"\ncontrol = {control}");
        let result = result(link, &flow, "180 s", "");
        let series = &result["series"];
        let times = series["time_s"].as_array().expect("times");
        [60.0, 115.0, 175.0].map(|at| {
            let at = times.iter().position(|time| time.as_f64().expect("a time") >= at).expect("a sample");
            series["flows"]["flow"]["media_rate_bps"][at].as_f64().expect("a rate") / 1e6
        })
    };
    let [before, queued, after] = rates("{ name = \"rtp:nada\", base_history = 1 }");
    assert_eq!((before, after), (1.5, 1.5));
    assert!((queued / 0.25 - 1.0).abs() < 1.0 / 30.0, "{queued}");
    // With the default of ten minutes the earlier route still counts; SCReAM has the same rule.
    let [_, _, after] = rates("\"rtp:nada\"");
    assert!((after / 0.25 - 1.0).abs() < 1.0 / 30.0, "{after}");
    let [_, queued, after] = rates("{ name = \"rtp:scream\", base_history = 1 }");
    assert!(after == 1.5 && queued < 0.75, "{queued} {after}");
}
