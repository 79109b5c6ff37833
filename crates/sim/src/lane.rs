//! A lane: packets of one flow on their way to one place, in order of arrival. Only the head of a lane is in
//! the schedule, so ten thousand packets in flight are still one pending event.
//!
//! Lanes store their packets in chunks of a common [`Pool`]. An empty lane holds no chunk, and the chunk
//! released last is used next, while it is still in the cache.

use crate::packet::{ExtensionId, HEADER_WORDS, Packet};
use crate::schedule::SourceId;
use ackclock_aqm::Ecn;
use ackclock_base::Time;
use std::collections::VecDeque;

/// A stored packet with its arrival, in 48 bytes.
#[derive(Clone, Copy, Debug, Default)]
struct StoredPacket {
    arrives: Time,
    /// The time of departure from the host or from the last link with a queue, in the bits above the lowest
    /// 8, which hold the packet's ECN field.
    departed: u64,
    /// The size, in the bits below the packet's connection.
    bytes: u32,
    extension: ExtensionId,
    header: [u64; HEADER_WORDS],
}

const _: () = assert!(size_of::<StoredPacket>() == 48);

const BYTES_BITS: u32 = Packet::MAX_BYTES.ilog2();
const ECN_BITS: u32 = 8;

impl StoredPacket {
    #[inline]
    fn of(arrives: Time, departed: Time, packet: &Packet) -> Self {
        let Packet { bytes, connection, ecn, extension, header } = *packet;
        let bytes = u32::from(connection) << BYTES_BITS | bytes;
        Self { arrives, departed: departed.nanos() << ECN_BITS | ecn as u64, bytes, extension, header }
    }

    #[inline]
    fn departed(&self) -> Time {
        Time::from_nanos(self.departed >> ECN_BITS)
    }

    #[inline]
    fn packet(&self) -> Packet {
        let Self { departed, bytes, extension, header, .. } = *self;
        let ecn = match departed & 3 {
            0 => Ecn::NotCapable,
            1 => Ecn::Classic,
            2 => Ecn::LowLatency,
            _ => Ecn::Experienced,
        };
        let connection = (bytes >> BYTES_BITS) as u8;
        Packet { bytes: bytes & (Packet::MAX_BYTES - 1), connection, ecn, extension, header }
    }
}

/// The number of packets per chunk.
const CHUNK: u32 = 8;

/// The storage of all lanes, in chunks.
#[derive(Clone, Debug, Default)]
pub struct Pool {
    places: Vec<StoredPacket>,
    /// For each chunk, the next chunk of the same lane.
    next: Vec<u32>,
    free: Vec<u32>,
}

impl Pool {
    /// Takes a free chunk, or a new one, and returns its first place.
    #[inline]
    fn take(&mut self) -> u32 {
        CHUNK * self.free.pop().unwrap_or_else(|| self.grow())
    }

    /// Returns the number of packets for which the pool has room. The lanes without overtaking hold at most
    /// this number together. Lanes with overtaking store their packets outside the pool.
    pub fn room(&self) -> usize {
        self.places.len()
    }

    /// Adds a chunk and returns its number.
    #[cold]
    #[inline(never)]
    fn grow(&mut self) -> u32 {
        self.places.resize(self.places.len() + CHUNK as usize, StoredPacket::default());
        self.next.push(0);
        self.next.len() as u32 - 1
    }
}

/// A lane: its destination and its packets. It fills one cache line, so that a visit costs one cache miss.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct Lane {
    /// The path (a flow and a direction) to which the lane belongs.
    pub path: u32,
    /// The step of the path that follows the lane.
    pub next_step: u32,
    /// The source of the lane in the schedule.
    pub source: SourceId,
    packets: u32,
    /// The place in the pool of the first packet (meaningless if the lane is empty), and the place after the
    /// last one. `after` is the start of a chunk if the last chunk is full or the lane is empty.
    first: u32,
    after: u32,
    /// Whether the packet behind the head gets no event when the head has arrived, because it is first
    /// examined for [early delivery](crate::simulation).
    pub in_turn: bool,
    /// The latest arrival of a packet appended or reserved so far; zero in a lane with overtaking.
    until: Time,
    /// The packets of a lane with overtaking, which uses no chunks, in the order of arrival. Most packets join at or near the
    /// end, which costs no more where many wait.
    #[expect(
        clippy::box_collection,
        reason = "with the deque inline, a `Lane` would not fit into one cache line"
    )]
    sorted: Option<Box<VecDeque<StoredPacket>>>,
}

const _: () = assert!(size_of::<Lane>() == 64);

impl Lane {
    /// Creates an empty lane. `reorders` tells whether packets may overtake one another.
    pub fn new(path: u32, next_step: u32, source: SourceId, reorders: bool) -> Self {
        let sorted = reorders.then(Box::default);
        let (packets, first, after) = (0, 0, 0);
        Self { path, next_step, source, packets, first, after, in_turn: false, until: Time::ZERO, sorted }
    }

    /// Returns whether packets may overtake one another.
    pub fn reorders(&self) -> bool {
        self.sorted.is_some()
    }

    /// Returns whether the next packet begins a new chunk.
    #[inline]
    fn needs_chunk(&self) -> bool {
        self.after.is_multiple_of(CHUNK)
    }

    /// Returns when a packet arrives that would arrive at `alone` on an empty lane. In a FIFO lane it never
    /// arrives before the packet ahead of it; in a lane where packets overtake, it arrives at `alone`.
    #[inline]
    pub fn arrival(&self, alone: Time) -> Time {
        alone.max(self.until)
    }

    /// Reserves the arrival of a packet that does not wait in the lane, so that no later packet arrives
    /// before it. Returns the arrival, computed as by [`Self::arrival`].
    #[inline]
    pub fn reserve(&mut self, alone: Time) -> Time {
        self.until = self.arrival(alone);
        self.until
    }

    /// Adds a packet with its [arrival](Self::arrival) and its departure. Returns the arrival if the packet
    /// is the new head, otherwise `None`.
    #[inline(always)] // an out-of-line call would add a tenth to the cost of a waiting packet
    pub fn push(&mut self, pool: &mut Pool, arrives: Time, departed: Time, packet: &Packet) -> Option<Time> {
        if let Some(sorted) = &mut self.sorted {
            self.packets += 1;
            return insert(sorted, arrives, departed, packet);
        }
        debug_assert!(arrives >= self.until, "a packet overtakes another in a lane without overtaking");
        self.until = arrives;
        let is_head = self.packets == 0;
        if self.needs_chunk() {
            let chunk = pool.take();
            if is_head {
                self.first = chunk;
            } else {
                pool.next[(self.after / CHUNK - 1) as usize] = chunk;
            }
            self.after = chunk;
        }
        pool.places[self.after as usize] = StoredPacket::of(arrives, departed, packet);
        self.after += 1;
        self.packets += 1;
        is_head.then_some(arrives)
    }

    /// Takes the packet that arrives next from a lane that is not empty, and writes it to `packet`. Returns
    /// its arrival and departure, and those of the new [head](Self::head), `None` if the lane is now empty.
    /// Only debug builds detect an empty lane without overtaking.
    #[inline(always)] // for each packet that waits
    pub fn pop(&mut self, pool: &mut Pool, packet: &mut Packet) -> ((Time, Time), Option<(Time, Time)>) {
        debug_assert!(self.packets > 0, "a packet is taken from an empty lane");
        self.packets -= 1;
        if let Some(sorted) = &mut self.sorted {
            return pop_sorted(sorted, packet);
        }
        let stored = &pool.places[self.first as usize];
        *packet = stored.packet();
        let taken = (stored.arrives, stored.departed());
        self.first += 1;
        if self.packets == 0 || self.first.is_multiple_of(CHUNK) {
            let chunk = (self.first - 1) / CHUNK;
            pool.free.push(chunk);
            self.first = pool.next[chunk as usize];
            if self.packets == 0 {
                self.after = 0;
                return (taken, None);
            }
        }
        let next = &pool.places[self.first as usize];
        (taken, Some((next.arrives, next.departed())))
    }

    /// Returns the arrival and the departure of the next packet; `None` if the lane is empty.
    #[inline]
    pub fn head(&self, pool: &Pool) -> Option<(Time, Time)> {
        let stored = match &self.sorted {
            Some(sorted) => sorted.front(),
            None => (self.packets > 0).then(|| &pool.places[self.first as usize]),
        };
        stored.map(|stored| (stored.arrives, stored.departed()))
    }

    /// Returns the number of packets in the lane.
    pub fn len(&self) -> usize {
        self.packets as usize
    }

    /// Returns whether the lane is empty.
    pub fn is_empty(&self) -> bool {
        self.packets == 0
    }
}

/// Adds a packet to a lane with overtaking. Returns its arrival if it is the new head, otherwise `None`.
#[cold]
#[inline(never)]
fn insert(
    sorted: &mut VecDeque<StoredPacket>,
    arrives: Time,
    departed: Time,
    packet: &Packet,
) -> Option<Time> {
    let stored = StoredPacket::of(arrives, departed, packet);
    let key = |stored: &StoredPacket| (stored.arrives, stored.departed());
    let place = sorted.partition_point(|other| key(other) <= key(&stored));
    sorted.insert(place, stored);
    (place == 0).then_some(stored.arrives)
}

#[cold]
fn pop_sorted(
    sorted: &mut VecDeque<StoredPacket>,
    packet: &mut Packet,
) -> ((Time, Time), Option<(Time, Time)>) {
    let Some(stored) = sorted.pop_front() else { panic!("a packet is taken from an empty lane") };
    *packet = stored.packet();
    let next = sorted.front().map(|next| (next.arrives, next.departed()));
    ((stored.arrives, stored.departed()), next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Extensions;
    use crate::schedule::Schedule;
    use proptest::prelude::*;

    #[test]
    fn a_stored_packet_comes_out_unchanged() {
        let (mut schedule, mut extensions) = (Schedule::default(), Extensions::default());
        let (mut lane, mut pool) = (Lane::new(0, 0, schedule.add_source(), false), Pool::default());
        let ecns = [Ecn::NotCapable, Ecn::Classic, Ecn::LowLatency, Ecn::Experienced];
        for (ns, ecn) in ecns.into_iter().enumerate() {
            let packet = Packet {
                bytes: Packet::MAX_BYTES - 1 - ns as u32,
                connection: 255 - ns as u8,
                ecn,
                extension: extensions.keep([7; 4]),
                header: [u64::MAX, ns as u64, 1],
            };
            let (arrives, departed) = (Time::from_nanos(ns as u64), Time::from_nanos(1 << 49 | ns as u64));
            assert_eq!(lane.push(&mut pool, arrives, departed, &packet), Some(arrives));
            assert_eq!(lane.head(&pool), Some((arrives, departed)));
            let mut out = Packet::default();
            assert_eq!(lane.pop(&mut pool, &mut out), ((arrives, departed), None));
            assert_eq!(out, packet);
        }
    }

    /// Returns a new lane, and a pool without a free chunk.
    fn lane(reorders: bool) -> (Lane, Pool) {
        (Lane::new(0, 0, Schedule::default().add_source(), reorders), Pool::default())
    }

    #[test]
    #[should_panic(expected = "a packet is taken from an empty lane")]
    fn taking_from_an_empty_lane_panics() {
        let (mut lane, mut pool) = lane(true);
        lane.pop(&mut pool, &mut Packet::default());
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "a packet overtakes another in a lane without overtaking")]
    fn overtaking_in_a_lane_that_keeps_the_order_panics() {
        let (mut lane, mut pool) = lane(false);
        lane.push(&mut pool, Time::from_nanos(2), Time::ZERO, &Packet::default());
        lane.push(&mut pool, Time::from_nanos(1), Time::ZERO, &Packet::default());
    }

    proptest! {
        /// Compares lanes with plain lists: three lanes share a pool, two in order and one with overtaking.
        /// Packets are pushed with random delays and popped in order of arrival.
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
                    let arrives = lanes[lane].arrival(Time::from_nanos(now + delay));
                    let head = lanes[lane].push(&mut pool, arrives, Time::from_nanos(now), &packet);
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
                    let mut packet = Packet::default();
                    let out = (!lanes[lane].is_empty()).then(|| lanes[lane].pop(&mut pool, &mut packet));
                    prop_assert_eq!(out.and_then(|(_, next)| next), lanes[lane].head(&pool).filter(|_| out.is_some()));
                    let out = out.map(|((arrives, _), _)| (arrives.nanos(), packet.header[0]));
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
