//! Scripted packets over two links: in a simulation, and over a path driven by a pretended clock.

use ackclock_aqm::testing::Dice;
use ackclock_aqm::{Ecn, Label};
use ackclock_base::trace::{Event, Record};
use ackclock_base::{Random, Time};
use ackclock_lab::Scenario;
use ackclock_lab::language::diagnostics::render;
use ackclock_lab::run::build;
use ackclock_sim::endpoint::{Endpoint, Outbox};
use ackclock_sim::flow::{FlowParts, PathPair};
use ackclock_sim::link::{Link, LinkCounts, LinkParts};
use ackclock_sim::measure::{Interval, QueueStatistics};
use ackclock_sim::packet::Packet as Simulated;
use ackclock_sim::simulation::{Parts, Simulation};
use ackclock_wire::path::{Leaving, Packet, Path};
use serde_json::Map;
use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

const MEASURED: (u64, u64) = (100_000_000, 1_500_000_000);

/// Two links in a row, and what crosses them.
#[derive(Clone, Debug)]
pub struct Case {
    /// The keys of the links in a scenario, besides their delays.
    pub first: String,
    pub second: String,
    /// The seed of the run and of the packets.
    pub seed: u64,
    /// The number of flows, at most 3.
    pub flows: usize,
    /// How late the pretended clock wakes at most, in nanoseconds.
    pub late_ns: u64,
}

/// What happened at a link.
#[derive(Debug, PartialEq)]
pub struct AtLink {
    /// The time, the flow, the rank of the packet at this link, and what happened to it.
    pub events: Vec<(u64, u32, usize, &'static str)>,
    pub counts: LinkCounts,
    pub queue: QueueStatistics,
}

/// A time at which a packet arrives somewhere.
pub type Arriving = (Time, Packet<Identity>);

/// The outcome of simulating a case.
pub struct Run {
    pub links: [AtLink; 2],
    /// The arrivals at each of the links, with the ECN field with which the packets were sent.
    pub arrivals: [Vec<Arriving>; 2],
    /// What has reached the end.
    pub delivered: Vec<Delivered>,
}

/// A packet that has reached the end: the time, the packet and its ECN field.
pub type Delivered = (Time, Identity, Ecn);

/// The flow of a packet, and its number in the flow.
pub type Identity = (u32, u64);

impl Case {
    fn links(&self) -> Vec<LinkParts> {
        build::links(&self.scenario(), self.seed)
    }

    fn scenario(&self) -> Scenario {
        let mut text = String::from("duration = \"1.5 s\"\n");
        for flow in 0..self.flows {
            // Different rates and delays, so that packets of different flows meet at any distance.
            text += &format!(
                "[[links]]\nbetween = [\"h{flow}\", \"r1\"]\nrate = \"{} Mbit/s\"\ndelay = \"{flow} ms\"\n\
                 [[flows]]\nname = \"flow{flow}\"\nfrom = \"h{flow}\"\nto = \"r3\"\ncontrol = \"newreno\"\n",
                20 + 13 * flow
            );
        }
        for (name, ends, keys) in
            [("first", "\"r1\", \"r2\"", &self.first), ("second", "\"r2\", \"r3\"", &self.second)]
        {
            text += &format!("[[links]]\nname = \"{name}\"\nbetween = [{ends}]\ndelay = \"7 ms\"\n{keys}\n");
        }
        text += "[files.\"opportunities\"]\ntext = \"3\\n5\\n6\\n6\\n9\\n14\\n15\\n\"\n";
        Scenario::parse(&text, "case.toml", &Map::new())
            .unwrap_or_else(|problems| panic!("{text}\n{}", render(&problems)))
    }

    /// Returns the packets of a flow: their times, sizes and ECN fields. Times are multiples of 10 us now and
    /// then, so that packets and services coincide.
    fn script(&self, flow: usize) -> Vec<(Time, u32, Ecn)> {
        let mut dice = Dice(self.seed * 3 + flow as u64 + 1);
        let mut now = 0;
        let mut packets = Vec::new();
        while now < 1_000_000_000 {
            let burst = 1 + (dice.uniform() * 6.0) as u64;
            // A packet each 1.2 ms on average, over all flows: about 6 Mbit/s.
            let gap = (dice.uniform() * 2.4e6 * (burst * self.flows as u64) as f64) as u64;
            now += if dice.uniform() < 0.5 { gap } else { gap / 10_000 * 10_000 };
            for _ in 0..burst {
                let bytes = [40, 576, 1500, 1504][(dice.uniform() * 4.0) as usize];
                let ecn = [Ecn::NotCapable, Ecn::Classic, Ecn::LowLatency, Ecn::Experienced];
                packets.push((Time::from_nanos(now), bytes, ecn[(dice.uniform() * 4.0) as usize]));
            }
        }
        packets
    }
}

/// An end that sends the packets of a script.
struct Sender {
    script: Vec<(Time, u32, Ecn)>,
    next: usize,
}

impl Endpoint for Sender {
    fn timer(&self) -> Time {
        self.script.get(self.next).map_or(Time::NEVER, |(at, ..)| *at)
    }

    fn on_timer(&mut self, _now: Time, out: &mut dyn Outbox) {
        let (_, bytes, ecn) = self.script[self.next];
        out.send(0, Simulated { bytes, ecn, header: [self.next as u64, 0, 0], ..Simulated::default() });
        self.next += 1;
    }

    fn on_packet(&mut self, _: Time, _: usize, _: &Simulated, _: &mut dyn Outbox) {}
}

type Log = Arc<Mutex<Vec<Delivered>>>;

/// An end that notes what arrives.
struct Receiver {
    flow: u32,
    log: Log,
}

impl Endpoint for Receiver {
    fn on_packet(&mut self, now: Time, _: usize, packet: &Simulated, _: &mut dyn Outbox) {
        self.log.lock().expect("a log").push((now, (self.flow, packet.header[0]), packet.ecn));
    }
}

fn measured() -> Interval {
    Interval { from: Time::from_nanos(MEASURED.0), to: Time::from_nanos(MEASURED.1) }
}

/// Simulates the case.
pub fn simulate(case: &Case) -> Run {
    let scenario = case.scenario();
    let log = Log::default();
    let flows = (0..case.flows).map(|flow| {
        let member = &scenario.flows[flow].members[0];
        FlowParts {
            name: format!("flow{flow}"),
            paths: vec![PathPair { forward: member.forward.clone(), backward: member.backward.clone() }],
            dscp: scenario.flows[flow].plan.dscp,
            start: Time::ZERO,
            stop: Time::NEVER,
            ends: [
                Box::new(Sender { script: case.script(flow), next: 0 }),
                Box::new(Receiver { flow: flow as u32, log: log.clone() }),
            ],
            row: flow,
            one_of_many: false,
            session: None,
            writer: None,
            bytes: 0,
        }
    });
    let mut simulation = Simulation::new(Parts {
        links: case.links(),
        media: Vec::new(),
        flows: flows.collect(),
        agents: Vec::new(),
        sessions: Vec::new(),
        measured: measured(),
        seed: case.seed,
        sample_every: None,
        samples_flows: false,
        traced: true,
        watch: None,
        capture: Vec::new(),
    });
    simulation.run(&AtomicBool::new(false)).expect("a finished run");
    let records = simulation.network.trace.take().expect("a trace").records;
    // A path of the simulation is a flow in one direction.
    let records: Vec<Record> =
        records.into_iter().map(|record| Record { path: record.path / 2, ..record }).collect();
    let links = ["first", "second"].map(|name| place(&simulation.network.links, name));
    let arrivals = links.map(|link| arrivals(case, &records, link as u32));
    let links = links.map(|link| at_link(&mut simulation.network.links[link], &records, link as u32));
    let delivered = log.lock().expect("a log").clone();
    Run { links, arrivals, delivered }
}

fn place(links: &[Link], name: &str) -> usize {
    links.iter().position(|link| &*link.name == name).expect("a link of this name")
}

/// Returns the arrivals at a link, with the packets that the scripts contain.
fn arrivals(case: &Case, records: &[Record], link: u32) -> Vec<Arriving> {
    let mut scripts: Vec<_> = (0..case.flows).map(|flow| case.script(flow).into_iter().zip(0u64..)).collect();
    let mut packets: HashMap<u64, Packet<Identity>> = HashMap::new();
    let (mut arrivals, mut last) = (Vec::new(), 0);
    for Record { time_ns, path, packet, event, .. } in records {
        match event {
            Event::Launched => {
                let ((_, bytes, ecn), number) = scripts[*path as usize].next().expect("a packet of a script");
                packets.insert(
                    *packet,
                    Packet { bytes, ecn, flow: 2 * path, route: 0, content: (*path, number) },
                );
            }
            // The record before is of the packet that is copied.
            Event::Duplicated { .. } => {
                packets.insert(*packet, packets[&last]);
            }
            Event::Offered { link: at } if *at == link => {
                arrivals.push((Time::from_nanos(*time_ns), packets[packet]));
            }
            _ => {}
        }
        last = *packet;
    }
    arrivals
}

fn at_link(link: &mut Link, records: &[Record], index: u32) -> AtLink {
    let mut ranks = HashMap::new();
    let here = records.iter().filter(|record| record.event.link() == Some(index));
    let events = here.map(|record| {
        let next = ranks.len();
        let rank = *ranks.entry(record.packet).or_insert(next);
        (record.time_ns, record.path, rank, record.event.name())
    });
    let events = events.collect();
    AtLink { events, counts: link.counts(), queue: link.queue_statistics(Time::from_nanos(MEASURED.1)) }
}

/// Drives a path over these links with these arrivals. The clock wakes when something is due or arrives, and
/// up to [`Case::late_ns`] later. Returns what happened at each link, and what has reached the end.
pub fn drive(case: &Case, names: &[&str], arrivals: &[Arriving]) -> (Vec<AtLink>, Vec<Delivered>) {
    let parts = case.links().into_iter().filter(|parts| names.contains(&&*parts.name));
    let links: Vec<Link> = parts.map(|parts| Link::new(parts, true, measured())).collect();
    let mut path = Path::new(links, &vec![Label::default(); 2 * case.flows]);
    let records = Arc::new(Mutex::new(Vec::new()));
    let observed = records.clone();
    path.observe(move |record| observed.lock().expect("records").push(record));
    let end = Time::from_nanos(MEASURED.1 - 1);
    let mut dice = Dice(case.seed ^ 0x51ce);
    let (mut next, mut delivered) = (0, Vec::new());
    let mut now = Time::ZERO;
    while now < end {
        let arrival = arrivals.get(next).map(|(at, _)| *at);
        let due = path.due().into_iter().chain(arrival).min().unwrap_or(end);
        let late = (dice.uniform() * case.late_ns as f64) as u64;
        now = Time::from_nanos(due.nanos() + late).min(end);
        while let Some((at, packet)) = arrivals.get(next).filter(|(at, _)| *at <= now) {
            path.offer(*at, *packet);
            next += 1;
        }
        while let Some(Leaving { at, packet }) = path.take(now) {
            delivered.push((at, packet.content, packet.ecn));
        }
    }
    let flow_of_path = |record: &Record| Record { path: record.path / 2, ..*record };
    let records: Vec<Record> = records.lock().expect("records").iter().map(flow_of_path).collect();
    let links = path.links_mut().zip(0..).map(|(link, index)| at_link(link, &records, index)).collect();
    (links, delivered)
}
