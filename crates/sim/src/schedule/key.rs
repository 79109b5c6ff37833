//! The order of events. The earlier time comes first; at the same time, the lower [rank](Order); of two
//! arrivals of packets, the one whose packet departed earlier. Otherwise a [tie-break](Lots) drawn from the
//! seed for each instant decides, because a fixed order of sources would favour the same flow whenever
//! packets arrive together.
//!
//! The order does not depend on when, or in which order, events were scheduled. A run is therefore the same
//! whether a packet has an event of its own or is [delivered early](crate::simulation), and whether or not
//! the run is observed.

use ackclock_base::Time;
use std::cmp::Ordering;

/// The identifier of an event source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceId(u32);

impl SourceId {
    #[inline]
    pub(super) fn new(index: u32, is_movable: bool) -> Self {
        Self(index << 1 | u32::from(is_movable))
    }

    /// Returns the source's index, counted from 0 in the order of creation.
    #[inline]
    pub fn index(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Returns whether the source's event may be cancelled or moved, so that an entry in the calendar may be
    /// out of date.
    #[inline]
    pub(super) fn is_movable(self) -> bool {
        self.0 & 1 != 0
    }
}

/// The order of an event among those of the same time: its rank, and for arrivals the packet's departure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Order(pub(super) u64);

impl Order {
    /// The end of the warm-up. Events at that instant are measured.
    pub const MEASURING: Self = Self::of_rank(0);
    /// A sample, which shows the state before the instant.
    pub const SAMPLE: Self = Self::of_rank(1);
    /// A link or a medium becomes free. Packets that leave a queue make room for those that arrive.
    pub const SERVICE: Self = Self::of_rank(2);
    /// A timer of an endpoint, an application or an agent. It was usually set before the arriving packets
    /// were sent, which is also why ns-2 lets it expire first.
    pub const TIMER: Self = Self::of_rank(3);

    const fn of_rank(rank: u64) -> Self {
        Self(rank << TIME_BITS)
    }

    /// Returns the order of the arrival of a packet that departed at `departed`, when its host, or the last
    /// link with a queue, sent it. A departure beyond the longest run is taken modulo that length; its
    /// arrival lies beyond the run too and never happens.
    #[inline]
    pub fn arrival(departed: Time) -> Self {
        Self(4 << TIME_BITS | departed.nanos() & MAX_TIME.nanos())
    }
}

/// The time, the order and the source in one number. [`Lots::compare`] compares two. It allows for runs of
/// thirteen days and two million sources: see [`MAX_SOURCES`].
pub(super) type Key = u128;

const SOURCE_BITS: u32 = 22;
/// The largest number of sources.
pub const MAX_SOURCES: usize = 1 << (SOURCE_BITS - 1);
const TIME_BITS: u32 = 50;
const RANK_BITS: u32 = 3;
const TIME_SHIFT: u32 = SOURCE_BITS + TIME_BITS + RANK_BITS;
const SOURCE_MASK: Key = (1 << SOURCE_BITS) - 1;
pub(super) const NEVER: Key = Key::MAX;
/// The latest time of an event. Later events, which lie beyond the end of every run, are stored with this
/// time.
pub(super) const MAX_TIME: Time = Time::from_nanos((1 << TIME_BITS) - 1);

const _: () = assert!(TIME_SHIFT + TIME_BITS <= Key::BITS);

/// The tie-break between events that are equal otherwise: it flips some bits of the sources' numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lots(u64);

impl Lots {
    /// Creates the tie-break of a run with this seed.
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// Returns the bits that are flipped at an instant. The lowest bit, which is not part of the source's
    /// number, is never flipped.
    fn at(self, time: Time) -> u32 {
        let mixed = (time.nanos() ^ self.0).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 32).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed >> (u64::BITS - SOURCE_BITS)) as u32 & !1
    }

    /// Returns a key with the bits of its source flipped. Such keys have the order of the events.
    #[cold]
    #[inline(never)]
    pub(super) fn flipped(self, key: Key) -> Key {
        key ^ Key::from(self.at(time_of(key)))
    }

    /// Returns the order of two events. Few differ in their sources only, and only those are flipped.
    #[inline]
    pub(super) fn compare(self, one: Key, other: Key) -> Ordering {
        if one ^ other > SOURCE_MASK { one.cmp(&other) } else { self.flipped(one).cmp(&self.flipped(other)) }
    }
}

#[inline]
pub(super) fn key_of(time: Time, order: Order, source: SourceId) -> Key {
    Key::from(time.nanos()) << TIME_SHIFT | Key::from(order.0) << SOURCE_BITS | Key::from(source.0)
}

/// Returns the key of the same event at the latest time, for an event that is due later than that.
#[cold]
pub(super) fn at_the_latest(key: Key) -> Key {
    let order = Order((key >> SOURCE_BITS) as u64 & ((1 << (TIME_BITS + RANK_BITS)) - 1));
    key_of(MAX_TIME, order, source_of(key))
}

#[inline]
pub(super) fn source_of(key: Key) -> SourceId {
    SourceId((key & SOURCE_MASK) as u32)
}

/// Returns whether the event of a key may be cancelled or moved.
#[inline]
pub(super) fn is_movable(key: Key) -> bool {
    key & 1 != 0
}

#[inline]
pub(super) fn time_of(key: Key) -> Time {
    Time::from_nanos((key >> TIME_SHIFT) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_flip_every_bit_of_a_source_but_the_lowest_half_of_the_time() {
        // The lowest bit of a key says that its event may be moved, and those above SOURCE_BITS are its order: neither is
        // drawn. Of 10,000 draws 5000 flip a bit, and five standard deviations are 250.
        let draws: Vec<u32> =
            (0..10_000).map(|index| Lots::new(index % 7).at(Time::from_nanos(index * 1_000_003))).collect();
        let flips = |bit: u32| draws.iter().filter(|draw| **draw >> bit & 1 == 1).count();
        assert_eq!((flips(0), (SOURCE_BITS..u32::BITS).map(flips).sum::<usize>()), (0, 0));
        assert!((1..SOURCE_BITS).all(|bit| flips(bit).abs_diff(5000) < 250));
    }
}
