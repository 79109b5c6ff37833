//! Tests of the messages about mistakes in scenario files: the location, what was found, what was expected,
//! and a valid alternative. No file, however hostile, costs much before it is refused.

use ackclock_lab::language::diagnostics;
use ackclock_lab::{Diagnostic, Scenario};
use serde_json::{Map, Value, json};

/// A valid scenario with a dumbbell.
const DUMBBELL: &str = r#"name = "right"
duration = "10 s"
warmup = "1 s"

[dumbbell]
pairs = 2
bottleneck = { rate = "10 Mbit/s", delay = "10 ms", queue = { name = "red", limit = "50 packets" } }
access = { rate = "100 Mbit/s", delay = "1 ms" }

[[flows]]
name = "tcp"
count = 2
control = "newreno"
start = { uniform = ["0 s", "0.1 s"] }

[flows.transport]
name = "ns2"
min_rto = "0.2 s"
"#;

/// Two links that do not meet, and a flow over one of them.
const LINKS: &str = r#"duration = "10 s"

[[links]]
between = ["a", "b"]
rate = "10 Mbit/s"
delay = "10 ms"

[[links]]
between = ["c", "d"]
rate = "10 Mbit/s"
delay = "10 ms"

[[flows]]
control = "sack"
from = "a"
to = "b"
"#;

/// One mistake: what is replaced in a valid file, by what, and the message about it.
struct Mistake {
    right: &'static str,
    wrong: &'static str,
    place: (usize, usize),
    path: &'static str,
    found: &'static str,
    /// A part of what was expected.
    expected: &'static str,
    hint: Option<&'static str>,
}

/// Returns a mistake, for tables of mistakes.
const fn mistake(
    (right, wrong): (&'static str, &'static str),
    place: (usize, usize),
    path: &'static str,
    found: &'static str,
    expected: &'static str,
    hint: Option<&'static str>,
) -> Mistake {
    Mistake { right, wrong, place, path, found, expected, hint }
}

const TIMES: &str = "a time such as \"40 ms\" (ns, us, ms, s, min, h)";
const RATES: &str = "a rate such as \"10 Mbit/s\" (bit/s, kbit/s, Mbit/s, Gbit/s, Tbit/s)";
const CONTROLS: &str = "a control; `ackclock list controls` lists them all";

#[rustfmt::skip]
const IN_DUMBBELL: &[Mistake] = &[
    // These mistakes are in keys.
    mistake(("duration", "durration"), (2, 1), "durration", "the key `durration`", "one of name, duration, warmup", Some("`duration`")),
    mistake(("count", "cuont"), (12, 1), "flows.0.cuont", "the key `cuont`", "one of name, count, control", Some("`count`")),
    mistake(("count", "colour"), (12, 1), "flows.0.colour", "the key `colour`", "one of name, count, control", None),
    mistake(("min_rto", "minrto"), (18, 1), "flows.0.transport.minrto", "the key `minrto`", "a known key", Some("`min_rto`")),
    mistake(("limit", "limt"), (7, 77), "dumbbell.bottleneck.queue.limt", "the key `limt`", "one of name, limit, min_threshold", Some("`limit`")),
    mistake(("duration = \"10 s\"\n", ""), (1, 1), "duration", "no `duration` in the scenario", "the length of the run, such as \"100 s\"", None),
    mistake(("\"10 Mbit/s\"", "10000000"), (7, 23), "dumbbell.bottleneck.rate", "10000000", RATES, Some("\"10 Mbit/s\"")),
    mistake(("\"10 ms\"", "nan"), (7, 44), "dumbbell.bottleneck.delay", "NaN", "a time such as", None),
    mistake(("name = \"right\"", "name = \"wr\\u001b[31mong\""), (1, 8), "name", "\"wr\\u{1b}[31mong\"", "a name of 1 to 200 characters on one line", None),
    mistake(("name = \"tcp\"", "name = \"\""), (11, 8), "flows.0.name", "\"\"", "a name of 1 to 200 characters on one line", None),
    mistake(("rate = \"10 Mbit/s\", ", ""), (7, 14), "dumbbell.bottleneck.rate", "no `rate` in `dumbbell.bottleneck`", "the rate at which the link sends, such as \"10 Mbit/s\"", None),
    mistake(("control = \"newreno\"\n", ""), (10, 1), "flows.0.control", "no `control`", CONTROLS, None),
    mistake(("\"newreno\"", "\"bbrv3\"\nslow_start = \"hystart\""), (14, 14), "flows.0.slow_start", "`slow_start` with the control \"bbrv3\"", "a window-based control instead", None),
    mistake(("\"newreno\"", "\"bbrv3\"\ndiscriminator = \"spike\""), (14, 17), "flows.0.discriminator", "`discriminator` with the control \"bbrv3\"", "a window-based control instead", None),
    mistake(("\"newreno\"", "\"tcp-rtt\""), (16, 1), "flows.0.transport", "a transport without timestamps", "the loss discriminator \"rtt\"", None),
    mistake(("min_rto = ", "local_drop = \"cwr\"\nsend_jitter = \"1 us\"\nmin_rto = "), (16, 1), "flows.0.transport", "`local_drop = \"cwr\"` with a `send_jitter`", "interface refuses is always lost", None),
    // These mistakes are in quantities and their units.
    mistake(("10 Mbit/s", "10 Mbps"), (7, 23), "dumbbell.bottleneck.rate", "\"10 Mbps\"", RATES, Some("\"10 Mbit/s\"")),
    mistake(("10 Mbit/s", "10 MB/s"), (7, 23), "dumbbell.bottleneck.rate", "\"10 MB/s\"", RATES, Some("\"80 Mbit/s\"")),
    mistake(("10 Mbit/s", "10 ms"), (7, 23), "dumbbell.bottleneck.rate", "\"10 ms\"", RATES, None),
    mistake(("\"10 Mbit/s\"", "10"), (7, 23), "dumbbell.bottleneck.rate", "10", RATES, Some("\"10 Mbit/s\"")),
    mistake(("10 ms", "10 msec"), (7, 44), "dumbbell.bottleneck.delay", "\"10 msec\"", TIMES, Some("\"10 ms\"")),
    mistake(("\"10 ms\"", "10"), (7, 44), "dumbbell.bottleneck.delay", "10", TIMES, Some("\"10 s\" or \"10 ms\"")),
    mistake(("10 ms", "10"), (7, 44), "dumbbell.bottleneck.delay", "\"10\"", TIMES, Some("\"10 s\" or \"10 ms\"")),
    mistake(("10 ms", "0,5 ms"), (7, 44), "dumbbell.bottleneck.delay", "\"0,5 ms\"", TIMES, None),
    mistake(("\"50 packets\"", "50"), (7, 85), "dumbbell.bottleneck.queue.limit", "50", "a queue limit such as \"50 packets\"", Some("\"50 packets\"")),
    mistake(("count = 2", "count = \"2\""), (12, 9), "flows.0.count", "\"2\"", "a whole number without quotes", Some("2")),
    mistake(("min_rto = \"0.2 s\"", "ecn = \"yes\""), (18, 7), "flows.0.transport.ecn", "\"yes\"", "true or false without quotes", None),
    mistake(("\"10 s\"", "2027-05-01"), (2, 12), "duration", "a date", TIMES, None),
    // These mistakes are in rates that change.
    mistake(("\"10 Mbit/s\"", "{ cycle = [] }"), (7, 33), "dumbbell.bottleneck.rate.cycle", "a list of 0 values", "1 to 10000 values: phases", None),
    mistake(("\"10 Mbit/s\"", "{ cicle = [] }"), (7, 25), "dumbbell.bottleneck.rate.cicle", "the key `cicle`", "cycle", Some("`cycle`")),
    mistake(("\"10 Mbit/s\"", "{}"), (7, 23), "dumbbell.bottleneck.rate.cycle", "no `cycle` in `dumbbell.bottleneck.rate`", "such as [[\"20 s\", \"100 Mbit/s\"]", None),
    mistake(("\"10 Mbit/s\"", "{ cycle = [[\"20 s\"]] }"), (7, 34), "dumbbell.bottleneck.rate.cycle", "a list of 1 value", "the length of the phase, then its rate", None),
    mistake(("\"10 Mbit/s\"", "{ cycle = [\"20 s\"] }"), (7, 34), "dumbbell.bottleneck.rate.cycle", "\"20 s\"", "the length of the phase, then its rate", None),
    mistake(("\"10 Mbit/s\"", "{ cycle = [[\"10 Mbit/s\", \"1 s\"]] }"), (7, 35), "dumbbell.bottleneck.rate.cycle", "\"10 Mbit/s\"", TIMES, None),
    mistake(("\"10 Mbit/s\"", "{ cycle = [[\"1 s\", \"0 bit/s\"]] }"), (7, 33), "dumbbell.bottleneck.rate.cycle", "a rate that stays at 0", "a phase with a rate above 0", None),
    mistake(("\"10 Mbit/s\"", "{ cycle = [[\"0 s\", \"1 kbit/s\"]] }"), (7, 35), "dumbbell.bottleneck.rate.cycle", "\"0 s\"", "a time from 1 us to 1000000 s", None),
    // These values have no meaning.
    mistake(("10 Mbit/s", "0 Mbit/s"), (7, 23), "dumbbell.bottleneck.rate", "\"0 Mbit/s\"", "a rate from 1 bit/s to 1 Tbit/s", None),
    mistake(("10 Mbit/s", "-10 Mbit/s"), (7, 23), "dumbbell.bottleneck.rate", "\"-10 Mbit/s\"", "a rate that is not negative", None),
    mistake(("10 ms", "-10 ms"), (7, 44), "dumbbell.bottleneck.delay", "\"-10 ms\"", "a time that is not negative", None),
    mistake(("10 ms", "2 h"), (7, 44), "dumbbell.bottleneck.delay", "\"2 h\"", "a time from 0 to 3600 s", None),
    mistake(("\"10 s\"", "\"0 s\""), (2, 12), "duration", "\"0 s\"", "a time above 0 and at most 1000000 s", None),
    mistake(("\"1 s\"", "\"10 s\""), (3, 10), "warmup", "a warm-up of 10 s", "less than the run's duration", None),
    mistake(("count = 2", "count = 0"), (12, 9), "flows.0.count", "0", "a whole number from 1 to 10000", None),
    mistake(("count = 2", "count = 2.5"), (12, 9), "flows.0.count", "2.5", "a whole number", None),
    mistake(("count = 2", "count = 99999999999999999999"), (12, 9), "flows.0.count", "a number beyond 64 bits", "a whole number", None),
    mistake(("\"newreno\"", "{ name = \"newreno\", decrease = 1.5 }"), (13, 42), "flows.0.control.decrease", "1.5", "a number from 0 to 1", None),
    mistake(("\"newreno\"", "{ name = \"newreno\", decrease = nan }"), (13, 42), "flows.0.control.decrease", "NaN", "a number from 0 to 1", None),
    mistake(("min_rto = \"0.2 s\"", "window = \"0 packets\""), (18, 10), "flows.0.transport.window", "\"0 packets\"", "a number of packets from 1 to", None),
    mistake(("min_rto = \"0.2 s\"", "min_rto = \"70 s\""), (18, 11), "flows.0.transport.min_rto", "`min_rto` above `max_rto`", "`max_rto` (default 60 s)", None),
    mistake(("queue = {", "loss = { name = \"independent\", probability = \"1 %\" }, queue = {"), (7, 98), "dumbbell.bottleneck.loss.probability", "\"1 %\"", "a number without quotes", Some("0.01")),
    mistake(("[\"0 s\", \"0.1 s\"]", "[\"1 s\", \"0.1 s\"]"), (14, 21), "flows.0.start.uniform", "the bounds 1 s and 100 ms", "the lower bound, then the upper", None),
    mistake(("count = 2", "stop = \"50 ms\""), (12, 8), "flows.0.stop", "a stop at 50 ms, although a flow can start as late as 100 ms", "a stop after the start of every flow of the group", None),
    mistake(("{ uniform = [\"0 s\", \"0.1 s\"] }", "\"never\"\nstop = \"5 s\""), (15, 8), "flows.0.stop", "a stop at 5 s for flows that never start", "no `stop` with `start = \"never\"`", None),
    mistake(("queue = {", "duplicate = {}, queue = {"), (7, 65), "dumbbell.bottleneck.duplicate.share", "no `share` in `dumbbell.bottleneck.duplicate`", "or `cycle`, `steps` or `trace` instead", None),
    mistake(("{ uniform = [\"0 s\", \"0.1 s\"] }", "\"Never\""), (14, 9), "flows.0.start", "\"Never\"", "\"never\", in lower case", None),
    mistake(("{ uniform = [\"0 s\", \"0.1 s\"] }", "\"10 s\""), (14, 9), "flows.0.start", "a start at 10 s for flow 1 of 2", "a start before the end of the run at 10 s; `start = \"never\"` leaves out the whole group", None),
    mistake(("{ uniform = [\"0 s\", \"0.1 s\"] }", "{ every = \"11 s\" }"), (14, 9), "flows.0.start", "a start at 11 s for flow 2 of 2", "a start before the end of the run at 10 s; `start = \"never\"` leaves out the whole group", None),
    mistake(("uniform = [\"0 s\", \"0.1 s\"]", "uniform = [\"10 s\", \"11 s\"]"), (14, 9), "flows.0.start", "a start at 10 s or later for flow 1 of 2", "a start before the end of the run at 10 s; `start = \"never\"` leaves out the whole group", None),
    // These mistakes are in names.
    mistake(("\"newreno\"", "\"new-reno\""), (13, 11), "flows.0.control", "\"new-reno\"", CONTROLS, Some("`newreno`")),
    mistake(("\"newreno\"", "\"cubik\""), (13, 11), "flows.0.control", "\"cubik\"", CONTROLS, Some("`cubic`")),
    mistake(("\"newreno\"", "\"bbr\""), (13, 11), "flows.0.control", "\"bbr\"", CONTROLS, Some("`bbrv3`")),
    mistake(("\"newreno\"", "3"), (13, 11), "flows.0.control", "3", "in quotes, or as the `name` of a table with parameters", None),
    mistake(("\"red\"", "\"drop-tail\""), (7, 70), "dumbbell.bottleneck.queue.name", "\"drop-tail\"", "a queue; `ackclock list queues` lists them all", Some("`droptail`")),
    mistake(("\"ns2\"", "\"ns3\""), (17, 8), "flows.0.transport.name", "\"ns3\"", "one of rfc, ns2, linux", Some("`ns2`")),
    mistake(("min_rto = \"0.2 s\"", "growth = \"packet\""), (18, 10), "flows.0.transport.growth", "\"packet\"", "one of acks, packets", Some("`packets`")),
    mistake(("\"tcp\"", "\"a.b\""), (11, 8), "flows.0.name", "\"a.b\"", "a name without dots", None),
    mistake(("[flows.transport]", "[[flows]]\nname = \"tcp\"\ncontrol = \"sack\"\n[flows.transport]"), (16, 1), "flows.1", "a second group called \"tcp\"", "a unique `name`", None),
    // These values have the wrong form.
    mistake(("access = { rate = \"100 Mbit/s\", delay = \"1 ms\" }", "access = \"100 Mbit/s\""), (8, 10), "dumbbell.access", "\"100 Mbit/s\"", "a table of `rate`, `delay`", None),
    mistake(("[[flows]]", "[parking_lot]\nhops = 2\n[[flows]]"), (10, 1), "parking_lot", "a second network", "only one of [dumbbell], [parallel], [parking_lot] and [[links]]", None),
    // These mistakes are in places of flows.
    mistake(("count = 2", "pair = 7"), (12, 8), "flows.tcp", "pair 7", "a pair from 1 to 2", None),
    mistake(("count = 2", "from = \"source-1\"\nto = \"sink-9\""), (13, 6), "flows.tcp", "the node \"sink-9\"", "a node of the network: one of left, right, source-1", Some("`sink-2`")),
    mistake(("count = 2", "from = \"left\"\nto = \"left\""), (12, 8), "flows.tcp", "a flow from a node to itself", "two different nodes", None),
    mistake(("count = 2", "pair = 1\npath = [\"left\", \"right\"]"), (13, 8), "flows.0.path", "`path` together with `pair`", "only one of `pair`, `from` with `to`, `path` and `paths`", None),
    mistake(("count = 2", "to = \"right\""), (12, 6), "flows.0.to", "`to` without `from`", "`from` as well", None),
    mistake(("count = 2", "path = [\"left\"]"), (12, 8), "flows.0.path", "a list of 1 name", "2 to 1000 names: the nodes that each flow passes", None),
    mistake(("count = 2", "pair = []"), (12, 8), "flows.0.pair", "a list of 0 numbers", "1 or more numbers: the number of the pair of hosts", None),
    mistake(("count = 2", "pair = [1, 3]"), (12, 8), "flows.tcp", "pair 3", "a pair from 1 to 2", None),
    mistake(("count = 2", "pair = [1, \"2\"]"), (12, 12), "flows.0.pair", "\"2\"", "a whole number without quotes", Some("2")),
    // These mistakes are in applications.
    mistake(("count = 2", "application = { name = \"web\", objects = 1000 }"), (12, 15), "flows.0.application", "1000000 objects in all", "at most 10000", None),
    mistake(("count = 2", "count = 3\napplication = \"transfers\""), (12, 9), "flows.0.count", "`count` of transfers", "the application's `count` sets the number of transfers", None),
    mistake(("count = 2", "application = { name = \"transfers\", count = 20000 }"), (12, 45), "flows.0.application.count", "20000", "a whole number from 1 to 10000", None),
    mistake(("count = 2", "count = 3\napplication = \"web\""), (12, 9), "flows.0.count", "`count` of web sessions", "`sessions` sets the number of web sessions", None),
    mistake(("count = 2", "application = { name = \"web\", shape = 1 }"), (12, 39), "flows.0.application.shape", "1", "a number above 1 and at most 100", None),
    mistake(("count = 2", "application = \"on_off\""), (12, 15), "flows.0.application", "\"on_off\"", "one of bulk, cbr, on-off", Some("`on-off`")),
    // These mistakes are in the syntax of TOML.
    mistake(("\"10 s\"", "10 s"), (2, 12), "", "a value that is not TOML", "a string or a quantity in quotes such as \"10 s\"", None),
    mistake(("warmup", "duration"), (3, 1), "", "a duplicate key", "each key once", None),
    mistake(("[[flows]]", "[[flows]"), (10, 9), "", "unclosed array table (not TOML)", "`]`", None),
    mistake(("\"newreno\"", "\"newreno"), (13, 19), "", "invalid basic string (not TOML)", "`\"`", None),
    // These values ask for too much.
    mistake(("\"10 s\"", "\"900000 h\""), (2, 12), "duration", "\"900000 h\"", "at most 1000000 s", None),
    mistake(("warmup = \"1 s\"", "observe = { interval = \"1 ns\" }"), (3, 24), "observe.interval", "10000000000 samples of 2 flows and 10 links", "a longer interval: at most 100000", None),
    mistake(("[[flows]]", "[sweep]\n\"flows.tcp.count\" = []\n[[flows]]"), (11, 21), "sweep.\"flows.tcp.count\"", "an empty list", "a list of the values to try", None),
    mistake(("[[flows]]", "[sweep]\nflows.tcp.count = [1, 2]\n[[flows]]"), (11, 1), "sweep.\"flows\"", "a table", "for a dotted path in quotes", None),
    mistake(("[[flows]]", "[sweep]\n\"flows.tcp.count\" = [1, 0]\n[[flows]]"), (11, 25), "flows.0.count", "0", "a whole number from 1 to 10000", None),
    mistake(("[[flows]]", "[sweep]\n\"flows.tpc.count\" = [1, 2]\n[[flows]]"), (11, 1), "flows.tpc.count", "no item `tpc`", "or the name tcp", None),
    mistake(("[[flows]]", "[sweep]\n\"flows.tcp.cuont\" = [1, 2]\n[[flows]]"), (11, 1), "flows.0.cuont", "the key `cuont`", "one of name, count", Some("`count`")),
    mistake(("[[flows]]", "[sweep]\n\"dumbbell.botleneck.delay\" = [\"1 ms\", \"2 ms\"]\n[[flows]]"), (11, 1), "dumbbell.botleneck", "the key `botleneck`", "one of pairs, rtt, bottleneck", Some("`bottleneck`")),
    mistake(("[[flows]]", "[sweep]\nreplications = [1, 2]\n[[flows]]"), (11, 1), "sweep.\"replications\"", "a sweep of `replications`", "a path to a key that changes what a run simulates", None),
    mistake(("[[flows]]", "[sweep]\n\"flows.tcp.count\" = [1, 2, 1]\n[[flows]]"), (11, 28), "sweep.\"flows.tcp.count\"", "1, which equals value 1 of the list", "every value once", None),
    mistake(("[[flows]]", "[sweep]\n\"flows.tcp.count\" = { from = 1, to = 9 }\n[[flows]]"), (10, 1), "sweep.samples", "ranges without `samples`", "samples = { count = 64 }", None),
    mistake(("[[flows]]", "[sweep]\nsamples = { count = 9 }\nduration = [\"1 s\"]\n[[flows]]"), (11, 11), "sweep.samples", "`samples` without a range", "a range such as", None),
    mistake(("[[flows]]", "[sweep]\nsamples = { count = 9 }\n\"flows.tcp.count\" = { from = 1, to = 4 }\n[[flows]]"), (11, 11), "sweep.samples", "9 samples, some of which are equal", "fewer samples", None),
    mistake(("warmup = \"1 s\"", "precision = { within = \"5\", metrics = [\"fairness\"], replications_most = 9 }"), (3, 24), "precision.within", "\"5\"", "a percentage above 0", None),
    mistake(("warmup = \"1 s\"", "precision = { within = \"5 %\", metrics = [\"groups.tcp.godput_bps\"], replications_most = 9 }"), (3, 41), "precision.metrics", "\"groups.tcp.godput_bps\" (did you mean `goodput_bps`?)", "a numeric field of the results", None),
    mistake(("warmup = \"1 s\"", "precision = { within = \"5 %\", metrics = [\"fairness\"], replications_most = 4 }"), (3, 75), "precision.replications_most", "4", "at least 5, the initial number of replications (`replications`)", None),
    mistake(("warmup = \"1 s\"", "seed = 9007199254740992"), (3, 8), "seed", "9007199254740992", "a whole number from 0 to 9007199254740991", None),
];

#[rustfmt::skip]
const IN_LINKS: &[Mistake] = &[
    mistake(("to = \"b\"", "to = \"c\""), (15, 8), "flows.sack", "no path from \"a\" to \"c\"", "links that connect the flow's nodes in both directions", None),
    mistake(("between = [\"a\", \"b\"]", "from = \"a\"\nto = \"b\""), (16, 8), "flows.sack", "no path from \"b\" to \"a\"", "links that connect the flow's nodes in both directions", None),
    mistake(("to = \"b\"", "to = \"bb\""), (16, 6), "flows.sack", "the node \"bb\"", "a node of the network: one of a, b, c, d", Some("`b`")),
    mistake(("from = \"a\"\nto = \"b\"\n", ""), (13, 1), "flows.sack", "no path", "`from` and `to`, or `path`: the nodes between which the flow runs", None),
    mistake(("from = \"a\"\nto = \"b\"\n", "pair = 1\n"), (15, 8), "flows.sack", "`pair`", "only [dumbbell] and [parallel] networks have pairs of hosts", None),
    mistake(("[\"c\", \"d\"]", "[\"c\", \"c\"]"), (9, 11), "links.1.between", "a link from \"c\" to itself", "two different nodes", None),
    mistake(("[\"c\", \"d\"]", "[\"c\"]"), (9, 11), "links.1.between", "a list of 1 name", "such as [\"a\", \"b\"]", None),
    mistake(("[\"c\", \"d\"]", "[\"a\", \"b\"]"), (8, 1), "links.1.name", "a second link called \"a-b\"", "a unique `name`", None),
    // The reverse direction of the second link has the name of the first.
    mistake(("[[links]]\nbetween = [\"a\", \"b\"]", "[[links]]\nname = \"c-d-reverse\"\nbetween = [\"a\", \"b\"]"), (9, 1), "links.1.name", "a second link called \"c-d-reverse\"", "a unique `name`", None),
    mistake(("between = [\"c\", \"d\"]\n", ""), (8, 1), "links.1.between", "no `between` in `links.1`", "such as [\"a\", \"b\"]", None),
    mistake(("[[flows]]", "[flows]"), (13, 1), "flows", "one table, [flows]", "a list of tables, [[flows]]", None),
    // A mistake in a link is not reported again for the flow over it.
    mistake(("rate = \"10 Mbit/s\"", "rate = \"10 Mbps\""), (5, 8), "links.0.rate", "\"10 Mbps\"", RATES, Some("\"10 Mbit/s\"")),
];

#[test]
fn valid_files_are_read() {
    for text in [DUMBBELL, LINKS] {
        assert!(problems(text).is_empty(), "{}", diagnostics::render(&problems(text)));
    }
}

#[test]
fn every_mistake_gets_one_message_with_its_place_and_the_remedy() {
    for (right, mistakes) in [(DUMBBELL, IN_DUMBBELL), (LINKS, IN_LINKS)] {
        for mistake in mistakes {
            assert!(right.contains(mistake.right), "{} is in no valid file", mistake.right);
            let found = problems(&right.replacen(mistake.right, mistake.wrong, 1));
            let rendered = diagnostics::render(&found);
            let [problem] = found.as_slice() else {
                panic!(
                    "{} instead of {}: {} messages: {rendered}",
                    mistake.wrong,
                    mistake.right,
                    found.len()
                );
            };
            assert_eq!(
                (problem.line, problem.column),
                (Some(mistake.place.0), Some(mistake.place.1)),
                "{rendered}"
            );
            assert_eq!(problem.path, mistake.path, "{rendered}");
            assert_eq!(problem.found, mistake.found, "{rendered}");
            assert!(problem.expected.contains(mistake.expected), "{rendered}");
            assert_eq!(problem.hint.as_deref(), mistake.hint, "{rendered}");
        }
    }
}

#[test]
fn a_file_with_the_hint_applied_is_valid() {
    // If a name or a quantity is suggested, the file with that suggestion is accepted.
    let mut taken = 0;
    for mistake in
        IN_DUMBBELL.iter().filter(|mistake| mistake.right.contains(' ') && mistake.wrong.contains(' '))
    {
        let Some(hint) = mistake.hint.filter(|hint| hint.starts_with('"') && !hint.contains(" or ")) else {
            continue;
        };
        let hinted = mistake.wrong.replace(mistake.found.trim_matches('"'), hint.trim_matches('"'));
        let text = DUMBBELL.replacen(mistake.right, &hinted, 1);
        assert!(problems(&text).is_empty(), "{hint}: {}", diagnostics::render(&problems(&text)));
        taken += 1;
    }
    assert!(taken >= 3, "{taken}");
}

#[test]
fn a_message_has_its_complete_text() {
    let text = DUMBBELL.replace("10 Mbit/s", "10 Mbps").replace("count = 2", "cuont = 2");
    assert_eq!(
        diagnostics::render(&problems(&text)),
        r#"file.toml:7:23: `dumbbell.bottleneck.rate`: found "10 Mbps", expected a rate such as "10 Mbit/s" (bit/s, kbit/s, Mbit/s, Gbit/s, Tbit/s); did you mean "10 Mbit/s"?
    |
  7 | bottleneck = { rate = "10 Mbps", delay = "10 ms", queue = { name = "red", limit = "50 packets" } }
    |                       ^
file.toml:12:1: `flows.0.cuont`: found the key `cuont`, expected one of name, count, control, discriminator, action, slow_start, resume, ecn_response, growth_limit, backoff, selector, transport, reader, application, start, stop, dscp, pair, from, to, path, paths; did you mean `count`?
     |
  12 | cuont = 2
     | ^"#
    );
}

#[test]
fn several_mistakes_are_reported_at_once_in_the_order_of_the_file() {
    let text = DUMBBELL
        .replace("warmup", "warmpu")
        .replace("\"10 ms\"", "10")
        .replace("count = 2", "count = 0")
        .replace("\"newreno\"", "\"newrno\"")
        .replace("\"0.2 s\"", "\"0.2 sec\"");
    let lines: Vec<Option<usize>> = problems(&text).iter().map(|problem| problem.line).collect();
    assert_eq!(lines, [3, 7, 12, 13, 18].map(Some));
}

#[test]
fn positions_are_right_with_windows_line_ends_and_letters_of_all_alphabets() {
    let windows = DUMBBELL.replace('\n', "\r\n").replace("count = 2", "cuont = 2");
    assert_eq!(places(&windows), [(12, 1)]);
    // Columns count characters: with letters of two bytes each, the column is that of ASCII letters of one
    // byte each.
    let greek = DUMBBELL.replace("\"red\", limit", "\"ρεδ\", limt");
    assert_eq!(places(&greek), [(7, 70)]);
    let tabs = DUMBBELL.replace("count = 2", "\tcuont = 2");
    assert_eq!(places(&tabs), [(12, 2)]);
    assert!(diagnostics::render(&problems(&tabs)).ends_with("  12 | \tcuont = 2\n     | \t^"));
}

#[test]
fn a_mistake_in_an_override_is_reported_as_such() {
    let overrides = json!({ "flows.tcp.count": 0, "dumbbell.bottleneck.rat": "1 Mbit/s" });
    let problems = refused(DUMBBELL, &overrides);
    assert_eq!(problems.len(), 2);
    assert!(problems.iter().all(|problem| problem.line.is_none()));
    let rendered = diagnostics::render(&problems);
    assert!(
        rendered.contains("file.toml (override): `flows.0.count`: found 0, expected a whole number"),
        "{rendered}"
    );
    assert!(rendered.contains("`dumbbell.bottleneck.rat`: found the key `rat`"), "{rendered}");
    assert!(rendered.contains("did you mean `rate`?"), "{rendered}");
    let problems = refused(DUMBBELL, &json!({ "flows.udp.count": 1 }));
    assert_eq!(problems[0].expected, "the index 0 or the name tcp");
}

#[test]
fn all_mistakes_of_a_sweep_and_of_its_scenario_are_reported_at_once() {
    let paths =
        "[sweep]\n\"flows.udp.count\" = [1]\n\"flows.tcp.cuont\" = [1]\n\"flows.tcp.count\" = [2, 0, -1]\n";
    let sweep = format!("{DUMBBELL}{paths}");
    assert_eq!(places(&sweep), [(20, 1), (21, 1), (22, 25), (22, 28)]);
    // A sweep of mistakes beside one in the scenario itself: of its points the first is read.
    assert_eq!(places(&sweep.replace("\"newreno\"", "\"newrno\"")), [(13, 11), (20, 1), (21, 1)]);
    let twice = format!("{DUMBBELL}[sweep]\nseed = [1]\nreplications = [1]\n").replace("warmup", "warmpu");
    assert_eq!(places(&twice), [(3, 1), (20, 1), (21, 1)]);
}

#[test]
fn a_mistake_outside_the_sweep_names_the_point_that_causes_it() {
    let limits = "limit = \"50 packets\", max_threshold = \"15 packets\"";
    let swept = "[sweep]\n\"dumbbell.bottleneck.queue.min_threshold\" = [\"5 packets\", \"20 packets\", \"30 packets\"]\n";
    let text = format!("{}{swept}", DUMBBELL.replace("limit = \"50 packets\"", limits));
    let problems = problems(&text);
    assert_eq!(problems.len(), 1, "{}", diagnostics::render(&problems));
    assert_eq!(problems[0].line, Some(7));
    assert!(
        problems[0]
            .message()
            .ends_with("(at sweep point \"dumbbell.bottleneck.queue.min_threshold\" = \"20 packets\")"),
        "{}",
        problems[0].message()
    );
}

#[test]
fn a_table_without_a_name_gives_parameters_of_the_default() {
    let text = DUMBBELL.replace("[flows.transport]\nname = \"ns2\"\nmin_rto = \"0.2 s\"\n", "");
    let min_rto = |overrides: Value| {
        let scenario = Scenario::parse(&text, "file.toml", overrides.as_object().expect("a table"));
        let scenario = scenario.unwrap_or_else(|problems| panic!("{}", diagnostics::render(&problems)));
        format!("{:?}", scenario.flows[0])
    };
    let named = min_rto(json!({ "flows.tcp.transport": { "name": "rfc", "min_rto": "0.5 s" } }));
    assert_eq!(min_rto(json!({ "flows.tcp.transport.min_rto": "0.5 s" })), named);
    assert_ne!(min_rto(json!({})), named);
    // A control has no default.
    let none = problems(&text.replace("control = \"newreno\"", "control = { beta = 0.5 }"));
    assert_eq!(none[0].found, "a table without `name`");
}

#[test]
fn a_point_of_a_sweep_is_read_alone() {
    let text = format!("{DUMBBELL}[sweep]\n\"flows.tcp.count\" = [1, 0]\n");
    let point = |count: u32| {
        let overrides = json!({ "flows.tcp.count": count });
        Scenario::point(&text, "file.toml", overrides.as_object().expect("a table"))
    };
    assert_eq!(point(1).expect("a scenario").flows[0].members.len(), 1);
    assert!(point(0).is_err());
    assert_eq!(places(&text), [(20, 25)]);
}

/// Checks that files that ask for very much are refused with short messages, or read.
#[test]
fn hostile_files_are_refused_with_short_messages() {
    let links = |count: usize| -> String {
        let link = |index| {
            format!(
                "[[links]]\nbetween = [\"{index}\", \"{}\"]\nrate = \"1 Mbit/s\"\ndelay = \"0 s\"\n",
                index + 1
            )
        };
        (0..count).map(link).collect()
    };
    let names =
        |count: usize| (0..count).map(|number| format!("\"{number}\"")).collect::<Vec<_>>().join(", ");
    let groups = |count: usize, flows: usize, control: &str| -> String {
        let group =
            |index| format!("[[flows]]\nname = \"{index}\"\ncount = {flows}\ncontrol = \"{control}\"\n");
        let dumbbell = "bottleneck = { rate = \"1 Mbit/s\", delay = \"0 s\" }\naccess = { rate = \"1 Mbit/s\", delay = \"0 s\" }\n";
        format!("duration = \"1 s\"\n[dumbbell]\n{dumbbell}{}", (0..count).map(group).collect::<String>())
    };
    let sweep = |text: &str, values: &str| format!("{text}[sweep]\nname = [{values}]\n");
    let chain = |count: usize, flows: &str| {
        format!("duration = \"1 s\"\n{}[[flows]]\ncontrol = \"sack\"\n{flows}\n", links(count))
    };
    let there_and_back = vec!["\"0\", \"1\""; 500].join(", ");
    let hostile = [
        (
            "many pairs, a large sweep",
            sweep(&DUMBBELL.replace("pairs = 2", "pairs = 10000"), &names(10_000)),
            Ok(()),
        ),
        (
            "a huge sweep",
            format!("{}warmup = [{}]\n", sweep(DUMBBELL, &names(5000)), names(3)),
            Err("a grid of 15000 points or more"),
        ),
        ("as many flows as groups", groups(10_000, 10_000, "sack"), Err("100000000 flows")),
        ("many groups", groups(5000, 2, "sack"), Ok(())),
        ("many mistakes", groups(10_000, 1, "sakc"), Err("\"sakc\"")),
        ("a long chain of links", chain(9000, "from = \"0\"\nto = \"9000\""), Ok(())),
        ("a longer one", chain(20_000, "from = \"0\"\nto = \"20000\""), Err("a path of 20000 links or more")),
        ("too many links", chain(26_000, "from = \"0\"\nto = \"1\""), Err("too many links")),
        (
            "long paths of many flows",
            chain(1, &format!("count = 10000\npath = [{there_and_back}]")),
            Err("paths with a total of 19980000 links, over all flows and both directions"),
        ),
        ("many unknown keys", (0..30_000).map(|key| format!("k{key} = 1\n")).collect(), Err("the key `k0`")),
        (
            "a very long text",
            DUMBBELL.replace("newreno", &"x".repeat(1_000_000)),
            Err("\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"..."),
        ),
        (
            "deeply nested lists",
            format!("x = {}{}", "[".repeat(100_000), "]".repeat(100_000)),
            Err("lists or tables nested too deeply"),
        ),
        (
            "a long dotted key",
            format!("{} = 1", vec!["a"; 100_000].join(".")),
            Err("lists or tables nested too deeply"),
        ),
        (
            "days of computing",
            DUMBBELL
                .replace("\"10 s\"", "\"1000000 s\"")
                .replace("10 Mbit", "1000 Gbit")
                .replace("100 Mbit", "1000 Gbit"),
            Err("a run of up to about 1.2e14 packets"),
        ),
        ("zeroes", "\0".repeat(100_000), Err("")),
    ];
    for (what, text, outcome) in &hostile {
        let problems = problems(text);
        let rendered = diagnostics::render(&problems);
        match outcome {
            Ok(()) => assert!(problems.is_empty(), "{what}: {}", &rendered[..rendered.len().min(500)]),
            Err(found) => {
                assert!(!problems.is_empty(), "{what}");
                assert!(
                    problems.len() <= 101 && rendered.len() < 100_000,
                    "{what}: {} bytes",
                    rendered.len()
                );
                assert!(
                    problems[0].found.contains(found),
                    "{what}: {}",
                    &rendered[..rendered.len().min(500)]
                );
            }
        }
    }
}

fn problems(text: &str) -> Vec<Diagnostic> {
    Scenario::parse(text, "file.toml", &Map::new()).err().unwrap_or_default()
}

fn refused(text: &str, overrides: &Value) -> Vec<Diagnostic> {
    let overrides = overrides.as_object().expect("a table");
    Scenario::parse(text, "file.toml", overrides).expect_err("a refusal")
}

fn places(text: &str) -> Vec<(usize, usize)> {
    let place = |problem: &Diagnostic| (problem.line.unwrap_or_default(), problem.column.unwrap_or_default());
    problems(text).iter().map(place).collect()
}
