//! FQ-CoDel (RFC 8290): flows are hashed to queues, the queues take turns of equal bytes, those that have just begun to
//! send go first, and each queue has a CoDel of its own.

use crate::departure::{Departing, Departure, Held, Ticket};
use crate::discipline::Capacity;
use crate::disciplines::codel::{self, INTERVAL, Law, MAX_PACKET, TARGET};
use crate::fifo::Fifo;
use crate::registry::{Entry, Queueing, Service, queue};
use ackclock_base::{Descriptor, Random, Range, Size, Span, Time, parameters};
use std::collections::VecDeque;

/// The discipline in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &Descriptor {
        presets: PRESETS,
        ..queue(
            "fq-codel",
            "Hashes flows to queues that share the link equally, each under its own CoDel; new flows go first",
            "RFC 8290",
            Parameters::TABLE,
        )
    },
    build: |values, capacity, _| Queueing::at_departure(FqCoDel::new(values.into(), capacity)),
    service: Service { drops_late: true, overtakes: true, ..Service::IN_ORDER },
};

/// A large limit, for it is there for emergencies (section 5.2, and net/sched/sch_fq_codel.c).
const PRESETS: &[(&str, &str)] = &[("limit", "10240 packets")];

parameters! {
    /// The queues, and CoDel in each of them.
    pub struct Parameters {
        /// How many queues flows are hashed to
        queues: usize = integer("1024", Range::between(1.0, 65_536.0), "RFC 8290 section 5.2.4"),
        /// How much a queue may send in its turn
        quantum: Size = size("1514 B", Range::at_least(64.0), "RFC 8290 section 5.2.3"),
        /// The most packets that are dropped at once when the limit is reached
        drop_batch: usize = integer("64", Range::between(1.0, 1e6), "RFC 8290 section 4.1"),
        target: Span = TARGET,
        interval: Span = INTERVAL,
        max_packet: Size = MAX_PACKET,
        ecn: bool = codel::ECN.by_default("true").source("RFC 8290 section 5.2; RFC 3168 section 5"),
    }
}

/// CoDel in each of many queues that take turns. Its memory grows with the queues that have been used and with what has waited in them.
#[derive(Clone, Debug)]
pub struct FqCoDel {
    capacity: Capacity,
    quantum: i64,
    drop_batch: usize,
    /// A queue at its start.
    fresh: Queue,
    /// Which of `queues` a hash leads to, as far as one has.
    places: Vec<Option<u32>>,
    queues: Vec<Queue>,
    /// Queues whose flows have just begun to send, in the order of their turns.
    new: VecDeque<u32>,
    /// The others that may have something to send.
    old: VecDeque<u32>,
    /// What makes this link's hash differ from another's (section 4.1.2). Drawn when the first packet arrives.
    salt: Option<u64>,
    packets: u64,
    bytes: u64,
}

#[derive(Clone, Debug)]
struct Queue {
    law: Law,
    fifo: Fifo,
    /// Bytes that may still be sent in this turn.
    credits: i64,
    /// Whether it is in one of the two lists.
    listed: bool,
}

impl FqCoDel {
    /// Empty queues of this capacity together.
    pub fn new(parameters: Parameters, capacity: Capacity) -> Self {
        let Parameters { target, interval, max_packet, ecn, .. } = parameters;
        let law = Law::new(codel::Parameters { target, interval, max_packet, ecn });
        Self {
            capacity,
            quantum: i64::try_from(parameters.quantum.bytes()).unwrap_or(i64::MAX),
            drop_batch: parameters.drop_batch,
            fresh: Queue { law, fifo: Fifo::default(), credits: 0, listed: false },
            places: vec![None; parameters.queues],
            queues: Vec::new(),
            new: VecDeque::new(),
            old: VecDeque::new(),
            salt: None,
            packets: 0,
            bytes: 0,
        }
    }

    /// The queue of a flow.
    fn queue_of(&mut self, flow: u32, random: &mut dyn Random) -> u32 {
        let salt = *self.salt.get_or_insert_with(|| (random.uniform() * (1_u64 << 53) as f64) as u64);
        let place = mix(salt ^ u64::from(flow)) % self.places.len() as u64;
        let Self { places, queues, fresh, .. } = self;
        *places[place as usize].get_or_insert_with(|| {
            queues.push(fresh.clone());
            queues.len() as u32 - 1
        })
    }

    fn is_over(&self) -> bool {
        self.packets > 0 && !self.capacity.has_room(0, self.packets - 1, self.bytes)
    }

    /// Section 4.1: half of the bytes of the queue with the most of them, its oldest packets, but no more than a batch.
    fn drop_from_fattest(&mut self, drops: &mut dyn FnMut(Ticket)) {
        let mut fattest = 0;
        for (index, queue) in self.queues.iter().enumerate() {
            if queue.fifo.bytes() > self.queues[fattest].fifo.bytes() {
                fattest = index;
            }
        }
        let Queue { fifo, law, .. } = &mut self.queues[fattest];
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
        self.packets -= packets as u64;
        self.bytes -= bytes;
    }
}

/// The finaliser of SplitMix64 (Steele, Lea and Flood 2014): each bit of the flow's number moves half of the hash's.
pub(crate) fn mix(number: u64) -> u64 {
    let mixed = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

impl Departing for FqCoDel {
    fn on_arrival(&mut self, held: Held, random: &mut dyn Random, drops: &mut dyn FnMut(Ticket)) {
        let index = self.queue_of(held.arrival.flow, random);
        let queue = &mut self.queues[index as usize];
        queue.fifo.push(held);
        self.packets += 1;
        self.bytes += u64::from(held.arrival.bytes);
        if !queue.listed {
            queue.listed = true;
            queue.credits = self.quantum;
            self.new.push_back(index);
        }
        while !held.link_free && self.is_over() {
            self.drop_from_fattest(drops);
        }
    }

    /// Section 4.2.
    fn on_departure(
        &mut self,
        now: Time,
        _random: &mut dyn Random,
        drops: &mut dyn FnMut(Ticket),
    ) -> Option<Departure> {
        loop {
            let is_new = !self.new.is_empty();
            let list = if is_new { &mut self.new } else { &mut self.old };
            let index = *list.front()?;
            let queue = &mut self.queues[index as usize];
            if queue.credits <= 0 {
                queue.credits += self.quantum;
                list.pop_front();
                self.old.push_back(index);
                continue;
            }
            let before = (queue.fifo.len() as u64, queue.fifo.bytes());
            let next = queue.law.depart(&mut queue.fifo, now, drops);
            self.packets -= before.0 - queue.fifo.len() as u64;
            self.bytes -= before.1 - queue.fifo.bytes();
            if let Some((held, marked)) = next {
                queue.credits -= i64::from(held.arrival.bytes);
                return Some(Departure { ticket: held.ticket, marked });
            }
            // An empty queue has to wait for the others once before it counts as new again, or else a flow that sends
            // a packet at a time would starve them.
            list.pop_front();
            if is_new {
                self.old.push_back(index);
            } else {
                queue.listed = false;
            }
        }
    }

    fn packets(&self) -> u64 {
        self.packets
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("active_queues", (self.new.len() + self.old.len()) as f64);
    }
}

#[cfg(test)]
mod tests;
