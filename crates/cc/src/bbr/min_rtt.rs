//! The least round trip (draft-ietf-ccwg-bbr section 5.3.4.3): of the last ten seconds, by way of the least of the last five,
//! whose expiry ProbeRTT is for.

use ackclock_base::{Span, Time};

/// `ProbeRTTInterval`.
const PROBE_RTT_INTERVAL: Span = Span::from_millis(5_000);
/// `MinRTTFilterLen`.
const MIN_RTT_WINDOW: Span = Span::from_millis(10_000);

#[derive(Clone, Copy, Debug)]
struct Stamped {
    rtt: Span,
    at: Time,
}

/// The two windows; nothing before the first sample, whatever a clock shows then.
#[derive(Clone, Copy, Debug, Default)]
pub struct MinRtt {
    /// `probe_rtt_min_delay` and its stamp.
    recent: Option<Stamped>,
    /// `min_rtt` and its stamp.
    least: Option<Stamped>,
}

impl MinRtt {
    /// The least round trip; nothing before the first sample.
    pub fn get(&self) -> Option<Span> {
        self.least.map(|least| least.rtt)
    }

    /// Takes a sample in, if the acknowledgement has one. The comparison is strict, as in the draft: a round trip as short as
    /// the least makes it no younger.
    pub fn take(&mut self, now: Time, rtt: Option<Span>) {
        let stale =
            |stamped: Option<Stamped>, window| stamped.is_none_or(|stamped| now > stamped.at + window);
        if let Some(rtt) = rtt
            && (stale(self.recent, PROBE_RTT_INTERVAL) || self.recent.is_some_and(|recent| rtt < recent.rtt))
        {
            self.recent = Some(Stamped { rtt, at: now });
        }
        if let Some(recent) = self.recent
            && (stale(self.least, MIN_RTT_WINDOW) || self.least.is_some_and(|least| recent.rtt < least.rtt))
        {
            self.least = Some(recent);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_of_ten_seconds_by_way_of_five() {
        let (mut filter, at) = (MinRtt::default(), |s: f64| Time::from_seconds(1000.0 + s));
        let ms = |ms| Some(Span::from_millis(ms));
        filter.take(at(0.0), None);
        assert_eq!(filter.get(), None);
        filter.take(at(0.0), ms(40));
        filter.take(at(4.0), ms(60));
        assert_eq!(filter.get(), ms(40));
        // After five seconds a longer one is the least of the recent, but not yet the least.
        filter.take(at(5.1), ms(60));
        assert_eq!(filter.get(), ms(40));
        filter.take(at(10.05), ms(70));
        assert_eq!(filter.get(), ms(60), "40 ms is more than ten seconds old, 60 ms less than five");
        filter.take(at(10.1), ms(39));
        assert_eq!(filter.get(), ms(39));
    }
}
