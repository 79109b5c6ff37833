//! Early random drop (Hashem 1989): beyond a level of the queue each arrival is dropped with the same
//! probability. It is older than RED, which uses an average instead of the queue itself.

use crate::discipline::{Arrival, Backlog, Capacity, Discipline, Verdict};
use crate::entry::{ECN, Entry, Queueing, Service, queue};
use ackclock_base::{Packets, Random, Range, parameters};

/// The discipline's entry in the registry: its name, its description, its constructor and its guarantees.
pub const ENTRY: Entry = Entry {
    descriptor: &queue(
        "early-random",
        "Drops with a fixed probability while the queue is beyond a level",
        "Hashem 1989",
        Parameters::TABLE,
    ),
    build: |values, capacity, _| Queueing::at_arrival(EarlyRandom { capacity, parameters: values.into() }),
    service: Service::IN_ORDER,
};

parameters! {
    /// The level at which drops begin, and their probability.
    pub struct Parameters {
        /// Number of waiting packets from which arrivals are dropped at random
        level: Packets = packets(
            "25 packets",
            Range::at_least(0.0),
            "Hashem 1989: half of the buffer, here of the default limit",
        ),
        /// Probability of a drop beyond the level
        probability: f64 = number("0.02", Range::between(0.0, 1.0), "Hashem 1989"),
        ecn: bool = ECN,
    }
}

/// A queue that drops at random beyond a level.
#[derive(Clone, Debug)]
pub struct EarlyRandom {
    /// The capacity of the queue.
    pub capacity: Capacity,
    /// The parameters of the discipline.
    pub parameters: Parameters,
}

impl Discipline for EarlyRandom {
    fn on_arrival(&mut self, arrival: &Arrival, backlog: &Backlog, random: &mut dyn Random) -> Verdict {
        if !self.capacity.admits(arrival.bytes, backlog) {
            return Verdict::Drop;
        }
        let Parameters { level, probability, ecn } = self.parameters;
        if (backlog.packets as f64) < level || random.uniform() >= probability {
            return Verdict::Admit;
        }
        if ecn && arrival.ecn.is_capable() { Verdict::Mark } else { Verdict::Drop }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discipline::Ecn;
    use crate::testing::{Dice, arrival, waiting};

    /// Returns the verdict on an arrival with `packets` waiting and room for 50.
    fn verdict(probability: f64, ecn: bool, packets: u64, arrival: &Arrival) -> Verdict {
        let parameters = Parameters { probability, ecn, ..Parameters::default() };
        let mut discipline = EarlyRandom { capacity: Capacity::Packets(50), parameters };
        discipline.on_arrival(arrival, &waiting(packets), &mut Dice(1))
    }

    #[test]
    fn drops_begin_at_the_level() {
        assert_eq!(verdict(1.0, false, 24, &arrival(0.0)), Verdict::Admit);
        assert_eq!(verdict(1.0, false, 25, &arrival(0.0)), Verdict::Drop);
        assert_eq!(verdict(0.0, false, 49, &arrival(0.0)), Verdict::Admit);
        assert_eq!(verdict(0.0, false, 50, &arrival(0.0)), Verdict::Drop);
    }

    #[test]
    fn capable_packets_are_marked_unless_they_do_not_fit() {
        let capable = Arrival { ecn: Ecn::Classic, ..arrival(0.0) };
        assert_eq!(verdict(1.0, true, 30, &capable), Verdict::Mark);
        assert_eq!(verdict(1.0, true, 30, &arrival(0.0)), Verdict::Drop);
        assert_eq!(verdict(1.0, true, 50, &capable), Verdict::Drop);
    }

    #[test]
    fn a_fiftieth_of_the_arrivals_is_dropped() {
        // 10,000 draws at 0.02: 200 on average with a deviation of sqrt(10,000 * 0.02 * 0.98) = 14; four of them are 56.
        let parameters = Parameters::from(&ENTRY.descriptor.defaults());
        let mut discipline = EarlyRandom { capacity: Capacity::Unlimited, parameters };
        let mut dice = Dice(1);
        let dropped = (0..10_000)
            .filter(|_| discipline.on_arrival(&arrival(0.0), &waiting(30), &mut dice) == Verdict::Drop)
            .count();
        assert!((144..=256).contains(&dropped), "{dropped}");
    }
}
