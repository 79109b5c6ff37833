//! A minimum or maximum filter over a span of time, of fixed size. Time is divided into slots, and the oldest
//! slot is forgotten when a new one begins.

use ackclock_base::{Span, Time};

/// The minimum or maximum of the samples in the newest slots.
#[derive(Clone, Debug)]
pub struct Sliding<const SLOTS: usize> {
    pick: fn(Span, Span) -> Span,
    /// The neutral element of `pick`: no sample is beyond it.
    none: Span,
    slots: [Span; SLOTS],
    newest: usize,
    /// The start of the newest slot; `None` before the first sample.
    since: Option<Time>,
    extreme: Span,
}

impl<const SLOTS: usize> Sliding<SLOTS> {
    /// Creates a minimum filter without a sample.
    pub fn least() -> Self {
        Self::of(Span::min, Span::MAX)
    }

    /// Creates a maximum filter without a sample.
    pub fn greatest() -> Self {
        Self::of(Span::max, Span::ZERO)
    }

    fn of(pick: fn(Span, Span) -> Span, none: Span) -> Self {
        Self { pick, none, slots: [none; SLOTS], newest: 0, since: None, extreme: none }
    }

    /// Adds a sample at `now`; `slot` is the length of a slot.
    pub fn sample(&mut self, now: Time, slot: Span, sample: Span) {
        let since = *self.since.get_or_insert(now);
        let passed = now.since(since).nanos() / slot.nanos().max(1);
        if passed > 0 {
            for _ in 0..passed.min(SLOTS as u64) {
                self.newest = (self.newest + 1) % SLOTS;
                self.slots[self.newest] = self.none;
            }
            self.since = Some(now);
            self.extreme = self.slots.iter().copied().fold(self.none, self.pick);
        }
        self.slots[self.newest] = (self.pick)(self.slots[self.newest], sample);
        self.extreme = (self.pick)(self.extreme, sample);
    }

    /// Returns the minimum or maximum; `None` before the first sample.
    pub fn get(&self) -> Option<Span> {
        self.since.map(|_| self.extreme)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_counts_until_as_many_slots_have_begun() {
        let (mut least, mut greatest) = (Sliding::<3>::least(), Sliding::<3>::greatest());
        assert_eq!((least.get(), greatest.get()), (None, None));
        for (seconds, ms, smallest, largest) in [
            (0.0, 10, 10, 10),
            (1.0, 30, 10, 30),
            (2.0, 20, 10, 30),
            (2.9, 40, 10, 40),
            (3.0, 50, 20, 50),
            (9.0, 25, 25, 25),
        ] {
            for filter in [&mut least, &mut greatest] {
                filter.sample(Time::from_seconds(seconds), Span::from_millis(1000), Span::from_millis(ms));
            }
            let expected = [smallest, largest].map(|ms| Some(Span::from_millis(ms)));
            assert_eq!([least.get(), greatest.get()], expected, "{seconds} s");
        }
    }
}
