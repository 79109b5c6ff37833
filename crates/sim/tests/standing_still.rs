//! A run in which no time passes ends with an error instead of never.

use ackclock_aqm::Dscp;
use ackclock_base::{Rate, Span, Time};
use ackclock_sim::channel::Impairments;
use ackclock_sim::endpoint::{Endpoint, Outbox};
use ackclock_sim::flow::{FlowParts, PathPair};
use ackclock_sim::link::LinkParts;
use ackclock_sim::measure::Interval;
use ackclock_sim::packet::Packet;
use ackclock_sim::simulation::{Parts, RunError, Simulation};
use std::sync::atomic::AtomicBool;

/// An endpoint whose timer is due each second, `at_once` times at the same instant.
struct Alarm {
    due: Time,
    at_once: u64,
    left: u64,
}

impl Alarm {
    fn new(at_once: u64) -> Self {
        Self { due: Time::from_seconds(1.0), at_once, left: at_once }
    }
}

impl Endpoint for Alarm {
    fn timer(&self) -> Time {
        self.due
    }

    fn on_timer(&mut self, now: Time, _out: &mut dyn Outbox) {
        self.left -= 1;
        if self.left == 0 {
            self.left = self.at_once;
            self.due = now + Span::from_millis(1000);
        }
    }

    fn on_packet(&mut self, _now: Time, _path: usize, _packet: &Packet, _out: &mut dyn Outbox) {}
}

fn run(at_once: u64) -> (Result<(), RunError>, u64) {
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
        ends: [Box::new(Alarm::new(at_once)), Box::new(Alarm::new(1))],
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
    (simulation.run(&AtomicBool::new(false)), simulation.events())
}

#[test]
fn a_timer_that_is_always_due_ends_the_run() {
    let (result, events) = run(u64::MAX);
    let error = result.expect_err("the first second never ends");
    assert_eq!(error, RunError::StandsStill { at: Time::from_seconds(1.0) });
    assert!(error.to_string().contains("events at 1"), "{error}");
    // The bound of 2^26 events at most, and two checks, each within 2^16 of the event at which it is due.
    assert!((1 << 26..(1 << 26) + (1 << 18)).contains(&events), "{events}");
}

#[test]
fn many_events_of_an_instant_are_no_standing_still() {
    // Nine seconds, in each of which more events come at once than between two checks.
    let (result, events) = run(1 << 18);
    assert_eq!((result, events > 9 << 18), (Ok(()), true));
}
