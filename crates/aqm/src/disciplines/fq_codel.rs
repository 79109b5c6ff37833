//! FQ-CoDel (RFC 8290): flows are hashed to queues, the queues take turns of equal bytes, queues that have
//! just become active go first, and each queue has a CoDel of its own.

use crate::departure::{Departing, Departure, Held, Ticket};
use crate::discipline::Capacity;
use crate::disciplines::codel::{self, CE_THRESHOLD, INTERVAL, Law, MAX_PACKET, TARGET};
use crate::entry::{Entry, Queueing, Service, queue};
use crate::fifo::{Fifo, Room, longest};
use crate::flow_hash::Buckets;
use crate::rounds::Rounds;
use ackclock_base::{Descriptor, Random, Range, Size, Span, Time, parameters};

/// The discipline's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &Descriptor {
        presets: PRESETS,
        ..queue(
            "fq-codel",
            "Hashes flows to queues that share the link equally, each with its own CoDel; new flows are served first",
            "RFC 8290",
            Parameters::TABLE,
        )
    },
    build: |values, capacity, _| Queueing::at_departure(FqCoDel::new(values.into(), capacity)),
    service: Service { drops_late: true, overtakes: true, ..Service::IN_ORDER },
};

/// A large limit, since it is meant for emergencies (section 5.2, and net/sched/sch_fq_codel.c).
const PRESETS: &[(&str, &str)] = &[("limit", "10240 packets")];

parameters! {
    /// The queues, and CoDel in each of them.
    pub struct Parameters {
        /// Number of queues to which flows are hashed
        queues: usize = integer("1024", Range::between(1.0, 65_536.0), "RFC 8290 section 5.2, Flows"),
        /// Number of bytes that each queue can send per round-robin turn
        quantum: Size = size("1514 B", Range::at_least(64.0), "RFC 8290 section 5.2, Quantum"),
        /// Largest number of packets dropped at once, oldest first, from the queue with the most bytes when the limit
        /// is exceeded; dropping ends earlier once half of that queue's bytes are gone
        drop_batch: usize = integer("64", Range::between(1.0, 1e6), "RFC 8290 section 4.1"),
        target: Span = TARGET,
        interval: Span = INTERVAL,
        max_packet: Size = MAX_PACKET,
        ecn: bool = codel::ECN.by_default("true").source("RFC 8290 section 5.2; RFC 3168 section 5"),
        ce_threshold: Option<Span> = CE_THRESHOLD,
    }
}

/// A CoDel in each of many queues that take turns. Its memory grows with the queues that have been used and
/// with the packets that have waited in them.
#[derive(Clone, Debug)]
pub struct FqCoDel {
    room: Room,
    quantum: i64,
    drop_batch: usize,
    /// A new queue.
    fresh: Queue,
    buckets: Buckets,
    queues: Vec<Queue>,
    rounds: Rounds,
}

#[derive(Clone, Debug)]
struct Queue {
    law: Law,
    fifo: Fifo,
}

impl FqCoDel {
    /// Creates empty queues that share this capacity.
    pub fn new(parameters: Parameters, capacity: Capacity) -> Self {
        let Parameters { target, interval, max_packet, ecn, ce_threshold, .. } = parameters;
        let law = Law::new(codel::Parameters { target, interval, max_packet, ecn, ce_threshold });
        Self {
            room: Room::new(capacity),
            quantum: i64::try_from(parameters.quantum.bytes()).unwrap_or(i64::MAX),
            drop_batch: parameters.drop_batch,
            fresh: Queue { law, fifo: Fifo::default() },
            buckets: Buckets::new(parameters.queues),
            queues: Vec::new(),
            rounds: Rounds::default(),
        }
    }

    /// Drops the oldest packets of the queue with the most bytes: half of its bytes, but at most a batch
    /// (section 4.1).
    fn drop_from_fattest(&mut self, drops: &mut dyn FnMut(Ticket)) {
        let fattest = longest(0, self.queues.iter().map(|queue| queue.fifo.bytes()));
        let Queue { fifo, law } = &mut self.queues[fattest];
        let half = fifo.bytes() / 2;
        let (mut packets, mut bytes) = (0, 0);
        while let Some(dropped) = fifo.pop() {
            packets += 1;
            bytes += u64::from(dropped.arrival.bytes);
            drops(dropped.ticket);
            if packets == self.drop_batch || bytes >= half {
                break;
            }
        }
        law.overflowed(packets as u32);
        self.room.leave(packets as u64, bytes);
    }
}

impl Departing for FqCoDel {
    fn on_arrival(&mut self, held: Held, random: &mut dyn Random, drops: &mut dyn FnMut(Ticket)) {
        let index = self.buckets.number_of(held.arrival.flow, random);
        if index as usize == self.queues.len() {
            self.queues.push(self.fresh.clone());
        }
        self.queues[index as usize].fifo.push(held);
        self.room.enter(held.arrival.bytes);
        self.rounds.start_new(index, self.quantum);
        while !held.link_free && self.room.is_over() {
            self.drop_from_fattest(drops);
        }
    }

    /// Sends the next packet (section 4.2).
    fn on_departure(
        &mut self,
        now: Time,
        _random: &mut dyn Random,
        drops: &mut dyn FnMut(Ticket),
    ) -> Option<Departure> {
        loop {
            let index = self.rounds.next(|_| self.quantum, |_| 1)?;
            let queue = &mut self.queues[index as usize];
            let before = (queue.fifo.len() as u64, queue.fifo.bytes());
            let next = queue.law.depart(&mut queue.fifo, now, drops);
            self.room.leave(before.0 - queue.fifo.len() as u64, before.1 - queue.fifo.bytes());
            if let Some((held, marked)) = next {
                self.rounds.spend(index, i64::from(held.arrival.bytes));
                return Some(Departure { ticket: held.ticket, marked });
            }
            self.rounds.found_empty();
        }
    }

    fn packets(&self) -> u64 {
        self.room.packets()
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("active_queues", self.rounds.active() as f64);
    }
}

#[cfg(test)]
mod tests;
