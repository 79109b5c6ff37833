//! Events of loss: how many of the flows lose packets together.
//!
//! The measure is the global synchronisation ratio, the share of the flows that lose packets in an event (RFC 7928
//! section 2.4). What an event is, that section leaves open. Here one begins with a drop, and lasts a round trip as it is
//! then: what a path without queues takes, and what waits at the link. That long it takes until a sender's answer to the
//! drop reaches the queue. Drops of that time belong to it; the next drop begins another.

use crate::measure::Interval;
use ackclock_base::{Span, Time};

/// Follows the events at a link.
#[derive(Clone, Debug)]
pub struct LossEvents {
    round_trip: Span,
    measured: Interval,
    /// The present event's number, from 1, and when it ends.
    event: u64,
    until: Time,
    /// Whether it began in the measured interval.
    counted: bool,
    /// The event in which each flow offered a packet last, and in which it lost one last.
    offered_in: Vec<u64>,
    lost_in: Vec<u64>,
    active: u64,
    losing: u64,
    drops: u64,
    sums: LossEventCounts,
}

/// What was found; sums over the events that began in the measured interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LossEventCounts {
    /// How many events.
    pub events: u64,
    /// Flows that lost packets in them.
    pub losing: u64,
    /// Of the flows that offered packets during the event, the share that lost some.
    pub share: f64,
    /// What that share would be on average if each drop of the event hit one of these flows at random:
    /// 1 - (1 - 1/n)^drops of n flows.
    pub share_at_random: f64,
}

impl LossEvents {
    /// None yet, on paths of this round trip without queues.
    pub fn new(round_trip: Span, flows: usize, measured: Interval) -> Self {
        Self {
            round_trip,
            measured,
            event: 0,
            until: Time::ZERO,
            counted: false,
            offered_in: vec![0; flows],
            lost_in: vec![0; flows],
            active: 0,
            losing: 0,
            drops: 0,
            sums: LossEventCounts::default(),
        }
    }

    /// A flow offers a packet to the link.
    pub fn offered(&mut self, now: Time, flow: usize) {
        if now < self.until && self.offered_in[flow] != self.event {
            self.offered_in[flow] = self.event;
            self.active += 1;
        }
    }

    /// A packet of a flow is dropped, while as much waits as the link sends in `wait`.
    pub fn dropped(&mut self, now: Time, flow: usize, wait: Span) {
        if now >= self.until {
            self.end();
            self.event += 1;
            self.until = now + self.round_trip + wait;
            self.counted = self.measured.contains(now);
        }
        self.offered(now, flow);
        self.drops += 1;
        if self.lost_in[flow] != self.event {
            self.lost_in[flow] = self.event;
            self.losing += 1;
        }
    }

    /// What was found so far, the present event included as it stands.
    pub fn counts(&self) -> LossEventCounts {
        let mut all = self.clone();
        all.end();
        all.sums
    }

    fn end(&mut self) {
        if self.counted {
            let flows = self.active as f64;
            self.sums.events += 1;
            self.sums.losing += self.losing;
            self.sums.share += self.losing as f64 / flows;
            self.sums.share_at_random += 1.0 - libm::pow(1.0 - 1.0 / flows, self.drops as f64);
        }
        (self.active, self.losing, self.drops, self.counted) = (0, 0, 0, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    #[test]
    fn an_event_lasts_a_round_trip_and_what_waits() {
        // Four flows, a round trip of 100 ms, 50 ms wait. The event of 1000 ms lasts to 1150 ms: flow 0 loses two packets in
        // it and flow 1 one, flow 2 only sends, flow 3 does nothing: 2 of 3; three drops at random would hit
        // 1 - (2/3)^3 = 19/27 of 3. The drop of flow 3 at 1150 ms is an event of its own: 1 of 1, at random too.
        let measured = Interval { from: ms(500), to: ms(2000) };
        let mut events = LossEvents::new(Span::from_millis(100), 4, measured);
        let wait = Span::from_millis(50);
        events.dropped(ms(100), 0, wait); // before measuring: counts for nothing
        events.dropped(ms(1000), 0, wait);
        events.offered(ms(1010), 2);
        events.dropped(ms(1020), 0, wait);
        events.dropped(ms(1149), 1, wait);
        events.dropped(ms(1150), 3, wait);
        let counts = events.counts();
        assert_eq!((counts.events, counts.losing), (2, 3));
        assert!((counts.share - (2.0 / 3.0 + 1.0)).abs() < 1e-12, "{counts:?}");
        assert!((counts.share_at_random - (19.0 / 27.0 + 1.0)).abs() < 1e-12, "{counts:?}");
    }

    #[test]
    fn without_drops_there_is_no_event() {
        let mut events = LossEvents::new(Span::from_millis(100), 1, Interval { from: ms(0), to: ms(2000) });
        events.offered(ms(10), 0);
        assert_eq!(events.counts(), LossEventCounts::default());
    }
}
