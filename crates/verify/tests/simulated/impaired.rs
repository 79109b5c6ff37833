//! Traces of runs over links that delay and reorder, over two paths at once, and over a shared medium. The endpoints and the
//! medium are the worked examples of the documentation.

use ackclock_aqm::Dscp;
use ackclock_base::link::{Detour, LinkRules};
use ackclock_base::trace::{Event, Record};
use ackclock_base::{Rate, Span, Time};
use ackclock_sim::channel::{Carried, Channel, Impairments, Sending};
use ackclock_sim::flow::{FlowParts, PathPair};
use ackclock_sim::link::LinkParts;
use ackclock_sim::measure::Interval;
use ackclock_sim::medium::MediumParts;
use ackclock_sim::simulation::{Parts, Simulation};
use ackclock_verify::{
    LinkFacts, MediumFacts, NetworkFacts, PathFacts, Rule, SendingRate, ServiceRules, verify,
};
use std::sync::atomic::AtomicBool;

#[path = "../../../sim/tests/worked_example/taking_turns.rs"]
mod taking_turns;
#[path = "../../../sim/tests/worked_example/two_paths.rs"]
mod two_paths;

const END: Time = Time::from_nanos(5_000_000_000);

const RATE: Rate = Rate::from_bits_per_second(2_000_000);

/// Returns the facts about four links, two there and two back. Each pair is a path of the flow; the first link has jitter.
fn facts(jitter: Span, reorders: bool, medium: Option<usize>) -> Vec<LinkFacts> {
    let link = |index: usize| LinkFacts {
        delay: Span::from_millis(4),
        rules: if index == 0 {
            LinkRules { jitter, reorders, ..LinkRules::default() }
        } else {
            LinkRules::default()
        },
        service: ServiceRules { drops_only_when_full: true, ..ServiceRules::default() },
        medium: medium.filter(|_| index < 2).map(|number| MediumFacts { number, ..MediumFacts::default() }),
        ..LinkFacts::new(format!("l{index}"), SendingRate::Constant(RATE))
    };
    (0..4).map(link).collect()
}

fn paths() -> Vec<PathFacts> {
    let path = |link: u32| PathFacts { flow: "f".into(), backward: link % 2 == 1, links: vec![link] };
    (0..4).map(path).collect()
}

/// Runs a flow over links as in the facts, the first of them with this channel. Returns its trace.
fn run(facts: &[LinkFacts], channel: Option<Box<dyn Channel>>) -> Vec<Record> {
    let mut channel = channel;
    let link = |facts: &LinkFacts| LinkParts {
        name: facts.name.clone(),
        from: "a".into(),
        to: "b".into(),
        rate: RATE,
        changes: None,
        delay: facts.delay,
        discipline: None,
        impairments: Impairments { rules: facts.rules, channel: channel.take(), ..Impairments::default() },
        seed: 1,
    };
    let stations: Vec<u32> = (0..4).filter(|link| facts[*link as usize].medium.is_some()).collect();
    let turns = taking_turns::TakingTurns::new(Span::from_millis(1));
    let medium = MediumParts { medium: Box::new(turns), links: stations.clone() };
    let pair = |first: u32| PathPair { forward: vec![first], backward: vec![first + 1] };
    let mut simulation = Simulation::new(Parts {
        links: facts.iter().map(link).collect(),
        media: if stations.is_empty() { Vec::new() } else { vec![medium] },
        flows: vec![FlowParts {
            name: "f".into(),
            paths: vec![pair(0), pair(2)],
            dscp: Dscp::default(),
            start: Time::ZERO,
            stop: Time::NEVER,
            ends: two_paths::ends(u64::MAX, 6),
            row: 0,
            one_of_many: false,
            session: None,
            writer: None,
            bytes: 0,
        }],
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
    simulation.network.trace.take().unwrap().records
}

fn broken(trace: &[Record], facts: &[LinkFacts]) -> Vec<Rule> {
    let network = NetworkFacts { links: facts.to_vec(), paths: paths(), agents: Vec::new() };
    let found = verify(trace, &network, END);
    found.iter().take(3).for_each(|violation| println!("{violation}"));
    found.into_iter().map(|violation| violation.rule).collect()
}

/// Returns how many packets arrive over the first link before one that was sent earlier.
fn overtaking(trace: &[Record]) -> usize {
    let mut arrivals: Vec<(u64, u64)> = Vec::new();
    for record in trace {
        if record.event == (Event::Arrived { link: 0 }) {
            arrivals.push((record.time_ns, record.packet));
        }
    }
    arrivals.sort_unstable();
    arrivals.windows(2).filter(|pair| pair[0].1 > pair[1].1).count()
}

#[test]
fn jitter_delays_and_does_not_reorder() {
    let facts = self::facts(Span::from_millis(10), false, None);
    let trace = run(&facts, None);
    assert_eq!(broken(&trace, &facts), []);
    assert_eq!(overtaking(&trace), 0);
    // The spread equals the setting: a smaller claim, or none, is refuted.
    for less in [Span::from_millis(9), Span::ZERO] {
        assert!(broken(&trace, &self::facts(less, false, None)).contains(&Rule::LinkDelay));
    }
}

#[test]
fn reordering_changes_only_the_order_of_deliveries() {
    let facts = self::facts(Span::from_millis(10), true, None);
    let trace = run(&facts, None);
    assert_eq!(broken(&trace, &facts), []);
    assert!(overtaking(&trace) > 100, "{}", overtaking(&trace));
    let in_order = broken(&trace, &self::facts(Span::from_millis(10), false, None));
    assert!(in_order.contains(&Rule::LinkDelay) && in_order.contains(&Rule::DeliveryOrder));
}

#[test]
fn a_detour_lasts_for_its_time() {
    let second = |n: u64| Time::from_nanos(n * 1_000_000_000);
    let told = |until: u64, longer: u64| {
        let mut facts = self::facts(Span::ZERO, false, None);
        let detour = Detour { from: second(1), until: second(until), longer: Span::from_millis(longer) };
        facts[0].rules.detour = Some(detour);
        facts
    };
    let trace = run(&told(3, 20), None);
    assert_eq!(broken(&trace, &told(3, 20)), []);
    // Another end, another length, and no detour at all are refuted.
    for other in [told(2, 20), told(4, 20), told(3, 19), told(3, 21), self::facts(Span::ZERO, false, None)] {
        assert!(broken(&trace, &other).contains(&Rule::LinkDelay));
    }
}

#[test]
fn only_one_link_of_a_medium_sends_at_a_time() {
    let facts = self::facts(Span::ZERO, false, Some(0));
    let trace = run(&facts, None);
    assert_eq!(broken(&trace, &facts), []);
    // On a medium a station may stay silent while packets wait; independent links would be idle.
    assert!(broken(&trace, &self::facts(Span::ZERO, false, None)).contains(&Rule::WorkConserving));
    // Four independent links are not a medium: two of them send at once.
    let alone = run(&self::facts(Span::ZERO, false, None), None);
    assert!(broken(&alone, &facts).contains(&Rule::OneAtATime));
}

/// A channel on which every third packet is sent twice and every fifth is lost after its transmission.
struct Repeating(u64);

impl Channel for Repeating {
    fn carry(&mut self, sending: &Sending, _random: &mut dyn ackclock_base::Random) -> Carried {
        self.0 += 1;
        let takes = if self.0.is_multiple_of(3) { sending.takes * 2 } else { sending.takes };
        Carried { takes, delay: (!self.0.is_multiple_of(5)).then_some(Span::from_millis(2)) }
    }
}

#[test]
fn a_channel_repeats_delays_and_loses() {
    let facts = self::facts(Span::ZERO, false, None);
    let trace = run(&facts, Some(Box::new(Repeating(0))));
    // A packet of 1028 bytes takes 4.112 ms, or twice as long; it arrives 2 ms later than the wire's 4.
    let of = |packet: u64, event: Event| {
        let mut records = trace.iter();
        records.find(|record| record.packet == packet && record.event == event).map(|record| record.time_ns)
    };
    let mut sent = Vec::new();
    let offered = trace.iter().filter(|record| record.event == (Event::Offered { link: 0 }));
    for packet in offered.map(|record| record.packet).take(15) {
        let start = of(packet, Event::Started { link: 0 }).unwrap();
        let end = of(packet, Event::Sent { link: 0 }).unwrap();
        let wire = of(packet, Event::Arrived { link: 0 }).map(|at| at - end);
        sent.push(((end - start) / 1000, wire));
    }
    let expected = |n: u64| {
        let takes = if n.is_multiple_of(3) { 8224 } else { 4112 };
        (takes, (!n.is_multiple_of(5)).then_some(6_000_000))
    };
    assert_eq!(sent, (1..=15).map(expected).collect::<Vec<_>>());
    // With the facts of a plain link, the verifier finds both.
    let found = broken(&trace, &facts);
    assert!(found.contains(&Rule::LinkRate) && found.contains(&Rule::LinkDelay));
}
