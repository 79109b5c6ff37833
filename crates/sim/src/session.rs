//! Sessions: applications over TCP whose next step waits until the last is done. A session has some connections, gives each
//! something to send, and is told when that has been delivered.
//!
//! The receiver acknowledges the end of what a connection was told to send at once: in that acknowledgement travels the
//! request for what comes next. So the sender's clock sees what the receiving user sees, later by one way. Between the
//! first packet of a new connection and the acknowledgement of the last byte there are as many round trips as between the
//! SYN of a client, its request and the last byte of the answer.

use crate::endpoint::Ends;
use crate::histogram::Histogram;
use crate::measure::Interval;
use crate::random::Stream;
use ackclock_base::{Span, Time};
use std::fmt::Debug;

/// An application that goes on when its connections have delivered.
pub trait Session: Send {
    /// It begins.
    fn begin(&mut self, now: Time, desk: &mut Desk<'_>);

    /// A connection has delivered all that it was told to send.
    fn delivered(&mut self, now: Time, connection: usize, desk: &mut Desk<'_>);

    /// What a viewer has seen, where it is one.
    fn viewing(&self) -> Option<Viewing> {
        None
    }
}

/// What a kind of session is like, from which each run makes its own.
pub trait SessionPlan: Debug + Send + Sync {
    /// How many connections a session has side by side.
    fn connections(&self) -> usize {
        1
    }

    /// The most packets that a connection is told to send at a time; infinite where there is no greatest number.
    fn most_packets(&self) -> f64 {
        f64::INFINITY
    }

    /// How many sizes a session draws at its beginning.
    fn draws_at_once(&self) -> usize {
        0
    }

    /// Makes a session for a run.
    fn build(&self) -> Box<dyn Session>;
}

/// What the viewer of a video has seen in the measured interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Viewing {
    /// Segments that arrived.
    pub segments: u64,
    /// Their rates, added up.
    pub rates_bps: f64,
    /// Changes of the rate from one to the next.
    pub switches: u64,
    /// How often the buffer ran empty until a segment arrived.
    pub stalls: u64,
    /// For how long.
    pub stalled: Span,
}

/// What a session works with.
pub struct Desk<'a> {
    /// What it draws from.
    pub random: &'a mut Stream,
    /// What its connections are to do next.
    pub orders: &'a mut Vec<Order>,
    /// Where it notes what it has begun and completed.
    pub tally: &'a mut Tally,
}

/// What a connection is to do next. It is given only to one that has delivered what it was told before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// Which connection, from 0.
    pub connection: usize,
    /// When; not before now.
    pub at: Time,
    /// How many packets it sends.
    pub packets: u64,
    /// Whether it is opened for that, with nothing learnt from what it was before.
    pub anew: bool,
}

/// How many tasks of a session (pages, segments) began in the measured interval, and how long those took that were
/// completed.
#[derive(Clone, Debug)]
pub struct Tally {
    measured: Interval,
    begun: u64,
    times: Histogram,
}

impl Tally {
    /// Nothing begun.
    pub fn new(measured: Interval) -> Self {
        Self { measured, begun: 0, times: Histogram::default() }
    }

    /// Whether an instant is measured.
    pub fn measures(&self, now: Time) -> bool {
        self.measured.contains(now)
    }

    /// A task begins.
    pub fn begin(&mut self, now: Time) {
        self.begun += u64::from(self.measured.contains(now));
    }

    /// A task that began at `begun` is complete.
    pub fn complete(&mut self, begun: Time, now: Time) {
        if self.measured.contains(begun) {
            self.times.record(now.since(begun));
        }
    }

    /// How many began.
    pub fn begun(&self) -> u64 {
        self.begun
    }

    /// How long those took that were completed.
    pub fn times(&self) -> &Histogram {
        &self.times
    }
}

/// What a session of a run is made of.
pub struct SessionParts {
    /// What it does.
    pub session: Box<dyn Session>,
    /// Its connections are the flows from this one on, as an index.
    pub first_flow: u32,
    /// When it begins.
    pub start: Time,
    /// From when on it begins nothing more.
    pub stop: Time,
    /// What it draws from.
    pub random: Stream,
    /// Makes the ends of a new connection that has so many packets to send.
    pub connect: Box<dyn FnMut(u64) -> Ends + Send>,
}

/// A session in a running simulation.
pub struct Running {
    parts: SessionParts,
    tally: Tally,
    orders: Vec<Order>,
}

impl Running {
    /// One that has not begun.
    pub fn new(parts: SessionParts, measured: Interval) -> Self {
        Self { parts, tally: Tally::new(measured), orders: Vec::new() }
    }

    /// When it begins.
    pub fn start(&self) -> Time {
        self.parts.start
    }

    /// What it has begun and completed.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// What its viewer has seen, where it has one.
    pub fn viewing(&self) -> Option<Viewing> {
        self.parts.session.viewing()
    }

    /// It begins, or one of its flows has delivered; afterwards [`Self::next_order`] has what follows.
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
        // They are taken from the end.
        orders.reverse();
    }

    /// The next order with its flow, and the flow's ends if it is to be opened anew.
    pub fn next_order(&mut self) -> Option<(u32, Order, Option<Ends>)> {
        let order = self.orders.pop()?;
        let ends = order.anew.then(|| (self.parts.connect)(order.packets));
        Some((self.parts.first_flow + order.connection as u32, order, ends))
    }
}
