//! CHOKe (Pan, Prabhakar and Psounis, INFOCOM 2000): RED, with a comparison of each arrival with a random
//! waiting packet; if both belong to the same flow, both are dropped. A flow that fills more of the queue
//! than others meets its own packets more often.

use crate::departure::{Departing, Departure, Held, Ticket};
use crate::discipline::{Capacity, LinkRate, Verdict};
use crate::disciplines::red::{
    self,
    detection::{Curve, EarlyDetection},
};
use crate::entry::{DROPS_ABOVE_MAXIMUM, ECN, Entry, Queueing, Service, queue};
use crate::fifo::Fifo;
use ackclock_base::{Packets, Random, Rate, Size, Time, parameters};

/// The discipline's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &queue(
        "choke",
        "RED that, while the average queue length is at least the lower threshold, compares each arrival with a random \
         waiting packet and drops both if they belong to the same flow",
        "Pan, Prabhakar and Psounis 2000",
        Parameters::TABLE,
    ),
    build: |values, capacity, link| Queueing::at_departure(Choke::new(values.into(), capacity, link)),
    service: Service { drops_late: true, ..Service::IN_ORDER },
};

parameters! {
    /// RED's parameters, without its gentle curve.
    pub struct Parameters {
        min_threshold: Packets = red::MIN_THRESHOLD,
        max_threshold: Packets = red::MAX_THRESHOLD,
        weight: f64 = red::WEIGHT,
        max_probability: f64 = red::MAX_PROBABILITY,
        gentle: bool = red::GENTLE
            .by_default("false")
            .source("Pan, Prabhakar and Psounis 2000: above the upper threshold, every arriving packet is dropped"),
        /// Whether ECN-capable packets are marked where RED would drop them early; an arrival and a waiting packet of
        /// its flow are dropped in any case
        ecn: bool = ECN,
        drops_above_maximum: Option<bool> = DROPS_ABOVE_MAXIMUM,
    }
}

/// The CHOKe discipline.
#[derive(Clone, Debug)]
pub struct Choke {
    detection: EarlyDetection,
    capacity: Capacity,
    ecn: bool,
    queue: Fifo,
    /// Whether the waiting packet of each ticket has been marked.
    marked: Vec<bool>,
    /// The rate used to compute when a packet has been sent; changes of the rate are not known here.
    rate: Rate,
    free_at: Time,
}

impl Choke {
    /// Creates an empty queue with this capacity.
    pub fn new(parameters: Parameters, capacity: Capacity, link: &LinkRate) -> Self {
        let Parameters { weight, max_probability, gentle, ecn, .. } = parameters;
        let thresholds = [parameters.min_threshold, parameters.max_threshold];
        let curve = Curve::new(thresholds, max_probability, gentle, ecn, parameters.drops_above_maximum);
        Self {
            detection: EarlyDetection::new(curve, weight, link),
            capacity,
            ecn,
            queue: Fifo::default(),
            marked: Vec::new(),
            rate: link.rate,
            free_at: Time::ZERO,
        }
    }

    /// Picks a waiting packet at random. Removes and returns it if it belongs to this flow; otherwise returns
    /// `None`.
    fn meet(&mut self, flow: u32, random: &mut dyn Random) -> Option<Held> {
        let place = (random.uniform() * self.queue.len() as f64) as usize;
        let met = self.queue.get(place).is_some_and(|held| held.arrival.flow == flow);
        if met { self.queue.remove(place) } else { None }
    }

    fn join(&mut self, held: Held, marked: bool) {
        let index = held.ticket.0 as usize;
        if self.marked.len() <= index {
            self.marked.resize(index + 1, false);
        }
        self.marked[index] = marked;
        self.queue.push(held);
    }
}

impl Departing for Choke {
    fn on_arrival(&mut self, held: Held, random: &mut dyn Random, drops: &mut dyn FnMut(Ticket)) {
        let arrival = held.arrival;
        let waiting = self.queue.len() as u64;
        let idle_since = (waiting == 0 && self.free_at <= arrival.now).then_some(self.free_at);
        self.detection.observe(arrival.now, waiting, idle_since);
        if self.detection.average() >= self.detection.curve.min
            && let Some(other) = self.meet(arrival.flow, random)
        {
            drops(other.ticket);
            drops(held.ticket);
            return;
        }
        if !held.link_free && !self.capacity.has_room(arrival.bytes, waiting, self.queue.bytes()) {
            self.detection.dropped();
            drops(held.ticket);
            return;
        }
        let may_mark = self.ecn && arrival.ecn.is_capable();
        match self.detection.judge(waiting, random) {
            Verdict::Admit => self.join(held, false),
            Verdict::Mark if may_mark => self.join(held, true),
            Verdict::Mark | Verdict::Drop => drops(held.ticket),
        }
    }

    fn on_departure(
        &mut self,
        now: Time,
        _random: &mut dyn Random,
        _drops: &mut dyn FnMut(Ticket),
    ) -> Option<Departure> {
        let Held { ticket, arrival, .. } = self.queue.pop()?;
        self.free_at = now + self.rate.time_to_send(Size::from_bytes(u64::from(arrival.bytes)));
        Some(Departure { ticket, marked: self.marked[ticket.0 as usize] })
    }

    fn packets(&self) -> u64 {
        self.queue.len() as u64
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("average_queue_packets", self.detection.average());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discipline::{Arrival, Ecn};
    use crate::testing::{arrival, at, held};
    use ackclock_base::{Values, random::Scripted};

    /// Creates a queue with packets of these flows, with tickets from 0 on; it is above the lower threshold
    /// whenever a packet waits.
    fn choke(flows: &[u32], settings: &[(&str, &str)]) -> Choke {
        let mut all = vec![("weight", "1"), ("min_threshold", "1 packet"), ("max_threshold", "1000 packets")];
        all.extend(settings);
        let link = LinkRate { rate: Rate::from_bits_per_second(8_000_000), mean_packet_bytes: 1000 };
        let parameters = Parameters::from(&Values::with(ENTRY.descriptor, &all));
        let mut choke = Choke::new(parameters, Capacity::Packets(100), &link);
        for (ticket, flow) in flows.iter().enumerate() {
            choke.join(held(ticket as u32, Arrival { flow: *flow, ..arrival(0.0) }), false);
        }
        choke
    }

    /// Offers packet 99 of a flow; returns the tickets dropped for it.
    fn offer(choke: &mut Choke, flow: u32, number: f64) -> Vec<u32> {
        let mut dropped = Vec::new();
        let packet = held(99, Arrival { flow, ..arrival(0.0) });
        choke.on_arrival(packet, &mut Scripted::new(&[number]), &mut |ticket| dropped.push(ticket.0));
        dropped
    }

    #[test]
    fn both_packets_of_a_pair_are_dropped() {
        // 0.8 of four places is the last: flow 0, like the arrival. 0.3 is the second: flow 1.
        let mut queue = choke(&[0, 1, 2, 0], &[]);
        assert_eq!(offer(&mut queue, 0, 0.8), [3, 99]);
        assert_eq!(queue.packets(), 3);
        let mut queue = choke(&[0, 1, 2, 0], &[]);
        assert!(offer(&mut queue, 0, 0.3).is_empty());
        assert_eq!(queue.packets(), 5);
    }

    #[test]
    fn a_flow_meets_itself_as_often_as_it_fills_the_queue() {
        // Flow 7 has 3 of 10 places. With the numbers 0.05, 0.15 ... 0.95 each place is picked once: 3 of 10
        // arrivals.
        let flows = [7, 0, 1, 7, 2, 3, 7, 4, 5, 6];
        let pairs = (0..10).filter(|place| {
            let number = (f64::from(*place) + 0.5) / 10.0;
            offer(&mut choke(&flows, &[]), 7, number).len() == 2
        });
        assert_eq!(pairs.count(), 3);
    }

    #[test]
    fn below_the_lower_threshold_no_packets_are_compared() {
        let mut queue = choke(&[0, 0, 0, 0], &[("min_threshold", "4.5 packets")]);
        assert!(offer(&mut queue, 0, 0.5).is_empty());
        assert_eq!(offer(&mut queue, 0, 0.5).len(), 2, "with five waiting they are");
    }

    #[test]
    fn above_the_upper_threshold_every_arrival_is_dropped() {
        let mut queue = choke(&[0; 20], &[("max_threshold", "15 packets")]);
        offer(&mut queue, 1, 0.5);
        assert_eq!(offer(&mut queue, 1, 0.5), [99]);
    }

    #[test]
    fn a_marked_packet_leaves_with_its_mark() {
        // RED lets the first arrival above the threshold pass. At the second 4 packets wait, p_b = (4 - 1) /
        // (5 - 1), and since 2 p_b is 1.5 the packet is picked with probability 0.75 / (2 - 1.5), that is,
        // for certain.
        let settings = [("ecn", "true"), ("max_threshold", "5 packets"), ("max_probability", "1")];
        let mut queue = choke(&[0, 0, 0], &settings);
        let mut none = |_| panic!("a drop");
        for ticket in 3..5 {
            let capable = Arrival { flow: 1, ecn: Ecn::Classic, ..arrival(0.0) };
            queue.on_arrival(held(ticket, capable), &mut Scripted::new(&[0.0]), &mut none);
        }
        let mut leave =
            || queue.on_departure(at(1.0), &mut Scripted::new(&[]), &mut none).map(|gone| gone.marked);
        let marks: Vec<_> = (0..5).map(|_| leave()).collect();
        assert_eq!(marks, [false, false, false, false, true].map(Some));
    }

    #[test]
    fn an_idle_link_lets_the_average_decay() {
        // The last packet is sent at 1 ms; 500 ms later 500 packets of 1 ms were missed: 100 * 0.998^501 = 36.68.
        let mut queue = choke(&[0], &[("weight", "0.002")]);
        queue.on_departure(at(0.0), &mut Scripted::new(&[]), &mut |_| ());
        for _ in 0..100_000 {
            queue.detection.observe(at(0.0), 100, None);
        }
        let late = held(1, arrival(501.0));
        queue.on_arrival(late, &mut Scripted::new(&[0.999]), &mut |_| ());
        assert!((queue.detection.average() - 36.68).abs() < 0.01, "{}", queue.detection.average());
    }

    #[test]
    fn the_average_does_not_decay_while_a_packet_waits() {
        // A packet waits although the link should have been free since 1 ms: its rate is lower than was configured.
        // An arrival at 501 ms is one sample of one packet: 100 + 0.002 * (1 - 100) = 99.802.
        let mut queue = choke(&[0, 0], &[("weight", "0.002")]);
        queue.on_departure(at(0.0), &mut Scripted::new(&[]), &mut |_| ());
        for _ in 0..100_000 {
            queue.detection.observe(at(0.0), 100, None);
        }
        let late = held(2, Arrival { flow: 1, ..arrival(501.0) });
        queue.on_arrival(late, &mut Scripted::new(&[0.999]), &mut |_| ());
        assert!((queue.detection.average() - 99.802).abs() < 1e-6, "{}", queue.detection.average());
    }

    #[test]
    fn the_next_early_drop_keeps_its_distance_from_a_packet_that_did_not_fit() {
        // Two packets wait: p_b = (2 - 1) / (17 - 1) = 1/16, so the 16th arrival is dropped if chance says so. Each
        // arrival is of another flow, and one packet leaves for each that joins.
        let settings = [("max_threshold", "17 packets"), ("max_probability", "1")];
        let mut queue = choke(&[1, 2], &settings);
        let mut flow = 10;
        let mut arrive = |queue: &mut Choke| {
            flow += 1;
            let dropped = !offer(queue, flow, 0.0).is_empty();
            if !dropped {
                queue.on_departure(at(0.0), &mut Scripted::new(&[]), &mut |_| ());
            }
            dropped
        };
        assert!((0..10).all(|_| !arrive(&mut queue)));
        queue.capacity = Capacity::Packets(2);
        assert!(arrive(&mut queue), "the queue is full");
        queue.capacity = Capacity::Packets(100);
        assert_eq!((1..100).find(|_| arrive(&mut queue)), Some(16));
    }

    #[test]
    fn a_ticket_that_is_used_again_has_no_mark_of_the_packet_before() {
        let mut queue = choke(&[], &[]);
        let marks = [true, false].map(|marked| {
            queue.join(held(0, arrival(0.0)), marked);
            queue.on_departure(at(0.0), &mut Scripted::new(&[]), &mut |_| ()).map(|gone| gone.marked)
        });
        assert_eq!(marks, [Some(true), Some(false)]);
    }
}
