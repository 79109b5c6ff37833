//! The least of some time, of fixed size: time in slots, of which the oldest is forgotten when a new one begins.

use ackclock_base::{Span, Time};

/// The least samples of the newest slots.
#[derive(Clone, Debug)]
pub struct SlidingLeast<const SLOTS: usize> {
    slots: [Span; SLOTS],
    newest: usize,
    /// When that one began.
    since: Option<Time>,
}

impl<const SLOTS: usize> SlidingLeast<SLOTS> {
    /// Without a sample.
    pub fn new() -> Self {
        Self { slots: [Span::MAX; SLOTS], newest: 0, since: None }
    }

    /// A sample now, where slots are so long.
    pub fn sample(&mut self, now: Time, slot: Span, sample: Span) {
        let since = *self.since.get_or_insert(now);
        let passed = now.since(since).nanos() / slot.nanos().max(1);
        if passed > 0 {
            for _ in 0..passed.min(SLOTS as u64) {
                self.newest = (self.newest + 1) % SLOTS;
                self.slots[self.newest] = Span::MAX;
            }
            self.since = Some(now);
        }
        self.slots[self.newest] = self.slots[self.newest].min(sample);
    }

    /// The least; `None` before the first sample.
    pub fn least(&self) -> Option<Span> {
        self.slots.iter().copied().min().filter(|least| *least < Span::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_counts_until_as_many_slots_have_begun() {
        let mut least = SlidingLeast::<3>::new();
        assert_eq!(least.least(), None);
        for (seconds, ms, expected) in
            [(0.0, 10, 10), (1.0, 30, 10), (2.0, 20, 10), (2.9, 40, 10), (3.0, 50, 20), (9.0, 60, 60)]
        {
            least.sample(Time::from_seconds(seconds), Span::from_millis(1000), Span::from_millis(ms));
            assert_eq!(least.least(), Some(Span::from_millis(expected)), "{seconds} s");
        }
    }
}
