//! A lane: packets of one flow on their way to one place, in order of arrival. Only the head of a lane is in the
//! schedule, so ten thousand packets in flight are still one pending event.
//!
//! Lanes keep their packets in chunks of a common [`Pool`]: an empty lane holds none, and a chunk that has become free is the
//! next to be used, while it is still in the cache.

use crate::packet::{ExtensionId, HEADER_WORDS, Packet};
use crate::schedule::{Order, SourceId};
use ackclock_aqm::Ecn;
use ackclock_base::Time;

/// A packet that will arrive.
#[derive(Clone, Copy, Debug)]
pub struct Travelling {
    /// When.
    pub arrives: Time,
    /// Its place among arrivals of the same time.
    pub order: Order,
    /// The packet.
    pub packet: Packet,
}

/// The same as it is kept: 48 bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Kept {
    arrives: Time,
    /// Its order above 24 bits with the packet's connection and ECN field.
    order: u64,
    bytes: u32,
    extension: ExtensionId,
    header: [u64; HEADER_WORDS],
}

const _: () = assert!(size_of::<Kept>() == 48);

const ECN_BITS: u32 = 8;
const ECN: [Ecn; 4] = [Ecn::NotCapable, Ecn::Classic, Ecn::LowLatency, Ecn::Experienced];

impl Kept {
    #[inline]
    fn of(travelling: &Travelling) -> Self {
        let Travelling { arrives, order, packet } = travelling;
        let Packet { bytes, connection, ecn, extension, header } = *packet;
        let small = u64::from(connection) << ECN_BITS | ecn as u64;
        Self { arrives: *arrives, order: order.above_24_bits() | small, bytes, extension, header }
    }

    #[inline]
    fn order(&self) -> Order {
        Order::from_above_24_bits(self.order)
    }

    #[inline]
    fn travelling(&self) -> Travelling {
        let Self { arrives, order, bytes, extension, header } = *self;
        let packet = Packet {
            bytes,
            connection: (order >> ECN_BITS) as u8,
            ecn: ECN[(order & 3) as usize],
            extension,
            header,
        };
        Travelling { arrives, order: self.order(), packet }
    }
}

/// Packets that are kept together.
const CHUNK: u32 = 8;

#[derive(Clone, Copy, Debug, Default)]
struct Chunk {
    kept: [Kept; CHUNK as usize],
    /// The chunk that follows in the lane.
    next: u32,
}

/// Where the packets of all lanes are kept.
#[derive(Clone, Debug, Default)]
pub struct Pool {
    chunks: Vec<Chunk>,
    free: Vec<u32>,
}

impl Pool {
    #[inline]
    fn take(&mut self) -> u32 {
        match self.free.pop() {
            Some(chunk) => chunk,
            None => self.grow(),
        }
    }

    #[cold]
    fn grow(&mut self) -> u32 {
        self.chunks.push(Chunk::default());
        self.chunks.len() as u32 - 1
    }
}

/// A lane: where it leads, and the packets on it. It fills a cache line, so that visiting one costs one miss.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct Lane {
    /// The path (a flow and a direction) that it is part of.
    pub path: u32,
    /// The step of that path which follows it.
    pub next_step: u32,
    /// Its leaf in the schedule.
    pub source: SourceId,
    packets: u32,
    /// The chunks with the first packet and with the last; nothing while it is empty.
    first: u32,
    last: u32,
    /// How many places of the first chunk have been left already, and how many of the last are filled.
    left: u32,
    filled: u32,
    /// When the last packet arrives.
    until: Time,
    /// In place of the chunks, for a lane in which packets may overtake one another: the first to arrive comes last.
    sorted: Option<Vec<Kept>>,
}

const _: () = assert!(size_of::<Lane>() == 64);

impl Lane {
    /// An empty lane, in which packets may overtake one another or not.
    pub fn new(path: u32, next_step: u32, source: SourceId, reorders: bool) -> Self {
        let sorted = reorders.then(Vec::new);
        let (packets, first, last, left, filled) = (0, 0, 0, 0, 0);
        Self { path, next_step, source, packets, first, last, left, filled, until: Time::ZERO, sorted }
    }

    /// Appends a packet. Where it cannot overtake, it arrives with the last one if it would arrive before. Says when it
    /// arrives if it is the new head.
    #[inline]
    pub fn push(&mut self, pool: &mut Pool, travelling: &Travelling) -> Option<Time> {
        let mut kept = Kept::of(travelling);
        if self.sorted.is_some() {
            return self.insert(kept);
        }
        kept.arrives = kept.arrives.max(self.until);
        self.until = kept.arrives;
        let is_head = self.packets == 0;
        if is_head {
            (self.first, self.left, self.filled) = (pool.take(), 0, 0);
            self.last = self.first;
        } else if self.filled == CHUNK {
            let next = pool.take();
            pool.chunks[self.last as usize].next = next;
            (self.last, self.filled) = (next, 0);
        }
        pool.chunks[self.last as usize].kept[(self.filled % CHUNK) as usize] = kept;
        self.filled += 1;
        self.packets += 1;
        is_head.then_some(kept.arrives)
    }

    #[cold]
    fn insert(&mut self, kept: Kept) -> Option<Time> {
        let sorted = self.sorted.as_mut()?;
        let place = sorted.partition_point(|other| (other.arrives, other.order) > (kept.arrives, kept.order));
        sorted.insert(place, kept);
        self.packets += 1;
        (place + 1 == sorted.len()).then_some(kept.arrives)
    }

    /// Takes the packet that arrives next.
    #[inline]
    pub fn pop(&mut self, pool: &mut Pool) -> Option<Travelling> {
        if self.packets == 0 {
            return None;
        }
        self.packets -= 1;
        if let Some(sorted) = &mut self.sorted {
            return sorted.pop().map(|kept| kept.travelling());
        }
        let chunk = &pool.chunks[self.first as usize];
        let travelling = chunk.kept[(self.left % CHUNK) as usize].travelling();
        self.left += 1;
        if self.packets == 0 || self.left == CHUNK {
            pool.free.push(self.first);
            (self.first, self.left) = (chunk.next, 0);
        }
        Some(travelling)
    }

    /// When the next packet arrives, and its place among those of the same time.
    #[inline]
    pub fn head(&self, pool: &Pool) -> Option<(Time, Order)> {
        if self.packets == 0 {
            return None;
        }
        let kept = match &self.sorted {
            Some(sorted) => sorted.last()?,
            None => &pool.chunks[self.first as usize].kept[(self.left % CHUNK) as usize],
        };
        Some((kept.arrives, kept.order()))
    }

    /// How many packets are on their way.
    pub fn len(&self) -> usize {
        self.packets as usize
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.packets == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Extensions;
    use crate::schedule::Schedule;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    #[test]
    fn what_is_kept_is_what_comes_out() {
        let (mut schedule, mut extensions) = (Schedule::default(), Extensions::default());
        let (mut lane, mut pool) = (Lane::new(0, 0, schedule.add_source(), false), Pool::default());
        for (ns, ecn) in ECN.into_iter().enumerate() {
            let packet = Packet {
                bytes: u32::MAX - ns as u32,
                connection: 255 - ns as u8,
                ecn,
                extension: extensions.keep([7; 4]),
                header: [u64::MAX, ns as u64, 1],
            };
            let arrives = Time::from_nanos(ns as u64);
            let sent = Travelling { arrives, order: schedule.next_order(), packet };
            assert_eq!(lane.push(&mut pool, &sent), Some(arrives));
            assert_eq!(lane.head(&pool), Some((sent.arrives, sent.order)));
            let out = lane.pop(&mut pool).unwrap();
            assert_eq!((out.arrives, out.order, out.packet), (sent.arrives, sent.order, packet));
        }
    }

    proptest! {
        /// Against plain lists: three lanes share a pool, two in order and one in which packets overtake; packets are pushed
        /// with more or less delay and popped as they arrive.
        #[test]
        fn lanes_that_share_a_pool_keep_their_packets_apart(
            moves in prop::collection::vec((0_usize..3, any::<bool>(), 0_u64..50), 1..300),
        ) {
            let (mut schedule, mut pool) = (Schedule::default(), Pool::default());
            let mut lanes: Vec<Lane> =
                (0..3).map(|lane| Lane::new(lane, 0, schedule.add_source(), lane == 2)).collect();
            let mut model: Vec<VecDeque<(u64, u64)>> = vec![VecDeque::new(); 3];
            let mut now = 0;
            for (number, (lane, pushes, delay)) in moves.into_iter().enumerate() {
                let list = &mut model[lane];
                if pushes {
                    let packet = Packet { header: [number as u64, 0, 0], ..Packet::default() };
                    let order = schedule.next_order();
                    let arrives = Time::from_nanos(now + delay);
                    let head = lanes[lane].push(&mut pool, &Travelling { arrives, order, packet });
                    let mut at = now + delay;
                    if lane == 2 {
                        let place = list.partition_point(|other| other.0 <= at);
                        list.insert(place, (at, number as u64));
                        prop_assert_eq!(head.is_some(), place == 0);
                    } else {
                        at = list.back().map_or(at, |last| at.max(last.0));
                        list.push_back((at, number as u64));
                        prop_assert_eq!(head.is_some(), list.len() == 1);
                    }
                } else {
                    let out = lanes[lane].pop(&mut pool).map(|out| (out.arrives.nanos(), out.packet.header[0]));
                    prop_assert_eq!(out, list.pop_front());
                    now = out.map_or(now, |(at, _)| now.max(at));
                }
                prop_assert_eq!(lanes[lane].len(), model[lane].len());
                let head = lanes[lane].head(&pool).map(|(at, _)| at.nanos());
                prop_assert_eq!(head, model[lane].front().map(|first| first.0));
            }
        }
    }
}
