//! Generates flows of random scenarios.

use crate::mutate::careful::thing;
use crate::random::Random;
use ackclock_base::Kind;

/// Generates a group of flows. `between` lists the pairs of ends and `paths` the several paths that flows of
/// the network may name.
pub fn flow(random: &mut Random, between: &[String], paths: &str) -> String {
    let is_association = random.once_in(5);
    let application = random.once_in(4).then(|| thing(Kind::Application, random));
    let runs = |names: &[&str]| {
        application.as_ref().is_some_and(|text| names.iter().any(|name| text.contains(name)))
    };
    let counts_itself = runs(&["\"transfers\"", "\"web\""]);
    let is_source = runs(&["\"cbr\"", "\"on-off\"", "\"mmpp\"", "\"video\""]);
    // An application over a connection has no headers of its own.
    let is_written = is_source && !runs(&["header = "]) && (is_association || random.once_in(2));
    let over_udp = is_source && !is_written || runs(&["\"requests\""]);
    let is_association = is_association && (application.is_none() || is_written);
    let mut keys: Vec<String> = application.iter().map(|text| format!("application = {text}")).collect();
    let is_read =
        !over_udp && !counts_itself && !runs(&["\"pages\"", "\"adaptive-video\""]) && random.once_in(4);
    if is_read {
        keys.push(format!("reader = {}", reader(random)));
    }
    if !over_udp {
        keys.push(format!("control = {}", control(random)));
        keys.extend(parts(random));
        if is_association {
            let transport = if is_read && random.once_in(2) {
                "{ name = \"sctp\", receive_window = \"9 kB\" }".to_owned()
            } else {
                sctp(random)
            };
            keys.push(format!("transport = {transport}"));
            if random.once_in(2) {
                keys.push(format!("selector = {}", thing(Kind::Selector, random)));
            }
        } else if is_read && !random.once_in(3) {
            keys.push(format!("transport = {}", closing(random)));
        } else if is_written && random.once_in(3) {
            keys.push("transport = \"quic\"".to_owned());
        } else if random.once_in(2) {
            keys.push(format!("transport = {}", thing(Kind::Transport, random)));
        }
    }
    if !counts_itself && random.once_in(2) {
        keys.push(format!("count = {}", 1 + random.below(5)));
    }
    if let Some(start) = start(random) {
        keys.push(format!("start = {start}"));
    }
    if random.once_in(8) {
        keys.push("stop = \"0.4 s\"".to_owned());
    }
    if random.once_in(4) {
        keys.push(format!("dscp = \"{}\"", random.word(&["LE", "AF41", "EF"])));
    }
    if is_association && !paths.is_empty() {
        keys.push(paths.to_owned());
    } else if !between.is_empty() {
        keys.push(random.of(between).clone());
    }
    format!("{{ {} }}", keys.join(", "))
}

/// Generates the rate at which an application reads that does not read at once: about the rate of a link, or
/// with pauses.
fn reader(random: &mut Random) -> &'static str {
    random.word(&[
        "\"100 kbit/s\"",
        "\"1 Mbit/s\"",
        "\"8 Mbit/s\"",
        "{ cycle = [[\"20 ms\", \"5 Mbit/s\"], [\"60 ms\", \"0 bit/s\"]] }",
        "{ steps = [[\"0 s\", \"0 bit/s\"], [\"0.25 s\", \"10 Mbit/s\"]] }",
    ])
}

/// Generates a transport over one path with a small receive window, most with short timers.
fn closing(random: &mut Random) -> &'static str {
    random.word(&[
        "{ name = \"rfc\", window = \"1 packet\", min_rto = \"20 ms\" }",
        "{ name = \"rfc\", window = \"6 packets\", min_rto = \"50 ms\", handshake = false }",
        "{ name = \"rfc\", window = \"12 packets\", accurate_ecn = true, ecn = true }",
        "{ name = \"ns2\", window = \"5 packets\" }",
        "{ name = \"linux\", initial_receive_window = \"9 kB\", min_rto = \"20 ms\" }",
        "{ name = \"linux\", initial_receive_window = \"9 kB\", max_receive_window = \"20 kB\", handshake = false }",
        "{ name = \"quic\", window = \"1 packet\" }",
        "{ name = \"quic\", window = \"7 packets\", handshake = false }",
    ])
}

/// Generates a profile of SCTP, half of the time with one changed detail.
fn sctp(random: &mut Random) -> String {
    let profile = random.word(&["sctp", "sctp-thesis"]);
    if random.once_in(2) {
        return format!("\"{profile}\"");
    }
    let detail = random.word(&[
        "failback = true",
        "heartbeat_repeat = \"interval\"",
        "multiple_fast_retransmit = true",
        "sack_duplicate_resets = false",
        "retransmit_to = \"alternate\"",
        "repair = \"windows\"",
        "repair = \"ns2\"",
    ]);
    format!("{{ name = \"{profile}\", {detail} }}")
}

/// Generates a control: half of the time one of the best-known ones with its defaults, otherwise any control
/// with any parameters.
fn control(random: &mut Random) -> String {
    if random.once_in(2) {
        return format!(
            "\"{}\"",
            random.word(&["reno", "newreno", "sack", "cubic", "vegas", "bbrv3", "prague"])
        );
    }
    thing(Kind::Control, random)
}

/// Generates parts that change a control, each with a probability of 1 in 20.
fn parts(random: &mut Random) -> Vec<String> {
    let kinds = [
        ("discriminator", Kind::Discriminator),
        ("slow_start", Kind::SlowStart),
        ("resume", Kind::Resume),
        ("ecn_response", Kind::EcnResponse),
        ("growth_limit", Kind::GrowthLimit),
        ("backoff", Kind::Backoff),
    ];
    let mut parts = Vec::new();
    for (key, kind) in kinds {
        if random.once_in(20) {
            parts.push(format!("{key} = {}", thing(kind, random)));
            if kind == Kind::Discriminator && random.once_in(2) {
                parts.push(format!("action = {}", thing(Kind::Action, random)));
            }
        }
    }
    parts
}

/// Generates when flows begin; `None`, half of the time, lets all begin at once, so that events coincide.
fn start(random: &mut Random) -> Option<&'static str> {
    match random.below(6) {
        0 => Some("\"0.1 s\""),
        1 => Some("{ every = \"10 ms\" }"),
        2 => Some("{ uniform = [\"0 s\", \"0.3 s\"] }"),
        _ => None,
    }
}
