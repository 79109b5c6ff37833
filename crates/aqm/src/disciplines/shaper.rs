//! The token-bucket shaper: a packet that finds too few tokens waits until they have arrived.

use crate::departure::{Departing, Departure, Held, Ticket};
use crate::discipline::{Capacity, LinkRate};
use crate::entry::{Entry, Queueing, Service, queue};
use crate::fifo::Fifo;
use crate::tokens::{BURST, Bucket, RATE};
use ackclock_base::{Random, Rate, Size, Time, Values, parameters};

/// The discipline's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &queue(
        "shaper",
        "A shaper: packets wait, first in, first out, until a token bucket has enough tokens for them; a packet that \
         finds the queue full or is larger than the bucket's depth is dropped",
        "RFC 2475 section 2.3.3.3; Jain 2003 section 5.1",
        Parameters::TABLE,
    ),
    build: |values, capacity, link| Queueing::at_departure(Shaper::new(values.into(), capacity, link)),
    service: Service { holds_back: true, ..Service::IN_ORDER },
};

parameters! {
    /// The parameters of the bucket.
    pub struct Parameters {
        rate: Option<Rate> = RATE,
        burst: Size = BURST,
    }
}

/// Returns the rate at which the queue empties: the lower of the tokens' and the link's.
pub fn service_rate(values: &Values, link: &LinkRate) -> Rate {
    Parameters::from(values).rate.map_or(link.rate, |rate| rate.min(link.rate))
}

/// A queue whose packets leave when the bucket has tokens for them.
#[derive(Clone, Debug)]
pub struct Shaper {
    bucket: Bucket,
    queue: Fifo,
    capacity: Capacity,
}

impl Shaper {
    /// Creates the shaper at rest, in front of a link with this rate.
    pub fn new(parameters: Parameters, capacity: Capacity, link: &LinkRate) -> Self {
        let bucket = Bucket::full(parameters.rate.unwrap_or(link.rate), parameters.burst);
        Self { bucket, queue: Fifo::default(), capacity }
    }
}

impl Departing for Shaper {
    fn on_arrival(&mut self, held: Held, _random: &mut dyn Random, drops: &mut dyn FnMut(Ticket)) {
        let bytes = held.arrival.bytes;
        // A packet longer than the bucket's depth would block the others for ever.
        if self.bucket.can_hold(bytes)
            && self.capacity.has_room(bytes, self.queue.len() as u64, self.queue.bytes())
        {
            self.queue.push(held);
        } else {
            drops(held.ticket);
        }
    }

    fn on_departure(
        &mut self,
        now: Time,
        _random: &mut dyn Random,
        _drops: &mut dyn FnMut(Ticket),
    ) -> Option<Departure> {
        self.bucket.refill(now);
        let bytes = self.queue.head()?.arrival.bytes;
        if !self.bucket.take(bytes) {
            return None;
        }
        self.queue.pop().map(|held| Departure { ticket: held.ticket, marked: false })
    }

    fn ready(&self) -> Time {
        self.queue.head().map_or(Time::ZERO, |held| self.bucket.conforms_at(held.arrival.bytes))
    }

    fn packets(&self) -> u64 {
        self.queue.len() as u64
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        self.bucket.publish(series);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discipline::Arrival;
    use crate::testing::{arrival, held};
    use ackclock_base::{Rate, Values, random::Scripted};
    use proptest::prelude::*;

    fn shaper(rate: &str, burst: &str, capacity: Capacity) -> Shaper {
        let parameters =
            Parameters::from(&Values::with(ENTRY.descriptor, &[("rate", rate), ("burst", burst)]));
        let link = LinkRate { rate: Rate::from_bits_per_second(1_000_000_000), mean_packet_bytes: 1000 };
        Shaper::new(parameters, capacity, &link)
    }

    /// Lets packets leave as soon as the shaper allows; returns those that leave as (nanoseconds, bytes), and
    /// the number dropped.
    fn drive(shaper: &mut Shaper, arrivals: &[(u64, u32)]) -> (Vec<(u64, u32)>, usize) {
        let (mut left, mut dropped, mut clock) = (Vec::new(), 0, 0);
        let end = [(u64::MAX, 0)];
        for (now, bytes) in arrivals.iter().chain(&end) {
            while shaper.packets() > 0 && shaper.ready().nanos().max(clock) <= *now {
                clock = clock.max(shaper.ready().nanos());
                let now = Time::from_nanos(clock);
                let departure = shaper.on_departure(now, &mut Scripted::new(&[]), &mut |_| panic!("late"));
                left.push((clock, arrivals[departure.unwrap().ticket.0 as usize].1));
            }
            if *bytes > 0 {
                clock = *now;
                let ticket = (left.len() + dropped) as u32 + shaper.packets() as u32;
                let arrival = Arrival { now: Time::from_nanos(clock), bytes: *bytes, ..arrival(0.0) };
                shaper.on_arrival(held(ticket, arrival), &mut Scripted::new(&[]), &mut |_| dropped += 1);
            }
        }
        (left, dropped)
    }

    #[test]
    fn a_burst_goes_at_once_and_the_rest_at_the_rate() {
        // 3000 bytes of tokens let three of six packets leave at 0; 8 Mbit/s bring those of one more each
        // millisecond.
        let mut shaper = shaper("8 Mbit/s", "3000 B", Capacity::Unlimited);
        let (left, dropped) = drive(&mut shaper, &[(0, 1000); 6]);
        let times: Vec<u64> = left.iter().map(|(ns, _)| ns / 1000).collect();
        assert_eq!(times, [0, 0, 0, 1000, 2000, 3000]);
        assert_eq!(dropped, 0);
    }

    #[test]
    fn it_drops_packets_that_do_not_fit_or_could_never_leave() {
        // One of four packets leaves at once, two find room to wait; one of 1500 bytes exceeds the bucket for
        // ever.
        let mut shaper = shaper("8 Mbit/s", "1000 B", Capacity::Packets(2));
        let (left, dropped) = drive(&mut shaper, &[(0, 1000), (1, 1500), (2, 1000), (3, 1000), (4, 1000)]);
        assert_eq!((left.len(), dropped), (3, 2));
    }

    proptest! {
        #[test]
        fn it_drops_no_packet_below_its_limit_and_sends_no_more_than_its_tokens(
            gaps in prop::collection::vec((0_u64..4_000_000, 40_u32..2000), 1..200),
            rate in 100_000_u64..50_000_000,
            burst in 2000_u64..20_000,
        ) {
            // At most rho t + sigma bits in any interval of length t, in whole numbers. The shaper is never
            // idle without need: a packet that leaves later than it came leaves as soon as its tokens have
            // arrived, to the nanosecond.
            let mut now = 0;
            let arrivals: Vec<(u64, u32)> = gaps.iter().map(|(gap, bytes)| { now += gap; (now, *bytes) }).collect();
            let mut shaper = shaper(&format!("{rate} bit/s"), &format!("{burst} B"), Capacity::Unlimited);
            let (left, dropped) = drive(&mut shaper, &arrivals);
            prop_assert_eq!(dropped, 0);
            prop_assert_eq!(left.len(), arrivals.len());
            let excess = |from: u64, to: u64, bits: u128| {
                let tokens = u128::from(rate) * u128::from(to - from) + u128::from(burst) * 8_000_000_000;
                (bits * 1_000_000_000).saturating_sub(tokens)
            };
            for (index, (from, _)) in left.iter().enumerate() {
                let mut bits = 0;
                for (to, bytes) in &left[index..] {
                    bits += u128::from(*bytes) * 8;
                    prop_assert_eq!(excess(*from, *to, bits), 0);
                }
            }
            for (index, (to, _)) in left.iter().enumerate().filter(|(index, (to, _))| *to > arrivals[*index].0) {
                // A nanosecond earlier it would have exceeded the tokens of some interval (or of the time
                // since the bucket was last full, which is an interval that begins with a departure).
                let mut bits = 0;
                let tight = left[..=index].iter().rev().any(|(from, bytes)| {
                    bits += u128::from(*bytes) * 8;
                    excess(*from, (*to - 1).max(*from), bits) > 0
                });
                prop_assert!(tight, "packet {index} left late");
            }
        }
    }
}
