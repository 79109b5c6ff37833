//! Checks traces of simulated runs, unchanged and changed. The facts about the network are written by hand.

mod impaired;
mod transmissions;

use ackclock_aqm::{Capacity, Dscp, LinkRate, registry as queues};
use ackclock_base::trace::{Event, Record};
use ackclock_base::{Random, Rate, Span, Time, Values};
use ackclock_cc::{Assembly, Exponential, registry as controls};
use ackclock_sim::channel::Impairments;
use ackclock_sim::endpoint::Ends;
use ackclock_sim::flow::{FlowParts, PathPair};
use ackclock_sim::link::LinkParts;
use ackclock_sim::loss;
use ackclock_sim::measure::Interval;
use ackclock_sim::random::Stream;
use ackclock_sim::simulation::{Parts, Simulation};
use ackclock_sim::tcp::connection::Connection;
use ackclock_sim::tcp::options::{self, Options};
use ackclock_sim::traffic::constant::{Constant, Spacing};
use ackclock_sim::udp::UdpOptions;
use ackclock_verify::{
    LinkFacts, NetworkFacts, PathFacts, QueueLimit, Rule, SendingRate, ServiceRules, Violation, verify,
};
use std::sync::atomic::AtomicBool;

/// A run with every kind of event that a trace can have: shared and private links, limits in packets and in
/// bytes, early drops, losses, jitter, a flow without congestion control, and packets in flight at the end.
struct Run {
    records: Vec<Record>,
    network: NetworkFacts,
}

impl Run {
    /// Returns the violations of other records on the same network.
    fn broken(&self, records: &[Record]) -> Vec<Violation> {
        verify(records, &self.network, END)
    }
}

/// A link's name, bits per second, delay in milliseconds, queue and loss model.
type Sketch = (&'static str, u64, u64, Option<(&'static str, QueueLimit)>, Option<&'static str>);

/// The first three are shared, the others belong to one path each.
const LINKS: [Sketch; 6] = [
    ("tail", 8_000_000, 5, Some(("droptail", QueueLimit::Packets(8))), None),
    ("red", 5_000_000, 3, Some(("red", QueueLimit::Packets(40))), None),
    ("back", 150_000, 5, Some(("droptail", QueueLimit::Bytes(160))), None),
    ("radio", 20_000_000, 1, None, Some("gilbert-packets")),
    ("access", 50_000_001, 2, None, None),
    ("near", 100_000_000, 0, None, None),
];
const FORWARD: [&[u32]; 4] = [&[4, 0, 1], &[0, 3], &[5, 0, 1], &[1]];
const BACKWARD: [&[u32]; 4] = [&[2], &[2], &[2], &[2]];

const END: Time = Time::from_nanos(2_500_000_000);

fn link(index: usize) -> LinkParts {
    let (name, rate, delay_ms, queue, loss) = LINKS[index];
    let rate = Rate::from_bits_per_second(rate);
    let discipline = queue.map(|(name, limit)| {
        let capacity = match limit {
            QueueLimit::Packets(most) => Capacity::Packets(most),
            QueueLimit::Bytes(most) => Capacity::Bytes(most),
        };
        let entry = queues::find(name).unwrap();
        (entry.build)(&entry.descriptor.defaults(), capacity, &LinkRate { rate, mean_packet_bytes: 1000 })
    });
    let loss = loss.map(|name| {
        let entry = loss::find(name).unwrap();
        (entry.build)(&entry.descriptor.defaults())
    });
    let (from, to) = (String::new(), String::new());
    LinkParts {
        name: name.into(),
        from,
        to,
        rate,
        changes: None,
        delay: Span::from_millis(delay_ms),
        discipline,
        impairments: Impairments { loss, ..Impairments::default() },
        seed: 1,
    }
}

fn flow(index: usize) -> FlowParts {
    let ends = match index {
        3 => UdpOptions {
            reply_bytes: None,
            wire_bytes: 700,
            payload_bytes: 660,
            source: Box::new(Constant(Spacing { interval: Span::from_nanos(3_333_333), jitter: 0.0 })),
            random: Stream::new(1, "source"),
        }
        .ends(Interval { from: Time::ZERO, to: END }),
        // One with jitter, one whose receiver takes packets early because it holds no acknowledgement back.
        0 => tcp("cubic", &[("send_jitter", "5 ms")]),
        1 => tcp("sack", &[]),
        _ => tcp("newreno", &[("delayed_ack", "false")]),
    };
    FlowParts {
        name: format!("flow-{index}"),
        paths: vec![PathPair { forward: FORWARD[index].to_vec(), backward: BACKWARD[index].to_vec() }],
        dscp: Dscp::default(),
        start: Time::from_seconds(0.05 * index as f64),
        stop: Time::NEVER,
        ends,
        row: index,
        one_of_many: false,
        session: None,
        writer: None,
        bytes: 0,
    }
}

fn tcp(control: &str, settings: &[(&str, &str)]) -> Ends {
    let entry = controls::find(control).unwrap();
    let profile = options::find("rfc").unwrap();
    let settings = [&[("window", "60 packets")], settings].concat();
    let options = Options::new(&Values::with(profile, &settings), entry.published.recovery);
    let control = Assembly::new(entry, &entry.descriptor.defaults(), None, None).join(&options.initial());
    let backoff = Box::new(Exponential { most: options.details.max_backoff });
    Connection { options, control, backoff, packets: u64::MAX, random: Stream::new(1, "guesses") }.ends()
}

fn run() -> Run {
    let mut simulation = Simulation::new(Parts {
        links: (0..LINKS.len()).map(link).collect(),
        media: Vec::new(),
        flows: (0..FORWARD.len()).map(flow).collect(),
        agents: Vec::new(),
        sessions: Vec::new(),
        measured: Interval { from: Time::ZERO, to: END },
        seed: 1,
        sample_every: None,
        samples_flows: false,
        traced: true,
        watch: None,
        capture: Vec::new(),
    });
    simulation.run(&AtomicBool::new(false)).unwrap();
    let path = |index: usize| {
        let backward = index % 2 == 1;
        let links = if backward { BACKWARD[index / 2] } else { FORWARD[index / 2] };
        PathFacts { flow: format!("flow-{}", index / 2), backward, links: links.to_vec() }
    };
    let network = NetworkFacts {
        links: LINKS.iter().map(facts).collect(),
        paths: (0..2 * FORWARD.len()).map(path).collect(),
        agents: Vec::new(),
    };
    Run { records: simulation.network.trace.take().unwrap().records, network }
}

/// Returns the facts about a link.
fn facts((name, rate, delay_ms, queue, _): &Sketch) -> LinkFacts {
    let service = match queue {
        Some(("droptail", _)) => ServiceRules { drops_only_when_full: true, ..ServiceRules::default() },
        _ => ServiceRules::default(),
    };
    LinkFacts {
        delay: Span::from_millis(*delay_ms),
        limit: queue.map(|(_, limit)| limit),
        service,
        ..LinkFacts::new(*name, SendingRate::Constant(Rate::from_bits_per_second(*rate)))
    }
}

fn count(run: &Run, event: Event) -> usize {
    run.records.iter().filter(|record| record.event == event).count()
}

#[test]
fn a_simulation_obeys_physics() {
    let run = run();
    assert_eq!(run.broken(&run.records), []);
    // The run has what the other tests need.
    for link in [0, 1, 2] {
        assert!(count(&run, Event::Dropped { link }) > 5, "drops on {link}");
    }
    assert!(count(&run, Event::Corrupted { link: 3 }) > 5);
    assert!(run.records.iter().any(|record| record.time_ns > END.nanos()));
}

#[test]
fn wrong_facts_about_the_network_are_refuted() {
    let run = run();
    let with = |change: &dyn Fn(&mut LinkFacts)| {
        let mut network = run.network.clone();
        change(&mut network.links[0]);
        let found = verify(&run.records, &network, END);
        found.first().map(|violation| violation.rule)
    };
    let slower =
        |link: &mut LinkFacts| link.rate = SendingRate::Constant(Rate::from_bits_per_second(7_999_000));
    assert_eq!(with(&slower), Some(Rule::LinkRate));
    assert_eq!(with(&|link| link.delay += Span::from_nanos(1)), Some(Rule::LinkDelay));
    assert_eq!(with(&|link| link.limit = Some(QueueLimit::Packets(7))), Some(Rule::QueueLimit));
    assert_eq!(with(&|link| link.limit = Some(QueueLimit::Packets(9))), Some(Rule::Drop));
    assert_eq!(with(&|link| link.limit = None), Some(Rule::Drop));
    let found = verify(&run.records, &run.network, Time::from_seconds(60.0));
    assert!(found.iter().all(|violation| violation.rule == Rule::Conservation) && !found.is_empty());
}

/// Changes random records in one way, one at a time, and expects a violation each time.
fn each_is_found(
    kind: &str,
    mutate: impl Fn(&mut Vec<Record>, usize, &mut dyn FnMut(usize) -> usize) -> bool,
) {
    let run = run();
    let mut random = Stream::new(11, kind);
    let mut tried = 0;
    while tried < 200 {
        let mut draw = |below: usize| (random.uniform() * below as f64) as usize;
        let mut records = run.records.clone();
        let place = draw(records.len());
        // Records after the end of the run may be missing.
        let record = records[place];
        if record.time_ns < END.nanos() && mutate(&mut records, place, &mut draw) {
            tried += 1;
            assert!(!run.broken(&records).is_empty(), "{kind}: {record:?} at {place} went unnoticed");
        }
    }
}

#[test]
fn a_missing_record_is_found() {
    each_is_found("missing", |records, place, _| {
        records.remove(place);
        true
    });
}

#[test]
fn a_repeated_record_is_found() {
    each_is_found("repeated", |records, place, draw| {
        let later = place + draw(records.len() - place);
        records.insert(later, records[place]);
        true
    });
}

#[test]
fn a_shifted_time_is_found() {
    each_is_found("shifted", |records, place, draw| {
        let by = 10_u64.pow(draw(9) as u32);
        let time = &mut records[place].time_ns;
        *time = if draw(2) == 0 { *time + by } else { time.saturating_sub(by) };
        *time > 0
    });
}

#[test]
fn a_changed_size_is_found() {
    each_is_found("size", |records, place, draw| {
        records[place].bytes += 1 + draw(1000) as u32;
        true
    });
}

#[test]
fn swapped_packets_are_found() {
    each_is_found("swapped", |records, place, draw| {
        let other = (place + 1 + draw(200)).min(records.len() - 1);
        let (one, two) = (records[place], records[other]);
        records[place].packet = two.packet;
        records[other].packet = one.packet;
        one.packet != two.packet
    });
}

#[test]
fn a_change_of_link_or_path_is_found() {
    each_is_found("link", |records, place, draw| {
        let by = 1 + draw(LINKS.len() - 1) as u32;
        let turn = |link: &mut u32| *link = (*link + by) % LINKS.len() as u32;
        match &mut records[place].event {
            Event::Launched | Event::Delivered => records[place].path ^= 1,
            Event::Offered { link }
            | Event::Dropped { link }
            | Event::Started { link }
            | Event::Sent { link }
            | Event::Failed { link }
            | Event::Corrupted { link }
            | Event::Duplicated { link }
            | Event::Injected { link }
            | Event::Absorbed { link }
            | Event::Arrived { link } => turn(link),
        }
        true
    });
}

#[test]
fn a_changed_event_is_found() {
    each_is_found("event", |records, place, draw| {
        let other = records[draw(records.len())].event;
        let changed = other != records[place].event;
        records[place].event = other;
        changed
    });
}
