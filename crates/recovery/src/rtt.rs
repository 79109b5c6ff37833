//! The round trip and the retransmission timeout (RFC 6298). No other module estimates a round trip.

use crate::declared::Timer;
use ackclock_base::{Span, Time, choice};

/// A smoothed round trip and its mean deviation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Smoothed {
    /// SRTT; zero before the first sample.
    pub mean: Span,
    /// RTTVAR.
    pub deviation: Span,
}

impl Smoothed {
    /// Takes a sample (RFC 6298 sections 2.2 and 2.3).
    #[inline]
    fn take(&mut self, sample: Span) {
        if self.mean == Span::ZERO {
            self.mean = sample;
            self.deviation = sample / 2;
        } else {
            let distance = self.mean.abs_diff(sample);
            self.deviation = (self.deviation * 3 + distance) / 4;
            self.mean = (self.mean * 7 + sample) / 8;
        }
    }
}

/// The smoothed round trip for the timer, in whole ticks as BSD and ns-2 keep it: eight times the mean and
/// four times the deviation. Integer rounding keeps the deviation from falling below three quarters of a
/// tick, so a timeout stays above a steady round trip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Ticks {
    mean_8: u64,
    deviation_4: u64,
}

impl Ticks {
    fn take(&mut self, ticks: u64) {
        if self.mean_8 == 0 {
            //= RFC 6298 section 2.2: the first round-trip sample R sets SRTT to R and RTTVAR to R / 2
            *self = Self { mean_8: ticks * 8, deviation_4: ticks * 2 };
            return;
        }
        let mean = self.mean_8 / 8;
        //= RFC 6298 section 2.3: each later round-trip sample updates SRTT with weight 1/8 and RTTVAR with weight 1/4
        self.mean_8 = (self.mean_8 + ticks - mean).max(1);
        //= RFC 6298 section 4: the variance term is never less than a tick of the clock
        self.deviation_4 = (self.deviation_4 + ticks.abs_diff(mean) - self.deviation_4 / 4).max(1);
    }
}

choice! {
    /// The quantity that the minimum timeout bounds.
    pub enum MinBounds {
        /// The timeout (RFC 6298 section 2.4).
        Timeout = "timeout",
        /// The difference between the timeout and the smoothed round trip, four deviations (Linux
        /// net/ipv4/tcp_input.c, tcp_rtt_estimator).
        Deviation = "deviation",
        /// The timeout with its back-off factor (ns-2 before 2002, and with `rfc2988_ false`).
        BackedOff = "backed-off",
    }
}

/// The sender's estimate of its round trip.
#[derive(Clone, Debug)]
pub struct RttEstimator {
    timer: Timer,
    /// What the minimum of the timer bounds.
    min_bounds: MinBounds,
    /// The smoothed round trip of every sample, at the clock's full resolution, for controls.
    fine: Smoothed,
    /// The smoothed round trip of the samples that the timer may use, in ticks.
    coarse: Ticks,
    /// The timeout without back-off, which changes with `coarse` alone.
    base: Span,
    min: Span,
    /// The newest sample of an acknowledgement that reports its delay; zero before the first.
    newest: Span,
}

impl RttEstimator {
    /// Creates an estimator without samples. `min_bounds` says what the minimum of `timer` bounds.
    pub fn new(timer: Timer, min_bounds: MinBounds) -> Self {
        //= RFC 6298 section 2.1: until a round-trip time is measured, the timeout is the initial timeout
        let base = timer.initial_rto.max(timer.min_rto);
        Self {
            timer,
            min_bounds,
            fine: Smoothed::default(),
            coarse: Ticks::default(),
            base,
            min: Span::MAX,
            newest: Span::ZERO,
        }
    }

    /// Takes a round trip sample for the controls. The timeout does not change.
    #[inline]
    pub fn sample(&mut self, rtt: Span) {
        self.fine.take(rtt.max(Span::from_nanos(1)));
        self.min = self.min.min(rtt);
    }

    /// Takes a round trip sample for the controls, from an acknowledgement that the receiver delayed by
    /// `delay`. The delay is subtracted, unless the sample would then be below the least round trip (RFC 9002
    /// section 5.3).
    pub fn sample_held(&mut self, rtt: Span, delay: Span) {
        self.newest = rtt;
        //= RFC 9002 section 5.2 least: min_rtt is the minimum of the RTT samples
        self.min = self.min.min(rtt);
        //= RFC 9002 section 5.3 delay: the acknowledgement delay is not subtracted from a sample if the result would be below min_rtt
        let adjusted = if rtt >= self.min + delay { rtt.saturating_sub(delay) } else { rtt };
        self.fine.take(adjusted.max(Span::from_nanos(1)));
    }

    //= RFC 9002 section 5.2 persistent: persistent congestion sets min_rtt to the newest sample
    /// Replaces the least round trip by the newest sample after persistent congestion (RFC 9002 section 5.2).
    pub fn forget_min(&mut self) {
        if self.newest > Span::ZERO {
            self.min = self.newest;
        }
    }

    /// Takes the round trip of a handshake for the controls. Handshake packets are small and may be faster
    /// than data can be, so the sample does not count for the least round trip.
    pub fn sample_of_handshake(&mut self, rtt: Span) {
        self.fine.take(rtt.max(Span::from_nanos(1)));
    }

    /// Takes a round trip for the timer as a coarse clock reads it: the difference of two tick counts, at
    /// least one.
    pub fn sample_for_timer(&mut self, sent: Time, now: Time) {
        let tick = self.timer.tick.nanos().max(1);
        // The other end may echo a time in the future, which counts as a round trip of one tick.
        let ticks = (now.nanos() / tick).saturating_sub(sent.nanos() / tick).max(1);
        self.coarse.take(ticks);
        let Ticks { mean_8, deviation_4 } = self.coarse;
        let Timer { tick, min_rto: min, .. } = self.timer;
        self.base = match self.min_bounds {
            MinBounds::Timeout => (tick * (mean_8 / 8 + deviation_4)).max(min),
            MinBounds::Deviation => tick * (mean_8 / 8) + (tick * deviation_4).max(min),
            MinBounds::BackedOff => tick * (mean_8 / 8 + deviation_4),
        };
    }

    /// Returns the timeout multiplied by a back-off factor, within its bounds (RFC 6298 sections 2.4, 2.5 and
    /// 5.5).
    pub fn timeout(&self, factor: f64) -> Span {
        let backed_off = if factor == 1.0 { self.base } else { self.base.scale(factor) };
        //= RFC 6298 section 2.4: the retransmission timeout is at least the minimum, `min_rto`
        //= RFC 6298 section 2.5: the retransmission timeout is at most the maximum, `max_rto`
        backed_off.max(self.timer.min_rto).min(self.timer.max_rto)
    }

    /// Returns the smoothed round trip of all samples; zeros before the first.
    pub fn fine(&self) -> Smoothed {
        self.fine
    }

    /// Returns the least round trip; [`Span::MAX`] before the first sample.
    pub fn min(&self) -> Span {
        self.min
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMER: Timer = Timer {
        tick: Span::from_millis(10),
        min_rto: Span::from_millis(200),
        max_rto: Span::from_millis(60_000),
        initial_rto: Span::from_millis(3000),
    };

    fn timer_samples(estimator: &mut RttEstimator, millis: &[u64]) {
        for ms in millis {
            estimator.sample_for_timer(Time::ZERO, Time::ZERO + Span::from_millis(*ms));
        }
    }

    //= test RFC 6298 section 2.1
    //= test RFC 6298 section 2.2
    //= test RFC 6298 section 2.3
    #[test]
    fn the_timeout_follows_rfc_6298() {
        let mut estimator = RttEstimator::new(TIMER, MinBounds::Timeout);
        assert_eq!(estimator.timeout(1.0), Span::from_millis(3000));
        // After a first sample of 100 ms, SRTT is 100, RTTVAR 50 and RTO 100 + 4 * 50 = 300 ms.
        timer_samples(&mut estimator, &[100]);
        assert_eq!(estimator.timeout(1.0), Span::from_millis(300));
        // After 180 ms, RTTVAR is (3 * 50 + 80) / 4 = 57.5, SRTT (7 * 100 + 180) / 8 = 110 and RTO 110 + 230
        // = 340 ms.
        timer_samples(&mut estimator, &[180]);
        assert_eq!(estimator.timeout(1.0), Span::from_millis(340));
        assert_eq!(estimator.timeout(4.0), Span::from_millis(1360));
    }

    #[test]
    fn the_minimum_may_bound_the_timeout_with_its_back_off() {
        let mut estimator = RttEstimator::new(TIMER, MinBounds::BackedOff);
        // After a first sample of 40 ms, the timeout is 40 + 4 * 20 = 120 ms, less than the minimum of 200
        // ms. Twice 120 ms is more.
        timer_samples(&mut estimator, &[40]);
        let timeouts = [1.0, 2.0, 4.0].map(|factor| estimator.timeout(factor));
        assert_eq!(timeouts, [200, 240, 480].map(Span::from_millis));
    }

    #[test]
    fn in_linux_the_minimum_bounds_the_timeout_less_the_round_trip() {
        let mut estimator = RttEstimator::new(TIMER, MinBounds::Deviation);
        // After a first sample of 100 ms, four deviations are 200 ms, exactly the minimum. After 140 ms, SRTT
        // is (7 * 100 + 140) / 8 = 105 ms, or 100 ms in ticks, and four deviations are (3 * 200 + 4 * 40) / 4
        // = 190 ms, raised to 200 ms.
        timer_samples(&mut estimator, &[100]);
        assert_eq!(estimator.timeout(1.0), Span::from_millis(300));
        timer_samples(&mut estimator, &[140]);
        assert_eq!(estimator.timeout(1.0), Span::from_millis(300));
        // The round trip is steady at 300 ms, where RFC 6298 would give 330 ms.
        timer_samples(&mut estimator, &[300; 300]);
        assert_eq!(estimator.timeout(1.0), Span::from_millis(500));
        assert_eq!(estimator.timeout(2.0), Span::from_millis(1000));
    }

    //= test RFC 9002 section 5.2 least
    //= test RFC 9002 section 5.3 delay
    #[test]
    fn a_delayed_acknowledgement_counts_without_its_delay_but_not_below_the_least_round_trip() {
        // RFC 9002 section 5.3: the first sample is 100 ms. Of 130 ms, 25 ms were delay: 105 ms count. Of 110
        // ms, 25 ms were delay, and 85 < 100: all 110 ms count.
        let mut estimator = RttEstimator::new(TIMER, MinBounds::Timeout);
        let ms = Span::from_millis;
        estimator.sample_held(ms(100), ms(25));
        assert_eq!((estimator.fine().mean, estimator.min()), (ms(100), ms(100)));
        estimator.sample_held(ms(130), ms(25));
        assert_eq!(estimator.fine().mean, Span::from_nanos((7 * 100_000_000 + 105_000_000) / 8));
        let before = estimator.fine().mean;
        estimator.sample_held(ms(110), ms(25));
        assert_eq!(estimator.fine().mean, (before * 7 + ms(110)) / 8);
    }

    //= test RFC 6298 section 2.4
    //= test RFC 6298 section 2.5
    //= test RFC 6298 section 4
    #[test]
    fn the_timeout_keeps_its_bounds_and_granularity() {
        let mut estimator = RttEstimator::new(TIMER, MinBounds::Timeout);
        // A clock of 10 ms reads 7 ms as one tick: the RTO is 10 + 4 * 5 = 30 ms, below the minimum of 200
        // ms.
        timer_samples(&mut estimator, &[7]);
        assert_eq!(estimator.timeout(1.0), Span::from_millis(200));
        assert_eq!(estimator.timeout(1e6), Span::from_millis(60_000));
        // With a steady round trip of 30 ticks, four deviations shrink to 3 ticks and no further: 30 + 3 = 33
        // ticks.
        timer_samples(&mut estimator, &[300; 300]);
        assert_eq!(estimator.timeout(1.0), Span::from_millis(330));
    }

    //= test RFC 9002 section 5.2 persistent
    #[test]
    fn persistent_congestion_leaves_the_newest_round_trip_as_the_least() {
        let mut estimator = RttEstimator::new(TIMER, MinBounds::Timeout);
        estimator.forget_min();
        assert_eq!(estimator.min(), Span::MAX, "there is no sample yet");
        for ms in [100, 60, 80] {
            estimator.sample_held(Span::from_millis(ms), Span::ZERO);
        }
        assert_eq!(estimator.min(), Span::from_millis(60));
        estimator.forget_min();
        assert_eq!(estimator.min(), Span::from_millis(80));
    }
}
