//! RED-diff (Jain 2003 section 2.9): RED whose slope moves with the difference between the queue and its
//! average. The thesis suggests it in a sentence and does not study it: the threshold and the steps are
//! choices made here, and the steps are those of adaptive RED.

use crate::discipline::{Arrival, Backlog, Capacity, Discipline, LinkRate, Verdict};
use crate::disciplines::red::steps::Steps;
use crate::disciplines::red::{self, Red};
use crate::entry::{Entry, Queueing, Service, queue};
use ackclock_base::{Packets, Random, Range, Span, Time, parameters};

/// The discipline's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &queue(
        "red-diff",
        "RED that adapts max_probability to the difference between the queue length and its average",
        "Jain 2003 section 2.9, a suggestion",
        Parameters::TABLE,
    ),
    build: |values, capacity, link| Queueing::at_arrival(RedDiff::new(values.into(), capacity, link)),
    service: Service::IN_ORDER,
};

parameters! {
    /// RED's parameters, and those that move its slope.
    pub struct Parameters {
        /// Difference between the queue length and its average above which max_probability is adapted: raised if the
        /// queue is longer than its average, lowered if it is shorter
        threshold: Packets = packets("5 packets", Range::at_least(0.0), "not in Jain 2003; the default of RED's min_threshold"),
        /// The steps of the slope.
        steps: Steps,
        /// RED's parameters.
        red: red::Parameters,
    }
}

/// The RED-diff discipline.
#[derive(Clone, Debug)]
pub struct RedDiff {
    red: Red,
    threshold: Packets,
    steps: Steps,
}

impl RedDiff {
    /// Creates an empty queue with this capacity; `max_probability` is the initial slope.
    pub fn new(parameters: Parameters, capacity: Capacity, link: &LinkRate) -> Self {
        let Parameters { threshold, steps, red } = parameters;
        Self { red: Red::new(red, capacity, link), threshold, steps }
    }
}

impl Discipline for RedDiff {
    fn on_arrival(&mut self, arrival: &Arrival, backlog: &Backlog, random: &mut dyn Random) -> Verdict {
        self.red.on_arrival(arrival, backlog, random)
    }

    fn period(&self) -> Option<Span> {
        Some(self.steps.interval)
    }

    fn on_period(&mut self, _now: Time, backlog: &Backlog) {
        let difference = backlog.packets as f64 - self.red.detection.average();
        let slope = &mut self.red.detection.curve.max_probability;
        if difference > self.threshold {
            *slope = self.steps.up(*slope);
        } else if difference < -self.threshold {
            *slope = self.steps.down(*slope);
        }
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        self.red.publish(series);
        series("max_probability", self.red.detection.curve.max_probability);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{arrival, at, waiting};
    use ackclock_base::{Rate, Values, random::Scripted};

    #[test]
    fn the_slope_follows_a_queue_that_leaves_its_average() {
        // The average is 10 packets, the threshold 5: 15 and 5 do not exceed it, 16 adds 0.01, 4 takes a
        // tenth.
        let parameters = Parameters::from(&Values::with(ENTRY.descriptor, &[("weight", "1")]));
        let link = LinkRate { rate: Rate::from_bits_per_second(8_000_000), mean_packet_bytes: 1000 };
        let mut red = RedDiff::new(parameters, Capacity::Packets(1000), &link);
        red.on_arrival(&arrival(0.0), &waiting(10), &mut Scripted::new(&[0.999]));
        for (queue, slope) in [(15, 0.1), (5, 0.1), (16, 0.11), (16, 0.12), (10, 0.12), (4, 0.108)] {
            red.on_period(at(0.0), &waiting(queue));
            let now = red.red.detection.curve.max_probability;
            assert!((now - slope).abs() < 1e-12, "{now} at {queue}");
        }
    }
}
