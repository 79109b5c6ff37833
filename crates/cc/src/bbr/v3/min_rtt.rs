//! The minimum round trip (draft-ietf-ccwg-bbr section 5.3.4.3) of the last ten seconds. It is fed by the
//! minimum of the last five seconds, whose expiry triggers ProbeRTT.

use super::parameters::Parameters;
use ackclock_base::{Span, Time};

#[derive(Clone, Copy, Debug)]
struct Stamped {
    rtt: Span,
    at: Time,
}

/// The two filters. Before the first sample there is no stamp, so nothing expires, whatever the clock shows.
/// (The draft initialises neither of the stamps of ProbeRTT.)
#[derive(Clone, Copy, Debug, Default)]
pub struct MinRtt {
    /// The round trip of the handshake, used until there is a sample. It does not enter the filters: its
    /// packets are smaller, and no later round trip would be as short.
    handshake: Option<Span>,
    /// `probe_rtt_min_delay`, the minimum round trip of the last five seconds, and when it was measured.
    recent: Option<Stamped>,
    /// `min_rtt`, the minimum round trip of the last ten seconds, and when it was measured.
    least: Option<Stamped>,
}

impl MinRtt {
    /// Returns the minimum round trip; `None` before any is known.
    pub fn get(&self) -> Option<Span> {
        self.least.map_or(self.handshake, |least| Some(least.rtt))
    }

    /// Records the round trip of the handshake, if there is one.
    pub fn begin(&mut self, handshake: Option<Span>) {
        self.handshake = handshake;
    }

    //= draft-ietf-ccwg-bbr section 5.3.4.3: the minimum RTT of the last five seconds becomes min_rtt if it is lower, or if min_rtt is more than ten seconds old
    /// Processes the round trip of an acknowledgement, if it has one. Returns whether the five-second minimum
    /// had expired before. The comparison is strict, as in the draft: a round trip equal to the minimum does
    /// not refresh it.
    pub fn take(&mut self, now: Time, rtt: Option<Span>, parameters: &Parameters) -> bool {
        let old = |stamped: Option<Stamped>, window| stamped.is_some_and(|stamped| now > stamped.at + window);
        let shorter = |rtt, stamped: Option<Stamped>| stamped.is_none_or(|stamped| rtt < stamped.rtt);
        let expired = old(self.recent, parameters.probe_rtt_interval);
        if let Some(rtt) = rtt
            && (expired || shorter(rtt, self.recent))
        {
            self.recent = Some(Stamped { rtt, at: now });
        }
        if let Some(recent) = self.recent
            && (old(self.least, parameters.min_rtt_window) || shorter(recent.rtt, self.least))
        {
            self.least = Some(recent);
        }
        expired
    }

    /// Refreshes the five-second minimum to `now`, after ProbeRTT has looked for a shorter round trip.
    pub fn refresh(&mut self, now: Time) {
        if let Some(recent) = &mut self.recent {
            recent.at = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    //= test draft-ietf-ccwg-bbr section 5.3.4.3
    #[test]
    fn the_least_of_ten_seconds_by_way_of_five() {
        let (mut filter, at) = (MinRtt::default(), |s: f64| Time::from_seconds(1000.0 + s));
        let (ms, parameters) = (|ms| Some(Span::from_millis(ms)), Parameters::default());
        let mut take = |seconds, rtt| (filter.take(at(seconds), rtt, &parameters), filter.get());
        assert_eq!(take(0.0, None), (false, None));
        // Trap T2: a clock that shows 1,000 s at the first sample expires nothing.
        assert_eq!(take(0.0, ms(40)), (false, ms(40)));
        assert_eq!(take(4.0, ms(60)), (false, ms(40)));
        // After five seconds a longer round trip becomes the five-second minimum, but not yet the ten-second
        // one.
        assert_eq!(take(5.1, ms(60)), (true, ms(40)));
        assert_eq!(
            take(10.05, ms(70)),
            (false, ms(60)),
            "40 ms is more than ten seconds old, 60 ms less than five"
        );
        assert_eq!(take(10.1, ms(39)), (false, ms(39)));
    }

    #[test]
    fn a_round_trip_as_short_as_the_least_does_not_refresh_it() {
        // Trap T5: on a path without noise ProbeRTT comes every five seconds.
        let (mut filter, parameters) = (MinRtt::default(), Parameters::default());
        let mut expires_at = |ms: u64| {
            let now = Time::ZERO + Span::from_millis(ms);
            filter.take(now, Some(Span::from_millis(40)), &parameters)
        };
        let expired: Vec<bool> = [0, 1000, 4999, 5000, 5001, 5002].map(&mut expires_at).into();
        assert_eq!(expired, [false, false, false, false, true, false]);
    }

    #[test]
    fn the_round_trip_of_the_handshake_gives_way_to_the_first_sample_even_if_that_is_longer() {
        let mut filter = MinRtt::default();
        filter.begin(Some(Span::from_millis(30)));
        assert_eq!(filter.get(), Some(Span::from_millis(30)));
        filter.take(Time::ZERO, Some(Span::from_millis(40)), &Parameters::default());
        assert_eq!(filter.get(), Some(Span::from_millis(40)));
    }
}
