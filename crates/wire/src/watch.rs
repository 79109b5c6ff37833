//! What the links see of each flow: its packets' fates and times, and the round trips of TCP.

use crate::flows::FlowFacts;
use crate::frame::FlowKey;
use crate::segment;
use crate::trips::Trips;
use ackclock_base::Time;
use ackclock_base::trace::{Event, Record};
use ackclock_sim::histogram::Histogram;
use ackclock_sim::measure::Interval;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The port of the first flow at both of its ends. Each flow after it has the next one.
pub const FIRST_PORT: u16 = 5000;

/// What the links have seen of a flow.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The host of its sender.
    sender: usize,
    /// Its round trips, if the kernel's TCP carries it.
    pub trips: Option<Trips>,
    /// The time from the sending of each packet of the sender to its arrival.
    pub one_way_delay: Histogram,
    /// The packets of its sender that queues dropped in measured time.
    pub dropped: u64,
    /// Those that were corrupted.
    pub corrupted: u64,
}

/// Packets that links dropped and corrupted in measured time, by the index of their flow at the links of a direction.
type Fates = HashMap<u32, [u64; 2]>;

/// Watches the flows at the links.
pub struct Watch {
    measured: Interval,
    seen: Vec<Seen>,
    /// What the links of each direction have dropped and corrupted.
    fates: [Arc<Mutex<Fates>>; 2],
    /// The number of each flow, by its index at the links of its sender's direction.
    indices: [HashMap<u32, usize>; 2],
}

impl Watch {
    /// Watches these flows over the measured interval.
    pub fn new(flows: &[FlowFacts], measured: Interval) -> Self {
        let seen = |flow: &FlowFacts| Seen {
            sender: flow.sender,
            trips: flow.is_tcp.then(|| Trips::new(measured, flow.bytes)),
            one_way_delay: Histogram::default(),
            dropped: 0,
            corrupted: 0,
        };
        Self {
            measured,
            seen: flows.iter().map(seen).collect(),
            fates: [Arc::default(), Arc::default()],
            indices: [HashMap::new(), HashMap::new()],
        }
    }

    /// Returns an observer of the links from host `from` to the other.
    pub fn observer(&self, from: usize) -> impl FnMut(Record) + Send + 'static {
        let (fates, measured) = (Arc::clone(&self.fates[from]), self.measured);
        move |record: Record| {
            let fate = match record.event {
                Event::Dropped { .. } => 0,
                Event::Corrupted { .. } => 1,
                _ => return,
            };
            if measured.contains(Time::from_nanos(record.time_ns)) {
                fates.lock().unwrap_or_else(PoisonError::into_inner).entry(record.path).or_default()[fate] +=
                    1;
            }
        }
    }

    /// Returns the number of the flow of a packet; `None` if it is of no flow of the scenario.
    pub fn number(&self, key: &FlowKey) -> Option<usize> {
        let port = u16::from_be_bytes([key.ports[0], key.ports[1]]);
        let number = usize::from(port.checked_sub(FIRST_PORT)?);
        (number < self.seen.len()).then_some(number)
    }

    /// Called when host `from` sends a frame of a flow, which has this index at the links.
    pub fn sent(&mut self, from: usize, number: usize, index: u32, at: Time, frame: &[u8]) {
        let seen = &mut self.seen[number];
        if seen.sender != from {
            return;
        }
        self.indices[from].insert(index, number);
        if let (Some(trips), Some(segment)) = (&mut seen.trips, segment::read(frame)) {
            trips.sent(at, &segment);
        }
    }

    /// Called when a frame of a flow that host `from` sent at `sent` reaches the other host.
    pub fn arrived(&mut self, from: usize, number: usize, sent: Time, at: Time, frame: &[u8]) {
        let seen = &mut self.seen[number];
        if seen.sender != from {
            if let (Some(trips), Some(segment)) = (&mut seen.trips, segment::read(frame)) {
                trips.arrived(at, &segment);
            }
        } else if self.measured.contains(at) {
            seen.one_way_delay.record(at.since(sent));
        }
    }

    /// Returns what was seen of each flow.
    pub fn finish(mut self) -> Vec<Seen> {
        for (fates, indices) in self.fates.iter().zip(&self.indices) {
            for (index, [dropped, corrupted]) in fates.lock().unwrap_or_else(PoisonError::into_inner).iter() {
                if let Some(seen) = indices.get(index).map(|number| &mut self.seen[*number]) {
                    seen.dropped += dropped;
                    seen.corrupted += corrupted;
                }
            }
        }
        self.seen
    }
}
