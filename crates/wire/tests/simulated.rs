//! A path that is fed with the arrivals of a simulated link, by a pretended clock that looks late, gives every
//! packet the same fate at the same nanosecond as the simulation: with every registered discipline, every
//! registered loss model, every kind of varying rate and every impairment.

mod scripted;

use ackclock_aqm::Ecn;
use ackclock_aqm::registry::QUEUES;
use ackclock_aqm::testing::Dice;
use ackclock_base::Random;
use ackclock_sim::loss::LOSSES;
use ackclock_wire::path::Packet;
use proptest::prelude::*;
use scripted::{Arriving, AtLink, Case, Delivered, Identity, drive, simulate};
use std::collections::HashMap;

/// The kinds of rates, as keys of a link. The mean of each is about 5 Mbit/s.
const RATES: [&str; 6] = [
    "rate = \"5 Mbit/s\"",
    "rate = { cycle = [[\"70 ms\", \"8 Mbit/s\"], [\"40 ms\", \"0 bit/s\"], [\"50 ms\", \"3 Mbit/s\"]] }",
    "rate = { steps = [[\"0 s\", \"2 Mbit/s\"], [\"250 ms\", \"9 Mbit/s\"], [\"600 ms\", \"4 Mbit/s\"]] }",
    "rate = { trace = \"opportunities\" }",
    "rate = \"6 Mbit/s\"\noutage = { from = \"300 ms\", lasts = \"80 ms\" }",
    "rate = \"6 Mbit/s\"\noutage = { from = \"100 ms\", lasts = \"30 ms\", every = \"170 ms\" }",
];

/// What a wire does to packets besides delaying them, as keys of a link.
const IMPAIRMENTS: [&str; 9] = [
    "",
    "jitter = \"4 ms\"",
    "jitter = \"4 ms\"\nreorder = true",
    "reorder = { share = 0.1 }",
    "duplicate = 0.1",
    "ecn = \"clear\"",
    "ecn = \"drop\"",
    "hold = \"3 ms\"",
    "detour = { from = \"200 ms\", until = \"500 ms\", longer = \"5 ms\" }",
];

/// Returns a discipline as a value of `queue`, with marks if it can mark.
fn queue(name: &str) -> String {
    let has = |parameter| {
        QUEUES
            .iter()
            .any(|entry| entry.descriptor.name == name && entry.descriptor.parameter(parameter).is_some())
    };
    let rate = if has("rate") { ", rate = \"4 Mbit/s\"" } else { "" };
    let ecn = if has("ecn") { ", ecn = true" } else { "" };
    format!("queue = {{ name = \"{name}\", limit = \"25 packets\"{rate}{ecn} }}")
}

/// Returns a loss model as a value of `loss`, with enough losses to matter in a second.
fn loss(name: &str) -> String {
    let settings = match name {
        "independent" | "correlated" => ", probability = 0.05",
        "gilbert-packets" => ", good = \"20 packets\"",
        "gilbert-time" => ", good = \"100 ms\"",
        "outage" => ", from = \"300 ms\", until = \"450 ms\"",
        _ => "",
    };
    format!("loss = {{ name = \"{name}\"{settings} }}")
}

/// Simulates the case and drives paths with its arrivals, and compares everything that happened.
///
/// Packets of several flows that reach a link at one time after leaving another at one time, as a trace of
/// opportunities lets them, come in random order in a simulation. Hence a row of links is compared with one
/// flow, and each link by itself with three.
fn check(case: &Case) {
    let one = Case { flows: 1, ..case.clone() };
    let simulated = simulate(&one);
    let (links, delivered) = drive(&one, &["first", "second"], &simulated.arrivals[0]);
    compare(&one, &simulated.links, &links);
    assert_eq!(simulated.delivered, delivered, "{one:?}");
    assert!(simulated.arrivals[0].len() > 500, "{one:?}: {} arrivals", simulated.arrivals[0].len());

    let simulated = simulate(case);
    let [before_first, before_second] = &simulated.arrivals;
    let (first, delivered) = drive(case, &["first"], before_first);
    compare(case, &simulated.links[..1], &first);
    let ecn: HashMap<Identity, Ecn> = delivered.iter().map(|(_, packet, ecn)| (*packet, *ecn)).collect();
    let arrives = |(at, packet): &Arriving| (*at, Packet { ecn: ecn[&packet.content], ..*packet });
    let before_second: Vec<Arriving> = before_second.iter().map(arrives).collect();
    let (second, delivered) = drive(case, &["second"], &before_second);
    compare(case, &simulated.links[1..], &second);
    assert_eq!(sorted(simulated.delivered), sorted(delivered), "{case:?}");
}

fn compare(case: &Case, simulated: &[AtLink], driven: &[AtLink]) {
    for (link, (simulated, driven)) in simulated.iter().zip(driven).enumerate() {
        let first = simulated.events.iter().zip(&driven.events).position(|(one, other)| one != other);
        if let Some(first) = first {
            let [one, other] = [&simulated.events[first], &driven.events[first]];
            panic!("{case:?}\nlink {link}, event {first}: simulated {one:?}, driven {other:?}");
        }
        assert_eq!(simulated, driven, "{case:?}, link {link}");
    }
}

fn sorted(mut delivered: Vec<Delivered>) -> Vec<Delivered> {
    delivered.sort_by_key(|(at, packet, _)| (*at, *packet));
    delivered
}

fn case(first: [&str; 3], second: [&str; 3], seed: u64) -> Case {
    Case { first: first.join("\n"), second: second.join("\n"), seed, flows: 3, late_ns: 3_000_000 }
}

#[test]
fn every_discipline_decides_as_in_the_simulation_at_every_kind_of_rate() {
    let second = ["rate = \"4.5 Mbit/s\"", "queue = { name = \"codel\", limit = \"40 packets\" }", ""];
    for entry in QUEUES {
        for (index, rate) in RATES.iter().enumerate() {
            check(&case([rate, &queue(entry.descriptor.name), ""], second, index as u64));
        }
    }
}

#[test]
fn every_loss_model_loses_the_same_packets_as_in_the_simulation() {
    for entry in LOSSES {
        for (index, rate) in RATES.iter().enumerate() {
            let discipline = queue(QUEUES[index % QUEUES.len()].descriptor.name);
            let model = loss(entry.descriptor.name);
            let first = [*rate, &discipline, &model];
            check(&case(first, [RATES[0], &queue("fq-codel"), ""], index as u64));
        }
    }
}

#[test]
fn every_impairment_does_the_same_as_in_the_simulation() {
    for (index, impairment) in IMPAIRMENTS.iter().enumerate() {
        for discipline in ["droptail", "pie", "codel"] {
            let first = [RATES[index % RATES.len()], &queue(discipline), impairment];
            check(&case(first, [RATES[0], &queue("codel"), impairment], index as u64));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_two_links_treat_any_packets_as_in_the_simulation(
        seed in 0u64..1_000_000,
        late_ns in prop_oneof![Just(0u64), 1u64..100_000, 1u64..30_000_000],
    ) {
        let mut dice = Dice(seed);
        let mut pick = |count: usize| (dice.uniform() * count as f64) as usize;
        let mut link = || {
            let (rate, discipline) = (RATES[pick(RATES.len())], QUEUES[pick(QUEUES.len())].descriptor.name);
            let model = pick(LOSSES.len() + 3);
            let model = LOSSES.get(model).map(|entry| loss(entry.descriptor.name)).unwrap_or_default();
            let impairment = IMPAIRMENTS[pick(IMPAIRMENTS.len())];
            [rate, &queue(discipline), &model, impairment].join("\n")
        };
        check(&Case { first: link(), second: link(), seed, flows: 3, late_ns });
    }
}
