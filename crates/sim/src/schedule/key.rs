//! Which of two events comes first: by its time, then by when it was scheduled, then by when what scheduled it was, then by how many
//! were scheduled at that instant before it, then by its source. What is computed ahead of its time counts from zero. So it changes nothing
//! unless three things are equal: the times of two events, those at which they were scheduled, and, as far as they are told, those at which
//! their causes were.

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

/// The place of an event among those of the same time: the earlier it was scheduled the earlier it comes. Above is how much is left of the
/// longest time from then until it is due that is told; then the [cause](Moment) of its scheduling; below how many were scheduled at
/// the same instant before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Order(pub(super) u64);

/// The longest lead that is told: more than an hour. To four seconds leads are told exactly, beyond in units of a microsecond.
const MAX_LEAD: u64 = (1 << LEAD_BITS) - 1;
const LEAD_BITS: u32 = 33;
const EXACT_LEAD: u64 = 1 << (LEAD_BITS - 1);
const LONG_LEAD_UNIT_BITS: u32 = 10;
/// The lead of an event that is a cause is told in units of this many nanoseconds, to the power of two: two microseconds, up to an
/// eighth of a second.
const CAUSE_UNIT_BITS: u32 = 11;
const CAUSE_BITS: u32 = 16;
const MAX_CAUSE: u64 = (1 << CAUSE_BITS) - 1;
/// Of as many as this allows, of one cause and for the same time, the order is kept; those that follow have the order of their
/// sources.
const COUNT_BITS: u32 = 7;
const MAX_COUNT: u64 = (1 << COUNT_BITS) - 1;

/// A lead as it is told.
#[inline]
fn told(lead: u64) -> u64 {
    if lead < EXACT_LEAD { lead } else { told_long(lead) }
}

#[cold]
fn told_long(lead: u64) -> u64 {
    (EXACT_LEAD + ((lead - EXACT_LEAD) >> LONG_LEAD_UNIT_BITS)).min(MAX_LEAD)
}

impl Order {
    /// As the upper 56 bits of a word.
    #[inline]
    pub(crate) fn above_8_bits(self) -> u64 {
        self.0 << (u64::BITS - ORDER_BITS)
    }

    /// From the upper 56 bits of a word.
    #[inline]
    pub(crate) fn from_above_8_bits(word: u64) -> Self {
        Self(word >> (u64::BITS - ORDER_BITS))
    }

    /// How much of [`MAX_LEAD`] is left of the time for which the event was scheduled.
    #[inline]
    fn left(self) -> u64 {
        self.0 >> (CAUSE_BITS + COUNT_BITS)
    }
}

/// When events are scheduled: an instant, what is the cause, an event at that instant, and how many were scheduled at it before. Of
/// causes at the same instant the one that was scheduled earlier comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// The instant.
    pub now: Time,
    cause: u64,
    count: u64,
}

impl Moment {
    /// An instant at which nothing has been scheduled, and an event that was scheduled so long before.
    #[inline]
    pub fn of(now: Time, lead: Span) -> Self {
        Self { now, cause: cause_of(MAX_LEAD - told(lead.nanos())), count: 0 }
    }

    /// An instant at which nothing has been scheduled, and an event of this order.
    #[inline]
    pub(crate) fn of_event(now: Time, order: Order) -> Self {
        Self { now, cause: cause_of(order.left()), count: 0 }
    }

    /// The next event is that of this order, then.
    #[inline]
    pub(super) fn go_on(&mut self, now: Time, order: Order) {
        let count = if now == self.now { self.count } else { 0 };
        *self = Self { now, cause: cause_of(order.left()), count };
    }

    #[inline]
    pub(super) fn next_order(&mut self, due: Time) -> Order {
        let lead = told(due.nanos().saturating_sub(self.now.nanos()));
        let count = self.count.min(MAX_COUNT);
        self.count += 1;
        Order(((MAX_LEAD - lead) << CAUSE_BITS | self.cause) << COUNT_BITS | count)
    }
}

/// What is told of an event's lead, of which so much is left, where it is a cause.
#[inline]
fn cause_of(left: u64) -> u64 {
    (left >> CAUSE_UNIT_BITS).saturating_sub((MAX_LEAD >> CAUSE_UNIT_BITS) - MAX_CAUSE)
}

/// The time, and below that 56 bits of order and 22 bits of source, in one number: two of them are compared in two
/// instructions. Thirteen days and two million sources in a run are enough: see [`MAX_SOURCES`].
pub(super) type Key = u128;

const SOURCE_BITS: u32 = 22;
/// The most sources there can be.
pub const MAX_SOURCES: usize = 1 << (SOURCE_BITS - 1);
const ORDER_BITS: u32 = LEAD_BITS + CAUSE_BITS + COUNT_BITS;
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
pub(super) fn order_of(key: Key) -> Order {
    Order((key >> SOURCE_BITS) as u64 & ((1 << ORDER_BITS) - 1))
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
