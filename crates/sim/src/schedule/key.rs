//! Which of two events comes first: the one with the earlier time; at the same time, the one of the lower [rank](Order); of
//! two arrivals of packets, the one whose packet set out earlier; then the [lot](Lots) decides, which is drawn from the seed for
//! each instant. A fixed order of sources would favour the same flow each time that packets arrive together.
//!
//! Nothing in this depends on when, or in which order, events were put into the schedule. So it makes no difference to a run
//! whether a packet has an event of its own or is [delivered early](crate::simulation), and who observes the run.

use ackclock_base::Time;

/// A source of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceId(u32);

impl SourceId {
    #[inline]
    pub(super) fn new(index: u32, is_movable: bool) -> Self {
        Self(index << 1 | u32::from(is_movable))
    }

    /// The source's index: sources are numbered from 0 in the order of their making.
    #[inline]
    pub fn index(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether its event may be taken back or moved, so that what lies in the calendar may be out of date.
    #[inline]
    pub(super) fn is_movable(self) -> bool {
        self.0 & 1 != 0
    }
}

/// The place of an event among those of the same time: its rank, and below it the departure of an arriving packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Order(pub(super) u64);

impl Order {
    /// The end of the warm-up: what happens at that instant is measured.
    pub const MEASURING: Self = Self::of_rank(0);
    /// A sample: it shows what was before the instant.
    pub const SAMPLE: Self = Self::of_rank(1);
    /// A link or a medium is free: what leaves a queue makes room for what arrives.
    pub const SERVICE: Self = Self::of_rank(2);
    /// A timer of an endpoint, of an application or of an agent: it was mostly set before what arrives was sent, which is why
    /// ns-2 lets it expire first, too.
    pub const TIMER: Self = Self::of_rank(3);

    const fn of_rank(rank: u64) -> Self {
        Self(rank << TIME_BITS)
    }

    /// The arrival of a packet that set out at `departed`: when its host sent it, or the last link with a queue had sent it. A
    /// departure beyond the longest run counts modulo that: the arrival is beyond it too, and never comes.
    #[inline]
    pub fn arrival(departed: Time) -> Self {
        Self(4 << TIME_BITS | departed.nanos() & MAX_TIME.nanos())
    }
}

/// The time, the order and the source in one number: two of them are compared in two instructions. Thirteen days and two
/// million sources in a run are enough: see [`MAX_SOURCES`].
pub(super) type Key = u128;

const SOURCE_BITS: u32 = 22;
/// The most sources there can be.
pub const MAX_SOURCES: usize = 1 << (SOURCE_BITS - 1);
const TIME_BITS: u32 = 50;
const RANK_BITS: u32 = 3;
const TIME_SHIFT: u32 = SOURCE_BITS + TIME_BITS + RANK_BITS;
const SOURCE_MASK: Key = (1 << SOURCE_BITS) - 1;
pub(super) const NEVER: Key = Key::MAX;
/// What is later, beyond the end of every run, is kept as due then.
pub(super) const MAX_TIME: Time = Time::from_nanos((1 << TIME_BITS) - 1);

const _: () = assert!(TIME_SHIFT + TIME_BITS <= Key::BITS);

/// Decides between sources whose events are equal otherwise, by turning over some of the bits of their numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lots(u64);

impl Lots {
    /// The lots of a run with this seed.
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// The bits that are turned over at an instant; never the lowest, which is no part of the number.
    #[inline]
    fn at(self, time: Time) -> u32 {
        let mixed = (time.nanos() ^ self.0).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 32).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed >> (u64::BITS - SOURCE_BITS)) as u32 & !1
    }

    #[inline]
    pub(super) fn key_of(self, time: Time, order: Order, source: SourceId) -> Key {
        let source = source.0 ^ self.at(time);
        Key::from(time.nanos()) << TIME_SHIFT | Key::from(order.0) << SOURCE_BITS | Key::from(source)
    }

    /// The source of a key of this time.
    #[inline]
    pub(super) fn source_at(self, time: Time, key: Key) -> SourceId {
        SourceId((key & SOURCE_MASK) as u32 ^ self.at(time))
    }

    #[inline]
    pub(super) fn source_of(self, key: Key) -> SourceId {
        self.source_at(time_of(key), key)
    }

    /// The key of the same event as late as can be told, of one that is due at `time`, which is later.
    #[cold]
    pub(super) fn at_the_latest(self, time: Time, key: Key) -> Key {
        let order = Order((key >> SOURCE_BITS) as u64 & ((1 << (TIME_BITS + RANK_BITS)) - 1));
        self.key_of(MAX_TIME, order, self.source_at(time, key))
    }
}

/// Whether the event of a key may be taken back or moved.
#[inline]
pub(super) fn is_movable(key: Key) -> bool {
    key & 1 != 0
}

#[inline]
pub(super) fn time_of(key: Key) -> Time {
    Time::from_nanos((key >> TIME_SHIFT) as u64)
}
