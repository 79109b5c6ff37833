//! Adaptive RED (Floyd, Gummadi and Shenker 2001): RED whose slope moves so that the average queue stays
//! halfway between its thresholds. Its thresholds and weight are computed from the link.

use crate::discipline::{Arrival, Backlog, Capacity, Discipline, LinkRate, Verdict};
use crate::disciplines::red::detection::{Curve, EarlyDetection};
use crate::disciplines::red::steps::Steps;
use crate::disciplines::red::{self, Red};
use crate::entry::{DROPS_ABOVE_MAXIMUM, ECN, Entry, Queueing, Service, queue};
use ackclock_base::{Packets, Random, Range, Span, Time, parameters};

/// The discipline's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &queue(
        "adaptive-red",
        "RED that adapts max_probability to hold the average queue length midway between the thresholds",
        "Floyd, Gummadi and Shenker 2001",
        Parameters::TABLE,
    ),
    build: |values, capacity, link| Queueing::at_arrival(AdaptiveRed::new(values.into(), capacity, link)),
    service: Service::IN_ORDER,
};

parameters! {
    /// RED with a target delay, and the steps of its slope.
    pub struct Parameters {
        /// Target mean queueing delay: the lower threshold is half the number of packets that the link sends in this
        /// time, but at least `min_threshold`
        target_delay: Span = time(
            "5 ms",
            Range::at_least(0.0),
            "Floyd, Gummadi and Shenker 2001; ns-2's targetdelay_",
        ),
        /// Lower bound on the lower threshold of the average queue length, which otherwise follows from `target_delay`
        min_threshold: Packets = packets("5 packets", Range::at_least(0.0), "Floyd, Gummadi and Shenker 2001"),
        /// Upper threshold of the average queue length; none for three times the lower threshold
        max_threshold: Option<Packets> = packets("none", Range::above(0.0), "Floyd, Gummadi and Shenker 2001"),
        /// Weight of a new sample in the moving average of the queue length, which is sampled at each arrival; none for
        /// 1 - exp(-1/C), where C is the link's rate in packets per second
        weight: Option<f64> = number(
            "none",
            Range { min: 0.0, max: 1.0, above_min: true },
            "Floyd, Gummadi and Shenker 2001",
        ),
        /// Initial drop probability at the upper threshold, to which it rises linearly from zero at the lower threshold
        max_probability: f64 = red::MAX_PROBABILITY,
        /// The steps of the slope.
        steps: Steps,
        gentle: bool = red::GENTLE,
        ecn: bool = ECN,
        drops_above_maximum: Option<bool> = DROPS_ABOVE_MAXIMUM,
    }
}

/// The adaptive RED discipline.
#[derive(Clone, Debug)]
pub struct AdaptiveRed {
    red: Red,
    steps: Steps,
}

impl AdaptiveRed {
    /// Creates an empty queue with this capacity; `max_probability` is the initial slope.
    pub fn new(parameters: Parameters, capacity: Capacity, link: &LinkRate) -> Self {
        let Parameters { max_probability, gentle, ecn, steps, .. } = parameters;
        let packets_per_second = link.rate.bytes_per_second() / f64::from(link.mean_packet_bytes);
        let half_target = parameters.target_delay.seconds() * packets_per_second / 2.0;
        let min = parameters.min_threshold.max(half_target);
        let max = parameters.max_threshold.unwrap_or(3.0 * min);
        let curve = Curve::new([min, max], max_probability, gentle, ecn, parameters.drops_above_maximum);
        let automatic = -libm::expm1(-1.0 / packets_per_second);
        let detection = EarlyDetection::new(curve, parameters.weight.unwrap_or(automatic), link);
        Self { red: Red::with(detection, capacity, ecn), steps }
    }
}

impl Discipline for AdaptiveRed {
    fn on_arrival(&mut self, arrival: &Arrival, backlog: &Backlog, random: &mut dyn Random) -> Verdict {
        self.red.on_arrival(arrival, backlog, random)
    }

    fn period(&self) -> Option<Span> {
        Some(self.steps.interval)
    }

    /// Moves the slope if the average is more than a tenth of the thresholds' distance away from their
    /// middle.
    fn on_period(&mut self, _now: Time, _backlog: &Backlog) {
        let average = self.red.detection.average();
        let curve = &mut self.red.detection.curve;
        let distance = curve.max - curve.min;
        if average > curve.min + 0.6 * distance {
            curve.max_probability = self.steps.up(curve.max_probability);
        } else if average < curve.min + 0.4 * distance {
            curve.max_probability = self.steps.down(curve.max_probability);
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

    fn adaptive(mbps: u64, settings: &[(&str, &str)]) -> AdaptiveRed {
        let parameters = Parameters::from(&Values::with(ENTRY.descriptor, settings));
        let link = LinkRate { rate: Rate::from_bits_per_second(mbps * 1_000_000), mean_packet_bytes: 1000 };
        AdaptiveRed::new(parameters, Capacity::Packets(1000), &link)
    }

    /// Returns the slope after `intervals` intervals at an average queue of `packets`.
    fn slope(red: &mut AdaptiveRed, intervals: u32, packets: u64) -> f64 {
        // With weight 1 the average is the queue.
        red.on_arrival(&arrival(0.0), &waiting(packets), &mut Scripted::new(&[0.999]));
        for _ in 0..intervals {
            red.on_period(at(0.0), &waiting(0));
        }
        red.red.detection.curve.max_probability
    }

    #[test]
    fn thresholds_and_weight_follow_from_the_link() {
        // 100 Mbit/s in packets of 1000 B are 12 500 a second: 5 ms of them 62.5, half of that 31.25, three times 93.75.
        let curve = adaptive(100, &[]).red.detection.curve;
        assert!((curve.min - 31.25).abs() < 1e-9 && (curve.max - 93.75).abs() < 1e-9, "{curve:?}");
        // At 10 Mbit/s half of 5 ms would be 3.125 packets: the floor of 5 holds.
        let mut red = adaptive(10, &[]);
        assert_eq!((red.red.detection.curve.min, red.red.detection.curve.max), (5.0, 15.0));
        // The weight is 1 - exp(-1/1250) = 7.99680e-4: a first sample of 10 000 packets moves the average to 7.9968.
        red.on_arrival(&arrival(0.0), &waiting(10_000), &mut Scripted::new(&[0.0]));
        assert!((red.red.detection.average() - 7.9968).abs() < 1e-4, "{}", red.red.detection.average());
    }

    #[test]
    fn the_slope_rises_by_adding_and_falls_by_multiplying() {
        // Thresholds 5 and 15: the average should be from 9 to 11 packets.
        let fixed = [("weight", "1"), ("max_probability", "0.1")];
        assert_eq!(slope(&mut adaptive(10, &fixed), 9, 10), 0.1, "in the middle");
        assert!((slope(&mut adaptive(10, &fixed), 3, 12) - 0.13).abs() < 1e-12);
        assert!((slope(&mut adaptive(10, &fixed), 3, 8) - 0.0729).abs() < 1e-12, "0.1 * 0.9^3");
        // Below 0.04 a step up is a quarter: 0.02 * 1.25^2.
        let low = [("weight", "1"), ("max_probability", "0.02")];
        assert!((slope(&mut adaptive(10, &low), 2, 12) - 0.03125).abs() < 1e-12);
    }

    #[test]
    fn the_slope_stays_within_its_bounds() {
        let fixed = [("weight", "1")];
        assert_eq!(slope(&mut adaptive(10, &fixed), 1000, 14), 0.5);
        assert_eq!(slope(&mut adaptive(10, &fixed), 1000, 6), 0.01);
    }
}
