//! Describes a value that changes at instants known from the beginning.

use ackclock_base::{Span, Time};

/// A value that changes at known instants, such as the rate of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverTime<T> {
    /// The value from time zero on.
    pub first: T,
    /// The instants at which the value changes, each later than the one before and later than zero, with the new values.
    pub changes: Vec<(Time, T)>,
    /// The time after which the sequence of values repeats, longer than zero and later than every change;
    /// `None` if the last value stays.
    pub period: Option<Span>,
}

impl<T: Copy> OverTime<T> {
    /// Returns a value that never changes.
    pub fn constant(value: T) -> Self {
        Self { first: value, changes: Vec::new(), period: None }
    }

    /// Returns the value at `at`; at the instant of a change, the new one.
    pub(crate) fn at(&self, at: Time) -> T {
        let within = self.within_period(at);
        let past = self.changes.partition_point(|(begins, _)| begins.nanos() <= within);
        past.checked_sub(1).map_or(self.first, |last| self.changes[last].1)
    }

    /// Returns the first instant after `at` at which the value may change; [`Time::NEVER`] if none follows.
    pub(crate) fn next_change(&self, at: Time) -> Time {
        let within = self.within_period(at);
        let past = self.changes.partition_point(|(begins, _)| begins.nanos() <= within);
        let next = self.changes.get(past).map(|(begins, _)| begins.nanos());
        let next = next.or(self.period.map(Span::nanos));
        next.map_or(Time::NEVER, |next| at + Span::from_nanos(next.saturating_sub(within).max(1)))
    }

    /// Returns how far into its period `at` lies, in nanoseconds; without a period, since time zero.
    fn within_period(&self, at: Time) -> u64 {
        let period = self.period.map_or(0, Span::nanos);
        at.nanos().checked_rem(period).unwrap_or(at.nanos())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ns(ns: u64) -> Time {
        Time::from_nanos(ns)
    }

    #[test]
    fn the_last_value_lasts() {
        let value = OverTime { first: 'a', changes: vec![(ns(20), 'b'), (ns(30), 'c')], period: None };
        let found = [0, 19, 20, 29, 30, u64::MAX].map(|at| value.at(ns(at)));
        assert_eq!(found, ['a', 'a', 'b', 'b', 'c', 'c']);
        let next = [0, 19, 20, 29, 30].map(|at| value.next_change(ns(at)));
        assert_eq!(next, [ns(20), ns(20), ns(30), ns(30), Time::NEVER]);
        assert_eq!(OverTime::constant('d').at(ns(7)), 'd');
        assert_eq!(OverTime::constant('d').next_change(ns(7)), Time::NEVER);
    }

    #[test]
    fn values_with_a_period_repeat() {
        // 20 ns of a, 10 ns of b, again and again: 3015 ns are 100 periods and 15 ns, 3025 ns are 100 periods and 25 ns.
        let value = OverTime { first: 'a', changes: vec![(ns(20), 'b')], period: Some(Span::from_nanos(30)) };
        let found = [0, 19, 20, 29, 30, 3015, 3025].map(|at| value.at(ns(at)));
        assert_eq!(found, ['a', 'a', 'b', 'b', 'a', 'a', 'b']);
        let next = [0, 19, 20, 29, 30, 3015, 3025].map(|at| value.next_change(ns(at)).nanos());
        assert_eq!(next, [20, 20, 30, 30, 50, 3020, 3030]);
    }
}
