//! Packets over one link, whatever its discipline.

use super::*;
use crate::link::LinkParts;
use ackclock_aqm::{Capacity, LinkRate, registry};
use ackclock_base::{Rate, Span};

const MEASURED: Interval = Interval { from: Time::ZERO, to: Time::from_nanos(10_000_000_000) };

fn link(bits_per_second: u64, discipline: Option<&str>, shared: bool) -> Link {
    let rate = Rate::from_bits_per_second(bits_per_second);
    let build = |name| {
        let entry = registry::find(name).unwrap();
        let link = LinkRate { rate, mean_packet_bytes: 1000 };
        (entry.build)(&entry.descriptor.defaults(), Capacity::Packets(1), &link)
    };
    let parts = LinkParts {
        name: "l".into(),
        from: "a".into(),
        to: "b".into(),
        rate,
        changes: None,
        delay: Span::ZERO,
        discipline: discipline.map(build),
        impairments: crate::channel::Impairments::default(),
        seed: 1,
    };
    Link::new(parts, shared, MEASURED)
}

/// Each path has these links.
fn network(links: Vec<Link>, paths: &[&[u32]]) -> Network {
    let to = Destination::default();
    let plan = |links: &&[u32]| PathPlan {
        links: links.to_vec(),
        to,
        leaves_later: false,
        arrives_early: false,
        agents: Vec::new(),
    };
    let paths: Vec<PathPlan> = paths.iter().map(plan).collect();
    let mut network = Network::new(links, Vec::new(), 1, &paths, Vec::new(), MEASURED, None);
    network.let_gather();
    network
}

/// What happens, in milliseconds: a packet is at the end of its path, or something that gathers has its event.
fn events(network: &mut Network) -> Vec<(u64, Option<u32>)> {
    let mut events = Vec::new();
    take_on(network, Time::ZERO);
    while let Some((now, source)) = network.schedule.next_before(Time::NEVER) {
        let path = match source.index().checked_sub(network.lanes()) {
            Some(gathering) => {
                network.on_gathering(gathering as u32);
                take_on(network, now);
                None
            }
            None => {
                let (at, path) = network.arrive(source.index(), &mut Packet::default());
                assert_eq!(at, now);
                Some(path)
            }
        };
        events.push((now.nanos() / 1_000_000, path));
    }
    events
}

fn take_on(network: &mut Network, now: Time) {
    while let Some(gathering) = network.next_gathering() {
        while network.take_on(gathering, now, &mut Packet::default()).is_some() {}
        network.has_taken_on(gathering);
    }
}

#[test]
fn what_leaves_as_another_arrives_has_left_before() {
    // Of three at 0 one is sent, one waits, one is dropped. At 1 ms the second is sent, so there is room for a fourth,
    // whichever of the two is looked at first.
    // A packet of 1000 bytes takes 1 ms.
    for discipline in ["droptail", "codel", "fq-codel", "shaper"] {
        let mut network = network(vec![link(8_000_000, Some(discipline), true)], &[&[0]]);
        let mut packet = Packet { bytes: 1000, ..Packet::default() };
        (0..3).for_each(|_| network.launch(Time::ZERO, 0, &mut packet));
        assert_eq!(network.path_counts(0).dropped, 1, "{discipline}");
        network.launch(Time::from_nanos(1_000_000), 0, &mut packet);
        assert_eq!(network.path_counts(0).dropped, 1, "{discipline}");
    }
}

#[test]
fn who_overtakes_on_the_way_to_a_shared_link_is_taken_on_first() {
    // Two paths share a link of 8 Mbit/s first and last. At 0 each sends 1000 bytes. The first packet leaves the first link at 1 ms
    // and crosses one of 8 kbit/s, which takes a second; the second leaves it at 2 ms and crosses one of 8 Mbit/s, which takes a
    // millisecond. So the second is before the last link at 3 ms and at the end at 4 ms, the first at 1.001 s and 1.002 s.
    let fast = |shared| link(8_000_000, None, shared);
    let mut network = network(
        vec![fast(true), link(8000, None, false), fast(false), fast(true)],
        &[&[0, 1, 3], &[0, 2, 3]],
    );
    assert_eq!(network.gatherings(), 1);
    let mut packet = Packet { bytes: 1000, ..Packet::default() };
    (0..2).for_each(|path| network.launch(Time::ZERO, path, &mut packet));
    let expected = [(3, None), (4, Some(1)), (1001, None), (1002, Some(0))];
    assert_eq!(events(&mut network), expected);
    assert!(!network.is_overfull());
}

#[test]
fn what_nothing_can_precede_is_taken_on_at_once() {
    // Two paths share a link of 8 Mbit/s first, then cross wires of their own, and meet again before another such link. What is
    // sent over one at 0 leaves the first link at 1 ms and is before the second at 2 ms. When the other sends at 0 too, and leaves
    // the first link at 2 ms, nothing that is still to come can be before the second earlier: so the first packet is taken on,
    // without an event, and reaches the end at 3 ms. The second has one at 3 ms, and reaches it at 4 ms.
    let fast = || link(8_000_000, None, false);
    let links = vec![link(8_000_000, None, true), fast(), fast(), link(8_000_000, None, true)];
    let mut network = network(links, &[&[0, 1, 3], &[0, 2, 3]]);
    assert_eq!(network.gatherings(), 1, "before the first link they are still with their senders");
    let mut packet = Packet { bytes: 1000, ..Packet::default() };
    (0..2).for_each(|path| network.launch(Time::ZERO, path, &mut packet));
    assert_eq!(events(&mut network), [(3, Some(0)), (3, None), (4, Some(1))]);
}
