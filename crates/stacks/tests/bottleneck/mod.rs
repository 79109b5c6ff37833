//! One flow of a stack over a simulated bottleneck.

use ackclock_aqm::disciplines::droptail::DropTail;
use ackclock_aqm::{Capacity, Dscp, Queueing};
use ackclock_base::{Rate, Span, Time};
use ackclock_sim::channel::Impairments;
use ackclock_sim::flow::{FlowParts, PathPair};
use ackclock_sim::link::LinkParts;
use ackclock_sim::measure::Interval;
use ackclock_sim::simulation::{Parts, Simulation};
use ackclock_stacks::{Application, Control, End, Stack, packing};
use std::sync::atomic::AtomicBool;

const DATAGRAM: u16 = 1200;
const HEADER: u32 = 28;
const WINDOW: u64 = 10_000;
const SECONDS: f64 = 10.0;

/// What one flow did over 10 Mbit/s with a round trip of 40 ms and a buffer of one product of both.
#[derive(Debug, PartialEq)]
pub struct Outcome {
    pub goodput_mbps: f64,
    pub drops: u64,
    /// The first quartile of the delays.
    pub delays: String,
    pub completed: Option<Time>,
}

/// Runs the flow with this control for 10 s.
pub fn run(stack: &'static dyn Stack, control: &Control, seed: u64, application: Application) -> Outcome {
    let packing = packing(control, DATAGRAM, HEADER, WINDOW);
    let connection = stack.connections(control, &packing, seed).connect(seed);
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
