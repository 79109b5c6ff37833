//! Benchmarks of the CPU nanoseconds per packet at a bottleneck under each queue discipline.
//!
//! The bottleneck is the simulator's own link. It is offered a fixed stream of packets that slightly exceeds
//! its rate: random gaps, 40 flows, 1000 bytes each, half of which could be marked but are not. The stream is
//! generated before the clock starts. A value is therefore the cost of the link and its discipline together.
//! `droptail` is the link with a discipline that does almost nothing, and the second value is the cost of the
//! discipline above that.

use crate::cpu;
use ackclock_aqm::entry::Entry;
use ackclock_aqm::registry::QUEUES;
use ackclock_aqm::{Arrival, Capacity, Ecn, LinkRate};
use ackclock_base::{Random, Rate, Span, Time};
use ackclock_sim::channel::Impairments;
use ackclock_sim::link::{Link, LinkParts};
use ackclock_sim::measure::Interval;
use ackclock_sim::packet::Packet;
use ackclock_sim::random::Stream;
use ackclock_sim::waiting_room::QueuedPacket;
use std::hint::black_box;

/// The number of packets in the stream. The stream is offered `ROUNDS` times, because the clock ticks in
/// milliseconds.
const PACKETS: usize = 500_000;
const ROUNDS: u64 = 10;
const FLOWS: f64 = 40.0;
/// The link's rate in bit/s: 1250 packets of 1000 bytes per second.
const RATE: u64 = 10_000_000;
const LOAD: f64 = 1.05;

/// Prints the least cost of several runs of each discipline. The disciplines take turns, so that a busy
/// moment of the machine affects all alike.
pub fn bench(repeat: usize) -> Result<(), String> {
    let arrivals = arrivals();
    let mut costs = vec![f64::INFINITY; QUEUES.len()];
    for _ in 0..repeat.max(5) {
        for (entry, cost) in QUEUES.iter().zip(&mut costs) {
            *cost = cost.min(nanoseconds(entry, &arrivals)?);
        }
    }
    let bare = costs[0];
    for (entry, cost) in QUEUES.iter().zip(&costs) {
        let own = (cost - bare).max(0.0);
        println!("bench queue-{} {cost:.1} ns/packet, {own:.1} above droptail", entry.descriptor.name);
    }
    Ok(())
}

fn arrivals() -> Vec<Arrival> {
    let mut random = Stream::new(1, "bench");
    let mut now = Time::ZERO;
    let mut arrival = |_| {
        now += Span::from_seconds(random.exponential(8000.0 / RATE as f64 / LOAD));
        let flow = (random.uniform() * FLOWS) as u32;
        let ecn = if flow.is_multiple_of(2) { Ecn::Classic } else { Ecn::NotCapable };
        Arrival { now, bytes: 1000, flow, ecn }
    };
    (0..PACKETS).map(&mut arrival).collect()
}

fn nanoseconds(entry: &Entry, arrivals: &[Arrival]) -> Result<f64, String> {
    let mut link = link(entry);
    let mut dropped = Vec::new();
    let length = arrivals.last().map_or(Span::ZERO, |last| last.now.since(Time::ZERO));
    let started = cpu::seconds()?;
    for round in 0..ROUNDS {
        for arrival in arrivals {
            offer(&mut link, &Arrival { now: arrival.now + length * round, ..*arrival }, &mut dropped);
        }
    }
    Ok((cpu::seconds()? - started) * 1e9 / (arrivals.len() as u64 * ROUNDS) as f64)
}

/// Does what the simulator does at and before an arrival, without the events.
#[inline]
fn offer(link: &mut Link, arrival: &Arrival, dropped: &mut Vec<QueuedPacket>) {
    if !link.decides_at_departure() {
        black_box(link.offer(arrival));
        return;
    }
    while let Some(due) = link.service_due().filter(|due| *due <= arrival.now) {
        black_box(link.serve(due, dropped));
    }
    let packet = Packet { bytes: arrival.bytes, ..Packet::default() };
    let queued = QueuedPacket { packet, path: arrival.flow, since: arrival.now, step: 0, number: 0 };
    link.wait(queued, *arrival, dropped);
    black_box(link.serve(arrival.now, dropped));
    dropped.clear();
}

fn link(entry: &Entry) -> Link {
    let rate = Rate::from_bits_per_second(RATE);
    let values = entry.descriptor.defaults();
    let link_rate = LinkRate { rate, mean_packet_bytes: 1000 };
    let parts = LinkParts {
        name: "bottleneck".into(),
        from: "a".into(),
        to: "b".into(),
        rate,
        changes: None,
        delay: Span::ZERO,
        discipline: Some((entry.build)(&values, Capacity::Packets(50), &link_rate)),
        impairments: Impairments::default(),
        seed: 1,
    };
    Link::new(parts, true, Interval { from: Time::ZERO, to: Time::NEVER })
}
