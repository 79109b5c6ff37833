//! Detects whether the marks come from a queue that also marks classic packets (RFC 3168), from the delay
//! that such a queue builds and from the delay's variation: RFC 9331 section 4.3 asks a sender to coexist
//! with classic flows in that case. The measure, its weights and its bounds are those of tcp_prague.c 0.6 of
//! the L4S team (`prague_classic_ecn_detection` and `prague_classic_ecn_fallback`), which counts in
//! microseconds and in fixed point.

use ackclock_base::{Packets, Span};

/// The deviation of the round trip that leaves the score unchanged, in seconds, and the weight of each
/// doubling of it.
const USUAL_DEVIATION: f64 = 750e-6;
const DEVIATION_WEIGHT: f64 = 0.5;

/// The depth of the queue up to which the score does not change, in seconds, and the weight of each doubling
/// of it.
const USUAL_DEPTH: f64 = 2e-3;
const DEPTH_WEIGHT: f64 = 0.5;

/// Up to the first score the queue is certainly an L4S queue; from one above it on it is a classic queue. The
/// second is the greatest score.
const CERTAIN: f64 = 8.0;
const MOST: f64 = 2.0 * CERTAIN + 1.0;

/// The share that a cut for a classic queue assumes as marked; the cut is half of it.
const CLASSIC_SHARE: f64 = 0.625;

/// The exponent of the slowest average, which is the initial one.
const SLOWEST: u32 = 18;

/// The smallest deviation, in seconds: the module's unit.
const LEAST_DEVIATION: f64 = 1e-6;

/// The averages of the round trip, and the score.
#[derive(Clone, Copy, Debug)]
pub struct ClassicQueue {
    /// The averages in seconds; the mean is 0 before the first sample.
    mean: f64,
    deviation: f64,
    /// The gain of the mean is 2 to the power of minus this; that of the deviation is half as much.
    shift: u32,
    score: f64,
}

impl Default for ClassicQueue {
    fn default() -> Self {
        Self { mean: 0.0, deviation: LEAST_DEVIATION, shift: SLOWEST, score: 0.0 }
    }
}

impl ClassicQueue {
    /// Sets the gain so that the averages span some sawteeth of a window of `window` packets: the exponent is
    /// 3/2 of its binary logarithm, plus one.
    pub fn set_gain(&mut self, window: Packets) {
        let exponent = libm::log2(window.clamp(1.0, 1e9)).floor() as u32;
        self.shift = (exponent + exponent / 2 + 1).min(SLOWEST);
    }

    /// Updates the averages with a round trip.
    pub fn take(&mut self, rtt: Span) {
        let rtt = rtt.seconds();
        if self.mean == 0.0 {
            self.mean = rtt;
            return;
        }
        let gain = 1.0 / f64::from(1_u32 << self.shift);
        let error = rtt - self.mean;
        self.mean += gain * error;
        self.deviation += gain / 2.0 * (error.abs() - self.deviation);
    }

    /// Updates the score at the end of a period, once marks have been seen.
    pub fn judge(&mut self, min_rtt: Span) {
        if self.mean == 0.0 || min_rtt == Span::MAX {
            return;
        }
        let deviation = self.deviation.max(LEAST_DEVIATION) / USUAL_DEVIATION;
        let depth = ((self.mean - min_rtt.seconds()) / USUAL_DEPTH).max(1.0);
        let change = DEVIATION_WEIGHT * libm::log2(deviation) + DEPTH_WEIGHT * libm::log2(depth);
        self.score = (self.score + change).clamp(0.0, MOST);
    }

    /// Returns the score, from 0 to 17.
    pub fn score(&self) -> f64 {
        self.score
    }

    /// Returns the least share of marked packets that a cut assumes. It rises with the score, from 0 for an
    /// L4S queue to 5/8 for a classic one.
    pub fn share(&self) -> f64 {
        CLASSIC_SHARE * (self.score - CERTAIN).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a queue whose averages have settled on this deviation, and on a mean `depth` above 10 ms, both
    /// in microseconds.
    fn settled(deviation: f64, depth: f64) -> ClassicQueue {
        ClassicQueue { mean: 0.01 + depth * 1e-6, deviation: deviation * 1e-6, ..ClassicQueue::default() }
    }

    fn judged(queue: ClassicQueue, periods: u32) -> ClassicQueue {
        let mut queue = queue;
        (0..periods).for_each(|_| queue.judge(Span::from_millis(10)));
        queue
    }

    #[test]
    fn each_doubling_of_deviation_and_depth_adds_a_half() {
        // lg(3000 / 750) / 2 = 1, lg(8000 / 2000) / 2 = 1; a depth below 2 ms does not reduce the score, a
        // small deviation does.
        for (deviation, depth, score) in
            [(750.0, 2000.0, 0.0), (3000.0, 0.0, 1.0), (3000.0, 8000.0, 2.0), (750.0, 8000.0, 1.0)]
        {
            let found = judged(settled(deviation, depth), 1).score();
            assert!((found - score).abs() < 1e-9, "{deviation} us, {depth} us: {found}");
        }
        let after = judged(ClassicQueue { score: 5.0, ..settled(375.0, 1000.0) }, 1);
        assert!((after.score() - 4.5).abs() < 1e-9);
    }

    #[test]
    fn a_classic_queue_counts_as_five_eighths_marked_after_five_periods() {
        // Two per period: 8 after four, where the transition begins; 10 after five. The greatest is 17; five
        // periods with half the usual deviation take a half each and lead to 14.5.
        let queue = settled(3000.0, 8000.0);
        assert_eq!(judged(queue, 4).share(), 0.0);
        assert!((judged(queue, 5).share() - 0.625).abs() < 1e-9);
        let most = judged(queue, 100);
        assert!((most.score() - 17.0).abs() < 1e-9);
        let quiet = ClassicQueue { score: most.score(), ..settled(375.0, 0.0) };
        assert!((judged(quiet, 5).score() - 14.5).abs() < 1e-9);
    }

    #[test]
    fn the_averages_span_some_sawteeth() {
        // Windows of 2, 100 and infinity, which counts as 1e9: floor(lg) = 1, 6 and 29. 3/2 of it, rounded
        // down, plus one is 2, 10 and 44; the greatest exponent is 18.
        for (window, shift) in [(2.0, 2), (100.0, 10), (f64::INFINITY, 18)] {
            let mut queue = ClassicQueue::default();
            queue.set_gain(window);
            assert_eq!(queue.shift, shift);
        }
        // Gains 1/4 and 1/8: from 10 ms, a sample of 14 ms adds 1 ms to the mean, and an eighth of 4 ms less
        // the old value to the deviation.
        let mut queue = ClassicQueue::default();
        queue.set_gain(2.0);
        queue.take(Span::from_millis(10));
        queue.take(Span::from_millis(14));
        assert!((queue.mean - 0.011).abs() < 1e-12);
        assert!((queue.deviation - (1e-6 + (4e-3 - 1e-6) / 8.0)).abs() < 1e-12);
    }
}
