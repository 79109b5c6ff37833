//! Random early detection (Floyd and Jacobson 1993), gentle or not, with ECN marking.

use crate::discipline::{Arrival, Backlog, Capacity, Discipline, LinkRate, Verdict};
use crate::disciplines::red::detection::{Curve, EarlyDetection};
use crate::entry::{DROPS_ABOVE_MAXIMUM, ECN, Entry, Queueing, Service, queue};
use ackclock_base::declare::{self, Declared};
use ackclock_base::{Packets, Random, Range, parameters};

pub mod detection;
pub mod steps;

/// The discipline's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &queue(
        "red",
        "Drops or marks packets early, with a probability that grows with the average queue length",
        "Floyd and Jacobson 1993",
        Parameters::TABLE,
    ),
    build: |values, capacity, link| Queueing::at_arrival(Red::new(values.into(), capacity, link)),
    service: Service::IN_ORDER,
};

parameters! {
    /// The average queue, and the curve of the drop probability.
    pub struct Parameters {
        min_threshold: Packets = MIN_THRESHOLD,
        max_threshold: Packets = MAX_THRESHOLD,
        weight: f64 = WEIGHT,
        max_probability: f64 = MAX_PROBABILITY,
        gentle: bool = GENTLE,
        ecn: bool = ECN,
        drops_above_maximum: Option<bool> = DROPS_ABOVE_MAXIMUM,
    }
}

/// The average queue at which early drops begin.
pub const MIN_THRESHOLD: Declared<Packets> =
    declare::packets("5 packets", Range::at_least(0.0), "Floyd and Jacobson 1993 section 4; ns-2's thresh_")
        .about("Average queue length below which no packet is dropped or marked early");

/// The average queue at which the curve bends.
pub const MAX_THRESHOLD: Declared<Packets> = declare::packets(
    "15 packets",
    Range::above(0.0),
    "Floyd and Jacobson 1993 section 4; ns-2's maxthresh_",
)
.about(
    "Average queue length at which the drop probability reaches max_probability; a value below min_threshold is raised \
     to min_threshold",
);

/// The weight of a new sample in the average.
pub const WEIGHT: Declared<f64> = declare::number(
    "0.002",
    Range { min: 0.0, max: 1.0, above_min: true },
    "Floyd and Jacobson 1993 section 6; ns-2's q_weight_",
)
.about("Weight of a new sample in the moving average of the queue length, which is sampled at each arrival");

/// The drop probability at the bend.
pub const MAX_PROBABILITY: Declared<f64> = declare::number(
    "0.1",
    Range { min: 0.0, max: 1.0, above_min: true },
    "Floyd 1997, \"RED: discussions of setting parameters\"; 1/linterm_ in ns-2",
)
.about("Drop probability at max_threshold, to which it rises linearly from zero at min_threshold");

/// The form of the curve after the bend.
pub const GENTLE: Declared<bool> = declare::flag(
    true,
    "Floyd 2000, \"Recommendation on using the gentle variant of RED\"",
)
.about(
    "Whether the drop probability rises linearly from max_probability to 1 between max_threshold and twice \
     max_threshold; if not, it is 1 at and above max_threshold",
);

/// The RED discipline. Its descendants contain one.
#[derive(Clone, Debug)]
pub struct Red {
    /// The average queue and the curve.
    pub detection: EarlyDetection,
    capacity: Capacity,
    ecn: bool,
}

impl Red {
    /// Creates an empty queue with this capacity.
    pub fn new(parameters: Parameters, capacity: Capacity, link: &LinkRate) -> Self {
        let Parameters { weight, max_probability, gentle, ecn, .. } = parameters;
        let thresholds = [parameters.min_threshold, parameters.max_threshold];
        let curve = Curve::new(thresholds, max_probability, gentle, ecn, parameters.drops_above_maximum);
        Self::with(EarlyDetection::new(curve, weight, link), capacity, ecn)
    }

    /// Creates the discipline with a given detection.
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
    use ackclock_base::{Rate, Values, random::Scripted};

    fn verdicts(ecn: Ecn, capacity: u64) -> Vec<Verdict> {
        let settings = [("weight", "1"), ("ecn", "true"), ("max_threshold", "300 packets")];
        let parameters = Parameters::from(&Values::with(ENTRY.descriptor, &settings));
        let link = LinkRate { rate: Rate::from_bits_per_second(8_000_000), mean_packet_bytes: 1000 };
        let mut red = Red::new(parameters, Capacity::Packets(capacity), &link);
        let arrival = Arrival { ecn, ..arrival(0.0) };
        (0..1000).map(|_| red.on_arrival(&arrival, &waiting(200), &mut Scripted::new(&[0.0]))).collect()
    }

    #[test]
    fn capable_packets_are_marked_if_ecn_is_on() {
        let marked = verdicts(Ecn::Classic, 1000);
        assert!(marked.contains(&Verdict::Mark) && !marked.contains(&Verdict::Drop));
        let dropped = verdicts(Ecn::NotCapable, 1000);
        assert!(dropped.contains(&Verdict::Drop) && !dropped.contains(&Verdict::Mark));
    }

    #[test]
    fn a_packet_that_does_not_fit_is_dropped_even_if_it_could_be_marked() {
        assert!(verdicts(Ecn::Classic, 200).iter().all(|verdict| *verdict == Verdict::Drop));
    }

    #[test]
    fn the_next_early_drop_keeps_its_distance_from_a_packet_that_did_not_fit() {
        // An average of 200 between 100 and 300 gives p_b = 0.125 / 2 = 1/16: at the earliest the 16th arrival after
        // a drop is dropped early, if chance says so. The first arrival above the threshold counts as one of them.
        // A packet that does not fit restarts the count, as the paper's does with each packet that is dropped.
        let settings = [("weight", "1"), ("max_probability", "0.125")];
        let thresholds = [("min_threshold", "100 packets"), ("max_threshold", "300 packets")];
        let settings = Values::with(ENTRY.descriptor, &[settings, thresholds].concat());
        let link = LinkRate { rate: Rate::from_bits_per_second(8_000_000), mean_packet_bytes: 1000 };
        let mut red = Red::new((&settings).into(), Capacity::Packets(250), &link);
        let mut arrive = |packets| {
            red.on_arrival(&arrival(0.0), &waiting(packets), &mut Scripted::new(&[0.0])) == Verdict::Drop
        };
        assert!((0..10).all(|_| !arrive(200)));
        assert!(arrive(250), "the queue is full");
        let mut next = || (1..100).find(|_| arrive(200));
        assert_eq!([next(), next()], [Some(16); 2]);
    }
}
