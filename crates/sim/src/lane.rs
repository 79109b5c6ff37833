//! A lane: packets of one flow on their way to one place, in order of arrival. Only the head of a lane is in the
//! schedule, so ten thousand packets in flight are still one pending event.
//!
//! Lanes keep their packets in chunks of a common [`Pool`]: an empty lane holds none, and a chunk that has become free is the
//! next to be used, while it is still in the cache.

use crate::packet::{ExtensionId, HEADER_WORDS, Packet};
use crate::schedule::SourceId;
use ackclock_aqm::Ecn;
use ackclock_base::Time;

/// A packet that will arrive, as it is kept: 48 bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Kept {
    arrives: Time,
    /// When it set out for the place that it arrives at, above 8 bits with the packet's ECN field.
    departed: u64,
    /// Below the packet's connection.
    bytes: u32,
    extension: ExtensionId,
    header: [u64; HEADER_WORDS],
}

const _: () = assert!(size_of::<Kept>() == 48);

const BYTES_BITS: u32 = Packet::MAX_BYTES.ilog2();
const ECN_BITS: u32 = 8;

impl Kept {
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

/// Packets that are kept together.
const CHUNK: u32 = 8;

/// Where the packets of all lanes are kept, in chunks.
#[derive(Clone, Debug, Default)]
pub struct Pool {
    places: Vec<Kept>,
    /// The chunk that follows each one in its lane.
    next: Vec<u32>,
    free: Vec<u32>,
}

impl Pool {
    /// Takes a free chunk and returns its first place.
    ///
    /// # Panics
    /// When no chunk is free: place 0 may hold the packet of another lane.
    #[inline]
    fn take(&mut self) -> u32 {
        let Some(chunk) = self.free.pop() else { panic!("a lane begins a chunk, and none is free") };
        chunk * CHUNK
    }

    /// How many packets it has room for; more are on no lanes that keep theirs here.
    pub fn room(&self) -> usize {
        self.places.len()
    }

    /// Makes a free chunk.
    fn grow(&mut self) {
        self.places.resize(self.places.len() + CHUNK as usize, Kept::default());
        self.free.push(self.next.len() as u32);
        self.next.push(0);
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
    /// The places in the pool of the first packet, which means nothing while it is empty, and after the last one; the latter
    /// begins a chunk where there is no room in the last one, or it is empty.
    first: u32,
    after: u32,
    /// Whether what is behind the head is looked at when that has arrived, and has no event before.
    pub in_turn: bool,
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
        let (packets, first, after) = (0, 0, 0);
        Self { path, next_step, source, packets, first, after, in_turn: false, until: Time::ZERO, sorted }
    }

    /// Whether packets may overtake one another.
    pub fn reorders(&self) -> bool {
        self.sorted.is_some()
    }

    /// Whether a packet can be [appended](Self::append) in a lane where none overtakes another: whether there is room in the
    /// pool if it takes any.
    #[inline]
    pub fn is_ready(&self, pool: &Pool) -> bool {
        debug_assert!(self.sorted.is_none(), "a lane in which packets overtake has no place in the pool");
        !self.needs_chunk() || !pool.free.is_empty()
    }

    /// Whether the next packet begins a chunk.
    #[inline]
    fn needs_chunk(&self) -> bool {
        self.after.is_multiple_of(CHUNK)
    }

    /// Returns when a packet arrives that would arrive at `alone` on an empty lane. In a FIFO lane it never arrives before the
    /// packet ahead of it; in a lane where packets overtake, it arrives at `alone`.
    #[inline]
    pub fn arrival(&self, alone: Time) -> Time {
        alone.max(self.until)
    }

    /// The same for a packet that need not wait: no later one arrives before it.
    #[inline]
    pub fn reserve(&mut self, alone: Time) -> Time {
        self.until = self.arrival(alone);
        self.until
    }

    /// Adds a packet with its [arrival](Self::arrival) and the time at which it set out. Returns the arrival if the packet is the
    /// new head.
    pub fn push(&mut self, pool: &mut Pool, arrives: Time, departed: Time, packet: &Packet) -> Option<Time> {
        if let Some(sorted) = &mut self.sorted {
            self.packets += 1;
            return insert(sorted, Kept::of(arrives, departed, packet));
        }
        if pool.free.is_empty() {
            pool.grow();
        }
        self.append(pool, arrives, departed, packet)
    }

    /// The same where the lane [is ready](Self::is_ready).
    ///
    /// # Panics
    /// When the lane begins a chunk and none is free.
    #[inline(always)] // a call for each packet that waits costs a tenth of that
    pub fn append(
        &mut self,
        pool: &mut Pool,
        arrives: Time,
        departed: Time,
        packet: &Packet,
    ) -> Option<Time> {
        debug_assert!(arrives >= self.until, "a packet overtakes another in a lane that keeps their order");
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
        pool.places[self.after as usize] = Kept::of(arrives, departed, packet);
        self.after += 1;
        self.packets += 1;
        is_head.then_some(arrives)
    }

    /// Takes the packet that arrives next from a lane that is not empty. Returns when it arrives and set out, and the same of
    /// the new [head](Self::head), `None` if the lane is empty now. Only debug builds notice that a lane in which packets keep
    /// their order is empty.
    #[inline(always)] // for each packet that waits
    pub fn pop(&mut self, pool: &mut Pool, packet: &mut Packet) -> ((Time, Time), Option<(Time, Time)>) {
        debug_assert!(self.packets > 0, "a packet is taken from an empty lane");
        self.packets -= 1;
        if let Some(sorted) = &mut self.sorted {
            return pop_sorted(sorted, packet);
        }
        let kept = &pool.places[self.first as usize];
        *packet = kept.packet();
        let taken = (kept.arrives, kept.departed());
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

    /// When the next packet arrives and when it set out; `None` if the lane is empty.
    #[inline]
    pub fn head(&self, pool: &Pool) -> Option<(Time, Time)> {
        let kept = match &self.sorted {
            Some(sorted) => sorted.last(),
            None => (self.packets > 0).then(|| &pool.places[self.first as usize]),
        };
        kept.map(|kept| (kept.arrives, kept.departed()))
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

/// Adds a packet to those that may overtake one another. Returns its arrival if it is the new head.
fn insert(sorted: &mut Vec<Kept>, kept: Kept) -> Option<Time> {
    let place =
        sorted.partition_point(|other| (other.arrives, other.departed()) > (kept.arrives, kept.departed()));
    sorted.insert(place, kept);
    (place + 1 == sorted.len()).then_some(kept.arrives)
}

#[cold]
fn pop_sorted(sorted: &mut Vec<Kept>, packet: &mut Packet) -> ((Time, Time), Option<(Time, Time)>) {
    let Some(kept) = sorted.pop() else { panic!("a packet is taken from an empty lane") };
    *packet = kept.packet();
    let next = sorted.last().map(|next| (next.arrives, next.departed()));
    ((kept.arrives, kept.departed()), next)
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

    /// A lane of its own, and a pool without a free chunk.
    fn lane(reorders: bool) -> (Lane, Pool) {
        (Lane::new(0, 0, Schedule::default().add_source(), reorders), Pool::default())
    }

    #[test]
    #[should_panic(expected = "a lane begins a chunk, and none is free")]
    fn a_lane_that_is_not_ready_takes_no_place_of_another() {
        let (mut lane, mut pool) = lane(false);
        assert!(!lane.is_ready(&pool));
        lane.append(&mut pool, Time::ZERO, Time::ZERO, &Packet::default());
    }

    #[test]
    #[should_panic(expected = "a packet is taken from an empty lane")]
    fn an_empty_lane_gives_no_packet() {
        let (mut lane, mut pool) = lane(true);
        lane.pop(&mut pool, &mut Packet::default());
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "a packet overtakes another in a lane that keeps their order")]
    fn a_lane_that_keeps_the_order_takes_none_that_arrives_earlier() {
        let (mut lane, mut pool) = lane(false);
        lane.push(&mut pool, Time::from_nanos(2), Time::ZERO, &Packet::default());
        lane.push(&mut pool, Time::from_nanos(1), Time::ZERO, &Packet::default());
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
