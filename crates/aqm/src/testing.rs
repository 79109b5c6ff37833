//! Helpers shared by the tests of the disciplines.

use crate::departure::{Departing, Departure, Held, Ticket};
use crate::discipline::{Arrival, Backlog, Ecn};
use ackclock_base::{Random, Span, Time};

/// Returns a time in milliseconds.
pub fn at(ms: f64) -> Time {
    Time::from_seconds(ms / 1000.0)
}

/// Returns a packet of 1000 bytes that cannot be marked.
pub fn arrival(ms: f64) -> Arrival {
    Arrival { now: at(ms), bytes: 1000, flow: 0, ecn: Ecn::NotCapable }
}

/// Returns the backlog of a link that sends a packet a millisecond, with `packets` packets of 1000 bytes
/// waiting and one being sent.
pub fn waiting(packets: u64) -> Backlog {
    Backlog {
        packets,
        bytes: packets * 1000,
        wait: Span::from_millis(packets),
        sending: true,
        idle_since: None,
    }
}

/// Returns the backlog of an idle link.
pub fn idle(since_ms: f64) -> Backlog {
    Backlog { packets: 0, bytes: 0, wait: Span::ZERO, sending: false, idle_since: Some(at(since_ms)) }
}

/// Returns a packet held by a link.
pub fn held(ticket: u32, arrival: Arrival) -> Held {
    Held { ticket: Ticket(ticket), arrival, link_free: false }
}

/// A generator of numbers from [0, 1) that are random enough for a mean (Knuth's MMIX generator).
#[derive(Clone, Debug)]
pub struct Dice(pub u64);

impl Random for Dice {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// A test bench for a discipline that holds its packets: it feeds packets in, takes them out and records
/// drops. Packets have tickets from 0.
#[derive(Clone, Debug)]
pub struct Bench<D> {
    /// The discipline.
    pub queue: D,
    /// The tickets of the dropped packets, in the order of their drops.
    pub dropped: Vec<u32>,
    /// The random numbers of the discipline.
    pub dice: Dice,
    next_ticket: u32,
}

impl<D: Departing> Bench<D> {
    /// Creates a bench for a discipline.
    pub fn new(queue: D) -> Self {
        Self { queue, dropped: Vec::new(), dice: Dice(7), next_ticket: 0 }
    }

    /// Lets a packet arrive at a busy link.
    pub fn arrive(&mut self, arrival: Arrival) {
        let Self { queue, dropped, dice, next_ticket } = self;
        queue.on_arrival(held(*next_ticket, arrival), dice, &mut |ticket| dropped.push(ticket.0));
        self.next_ticket += 1;
    }

    /// Returns the packet that leaves when the link becomes free at `ms`; `None` if none does.
    pub fn depart(&mut self, ms: f64) -> Option<Departure> {
        self.depart_at(at(ms))
    }

    /// Returns the packet that leaves at `now`, to the nanosecond.
    pub fn depart_at(&mut self, now: Time) -> Option<Departure> {
        let Self { queue, dropped, dice, .. } = self;
        queue.on_departure(now, dice, &mut |ticket| dropped.push(ticket.0))
    }

    /// Returns the tickets of all packets that leave at one instant.
    pub fn empty(&mut self, ms: f64) -> Vec<u32> {
        std::iter::from_fn(|| self.depart(ms)).map(|departure| departure.ticket.0).collect()
    }
}
