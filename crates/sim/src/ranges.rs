//! The numbers of a sequence that have arrived: all below a number, and ranges above it.

use std::collections::VecDeque;
use std::ops::Range;

/// A set of numbers that have arrived.
#[derive(Clone, Debug, Default)]
pub struct Ranges {
    next: u64,
    /// The numbers that arrived out of order: ranges above `next`, ascending, not touching.
    above: VecDeque<(u64, u64)>,
}

impl Ranges {
    /// Returns the first number that has not arrived.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Returns one past the highest number that has arrived.
    pub fn end(&self) -> u64 {
        self.above.back().map_or(self.next, |(_, end)| *end)
    }

    /// Returns whether a number is missing below the highest that has arrived.
    pub fn has_gaps(&self) -> bool {
        !self.above.is_empty()
    }

    /// Returns the ranges that have arrived above the first missing number, ascending.
    pub fn above(&self) -> impl DoubleEndedIterator<Item = Range<u64>> + '_ {
        self.above.iter().map(|(start, end)| *start..*end)
    }

    /// Returns whether a number has arrived.
    pub fn holds(&self, number: u64) -> bool {
        let place = self.above.partition_point(|(_, end)| *end <= number);
        number < self.next || self.above.get(place).is_some_and(|(start, _)| *start <= number)
    }

    /// Records the arrival of a number. Returns whether it is new.
    #[inline]
    pub fn insert(&mut self, number: u64) -> bool {
        if number == self.next {
            self.next += 1;
            if !self.above.is_empty() {
                self.absorb();
            }
            return true;
        }
        number > self.next && self.store(number)
    }

    /// Marks all numbers below `number` as arrived.
    pub fn advance_to(&mut self, number: u64) {
        self.next = self.next.max(number);
        self.absorb();
    }

    /// Removes the ranges that `next` has reached, and moves `next` to their end.
    fn absorb(&mut self) {
        while let Some((_, end)) = self.above.front().copied().filter(|(start, _)| *start <= self.next) {
            self.next = self.next.max(end);
            self.above.pop_front();
        }
    }

    fn store(&mut self, number: u64) -> bool {
        // Finds the first range that does not end before the number.
        let place = self.above.partition_point(|(_, end)| *end < number);
        let Some((start, end)) = self.above.get_mut(place) else {
            self.above.push_back((number, number + 1));
            return true;
        };
        if (*start..*end).contains(&number) {
            return false;
        }
        if number == *end {
            *end += 1;
            let joins = self.above.get(place + 1).copied().filter(|(start, _)| *start == number + 1);
            if let Some((_, end)) = joins {
                self.above[place].1 = end;
                self.above.remove(place + 1);
            }
        } else if number + 1 == *start {
            *start = number;
        } else {
            self.above.insert(place, (number, number + 1));
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn ranges_equal_the_set_of_arrivals(
            numbers in prop::collection::vec((0_u64..60, prop::bool::weighted(0.05)), 1..200),
        ) {
            let (mut ranges, mut here) = (Ranges::default(), BTreeSet::new());
            for (number, advances) in numbers {
                if advances {
                    ranges.advance_to(number);
                    here.extend(0..number);
                } else {
                    prop_assert_eq!(ranges.insert(number), here.insert(number));
                }
                let first = (0..).find(|number| !here.contains(number)).unwrap();
                prop_assert_eq!(ranges.next(), first);
                prop_assert_eq!(ranges.end(), here.last().map_or(0, |last| last + 1));
                let told: Vec<u64> = ranges.above().flatten().collect();
                prop_assert_eq!(told, here.range(first..).copied().collect::<Vec<_>>());
                prop_assert_eq!(ranges.has_gaps(), here.range(first..).next().is_some());
                prop_assert!((0..70).all(|number| ranges.holds(number) == here.contains(&number)));
                let touch = ranges.above().zip(ranges.above().skip(1)).any(|(one, next)| one.end >= next.start);
                prop_assert!(!touch);
            }
        }
    }
}
