//! Random early detection (Floyd and Jacobson 1993), gentle or not, with ECN marking.

use crate::discipline::{Arrival, Backlog, Capacity, Discipline, LinkRate, Verdict};
use crate::disciplines::red::detection::{Curve, EarlyDetection};
use crate::registry::{ECN, Entry, Queueing, Service, queue};
use ackclock_base::{Parameter, Quantity, Random, Range, Values};

pub mod detection;
pub mod steps;

/// The discipline in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &queue(
        "red",
        "Drops or marks early, with a probability that grows with the average queue",
        "Floyd and Jacobson 1993",
        PARAMETERS,
    ),
    build: |values, capacity, link| Queueing::at_arrival(Red::new(values, capacity, link)),
    service: Service::IN_ORDER,
};

/// What can be set.
pub const PARAMETERS: &[Parameter] = &[MIN_THRESHOLD, MAX_THRESHOLD, WEIGHT, MAX_PROBABILITY, GENTLE, ECN];

/// Where early drops begin.
pub const MIN_THRESHOLD: Parameter = Parameter {
    name: "min_threshold",
    summary: "Average queue below which nothing is dropped",
    quantity: Quantity::Packets,
    default: "5 packets",
    range: Range::at_least(0.0),
    source: "Floyd and Jacobson 1993 section 4; ns-2's thresh_",
};

/// Where the curve bends.
pub const MAX_THRESHOLD: Parameter = Parameter {
    name: "max_threshold",
    summary: "Average queue at which the drop probability reaches max_probability",
    quantity: Quantity::Packets,
    default: "15 packets",
    range: Range::above(0.0),
    source: "Floyd and Jacobson 1993 section 4; ns-2's maxthresh_",
};

/// How fast the average follows.
pub const WEIGHT: Parameter = Parameter {
    name: "weight",
    summary: "Weight of a new sample in the average queue",
    quantity: Quantity::Number,
    default: "0.002",
    range: Range { min: 0.0, max: 1.0, above_min: true },
    source: "Floyd and Jacobson 1993 section 6; ns-2's q_weight_",
};

/// How steep the curve is.
pub const MAX_PROBABILITY: Parameter = Parameter {
    name: "max_probability",
    summary: "Drop probability at max_threshold",
    quantity: Quantity::Number,
    default: "0.1",
    range: Range { min: 0.0, max: 1.0, above_min: true },
    source: "Floyd 1997, \"RED: discussions of setting parameters\"; 1/linterm_ in ns-2",
};

/// How the curve goes on.
pub const GENTLE: Parameter = Parameter {
    name: "gentle",
    summary: "Whether the probability rises from max_probability to 1 between max_threshold and twice that",
    quantity: Quantity::Flag,
    default: "true",
    range: Range::ANY,
    source: "Floyd 2000, \"Recommendation on using the gentle variant of RED\"",
};

/// The RED discipline. Its descendants have it as a part.
#[derive(Clone, Debug)]
pub struct Red {
    /// The average queue and the curve.
    pub detection: EarlyDetection,
    capacity: Capacity,
    ecn: bool,
}

impl Red {
    /// From the registered parameters.
    pub fn new(values: &Values, capacity: Capacity, link: &LinkRate) -> Self {
        let detection = EarlyDetection::new(Curve::new(values), values.number("weight"), link);
        Self::with(detection, capacity, values.flag("ecn"))
    }

    /// With a detection of its own.
    pub fn with(detection: EarlyDetection, capacity: Capacity, ecn: bool) -> Self {
        Self { detection, capacity, ecn }
    }
}

impl Discipline for Red {
    fn on_arrival(&mut self, arrival: &Arrival, backlog: &Backlog, random: &mut dyn Random) -> Verdict {
        self.detection.observe(arrival.now, backlog.packets, backlog.idle_since);
        if !self.capacity.admits(arrival.bytes, backlog) {
            self.detection.dropped();
            return Verdict::Drop;
        }
        match self.detection.judge(backlog.packets, random) {
            Verdict::Mark if !(self.ecn && arrival.ecn.is_capable()) => Verdict::Drop,
            verdict => verdict,
        }
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("average_queue_packets", self.detection.average());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discipline::Ecn;
    use crate::testing::{arrival, waiting};
    use ackclock_base::{Rate, random::Scripted};

    fn verdicts(ecn: Ecn, capacity: u64) -> Vec<Verdict> {
        let settings = [("weight", "1"), ("ecn", "true"), ("max_threshold", "300 packets")];
        let values = Values::with(ENTRY.descriptor, &settings);
        let link = LinkRate { rate: Rate::from_bits_per_second(8_000_000), mean_packet_bytes: 1000 };
        let mut red = Red::new(&values, Capacity::Packets(capacity), &link);
        let arrival = Arrival { ecn, ..arrival(0.0) };
        (0..1000).map(|_| red.on_arrival(&arrival, &waiting(200), &mut Scripted::new(&[0.0]))).collect()
    }

    #[test]
    fn capable_packets_are_marked_where_ecn_is_on() {
        let marked = verdicts(Ecn::Classic, 1000);
        assert!(marked.contains(&Verdict::Mark) && !marked.contains(&Verdict::Drop));
        let dropped = verdicts(Ecn::NotCapable, 1000);
        assert!(dropped.contains(&Verdict::Drop) && !dropped.contains(&Verdict::Mark));
    }

    #[test]
    fn what_does_not_fit_is_dropped_even_if_it_could_be_marked() {
        assert!(verdicts(Ecn::Classic, 200).iter().all(|verdict| *verdict == Verdict::Drop));
    }
}
