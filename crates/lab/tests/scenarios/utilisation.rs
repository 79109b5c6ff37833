//! Tests of utilisation, the fraction of measured time in which a link was sending: it is between 0 and 1
//! with any traffic, and exact in known cases.

use ackclock_aqm::registry::QUEUES;
use ackclock_lab::language::diagnostics;
use ackclock_lab::{Scenario, run};
use proptest::prelude::*;
use serde_json::{Map, Value};
use std::sync::atomic::AtomicBool;

fn links(text: &str, seed: u64) -> Vec<Value> {
    let scenario = Scenario::parse(text, "test", &Map::new())
        .unwrap_or_else(|problems| panic!("{text}\n{}", diagnostics::render(&problems)));
    let result = run::run(&scenario, seed, false, &AtomicBool::new(false)).expect("a finished run");
    let document = serde_json::to_value(result).expect("a result as JSON");
    document["links"].as_array().expect("links").clone()
}

fn number(link: &Value, field: &str) -> f64 {
    link[field].as_f64().unwrap_or_else(|| panic!("{field} of {link}"))
}

/// Returns a scenario with one link of at most 8 Mbit/s and a constant stream into it.
fn one_link(rate: &str, queue: &str, stream: &str, packet: u32, warmup_us: u64, duration_us: u64) -> String {
    format!(
        "duration = \"{duration_us} us\"\nwarmup = \"{warmup_us} us\"\n\
         [[links]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\nrate = {rate}\ndelay = \"1 ms\"\nqueue = {queue}\n\
         [[flows]]\nfrom = \"a\"\nto = \"b\"\n\
         application = {{ name = \"cbr\", rate = \"{stream}\", packet = \"{packet} B\" }}\n"
    )
}

#[test]
fn packets_in_service_at_the_ends_count_in_part() {
    // A packet of 1000 B on the wire every 2 ms is sent for 1 ms from 0, 2, 4 ... ms on. From 2.25 to 8.5 ms
    // the link sends for 0.75 + 1 + 1 + 0.5 ms.
    for queue in ["droptail", "codel"] {
        let queue = format!("{{ name = \"{queue}\", limit = \"10 packets\" }}");
        let text = one_link("\"8 Mbit/s\"", &queue, "3.888 Mbit/s", 972, 2250, 8500);
        assert!((number(&links(&text, 1)[0], "utilisation") - 3.25 / 6.25).abs() < 1e-9);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_link_sends_for_longer_than_there_is_time(
        queue in 0..QUEUES.len(),
        varies in any::<bool>(),
        load in 0.05_f64..3.0,
        packet in 100_u32..2000,
        warmup_us in 0_u64..200_000,
        measured_us in 1_u64..300_000,
        seed in 1_u64..1000,
    ) {
        let entry = &QUEUES[queue];
        let contract = entry.descriptor.parameter("rate").map_or("", |_| ", rate = \"4 Mbit/s\"");
        let queue = format!("{{ name = \"{}\", limit = \"30 packets\"{contract} }}", entry.descriptor.name);
        let rate = if varies {
            "{ cycle = [[\"7 ms\", \"8 Mbit/s\"], [\"13 ms\", \"1 Mbit/s\"]] }"
        } else {
            "\"8 Mbit/s\""
        };
        let stream = format!("{} kbit/s", (8000.0 * load) as u64);
        let text = one_link(rate, &queue, &stream, packet, warmup_us, warmup_us + measured_us)
            + "[[flows]]\nname = \"tcp\"\nfrom = \"a\"\nto = \"b\"\ncount = 3\ncontrol = \"cubic\"\n";
        for link in links(&text, seed) {
            let utilisation = number(&link, "utilisation");
            prop_assert!((0.0..=1.0).contains(&utilisation), "{}: {}", entry.descriptor.name, utilisation);
        }
        // With a queue that never empties, the link sends all the time.
        let flood = one_link(rate, "{ name = \"droptail\", limit = \"30 packets\" }", "30 Mbit/s", packet,
            warmup_us + 2000, warmup_us + 2000 + measured_us);
        prop_assert_eq!(number(&links(&flood, seed)[0], "utilisation"), 1.0);
    }
}
