//! Tests of queue disciplines under a load that does not yield: the utilisation of the link that remains.
//! Every run is checked by the verifier. Also tests of scenarios that take long to compute, which are
//! announced or refused.

use crate::verified;
use ackclock_aqm::Capacity;
use ackclock_lab::Scenario;
use ackclock_lab::cost::warnings;
use ackclock_lab::language::diagnostics;
use ackclock_lab::run::build;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// Runs 15 Mbit/s in packets of 1000 bytes on the wire through 10 Mbit/s for 100 s. Returns the result of the
/// last 40 s.
fn result(queue: &str) -> Value {
    let text = format!(
        "duration = \"100 s\"\nwarmup = \"60 s\"\n[[links]]\nbetween = [\"a\", \"b\"]\nrate = \"10 Mbit/s\"\n\
         delay = \"10 ms\"\nqueue = {queue}\nreverse = {{ rate = \"1 Gbit/s\" }}\n\
         [[flows]]\nfrom = \"a\"\nto = \"b\"\n\
         application = {{ name = \"cbr\", rate = \"14.58 Mbit/s\", packet = \"972 B\", header = \"28 B\" }}\n"
    );
    verified::result(&text, &Value::Null)
}

fn utilisation(queue: &str) -> f64 {
    result(queue)["links"][0]["utilisation"].as_f64().expect("a share")
}

#[test]
fn fq_codel_has_the_limit_of_its_rfc() {
    // The other disciplines have ns-2's 50 packets.
    for (queue, packets) in [("fq-codel", 10_240), ("codel", 50)] {
        let text = format!(
            "duration = \"1 s\"\n[[links]]\nbetween = [\"a\", \"b\"]\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n\
             queue = \"{queue}\"\n[[flows]]\nfrom = \"a\"\nto = \"b\"\ncontrol = \"reno\"\n"
        );
        let scenario = Scenario::parse(&text, "test", &Map::new()).expect("a valid scenario");
        assert_eq!(build::capacities(&scenario)[0], Some(Capacity::Packets(packets)), "{queue}");
    }
}

#[test]
fn an_idle_link_passes_a_packet_whatever_its_limit() {
    // Without room to wait, 5 Mbit/s of evenly spaced packets pass 10 Mbit/s unharmed, because none has to
    // wait. This holds for disciplines that decide at arrival and for those that decide at departure.
    for queue in ["droptail", "pie", "codel", "fq-codel", "dualpi2", "choke"] {
        let text = format!(
            "duration = \"2 s\"\n[[links]]\nbetween = [\"a\", \"b\"]\nrate = \"10 Mbit/s\"\ndelay = \"1 ms\"\n\
             queue = {{ name = \"{queue}\", limit = \"0 packets\" }}\nreverse = {{ rate = \"1 Gbit/s\" }}\n\
             [[flows]]\nfrom = \"a\"\nto = \"b\"\n\
             application = {{ name = \"cbr\", rate = \"5 Mbit/s\", packet = \"972 B\" }}\n"
        );
        let result = verified::result(&text, &Value::Null);
        let link = &result["links"][0];
        assert_eq!(link["dropped_packets"], 0, "{queue}");
        assert!(link["delivered_packets"].as_u64() > Some(1000), "{queue}: {link}");
    }
}

#[test]
fn avq_keeps_the_utilisation_of_its_link_at_gamma() {
    // AVQ's own drops do not count as load: the utilisation is held at 0.98. If they counted, the capacity
    // would fall while 0.98 of the link is less than the offered load, which is always. The capacity begins
    // at 0.8 and adapts within 1 / alpha = 10 s.
    let held = utilisation("{ name = \"avq\", limit = \"50 packets\" }");
    assert!((held - 0.98).abs() < 0.01, "{held}");
    let starved = utilisation("{ name = \"avq\", limit = \"50 packets\", load = \"offered\" }");
    assert!(starved < 0.05, "{starved}");
}

/// Returns a scenario of one second with one link from a to b, additional keys of the link, and the keys of a
/// flow over it.
fn link(rate: &str, keys: &str, flow: &str) -> String {
    format!(
        "duration = \"1 s\"\n[[links]]\nbetween = [\"a\", \"b\"]\nrate = \"{rate}\"\ndelay = \"10 ms\"\n{keys}\n\
         [[flows]]\nname = \"one\"\nfrom = \"a\"\nto = \"b\"\n{flow}\n"
    )
}

/// Returns a scenario of one second: a parking lot of `hops` hops with this queue, and a source over UDP with
/// this rate.
fn hops(hops: u32, queue: &str, rate: &str) -> String {
    format!(
        "duration = \"1 s\"\n[parking_lot]\nhops = {hops}\n\
         hop = {{ rate = \"10 Gbit/s\", delay = \"1 us\", queue = {queue} }}\n\
         access = {{ rate = \"10 Gbit/s\", delay = \"1 us\" }}\n\
         [[flows]]\nname = \"one\"\napplication = {{ name = \"cbr\", rate = \"{rate}\" }}\n"
    )
}

fn cbr(rate: &str) -> String {
    format!("application = {{ name = \"cbr\", rate = \"{rate}\" }}")
}

/// Returns the announcements of a scenario's costs.
fn announced(text: &str) -> Vec<String> {
    let scenario = Scenario::parse(text, "slow.toml", &Map::new())
        .unwrap_or_else(|problems| panic!("{}", diagnostics::render(&problems)));
    let costs =
        |warning: &String| warning.contains(" of CPU time; ") || warning.contains("in flight at once");
    warnings::of(&scenario).into_iter().filter(costs).collect()
}

/// Asserts that the first of two scenarios is announced in these words, among others, and that the second one
/// is not announced.
fn assert_announced(slow: &str, moderate: &str, words: &[&str]) {
    let told = announced(slow);
    let found = told.iter().any(|warning| words.iter().all(|word| warning.contains(word)));
    assert!(found, "{words:?} in {told:?}");
    assert_eq!(announced(moderate), [""; 0], "{words:?}");
}

#[test]
fn long_paths_are_announced() {
    // 10 Gbit/s in packets of 1028 bytes on the wire are 1,215,953 packets per second, or 1.2e9 passages over
    // 1002 links.
    assert_announced(
        &hops(1000, "\"droptail\"", "10 Gbit/s"),
        &hops(10, "\"droptail\"", "10 Gbit/s"),
        &["flow one: a path of 2004 links", "up to 1.2e9 transmissions", "about 2 minutes", "a shorter path"],
    );
}

#[test]
fn packets_that_are_mostly_headers_are_announced() {
    // With a payload of one byte, 4 Gbit/s are 5e8 packets per second, of which the rate on the wire suggests
    // one in 501.
    let flow = |rate: &str, packet: &str| {
        let packet = format!("packet = \"{packet}\", header = \"500 B\"");
        link("10 Mbit/s", "", &format!("application = {{ name = \"cbr\", rate = \"{rate}\", {packet} }}"))
    };
    assert_announced(
        &flow("4 Gbit/s", "1 B"),
        &flow("4 Gbit/s", "1000 B"),
        &[
            "flow one: packets with 1 B of payload: up to 5.0e8 packets",
            "use fewer packets, larger packets or a shorter `duration`",
        ],
    );
    // 400 sources send 500,000 packets per second each: one packet in each period.
    let periods = |on: &str| {
        let periods = format!("on = \"{on}\", packet = \"1 B\", header = \"500 B\"");
        let flow =
            format!("count = 400\napplication = {{ name = \"on-off\", rate = \"1 bit/s\", {periods} }}");
        link("10 Mbit/s", "", &flow)
    };
    assert_announced(
        &periods("1 us"),
        &periods("1 ms"),
        &["flow one: packets with 1 B of payload: up to 2.0e8"],
    );
}

#[test]
fn large_first_windows_are_announced() {
    let window = |transport: &str, packets: u32| {
        let windows = format!("window = \"{packets} packets\", initial_window = \"{packets} packets\"");
        let transport = format!("transport = {{ name = \"{transport}\", {windows} }}");
        link("10 Mbit/s", "", &format!("control = \"sack\"\n{transport}"))
    };
    let words = ["flow one: an `initial_window` of 16000000 packets: up to 1.6e7 packets"];
    assert_announced(&window("quic", 16_000_000), &window("quic", 100_000), &words);
    // Linux opens the window gradually.
    assert_eq!(announced(&window("linux", 16_000_000)), [""; 0]);
    // A short transfer does not fill the window.
    let short = window("quic", 16_000_000) + "application = { name = \"bulk\", size = \"1 MB\" }\n";
    assert_eq!(announced(&short), [""; 0]);
}

#[test]
fn transfers_are_counted_by_their_maximum_size() {
    // One in a thousand sizes exceeds a packet, up to 1000 packets: 2 packets on average, 1000 at most. 200
    // transfers over 1000 hops with their acknowledgements make 8e5 passages on average, and up to 4e8.
    let transfers = |count: u32| {
        let sizes = "[files.sizes]\ntext = \"1448 99.9\\n1448000 100\\n\"\n";
        format!(
            "duration = \"1 s\"\n[parking_lot]\nhops = 1000\nhop = {{ rate = \"10 Gbit/s\", delay = \"1 us\" }}\n\
             access = {{ rate = \"10 Gbit/s\", delay = \"1 us\" }}\n[[flows]]\nname = \"one\"\ncontrol = \"sack\"\n\
             application = {{ name = \"transfers\", sizes = \"sizes\", count = {count}, every = \"1 ms\" }}\n{sizes}"
        )
    };
    assert_announced(&transfers(200), &transfers(2), &["of CPU time; "]);
}

#[test]
fn reordering_of_large_windows_is_announced() {
    let flow = |control: &str, window: &str| {
        let transport = format!("transport = {{ name = \"rfc\", {window} }}");
        link(
            "10 Gbit/s",
            "jitter = \"1 ms\"\nreorder = true",
            &format!("control = \"{control}\"\n{transport}"),
        )
    };
    let first = "window = \"100000 packets\", initial_window = \"100000 packets\"";
    let words = ["link a-b: `reorder` while up to 100000 packets of a flow are in flight", "1.0e10 entries"];
    assert_announced(&flow("cubic", first), &flow("cubic", "window = \"100000 packets\""), &words);
    // A control with a model of its path does not reduce. Two products of 10 Gbit/s and 20 ms and the jitter
    // are 35,000 packets.
    let later = "window = \"100000 packets\"";
    assert_announced(
        &flow("bbrv1", later),
        &flow("bbrv1", "window = \"1000 packets\""),
        &["link a-b: `reorder` while up to 35000 packets"],
    );
}

#[test]
fn examinations_of_queues_are_announced() {
    // A discipline with 10,000 examinations per second makes 1e7 in 1000 s at each of 100 hops.
    let long = |hops_: u32, queue: &str| hops(hops_, queue, "1 Mbit/s").replace("\"1 s\"", "\"1000 s\"");
    for (name, key) in [("pie", "update_period"), ("pi", "sample_period"), ("adaptive-red", "interval")] {
        let queue = |every: &str| format!("{{ name = \"{name}\", {key} = \"{every}\" }}");
        assert_announced(
            &long(100, &queue("100 us")),
            &long(100, &queue("10 ms")),
            &[
                &format!(
                    "link hop-1 and 99 other links: `{key}` of 100 us: up to 1.0e9 queue inspections by disciplines"
                ),
                &format!("a longer `{key}`"),
            ],
        );
    }
    // Without an interval `paqm` examines its queue once in the time of ten packets, but no more often than every 0.1 ms:
    // 1e7 times in 1000 s, each with 200 values of 35 ns.
    let paqm = |order: u32| {
        let queue = format!("queue = {{ name = \"paqm\", order = {order} }}");
        link("1 Tbit/s", &queue, &cbr("1 Mbit/s")).replace("\"1 s\"", "\"1000 s\"")
    };
    assert_announced(
        &paqm(200),
        &paqm(20),
        &["link a-b: `interval` of 100 us with an `order` of 200", "a longer `interval`, a smaller `order`"],
    );
}

#[test]
fn a_short_run_is_announced_by_what_a_simulated_second_takes() {
    // 1 Tbit/s in writes of 1000 bytes are 1.25e8 writes a second, which take 6.25 s at 50 ns; 100 bytes at a time are 1e9,
    // the most, and 50 s. In 0.1 s these are 5 s: more than 10 s for a simulated second. In 0.01 s they are 0.5 s.
    let writes = |packet: &str, duration: &str| {
        let flow = format!(
            "control = \"reno\"\napplication = {{ name = \"cbr\", rate = \"1 Tbit/s\", packet = \"{packet}\" }}"
        );
        link("1 Mbit/s", "", &flow).replace("\"1 s\"", &format!("\"{duration}\""))
    };
    let words = ["flow one: writes of 100 B", "about 5 s of CPU time"];
    assert_announced(&writes("100 B", "0.1 s"), &writes("1000 B", "0.1 s"), &words);
    assert_announced(&writes("100 B", "0.1 s"), &writes("100 B", "0.01 s"), &words);
}

#[test]
fn predictors_and_phantom_queues_and_bins_are_announced() {
    let queue = |queue: &str| link("10 Gbit/s", &format!("queue = {queue}"), &cbr("100 Gbit/s"));
    let apace = |order: u32| queue(&format!("{{ name = \"apace\", order = {order} }}"));
    assert_announced(&apace(1000), &apace(10), &["link a-b: `order` of 1000: up to 1.2e10 multiplications"]);
    let policer = |queues: u32| {
        queue(&format!("{{ name = \"bc-pqp\", window = \"100 us\", queues = {queues} }}"))
            .replace("\"1 s\"", "\"10 s\"")
    };
    assert_announced(
        &policer(65_536),
        &policer(16),
        &["link a-b: `window` of 100 us with 65536 `queues`: up to 6.6e9 inspections of phantom queues"],
    );
    let fair = |quantum: &str| queue(&format!("{{ name = \"fair-policer\", quantum = \"{quantum}\" }}"));
    assert_announced(&fair("1 B"), &fair("100 B"), &["link a-b: `quantum` of 1 B: up to 1.2e9 rounds"]);
    let sfb = |rehash: &str| {
        queue(&format!("{{ name = \"sfb\", levels = 16, bins = 65536, rehash = \"{rehash}\" }}"))
    };
    assert_announced(
        &sfb("1 us"),
        &sfb("1 s"),
        &["link a-b: `rehash` of 1 us with 1048576 bins: up to 2.1e12 bins emptied"],
    );
}

#[test]
fn states_that_change_often_are_announced() {
    let loss = |length: &str| {
        let states = format!("loss = {{ name = \"gilbert-time\", good = \"{length}\", bad = \"{length}\" }}");
        link("10 Gbit/s", &states, &cbr("10 Gbit/s"))
    };
    let words = [
        "link a-b: `loss` whose states last 1 ns on average: up to 1.0e9 state changes",
        "longer `good` and `bad`",
    ];
    assert_announced(&loss("1 ns"), &loss("1 us"), &words);
    let jitter = |length: &str| {
        let states = format!("jitter = {{ most = \"1 ms\", good = \"{length}\", bad = \"{length}\" }}");
        link("10 Gbit/s", &states, &cbr("10 Gbit/s"))
    };
    assert_announced(&jitter("1 ns"), &jitter("1 us"), &["link a-b: `jitter` whose states last 1 ns"]);
}

/// Returns a scenario with a base station and mobiles, to each of which a source over UDP sends.
fn air(mobiles: usize, rate: &str, source: &str) -> String {
    let links = (0..mobiles).map(|mobile| {
        format!(
            "[[links]]\nbetween = [\"base\", \"m{mobile}\"]\nrate = \"{rate}\"\ndelay = \"1 us\"\nmedium = \"air\"\n\
             [[flows]]\nname = \"f{mobile}\"\nfrom = \"base\"\nto = \"m{mobile}\"\n{}\n",
            cbr(source)
        )
    });
    let medium = "[[media]]\nname = \"air\"\naccess = \"half-duplex\"\n";
    format!("duration = \"1 s\"\n{medium}{}", links.collect::<String>())
}

#[test]
fn media_of_many_stations_are_announced() {
    // Each of 100 mobiles receives 12,160 packets per second, each of which queries 200 stations. The
    // announced scenario has ten times as many of both.
    assert_announced(
        &air(1000, "100 Mbit/s", "100 Mbit/s"),
        &air(100, "100 Mbit/s", "100 Mbit/s"),
        &["medium air: 2000 links on the medium: up to 2.5e10 station queries", "fewer links on the medium"],
    );
}

#[test]
fn timers_that_fire_often_are_announced() {
    let flows = |count: u32, rto: &str| {
        let timeouts = format!("min_rto = \"{rto}\", max_rto = \"{rto}\", initial_rto = \"{rto}\"");
        let transport = format!("transport = {{ name = \"rfc\", {timeouts} }}");
        link("10 Mbit/s", "", &format!("count = {count}\ncontrol = \"sack\"\n{transport}"))
    };
    assert_announced(
        &flows(10_000, "1 ms"),
        &flows(10_000, "100 ms"),
        &[
            "flow one: `min_rto`, `max_rto` and `max_backoff` that allow a timeout every 1 ms: up to 1.0e7 timeouts",
        ],
    );
    let associations = |interval: &str| {
        let timers = format!("heartbeat_interval = \"{interval}\", min_rto = \"1 ms\"");
        let transport = format!("transport = {{ name = \"sctp\", {timers} }}");
        link("10 Mbit/s", "", &format!("count = 10000\ncontrol = \"sctp\"\n{transport}"))
            .replace("delay = \"10 ms\"", "delay = \"100 us\"")
    };
    assert_announced(
        &associations("1 us"),
        &associations("1 s"),
        &[
            "flow one: `heartbeat_interval` and `min_rto` that allow a HEARTBEAT every 1.201 ms: up to 8.3e6 HEARTBEATs",
        ],
    );
}

#[test]
fn more_packets_under_way_than_a_run_may_have_are_announced() {
    // In a parking lot with 60 s of access delay, everything sent in one second at 1 Tbit/s is in flight at
    // its end.
    let lot = |rate: &str| {
        format!(
            "duration = \"1 s\"\n[parking_lot]\nhops = 1\nhop = {{ rate = \"1 Tbit/s\", delay = \"10 ms\" }}\n\
             access = {{ rate = \"1 Tbit/s\", delay = \"60 s\" }}\n[[flows]]\n{}\n",
            cbr(rate)
        )
    };
    let words = ["UDP sources have about 1.2e8 packets in flight at once", "a shorter `delay`"];
    assert_announced(&lot("1 Tbit/s"), &lot("100 Gbit/s"), &words);
    // TCP has at most its window of 10,000 packets in flight.
    let tcp = lot("1 Tbit/s").replace(&cbr("1 Tbit/s"), "control = \"sack\"");
    assert_eq!(announced(&tcp), [""; 0]);
}

/// Returns the message that refuses a scenario.
fn refused(text: &str) -> String {
    let problems = Scenario::parse(text, "slow.toml", &Map::new()).expect_err("more than a day of computing");
    assert_eq!(problems.len(), 1, "{problems:?}");
    problems[0].to_string()
}

#[test]
fn runs_that_would_take_days_are_refused_at_their_cause() {
    // The scenario has 1000 hops with 10,000 examinations per second for 1,000,000 s.
    let looks = hops(1000, "{ name = \"pie\", update_period = \"100 us\" }", "1 kbit/s")
        .replace("10 Gbit/s", "1 Mbit/s")
        .replace("\"1 s\"", "\"1000000 s\"");
    let message = refused(&looks);
    let begins = "slow.toml:4:84: `parking_lot.hop.queue.update_period`: found `update_period` of 100 us: about 1.0e13 queue inspections \
     by disciplines, expected at most a day of CPU time, not 3 days: use a longer \
                  `update_period` or a shorter `duration`";
    assert!(message.starts_with(begins), "{message}");
    // A run of hours is announced, and so are examinations that `dualpi2` skips while its queue is empty.
    for text in [looks.replace("\"1000000 s\"", "\"100000 s\""), looks.replace("\"pie\"", "\"dualpi2\"")] {
        let told = announced(&text);
        assert!(told.iter().any(|warning| warning.contains("`update_period` of 100 us")), "{told:?}");
    }

    // The message names a key of the reverse direction, of a link declared by its nodes.
    let states = "reverse = { loss = { name = \"gilbert-time\", good = \"1 ns\", bad = \"1 ns\" } }";
    let requests = "count = 1000\napplication = { name = \"requests\", every = \"1 ms\" }";
    let text = link("10 Gbit/s", states, requests).replace("\"1 s\"", "\"10000 s\"");
    let message = refused(&text);
    let begins = "slow.toml:6:20: `links.0.reverse.loss`: found `loss` whose states last 1 ns on average: about 1.0e13 state changes";
    assert!(message.starts_with(begins), "{message}");

    // If the file names no path, the message points to the table of the flow.
    let text = hops(1000, "\"droptail\"", "10 Gbit/s").replace("\"1 s\"", "\"1000 s\"");
    let message = refused(&text);
    assert!(message.starts_with("slow.toml:6:1: `flows.0.path`: found a path of 2004 links"), "{message}");
}

#[test]
fn a_refusal_names_the_table_that_describes_the_link() {
    const STATES: &str = "loss = { name = \"gilbert-time\", good = \"1 ns\", bad = \"1 ns\" }";
    const WIRE: &str = "rate = \"100 Mbit/s\", delay = \"1 ms\"";
    let wire = |lossy: bool| if lossy { format!("{{ {WIRE}, {STATES} }}") } else { format!("{{ {WIRE} }}") };
    let dumbbell = |bottleneck: bool, access: bool, right: bool| {
        format!(
            "[dumbbell]\nbottleneck = {}\naccess = {}\nright = {}\n",
            wire(bottleneck),
            wire(access),
            if right { format!("{{ {STATES} }}") } else { "{}".to_owned() }
        )
    };
    let parallel = |bottleneck: bool, access: bool| {
        let bottlenecks = format!("{}, {}", wire(bottleneck), wire(false));
        format!("[parallel]\nbottlenecks = [{bottlenecks}]\naccess = {}\n", wire(access))
    };
    let lot = |hop: bool, access: bool| {
        format!("[parking_lot]\nhops = 1\nhop = {}\naccess = {}\n", wire(hop), wire(access))
    };
    for (network, path) in [
        (dumbbell(true, false, false), "dumbbell.bottleneck.loss"),
        (dumbbell(false, true, false), "dumbbell.access.loss"),
        (dumbbell(false, false, true), "dumbbell.right.loss"),
        (parallel(true, false), "parallel.bottlenecks.0.loss"),
        (parallel(false, true), "parallel.access.loss"),
        (lot(true, false), "parking_lot.hop.loss"),
        (lot(false, true), "parking_lot.access.loss"),
    ] {
        // 10,000 packets arrive per second, and before each of them a thousand changes are simulated.
        let source = "[[flows]]\nname = \"one\"\napplication = { name = \"cbr\", rate = \"80 Mbit/s\" }\n";
        let message = refused(&format!("duration = \"1000000 s\"\n{network}{source}"));
        assert!(message.contains(&format!(": `{path}`: found `loss` whose states last 1 ns")), "{message}");
    }
}

#[test]
fn the_possible_cost_of_a_sender_that_reacts_is_never_refused() {
    // 10,000 senders with a timeout per millisecond for 1,000,000 s would have 1e13 timeouts of 1.5 us, if
    // all their packets were lost.
    let rto = "min_rto = \"1 ms\", max_rto = \"1 ms\", initial_rto = \"1 ms\"";
    let flow = format!("count = 10000\ncontrol = \"sack\"\ntransport = {{ name = \"rfc\", {rto} }}");
    let told = announced(&link("1 Mbit/s", "", &flow).replace("\"1 s\"", "\"1000000 s\""));
    assert!(told.len() == 1 && told[0].contains("about 174 days of CPU time"), "{told:?}");
}

#[test]
fn the_scenarios_of_this_repository_are_not_announced() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let files = || {
        std::fs::read_dir(&folder)
            .expect("scenarios")
            .flat_map(|entry| std::fs::read_dir(entry.ok()?.path()).ok())
    };
    let texts: Vec<(PathBuf, String)> = files()
        .flatten()
        .filter_map(|file| Some(file.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .map(|path| (path.clone(), std::fs::read_to_string(&path).expect("a scenario")))
        .collect();
    assert!(texts.len() > 20, "{texts:?}");
    for (path, text) in texts {
        // A scenario that names a file beside it cannot be parsed without that file.
        if Scenario::parse(&text, "scenario.toml", &Map::new()).is_ok() {
            assert_eq!(announced(&text), [""; 0], "{}", path.display());
        }
    }
}
