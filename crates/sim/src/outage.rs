//! Times in which a link sends nothing: what waits goes on waiting, and the packet whose transmission an outage interrupts
//! goes on after it.

use ackclock_base::{Span, Time};

/// One outage, or one after another at equal distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// When the first begins.
    pub from: Time,
    /// How long each lasts.
    pub lasts: Span,
    /// From the beginning of one to the beginning of the next, longer than one lasts; none for one alone.
    pub every: Option<Span>,
}

impl Outage {
    /// How much of the time from the beginning to `now` lies in outages.
    fn out(&self, now: Time) -> u64 {
        let (since, lasts) = (now.since(self.from).nanos(), self.lasts.nanos());
        match self.every.map(Span::nanos) {
            None => since.min(lasts),
            Some(every) => since / every * lasts + (since % every).min(lasts),
        }
    }

    /// How much of the time from one instant to another lies outside outages.
    pub fn works(&self, from: Time, to: Time) -> Span {
        let out = self.out(to) - self.out(from);
        Span::from_nanos(to.since(from).nanos() - out)
    }

    /// When so much time outside outages has passed since `now`.
    pub fn after(&self, now: Time, work: Span) -> Time {
        // The work since the beginning of the run that is done then, and of that what follows the first outage's beginning.
        let total = now.nanos() - self.out(now) + work.nanos();
        let later = total.saturating_sub(self.from.nanos());
        if later == 0 {
            return Time::from_nanos(total).max(now);
        }
        let outages = match self.every {
            None => 1,
            // Between two outages there are `every - lasts`; what ends just before an outage has not met it.
            Some(every) => 1 + (later - 1) / (every.nanos() - self.lasts.nanos()).max(1),
        };
        Time::from_nanos(total) + self.lasts * outages
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    #[test]
    fn work_stands_still_in_an_outage() {
        // From 15 s on 2 s of every 15 s: 15 to 17, 30 to 32, 45 to 47.
        let outage = Outage {
            from: at(15_000),
            lasts: Span::from_millis(2000),
            every: Some(Span::from_millis(15_000)),
        };
        for (now, work, then) in [
            (0, 15_000, 15_000), // ends as the outage begins
            (0, 15_001, 17_001),
            (16_000, 1, 17_001),      // begins within one
            (17_000, 13_000, 30_000), // the whole time between two
            (14_999, 13_002, 32_001), // 1 ms before the first, 13 s between, 1 ms after the second
        ] {
            assert_eq!(outage.after(at(now), Span::from_millis(work)), at(then), "{now} {work}");
        }
        let once = Outage { every: None, ..outage };
        assert_eq!(once.after(at(14_999), Span::from_millis(50_000)), at(66_999));
        assert_eq!(once.works(at(0), at(20_000)), Span::from_millis(18_000));
    }

    proptest! {
        /// Work done until a time, and the time until which that work is done, are each other's inverse.
        #[test]
        fn after_is_the_inverse_of_works(
            from in 0_u64..1000, lasts in 1_u64..100, more in 1_u64..100, repeats in any::<bool>(),
            now in 0_u64..5000, work in 1_u64..5000,
        ) {
            let ns = Span::from_nanos;
            let outage = Outage { from: Time::from_nanos(from), lasts: ns(lasts), every: repeats.then(|| ns(lasts + more)) };
            let now = Time::from_nanos(now);
            let then = outage.after(now, ns(work));
            prop_assert_eq!(outage.works(now, then), ns(work));
            // The earliest instant: a nanosecond before, less is done.
            prop_assert_eq!(outage.works(now, then - ns(1)), ns(work - 1));
        }
    }
}
