//! What happens next: a calendar over the sources of events (Brown 1988), each bucket of which is sorted when its time has
//! come (Tang, Goh and Thng 2005).
//!
//! A simulation has one source for each lane of packets and for each timer, and each has at most one pending event. What
//! is due soon lies sorted; what is due later lies unsorted in buckets of time, a few events in each; the rest, timers above
//! all, is looked through when all buckets have had their turn. So an event costs about the same among ten thousand sources
//! as among ten. An event that is taken back or moved stays where it is, and is passed over when its turn comes.
//!
//! What is due at the same time has an [`Order`] that does not depend on when it was scheduled.

mod key;

use ackclock_base::Time;
use key::{Key, Lots, MAX_TIME, NEVER, is_movable, time_of};
pub use key::{MAX_SOURCES, Order, SourceId};

/// Events that a bucket is to hold in the mean, and more than which none may hold before its width is reconsidered.
const GOOD_BUCKET: usize = 2;
const MAX_BUCKET: usize = 128;
const MIN_BUCKETS: usize = 256;
/// With so many sources what an event needs is no longer in the cache. Then a bucket holds more, so that there is something to
/// [look ahead](Schedule::ahead) at.
const MANY_SOURCES: usize = 5000;
const LARGE_BUCKET: usize = 8;

/// The calendar.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// The pending event of each source whose event may be moved.
    due: Vec<Key>,
    /// All events before the bucket that is next, the first one last.
    near: Vec<Key>,
    /// The number of the bucket that is next: the time over the buckets' width.
    next: u64,
    /// The number of the first bucket beyond those that there are.
    end: u64,
    /// A bucket is two to the power of this many nanoseconds wide.
    width_bits: u32,
    /// A ring of a power of two.
    buckets: Vec<Vec<Key>>,
    in_buckets: usize,
    /// Later than all buckets.
    far: Vec<Key>,
    /// How many events the buckets have given since they were last laid out, and how many came too late to lie in one.
    given: usize,
    /// Whether there are many sources, and what is near has not been looked at.
    is_news: bool,
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
            is_news: false,
            now: Time::ZERO,
            lots: Lots::default(),
        }
    }
}

impl Schedule {
    /// The calendar of a run with this seed.
    pub fn new(seed: u64) -> Self {
        Self { lots: Lots::new(seed), ..Self::default() }
    }

    /// Adds a source, silent at first. Callers keep their number below [`MAX_SOURCES`].
    pub fn add_source(&mut self) -> SourceId {
        SourceId::new(self.add_place(), true)
    }

    /// Adds a source whose event, once it is set, is neither taken back nor moved, which saves looking whether it was.
    pub fn add_firm_source(&mut self) -> SourceId {
        SourceId::new(self.add_place(), false)
    }

    fn add_place(&mut self) -> u32 {
        let id = self.due.len();
        assert!(id < MAX_SOURCES, "more than {MAX_SOURCES} event sources");
        self.due.push(NEVER);
        id as u32
    }

    /// The time of the last event, or up to which nothing [happens](Self::wait_until) if that is later.
    #[inline]
    pub fn now(&self) -> Time {
        self.now
    }

    /// Lets the time pass up to an instant before which no event is pending.
    pub fn wait_until(&mut self, until: Time) {
        self.now = self.now.max(until);
    }

    /// Sets when a source's next event is due, replacing what was set before unless the source is firm.
    #[inline]
    pub fn set(&mut self, source: SourceId, time: Time, order: Order) {
        debug_assert!(time >= self.now, "an event is set for {time:?}, before {:?}, which is now", self.now);
        let key = self.lots.key_of(time, order, source);
        if source.is_movable() {
            self.due[source.index()] = key;
        }
        let number = time.nanos() >> self.width_bits;
        if number < self.next || number >= self.end {
            return self.put_elsewhere(time, key);
        }
        // The last thing that is done, so that what seldom happens needs no room on the stack.
        let place = number as usize & (self.buckets.len() - 1);
        let bucket = &mut self.buckets[place];
        self.in_buckets += 1;
        if bucket.len() == bucket.capacity() {
            return push_to_full(bucket, key);
        }
        bucket.push(key);
    }

    /// Takes back a source's pending event, if it has one.
    #[inline]
    pub fn clear(&mut self, source: SourceId) {
        debug_assert!(source.is_movable(), "the event of a firm source is taken back");
        self.due[source.index()] = NEVER;
    }

    /// Takes the next event if it is due before an instant: when, and whose. Its source is silent then.
    #[inline]
    pub fn next_before(&mut self, until: Time) -> Option<(Time, SourceId)> {
        loop {
            while let Some(&key) = self.near.last() {
                let time = time_of(key);
                let source = self.lots.source_at(time, key);
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

    /// Where it belongs in no bucket: beyond them, or among the few that are near, where mostly it is later than they are.
    #[inline(never)]
    fn put_elsewhere(&mut self, time: Time, mut key: Key) {
        if time > MAX_TIME {
            let source = self.lots.source_at(time, key);
            key = self.lots.at_the_latest(time, key);
            self.due[source.index()] = key;
        }
        if time.nanos() >> self.width_bits >= self.end {
            return self.far.push(key);
        }
        // It would have lain in a bucket if they were narrower, so it counts for how wide the next ones are.
        self.given += 1;
        if self.near.len() > 16 {
            let place = self.near.partition_point(|other| *other > key);
            return self.near.insert(place, key);
        }
        self.near.push(key);
        let mut place = self.near.len() - 1;
        while place > 0 && self.near[place - 1] < key {
            self.near[place] = self.near[place - 1];
            place -= 1;
        }
        self.near[place] = key;
    }

    /// Nothing is near: takes what is in the next bucket. Says whether there was anything at all.
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
        self.near.sort_unstable_by(|a, b| b.cmp(a));
        self.is_news = self.due.len() > MANY_SOURCES;
        true
    }

    /// The sources whose turn comes soon, once for each bucket, where there are so many sources that it pays to fetch what
    /// they need all at once.
    #[inline]
    pub fn ahead(&mut self) -> Option<impl Iterator<Item = SourceId>> {
        if !self.is_news {
            return None;
        }
        self.is_news = false;
        let lots = self.lots;
        Some(self.near.iter().map(move |key| lots.source_of(*key)))
    }

    fn good_bucket(&self) -> usize {
        if self.due.len() > MANY_SOURCES { LARGE_BUCKET } else { GOOD_BUCKET }
    }

    /// All buckets have had their turn: new ones for what is later, as wide as the last ones should have been.
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
                self.width_bits = (self.width_bits + (good / self.given).ilog2()).min(40);
            }
        }
        if self.buckets.len() != wanted {
            self.buckets = vec![Vec::new(); wanted];
        }
        // Where the last bucket ended something is mostly due soon. Where nothing is, what comes first has to be looked for.
        self.begin_at(self.end.saturating_mul(1 << before));
        if self.in_buckets == 0 {
            // Nothing is left where all that lay there was moved and is forgotten.
            let Some(first) = self.far.iter().min() else { return false };
            self.begin_at(time_of(*first).nanos());
        }
        true
    }

    /// A bucket is crowded: all that is later is put into narrower ones, unless its events are at one time.
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
        // What is first is near now, unless it was moved and is forgotten: then nothing is, and the caller turns once more.
        let mask = self.buckets.len() - 1;
        std::mem::swap(&mut self.near, &mut self.buckets[self.next as usize & mask]);
        self.next += 1;
        self.in_buckets -= self.near.len();
        self.given = self.near.len();
    }

    /// Lays the buckets out from this time on, at or before all that is later, and forgets what was moved.
    fn begin_at(&mut self, first: u64) {
        self.next = first >> self.width_bits;
        self.end = self.next.saturating_add(self.buckets.len() as u64);
        self.given = 0;
        let mut index = 0;
        while let Some(&key) = self.far.get(index) {
            let number = time_of(key).nanos() >> self.width_bits;
            let is_moved = is_movable(key) && self.due[self.lots.source_of(key).index()] != key;
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
