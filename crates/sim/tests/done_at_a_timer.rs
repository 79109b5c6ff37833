//! An endpoint may notice at its timer that all data has arrived, as a stack that hears of deliveries late: the flow is complete then.

use ackclock_aqm::Dscp;
use ackclock_base::{Rate, Span, Time};
use ackclock_sim::channel::Impairments;
use ackclock_sim::endpoint::{Endpoint, Outbox};
use ackclock_sim::flow::{FlowParts, PathPair};
use ackclock_sim::link::LinkParts;
use ackclock_sim::measure::Interval;
use ackclock_sim::packet::Packet;
use ackclock_sim::simulation::{Parts, Simulation};
use std::sync::atomic::AtomicBool;

/// An endpoint whose timer is due each second, and that is done at the third.
struct Notices {
    due: Time,
}

impl Endpoint for Notices {
    fn timer(&self) -> Time {
        self.due
    }

    fn on_timer(&mut self, now: Time, out: &mut dyn Outbox) {
        self.due = now + Span::from_millis(1000);
        if now >= Time::from_seconds(3.0) {
            out.done();
        }
    }

    fn on_packet(&mut self, _now: Time, _path: usize, _packet: &Packet, _out: &mut dyn Outbox) {}
}

#[test]
fn a_flow_is_complete_when_its_end_says_so_at_a_timer() {
    let link = |name: &str| LinkParts {
        name: name.into(),
        from: "a".into(),
        to: "b".into(),
        rate: Rate::from_bits_per_second(10_000_000),
        changes: None,
        delay: Span::from_millis(20),
        discipline: None,
        impairments: Impairments::default(),
        seed: 1,
    };
    let flow = FlowParts {
        name: "flow".into(),
        paths: vec![PathPair { forward: vec![0], backward: vec![1] }],
        dscp: Dscp::default(),
        start: Time::ZERO,
        stop: Time::NEVER,
        ends: [Box::new(Notices { due: Time::from_seconds(1.0) }), Box::new(Notices { due: Time::NEVER })],
        row: 0,
        one_of_many: false,
        session: None,
        writer: None,
        bytes: 0,
    };
    let mut simulation = Simulation::new(Parts {
        links: vec![link("there"), link("back")],
        media: vec![],
        flows: vec![flow],
        agents: vec![],
        sessions: vec![],
        measured: Interval { from: Time::ZERO, to: Time::from_seconds(10.0) },
        seed: 1,
        sample_every: None,
        samples_flows: false,
        traced: false,
        watch: None,
        capture: vec![],
    });
    simulation.run(&AtomicBool::new(false)).expect("a run");
    // The first time counts, though later timers say it again.
    assert_eq!(simulation.flows[0].completed, Some(Time::from_seconds(3.0)));
}
