//! Early delivery at endpoints that the transports do not have: a receiver that stops with the application, and receivers
//! at one node whose packets arrive at the same instant. A run that is stepped delivers nothing early.

use ackclock_aqm::Dscp;
use ackclock_base::{Rate, Span, Time};
use ackclock_sim::channel::Impairments;
use ackclock_sim::endpoint::{Endpoint, Outbox, Properties};
use ackclock_sim::flow::{FlowParts, PathPair};
use ackclock_sim::link::LinkParts;
use ackclock_sim::measure::Interval;
use ackclock_sim::packet::Packet;
use ackclock_sim::simulation::{Parts, Simulation};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

/// The times at which answers have reached the two senders.
type Answers = [Arc<Mutex<Vec<Time>>>; 2];

/// Sends a packet each millisecond, and notes when answers arrive. It takes none of them early, as if its state were shared.
struct Clock {
    due: Time,
    answers: Arc<Mutex<Vec<Time>>>,
}

impl Endpoint for Clock {
    fn properties(&self) -> Properties {
        Properties { shares: true, ..Properties::default() }
    }

    fn timer(&self) -> Time {
        self.due
    }

    fn on_timer(&mut self, now: Time, out: &mut dyn Outbox) {
        self.due = now + Span::from_millis(1);
        out.send(0, Packet { bytes: 1000, ..Packet::default() });
    }

    fn on_packet(&mut self, now: Time, _path: usize, _packet: &Packet, _out: &mut dyn Outbox) {
        self.answers.lock().unwrap().push(now);
    }
}

/// Answers each packet, at once or with a jitter, until the application stops.
struct Answering {
    send_jitter: Span,
    has_stopped: bool,
}

impl Endpoint for Answering {
    fn properties(&self) -> Properties {
        Properties { only_answers: true, send_jitter: self.send_jitter, ..Properties::default() }
    }

    fn on_packet(&mut self, _now: Time, _path: usize, _packet: &Packet, out: &mut dyn Outbox) {
        if !self.has_stopped {
            out.send(0, Packet { bytes: 100, ..Packet::default() });
        }
    }

    fn stop(&mut self, _now: Time) {
        self.has_stopped = true;
    }
}

/// Returns a link on which a packet of 1000 bytes takes 80 us, and then `delay_us`.
fn link(name: &str, delay_us: u64) -> LinkParts {
    LinkParts {
        name: name.into(),
        from: "a".into(),
        to: "b".into(),
        rate: Rate::from_bits_per_second(100_000_000),
        changes: None,
        delay: Span::from_nanos(1000 * delay_us),
        discipline: None,
        impairments: Impairments::default(),
        seed: 1,
    }
}

/// Returns two flows that stop at `stop_us`, whose receivers have this jitter. Each has an access link, the link that they share and a last link of its own,
/// and the answers of both go over one link. The packets of both enter the shared link at one instant; that of the second
/// flow follows 80 us later, and arrives 80 us sooner by its last link: if it is second, both arrive at the same instant.
fn simulation(stop_us: u64, send_jitter: Span) -> (Simulation, Answers) {
    let answers = Answers::default();
    let flow = |number: u32| FlowParts {
        name: format!("flow {number}"),
        paths: vec![PathPair { forward: vec![number, 2, 3 + number], backward: vec![5] }],
        dscp: Dscp::default(),
        start: Time::ZERO,
        stop: Time::from_nanos(1000 * stop_us),
        ends: [
            Box::new(Clock { due: Time::ZERO, answers: answers[number as usize].clone() }),
            Box::new(Answering { send_jitter, has_stopped: false }),
        ],
        row: number as usize,
        one_of_many: false,
        session: None,
        writer: None,
        bytes: 0,
    };
    let delays = [100, 100, 500, 1080, 1000, 500];
    let links = delays.iter().enumerate().map(|(number, delay)| link(&format!("link {number}"), *delay));
    let simulation = Simulation::new(Parts {
        links: links.collect(),
        media: vec![],
        flows: vec![flow(0), flow(1)],
        agents: vec![],
        sessions: vec![],
        measured: Interval { from: Time::ZERO, to: Time::from_seconds(1.0) },
        seed: 1,
        sample_every: None,
        samples_flows: false,
        traced: false,
        watch: None,
        capture: vec![],
    });
    (simulation, answers)
}

/// Returns the times at which answers arrive, and the number of events, of a run and of a run that is stepped.
fn both(stop_us: u64, send_jitter: Span) -> [([Vec<Time>; 2], u64); 2] {
    let of = |simulation: &Simulation, answers: Answers| {
        (answers.map(|times| times.lock().unwrap().clone()), simulation.events())
    };
    let (mut plain, answers) = simulation(stop_us, send_jitter);
    plain.run(&AtomicBool::new(false)).expect("a finished run");
    let plain = of(&plain, answers);
    let (mut stepped, answers) = simulation(stop_us, send_jitter);
    while stepped.step().expect("a finished run") {}
    [plain, of(&stepped, answers)]
}

#[test]
fn a_receiver_takes_a_packet_that_arrives_after_the_application_has_stopped_as_stopped() {
    // From when it reaches the shared link, 0.18 ms after it was sent, the arrival of a packet is known: 1.84 to 2 ms after it
    // was sent. At any stop there are packets in between.
    for stop_us in (20_000..21_000).step_by(50) {
        let [plain, stepped] = both(stop_us, Span::ZERO);
        assert!(plain.1 < stepped.1, "{} events of {}", plain.1, stepped.1);
        assert_eq!(plain.0, stepped.0, "stopped at {stop_us} us");
        // Those sent at 0 to 17 ms have arrived by 20 ms, those of 20 ms have not by 21.
        assert!((18..21).contains(&plain.0[0].len()), "{} answers", plain.0[0].len());
    }
}

#[test]
fn answers_to_packets_that_arrive_at_one_instant_enter_a_link_in_one_order() {
    for jitter in [0, 1].map(Span::from_nanos) {
        let [plain, stepped] = both(2_000_000, jitter);
        assert_eq!(plain.0, stepped.0, "{jitter}");
        // The receivers take early what is sent in a second, but for its end, although their answers enter a queue at once:
        // these wait in a lane before it.
        assert!((1990..=2000).contains(&(stepped.1 - plain.1)), "{} events of {}", plain.1, stepped.1);
    }
    let [plain, _] = both(2_000_000, Span::ZERO);
    // In half of the 1000 instants the packet of the first flow is the first on the shared link. Both then arrive at one instant,
    // and their answers 8 us, the time that one takes on its link, after one another; otherwise the second flow's is 160 us earlier.
    let apart = |first: &Time, second: &Time| first.max(second).since(*first.min(second)).nanos();
    let together =
        plain.0[0].iter().zip(&plain.0[1]).filter(|(one, other)| apart(one, other) <= 8001).count();
    assert!((430..570).contains(&together), "{together} of {}", plain.0[0].len());
}
