//! The part that RED and its descendants share: the average queue, and the probability that rises with it.

use crate::discipline::{LinkRate, Verdict};
use crate::entry;
use ackclock_base::{Packets, Random, Time};

/// The probability of an early drop as a function of the average queue.
#[derive(Clone, Copy, Debug)]
pub struct Curve {
    /// Average below which there are no early drops.
    pub min: Packets,
    /// Average at which the probability is `max_probability`.
    pub max: Packets,
    /// The probability at `max`.
    pub max_probability: f64,
    /// Whether the probability rises on to 1 at twice that average; otherwise it jumps to 1.
    pub gentle: bool,
    /// Whether even packets that can be marked are dropped above `max` or, on a gentle curve, when the
    /// probability is 1.
    pub drops_above_maximum: bool,
}

impl Curve {
    /// Returns the curve between two thresholds. If the upper threshold is below the lower one, it is raised
    /// to it, and the curve is a step.
    pub fn new(
        thresholds: [Packets; 2],
        max_probability: f64,
        gentle: bool,
        ecn: bool,
        drops: Option<bool>,
    ) -> Self {
        let [min, max] = thresholds;
        let drops_above_maximum = entry::drops_above_maximum(drops, ecn, max <= min);
        Self { min, max: max.max(min), max_probability, gentle, drops_above_maximum }
    }

    /// Returns the probability p_b at an average queue, before it is spread out.
    pub fn probability(&self, average: Packets) -> f64 {
        let Self { min, max, max_probability, gentle, .. } = *self;
        if average < max {
            max_probability * (average - min) / (max - min)
        } else if gentle && average < 2.0 * max {
            max_probability + (1.0 - max_probability) * (average - max) / max
        } else {
            1.0
        }
    }
}

/// Random early detection, without the queue that it observes.
#[derive(Clone, Debug)]
pub struct EarlyDetection {
    /// The curve; descendants move it.
    pub curve: Curve,
    weight: f64,
    /// The transmission time of a mean packet, for the samples that an idle link missed.
    packet_time_s: f64,
    average: Packets,
    /// Packets admitted since the last early drop or mark; negative below the lower threshold.
    since_drop: i64,
}

impl EarlyDetection {
    /// Creates the detection at rest, with `weight` for a new sample of the queue.
    pub fn new(curve: Curve, weight: f64, link: &LinkRate) -> Self {
        let packet_time_s = f64::from(link.mean_packet_bytes) / link.rate.bytes_per_second();
        Self { curve, weight, packet_time_s, average: 0.0, since_drop: -1 }
    }

    /// Updates the average queue (equation 2 of Floyd and Jacobson 1993). An idle time counts as the arrivals
    /// at an empty queue that it could have had.
    pub fn observe(&mut self, now: Time, waiting: u64, idle_since: Option<Time>) {
        if let Some(since) = idle_since {
            let missed = now.since(since).seconds() / self.packet_time_s;
            self.average *= libm::pow(1.0 - self.weight, libm::floor(missed));
        }
        // The cast goes through a signed type, which takes a processor one instruction to convert instead of
        // six.
        self.average += self.weight * (waiting as i64 as f64 - self.average);
    }

    /// Decides about the arrival. `Mark` means that a packet that cannot be marked is dropped.
    pub fn judge(&mut self, waiting: u64, random: &mut dyn Random) -> Verdict {
        let Self { curve, average, .. } = *self;
        if average < curve.min || waiting <= 1 {
            self.since_drop = -1;
            return Verdict::Admit;
        }
        let probability = curve.probability(average);
        if self.since_drop < 0 && probability < 1.0 {
            self.since_drop = 1; // the first arrival above the threshold is never dropped early
            return Verdict::Admit;
        }
        self.since_drop += 1;
        let chance = if probability >= 1.0 { 1.0 } else { self.spread(probability) };
        if random.uniform() >= chance {
            return Verdict::Admit;
        }
        self.since_drop = 0;
        // RFC 3168 section 7: above the upper threshold marking is not enough, unless the curve is gentle or
        // a step.
        let early = !curve.drops_above_maximum || average < curve.max || (curve.gentle && probability < 1.0);
        if early { Verdict::Mark } else { Verdict::Drop }
    }

    /// Called when an arrival was dropped for another reason: the next early drop keeps its distance from it.
    pub fn dropped(&mut self) {
        self.since_drop = 0;
    }

    /// Returns the average queue, in packets.
    pub fn average(&self) -> Packets {
        self.average
    }

    /// Returns the probability p_b spread out: gaps between early drops are uniform instead of geometric and
    /// at least 1/p long ("wait" in ns-2, on by default).
    fn spread(&self, probability: f64) -> f64 {
        let run = self.since_drop as f64 * probability;
        match () {
            () if run < 1.0 => 0.0,
            () if run < 2.0 => probability / (2.0 - run),
            () => 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Dice, at};
    use ackclock_base::{Rate, random::Scripted};

    const CURVE: Curve =
        Curve { min: 100.0, max: 300.0, max_probability: 0.1, gentle: true, drops_above_maximum: true };

    /// Creates a detection on a link that takes 1 ms for a mean packet.
    fn detection(weight: f64) -> EarlyDetection {
        let link = LinkRate { rate: Rate::from_bits_per_second(8_000_000), mean_packet_bytes: 1000 };
        EarlyDetection::new(CURVE, weight, &link)
    }

    #[test]
    fn the_average_follows_a_constant_queue_geometrically() {
        // avg_n = q (1 - (1 - w)^n): q = 100, w = 0.002, n = 500: 100 (1 - 0.998^500) = 63.25.
        let mut detection = detection(0.002);
        for _ in 0..500 {
            detection.observe(at(0.0), 100, None);
        }
        assert!((detection.average - 63.25).abs() < 0.01, "{}", detection.average);
    }

    #[test]
    fn an_idle_link_lets_the_average_decay() {
        // 1 ms per packet; idle for 500 ms: 500 missed samples of zero, 100 * 0.998^500 = 36.75, and one more.
        let mut detection = detection(0.002);
        detection.average = 100.0;
        detection.observe(at(500.0), 0, Some(at(0.0)));
        assert!((detection.average - 36.75 * 0.998).abs() < 0.01, "{}", detection.average);
    }

    #[test]
    fn the_probability_is_linear_then_gentle() {
        // Halfway: 0.1 / 2. Halfway of the gentle part: 0.1 + 0.9 / 2.
        assert!((CURVE.probability(200.0) - 0.05).abs() < 1e-12);
        assert!((CURVE.probability(450.0) - 0.55).abs() < 1e-12);
        assert_eq!(Curve { gentle: false, ..CURVE }.probability(450.0), 1.0);
    }

    #[test]
    fn gaps_between_early_drops_lie_between_one_and_two_over_p() {
        // With the waiting rule and p = 0.05 a gap is at least 1/p = 20 and at most 2/p = 40 arrivals, 30 on average.
        let mut detection = detection(1.0);
        let mut gaps = Vec::new();
        let mut gap = 0_u32;
        let mut dice = Dice(1);
        for _ in 0..100_000 {
            gap += 1;
            detection.observe(at(0.0), 200, None);
            if detection.judge(200, &mut dice) != Verdict::Admit {
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
    fn beyond_the_curve_the_first_arrival_is_dropped_too() {
        // The first arrival that finds the average above the lower threshold passes, except if every packet
        // is dropped: from 300 on, or 600 on the gentle curve.
        let judged = |average, gentle| {
            let mut detection = detection(1.0);
            detection.curve.gentle = gentle;
            detection.average = average;
            detection.judge(200, &mut Dice(1))
        };
        assert_eq!([judged(299.0, false), judged(599.0, true)], [Verdict::Admit; 2]);
        assert_eq!([judged(300.0, false), judged(600.0, true)], [Verdict::Drop; 2]);
    }

    #[test]
    fn beyond_the_curve_marks_are_not_enough() {
        let judged = |average, gentle| {
            let mut detection = detection(1.0);
            detection.curve.gentle = gentle;
            detection.average = average;
            detection.since_drop = 1000;
            detection.judge(200, &mut Dice(1))
        };
        assert_eq!(judged(200.0, false), Verdict::Mark);
        assert_eq!(judged(350.0, false), Verdict::Drop);
        assert_eq!(judged(350.0, true), Verdict::Mark);
        assert_eq!(judged(600.0, true), Verdict::Drop);
    }

    #[test]
    fn a_step_marks_if_marks_are_possible() {
        // RFC 8257 section 3.1: both thresholds are K. At K - 1 packets no packet is marked, at K every
        // packet is, gentle or not. Without ECN, or if drops are requested, the step drops; and marks may be
        // requested above any curve. A gentle curve begins at max_probability.
        let judged = |thresholds, packets, gentle, ecn, drops| {
            let link = LinkRate { rate: Rate::from_bits_per_second(8_000_000), mean_packet_bytes: 1000 };
            let curve = Curve::new(thresholds, if gentle { 1.0 } else { 0.1 }, gentle, ecn, drops);
            let mut detection = EarlyDetection::new(curve, 1.0, &link);
            detection.observe(at(0.0), packets, None);
            detection.judge(packets, &mut Dice(1))
        };
        let (step, ramp) = ([65.0, 65.0], [20.0, 65.0]);
        for gentle in [true, false] {
            assert_eq!(judged(step, 64, gentle, true, None), Verdict::Admit);
            assert_eq!(judged(step, 65, gentle, true, None), Verdict::Mark);
            assert_eq!(judged(step, 1000, gentle, true, None), Verdict::Mark);
            assert_eq!(judged(step, 1000, gentle, false, None), Verdict::Drop);
            assert_eq!(judged(step, 1000, gentle, true, Some(true)), Verdict::Drop);
            assert_eq!(judged(ramp, 1000, gentle, true, None), Verdict::Drop);
            assert_eq!(judged(ramp, 1000, gentle, true, Some(false)), Verdict::Mark);
        }
        // Thresholds in the wrong order are a step at the lower one.
        assert_eq!(judged([65.0, 20.0], 1000, true, true, None), Verdict::Mark);
    }

    #[test]
    fn below_the_threshold_and_with_a_packet_or_less_waiting_the_distance_starts_anew() {
        // p_b = 0.05 and a chance of 0 drop the 20th arrival above the threshold. 16 have passed, so the fourth from
        // there is dropped. If the 16th finds the average below 100, or no more than one packet in the queue (ns-2's
        // red.cc, qlen > 1), the count starts anew: the 20th from there is dropped.
        for (average, waiting, expected) in [(200.0, 200, 4), (99.0, 200, 20), (200.0, 1, 20)] {
            let mut detection = detection(1.0);
            let mut judged = |average, waiting| {
                detection.average = average;
                detection.judge(waiting, &mut Scripted::new(&[0.0]))
            };
            assert!((0..15).all(|_| judged(200.0, 200) == Verdict::Admit));
            assert_eq!(judged(average, waiting), Verdict::Admit);
            assert_eq!((1..100).find(|_| judged(200.0, 200) != Verdict::Admit), Some(expected));
        }
    }
}
