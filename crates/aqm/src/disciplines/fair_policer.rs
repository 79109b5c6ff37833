//! FairPolicer (Shan et al., "Towards the Fairness of Traffic Policer", INFOCOM 2021): a policer that gives
//! its tokens to the flows in turns. It records not the tokens of each flow but the space that the flow takes
//! in the one bucket. Tokens free that space in turns, and a packet passes while its flow takes less than
//! what is still free.
//!
//! The paper is not openly available. This follows its abstract and the implementation that the authors of
//! BC-PQP published with theirs (2024). The sketch that keeps many flows in little memory is left out: each
//! flow has a place, found by a hash.

use crate::discipline::{Arrival, Backlog, Capacity, Discipline, LinkRate, Verdict};
use crate::entry::{Entry, Queueing, Service, queue};
use crate::phantom::{PhantomQueues, QUANTUM, QUEUES, level_of};
use crate::tokens::{BURST, PER_BYTE, RATE};
use ackclock_base::{Random, Rate, Size, parameters};

/// The discipline's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &queue(
        "fair-policer",
        "A policer with a phantom queue (a byte counter) for each flow; the phantom queues drain in turns, so that \
         flows share the tokens equally",
        "Shan et al. 2021 (INFOCOM)",
        Parameters::TABLE,
    ),
    build: |values, capacity, link| Queueing::at_arrival(FairPolicer::new(values.into(), capacity, link)),
    service: Service::IN_ORDER,
};

parameters! {
    /// The bucket, and the turns of its flows.
    pub struct Parameters {
        rate: Option<Rate> = RATE,
        /// Total capacity of all phantom queues; a packet passes if the phantom queue of its flow, including this
        /// packet, is at most the capacity that is free when the packet arrives
        burst: Size = BURST,
        queues: usize = QUEUES,
        quantum: Size = QUANTUM,
    }
}

/// A policer in whose bucket each flow takes at most as much space as is still free.
#[derive(Clone, Debug)]
pub struct FairPolicer {
    /// The space that each flow takes in the bucket.
    taken: PhantomQueues,
    burst: u128,
    capacity: Capacity,
}

impl FairPolicer {
    /// Creates the policer at rest, in front of a link with this rate.
    pub fn new(parameters: Parameters, capacity: Capacity, link: &LinkRate) -> Self {
        let rate = parameters.rate.unwrap_or(link.rate);
        let taken = PhantomQueues::new(rate, parameters.queues, parameters.quantum);
        Self { taken, burst: level_of(parameters.burst), capacity }
    }
}

impl Discipline for FairPolicer {
    fn on_arrival(&mut self, arrival: &Arrival, backlog: &Backlog, _random: &mut dyn Random) -> Verdict {
        self.taken.drain(arrival.now);
        let flow = self.taken.of(arrival.flow);
        let needed = u128::from(arrival.bytes) * PER_BYTE;
        if !self.capacity.admits(arrival.bytes, backlog)
            || self.taken.level(flow) + needed > self.burst - self.taken.total()
        {
            return Verdict::Drop;
        }
        self.taken.push(flow, arrival.bytes);
        Verdict::Admit
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        self.taken.publish(series);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{arrival, idle, waiting};
    use ackclock_base::{Rate, Values, random::Scripted};

    fn policer(settings: &[(&str, &str)]) -> FairPolicer {
        let link = LinkRate { rate: Rate::from_bits_per_second(1_000_000_000), mean_packet_bytes: 1000 };
        FairPolicer::new(
            Parameters::from(&Values::with(ENTRY.descriptor, settings)),
            Capacity::Packets(100),
            &link,
        )
    }

    fn passes(policer: &mut FairPolicer, ms: f64, flow: u32) -> bool {
        let arrival = Arrival { flow, ..arrival(ms) };
        policer.on_arrival(&arrival, &idle(0.0), &mut Scripted::new(&[])) == Verdict::Admit
    }

    #[test]
    fn a_flow_may_take_as_much_as_is_still_free() {
        // 10 kB: with its packet the first flow has x of 10 - (x - 1) free: 5. The second has 3 of 5 - 2, the
        // third 1 of 2, and the fourth the last.
        let mut policer = policer(&[("rate", "1 bit/s"), ("burst", "10 kB")]);
        let counts = [1, 2, 3, 4].map(|flow| (0..10).filter(|_| passes(&mut policer, 0.0, flow)).count());
        assert_eq!(counts, [5, 3, 1, 1]);
    }

    #[test]
    fn a_flow_that_sends_ten_times_as_much_gets_no_more() {
        // 8 Mbit/s are a packet a millisecond. Flow 1 sends one every 0.6 ms, flow 2 ten times as many.
        let mut policer = policer(&[("rate", "8 Mbit/s"), ("burst", "20 kB")]);
        let mut counts = [0; 2];
        for step in 0..200_000_u32 {
            let ms = f64::from(step) * 0.06;
            counts[1] += u32::from(passes(&mut policer, ms, 2));
            if step % 10 == 0 {
                counts[0] += u32::from(passes(&mut policer, ms, 1));
            }
        }
        let [slow, fast] = counts.map(f64::from);
        assert!((slow / fast - 1.0).abs() < 0.03, "{slow}, {fast}");
        assert!(((slow + fast) / 12_000.0 - 1.0).abs() < 0.01, "{}", slow + fast);
    }

    #[test]
    fn a_packet_that_the_queue_refuses_takes_no_space() {
        let mut policer = policer(&[("rate", "1 bit/s"), ("burst", "2 kB")]);
        let refused = policer.on_arrival(&arrival(0.0), &waiting(100), &mut Scripted::new(&[]));
        assert_eq!(refused, Verdict::Drop);
        assert!(passes(&mut policer, 0.0, 0));
    }
}
