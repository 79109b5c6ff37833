//! A link on a path, and the packets that are on their way to it.

use super::stored::Place;
use ackclock_base::Time;
use ackclock_sim::link::Link;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A link on a path.
pub(crate) struct Hop {
    pub(crate) link: Link,
    /// When the link has to be served; `None` if no packet waits for service.
    pub(crate) service: Option<Time>,
    /// The packets that are on the wire to the link.
    pub(crate) arriving: BinaryHeap<Moving>,
}

impl Hop {
    pub(crate) fn new(link: Link) -> Self {
        Self { link, service: None, arriving: BinaryHeap::new() }
    }

    /// Returns the next event at the link.
    pub(crate) fn due(&self) -> Option<Due> {
        let arrival = self.arriving.peek().map(|next| Due::Arrival(next.at, next.departed, next.order));
        match (self.service.map(Due::Service), arrival) {
            (Some(service), Some(arrival)) => Some(service.min(arrival)),
            (service, arrival) => service.or(arrival),
        }
    }
}

/// An event at a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    /// A packet may leave the queue.
    Service(Time),
    /// A packet arrives: the time, when it departed from the last link with a queue, and its order among
    /// packets for which both are equal.
    Arrival(Time, Time, u64),
}

impl Due {
    pub(crate) fn time(self) -> Time {
        match self {
            Self::Service(at) | Self::Arrival(at, ..) => at,
        }
    }

    /// The order of events at one time is the simulator's: what waits is sent first, then packets arrive in
    /// the order in which they departed.
    fn key(self) -> (Time, bool, Time, u64) {
        match self {
            Self::Service(at) => (at, false, Time::ZERO, 0),
            Self::Arrival(at, departed, order) => (at, true, departed, order),
        }
    }
}

impl Ord for Due {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A packet on a wire. The one that arrives first is the greatest, for [`BinaryHeap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moving {
    pub(crate) at: Time,
    pub(crate) departed: Time,
    pub(crate) order: u64,
    pub(crate) place: Place,
}

impl Ord for Moving {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |moving: &Self| (moving.at, moving.departed, moving.order);
        key(other).cmp(&key(self))
    }
}

impl PartialOrd for Moving {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
