//! Compares the queue of Poisson arrivals at a link, an M/D/1 queue, with its closed form: `cargo run -p
//! ackclock-sim --example poisson_queue`.

use ackclock_aqm::Dscp;
use ackclock_base::{Rate, Span, Time};
use ackclock_sim::channel::Impairments;
use ackclock_sim::flow::{FlowParts, PathPair};
use ackclock_sim::link::LinkParts;
use ackclock_sim::measure::Interval;
use ackclock_sim::random::Stream;
use ackclock_sim::simulation::{Parts, Simulation};
use ackclock_sim::traffic::Source;
use ackclock_sim::udp::UdpOptions;
use std::sync::atomic::AtomicBool;

const SECONDS: f64 = 1000.0;
const WIRE_BYTES: u32 = 1000;
/// The link's rate, at which a packet of 1000 bytes takes 1 ms.
const RATE_BPS: u64 = 8_000_000;

struct Poisson {
    mean: Span,
}

impl Source for Poisson {
    fn first(&mut self, random: &mut Stream) -> Span {
        self.next(random)
    }

    fn next(&mut self, random: &mut Stream) -> Span {
        Span::from_seconds(random.exponential(self.mean.seconds()))
    }
}

fn main() {
    println!("load  simulated  closed form   [packets waiting]");
    for load in [0.5, 0.7, 0.9] {
        println!("{load:>4}  {:>9.3}  {:>11.3}", mean_queue(load), load * load / (2.0 * (1.0 - load)));
    }
}

/// Returns the mean number of waiting packets if packets arrive at `load` times the link's rate.
fn mean_queue(load: f64) -> f64 {
    let measured = Interval { from: Time::ZERO, to: Time::from_seconds(SECONDS) };
    let sending = UdpOptions {
        wire_bytes: WIRE_BYTES,
        payload_bytes: WIRE_BYTES - 28,
        reply_bytes: None,
        source: Box::new(Poisson { mean: Span::from_seconds(1e-3 / load) }),
        random: Stream::new(1, "arrivals"),
    };
    let flow = FlowParts {
        name: "packets".into(),
        paths: vec![PathPair { forward: vec![0], backward: vec![1] }],
        dscp: Dscp::default(),
        start: Time::ZERO,
        stop: Time::NEVER,
        ends: sending.ends(measured),
        row: 0,
        one_of_many: false,
        session: None,
        writer: None,
        bytes: 0,
    };
    let mut run = Simulation::new(Parts {
        links: vec![link("there"), link("back")],
        media: Vec::new(),
        flows: vec![flow],
        agents: Vec::new(),
        sessions: Vec::new(),
        measured,
        seed: 1,
        sample_every: None,
        samples_flows: false,
        traced: false,
        watch: None,
        capture: Vec::new(),
    });
    run.run(&AtomicBool::new(false)).expect("the run is not cancelled");
    run.network.links[0].queue_statistics(measured.to).mean_packets
}

fn link(name: &str) -> LinkParts {
    LinkParts {
        name: name.into(),
        from: "a".into(),
        to: "b".into(),
        rate: Rate::from_bits_per_second(RATE_BPS),
        changes: None,
        delay: Span::from_millis(1),
        discipline: None,
        impairments: Impairments::default(),
        seed: 1,
    }
}
