//! Describes the times in which a link sends nothing.

use ackclock_base::{Span, Time};

/// One outage of a link, or outages at equal distances. A transmission that an outage interrupts continues
/// after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// The time at which the first outage begins.
    pub from: Time,
    /// The length of each outage.
    pub lasts: Span,
    /// The time from the beginning of one outage to the beginning of the next, longer than an outage; `None`
    /// if there is only one.
    pub every: Option<Span>,
}

impl Outage {
    /// Returns the end of the outage in progress at `at`; `None` if the link works at that instant.
    pub(crate) fn end_of_current(&self, at: Time) -> Option<Time> {
        let end = self.latest_beginning(at)? + self.lasts;
        (at < end).then_some(end)
    }

    /// Returns the first instant after `at` at which an outage begins or ends; [`Time::NEVER`] if none
    /// follows.
    pub(crate) fn next_change(&self, at: Time) -> Time {
        let Some(latest) = self.latest_beginning(at) else { return self.from };
        let next = self.every.map_or(Time::NEVER, |every| latest + every);
        self.end_of_current(at).map_or(next, |end| end.min(next))
    }

    /// Returns the beginning of the latest outage that has begun by `at`; `None` before the first outage.
    fn latest_beginning(&self, at: Time) -> Option<Time> {
        let since = at.nanos().checked_sub(self.from.nanos())?;
        let every = self.every.map_or(0, Span::nanos);
        Some(Time::from_nanos(at.nanos() - since.checked_rem(every).unwrap_or(since)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the ends of outages at 15 to 17, 30 to 32, 45 to 47 ns, and so on.
    #[test]
    fn outages_repeat() {
        let outage = Outage {
            from: Time::from_nanos(15),
            lasts: Span::from_nanos(2),
            every: Some(Span::from_nanos(15)),
        };
        let end = |at: u64| outage.end_of_current(Time::from_nanos(at)).map(Time::nanos);
        assert_eq!([0, 14, 17, 29, 32].map(end), [None; 5]);
        assert_eq!([15, 16, 30, 31, 45].map(end), [17, 17, 32, 32, 47].map(Some));
        let next = |at: u64| outage.next_change(Time::from_nanos(at)).nanos();
        assert_eq!([0, 14, 15, 16, 17, 29, 30].map(next), [15, 15, 17, 17, 30, 30, 32]);
    }

    #[test]
    fn a_single_outage_does_not_repeat() {
        let outage = Outage { from: Time::from_nanos(15), lasts: Span::from_nanos(2), every: None };
        let end = |at: u64| outage.end_of_current(Time::from_nanos(at)).map(Time::nanos);
        assert_eq!([14, 15, 16, 17, 30].map(end), [None, Some(17), Some(17), None, None]);
        let next = |at: u64| outage.next_change(Time::from_nanos(at));
        assert_eq!([14, 16].map(|at| next(at).nanos()), [15, 17]);
        assert_eq!(next(17), Time::NEVER);
    }
}
