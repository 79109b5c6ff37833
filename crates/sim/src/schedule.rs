//! What happens next: a tournament over the sources of events.
//!
//! A simulation has few sources (one per lane of packets, one per timer), and each has at most one pending event.
//! So the queue is not a heap of events but a winner tree with one leaf per source: changing a source's time replays
//! one path to the root, log2(sources) minima over neighbouring memory, without a branch to mispredict.
//!
//! Equal times are served in the order in which they were scheduled.

use ackclock_base::Time;
use std::hint::select_unpredictable;

/// A source of events, as its leaf in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceId(u32);

impl SourceId {
    /// The source's index: sources are numbered from 0 in the order of their making.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The order in which events were scheduled; breaks ties between equal times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order(u64);

impl Order {
    /// As the upper 40 bits of a word.
    #[inline]
    pub(crate) fn above_24_bits(self) -> u64 {
        self.0 << SOURCE_BITS
    }

    /// From the upper 40 bits of a word.
    #[inline]
    pub(crate) fn from_above_24_bits(word: u64) -> Self {
        Self(word >> SOURCE_BITS)
    }
}

/// When, and then 40 bits of order and 24 bits of source in one number. A trillion events and sixteen million sources
/// in a run are enough: see [`Schedule::add_source`] and [`Schedule::next_order`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key {
    time: u64,
    tie: u64,
}

const SOURCE_BITS: u32 = 24;
const ORDER_BITS: u32 = 40;
const SOURCE_MASK: u64 = (1 << SOURCE_BITS) - 1;
const NEVER: Key = Key { time: u64::MAX, tie: u64::MAX };

/// The tournament.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// `tree[1]` is the winner; the leaves are the upper half.
    tree: Vec<Key>,
    leaves: usize,
    sources: u32,
    orders: u64,
}

impl Default for Schedule {
    fn default() -> Self {
        Self { tree: vec![NEVER; 2], leaves: 1, sources: 0, orders: 0 }
    }
}

impl Schedule {
    /// The most sources there can be.
    pub const MOST_SOURCES: usize = 1 << SOURCE_BITS;

    /// Adds a source, silent at first. Callers keep their number below [`Schedule::MOST_SOURCES`].
    pub fn add_source(&mut self) -> SourceId {
        let id = self.sources;
        assert!((id as usize) < Self::MOST_SOURCES, "more than {} event sources", Self::MOST_SOURCES);
        self.sources += 1;
        if self.sources as usize > self.leaves {
            self.grow();
        }
        SourceId(id)
    }

    /// The place of an event that is scheduled now among those of the same time.
    pub fn next_order(&mut self) -> Order {
        self.orders += 1;
        Order(self.orders & ((1 << ORDER_BITS) - 1))
    }

    /// Sets when a source's next event is due, replacing what was set before.
    #[inline]
    pub fn set(&mut self, source: SourceId, time: Time, order: Order) {
        let tie = (order.0 << SOURCE_BITS) | u64::from(source.0);
        self.replay(source, Key { time: time.nanos(), tie });
    }

    /// Takes back a source's pending event, if it has one.
    #[inline]
    pub fn clear(&mut self, source: SourceId) {
        self.replay(source, NEVER);
    }

    /// The next event: when, and whose.
    #[inline]
    pub fn peek(&self) -> Option<(Time, SourceId)> {
        match self.tree[1] {
            NEVER => None,
            Key { time, tie } => Some((Time::from_nanos(time), SourceId((tie & SOURCE_MASK) as u32))),
        }
    }

    #[inline]
    fn replay(&mut self, source: SourceId, key: Key) {
        let mut node = self.leaves + source.index();
        let mut winner = key;
        self.tree[node] = winner;
        while node > 1 {
            winner = earlier(winner, self.tree[node ^ 1]);
            node >>= 1;
            // Where the winner stays the same nothing changes above: most events are scheduled for later than their
            // neighbours'.
            if self.tree[node] == winner {
                return;
            }
            self.tree[node] = winner;
        }
    }

    fn grow(&mut self) {
        let leaves = self.leaves * 2;
        let mut tree = vec![NEVER; leaves * 2];
        tree[leaves..leaves + self.leaves].copy_from_slice(&self.tree[self.leaves..]);
        for node in (1..leaves).rev() {
            tree[node] = earlier(tree[2 * node], tree[2 * node + 1]);
        }
        self.tree = tree;
        self.leaves = leaves;
    }
}

/// The earlier of two keys, without a branch: which of two lanes is earlier is as good as random, and mispredicted
/// branches here were half of all that a run had. Hence the operators without short circuit.
#[inline]
fn earlier(a: Key, b: Key) -> Key {
    let b_first = (b.time < a.time) | ((b.time == a.time) & (b.tie < a.tie));
    Key {
        time: select_unpredictable(b_first, b.time, a.time),
        tie: select_unpredictable(b_first, b.tie, a.tie),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn equal_times_come_in_the_order_of_scheduling() {
        let mut schedule = Schedule::default();
        let sources: Vec<SourceId> = (0..5).map(|_| schedule.add_source()).collect();
        for index in [3, 1, 4, 0, 2] {
            let order = schedule.next_order();
            schedule.set(sources[index], Time::from_nanos(7), order);
        }
        let mut served = Vec::new();
        while let Some((_, source)) = schedule.peek() {
            served.push(source.index());
            schedule.clear(source);
        }
        assert_eq!(served, [3, 1, 4, 0, 2]);
    }

    proptest! {
        /// Against a sorted list: whatever is set, cleared and set again, the earliest comes first.
        #[test]
        fn the_earliest_wins(operations in prop::collection::vec((0_usize..40, prop::option::of(0_u64..1000)), 1..200)) {
            let mut schedule = Schedule::default();
            let mut sources = Vec::new();
            let mut model: Vec<Option<(u64, u64)>> = Vec::new();
            for (index, time) in operations {
                while sources.len() <= index {
                    sources.push(schedule.add_source());
                    model.push(None);
                }
                let order = schedule.next_order();
                match time {
                    Some(ns) => schedule.set(sources[index], Time::from_nanos(ns), order),
                    None => schedule.clear(sources[index]),
                }
                model[index] = time.map(|ns| (ns, order.0));
                let best = model.iter().enumerate().filter_map(|(i, key)| key.map(|key| (key, i))).min();
                let found = schedule.peek().map(|(time, source)| (time.nanos(), source.index()));
                prop_assert_eq!(found, best.map(|((ns, _), i)| (ns, i)));
            }
        }
    }
}
