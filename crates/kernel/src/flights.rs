//! What the kernel knew when a packet was sent. It does not name packets, so they are found by how many had been delivered.

use crate::event::Event;
use ackclock_base::{Packets, Time};
use std::collections::VecDeque;

/// The most acknowledgements that are remembered.
const MOST: usize = 1 << 16;

/// The state of a connection after an acknowledgement, for the packets that were sent until the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flight {
    /// When the acknowledgement arrived: no later than the packets were sent.
    pub at: Time,
    /// Packets delivered so far.
    pub delivered: u32,
    /// Packets considered lost so far.
    pub lost: u32,
    /// Packets in flight when the last of the packets was sent.
    pub inflight: Packets,
}

/// The flights whose packets may still be in the network.
#[derive(Clone, Debug, Default)]
pub struct Flights(VecDeque<Flight>);

impl Flights {
    /// Records an acknowledgement, before which `inflight_before` packets were in flight. Flights from before `prior_delivered`
    /// are forgotten.
    pub fn note(&mut self, event: &Event, inflight_before: Packets, prior_delivered: u32) {
        if let Some(last) = self.0.back_mut() {
            last.inflight = inflight_before;
        }
        while self.0.len() > MOST
            || self.0.get(1).is_some_and(|second| !is_after(second.delivered, prior_delivered))
        {
            self.0.pop_front();
        }
        self.0.push_back(Flight {
            at: Time::from_nanos(event.now_ns),
            delivered: event.delivered,
            lost: event.lost,
            inflight: f64::from(event.inflight),
        });
    }

    /// Returns the flight of the packets that were sent when `delivered` packets had been delivered; `None` if it is forgotten.
    pub fn of(&self, delivered: u32) -> Option<Flight> {
        let later = self.0.partition_point(|flight| !is_after(flight.delivered, delivered));
        later.checked_sub(1).map(|place| self.0[place])
    }
}

/// Returns whether a count of the kernel, which wraps, is greater than another.
fn is_after(count: u32, other: u32) -> bool {
    (other.wrapping_sub(count) as i32) < 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(now_ns: u64, delivered: u32, lost: u32, inflight: u32) -> Event {
        Event { now_ns, delivered, lost, inflight, ..Event::default() }
    }

    #[test]
    fn a_packet_is_found_by_what_had_been_delivered_when_it_was_sent() {
        let mut flights = Flights::default();
        let start = u32::MAX - 1; // the counts wrap
        for round in 0..10_u32 {
            let delivered = start.wrapping_add(2 * round);
            flights.note(&event(u64::from(round), delivered, round, 10 + round), f64::from(9 + round), start);
        }
        // After the third acknowledgement 4 packets had been delivered; before the fourth 12 were in flight.
        let third =
            Flight { at: Time::from_nanos(2), delivered: start.wrapping_add(4), lost: 2, inflight: 12.0 };
        assert_eq!(flights.of(start.wrapping_add(4)), Some(third));
        assert_eq!(flights.of(start.wrapping_add(5)), Some(third));
        assert_eq!(flights.of(start.wrapping_sub(1)), None);
        flights.note(&event(10, start.wrapping_add(20), 10, 20), 19.0, start.wrapping_add(5));
        assert_eq!(
            flights.of(start.wrapping_add(5)),
            Some(third),
            "the packets of the third are in the network"
        );
        assert_eq!(flights.of(start.wrapping_add(3)), None);
    }
}
