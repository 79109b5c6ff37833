//! Packets over one link, with different disciplines.

use super::*;
use crate::endpoint::Launch;
use crate::link::LinkParts;
use ackclock_aqm::{Capacity, Dscp, LinkRate, registry};
use ackclock_base::{Rate, Span};

const MEASURED: Interval = Interval { from: Time::ZERO, to: Time::from_nanos(10_000_000_000) };

fn link(bits_per_second: u64, discipline: Option<&str>, shared: bool) -> Link {
    link_with(bits_per_second, discipline, shared, Span::ZERO)
}

fn link_with(bits_per_second: u64, discipline: Option<&str>, shared: bool, delay: Span) -> Link {
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
        delay,
        discipline: discipline.map(build),
        impairments: crate::channel::Impairments::default(),
        seed: 1,
    };
    Link::new(parts, shared, MEASURED)
}

/// Returns a network of these links, with one path for each list of links.
fn network(links: Vec<Link>, paths: &[&[u32]]) -> Network {
    let to = Destination::default();
    let plan = |links: &&[u32]| PathPlan {
        links: links.to_vec(),
        to,
        leaves_later: false,
        only_answers: false,
        agents: Vec::new(),
        dscp: Dscp::default(),
    };
    let paths: Vec<PathPlan> = paths.iter().map(plan).collect();
    Network::new(links, Vec::new(), 1, &paths, Vec::new(), MEASURED, None)
}

#[test]
fn a_departure_precedes_an_arrival_at_the_same_instant() {
    // Of three packets at 0, one is sent, one waits and one is dropped. At 1 ms the second is sent, so a
    // fourth finds room, even if its arrival is handled before the departure. A packet of 1000 bytes takes 1
    // ms.
    for discipline in ["droptail", "codel", "fq-codel", "shaper"] {
        let mut network = network(vec![link(8_000_000, Some(discipline), true)], &[&[0]]);
        let mut packet = Packet { bytes: 1000, ..Packet::default() };
        for _ in 0..3 {
            network.launch(Time::ZERO, 0, &mut packet);
        }
        assert_eq!(network.path_counts(0).dropped, 1, "{discipline}");
        network.launch(Time::from_nanos(1_000_000), 0, &mut packet);
        assert_eq!(network.path_counts(0).dropped, 1, "{discipline}");
    }
}

/// Returns the paths in the order in which their packets cross link 0. Each path sends one packet over a link
/// of its own; `launches` gives the path and the time in milliseconds, in the order of the calls.
fn order_at_a_shared_link(links: &[(u64, u64)], launches: &[(u32, u64)]) -> Vec<u32> {
    let own = |(rate, delay_ms): &(u64, u64)| link_with(*rate, None, false, Span::from_millis(*delay_ms));
    let all: Vec<Link> = std::iter::once(link(8_000_000, None, true)).chain(links.iter().map(own)).collect();
    let paths: Vec<[u32; 2]> = (1..=links.len() as u32).map(|link| [link, 0]).collect();
    let paths: Vec<&[u32]> = paths.iter().map(|links| &links[..]).collect();
    let mut network = network(all, &paths);
    for (path, ms) in launches {
        let mut packet = Packet { bytes: 1000, ..Packet::default() };
        network.launch(Time::ZERO + Span::from_millis(*ms), *path, &mut packet);
    }
    arrivals(&mut network)
}

/// Returns the paths of all packets in the order in which these reach the ends of their paths.
fn arrivals(network: &mut Network) -> Vec<u32> {
    let mut order = Vec::new();
    while let Some((_, source)) = network.schedule.next_before(Time::NEVER) {
        let (outcome, path) = network.arrive(source.index(), &mut Packet::default());
        if outcome == Outcome::Arrives {
            order.push(path);
        }
    }
    order
}

#[test]
fn of_simultaneous_arrivals_the_earliest_departure_goes_first() {
    // 1000 bytes take 1 ms at 8 Mbit/s. The packet that path 0 sends at 5 ms reaches the shared link at 5 + 1
    // + 4 = 10 ms, and the one that path 1 sends at 0 at 0 + 1 + 9 = 10 ms.
    let links = [(8_000_000, 4), (8_000_000, 9)];
    assert_eq!(order_at_a_shared_link(&links, &[(1, 0), (0, 5)]), [1, 0]);
    assert_eq!(order_at_a_shared_link(&links, &[(0, 5), (1, 0)]), [1, 0], "whichever is known first");
}

#[test]
fn the_earliest_departure_goes_first_among_the_packets_that_follow_one_another_too() {
    // Path 1 sends at 0 and 2 ms, and its packets reach the shared link at 0 + 1 + 9 = 10 and 12 ms; path 0
    // sends at 5 and 7 ms, and its packets reach it at 5 + 1 + 4 = 10 and 12 ms. Of both pairs, the packet of
    // path 1 departed first. Ties that the departures do not decide are broken at random for each instant, so
    // eight rounds would show it if another time counted as the departure.
    let own = |delay_ms| link_with(8_000_000, None, false, Span::from_millis(delay_ms));
    let mut network = network(vec![link(8_000_000, None, true), own(4), own(9)], &[&[1, 0], &[2, 0]]);
    for round in 0..8 {
        for (path, ms) in [(1, 0), (1, 2), (0, 5), (0, 7)] {
            let at = Time::ZERO + Span::from_millis(100 * round + ms);
            network.launch(at, path, &mut Packet { bytes: 1000, ..Packet::default() });
        }
        assert_eq!(arrivals(&mut network), [1, 0, 1, 0], "round {round}");
    }
}

#[test]
fn order_of_equal_departures_and_arrivals_does_not_depend_on_calls() {
    let links = [(8_000_000, 4); 3];
    let orders = [[0, 1, 2], [2, 1, 0], [1, 2, 0]].map(|launches| {
        let launches = launches.map(|path| (path, 5));
        order_at_a_shared_link(&links, &launches)
    });
    assert_eq!(orders[0].len(), 3);
    assert!(orders[0] == orders[1] && orders[1] == orders[2], "{orders:?}");
}

#[test]
fn only_links_with_queues_count_as_departures() {
    // Both packets reach the last link at 7 ms and were sent at 0. The first has crossed a link with a queue,
    // which finished sending at 1 ms. The second has crossed two links of its own without queues, the first
    // of which also finished at 1 ms; a link without a queue does not count as a departure, so its departure
    // is 0.
    let ms = Span::from_millis;
    let own = |delay| link_with(8_000_000, None, false, ms(delay));
    let links = vec![
        link(8_000_000, None, true),
        link_with(8_000_000, Some("droptail"), false, ms(3)),
        own(2),
        own(3),
        own(2),
    ];
    let mut network = network(links, &[&[1, 2, 0], &[3, 4, 0]]);
    for path in 0..2 {
        network.launch(Time::ZERO, path, &mut Packet { bytes: 1000, ..Packet::default() });
    }
    assert_eq!(arrivals(&mut network), [1, 0]);
}

#[test]
fn a_sender_is_told_when_its_packet_leaves_or_that_there_is_no_room() {
    // 1000 bytes take 1 ms: the first packet leaves at 1 ms, the second at 2 ms, and only one may wait. A
    // discipline that decides at departure refuses nothing at once.
    let launch = |discipline| {
        let mut network = network(vec![link(8_000_000, Some(discipline), true)], &[&[0]]);
        let mut packet = Packet { bytes: 1000, ..Packet::default() };
        [(); 3].map(|()| (network.launch(Time::ZERO, 0, &mut packet), network.leaves(0)))
    };
    let sent = |ms| (Launch::Sent, Some(Time::ZERO + Span::from_millis(ms)));
    let [first, second, (third, _)] = launch("droptail");
    assert_eq!((first, second, third), (sent(1), sent(2), Launch::Refused));
    assert_eq!(launch("codel"), [(Launch::Sent, None); 3]);
}
