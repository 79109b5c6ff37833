//! Mutations that use the words of scenarios without regard to where they are allowed.

use crate::random::Random;
use ackclock_lab::language::keys::Table;
use ackclock_lab::language::load::SCENARIO;
use ackclock_lab::language::registry;
use std::sync::OnceLock;

/// Removes, repeats, swaps or changes a line, or adds one.
pub fn mutate(lines: &mut Vec<String>, random: &mut Random) {
    let place = random.below(lines.len());
    let words = words();
    match random.below(9) {
        0 if lines.len() > 1 => drop(lines.remove(place)),
        1 if place < lines.len() => lines.insert(random.below(lines.len()), lines[place].clone()),
        2 if place < lines.len() => {
            let other = random.below(lines.len());
            lines.swap(place, other);
        }
        3 => lines.insert(place, random.of(&HEADERS).to_string()),
        4 => lines.insert(place, format!("{} = {}", random.of(&words.keys), any_value(random))),
        5 if place < lines.len() => lines[place] = with_another_value(&lines[place], random),
        6 if place < lines.len() => lines[place] = with_another_key(&lines[place], random),
        7 if place < lines.len() => lines[place] = with_another_number(&lines[place], random),
        _ => lines.push(random.of(&HEADERS).to_string()),
    }
}

/// Replaces the text after one of the line's equals signs.
fn with_another_value(line: &str, random: &mut Random) -> String {
    let Some(at) = equals_sign(line, random) else { return format!("{line} = {}", any_value(random)) };
    let end = line[at..].find([',', '}']).map_or(line.len(), |length| at + length);
    format!("{} {}{}", &line[..at], any_value(random), &line[end..])
}

/// Replaces the text before one of the line's equals signs.
fn with_another_key(line: &str, random: &mut Random) -> String {
    let Some(at) = equals_sign(line, random) else { return line.to_owned() };
    let key_end = line[..at - 1].trim_end().len();
    let start = line[..key_end].rfind(['{', ',', ' ']).map_or(0, |before| before + 1);
    format!("{}{}{}", &line[..start], random.of(&words().keys), &line[key_end..])
}

/// Returns the position after a random one of the line's equals signs; `None` if the line has none.
fn equals_sign(line: &str, random: &mut Random) -> Option<usize> {
    let places: Vec<usize> = line.match_indices('=').map(|(at, _)| at + 1).collect();
    (!places.is_empty()).then(|| *random.of(&places))
}

/// Replaces one of the numbers in the line.
fn with_another_number(line: &str, random: &mut Random) -> String {
    const NUMBERS: [&str; 14] = [
        "0",
        "1",
        "2",
        "7",
        "10",
        "100",
        "1000",
        "1e6",
        "1e18",
        "0.5",
        "0.001",
        "-1",
        "1e-9",
        "99999999999999999999",
    ];
    let digits: Vec<usize> = line.match_indices(|c: char| c.is_ascii_digit()).map(|(at, _)| at).collect();
    if digits.is_empty() {
        return line.to_owned();
    }
    let start = *random.of(&digits);
    let is_number = |c: char| c.is_ascii_digit() || c == '.';
    let end = line[start..].find(|c| !is_number(c)).map_or(line.len(), |length| start + length);
    format!("{}{}{}", &line[..start], random.of(&NUMBERS), &line[end..])
}

fn any_value(random: &mut Random) -> String {
    let values = &words().values;
    match random.below(5) {
        0 => format!("[{}, {}]", random.of(values), random.of(values)),
        1 => format!("{{ {} = {} }}", random.of(&words().keys), random.of(values)),
        _ => random.of(values).clone(),
    }
}

struct Words {
    keys: Vec<String>,
    values: Vec<String>,
}

const HEADERS: [&str; 7] = [
    "[dumbbell]",
    "[parking_lot]",
    "[[links]]",
    "[[flows]]",
    "[sweep]",
    "[observe]",
    "[dumbbell.bottleneck]",
];

/// Keys besides those that tables declare.
const ODD_KEYS: &[&str] = &[
    "\"flows.a.control\"",
    "\"dumbbell.bottleneck.queue.limit\"",
    "\"flows.0.transport.window\"",
    "\"a.b.c\"",
    "\"\"",
];

const VALUES: &[&str] = &[
    "\"1 ns\"",
    "\"10 ms\"",
    "\"2 s\"",
    "\"1e6 s\"",
    "\"1 bit/s\"",
    "\"10 Mbps\"",
    "\"1 Tbit/s\"",
    "\"0 packets\"",
    "\"1.5 packets\"",
    "\"40 B\"",
    "\"64 KiB\"",
    "\"1 bdp\"",
    "\"-1 s\"",
    "\"unlimited\"",
    "\"none\"",
    "0",
    "1",
    "-1",
    "0.3",
    "1e300",
    "inf",
    "nan",
    "true",
    "\"\"",
    "\"a\"",
    "\"source-1\"",
    "\"é\"",
    "[]",
    "{}",
    "1979-05-27",
    "0xffffffffffffffff",
    "'''x'''",
];

fn words() -> &'static Words {
    static WORDS: OnceLock<Words> = OnceLock::new();
    WORDS.get_or_init(|| {
        let owned = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect();
        let mut words = Words { keys: owned(ODD_KEYS), values: owned(VALUES) };
        let declared = SCENARIO.reachable().into_iter().flat_map(Table::keys);
        words.keys.extend(declared.map(|key| key.name.to_owned()));
        for (descriptor, parameters) in registry::all() {
            words.values.push(format!("\"{}\"", descriptor.name));
            words.keys.extend(parameters.iter().map(|parameter| parameter.name.to_owned()));
        }
        words
    })
}
