//! Outages: times in which a link sends nothing. Waiting packets keep waiting, and a packet whose
//! transmission an outage interrupts continues after it.

use ackclock_base::{Span, Time};

/// One outage, or a periodic series of outages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// The beginning of the first outage.
    pub from: Time,
    /// The length of each outage.
    pub lasts: Span,
    /// The time from one beginning to the next, longer than an outage; `None` for a single outage.
    pub every: Option<Span>,
}

impl Outage {
    /// Returns the nanoseconds of outages from the beginning of the run to `now`.
    fn out(&self, now: Time) -> u64 {
        let (since, lasts) = (now.since(self.from).nanos(), self.lasts.nanos());
        match self.every.map(Span::nanos) {
            None => since.min(lasts),
            Some(every) => since / every * lasts + (since % every).min(lasts),
        }
    }

    /// Returns the time between two instants that lies outside outages.
    pub fn works(&self, from: Time, to: Time) -> Span {
        let out = self.out(to) - self.out(from);
        Span::from_nanos(to.since(from).nanos() - out)
    }

    /// Returns the time at which `work` of time outside outages has passed since `now`.
    pub fn after(&self, now: Time, work: Span) -> Time {
        // The work since the beginning of the run at the returned time, and the part of it that follows the
        // beginning of the first outage.
        let total = now.nanos() - self.out(now) + work.nanos();
        let later = total.saturating_sub(self.from.nanos());
        if later == 0 {
            return Time::from_nanos(total).max(now);
        }
        let outages = match self.every {
            None => 1,
            // Between two outages there are `every - lasts`. Work that ends as an outage begins has not met
            // that outage.
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
    fn no_work_is_done_in_an_outage() {
        // 2 s of every 15 s from 15 s on are outages: 15 to 17, 30 to 32, 45 to 47.
        let outage = Outage {
            from: at(15_000),
            lasts: Span::from_millis(2000),
            every: Some(Span::from_millis(15_000)),
        };
        for (now, work, then) in [
            (0, 15_000, 15_000), // ends as the outage begins
            (0, 15_001, 17_001),
            (16_000, 1, 17_001),      // begins within an outage
            (17_000, 13_000, 30_000), // takes the whole time between two outages
            (14_999, 13_002, 32_001), // 1 ms before the first, 13 s between, 1 ms after the second
        ] {
            assert_eq!(outage.after(at(now), Span::from_millis(work)), at(then), "{now} {work}");
        }
        let once = Outage { every: None, ..outage };
        assert_eq!(once.after(at(14_999), Span::from_millis(50_000)), at(66_999));
        assert_eq!(once.works(at(0), at(20_000)), Span::from_millis(18_000));
    }

    proptest! {
        /// The work done until a time, and the time until which that work is done, are inverse functions.
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
            // The result is the earliest time: one nanosecond before, less work is done.
            prop_assert_eq!(outage.works(now, then - ns(1)), ns(work - 1));
        }
    }
}
