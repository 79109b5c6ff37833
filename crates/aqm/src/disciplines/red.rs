//! Random early detection (Floyd and Jacobson 1993), gentle or not, with ECN marking.

use crate::discipline::{Arrival, Backlog, Capacity, Discipline, LinkRate, Verdict};
use crate::registry::{Entry, Queueing, Service, queue};
use ackclock_base::{Parameter, Quantity, Random, Range, Time, Values};

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
pub const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "min_threshold",
        summary: "Average queue below which nothing is dropped",
        quantity: Quantity::Packets,
        default: "5 packets",
        range: Range::at_least(0.0),
        source: "Floyd and Jacobson 1993 section 4; ns-2's thresh_",
    },
    Parameter {
        name: "max_threshold",
        summary: "Average queue at which the drop probability reaches max_probability",
        quantity: Quantity::Packets,
        default: "15 packets",
        range: Range::above(0.0),
        source: "Floyd and Jacobson 1993 section 4; ns-2's maxthresh_",
    },
    Parameter {
        name: "weight",
        summary: "Weight of a new sample in the average queue",
        quantity: Quantity::Number,
        default: "0.002",
        range: Range { min: 0.0, max: 1.0, above_min: true },
        source: "Floyd and Jacobson 1993 section 6; ns-2's q_weight_",
    },
    Parameter {
        name: "max_probability",
        summary: "Drop probability at max_threshold",
        quantity: Quantity::Number,
        default: "0.1",
        range: Range { min: 0.0, max: 1.0, above_min: true },
        source: "Floyd 1997, \"RED: discussions of setting parameters\"; 1/linterm_ in ns-2",
    },
    Parameter {
        name: "gentle",
        summary: "Whether the probability rises from max_probability to 1 between max_threshold and twice that",
        quantity: Quantity::Flag,
        default: "true",
        range: Range::ANY,
        source: "Floyd 2000, \"Recommendation on using the gentle variant of RED\"",
    },
    Parameter {
        name: "ecn",
        summary: "Whether packets that can be marked are marked instead of dropped early",
        quantity: Quantity::Flag,
        default: "false",
        range: Range::ANY,
        source: "RFC 3168 section 5",
    },
];

/// The RED discipline.
#[derive(Clone, Debug)]
pub struct Red {
    capacity: Capacity,
    min: f64,
    max: f64,
    weight: f64,
    max_probability: f64,
    gentle: bool,
    ecn: bool,
    /// The time a mean packet takes, for the samples that an idle link missed.
    packet_time_s: f64,
    average: f64,
    /// Packets admitted since the last early drop or mark; negative below the lower threshold.
    since_drop: i64,
}

impl Red {
    /// From the registered parameters.
    pub fn new(values: &Values, capacity: Capacity, link: &LinkRate) -> Self {
        let min = values.packets("min_threshold");
        Self {
            capacity,
            min,
            // Thresholds out of order leave no room for early drops; the upper one gives way.
            max: values.packets("max_threshold").max(min),
            weight: values.number("weight"),
            max_probability: values.number("max_probability"),
            gentle: values.flag("gentle"),
            ecn: values.flag("ecn"),
            packet_time_s: f64::from(link.mean_packet_bytes) / link.rate.bytes_per_second(),
            average: 0.0,
            since_drop: -1,
        }
    }

    /// Equation 2 of the paper; an idle link counts as that many arrivals at an empty queue.
    fn update_average(&mut self, now: Time, backlog: &Backlog) {
        if let Some(since) = backlog.idle_since {
            let missed = now.since(since).seconds() / self.packet_time_s;
            self.average *= libm::pow(1.0 - self.weight, libm::floor(missed));
        }
        self.average += self.weight * (backlog.packets as f64 - self.average);
    }

    /// The probability p_b before it is spread out.
    fn probability(&self) -> f64 {
        let Self { average, min, max, max_probability, gentle, .. } = *self;
        if average < max {
            max_probability * (average - min) / (max - min)
        } else if gentle && average < 2.0 * max {
            max_probability + (1.0 - max_probability) * (average - max) / max
        } else {
            1.0
        }
    }

    /// Spreads early drops out: uniform instead of geometric gaps, waiting at least 1/p between two ("wait" in
    /// ns-2, on by default there).
    fn spread(&self, probability: f64) -> f64 {
        let run = self.since_drop as f64 * probability;
        match () {
            () if run < 1.0 => 0.0,
            () if run < 2.0 => probability / (2.0 - run),
            () => 1.0,
        }
    }
}

impl Discipline for Red {
    fn on_arrival(&mut self, arrival: &Arrival, backlog: &Backlog, random: &mut dyn Random) -> Verdict {
        self.update_average(arrival.now, backlog);
        if !self.capacity.admits(arrival.bytes, backlog) {
            self.since_drop = 0;
            return Verdict::Drop;
        }
        if self.average < self.min || backlog.packets <= 1 {
            self.since_drop = -1;
            return Verdict::Admit;
        }
        if self.since_drop < 0 {
            self.since_drop = 1; // the first arrival above the threshold is never dropped
            return Verdict::Admit;
        }
        self.since_drop += 1;
        let probability = self.probability();
        let chance = if probability >= 1.0 { 1.0 } else { self.spread(probability) };
        if random.uniform() >= chance {
            return Verdict::Admit;
        }
        self.since_drop = 0;
        // RFC 3168 section 7: above the upper threshold marking is not enough, unless the curve is gentle.
        let early = self.average < self.max || (self.gentle && probability < 1.0);
        if self.ecn && arrival.ecn.is_capable() && early { Verdict::Mark } else { Verdict::Drop }
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("average_queue_packets", self.average);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discipline::Ecn;
    use crate::testing::{Dice, arrival, idle, waiting};
    use ackclock_base::{Rate, random::Scripted};

    fn red(settings: &[(&str, &str)]) -> Red {
        let values = Values::with(ENTRY.descriptor, settings);
        let link = LinkRate { rate: Rate::from_bits_per_second(8_000_000), mean_packet_bytes: 1000 };
        Red::new(&values, Capacity::Packets(1000), &link)
    }

    fn capable() -> Arrival {
        Arrival { ecn: Ecn::Classic, ..arrival(0.0) }
    }

    #[test]
    fn the_average_follows_a_constant_queue_geometrically() {
        // avg_n = q (1 - (1 - w)^n): q = 100, w = 0.002, n = 500: 100 (1 - 0.998^500) = 63.25.
        let mut red = red(&[("min_threshold", "1000 packets"), ("max_threshold", "2000 packets")]);
        for _ in 0..500 {
            red.on_arrival(&arrival(0.0), &waiting(100), &mut Scripted::new(&[0.5]));
        }
        assert!((red.average - 63.25).abs() < 0.01, "{}", red.average);
    }

    #[test]
    fn an_idle_link_lets_the_average_decay() {
        // 1 ms per packet; idle for 500 ms: 500 missed samples of zero, 100 * 0.998^500 = 36.75, and one more.
        let mut red = red(&[]);
        red.average = 100.0;
        red.on_arrival(&arrival(500.0), &idle(0.0), &mut Scripted::new(&[0.5]));
        assert!((red.average - 36.75 * 0.998).abs() < 0.01, "{}", red.average);
    }

    #[test]
    fn the_probability_is_linear_then_gentle() {
        let mut red = red(&[("min_threshold", "100 packets"), ("max_threshold", "300 packets")]);
        red.average = 200.0; // halfway: 0.1 / 2
        assert!((red.probability() - 0.05).abs() < 1e-12);
        red.average = 450.0; // halfway of the gentle part: 0.1 + 0.9 / 2
        assert!((red.probability() - 0.55).abs() < 1e-12);
        red.gentle = false;
        assert_eq!(red.probability(), 1.0);
    }

    #[test]
    fn gaps_between_early_drops_lie_between_one_and_two_over_p() {
        // With the waiting rule and p = 0.05 a gap is at least 1/p = 20 and at most 2/p = 40 arrivals, 30 on average.
        let mut red =
            red(&[("min_threshold", "100 packets"), ("max_threshold", "300 packets"), ("weight", "1")]);
        let mut gaps = Vec::new();
        let mut gap = 0_u32;
        let mut dice = Dice(1);
        for _ in 0..100_000 {
            gap += 1;
            if red.on_arrival(&arrival(0.0), &waiting(200), &mut dice) == Verdict::Drop {
                gaps.push(gap);
                gap = 0;
            }
        }
        let later = &gaps[1..];
        let mean = later.iter().sum::<u32>() as f64 / later.len() as f64;
        assert!(later.iter().all(|gap| (20..=40).contains(gap)), "{:?}", later.iter().max());
        assert!((mean - 30.0).abs() < 1.0, "{mean}");
    }

    #[test]
    fn capable_packets_are_marked_where_ecn_is_on() {
        let mut red = red(&[("weight", "1"), ("ecn", "true"), ("max_threshold", "300 packets")]);
        let mut verdicts = Vec::new();
        for _ in 0..1000 {
            verdicts.push(red.on_arrival(&capable(), &waiting(200), &mut Scripted::new(&[0.0])));
        }
        assert!(verdicts.contains(&Verdict::Mark));
        assert!(!verdicts.contains(&Verdict::Drop));
    }
}
