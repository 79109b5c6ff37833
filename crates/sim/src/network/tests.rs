//! Packets over one link, whatever its discipline.

use super::*;
use crate::link::LinkParts;
use ackclock_aqm::{Capacity, LinkRate, registry};
use ackclock_base::{Rate, Span};

/// Over a link that takes 1 ms for a packet of 1000 bytes and lets one wait.
fn network(discipline: &str) -> Network {
    let rate = Rate::from_bits_per_second(8_000_000);
    let measured = Interval { from: Time::ZERO, to: Time::from_seconds(1.0) };
    let entry = registry::find(discipline).unwrap();
    let link = LinkRate { rate, mean_packet_bytes: 1000 };
    let parts = LinkParts {
        name: "l".into(),
        from: "a".into(),
        to: "b".into(),
        rate,
        changes: None,
        delay: Span::ZERO,
        discipline: Some((entry.build)(&entry.descriptor.defaults(), Capacity::Packets(1), &link)),
        impairments: crate::channel::Impairments::default(),
        seed: 1,
    };
    let to = Destination::default();
    let path = PathPlan { links: vec![0], to, leaves_later: false, arrives_early: false, agents: Vec::new() };
    Network::new(vec![Link::new(parts, true, measured)], Vec::new(), 1, &[path], Vec::new(), measured, None)
}

#[test]
fn what_leaves_as_another_arrives_has_left_before() {
    // Of three at 0 one is sent, one waits, one is dropped. At 1 ms the second is sent, so there is room for a fourth,
    // whichever of the two is looked at first.
    for discipline in ["droptail", "codel", "fq-codel", "shaper"] {
        let mut network = network(discipline);
        let mut packet = Packet { bytes: 1000, ..Packet::default() };
        (0..3).for_each(|_| network.launch(Time::ZERO, 0, &mut packet));
        assert_eq!(network.path_counts(0).dropped, 1, "{discipline}");
        network.launch(Time::from_nanos(1_000_000), 0, &mut packet);
        assert_eq!(network.path_counts(0).dropped, 1, "{discipline}");
    }
}
