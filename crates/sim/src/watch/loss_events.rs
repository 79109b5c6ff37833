//! Loss events: the share of flows that lose packets together.
//!
//! The measure is the global synchronisation ratio, the share of the flows that lose packets in an event (RFC
//! 7928 section 2.4). That section does not define an event. Here an event begins with a drop and lasts one
//! round trip as of that drop: the round trip without queues, plus the wait at the link. After that time a
//! sender's reaction to the drop reaches the queue. Drops in that time belong to the event; the next drop
//! begins another.

use crate::measure::Interval;
use ackclock_base::{Span, Time};

/// The record of the loss events at a link.
#[derive(Clone, Debug)]
pub struct LossEvents {
    round_trip: Span,
    measured: Interval,
    /// The number of the present event, from 1, and its end.
    event: u64,
    until: Time,
    /// Whether the present event began in the measured interval.
    counted: bool,
    /// For each flow, the last event in which it offered a packet, and the last in which it lost one.
    offered_in: Vec<u64>,
    lost_in: Vec<u64>,
    active: u64,
    losing: u64,
    drops: u64,
    sums: LossEventCounts,
}

/// The sums over the loss events that began in the measured interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LossEventCounts {
    /// The number of events.
    pub events: u64,
    /// The number of flows that lost packets, summed over the events.
    pub losing: u64,
    /// The share of flows that lost packets among those that offered packets during the event, summed over
    /// the events.
    pub share: f64,
    /// The expected share if each drop of the event hit one of these flows at random, summed over the events:
    /// 1 - (1 - 1/n)^drops for n flows.
    pub share_at_random: f64,
}

impl LossEvents {
    /// Creates an empty record. `round_trip` is the round-trip time without queues.
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

    /// Records that a flow offers a packet to the link.
    pub fn offered(&mut self, now: Time, flow: usize) {
        if now < self.until && self.offered_in[flow] != self.event {
            self.offered_in[flow] = self.event;
            self.active += 1;
        }
    }

    /// Records that a packet of a flow is dropped while the waiting bytes take `wait` to send.
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

    /// Returns the sums so far, including the present event.
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
        // There are four flows, a round trip of 100 ms and a wait of 50 ms. The event of 1000 ms lasts until
        // 1150 ms: flow 0 loses two packets in it and flow 1 one, flow 2 only sends, and flow 3 does nothing:
        // 2 of 3 flows. Three drops at random would hit 1 - (2/3)^3 = 19/27 of 3. The drop of flow 3 at 1150
        // ms is an event of its own: 1 of 1, also at random.
        let measured = Interval { from: ms(500), to: ms(2000) };
        let mut events = LossEvents::new(Span::from_millis(100), 4, measured);
        let wait = Span::from_millis(50);
        events.dropped(ms(100), 0, wait); // before the measured interval, so it does not count
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
