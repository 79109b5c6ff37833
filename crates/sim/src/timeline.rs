//! A value that changes at times known from the beginning: a link's rate, or its delay.

use ackclock_base::{Span, Time};
use std::sync::Arc;

/// Values over time. Clones share them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeline<T> {
    /// The values with the times from which they hold. The first time is zero, and times increase.
    steps: Arc<[(Time, T)]>,
    /// The time after which the values repeat; `None` if the last one holds forever.
    period: Option<Span>,
}

/// A value, and the time until which it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Present<T> {
    /// The value.
    pub value: T,
    /// The time until which it holds; [`Time::NEVER`] if it holds forever.
    pub until: Time,
}

impl<T: Copy + PartialEq> Timeline<T> {
    /// Creates a timeline with a value that never changes.
    pub fn constant(value: T) -> Self {
        Self { steps: Arc::new([(Time::ZERO, value)]), period: None }
    }

    /// Creates a timeline of values with their durations, which repeat forever. Returns `None` if the
    /// durations add up to zero.
    pub fn cycle(phases: impl IntoIterator<Item = (Span, T)>) -> Option<Self> {
        let mut steps: Vec<(Time, T)> = Vec::new();
        let mut ends = Time::ZERO;
        for (lasts, value) in phases.into_iter().filter(|(lasts, _)| *lasts > Span::ZERO) {
            if steps.last().is_none_or(|(_, last)| *last != value) {
                steps.push((ends, value));
            }
            ends += lasts;
        }
        let period = ends.since(Time::ZERO);
        (period > Span::ZERO).then(|| Self { steps: steps.into(), period: Some(period) })
    }

    /// Creates a timeline with a value from the beginning on, and others from later times on, in order. The
    /// last one holds forever.
    pub fn steps(first: T, others: impl IntoIterator<Item = (Time, T)>) -> Self {
        let steps: Vec<(Time, T)> = std::iter::once((Time::ZERO, first)).chain(others).collect();
        debug_assert!(
            steps.windows(2).all(|pair| pair[0].0 < pair[1].0),
            "the steps of a timeline are not in chronological order"
        );
        Self { steps: steps.into(), period: None }
    }

    /// Returns the value at a time.
    pub fn at(&self, now: Time) -> T {
        self.present(now).value
    }

    /// Returns the value at a time, with the time until which it holds.
    pub fn present(&self, now: Time) -> Present<T> {
        let into = match self.period {
            Some(period) => Time::from_nanos(now.nanos() % period.nanos()),
            None => now,
        };
        let next = self.steps.partition_point(|(begins, _)| *begins <= into);
        let until = match (self.steps.get(next), self.period) {
            (Some((begins, _)), _) => now + begins.since(into),
            (None, Some(period)) => now + period.saturating_sub(into.since(Time::ZERO)),
            (None, None) => Time::NEVER,
        };
        Present { value: self.steps[next.saturating_sub(1)].1, until }
    }

    /// Returns the values with the times from which they hold, and the time after which they repeat.
    pub fn parts(&self) -> (&[(Time, T)], Option<Span>) {
        (&self.steps, self.period)
    }

    /// Returns the values, in order.
    pub fn values(&self) -> impl Iterator<Item = T> + '_ {
        self.steps.iter().map(|(_, value)| *value)
    }

    /// Returns the timeline of a function of each value.
    pub fn map<U>(&self, of: impl Fn(T) -> U) -> Timeline<U> {
        Timeline {
            steps: self.steps.iter().map(|(begins, value)| (*begins, of(*value))).collect(),
            period: self.period,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ms(ms: u64) -> Span {
        Span::from_millis(ms)
    }

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    #[test]
    fn a_cycle_begins_again() {
        // 20 ms of a and 10 ms of b: 3015 ms are 100 cycles and 15 ms, in a until 3020 ms; 3025 ms are in b
        // until 3030 ms.
        let cycle = Timeline::cycle([(ms(20), 'a'), (ms(10), 'b')]).unwrap();
        for (now, value, until) in
            [(0, 'a', 20), (20, 'b', 30), (29, 'b', 30), (30, 'a', 50), (3015, 'a', 3020), (3025, 'b', 3030)]
        {
            assert_eq!(cycle.present(at(now)), Present { value, until: at(until) }, "{now}");
        }
        assert_eq!(Timeline::<char>::cycle([]), None);
    }

    #[test]
    fn the_last_step_lasts() {
        let steps = Timeline::steps('a', [(at(20), 'b')]);
        assert_eq!(steps.present(at(19)), Present { value: 'a', until: at(20) });
        assert_eq!(steps.present(at(1_000_000)), Present { value: 'b', until: Time::NEVER });
        assert_eq!(Timeline::constant('c').present(at(7)), Present { value: 'c', until: Time::NEVER });
    }

    proptest! {
        /// Compares a cycle with a walk through its phases.
        #[test]
        fn a_cycle_equals_a_walk_through_its_phases(
            phases in prop::collection::vec((1_u64..50, 0_u8..3), 1..20),
            now in 0_u64..5000,
        ) {
            let timeline = Timeline::cycle(phases.iter().map(|(lasts, value)| (ms(*lasts), *value))).unwrap();
            let mut ends = 0;
            let walked = phases.iter().cycle().find(|(lasts, _)| {
                ends += lasts;
                now < ends
            });
            let present = timeline.present(at(now));
            prop_assert_eq!(Some(present.value), walked.map(|(_, value)| *value));
            prop_assert!(present.until >= at(ends), "equal neighbours are one step");
        }
    }
}
