//! C4's signs of congestion (section 5): excessive delay, losses and marks, each with a threshold that falls
//! with the rate.

use crate::control::Ack;
use ackclock_base::Span;

/// Sections 5.3 and 5.4: the weight of a new sample in an average.
const WEIGHT: f64 = 1.0 / 16.0;
/// Section 5.5: the largest share of the rate that a sign of congestion takes, and the cap on the delay
/// threshold.
const MOST: f64 = 0.25;
const MOST_DELAY_SECONDS: f64 = 0.025;

/// A sign of congestion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A round trip above the recent maximum.
    Delay,
    /// Too many packets lost.
    Loss,
    /// Too many packets marked.
    Marks,
}

/// The averages of losses and marks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Signals {
    /// The share of packets that are lost.
    pub losses: f64,
    /// The share of packets that are marked.
    pub marks: f64,
    /// Whether any packet has ever been marked.
    pub has_seen_marks: bool,
}

/// Returns the sensitivity, 0 to 1, for a rate in bytes per second (section 5.1).
pub fn sensitivity(rate: f64) -> f64 {
    let between = |from: f64, to: f64| ((rate - from) / (to - from)).clamp(0.0, 1.0);
    0.92 * between(50e3, 1e6) + 0.08 * between(1e6, 10e6)
}

/// Returns the threshold of excess delay in seconds (section 5.2).
pub fn delay_threshold(sensitivity: f64, max_rtt: f64) -> f64 {
    ((1.0 + 3.0 * (1.0 - sensitivity)) / 16.0 * max_rtt).min(MOST_DELAY_SECONDS)
}

/// Returns the threshold of the share of losses (section 5.3).
pub fn loss_threshold(sensitivity: f64) -> f64 {
    0.02 + 0.5 * (1.0 - sensitivity)
}

/// Returns the threshold of the share of marks (section 5.4).
pub fn mark_threshold(sensitivity: f64) -> f64 {
    (2.0 - sensitivity) * 3.0 / 32.0
}

impl Signals {
    /// Records a lost packet.
    pub fn lose(&mut self) {
        self.losses += (1.0 - self.losses) * WEIGHT;
    }

    /// Updates the averages of losses and marks with an acknowledgement.
    pub fn take(&mut self, ack: &Ack) {
        if ack.newly_acked <= 0.0 {
            return;
        }
        if self.losses > 0.0 {
            self.losses *= libm::pow(1.0 - WEIGHT, ack.newly_acked);
        }
        self.has_seen_marks |= ack.marks > 0;
        if self.has_seen_marks {
            let share = (f64::from(ack.marks) / ack.newly_acked).min(1.0);
            self.marks = if share >= 0.5 { share } else { self.marks + (share - self.marks) * WEIGHT };
        }
    }

    /// Returns the present sign of congestion and the share of the rate that it takes, or `None` if there is
    /// none. `rate` is in bytes per second, `max_rtt` in seconds.
    pub fn congestion(&self, rate: f64, max_rtt: f64, rtt: Option<Span>) -> Option<(Kind, f64)> {
        let sensitivity = sensitivity(rate);
        if self.losses > loss_threshold(sensitivity) {
            return Some((Kind::Loss, MOST));
        }
        let marks = mark_threshold(sensitivity);
        if self.marks > marks {
            return Some((Kind::Marks, ((self.marks - marks) / marks).min(MOST)));
        }
        let threshold = delay_threshold(sensitivity, max_rtt);
        let excess = rtt.map_or(0.0, Span::seconds) - max_rtt - threshold;
        (excess > 0.0 && threshold > 0.0).then(|| (Kind::Delay, (excess / threshold).min(MOST)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thresholds_fall_with_the_rate() {
        // Bytes per second, sensitivity, threshold of losses, fraction of delay, threshold of marks: section 5, by hand.
        for (rate, s, losses, delay, marks) in [
            (40e3, 0.0, 0.52, 0.25, 0.1875),
            (525e3, 0.46, 0.29, 0.16375, 0.144375),
            (1e6, 0.92, 0.06, 0.0775, 0.10125),
            (5.5e6, 0.96, 0.04, 0.07, 0.0975),
            (10e6, 1.0, 0.02, 0.0625, 0.09375),
        ] {
            let found =
                [sensitivity(rate), loss_threshold(s), delay_threshold(s, 0.01) / 0.01, mark_threshold(s)];
            for (found, expected) in found.into_iter().zip([s, losses, delay, marks]) {
                assert!((found - expected).abs() < 1e-12, "{rate} B/s: {found} for {expected}");
            }
        }
        assert_eq!(delay_threshold(0.0, 1.0), MOST_DELAY_SECONDS);
    }

    #[test]
    fn a_loss_counts_a_sixteenth_and_fades_with_the_packets_that_arrive() {
        let mut signals = Signals::default();
        signals.lose();
        assert_eq!(signals.losses, 1.0 / 16.0);
        signals.take(&Ack { newly_acked: 2.0, ..Ack::default() });
        assert!((signals.losses - 225.0 / 256.0 / 16.0).abs() < 1e-15);
        // One loss makes 1/16. At ten megabytes per second that is above the threshold of 0.02; at 0.9
        // megabytes per second it is below that of 0.11 and no sign of congestion.
        signals.losses = 1.0 / 16.0;
        assert_eq!(signals.congestion(10e6, 0.1, None), Some((Kind::Loss, 0.25)));
        assert_eq!(signals.congestion(0.9e6, 0.1, None), None);
    }

    #[test]
    fn delay_and_marks_take_their_excess_in_parts_of_the_threshold() {
        // 100 ms at 10 MB/s: the threshold is 6.25 ms. 107.25 ms exceeds the sum by 1 ms, 0.16 of the
        // threshold; 110 ms by 0.6 of it, which is capped at a quarter.
        let quiet = Signals::default();
        let at = |ms: f64| quiet.congestion(10e6, 0.1, Some(Span::from_seconds(ms / 1e3)));
        assert_eq!(at(106.0), None);
        assert!(at(107.25).is_some_and(|(kind, beta)| kind == Kind::Delay && (beta - 0.16).abs() < 1e-6));
        assert_eq!(at(110.0), Some((Kind::Delay, 0.25)));
        // A share of at least half marked counts at once: 0.5 against 0.09375.
        let mut marked = Signals::default();
        marked.take(&Ack { newly_acked: 4.0, marks: 2, ..Ack::default() });
        assert_eq!(marked.congestion(10e6, 0.1, None), Some((Kind::Marks, 0.25)));
        marked.marks = 0.1;
        let (_, beta) = marked.congestion(10e6, 0.1, None).expect("a tenth is too much");
        assert!((beta - (0.1 - 0.09375) / 0.09375).abs() < 1e-12);
    }
}
