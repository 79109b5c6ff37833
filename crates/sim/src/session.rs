//! Sessions: applications over connections, whose next step waits until the previous one is done. A session
//! has some connections, gives each packets to send, and is called when they have been delivered.
//!
//! The receiver acknowledges the last packet of each task at once; that acknowledgement also stands for the
//! request for the next data. The sender therefore sees the receiving user's times later by a one-way delay.
//! From the first packet of a new connection to the acknowledgement of the last byte there are as many round
//! trips as from a client's SYN over its request to the last byte of the answer.

use crate::endpoint::Ends;
use crate::histogram::Histogram;
use crate::measure::Interval;
use crate::random::Stream;
use ackclock_base::{Span, Time};
use std::fmt::Debug;

/// An application that continues when its connections have delivered their data.
pub trait Session: Send {
    /// Called when the session begins.
    fn begin(&mut self, now: Time, desk: &mut Desk<'_>);

    /// Called when a connection has delivered all data of its last order.
    fn delivered(&mut self, now: Time, connection: usize, desk: &mut Desk<'_>);

    /// Returns what a video viewer has seen; `None` if the session is not a viewer.
    fn viewing(&self) -> Option<Viewing> {
        None
    }
}

/// A kind of session, from which each run builds its own.
pub trait SessionPlan: Debug + Send + Sync {
    /// Returns the number of parallel connections of a session.
    fn connections(&self) -> usize {
        1
    }

    /// Returns the largest number of packets of an order; infinity if there is no limit.
    fn most_packets(&self) -> f64 {
        f64::INFINITY
    }

    /// Builds a session for a run.
    fn build(&self) -> Box<dyn Session>;
}

/// The viewing experience of a video in the measured interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Viewing {
    /// The number of segments that arrived.
    pub segments: u64,
    /// The sum of the segments' rates, in bits per second.
    pub rates_bps: f64,
    /// The number of changes of the rate from one segment to the next.
    pub switches: u64,
    /// The number of times that the buffer ran empty before a segment arrived.
    pub stalls: u64,
    /// The total time of stalls.
    pub stalled: Span,
}

/// The interface of a session to its run.
pub struct Desk<'a> {
    /// The random stream of the session.
    pub random: &'a mut Stream,
    /// The orders to connections, to which the session appends.
    pub orders: &'a mut Vec<Order>,
    /// The record of begun and completed tasks.
    pub tally: &'a mut Tally,
}

/// The next task of a connection. It is given only to a connection that has delivered its previous order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// The number of the connection, from 0.
    pub connection: usize,
    /// The time at which the task begins, not before now.
    pub at: Time,
    /// The number of packets to send.
    pub packets: u64,
    /// Whether a new connection is opened for it, which knows nothing of the previous one.
    pub anew: bool,
}

/// The number of a session's tasks (pages, segments) that began in the measured interval, and the durations
/// of those that were completed.
#[derive(Clone, Debug)]
pub struct Tally {
    measured: Interval,
    begun: u64,
    times: Histogram,
}

impl Tally {
    /// Creates a record before any task.
    pub fn new(measured: Interval) -> Self {
        Self { measured, begun: 0, times: Histogram::default() }
    }

    /// Returns whether an instant is measured.
    pub fn measures(&self, now: Time) -> bool {
        self.measured.contains(now)
    }

    /// Records that a task begins.
    pub fn begin(&mut self, now: Time) {
        self.begun += u64::from(self.measured.contains(now));
    }

    /// Records that a task that began at `begun` is complete.
    pub fn complete(&mut self, begun: Time, now: Time) {
        if self.measured.contains(begun) {
            self.times.record(now.since(begun));
        }
    }

    /// Returns the number of tasks that began.
    pub fn begun(&self) -> u64 {
        self.begun
    }

    /// Returns the durations of completed tasks.
    pub fn times(&self) -> &Histogram {
        &self.times
    }
}

/// The parts from which a session of a run is built.
pub struct SessionParts {
    /// The session.
    pub session: Box<dyn Session>,
    /// The index of the flow that is its first connection. The others follow.
    pub first_flow: u32,
    /// The time at which the session begins.
    pub start: Time,
    /// The time from which on the session begins no tasks.
    pub stop: Time,
    /// The random stream of the session.
    pub random: Stream,
    /// Creates the ends of a new connection that has the given number of packets to send.
    pub connect: Box<dyn FnMut(u64) -> Ends + Send>,
}

/// A session in a running simulation.
pub struct Running {
    parts: SessionParts,
    tally: Tally,
    orders: Vec<Order>,
}

impl Running {
    /// Creates a session that has not begun.
    pub fn new(parts: SessionParts, measured: Interval) -> Self {
        Self { parts, tally: Tally::new(measured), orders: Vec::new() }
    }

    /// Returns when the session begins.
    pub fn start(&self) -> Time {
        self.parts.start
    }

    /// Returns the record of begun and completed tasks.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Returns what the viewer has seen; `None` if the session is not a viewer.
    pub fn viewing(&self) -> Option<Viewing> {
        self.parts.session.viewing()
    }

    /// Called when the session begins, or when one of its flows has delivered its data. [`Self::next_order`]
    /// returns the resulting orders.
    pub fn go_on(&mut self, now: Time, delivered: Option<u32>) {
        if now >= self.parts.stop {
            return;
        }
        let Self { parts: SessionParts { session, random, first_flow, .. }, tally, orders } = self;
        let mut desk = Desk { random, orders, tally };
        match delivered {
            None => session.begin(now, &mut desk),
            Some(flow) => session.delivered(now, (flow - *first_flow) as usize, &mut desk),
        }
        // Orders are taken from the end.
        orders.reverse();
    }

    /// Returns the next order with its flow, and the ends of a new connection if the order opens one; `None`
    /// if no order is left.
    pub fn next_order(&mut self) -> Option<(u32, Order, Option<Ends>)> {
        let order = self.orders.pop()?;
        let ends = order.anew.then(|| (self.parts.connect)(order.packets));
        Some((self.parts.first_flow + order.connection as u32, order, ends))
    }
}
