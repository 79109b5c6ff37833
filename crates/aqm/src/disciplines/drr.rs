//! Deficit round robin (Shreedhar and Varghese 1995) with a queue for each flow, like Linux's sch_drr with a
//! class per flow: a queue's credit grows by a quantum in each round, and the queue sends while that suffices
//! for its first packet.
//!
//! Linux lets each class have its own limit. Here all queues share one limit, and the newest packet of the
//! longest queue is dropped, as in the paper, which adopts McKenney's buffer stealing.

use crate::departure::{Departing, Departure, Held, Ticket};
use crate::discipline::Capacity;
use crate::entry::{Entry, Queueing, Service, queue};
use crate::fair_queues::{FairQueues, Overdraft, QUANTUM};
use crate::fifo::Fifo;
use ackclock_base::{Random, Size, Time, parameters};

/// The discipline's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &queue(
        "drr",
        "A queue for each flow; queues take turns to send equal numbers of bytes; if the limit is exceeded, the queue \
         with the most bytes loses its newest packet",
        "Shreedhar and Varghese 1995",
        Parameters::TABLE,
    ),
    build: |values, capacity, _| Queueing::at_departure(Drr::new(values.into(), capacity)),
    service: Service { drops_late: true, overtakes: true, ..Service::IN_ORDER },
};

parameters! {
    /// The parameters of the turns.
    pub struct Parameters {
        quantum: Size = QUANTUM,
    }
}

/// A queue for each flow. Its memory grows with the flows and with the packets that have waited.
#[derive(Clone, Debug)]
pub struct Drr {
    queues: FairQueues,
}

impl Drr {
    /// Creates empty queues that share this capacity.
    pub fn new(parameters: Parameters, capacity: Capacity) -> Self {
        Self { queues: FairQueues::new(capacity, parameters.quantum, Overdraft::Refused) }
    }
}

impl Departing for Drr {
    fn on_arrival(&mut self, held: Held, _random: &mut dyn Random, drops: &mut dyn FnMut(Ticket)) {
        let flow = held.arrival.flow;
        self.queues.push(flow, held);
        if !held.link_free {
            self.queues.make_room(flow, Fifo::bytes, drops);
        }
    }

    fn on_departure(
        &mut self,
        _now: Time,
        _random: &mut dyn Random,
        _drops: &mut dyn FnMut(Ticket),
    ) -> Option<Departure> {
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
    use proptest::prelude::*;

    fn drr(quantum: &str, capacity: Capacity) -> Bench<Drr> {
        let parameters = Parameters::from(&Values::with(ENTRY.descriptor, &[("quantum", quantum)]));
        Bench::new(Drr::new(parameters, capacity))
    }

    #[test]
    fn a_queue_sends_while_its_deficit_suffices() {
        // Quantum 500 B; flow 1 has packets of 200, 750 and 300 B (tickets 0 to 2), flow 2 of 500 and 500 B (3, 4). Both begin
        // with a quantum. Flow 1 sends 200 and keeps 300, too little for 750. Flow 2 sends 500. Flow 1 has 800: 750, keeps 50,
        // too little for 300. Flow 2 sends 500. Flow 1 has 550: 300.
        let mut bench = drr("500 B", Capacity::Unlimited);
        for (flow, bytes) in [(1, 200), (1, 750), (1, 300), (2, 500), (2, 500)] {
            bench.arrive(Arrival { flow, bytes, ..arrival(0.0) });
        }
        assert_eq!(bench.empty(0.0), [0, 3, 1, 4, 2]);
    }

    #[test]
    fn an_empty_queue_saves_nothing() {
        // Flow 1 sends 100 of 500 B and has nothing more. When it returns behind flow 2 it has 500 B again,
        // not 900: its packets of 400 B leave one per round.
        let mut bench = drr("500 B", Capacity::Unlimited);
        bench.arrive(Arrival { flow: 1, bytes: 100, ..arrival(0.0) });
        (0..3).for_each(|_| bench.arrive(Arrival { flow: 2, bytes: 500, ..arrival(0.0) }));
        assert_eq!(bench.depart(0.0).map(|departure| departure.ticket), Some(Ticket(0)));
        (0..2).for_each(|_| bench.arrive(Arrival { flow: 1, bytes: 400, ..arrival(0.0) }));
        assert_eq!(bench.empty(0.0), [1, 4, 2, 5, 3]);
    }

    #[test]
    fn the_longest_queue_makes_way() {
        // Eight packets of flow 1 and two of flow 2 in a room for ten. The next packet of flow 2 takes the
        // place of the newest of flow 1 (ticket 7); a further one of flow 1 is itself the newest of the
        // longest queue.
        let mut bench = drr("1514 B", Capacity::Packets(10));
        (0..8).for_each(|_| bench.arrive(Arrival { flow: 1, ..arrival(0.0) }));
        (0..3).for_each(|_| bench.arrive(Arrival { flow: 2, ..arrival(0.0) }));
        assert_eq!(bench.dropped, [7]);
        bench.arrive(Arrival { flow: 1, ..arrival(0.0) });
        assert_eq!(bench.dropped, [7, 11]);
        assert_eq!(bench.queue.packets(), 10);
    }

    proptest! {
        #[test]
        fn backlogged_queues_have_sent_equal_bytes(
            sizes in prop::collection::vec((0_u32..3, 40_u32..=1500), 300..600),
            quantum in 1500_u32..6000,
        ) {
            // After k turns a backlogged queue has sent k Q - D: its deficit D is at least 0 and less than a
            // packet of the greatest size, since otherwise it would have sent another packet. Two queues are
            // at most a turn apart, so what they have sent differs by at most k Q - ((k - 1) Q - Max) = Q +
            // Max.
            let mut bench = drr(&format!("{quantum} B"), Capacity::Unlimited);
            let mut waiting = [0_u32; 3];
            for (flow, bytes) in &sizes {
                bench.arrive(Arrival { flow: *flow, bytes: *bytes, ..arrival(0.0) });
                waiting[*flow as usize] += 1;
            }
            let mut sent = [0_i64; 3];
            while waiting.iter().all(|packets| *packets > 0) {
                let ticket = bench.depart(0.0).expect("a packet").ticket.0;
                let (flow, bytes) = sizes[ticket as usize];
                sent[flow as usize] += i64::from(bytes);
                waiting[flow as usize] -= 1;
                let apart = sent.iter().max().unwrap() - sent.iter().min().unwrap();
                prop_assert!(apart <= i64::from(quantum) + 1500, "{sent:?}");
            }
        }
    }
}
