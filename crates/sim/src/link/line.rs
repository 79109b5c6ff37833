//! Who waits before a link, in order: a ring that grows.

use ackclock_base::Time;

/// A packet that waits.
#[derive(Clone, Copy, Default)]
pub(super) struct Waiting {
    /// When its transmission begins.
    pub(super) starts: Time,
    pub(super) bytes: u32,
}

/// The packets that wait.
#[derive(Default)]
pub(super) struct Line {
    /// A power of two of them, or none.
    places: Box<[Waiting]>,
    first: usize,
    count: usize,
}

impl Line {
    #[inline]
    pub(super) fn len(&self) -> u64 {
        self.count as u64
    }

    /// The one that has waited longest.
    #[inline]
    pub(super) fn first(&self) -> Option<Waiting> {
        (self.count > 0).then(|| self.places[self.place(0)])
    }

    /// One joins.
    #[inline]
    pub(super) fn push(&mut self, waiting: Waiting) {
        if self.count == self.places.len() {
            self.grow();
        }
        let place = self.place(self.count);
        self.places[place] = waiting;
        self.count += 1;
    }

    /// The first goes.
    #[inline]
    pub(super) fn pop(&mut self) {
        debug_assert!(self.count > 0);
        self.first = self.place(1);
        self.count -= 1;
    }

    #[inline]
    fn place(&self, number: usize) -> usize {
        (self.first + number) & (self.places.len() - 1)
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let room = (2 * self.places.len()).max(8);
        let old = self.places.iter().cycle().skip(self.first).take(self.count);
        let places: Vec<_> = old.copied().chain(std::iter::repeat(Waiting::default())).take(room).collect();
        self.places = places.into();
        self.first = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        #[test]
        fn first_come_first_gone(joins in prop::collection::vec(any::<bool>(), 0..200)) {
            // Against a queue of the library, whatever the order of coming and going.
            let (mut line, mut model) = (Line::default(), VecDeque::new());
            for (bytes, join) in (0..).zip(joins) {
                if join {
                    line.push(Waiting { starts: Time::from_nanos(u64::from(bytes)), bytes });
                    model.push_back(bytes);
                } else if model.pop_front().is_some() {
                    line.pop();
                }
                prop_assert_eq!(line.len(), model.len() as u64);
                prop_assert_eq!(line.first().map(|first| first.bytes), model.front().copied());
            }
        }
    }
}
