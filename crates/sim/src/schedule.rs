//! The pending events: a calendar queue over the sources of events (Brown 1988), in which each bucket is
//! sorted when its turn comes (Tang, Goh and Thng 2005).
//!
//! A simulation has one source for each lane of packets and for each timer, and each source has at most one
//! pending event. Events that are due soon are sorted. Later events are unsorted in buckets of time, a few in
//! each. The rest, mostly timers, is searched when all buckets have had their turn. An event therefore costs
//! about the same with ten thousand sources as with ten. An event that is cancelled or moved stays in place
//! and is skipped when its turn comes.
//!
//! Events that are due at the same time have an [`Order`] that does not depend on when they were scheduled.

mod key;

use ackclock_base::Time;
use key::{Key, Lots, MAX_TIME, NEVER, at_the_latest, is_movable, key_of, source_of, time_of};
pub use key::{MAX_SOURCES, Order, SourceId};

/// The mean number of events that a bucket should hold, and the number above which the bucket width is
/// reconsidered.
const GOOD_BUCKET: usize = 2;
const MAX_BUCKET: usize = 128;
const MIN_BUCKETS: usize = 256;
/// The binary logarithm of the largest bucket width in nanoseconds. The fewest buckets then span a second, so
/// that the width follows a flow that has begun slowly.
const MAX_WIDTH_BITS: u32 = 22;
/// From this number of sources on, the data that an event needs is no longer in the cache. Buckets are then
/// larger: among ten thousand flows this passes 0.82 million packets a CPU second, and 0.67 million with the usual size (medians
/// of five runs of `bench --scale` in turn, November 2026; 12 to 37 % more in each pair). To prefetch what the
/// next bucket needs gained a tenth at most: the wait moves from the use to the prefetch.
const MANY_SOURCES: usize = 5000;
const LARGE_BUCKET: usize = 8;

/// The calendar of pending events.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// The pending event of each movable source.
    due: Vec<Key>,
    /// All events before the next bucket, in descending order.
    near: Vec<Key>,
    /// The number of the next bucket: its time divided by the bucket width.
    next: u64,
    /// The number of the first bucket after the existing ones.
    end: u64,
    /// The bucket width, as the binary logarithm of nanoseconds.
    width_bits: u32,
    /// The buckets, each at its number modulo their count, which is a power of two.
    buckets: Vec<Vec<Key>>,
    in_buckets: usize,
    /// The events after all buckets.
    far: Vec<Key>,
    /// The number of events that the buckets have given since they were laid out, plus those that came too
    /// late for a bucket.
    given: usize,
    now: Time,
    lots: Lots,
}

impl Default for Schedule {
    fn default() -> Self {
        Self {
            due: Vec::new(),
            near: Vec::new(),
            next: 0,
            end: 0,
            width_bits: 16,
            buckets: Vec::new(),
            in_buckets: 0,
            far: Vec::new(),
            given: 0,
            now: Time::ZERO,
            lots: Lots::default(),
        }
    }
}

impl Schedule {
    /// Creates the calendar of a run with this seed.
    pub fn new(seed: u64) -> Self {
        Self { lots: Lots::new(seed), ..Self::default() }
    }

    /// Adds a source without an event. The caller keeps the number of sources below [`MAX_SOURCES`].
    pub fn add_source(&mut self) -> SourceId {
        SourceId::new(self.add_place(), true)
    }

    /// Adds a source whose event is never cancelled or moved once it is set, which saves a check.
    pub fn add_firm_source(&mut self) -> SourceId {
        SourceId::new(self.add_place(), false)
    }

    fn add_place(&mut self) -> u32 {
        let id = self.due.len();
        assert!(id < MAX_SOURCES, "the network has more than {MAX_SOURCES} event sources");
        self.due.push(NEVER);
        id as u32
    }

    /// Returns the time of the last event, or the time passed to [`Self::wait_until`] if that is later.
    #[inline]
    pub fn now(&self) -> Time {
        self.now
    }

    /// Advances the time to `until`. No event before that may be pending.
    pub fn wait_until(&mut self, until: Time) {
        self.now = self.now.max(until);
    }

    /// Sets the next event of a source. It replaces the previous event of a movable source.
    #[inline]
    pub fn set(&mut self, source: SourceId, time: Time, order: Order) {
        debug_assert!(
            time >= self.now,
            "an event was scheduled for {time:?}, before the current time {:?}",
            self.now
        );
        let key = key_of(time, order, source);
        if source.is_movable() {
            self.due[source.index()] = key;
        }
        let number = time.nanos() >> self.width_bits;
        if number < self.next || number >= self.end {
            return self.put_elsewhere(time, key);
        }
        // The usual case comes last. The rare cases are tail calls, so they need no room on the stack.
        let place = number as usize & (self.buckets.len() - 1);
        let bucket = &mut self.buckets[place];
        self.in_buckets += 1;
        if bucket.len() == bucket.capacity() {
            return push_to_full(bucket, key);
        }
        bucket.push(key);
    }

    /// Cancels the pending event of a movable source, if it has one.
    #[inline]
    pub fn clear(&mut self, source: SourceId) {
        debug_assert!(source.is_movable(), "the event of a firm source cannot be cancelled");
        self.due[source.index()] = NEVER;
    }

    /// Takes the next event if it is due before `until`, and returns its time and source, which then has no
    /// event. Returns `None` if no event is due before `until`.
    #[inline]
    pub fn next_before(&mut self, until: Time) -> Option<(Time, SourceId)> {
        loop {
            while let Some(&key) = self.near.last() {
                let (time, source) = (time_of(key), source_of(key));
                if source.is_movable() && self.due[source.index()] != key {
                    self.near.pop();
                    continue;
                }
                if time >= until {
                    return None;
                }
                self.near.pop();
                if source.is_movable() {
                    self.due[source.index()] = NEVER;
                }
                self.now = time;
                return Some((time, source));
            }
            if !self.turn() {
                return None;
            }
        }
    }

    /// Stores an event that belongs in no bucket: after all buckets, or among the sorted events, near whose
    /// end it usually belongs.
    #[inline(never)]
    fn put_elsewhere(&mut self, time: Time, mut key: Key) {
        if time > MAX_TIME {
            key = at_the_latest(key);
            self.due[source_of(key).index()] = key;
        }
        if time.nanos() >> self.width_bits >= self.end {
            return self.far.push(key);
        }
        // With narrower buckets it would have been in one, so it counts for the next width.
        self.given += 1;
        if self.near.len() > 16 {
            let place = self.near.partition_point(|other| self.lots.compare(*other, key).is_gt());
            return self.near.insert(place, key);
        }
        self.near.push(key);
        let mut place = self.near.len() - 1;
        while place > 0 && self.lots.compare(self.near[place - 1], key).is_lt() {
            self.near[place] = self.near[place - 1];
            place -= 1;
        }
        self.near[place] = key;
    }

    /// Moves the next bucket to the empty `near`. Returns whether any event exists.
    fn turn(&mut self) -> bool {
        if self.in_buckets == 0 && !self.lay_out() {
            return false;
        }
        let mask = self.buckets.len() - 1;
        while self.buckets[self.next as usize & mask].is_empty() {
            self.next += 1;
        }
        std::mem::swap(&mut self.near, &mut self.buckets[self.next as usize & mask]);
        self.next += 1;
        self.in_buckets -= self.near.len();
        self.given += self.near.len();
        if self.near.len() > MAX_BUCKET {
            self.narrow();
        }
        self.near.sort_unstable_by(|a, b| self.lots.compare(*b, *a));
        true
    }

    fn good_bucket(&self) -> usize {
        if self.due.len() > MANY_SOURCES { LARGE_BUCKET } else { GOOD_BUCKET }
    }

    /// Lays out new buckets for the later events when all buckets have had their turn, with the width that
    /// would have suited the last ones. Returns `false` if no event is left.
    #[cold]
    fn lay_out(&mut self) -> bool {
        if self.far.is_empty() {
            return false;
        }
        let wanted = (self.due.len() / self.good_bucket()).next_power_of_two().max(MIN_BUCKETS);
        let before = self.width_bits;
        if self.given > 0 {
            let good = self.good_bucket() * self.buckets.len();
            if self.given > 2 * good {
                self.width_bits = self.width_bits.saturating_sub((self.given / good).ilog2()).max(1);
            } else if 2 * self.given < good {
                self.width_bits = (self.width_bits + (good / self.given).ilog2()).min(MAX_WIDTH_BITS);
            }
        }
        if self.buckets.len() != wanted {
            self.buckets = vec![Vec::new(); wanted];
        }
        // An event is usually due soon after the end of the last bucket. If none is, the first event has to
        // be searched for.
        self.begin_at(self.end.saturating_mul(1 << before));
        if self.in_buckets == 0 {
            // No event is left if all remaining entries were moved and have been discarded.
            let Some(first) = self.far.iter().min() else { return false };
            self.begin_at(time_of(*first).nanos());
        }
        true
    }

    /// Moves all later events to narrower buckets because a bucket is crowded, unless its events are at one
    /// time.
    #[cold]
    fn narrow(&mut self) {
        let times = self.near.iter().map(|key| time_of(*key).nanos());
        let (first, last) = times.fold((u64::MAX, 0), |(low, high), time| (low.min(time), high.max(time)));
        let good = ((last - first) / self.near.len() as u64 * self.good_bucket() as u64).max(2).ilog2();
        if good + 1 >= self.width_bits {
            return;
        }
        self.width_bits = good;
        self.far.append(&mut self.near);
        self.buckets.iter_mut().for_each(|bucket| self.far.append(bucket));
        self.in_buckets = 0;
        self.begin_at(first);
        // The first bucket becomes near. If its events were moved and discarded, near is empty and the caller
        // turns once more.
        let mask = self.buckets.len() - 1;
        std::mem::swap(&mut self.near, &mut self.buckets[self.next as usize & mask]);
        self.next += 1;
        self.in_buckets -= self.near.len();
        self.given = self.near.len();
    }

    /// Lays out the buckets from `first` on, which is at or before all later events, and discards moved
    /// events.
    fn begin_at(&mut self, first: u64) {
        self.next = first >> self.width_bits;
        self.end = self.next.saturating_add(self.buckets.len() as u64);
        self.given = 0;
        let mut index = 0;
        while let Some(&key) = self.far.get(index) {
            let number = time_of(key).nanos() >> self.width_bits;
            let is_moved = is_movable(key) && self.due[source_of(key).index()] != key;
            if number >= self.end && !is_moved {
                index += 1;
                continue;
            }
            self.far.swap_remove(index);
            if !is_moved {
                let place = number as usize & (self.buckets.len() - 1);
                self.buckets[place].push(key);
                self.in_buckets += 1;
            }
        }
    }
}

#[cold]
#[inline(never)]
fn push_to_full(bucket: &mut Vec<Key>, key: Key) {
    bucket.push(key);
}

#[cfg(test)]
mod tests;
