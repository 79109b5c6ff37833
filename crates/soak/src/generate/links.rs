//! Generates links of random scenarios.

use crate::mutate::careful::{any, thing};
use crate::random::Random;
use ackclock_base::{Kind, Quantity};
use ackclock_lab::language::network::plain_link_keys;

/// Says which part of the network a link is.
#[derive(Clone, Copy)]
pub enum LinkRole {
    /// All flows cross the link.
    Bottleneck,
    /// One pair of hosts uses the link; the value says whether it is on a medium.
    Access(bool),
}

const SLOW: [&str; 4] = ["1 Mbit/s", "3 Mbit/s", "10 Mbit/s", "40 Mbit/s"];
const FAST: [&str; 5] = ["1 Mbit/s", "10 Mbit/s", "100 Mbit/s", "1 Gbit/s", "1 Tbit/s"];
const DELAYS: [&str; 6] = ["0 ms", "0 ms", "1 ms", "7 ms", "10 ms", "20 ms"];

/// Generates the table of a link.
pub fn wire(random: &mut Random, wire: LinkRole) -> String {
    let rates: &[&str] = if matches!(wire, LinkRole::Bottleneck) { &SLOW } else { &FAST };
    let mut keys =
        vec![format!("rate = {}", rate(random, rates)), format!("delay = {}", delay(random, wire))];
    keys.extend(rest(random, matches!(wire, LinkRole::Bottleneck)));
    keys.extend(faults(random, matches!(wire, LinkRole::Access(true))));
    if matches!(wire, LinkRole::Access(true)) {
        keys.push("medium = \"air\"".to_owned());
    }
    if random.once_in(8) {
        let mut back = vec![format!("rate = {}", rate(random, rates))];
        back.extend(rest(random, false));
        back.extend(faults(random, matches!(wire, LinkRole::Access(true))));
        keys.push(format!("reverse = {{ {} }}", back.join(", ")));
    }
    format!("{{ {} }}", keys.join(", "))
}

/// Rates that few scenarios have: with a slow one, packets arrive long after the end of the run.
const RARE: [&str; 5] = ["1 bit/s", "300 bit/s", "9 kbit/s", "128 kbit/s", "1 Tbit/s"];

fn rate(random: &mut Random, rates: &[&str]) -> String {
    let word = |random: &mut Random| {
        let words = if random.once_in(16) { &RARE } else { rates };
        random.word(words)
    };
    let (one, other) = (word(random), word(random));
    match random.below(12) {
        0 => format!(
            "{{ cycle = [[\"300 ms\", \"{one}\"], [\"{}\", \"{}\"]] }}",
            random.word(&["300 ms", "50 ms"]),
            if random.once_in(3) { "0 bit/s" } else { other }
        ),
        1 => format!(
            "{{ steps = [[\"0 s\", \"{one}\"], [\"0.2 s\", \"0 bit/s\"], [\"0.3 s\", \"{other}\"]] }}"
        ),
        2 => "{ trace = \"rate\" }".to_owned(),
        3 => format!(
            "{{ trace = \"rates\", unit = \"Mbit/s\", repeat = {} }}",
            random.word(&["true", "false"])
        ),
        _ => format!("\"{one}\""),
    }
}

fn delay(random: &mut Random, wire: LinkRole) -> String {
    let word = |random: &mut Random| {
        if random.once_in(24) { random.word(&["150 ms", "2 s", "3600 s"]) } else { random.word(&DELAYS) }
    };
    let (one, other) = (word(random), word(random));
    match random.below(12) {
        0 => format!("{{ cycle = [[\"300 ms\", \"{one}\"], [\"50 ms\", \"{other}\"]] }}"),
        1 => format!("{{ steps = [[\"0 s\", \"{one}\"], [\"0.2 s\", \"{other}\"]] }}"),
        2 => "{ trace = \"delay\" }".to_owned(),
        4 => "{ trace = \"delays\", unit = \"ms\", time = \"ms\", repeat = true }".to_owned(),
        3 if matches!(wire, LinkRole::Access(false)) => "{ evenly = [\"1 ms\", \"30 ms\"] }".to_owned(),
        _ => format!("\"{one}\""),
    }
}

const SKIPS: [&str; 4] = [
    "{ share = 0.25 }",
    "{ share = 1, gap = 5 }",
    "{ share = 0.5, correlation = 0.5 }",
    "{ share = 0.1, gap = 3, correlation = 0.9 }",
];

/// A share of the packets that changes over time.
const SHARES_OVER_TIME: &str = "{ steps = [[\"0 s\", 0], [\"0.2 s\", 0.3], [\"0.5 s\", 0.02]] }";

/// Generates faults that a link has in one direction only.
fn faults(random: &mut Random, on_medium: bool) -> Vec<String> {
    let mut keys = Vec::new();
    if random.once_in(12) {
        let share =
            random.word(&["0.01", "0.2", "1", "{ share = 0.3, correlation = 0.5 }", SHARES_OVER_TIME]);
        keys.push(format!("duplicate = {share}"));
    }
    if random.once_in(12) {
        let rule = random.word(&["clear", "set-ect0", "set-ect1", "set-ce", "drop"]);
        if !(on_medium && rule == "drop") {
            keys.push(format!("ecn = \"{rule}\""));
        }
    }
    keys
}

/// Generates a value of a key that takes a quantity. A time is about as long as those of links.
fn plain(quantity: Quantity, random: &mut Random) -> String {
    match quantity {
        Quantity::Time => format!("\"{}\"", random.word(&["1 ms", "10 ms", "33.3 ms"])),
        _ => any(quantity, random),
    }
}

/// Generates the other keys of a link. A bottleneck has a queue more often than an access link.
fn rest(random: &mut Random, is_bottleneck: bool) -> Vec<String> {
    let mut keys = Vec::new();
    if random.once_in(if is_bottleneck { 2 } else { 8 }) {
        keys.push(format!("queue = {}", thing(Kind::Queue, random)));
    }
    if random.once_in(8) {
        let loss = if random.once_in(6) { SHARES_OVER_TIME.to_owned() } else { thing(Kind::Loss, random) };
        keys.push(format!("loss = {loss}"));
    }
    if random.once_in(8) {
        let most = random.word(&["1 ms", "5 ms", "40 ms"]);
        let distribution = random.word(&["uniform", "normal", "pareto"]);
        keys.push(match random.below(6) {
            3 => format!("jitter = {{ cycle = [[\"70 ms\", \"0 ms\"], [\"50 ms\", \"{most}\"]] }}"),
            0 => format!("jitter = {{ most = \"{most}\", good = \"50 ms\", bad = \"20 ms\" }}"),
            1 => format!("jitter = {{ mean = \"{most}\", distribution = \"{distribution}\" }}"),
            2 => format!(
                "jitter = {{ mean = \"{most}\", distribution = \"{distribution}\", good = \"50 ms\", bad = \"20 ms\" }}"
            ),
            _ => format!("jitter = \"{most}\""),
        });
        if random.once_in(3) {
            keys.push("reorder = true".to_owned());
        }
    } else if random.once_in(16) {
        keys.push(format!("reorder = {}", random.word(&SKIPS)));
    }
    for (key, quantity) in plain_link_keys() {
        if random.once_in(8) {
            keys.push(format!("{key} = {}", plain(quantity, random)));
        }
    }
    if random.once_in(12) {
        keys.push("outage = { from = \"0.1 s\", lasts = \"50 ms\", every = \"0.2 s\" }".to_owned());
    }
    if random.once_in(12) {
        let until = random.word(&["until = \"0.3 s\", ", ""]);
        keys.push(format!("detour = {{ from = \"0.1 s\", {until}longer = \"30 ms\" }}"));
    }
    keys
}
