//! LEDBAT++ (draft-irtf-iccrg-ledbat-plus-plus): LEDBAT on the round trip, with a gain that depends on the
//! base delay, a decrease that grows with the window, a gentle start, and slowdowns in which the flow drains
//! its queue to measure the delay without it.

use super::ledbat::delays::{BaseDelay, CurrentDelay};
use super::round_trips::RoundTrips;
use crate::classic::{Classic, Window, WindowLaw};
use crate::control::{Ack, Loss, Phase, Timeout};
use crate::entry::{Build, Entry, PublishedDefaults, control};
use ackclock_base::{Packets, Range, Span, Time, parameters};

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "ledbat++",
        "LEDBAT++: keeps the queueing delay, derived from RTTs, below a target; slows down periodically to \
         measure the base RTT",
        "draft-irtf-iccrg-ledbat-plus-plus-01 sections 4.2 to 4.4",
        Parameters::TABLE,
    ),
    build: Build::Alone(|values, initial| {
        Box::new(Classic::new(LedbatPlusPlus::new(values.into()), initial))
    }),
    published: PublishedDefaults::recovery("sack"),
};

parameters! {
    /// The target, and how it is kept.
    pub struct Parameters {
        /// Target below which the control keeps the queueing delay
        target: Span = time("60 ms", Range { min: 0.0, max: 10.0, above_min: true }, "LEDBAT++ draft, section 4.2"),
        /// Fraction of the window that is removed per round trip while the queueing delay is twice the target; the
        /// reduction is proportional to the excess over the target, and at most half of the window
        constant: f64 = number("1", Range::at_least(0.0), "LEDBAT++ draft, section 4.3, Constant"),
        /// Time from the end of a slowdown to the next slowdown, as a multiple of the slowdown's length; a slowdown
        /// ends when the window has grown back
        pause: f64 = number(
            "9",
            Range::between(1.0, 1e6),
            "LEDBAT++ draft, section 4.4: slowdowns take at most a tenth of the time",
        ),
    }
}

/// Section 4.2: the gain is at least the inverse of this.
const LEAST_GAIN: f64 = 16.0;

/// Section 4.4: the first slow start ends at this part of the target, and a slowdown lasts this many rounds
/// at this window.
const START_ENDS: f64 = 0.75;
const SLOW_ROUNDS: u32 = 2;
const MIN_CWND: Packets = 2.0;

/// RFC 6817 section 2.5, and the filter of LEDBAT in ns-3.
const BASE_MINUTES: usize = 10;
const CURRENT_SAMPLES: usize = 4;

/// A window steered by the delay of the round trip.
#[derive(Clone, Debug)]
pub struct LedbatPlusPlus {
    parameters: Parameters,
    base: BaseDelay,
    current: CurrentDelay,
    round_trips: RoundTrips,
    stage: Stage,
}

/// The stage of the cycle of slowdowns.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stage {
    /// The first slow start.
    Starting,
    /// The rounds between slow start and the first slowdown.
    Started { rounds: u32 },
    /// A slowdown: its start, and its rounds so far.
    Slow { since: Time, rounds: u32 },
    /// The slow start back to the window before the slowdown.
    Returning { since: Time },
    /// The time until the next slowdown.
    Steady { until: Time },
}

impl LedbatPlusPlus {
    /// Creates the law before the first sample. The target is at least a nanosecond.
    pub fn new(parameters: Parameters) -> Self {
        let target = parameters.target.max(Span::from_nanos(1));
        Self {
            parameters: Parameters { target, ..parameters },
            base: BaseDelay::new(BASE_MINUTES),
            current: CurrentDelay::new(CURRENT_SAMPLES),
            round_trips: RoundTrips::default(),
            stage: Stage::Starting,
        }
    }

    /// Returns the gain `1 / min(16, ceil(2 TARGET / base))` (section 4.2).
    fn gain(&self) -> f64 {
        let base = self.base.least().unwrap_or(Span::MAX).seconds().max(1e-9);
        1.0 / libm::ceil(2.0 * self.parameters.target.seconds() / base).clamp(1.0, LEAST_GAIN)
    }

    /// Returns the present queueing delay in units of the target; zero before the first sample.
    fn delay(&self) -> f64 {
        let waits = self.current.least().zip(self.base.least());
        let queueing = waits.map_or(Span::ZERO, |(current, base)| current.saturating_sub(base));
        queueing.seconds() / self.parameters.target.seconds()
    }

    /// Returns the change of the window, in packets, for a round above the target (section 4.3).
    fn reduction(&self, cwnd: Packets) -> Packets {
        let change = self.gain() - self.parameters.constant * cwnd * (self.delay() - 1.0);
        change.max(-cwnd / 2.0)
    }

    /// Begins a slowdown (section 4.4).
    fn slow_down(&mut self, window: &mut Window, now: Time) {
        self.stage = Stage::Slow { since: now, rounds: 0 };
        *window = Window { ssthresh: window.cwnd, cwnd: MIN_CWND.min(window.cwnd) };
    }

    /// Moves to the next stage when a round has ended or the window has reached its threshold again.
    fn advance(&mut self, window: &mut Window, ack: &Ack, round_ended: bool) {
        let back = window.cwnd >= window.ssthresh;
        match &mut self.stage {
            Stage::Starting if back => self.stage = Stage::Started { rounds: 0 },
            Stage::Started { rounds } if round_ended => {
                *rounds += 1;
                if *rounds >= SLOW_ROUNDS {
                    self.slow_down(window, ack.now);
                }
            }
            Stage::Slow { since, rounds } if round_ended => {
                *rounds += 1;
                if *rounds >= SLOW_ROUNDS {
                    self.stage = Stage::Returning { since: *since };
                }
            }
            Stage::Returning { since } if back => {
                let until = ack.now + ack.now.since(*since).scale(self.parameters.pause);
                self.stage = Stage::Steady { until };
            }
            Stage::Steady { until } if ack.now >= *until => self.slow_down(window, ack.now),
            _ => {}
        }
    }
}

impl WindowLaw for LedbatPlusPlus {
    fn observe(&mut self, window: &mut Window, ack: &Ack) {
        if let Some(rtt) = ack.rtt {
            self.base.sample(ack.now, rtt);
            self.current.sample(rtt);
        }
        let round_ended = self.round_trips.observe(ack).is_some();
        if self.stage == Stage::Starting && self.delay() > START_ENDS {
            window.ssthresh = window.ssthresh.min(window.cwnd);
        }
        if round_ended && self.delay() > 1.0 && window.cwnd >= window.ssthresh {
            let change = self.reduction(window.cwnd);
            // Just above the target the gain outweighs the decrease, and a repaired or marked window does not grow.
            let change = if ack.phase == Phase::Open { change } else { change.min(0.0) };
            window.cwnd = (window.cwnd + change).max(MIN_CWND.min(window.cwnd));
            window.ssthresh = window.ssthresh.min(window.cwnd);
        }
        self.advance(window, ack, round_ended);
    }

    fn slow_start(&mut self, window: &mut Window, ack: &Ack) {
        if !matches!(self.stage, Stage::Slow { .. }) {
            window.slow_start(self.gain() * ack.abc_increment);
        }
    }

    fn avoid_congestion(&mut self, window: &mut Window, ack: &Ack) {
        if self.delay() <= 1.0 {
            window.cwnd += self.gain() * ack.abc_increment / window.cwnd;
        }
    }

    fn decrease(&mut self, from: Packets, _loss: &Loss) -> Packets {
        (from / 2.0).max(MIN_CWND).min(from)
    }

    /// Starts over (RFC 5681 section 3.1). The time until the window has reached the new threshold counts as a
    /// slowdown: the next one follows `pause` times as long after it.
    fn on_timeout(&mut self, window: &mut Window, timeout: &Timeout) {
        window.start_over(timeout);
        self.stage = Stage::Returning { since: timeout.now };
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("queueing_delay_s", self.delay() * self.parameters.target.seconds());
        series("slows_down", f64::from(u8::from(matches!(self.stage, Stage::Slow { .. }))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::Script;

    /// Creates the law after a round trip of `base` and some of `base + delay`, in milliseconds.
    fn law(base: u64, delay: u64) -> LedbatPlusPlus {
        let mut law = LedbatPlusPlus::new(Parameters::default());
        law.base.sample(Time::ZERO, Span::from_millis(base));
        (0..CURRENT_SAMPLES).for_each(|_| law.current.sample(Span::from_millis(base + delay)));
        law
    }

    #[test]
    fn the_gain_is_one_in_twice_the_target_over_the_base_and_one_in_16_at_least() {
        for (base, divisor) in
            [(5, 16.0), (10, 12.0), (40, 3.0), (60, 2.0), (100, 2.0), (120, 1.0), (200, 1.0)]
        {
            assert_eq!(law(base, 0).gain(), 1.0 / divisor, "{base} ms");
        }
    }

    #[test]
    fn above_the_target_a_round_takes_in_proportion_and_half_at_most() {
        // Gain 1/2: 0.5 - 100 (63 / 60 - 1) = -4.5; 0.5 - 100 (90 / 60 - 1) = -49.5; at 120 ms -99.5, limited
        // to half.
        for (delay, change) in [(63, -4.5), (90, -49.5), (120, -50.0)] {
            assert!((law(60, delay).reduction(100.0) - change).abs() < 1e-9, "{delay} ms");
        }
    }

    #[test]
    fn slow_start_adds_the_gain_and_the_first_ends_at_three_quarters_of_the_target() {
        // Base 40 ms: a third of a packet per acknowledgement. 45 ms are three quarters of 60.
        let mut script = Script::new("ledbat++").window(10.0);
        (0..3).for_each(|_| script.ack_with_rtt(40));
        assert!((script.cwnd() - 11.0).abs() < 1e-9);
        (0..4).for_each(|_| script.ack_with_rtt(85));
        assert!(script.ssthresh().is_infinite());
        (0..4).for_each(|_| script.ack_with_rtt(86));
        assert!(script.ssthresh().is_finite());
    }

    #[test]
    fn below_the_target_a_window_of_acknowledgements_adds_the_gain() {
        let mut script = Script::new("ledbat++").window(20.0).starting_ssthresh(2.0);
        script.ack_with_rtt(60);
        assert!((script.cwnd() - 20.025).abs() < 1e-9);
    }

    /// Plays rounds of 100 ms until a slowdown begins (`slow` is 1) or ends (0); returns their number.
    fn rounds_until(script: &mut Script, slow: f64) -> u32 {
        let mut rounds = 0;
        while script.published("slows_down") != slow && rounds < 200 {
            let window = script.cwnd() as u32;
            script.acks_over(window, 100);
            rounds += 1;
        }
        rounds
    }

    #[test]
    fn slowdowns_take_two_rounds_and_come_after_nine_times_as_long() {
        // From 20 packets at 100 ms with gain 1/2: two rounds after slow start, two rounds at two packets,
        // and back to 20 at a factor of 1.5 a round: ln(10) / ln(1.5) = 5.7 rounds. The slowdown takes some 8
        // to 9 rounds, and the next comes 9 times that later.
        let mut script = Script::new("ledbat++").window(20.0).starting_ssthresh(20.0);
        let first = rounds_until(&mut script, 1.0);
        assert!((2..=4).contains(&first), "{first}");
        assert_eq!(script.cwnd(), 2.0);
        assert!(script.ssthresh() >= 20.0);
        let slow = rounds_until(&mut script, 0.0);
        assert!((2..=3).contains(&slow), "{slow}");
        let mut back = 0;
        while script.cwnd() < script.ssthresh() {
            let window = script.cwnd() as u32;
            script.acks_over(window, 100);
            back += 1;
        }
        assert!((5..=8).contains(&back), "{back}");
        let pause = rounds_until(&mut script, 1.0);
        let whole = f64::from(slow + back);
        assert!((8.0..=10.5).contains(&(f64::from(pause) / whole)), "{pause} after {whole}");
    }

    #[test]
    fn a_loss_halves_but_not_below_two() {
        let mut script = Script::new("ledbat++").window(10.0).starting_ssthresh(10.0);
        for window in [5.0, 2.5, 2.0, 2.0] {
            script.loss();
            assert_eq!(script.cwnd(), window);
        }
    }
}
