//! The worked examples of docs/extend.md, and runs of them.

mod taking_turns;
mod two_paths;

use ackclock_aqm::Dscp;
use ackclock_base::{Rate, Span, Time};
use ackclock_sim::channel::Impairments;
use ackclock_sim::flow::{FlowParts, PathPair};
use ackclock_sim::link::LinkParts;
use ackclock_sim::loss;
use ackclock_sim::measure::Interval;
use ackclock_sim::medium::MediumParts;
use ackclock_sim::simulation::{Parts, Simulation};
use ackclock_sim::trace::{Event, Record};
use std::sync::atomic::AtomicBool;
use taking_turns::TakingTurns;

fn link(name: &str, megabits: u64, delay_ms: u64, impairments: Impairments) -> LinkParts {
    LinkParts {
        name: name.into(),
        from: "a".into(),
        to: "b".into(),
        rate: Rate::from_bits_per_second(megabits * 1_000_000),
        changes: None,
        delay: Span::from_millis(delay_ms),
        discipline: None,
        impairments,
        seed: 1,
    }
}

fn plain(name: &str, megabits: u64, delay_ms: u64) -> LinkParts {
    link(name, megabits, delay_ms, Impairments::default())
}

/// Returns a flow of datagrams. `paths` holds the link forward and the link back of each path.
fn flow(name: &str, datagrams: u64, window: usize, paths: &[(u32, u32)]) -> FlowParts {
    let pair = |(there, back): &(u32, u32)| PathPair { forward: vec![*there], backward: vec![*back] };
    FlowParts {
        name: name.into(),
        paths: paths.iter().map(pair).collect(),
        dscp: Dscp::default(),
        start: Time::ZERO,
        stop: Time::NEVER,
        ends: two_paths::ends(datagrams, window),
        row: 0,
        one_of_many: false,
        session: None,
        writer: None,
        bytes: 0,
    }
}

fn simulation(links: Vec<LinkParts>, media: Vec<MediumParts>, flow: FlowParts) -> Simulation {
    Simulation::new(Parts {
        links,
        media,
        flows: vec![flow],
        agents: Vec::new(),
        sessions: Vec::new(),
        measured: Interval { from: Time::ZERO, to: Time::from_seconds(60.0) },
        seed: 1,
        sample_every: Some(Span::from_millis(1000)),
        samples_flows: true,
        traced: true,
        watch: None,
        capture: Vec::new(),
    })
}

fn records(simulation: &Simulation) -> &[Record] {
    &simulation.network.trace.as_ref().unwrap().records
}

/// Ten packets are outstanding on each path: 10 * 8224 bits in round trips of 10 and 40 ms plus the
/// transmission time, which limits the slow path. Both paths send at once.
#[test]
fn two_paths_carry_what_both_can() {
    let links =
        vec![plain("short", 10, 5), plain("back", 10, 5), plain("slow", 1, 20), plain("slow back", 1, 20)];
    let mut run = simulation(links, Vec::new(), flow("two", 5000, 10, &[(0, 1), (2, 3)]));
    run.run(&AtomicBool::new(false)).unwrap();
    let [short, slow] = [0, 2].map(|link| run.network.links[link].counts().delivered);
    assert_eq!(short + slow, 5000);
    assert_eq!(run.flows[0].delivered_packets(), 5000);
    // The short path carries ten packets in a round trip of 10.845 ms, 922 per second; the slow one carries
    // its rate, 121.6 per second.
    let seconds = run.flows[0].completed.unwrap().seconds();
    assert!((seconds - 5000.0 / (922.0 + 121.6)).abs() < 0.1, "{seconds} s");
    assert!((slow as f64 / seconds - 121.6).abs() < 2.0, "{slow}");
}

#[test]
fn datagrams_lost_on_one_path_are_retransmitted() {
    let entry = loss::find("independent").unwrap();
    let impairments =
        Impairments { loss: Some((entry.build)(&entry.descriptor.defaults())), ..Impairments::default() };
    let links =
        vec![link("lossy", 10, 5, impairments), plain("back", 10, 5), plain("b", 10, 5), plain("c", 10, 5)];
    let mut run = simulation(links, Vec::new(), flow("two", 5000, 10, &[(0, 1), (2, 3)]));
    run.run(&AtomicBool::new(false)).unwrap();
    assert_eq!(run.flows[0].delivered_packets(), 5000);
    assert_eq!(run.flows[0].sent_packets(), 5000 + run.network.links[0].counts().corrupted);
    assert!(run.network.links[0].counts().corrupted > 10);
}

/// Returns the transmissions as (link, start, end), in order of time.
fn transmissions(records: &[Record]) -> Vec<(u32, u64, u64)> {
    let starts = records.iter().filter_map(|record| match record.event {
        Event::Started { link } => Some((record.packet, link, record.time_ns)),
        _ => None,
    });
    let mut found: Vec<_> = starts
        .map(|(packet, link, start)| {
            let ends = |record: &&Record| record.packet == packet && record.event == Event::Sent { link };
            (link, start, records.iter().find(ends).unwrap().time_ns)
        })
        .collect();
    found.sort_by_key(|(_, start, _)| *start);
    found
}

/// Data in one direction and acknowledgements in the other share the medium; both paths of the flow use the
/// same two links. While both have packets they alternate, with a millisecond of silence at each change; two
/// never send at once.
#[test]
fn two_stations_take_turns() {
    let medium = Box::new(TakingTurns::new(Span::from_millis(1)));
    let media = vec![MediumParts { medium, links: vec![0, 1] }];
    let mut run =
        simulation(vec![plain("there", 1, 0), plain("back", 1, 0)], media, flow("one", 300, 2, &[(0, 1); 2]));
    run.run(&AtomicBool::new(false)).unwrap();
    assert_eq!(run.flows[0].delivered_packets(), 300);
    let sent = transmissions(records(&run));
    assert_eq!(sent.len(), 600);
    let mut changes = 0;
    for pair in sent.windows(2) {
        let [(link, _, end), (next, start, _)] = [pair[0], pair[1]];
        let silence = if link == next { 0 } else { 1_000_000 };
        assert!(start >= end + silence, "{pair:?}");
        changes += usize::from(link != next);
    }
    // Four datagrams are outstanding, so an acknowledgement and the next datagram nearly always wait for each
    // other's turn: 8.224 ms, 0.224 ms and two silences make 10.448 ms per datagram.
    assert!(changes > 590, "{changes}");
    let seconds = run.flows[0].completed.unwrap().seconds();
    assert!((seconds / 300.0 - 0.010_448).abs() < 1e-4, "{seconds}");
}

/// A run stepped by events, stepped by time and run without stopping is the same, and its series can be read
/// in between.
#[test]
fn a_run_can_be_stepped_and_read_in_between() {
    let fresh = || {
        let links = vec![plain("a", 1, 5), plain("b", 1, 5), plain("c", 1, 20), plain("d", 1, 20)];
        simulation(links, Vec::new(), flow("two", 2000, 10, &[(0, 1), (2, 3)]))
    };
    let never = AtomicBool::new(false);
    let mut whole = fresh();
    whole.run(&never).unwrap();
    let mut by_events = fresh();
    let mut before = Time::ZERO;
    while by_events.step().unwrap() {
        assert!(by_events.now() >= before);
        before = by_events.now();
    }
    let mut by_time = fresh();
    let mut seen = Vec::new();
    for tenth in 1..=600 {
        let until = Time::from_nanos(tenth * 100_000_000);
        by_time.run_until(until, &never).unwrap();
        assert_eq!(by_time.now(), until);
        seen.extend(by_time.series_since(seen.len()).unwrap().rows[0]["goodput_bps"].clone());
    }
    for run in [&mut by_events, &mut by_time] {
        assert_eq!(run.now(), whole.now());
        assert_eq!(run.events(), whole.events());
        assert_eq!(records(run), records(&whole));
        assert_eq!(run.series_since(0), whole.series_since(0));
    }
    let series = whole.take_series().unwrap();
    assert_eq!(series.rows[0]["goodput_bps"], seen);
    assert_eq!(seen.iter().sum::<f64>(), 2000.0 * 8000.0);
}
