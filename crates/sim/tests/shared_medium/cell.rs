//! Stations that share a medium, each with more to send than the medium can carry.

use ackclock_aqm::{Capacity, Dscp, LinkRate, Queueing, registry as queues};
use ackclock_base::{Rate, Span, Time, Values};
use ackclock_sim::channel::{Carried, Channel, Impairments, Sending};
use ackclock_sim::flow::{FlowParts, PathPair};
use ackclock_sim::link::LinkParts;
use ackclock_sim::measure::Interval;
use ackclock_sim::medium::{MediumParts, registry as media};
use ackclock_sim::random::Stream;
use ackclock_sim::simulation::{Parts, Simulation};
use ackclock_sim::traffic::constant::{Constant, Spacing};
use ackclock_sim::udp::UdpOptions;
use std::sync::atomic::AtomicBool;

/// The stations, and how they share the medium.
pub struct Cell {
    /// The number of sending stations.
    pub stations: u32,
    /// The rate on the air, in bits per second.
    pub rate: u64,
    /// The size of a packet, in bytes.
    pub bytes: u32,
    /// The time from one packet of a station to its next.
    pub every: Span,
    /// The medium and its parameters.
    pub medium: (&'static str, Vec<(&'static str, &'static str)>),
    /// The share of packets, and of answers, that are lost.
    pub loss: f64,
    /// The length of the measured interval in seconds, after one second of warm-up.
    pub seconds: f64,
    pub traced: bool,
}

/// A channel that loses packets and answers independently.
struct Lossy(f64);

impl Channel for Lossy {
    fn carry(&mut self, sending: &Sending, random: &mut dyn ackclock_base::Random) -> Carried {
        Carried { takes: sending.takes, delay: (random.uniform() >= self.0).then_some(Span::ZERO) }
    }

    fn answers(&mut self, _now: Time, random: &mut dyn ackclock_base::Random) -> bool {
        random.uniform() >= self.0
    }
}

impl Cell {
    /// Runs the cell. Its links are those of the stations in order, followed by a wire back for each.
    pub fn run(&self, seed: u64) -> Simulation {
        let entry = media::find(self.medium.0).unwrap();
        let values = Values::with(entry.descriptor, &self.medium.1);
        let transmitters: Vec<usize> = (0..self.stations as usize).collect();
        let medium = (entry.build)(&values, &transmitters);
        let stations = 0..self.stations;
        let links = stations.clone().map(|station| self.link(station, seed));
        let links = links.chain(stations.clone().map(|station| wire(station, seed)));
        let mut simulation = Simulation::new(Parts {
            links: links.collect(),
            media: vec![MediumParts { medium, links: stations.clone().collect() }],
            flows: stations.map(|station| self.flow(station, seed)).collect(),
            agents: Vec::new(),
            sessions: Vec::new(),
            measured: self.measured(),
            seed,
            sample_every: None,
            samples_flows: false,
            traced: self.traced,
            watch: None,
            capture: Vec::new(),
        });
        simulation.run(&AtomicBool::new(false)).unwrap();
        simulation
    }

    /// Returns the packets per second that all stations together deliver, and checks them against the links'
    /// counts.
    pub fn packets_per_second(&self, seed: u64) -> f64 {
        let run = self.run(seed);
        let delivered: u64 =
            (0..self.stations).map(|link| run.network.links[link as usize].counts().delivered).sum();
        delivered as f64 / self.seconds
    }

    fn measured(&self) -> Interval {
        Interval { from: Time::from_seconds(1.0), to: Time::from_seconds(1.0 + self.seconds) }
    }

    fn link(&self, station: u32, seed: u64) -> LinkParts {
        let droptail = queues::find("droptail").unwrap();
        let rate = Rate::from_bits_per_second(self.rate);
        let link = LinkRate { rate, mean_packet_bytes: self.bytes };
        let queue: Queueing =
            (droptail.build)(&droptail.descriptor.defaults(), Capacity::Packets(200), &link);
        let channel: Option<Box<dyn Channel>> = (self.loss > 0.0).then(|| Box::new(Lossy(self.loss)) as _);
        LinkParts {
            name: format!("station {station}"),
            from: format!("{station}"),
            to: "base".into(),
            rate,
            changes: None,
            delay: Span::ZERO,
            discipline: Some(queue),
            impairments: Impairments { channel, ..Impairments::default() },
            seed,
        }
    }

    fn flow(&self, station: u32, seed: u64) -> FlowParts {
        let source = Box::new(Constant(Spacing { interval: self.every, jitter: 0.5 }));
        let random = Stream::new(seed, &format!("source {station}"));
        let options = UdpOptions {
            payload_bytes: self.bytes,
            wire_bytes: self.bytes,
            reply_bytes: None,
            source,
            random,
        };
        FlowParts {
            name: format!("flow {station}"),
            paths: vec![PathPair { forward: vec![station], backward: vec![self.stations + station] }],
            dscp: Dscp::default(),
            start: Time::ZERO,
            stop: Time::NEVER,
            ends: options.ends(self.measured()),
            row: station as usize,
            one_of_many: false,
            session: None,
            writer: None,
            bytes: 0,
        }
    }
}

fn wire(station: u32, seed: u64) -> LinkParts {
    LinkParts {
        name: format!("wire {station}"),
        from: "base".into(),
        to: format!("{station}"),
        rate: Rate::from_bits_per_second(1_000_000_000),
        changes: None,
        delay: Span::ZERO,
        discipline: None,
        impairments: Impairments::default(),
        seed,
    }
}
