//! Checks a trace of two packets over one link, first a correct one and then one in which a packet arrives
//! too early: `cargo run -p ackclock-verify --example two_packets`.

use ackclock_base::trace::{Event, Record};
use ackclock_base::{Rate, Span, Time};
use ackclock_verify::{LinkFacts, NetworkFacts, PathFacts, QueueLimit, SendingRate, ServiceRules, verify};

/// The records of packets 1 and 2, of 1000 bytes each, which an endpoint sends at time zero. Times are in microseconds.
fn trace(second_arrives: u64) -> Vec<Record> {
    let record = |us: u64, packet: u64, event: Event| Record {
        time_ns: us * 1000,
        path: 0,
        packet,
        bytes: 1000,
        event,
    };
    vec![
        record(0, 1, Event::Launched),
        record(0, 1, Event::Offered { link: 0 }),
        record(0, 1, Event::Started { link: 0 }),
        record(0, 2, Event::Launched),
        record(0, 2, Event::Offered { link: 0 }),
        record(1000, 1, Event::Sent { link: 0 }),
        record(1000, 2, Event::Started { link: 0 }),
        record(2000, 2, Event::Sent { link: 0 }),
        record(11_000, 1, Event::Arrived { link: 0 }),
        record(11_000, 1, Event::Delivered),
        record(second_arrives, 2, Event::Arrived { link: 0 }),
        record(second_arrives, 2, Event::Delivered),
    ]
}

fn main() {
    // 8 Mbit/s send a byte in a microsecond.
    let link = LinkFacts {
        delay: Span::from_millis(10),
        limit: Some(QueueLimit::Packets(1)),
        service: ServiceRules { drops_only_when_full: true, ..ServiceRules::default() },
        ..LinkFacts::new("bottleneck", SendingRate::Constant(Rate::from_bits_per_second(8_000_000)))
    };
    let network = NetworkFacts {
        links: vec![link],
        paths: vec![PathFacts { flow: "flow".to_owned(), backward: false, links: vec![0] }],
        agents: Vec::new(),
    };
    for second_arrives in [12_000, 11_500] {
        println!("the second packet arrives after {second_arrives} us:");
        let violations = verify(&trace(second_arrives), &network, Time::from_seconds(0.05));
        violations.iter().for_each(|violation| println!("  {violation}"));
        println!("  {} violations", violations.len());
    }
}
