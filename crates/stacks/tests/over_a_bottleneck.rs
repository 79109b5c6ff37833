//! Whole stacks over a simulated bottleneck, under their own controls and under ours.

use ackclock_adapter::Plan;
use ackclock_aqm::disciplines::droptail::DropTail;
use ackclock_aqm::{Capacity, Dscp, Queueing};
use ackclock_base::{Rate, Span, Time};
use ackclock_sim::channel::Impairments;
use ackclock_sim::flow::{FlowParts, PathPair};
use ackclock_sim::link::LinkParts;
use ackclock_sim::measure::Interval;
use ackclock_sim::simulation::{Parts, Simulation};
use ackclock_stacks::{Application, Control, End, Stack, noq, packing, quinn};
use std::sync::atomic::AtomicBool;

const DATAGRAM: u16 = 1200;
const HEADER: u32 = 28;
const WINDOW: u64 = 10_000;
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

fn run(stack: Stack, control: &Control, seed: u64, application: Application) -> Outcome {
    let packing = packing(control, DATAGRAM, HEADER, WINDOW);
    let connection = (stack.connections)(control, &packing, seed).connect(seed);
    let flow = FlowParts {
        name: "flow".into(),
        paths: vec![PathPair { forward: vec![0], backward: vec![1] }],
        dscp: Dscp::default(),
        start: Time::ZERO,
        stop: Time::NEVER,
        ends: End::pair(connection, application, packing),
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

fn own(stack: Stack, name: &str) -> Control {
    let descriptor = stack.own.iter().find(|own| own.name == name).expect("a control of the stack");
    Control::Own((stack.own_control)(descriptor))
}

fn ours(stack: Stack, name: &str) -> Control {
    Control::Ours(Plan::named(name, stack.facts).expect("a control that the stack runs"))
}

const NOQ: Stack = noq::STACK;
const QUINN: Stack = quinn::STACK;

// More than the bottleneck allows: 10 Mbit/s times 1200 bytes of 1228 on the wire, as if a datagram were nothing but data.
const MOST: f64 = 10.0 * 1200.0 / 1228.0;

#[test]
fn a_stack_fills_the_path_under_its_own_controls_and_under_ours() {
    let runs = [
        (NOQ, own(NOQ, "noq:newreno")),
        (NOQ, own(NOQ, "noq:cubic")),
        (QUINN, own(QUINN, "quinn:cubic")),
        (NOQ, ours(NOQ, "cubic")),
        (NOQ, ours(NOQ, "bbrv3")),
        (QUINN, ours(QUINN, "newreno")),
    ];
    for (stack, control) in runs {
        let outcome = run(stack, &control, 1, Application::Endless);
        assert!(outcome.goodput_mbps > 0.9 * MOST, "{control:?}: {outcome:?}");
        assert!(outcome.goodput_mbps <= MOST, "{control:?}: {outcome:?}");
    }
}

#[test]
fn equal_seeds_give_equal_runs() {
    for (stack, control) in
        [(NOQ, own(NOQ, "noq:cubic")), (QUINN, own(QUINN, "quinn:cubic")), (NOQ, ours(NOQ, "bbrv3"))]
    {
        let outcome = |seed| run(stack, &control, seed, Application::Endless);
        assert_eq!(outcome(1), outcome(1), "{control:?}");
    }
}

#[test]
fn a_transfer_ends_when_everything_is_acknowledged() {
    // A megabyte at 10 Mbit/s takes 0.8 s and more: headers, the handshake and slow start.
    for (stack, control) in
        [(NOQ, own(NOQ, "noq:cubic")), (QUINN, own(QUINN, "quinn:cubic")), (NOQ, ours(NOQ, "cubic"))]
    {
        let outcome = run(stack, &control, 1, Application::Bytes(1_000_000));
        let completed = outcome.completed.expect("a finished transfer");
        assert!(completed > Time::from_seconds(0.84) && completed < Time::from_seconds(2.0), "{outcome:?}");
    }
}

#[test]
fn what_a_stack_cannot_run_is_refused() {
    let refused = Plan::named("bbrv3", ackclock_quinn::QUINN).expect_err("quinn paces by itself");
    assert!(refused.to_string().contains("paces its window by itself"), "{refused}");
}
