//! Mutations after which the text is still a scenario more often than not.

use crate::random::Random;
use ackclock_base::{Kind, Parameter, Quantity};
use ackclock_lab::language::network::plain_link_keys;
use ackclock_lab::language::registry;

/// Values of every quantity, without their quotes.
const SPELLED: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "17",
    "40",
    "0.001",
    "0.3",
    "0.5",
    "0.999",
    "1.0",
    "1.5",
    "64.0",
    "1e6",
    "1e300",
    "0 s",
    "1 ns",
    "1 us",
    "1 ms",
    "10 ms",
    "40 ms",
    "300 ms",
    "2 s",
    "60 s",
    "1 h",
    "1e6 s",
    "1 bit/s",
    "7 bit/s",
    "64 kbit/s",
    "1 Mbit/s",
    "10 Mbit/s",
    "1 Gbit/s",
    "1 Tbit/s",
    "0 B",
    "1 B",
    "40 B",
    "500 B",
    "1500 B",
    "9 kB",
    "64 KiB",
    "0 packets",
    "1 packet",
    "1.5 packets",
    "2 packets",
    "5 packets",
    "20 packets",
    "100 packets",
    "1e6 packets",
    "0.1 bdp",
    "1 bdp",
    "unlimited",
    "true",
    "false",
];

/// Sets a key of one of the sections, changes a quantity, or adds a section.
pub fn mutate(lines: &mut Vec<String>, random: &mut Random) {
    match random.below(6) {
        0 => respell(lines, random),
        1 => add_section(lines, random),
        _ => set_key(lines, random),
    }
}

/// Replaces a text in quotes by another text that is the same quantity.
fn respell(lines: &mut [String], random: &mut Random) {
    let Some(line) = (0..lines.len()).map(|_| random.below(lines.len())).find(|at| lines[*at].contains('"'))
    else {
        return;
    };
    let quotes: Vec<usize> = lines[line].match_indices('"').map(|(at, _)| at).collect();
    let Some(pair) = quotes.chunks_exact(2).nth(random.below(quotes.len() / 2)) else { return };
    let (start, end) = (pair[0] + 1, pair[1]);
    let kinds = [Quantity::Time, Quantity::Rate, Quantity::Packets, Quantity::Size, Quantity::Limit];
    let text = &lines[line][start..end];
    let Some(quantity) = kinds.iter().find(|quantity| quantity.read(text).is_ok()) else { return };
    let same = spelled_as(*quantity);
    let new = random.word(&same);
    lines[line] = format!("{}{new}{}", &lines[line][..start], &lines[line][end..]);
}

fn add_section(lines: &mut Vec<String>, random: &mut Random) {
    match random.below(6) {
        5 => lines.extend([format!("[files.{TRACE}]"), format!("text = \"{}\"", random.of(&TRACES))]),
        0 => lines.extend(["[observe]".to_owned(), format!("interval = {}", any(Quantity::Time, random))]),
        1 => lines.extend(["[sweep]".to_owned(), sweep(random)]),
        2 => {
            let name = *random.of(&["a", "b", "c"]);
            lines.extend([
                "[[flows]]".to_owned(),
                format!("name = \"{name}\""),
                format!("control = {}", thing(Kind::Control, random)),
            ]);
        }
        // Repeats the last flow under another name.
        _ => {
            let starts: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].trim() == "[[flows]]").collect();
            let Some(start) = starts.last().copied() else { return };
            let length = lines[start + 1..].iter().take_while(|line| !line.trim().starts_with('[')).count();
            let mut copy = lines[start..=start + length].to_vec();
            copy.retain(|line| key_of(line) != "name");
            copy.push(format!("name = \"flow-{}\"", random.below(1000)));
            lines.extend(copy);
        }
    }
}

fn set_key(lines: &mut Vec<String>, random: &mut Random) {
    let mut headers: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].trim().starts_with('[')).collect();
    headers.truncate(50);
    if headers.is_empty() || random.below(8) == 0 {
        let (key, quantity) = *random.of(&[
            ("duration", Quantity::Time),
            ("warmup", Quantity::Time),
            ("seed", Quantity::Integer),
        ]);
        put(lines, 0, key, &any(quantity, random));
        return;
    }
    let header = *random.of(&headers);
    let (key, value) = match lines[header].trim() {
        "[dumbbell]" => match random.below(4) {
            0 => ("pairs", any(Quantity::Integer, random)),
            1 => ("left", wire(random)),
            2 => ("right", wire(random)),
            _ => ("bottleneck", wire(random)),
        },
        "[parking_lot]" => match random.below(3) {
            0 => ("hops", any(Quantity::Integer, random)),
            1 => ("access", wire(random)),
            _ => ("hop", wire(random)),
        },
        "[[links]]" => link_key(random),
        "[[flows]]" => flow_key(random),
        _ => return,
    };
    put(lines, header + 1, key, &value);
}

fn flow_key(random: &mut Random) -> (&'static str, String) {
    match random.below(8) {
        0 => ("count", any(Quantity::Integer, random)),
        1 => ("stop", any(Quantity::Time, random)),
        2 => ("application", thing(Kind::Application, random)),
        3 => ("start", any(Quantity::Time, random)),
        4 => {
            let (low, high) = (any(Quantity::Time, random), any(Quantity::Time, random));
            ("start", format!("{{ uniform = [{low}, {high}], every = {} }}", any(Quantity::Time, random)))
        }
        5 => ("control", thing(Kind::Control, random)),
        _ => ("transport", thing(Kind::Transport, random)),
    }
}

/// The name of a file that a scenario may name, and texts that the file may have: two of rates, one that is
/// not a valid trace, and one of delays.
const TRACE: &str = "t";
const TRACES: [&str; 4] = ["1\\n", "0\\n3\\n3\\n90\\n", "7\\n6\\n", "time_s,delay_s\\n0,0.01\\n0.2,0\\n"];

/// The name of the file that holds sizes of transfers.
pub(crate) const SIZES: &str = "sizes";

fn link_key(random: &mut Random) -> (&'static str, String) {
    match random.below(11) {
        0 => ("rate", over_time(Quantity::Rate, random)),
        1 => ("delay", over_time(Quantity::Time, random)),
        5 => {
            let keys: Vec<_> = plain_link_keys().collect();
            let (key, quantity) = *random.of(&keys);
            (key, any(quantity, random))
        }
        6 => ("jitter", jitter(random)),
        7 => ("outage", outage(random)),
        8 if random.below(2) == 0 => ("reorder", format!("{{ share = {} }}", any(Quantity::Number, random))),
        8 => ("reorder", any(Quantity::Flag, random)),
        9 => ("duplicate", any(Quantity::Number, random)),
        10 => ("ecn", format!("\"{}\"", random.word(&["clear", "set-ect1", "set-ce", "drop"]))),
        2 => ("queue", thing(Kind::Queue, random)),
        3 => ("loss", thing(Kind::Loss, random)),
        _ => ("reverse", wire(random)),
    }
}

/// Generates a value that may change over time.
fn over_time(quantity: Quantity, random: &mut Random) -> String {
    let mut pair = |time: &str| format!("[{time}, {}]", any(quantity, random));
    let (first, second) = (pair("\"0 s\""), pair("\"10 ms\""));
    match random.below(4) {
        0 => format!("{{ cycle = [{second}, {second}] }}"),
        1 => format!("{{ steps = [{first}, {second}] }}"),
        2 => format!("{{ trace = \"{TRACE}\" }}"),
        _ => any(quantity, random),
    }
}

fn jitter(random: &mut Random) -> String {
    let mut time = || any(Quantity::Time, random);
    let (most, good, bad) = (time(), time(), time());
    match random.below(3) {
        0 => most,
        1 => format!(
            "{{ mean = {most}, distribution = \"{}\" }}",
            random.word(&["uniform", "normal", "pareto"])
        ),
        _ => format!("{{ most = {most}, good = {good}, bad = {bad} }}"),
    }
}

fn outage(random: &mut Random) -> String {
    let mut time = || any(Quantity::Time, random);
    let (from, lasts, every) = (time(), time(), time());
    let every = if random.below(2) == 0 { String::new() } else { format!(", every = {every}") };
    format!("{{ from = {from}, lasts = {lasts}{every} }}")
}

fn wire(random: &mut Random) -> String {
    let mut settings = vec![("rate", any(Quantity::Rate, random)), ("delay", any(Quantity::Time, random))];
    if random.below(2) == 0 {
        settings.push(("queue", thing(Kind::Queue, random)));
    }
    if random.below(3) == 0 {
        settings.push(("loss", thing(Kind::Loss, random)));
    }
    let settings: Vec<String> = settings.into_iter().map(|(key, value)| format!("{key} = {value}")).collect();
    format!("{{ {} }}", settings.join(", "))
}

fn sweep(random: &mut Random) -> String {
    let (path, kind) = *random.of(&[("control", Kind::Control), ("transport", Kind::Transport)]);
    let (one, two) = (thing(kind, random), thing(kind, random));
    format!("\"flows.0.{path}\" = [{one}, {two}]")
}

/// Generates a registered algorithm or model of this kind with up to four of its parameters set.
pub(crate) fn thing(kind: Kind, random: &mut Random) -> String {
    let all: Vec<_> = registry::all().into_iter().filter(|(descriptor, _)| descriptor.kind == kind).collect();
    let (descriptor, mut parameters) = random.of(&all).clone();
    let mut settings = vec![format!("name = \"{}\"", descriptor.name)];
    for _ in 0..random.below(5).min(parameters.len()) {
        let parameter = parameters.swap_remove(random.below(parameters.len()));
        settings.push(format!("{} = {}", parameter.name, allowed(parameter, random)));
    }
    format!("{{ {} }}", settings.join(", "))
}

/// Generates a value that the parameter may have.
fn allowed(parameter: &Parameter, random: &mut Random) -> String {
    if let Quantity::Choice(words) = parameter.quantity {
        return format!("\"{}\"", random.word(words));
    }
    if parameter.quantity == Quantity::File {
        return format!("\"{SIZES}\"");
    }
    let mut candidates = spelled_as(parameter.quantity);
    candidates.retain(|text| {
        let value = parameter.quantity.read(text).ok();
        value.is_some_and(|value| value.base().is_none_or(|base| parameter.range.contains(base)))
    });
    if candidates.is_empty() {
        return quoted(parameter.default, parameter.quantity);
    }
    quoted(random.word(&candidates), parameter.quantity)
}

pub(crate) fn any(quantity: Quantity, random: &mut Random) -> String {
    quoted(random.word(&spelled_as(quantity)), quantity)
}

fn spelled_as(quantity: Quantity) -> Vec<&'static str> {
    SPELLED.iter().copied().filter(|text| quantity.read(text).is_ok()).collect()
}

fn quoted(text: &str, quantity: Quantity) -> String {
    match quantity {
        Quantity::Number | Quantity::Integer | Quantity::Flag => text.to_owned(),
        _ => format!("\"{text}\""),
    }
}

/// Sets a key of the section whose keys begin at line `start`.
fn put(lines: &mut Vec<String>, start: usize, key: &str, value: &str) {
    let length = lines[start..].iter().take_while(|line| !line.trim().starts_with('[')).count();
    let setting = format!("{key} = {value}");
    match lines[start..start + length].iter().position(|line| key_of(line) == key) {
        Some(place) => lines[start + place] = setting,
        // A new key goes below the line of overrides.
        None => lines.insert(start + usize::from(start == 0 && length > 0), setting),
    }
}

fn key_of(line: &str) -> &str {
    line.split('=').next().unwrap_or_default().trim()
}
