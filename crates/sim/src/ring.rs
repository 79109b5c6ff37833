//! A growing first-in, first-out queue in a ring whose length is a power of two.

/// A first-in, first-out queue.
#[derive(Debug)]
pub(crate) struct Ring<T> {
    /// The storage, whose length is a power of two or zero.
    places: Box<[T]>,
    first: usize,
    count: usize,
}

impl<T> Default for Ring<T> {
    fn default() -> Self {
        Self { places: Box::default(), first: 0, count: 0 }
    }
}

impl<T: Copy + Default> Ring<T> {
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Returns the oldest element; `None` if the queue is empty.
    #[inline]
    pub(crate) fn first(&self) -> Option<&T> {
        (self.count > 0).then(|| &self.places[self.place(0)])
    }

    /// Adds an element.
    #[inline]
    pub(crate) fn push(&mut self, one: T) {
        if self.count == self.places.len() {
            self.grow();
        }
        let place = self.place(self.count);
        self.places[place] = one;
        self.count += 1;
    }

    /// Removes the oldest element. The queue must not be empty.
    #[inline]
    pub(crate) fn pop(&mut self) {
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
        let places: Vec<_> = old.copied().chain(std::iter::repeat(T::default())).take(room).collect();
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
        fn the_ring_is_first_in_first_out(comes in prop::collection::vec(any::<bool>(), 0..200)) {
            // Compares the ring with the standard library's queue, for any order of pushing and popping.
            let (mut ring, mut model) = (Ring::default(), VecDeque::new());
            for (number, comes) in comes.into_iter().enumerate() {
                if comes {
                    ring.push(number);
                    model.push_back(number);
                } else if model.pop_front().is_some() {
                    ring.pop();
                }
                prop_assert_eq!(ring.len(), model.len());
                prop_assert_eq!(ring.first(), model.front());
            }
        }
    }
}
