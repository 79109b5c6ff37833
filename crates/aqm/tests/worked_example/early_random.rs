//! Early random drop (Hashem 1989): beyond a level of the queue each arrival is dropped with the same probability. It came
//! before RED, which looks at an average in place of the queue itself.

use crate::discipline::{Arrival, Backlog, Capacity, Discipline, Verdict};
use crate::registry::{ECN, Entry, Queueing, Service, queue};
use ackclock_base::{Parameter, Quantity, Random, Range, Values};

/// The discipline in the registry: its name, what it is, how one is made, and what it never breaks.
pub const ENTRY: Entry = Entry {
    descriptor: &queue(
        "early-random",
        "Drops with a fixed probability while the queue is beyond a level",
        "Hashem 1989",
        PARAMETERS,
    ),
    build: |values, capacity, _| Queueing::at_arrival(EarlyRandom::new(values, capacity)),
    service: Service::IN_ORDER,
};

/// What can be set.
pub const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "level",
        summary: "Waiting packets from which arrivals are dropped at random",
        quantity: Quantity::Packets,
        default: "25 packets",
        range: Range::at_least(0.0),
        source: "Hashem 1989: half of the buffer, here of the default limit",
    },
    Parameter {
        name: "probability",
        summary: "Probability of a drop beyond the level",
        quantity: Quantity::Number,
        default: "0.02",
        range: Range::between(0.0, 1.0),
        source: "Hashem 1989",
    },
    ECN,
];

/// The discipline.
#[derive(Clone, Debug)]
pub struct EarlyRandom {
    capacity: Capacity,
    level: f64,
    probability: f64,
    ecn: bool,
}

impl EarlyRandom {
    /// From the registered parameters.
    pub fn new(values: &Values, capacity: Capacity) -> Self {
        Self {
            capacity,
            level: values.packets("level"),
            probability: values.number("probability"),
            ecn: values.flag("ecn"),
        }
    }
}

impl Discipline for EarlyRandom {
    fn on_arrival(&mut self, arrival: &Arrival, backlog: &Backlog, random: &mut dyn Random) -> Verdict {
        if !self.capacity.admits(arrival.bytes, backlog) {
            return Verdict::Drop;
        }
        if (backlog.packets as f64) < self.level || random.uniform() >= self.probability {
            return Verdict::Admit;
        }
        if self.ecn && arrival.ecn.is_capable() { Verdict::Mark } else { Verdict::Drop }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discipline::Ecn;
    use crate::testing::{Dice, arrival, waiting};

    fn verdict(settings: &[(&str, &str)], packets: u64, arrival: &Arrival) -> Verdict {
        let values = Values::with(ENTRY.descriptor, &[&[("probability", "1")], settings].concat());
        EarlyRandom::new(&values, Capacity::Packets(50)).on_arrival(arrival, &waiting(packets), &mut Dice(1))
    }

    #[test]
    fn drops_begin_at_the_level() {
        assert_eq!(verdict(&[], 24, &arrival(0.0)), Verdict::Admit);
        assert_eq!(verdict(&[], 25, &arrival(0.0)), Verdict::Drop);
        assert_eq!(verdict(&[("probability", "0")], 49, &arrival(0.0)), Verdict::Admit);
        assert_eq!(verdict(&[("probability", "0")], 50, &arrival(0.0)), Verdict::Drop);
    }

    #[test]
    fn what_can_be_marked_is_marked_unless_it_does_not_fit() {
        let capable = Arrival { ecn: Ecn::Classic, ..arrival(0.0) };
        assert_eq!(verdict(&[("ecn", "true")], 30, &capable), Verdict::Mark);
        assert_eq!(verdict(&[("ecn", "true")], 30, &arrival(0.0)), Verdict::Drop);
        assert_eq!(verdict(&[("ecn", "true")], 50, &capable), Verdict::Drop);
    }

    #[test]
    fn a_fiftieth_of_the_arrivals_is_dropped() {
        // 10,000 draws at 0.02: 200 on average with a deviation of sqrt(10,000 * 0.02 * 0.98) = 14; four of them are 56.
        let mut discipline = EarlyRandom::new(&ENTRY.descriptor.defaults(), Capacity::Unlimited);
        let mut dice = Dice(1);
        let dropped = (0..10_000)
            .filter(|_| discipline.on_arrival(&arrival(0.0), &waiting(30), &mut dice) == Verdict::Drop)
            .count();
        assert!((144..=256).contains(&dropped), "{dropped}");
    }
}
