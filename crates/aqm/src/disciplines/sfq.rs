//! Stochastic fairness queueing (McKenney 1990), like Linux's sch_sfq: flows are hashed to queues, the queues
//! take turns of equal bytes, and the longest of them loses packets that do not fit. The hash can change from
//! time to time, so that flows do not share a queue for ever.
//!
//! One detail of Linux is left out: it refuses packets of a 128th active queue, which its limit of 127
//! packets never allows. If all queues are equally long, the new packet's queue loses one; Linux takes the
//! one whose turn is next if each has a packet.

use crate::departure::{Departing, Departure, Held, Ticket};
use crate::discipline::Capacity;
use crate::entry::{Entry, Queueing, Service, queue};
use crate::fair_queues::{FairQueues, Overdraft, QUANTUM};
use crate::flow_hash::Buckets;
use ackclock_base::{Descriptor, Random, Range, Size, Span, Time, parameters};

/// The discipline's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &Descriptor {
        presets: PRESETS,
        ..queue(
            "sfq",
            "Hashes flows to queues, which take turns to send equal numbers of bytes; if the limit is exceeded, the \
             queue with the most packets loses its newest packet",
            "McKenney 1990; Linux, net/sched/sch_sfq.c",
            Parameters::TABLE,
        )
    },
    build: |values, capacity, _| Queueing::at_departure(Sfq::new(values.into(), capacity)),
    service: Service { drops_late: true, overtakes: true, ..Service::IN_ORDER },
};

/// Linux's limit (`SFQ_MAX_DEPTH`).
const PRESETS: &[(&str, &str)] = &[("limit", "127 packets")];

parameters! {
    /// The queues and their turns.
    pub struct Parameters {
        /// Number of queues to which flows are hashed
        divisor: usize = integer("1024", Range::between(1.0, 65_536.0), "Linux, SFQ_DEFAULT_HASH_DIVISOR"),
        quantum: Size = QUANTUM,
        /// Largest number of packets that wait in one queue; further packets are dropped
        depth: usize = integer("127", Range::between(1.0, 65_535.0), "Linux, SFQ_MAX_DEPTH"),
        /// Time between two changes of the hash function; none for no change
        perturb: Option<Span> =
            time("none", Range::between(1e-3, 1e6), "Linux, perturb_period, 0 by default; McKenney 1990"),
    }
}

/// Hashed queues that take turns. Its memory grows with the queues that have been used and with the packets
/// that have waited.
#[derive(Clone, Debug)]
pub struct Sfq {
    queues: FairQueues,
    buckets: Buckets,
    depth: usize,
    perturb: Option<Span>,
    next_perturbation: Time,
}

impl Sfq {
    /// Creates empty queues that share this capacity.
    pub fn new(parameters: Parameters, capacity: Capacity) -> Self {
        let Parameters { divisor, quantum, depth, perturb } = parameters;
        Self {
            queues: FairQueues::new(capacity, quantum, Overdraft::Granted),
            buckets: Buckets::new(divisor),
            depth,
            perturb,
            next_perturbation: perturb.map_or(Time::NEVER, |period| Time::ZERO + period),
        }
    }

    /// Changes the hash if it is time, and moves the waiting packets to their new queues. Packets of one flow
    /// keep their order.
    fn perturb(&mut self, now: Time, random: &mut dyn Random, drops: &mut dyn FnMut(Ticket)) {
        let Some(period) = self.perturb.filter(|_| self.next_perturbation <= now) else { return };
        self.next_perturbation = now + period;
        self.buckets.change_hash(random);
        for held in self.queues.drain() {
            self.join(held, random, drops);
        }
    }

    /// Puts a packet into its queue and returns the queue; drops it and returns `None` if the queue is too
    /// long.
    fn join(&mut self, held: Held, random: &mut dyn Random, drops: &mut dyn FnMut(Ticket)) -> Option<u32> {
        let queue = self.buckets.number_of(held.arrival.flow, random);
        if self.queues.fifos().get(queue as usize).is_some_and(|fifo| fifo.len() >= self.depth) {
            drops(held.ticket);
            return None;
        }
        self.queues.push(queue, held);
        Some(queue)
    }
}

impl Departing for Sfq {
    fn on_arrival(&mut self, held: Held, random: &mut dyn Random, drops: &mut dyn FnMut(Ticket)) {
        self.perturb(held.arrival.now, random, drops);
        let Some(own) = self.join(held, random, drops) else { return };
        if !held.link_free {
            self.queues.make_room(own, |fifo| fifo.len() as u64, drops);
        }
    }

    fn on_departure(
        &mut self,
        now: Time,
        random: &mut dyn Random,
        drops: &mut dyn FnMut(Ticket),
    ) -> Option<Departure> {
        self.perturb(now, random, drops);
        self.queues.pop().map(|held| Departure { ticket: held.ticket, marked: false })
    }

    fn packets(&self) -> u64 {
        self.queues.packets()
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        self.queues.publish(series);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discipline::Arrival;
    use crate::testing::{Bench, arrival};
    use ackclock_base::Values;
    use std::collections::BTreeSet;

    fn sfq(settings: &[(&str, &str)], capacity: Capacity) -> Bench<Sfq> {
        let parameters = Parameters::from(&Values::with(ENTRY.descriptor, settings));
        Bench::new(Sfq::new(parameters, capacity))
    }

    fn fill(bench: &mut Bench<Sfq>, ms: f64, flow: u32, count: u32) {
        (0..count).for_each(|_| bench.arrive(Arrival { flow, ..arrival(ms) }));
    }

    #[test]
    fn a_turn_is_a_quantum_and_an_overdraft() {
        // Quantum 1514 B, packets of 1000 B. The first turn is two packets and overdraws the credit by 486 B; the second has 1514 - 486
        // = 1028 B: two; the third 1514 - 972 = 542 B: one; the fourth 1514 - 458 = 1056 B: two. Flow 1 has tickets 0 to 5, flow
        // 2 has 6 to 11.
        let mut bench = sfq(&[], Capacity::Unlimited);
        fill(&mut bench, 0.0, 1, 6);
        fill(&mut bench, 0.0, 2, 6);
        assert_eq!(bench.empty(0.0), [0, 1, 6, 7, 2, 3, 8, 9, 4, 10, 5, 11]);
    }

    #[test]
    fn the_longest_queue_loses_its_newest_packet() {
        // Packets count, not bytes: 6 packets of 100 B against 4 of 1500 B in a room for ten. The next packet
        // of flow 2 pushes out the newest of flow 1 (ticket 5); the next one finds 5 and 5 and would make 6
        // in its own queue, so it is dropped itself.
        let mut bench = sfq(&[], Capacity::Packets(10));
        (0..6).for_each(|_| bench.arrive(Arrival { flow: 1, bytes: 100, ..arrival(0.0) }));
        (0..5).for_each(|_| bench.arrive(Arrival { flow: 2, bytes: 1500, ..arrival(0.0) }));
        assert_eq!(bench.dropped, [5]);
        bench.arrive(Arrival { flow: 2, bytes: 1500, ..arrival(0.0) });
        assert_eq!(bench.dropped, [5, 11]);
        // A flow that sends one packet finds room.
        bench.arrive(Arrival { flow: 3, bytes: 1500, ..arrival(0.0) });
        assert_eq!(bench.dropped, [5, 11, 4]);
    }

    #[test]
    fn a_queue_is_no_deeper_than_its_depth() {
        let mut bench = sfq(&[("depth", "3")], Capacity::Packets(10));
        fill(&mut bench, 0.0, 1, 5);
        assert_eq!(bench.dropped, [3, 4]);
        // 127 packets are both the limit and the depth by default.
        let mut bench = sfq(&[], Capacity::Packets(127));
        fill(&mut bench, 0.0, 1, 128);
        assert_eq!(bench.dropped, [127]);
    }

    #[test]
    fn flows_that_share_a_queue_share_it_until_the_hash_changes() {
        // Two buckets and two flows: each change of the hash leaves them together with probability 1/2.
        // Twenty changes without both cases happening have probability 2 / 2^20.
        let mut bench = sfq(&[("divisor", "2"), ("perturb", "1 s")], Capacity::Unlimited);
        let mut active = BTreeSet::new();
        for second in 0..20_u32 {
            let ms = 1000.0 * f64::from(second);
            fill(&mut bench, ms, 1, 1);
            fill(&mut bench, ms, 2, 1);
            bench.queue.publish(&mut |_, queues| {
                active.insert(queues as u32);
            });
            bench.empty(ms);
        }
        assert_eq!(active, BTreeSet::from([1, 2]));
    }

    #[test]
    fn a_changed_hash_keeps_the_order_within_each_flow_and_loses_nothing() {
        let mut bench = sfq(&[("divisor", "4"), ("perturb", "1 s")], Capacity::Unlimited);
        for packet in 0..60 {
            fill(&mut bench, 10.0, packet % 6, 1);
        }
        for ms in [1000.0, 2000.0, 3000.0] {
            fill(&mut bench, ms, 6, 1);
        }
        let left = bench.empty(4000.0);
        assert_eq!((left.len(), bench.dropped.len()), (63, 0));
        for flow in 0..6 {
            let of_flow: Vec<u32> =
                left.iter().copied().filter(|ticket| *ticket < 60 && ticket % 6 == flow).collect();
            assert!(of_flow.is_sorted(), "{of_flow:?}");
        }
    }

    #[test]
    fn a_changed_hash_starts_the_turns_anew() {
        // Flow 1 has sent two packets and overdrawn its turn, so the next turn would be flow 2's. When the hash
        // changes, at 1 s, both begin with a whole quantum: 2 and 3 leave before 4.
        let mut bench = sfq(&[("perturb", "1 s")], Capacity::Unlimited);
        fill(&mut bench, 0.0, 1, 4);
        fill(&mut bench, 0.0, 2, 4);
        assert_eq!(
            [0; 2].map(|_| bench.depart(0.0).map(|gone| gone.ticket)),
            [0, 1].map(|ticket| Some(Ticket(ticket)))
        );
        assert_eq!(bench.empty(1000.0), [2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn the_hash_changes_at_most_once_a_period() {
        // The first packet after the change that was due at 1 s arrives at 2.5 s: the next change is due at 3.5 s.
        let mut bench = sfq(&[("perturb", "1 s")], Capacity::Unlimited);
        fill(&mut bench, 2500.0, 1, 1);
        assert_eq!(bench.queue.next_perturbation, Time::from_seconds(3.5));
    }

    #[test]
    fn flows_that_a_changed_hash_brings_together_keep_within_the_depth() {
        // Two buckets and two flows of three packets each, the depth. Each change leaves them together with
        // probability 1/2: three of the six are dropped, and three leave.
        let mut bench = sfq(&[("divisor", "2"), ("perturb", "1 s"), ("depth", "3")], Capacity::Unlimited);
        let mut together = 0;
        for second in 0..20_u32 {
            let ms = 1000.0 * f64::from(second);
            bench.dropped.clear();
            fill(&mut bench, ms, 1, 3);
            fill(&mut bench, ms, 2, 3);
            if bench.dropped.is_empty() {
                let left = bench.empty(ms + 1000.0).len();
                assert_eq!(left + bench.dropped.len(), 6);
                assert!(left == 6 || left == 3, "{left}");
                together += u32::from(left == 3);
            } else {
                bench.empty(ms);
            }
        }
        assert!(together > 0);
    }
}
