//! Whole stacks over a simulated bottleneck, under their own controls and under ours.

use ackclock_adapter::Plan;
use ackclock_aqm::disciplines::droptail::DropTail;
use ackclock_aqm::{Capacity, Dscp, Queueing};
use ackclock_base::{Rate, Size, Span, Time};
use ackclock_sim::channel::Impairments;
use ackclock_sim::flow::{FlowParts, PathPair};
use ackclock_sim::link::LinkParts;
use ackclock_sim::measure::Interval;
use ackclock_sim::simulation::{Parts, Simulation};
use ackclock_stacks::{Application, Connection, Control, End, noq, quinn};
use std::sync::atomic::AtomicBool;

const DATAGRAM: u16 = 1200;
const HEADER: Size = Size::from_bytes(28);
const SECONDS: f64 = 10.0;

/// What one flow did over 10 Mbit/s with a round trip of 40 ms and a buffer of one product of both.
#[derive(Debug, PartialEq)]
struct Outcome {
    goodput_mbps: f64,
    drops: u64,
    /// The first quartile of the delays.
    delays: String,
    completed: Option<Time>,
}

fn run(ends: [Box<dyn Connection>; 2], bytes: Option<u64>) -> Outcome {
    let [client, server] = ends;
    let payload = u64::from(DATAGRAM) - 33;
    let flow = FlowParts {
        name: "flow".into(),
        paths: vec![PathPair { forward: vec![0], backward: vec![1] }],
        dscp: Dscp::default(),
        start: Time::ZERO,
        stop: Time::NEVER,
        ends: [
            Box::new(End::sender(client, Application { bytes }, HEADER, payload)),
            Box::new(End::receiver(server, HEADER, payload)),
        ],
        row: 0,
        one_of_many: false,
        session: None,
        writer: None,
        bytes: 0,
    };
    let link = |name: &str, limit: Option<u64>| LinkParts {
        name: name.into(),
        from: "a".into(),
        to: "b".into(),
        rate: Rate::from_bits_per_second(10_000_000),
        changes: None,
        delay: Span::from_millis(20),
        discipline: limit.map(|bytes| Queueing::at_arrival(DropTail { capacity: Capacity::Bytes(bytes) })),
        impairments: Impairments::default(),
        seed: 1,
    };
    let mut simulation = Simulation::new(Parts {
        links: vec![link("there", Some(50_000)), link("back", None)],
        media: vec![],
        flows: vec![flow],
        agents: vec![],
        sessions: vec![],
        measured: Interval { from: Time::from_seconds(1.0), to: Time::from_seconds(SECONDS) },
        seed: 1,
        sample_every: None,
        samples_flows: false,
        traced: false,
        watch: None,
        capture: vec![],
    });
    simulation.run(&AtomicBool::new(false)).expect("a run");
    let flow = &simulation.flows[0];
    Outcome {
        goodput_mbps: flow.delivered_bytes() as f64 * 8e-6 / (SECONDS - 1.0),
        drops: simulation.network.links[0].counts().dropped,
        delays: format!("{:?}", flow.one_way_delay().quantile_s(0.25)),
        completed: flow.completed,
    }
}

fn own(list: &'static [ackclock_stacks::OwnControl], name: &str) -> Control {
    Control::Own(list.iter().find(|own| own.name == name).expect("a control of the stack"))
}

fn noq_runs(name: &str) -> Control {
    Control::Ours(ackclock_noq::control(name).expect("a control that noq runs"))
}

// More than the bottleneck allows: 10 Mbit/s times 1200 bytes of 1228 on the wire, as if a datagram were nothing but data.
const MOST: f64 = 10.0 * 1200.0 / 1228.0;

#[test]
fn a_stack_fills_the_path_under_its_own_controls_and_under_ours() {
    let runs = [
        ("noq:newreno", noq::ends(&own(noq::OWN, "newreno"), DATAGRAM, 1)),
        ("noq:cubic", noq::ends(&own(noq::OWN, "cubic"), DATAGRAM, 1)),
        ("quinn:cubic", quinn::ends(&own(quinn::OWN, "cubic"), DATAGRAM, 1)),
        ("cubic under noq", noq::ends(&noq_runs("cubic"), DATAGRAM, 1)),
        ("bbrv3 under noq", noq::ends(&noq_runs("bbrv3"), DATAGRAM, 1)),
        (
            "newreno under quinn",
            quinn::ends(&Control::Ours(ackclock_quinn::control("newreno").expect("runs")), DATAGRAM, 1),
        ),
    ];
    for (name, ends) in runs {
        let outcome = run(ends, None);
        assert!(outcome.goodput_mbps > 0.9 * MOST, "{name}: {outcome:?}");
        assert!(outcome.goodput_mbps <= MOST, "{name}: {outcome:?}");
    }
}

#[test]
fn equal_seeds_give_equal_runs() {
    let noq = |seed| run(noq::ends(&own(noq::OWN, "cubic"), DATAGRAM, seed), None);
    assert_eq!(noq(1), noq(1));
    let quinn = |seed| run(quinn::ends(&own(quinn::OWN, "cubic"), DATAGRAM, seed), None);
    assert_eq!(quinn(1), quinn(1));
    let ours = |seed| run(noq::ends(&noq_runs("bbrv3"), DATAGRAM, seed), None);
    assert_eq!(ours(1), ours(1));
}

#[test]
fn a_transfer_ends_when_everything_is_acknowledged() {
    // A megabyte at 10 Mbit/s takes 0.8 s and more: headers, the handshake and slow start.
    for ends in [
        noq::ends(&own(noq::OWN, "cubic"), DATAGRAM, 1),
        quinn::ends(&own(quinn::OWN, "cubic"), DATAGRAM, 1),
        noq::ends(&noq_runs("cubic"), DATAGRAM, 1),
    ] {
        let outcome = run(ends, Some(1_000_000));
        let completed = outcome.completed.expect("a finished transfer");
        assert!(completed > Time::from_seconds(0.84) && completed < Time::from_seconds(2.0), "{outcome:?}");
    }
}

#[test]
fn what_a_stack_cannot_run_is_refused() {
    let refused = Plan::named("bbrv3", ackclock_quinn::QUINN).expect_err("quinn paces by itself");
    assert!(refused.to_string().contains("paces its window by itself"), "{refused}");
}
