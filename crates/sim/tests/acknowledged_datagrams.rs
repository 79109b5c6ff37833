//! The endpoint of `crates/recovery/tests/worked_example`, which sends over real sockets in that test, over a
//! simulated network. The file is the same; this test is the adapter.

#[path = "../../recovery/tests/worked_example/acknowledged_datagrams.rs"]
mod acknowledged_datagrams;

use ackclock_aqm::Dscp;
use ackclock_base::random::Scripted;
use ackclock_base::{Rate, Span, Time};
use ackclock_cc::entry::Entry;
use ackclock_cc::registry;
use ackclock_cc::{Assembly, Exponential, Initial};
use ackclock_recovery::declared::Losses;
use ackclock_recovery::detection::Detection;
use ackclock_recovery::detection::rack::{Rack, RackOptions};
use ackclock_recovery::detection::sack::{Flight, Sack};
use ackclock_recovery::{Options, Sender, Units};
use ackclock_sim::channel::Impairments;
use ackclock_sim::endpoint::{Endpoint, Outbox};
use ackclock_sim::flow::{FlowParts, PathPair};
use ackclock_sim::link::LinkParts;
use ackclock_sim::loss;
use ackclock_sim::measure::Interval;
use ackclock_sim::packet::Packet;
use ackclock_sim::simulation::{Parts, Simulation};
use acknowledged_datagrams::{Network, PAYLOAD_BYTES, Receiving, Sending};
use std::sync::atomic::AtomicBool;

/// The header size: the three words, IPv4 and UDP.
const HEADER_BYTES: u32 = 24 + 28;

/// The simulated network as the endpoint sees it.
struct Simulated<'a>(&'a mut dyn Outbox);

impl Network for Simulated<'_> {
    fn send(&mut self, path: usize, header: [u64; 3], payload: u64) {
        self.0.send(path, Packet { bytes: payload as u32 + HEADER_BYTES, header, ..Packet::default() });
    }
}

struct SendingEnd(Sending);

impl Endpoint for SendingEnd {
    fn start(&mut self, now: Time, out: &mut dyn Outbox) {
        self.0.start(now, &mut Simulated(out));
    }

    fn timer(&self) -> Time {
        self.0.timer()
    }

    fn on_timer(&mut self, now: Time, out: &mut dyn Outbox) {
        self.0.on_timer(now, &mut Simulated(out));
    }

    fn on_packet(&mut self, now: Time, path: usize, packet: &Packet, out: &mut dyn Outbox) {
        self.0.on_packet(now, path, packet.header, &mut Simulated(out));
        if self.0.is_done() {
            out.done();
        }
    }
}

struct ReceivingEnd(Receiving);

impl Endpoint for ReceivingEnd {
    fn on_packet(&mut self, _now: Time, path: usize, packet: &Packet, out: &mut dyn Outbox) {
        if self.0.on_packet(path, packet.header, &mut Simulated(out)) {
            let sent = Time::from_nanos(packet.header[2]);
            out.received(Some(sent), 1, u64::from(packet.bytes - HEADER_BYTES));
        }
    }
}

/// The rule that finds losses. (QUIC's rule leaves it to the transport to retransmit under a new number; this
/// endpoint retransmits under the old one.)
#[derive(Clone, Copy, Debug)]
enum Rule {
    Sack,
    Rack,
}

impl Rule {
    fn build(self) -> Box<dyn Detection> {
        let max_ack_delay = Span::ZERO;
        match self {
            Self::Sack => Box::new(Sack::new(Losses { reduction: Flight::Inferred, ..Losses::default() })),
            Self::Rack => Box::new(Rack::new(RackOptions {
                max_ack_delay,
                packet: PAYLOAD_BYTES,
                ..RackOptions::default()
            })),
        }
    }
}

fn sender(entry: &Entry, rule: Rule, datagrams: u64) -> Sender {
    // For SACK the ledger counts later packets; RACK finds losses by itself.
    let dupack_threshold = if matches!(rule, Rule::Sack) { 3 } else { 0 };
    let options = Options { dupack_threshold, ..Options::recommended(Units::bytes(PAYLOAD_BYTES as u32)) };
    let initial =
        Initial { limit: options.window as f64, packet_bytes: PAYLOAD_BYTES as u32, ..Initial::default() };
    let parts = ackclock_recovery::Parts {
        controller: Assembly::new(entry, &entry.descriptor.defaults(), None, None).join(&initial),
        detection: rule.build(),
        backoff: Box::new(Exponential { most: 64.0 }),
        random: Box::new(Scripted::new(&[0.3, 0.7])),
    };
    Sender::new(options, parts, datagrams)
}

fn link(name: &str, megabits: u64, lossy: bool) -> LinkParts {
    let entry = loss::find("independent").unwrap();
    let loss = lossy.then(|| (entry.build)(&entry.descriptor.defaults()));
    LinkParts {
        name: name.into(),
        from: "a".into(),
        to: "b".into(),
        rate: Rate::from_bits_per_second(megabits * 1_000_000),
        changes: None,
        delay: Span::from_millis(20),
        discipline: None,
        impairments: Impairments { loss, ..Impairments::default() },
        seed: 1,
    }
}

/// Sends `bytes` bytes over two paths with rates in Mbit/s and a round trip of 40 ms. Returns the finished
/// run.
fn transfer(entry: &Entry, rule: Rule, bytes: u64, megabits: [u64; 2], lossy: bool) -> Simulation {
    let path = |there| PathPair { forward: vec![there], backward: vec![there + 1] };
    let flow = FlowParts {
        name: "datagrams".into(),
        paths: vec![path(0), path(2)],
        dscp: Dscp::default(),
        start: Time::ZERO,
        stop: Time::NEVER,
        ends: [
            Box::new(SendingEnd(Sending::new(bytes, 2, |datagrams| sender(entry, rule, datagrams)))),
            Box::new(ReceivingEnd(Receiving::new(2))),
        ],
        row: 0,
        one_of_many: false,
        session: None,
        writer: None,
        bytes: 0,
    };
    let mut run = Simulation::new(Parts {
        links: vec![
            link("first", megabits[0], lossy),
            link("back", 1000, false),
            link("second", megabits[1], lossy),
            link("back too", 1000, false),
        ],
        media: Vec::new(),
        flows: vec![flow],
        agents: Vec::new(),
        sessions: Vec::new(),
        measured: Interval { from: Time::ZERO, to: Time::from_seconds(60.0) },
        seed: 1,
        sample_every: None,
        samples_flows: false,
        traced: false,
        watch: None,
        capture: Vec::new(),
    });
    run.run(&AtomicBool::new(false)).unwrap();
    run
}

fn seconds(run: &Simulation) -> f64 {
    run.flows[0].completed.expect("all has arrived").seconds()
}

fn combinations() -> impl Iterator<Item = (&'static Entry, Rule)> {
    let entries = [registry::find("cubic").unwrap(), registry::find("bbrv3").unwrap()];
    entries.into_iter().flat_map(|entry| [Rule::Sack, Rule::Rack].map(|rule| (entry, rule)))
}

/// Sends the file of the example over two paths that lose one packet in a hundred. Every byte arrives, under
/// both controls and both rules that can count bytes.
#[test]
fn a_megabyte_over_a_simulated_network_that_loses() {
    for (entry, rule) in combinations() {
        let run = transfer(entry, rule, 1_000_000, [10, 10], true);
        assert_eq!(run.flows[0].delivered_packets(), 1000, "{} {rule:?}", entry.descriptor.name);
        let lost: u64 = [0, 2].map(|link| run.network.links[link].counts().corrupted).iter().sum();
        assert!(lost >= 5, "{lost}");
    }
}

/// Each path carries half of the data, so the slower one decides: 500 datagrams of 8,416 bits at 1 Mbit/s
/// take 4.208 s. The initial window starts at once, and the last acknowledgement arrives 40 ms later.
#[test]
fn the_slower_path_decides() {
    for (entry, rule) in combinations() {
        let time = seconds(&transfer(entry, rule, 1_000_000, [10, 1], false));
        assert!((4.248..4.26).contains(&time), "{} {rule:?}: {time} s", entry.descriptor.name);
    }
}

/// Sends twenty megabytes over 10 Mbit/s and a queue without a limit. BBR's bandwidth is the path's payload
/// rate, 10 * 1000 / 1052 = 9.506 Mbit/s. It sends 99 % of that in CRUISE, and half in the 200 ms of ProbeRTT
/// every five seconds: 98 % on average.
#[test]
fn bbrv3_finds_the_rate_of_the_path() {
    let time = seconds(&transfer(registry::find("bbrv3").unwrap(), Rule::Sack, 20_000_000, [10, 10], false));
    let payload_rate = 20_000_000.0 * 8.0 / 2.0 / time;
    assert!((payload_rate / (0.99 * 0.98 * 9.506e6) - 1.0).abs() < 0.02, "{payload_rate} bit/s");
}
