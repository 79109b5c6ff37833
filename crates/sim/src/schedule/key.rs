//! Which of two events comes first: by its time, then by when it was scheduled, then by its source.

use ackclock_base::{Span, Time};

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

/// The order in which events of the same time were scheduled. Above is how much of an hour is left of the time from then until
/// they are due; below how many were scheduled at the same instant before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Order(pub(super) u64);

/// Events that are due later than this, an hour, after they were scheduled have no order from when that was.
const MAX_LEAD: u64 = (1 << (ORDER_BITS - COUNT_BITS)) - 1;
/// Of as many as this allows, a thousand, that are scheduled at the same instant for the same time the order is kept; those that
/// follow have the order of their sources.
const COUNT_BITS: u32 = 10;
const MAX_COUNT: u64 = (1 << COUNT_BITS) - 1;

impl Order {
    /// Of the event of this number that is scheduled at an instant so many nanoseconds before it is due.
    #[inline]
    fn of(lead: u64, number: u64) -> Self {
        Self((MAX_LEAD - lead) << COUNT_BITS | number)
    }

    #[cold]
    fn at_the_limit(lead: Span, number: u64) -> Self {
        Self::of(lead.nanos().min(MAX_LEAD), number.min(MAX_COUNT))
    }

    /// As the upper 52 bits of a word.
    #[inline]
    pub(crate) fn above_12_bits(self) -> u64 {
        self.0 << (64 - ORDER_BITS)
    }

    /// From the upper 52 bits of a word.
    #[inline]
    pub(crate) fn from_above_12_bits(word: u64) -> Self {
        Self(word >> (64 - ORDER_BITS))
    }
}

/// When events are scheduled: an instant, and how many already were at it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// The instant.
    pub now: Time,
    count: u64,
}

impl Moment {
    /// An instant at which nothing has been scheduled.
    #[inline]
    pub fn at(now: Time) -> Self {
        Self { now, count: 0 }
    }

    #[inline]
    pub(super) fn next_order(&mut self, due: Time) -> Order {
        let lead = due.nanos().wrapping_sub(self.now.nanos());
        let number = self.count;
        self.count += 1;
        if lead > MAX_LEAD || number > MAX_COUNT {
            return Order::at_the_limit(due.since(self.now), number);
        }
        Order::of(lead, number)
    }
}

/// The time, and below that 52 bits of order and 24 bits of source, in one number: two of them are compared in two
/// instructions. Fifty days and eight million sources in a run are enough: see [`MAX_SOURCES`].
pub(super) type Key = u128;

const SOURCE_BITS: u32 = 24;
/// The most sources there can be.
pub const MAX_SOURCES: usize = 1 << (SOURCE_BITS - 1);
const ORDER_BITS: u32 = 52;
const TIME_SHIFT: u32 = SOURCE_BITS + ORDER_BITS;
const SOURCE_MASK: Key = (1 << SOURCE_BITS) - 1;
pub(super) const NEVER: Key = Key::MAX;
/// What is later, beyond the end of every run, is kept as due then.
pub(super) const MAX_TIME: Time = Time::from_nanos((1 << (Key::BITS - TIME_SHIFT)) - 1);

#[inline]
pub(super) fn key_of(time: Time, order: Order, source: SourceId) -> Key {
    Key::from(time.nanos()) << TIME_SHIFT | Key::from(order.0) << SOURCE_BITS | Key::from(source.0)
}

#[inline]
pub(super) fn time_of(key: Key) -> Time {
    Time::from_nanos((key >> TIME_SHIFT) as u64)
}

#[inline]
pub(super) fn source_of(key: Key) -> SourceId {
    SourceId((key & SOURCE_MASK) as u32)
}

/// The same event as late as can be told.
#[cold]
pub(super) fn at_the_latest(key: Key) -> Key {
    key | !0 << TIME_SHIFT
}
