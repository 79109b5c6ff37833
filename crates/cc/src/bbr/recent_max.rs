//! A maximum filter over the last rounds.

use ackclock_base::at_least;

/// The greatest number of rounds over which the filter can look back.
pub const MOST_ROUNDS: usize = 16;

/// A filter with one slot per round, so that it forgets exactly the values that are too old.
#[derive(Clone, Copy, Debug, Default)]
pub struct RecentMax {
    slots: [f64; MOST_ROUNDS],
    /// The latest round seen.
    round: u64,
    window: usize,
    greatest: f64,
}

impl RecentMax {
    /// Adds a value of round `round`. From now on the last `window` rounds count, this one included.
    pub fn take(&mut self, value: f64, round: u64, window: usize) {
        if round != self.round || window != self.window {
            self.advance(round, window.clamp(1, MOST_ROUNDS));
        }
        let slot = &mut self.slots[round as usize % MOST_ROUNDS];
        *slot = at_least(value, *slot);
        self.greatest = at_least(value, self.greatest);
    }

    fn advance(&mut self, round: u64, window: usize) {
        for passed in (self.round + 1..=round).take(MOST_ROUNDS) {
            self.slots[passed as usize % MOST_ROUNDS] = 0.0;
        }
        (self.round, self.window) = (round, window);
        let ages = 0..(window as u64).min(round + 1);
        let recent = ages.map(|age| self.slots[(round - age) as usize % MOST_ROUNDS]);
        self.greatest = recent.fold(0.0, f64::max);
    }

    /// Returns the maximum; zero before the first value.
    pub fn get(&self) -> f64 {
        self.greatest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_value_lives_for_as_many_rounds_as_the_window_has() {
        let mut filter = RecentMax::default();
        filter.take(7.0, 1, 10);
        for round in 2..=10 {
            filter.take(1.0, round, 10);
            assert_eq!(filter.get(), 7.0, "round {round}");
        }
        filter.take(1.0, 11, 10);
        assert_eq!(filter.get(), 1.0);
        filter.take(0.5, 12, 1);
        assert_eq!(filter.get(), 0.5, "this round alone");
    }

    proptest! {
        #[test]
        fn it_is_the_maximum_over_the_window(
            steps in prop::collection::vec((0_u64..20, 0.0..100.0_f64), 1..60), window in 1_usize..=MOST_ROUNDS
        ) {
            let mut filter = RecentMax::default();
            let (mut round, mut seen) = (0, Vec::new());
            for (later, value) in steps {
                round += later / 4;
                seen.push((round, value));
                filter.take(value, round, window);
                let recent = seen.iter().filter(|(at, _)| at + window as u64 > round).map(|(_, value)| *value);
                prop_assert_eq!(filter.get(), recent.fold(0.0, f64::max));
            }
        }
    }
}
