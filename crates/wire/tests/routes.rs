//! Flows with routes of their own share the links that both name, and no others.

use ackclock_base::{Rate, Span, Time};
use ackclock_sim::channel::Impairments;
use ackclock_sim::link::{Link, LinkParts};
use ackclock_sim::measure::Interval;
use ackclock_wire::path::{Packet, Path};

const ALWAYS: Interval = Interval { from: Time::ZERO, to: Time::NEVER };

fn ms(ms: u64) -> Time {
    Time::ZERO + Span::from_millis(ms)
}

/// A link of 10 Mbit/s, on which 1250 bytes take 1 ms.
fn link(name: &str, delay_ms: u64) -> Link {
    let parts = LinkParts {
        name: name.to_owned(),
        from: "a".to_owned(),
        to: "b".to_owned(),
        rate: Rate::from_bits_per_second(10_000_000),
        changes: None,
        delay: Span::from_millis(delay_ms),
        discipline: None,
        impairments: Impairments::default(),
        seed: 1,
    };
    Link::new(parts, true, ALWAYS)
}

/// Two access links, a link that both routes share, and a last link for the second route alone.
fn path() -> Path<&'static str> {
    let links = vec![link("first", 5), link("second", 8), link("shared", 10), link("last", 20)];
    Path::with_routes(links, vec![vec![0, 2], vec![1, 2, 3]], &[])
}

fn offer(path: &mut Path<&'static str>, at: Time, route: usize, content: &'static str) {
    path.offer(at, Packet { bytes: 1250, route, content, ..Packet::default() });
}

fn leaving(path: &mut Path<&'static str>) -> Vec<(Time, &'static str)> {
    std::iter::from_fn(|| path.take(ms(1000))).map(|leaving| (leaving.at, leaving.packet.content)).collect()
}

#[test]
fn each_packet_crosses_the_links_of_its_route() {
    let mut path = path();
    offer(&mut path, ms(0), 0, "short");
    offer(&mut path, ms(0), 1, "long");
    // 1 + 5 + 1 + 10 ms, and 1 + 8 + 1 + 10 + 1 + 20 ms: their access links differ, so neither waits there, and the
    // shared link is free again when the second packet reaches it.
    assert_eq!(leaving(&mut path), [(ms(17), "short"), (ms(41), "long")]);
    let arrived: Vec<u64> = path.links_mut().map(|link| link.counts().arrived).collect();
    assert_eq!(arrived, [1, 1, 2, 1]);
}

#[test]
fn packets_wait_for_those_of_the_other_route_where_both_cross_a_link() {
    let mut path = path();
    // Both reach the shared link at 9 ms; the one that was offered first goes first.
    offer(&mut path, ms(0), 1, "long");
    offer(&mut path, ms(3), 0, "short");
    assert_eq!(leaving(&mut path), [(ms(21), "short"), (ms(41), "long")]);
}

fn of_one_link(route: Vec<usize>) -> Path<()> {
    Path::with_routes(vec![link("only", 1)], vec![route], &[])
}

#[test]
#[should_panic(expected = "a route names link 1, expected an index below 1")]
fn a_route_names_links_of_the_path() {
    of_one_link(vec![0, 1]);
}

#[test]
#[should_panic(expected = "a route names link 0 twice")]
fn a_route_names_a_link_once() {
    of_one_link(vec![0, 0]);
}
