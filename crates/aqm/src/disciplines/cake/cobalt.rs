//! Cobalt: CoDel, which signals to responsive flows, and BLUE, which drops packets of unresponsive ones
//! (Høiland-Jørgensen, Täht and Morton 2018 section III-C; Linux, sch_cake.c, cobalt_should_drop). CoDel's
//! first signal and the following ones use the same control law: both delays are an interval over the root of
//! `count`.

use super::MTU_BYTES;
use crate::discipline::Arrival;
use ackclock_base::{Random, Rate, Size, Span, Time};

/// The settings shared by all queues.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The acceptable waiting time.
    pub target: Span,
    /// The time for which it may be exceeded.
    pub interval: Span,
    /// The shaper's time for an MTU; zero without a shaper.
    mtu_time: Span,
    /// Whether packets that can be marked are marked.
    ecn: bool,
}

impl Settings {
    /// Returns Linux's settings for a round trip and a rate (cake_set_rate): the target is a twentieth of the
    /// round trip, but at least one and a half times the time for an MTU; the interval grows by as much as
    /// the target, and is at least twice the target.
    pub fn new(rtt: Span, rate: Option<Rate>, ecn: bool) -> Self {
        let mtu_time = rate.map_or(Span::ZERO, |rate| rate.time_to_send(Size::from_bytes(MTU_BYTES)));
        let wanted = Span::from_nanos((rtt.nanos() / 20).max(1));
        let target = wanted.max(mtu_time.scale(1.5));
        let interval = (rtt + Span::from_nanos(target.nanos() - wanted.nanos())).max(target * 2);
        Self { target, interval, mtu_time, ecn }
    }
}

/// BLUE's step up: 1/256 (cake_set_rate, p_inc).
const INCREMENT: f64 = 1.0 / 256.0;
/// BLUE's step down: 1/4096 (cake_set_rate, p_dec).
const DECREMENT: f64 = 1.0 / 4096.0;

/// The decision about the packet at the head of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Send it.
    Send,
    /// Mark and send it.
    Mark,
    /// Drop it, unless it is the last of its queue.
    Drop,
}

/// The state of one queue.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cobalt {
    /// CoDel's count of signals. It falls while packets wait no longer than the target, at the times at which
    /// it would rise otherwise.
    count: u32,
    /// Whether packets wait longer than the target.
    above: bool,
    /// The time at which CoDel next signals or forgets a signal.
    next: Time,
    /// BLUE's probability.
    probability: f64,
    /// The time of the last change of that probability.
    stepped: Time,
    /// Whether the queue has been empty since it was last found empty.
    rests: bool,
}

impl Cobalt {
    /// Decides about the packet that arrived as `arrival` and is next to leave at `now`.
    pub fn decide(
        &mut self,
        arrival: &Arrival,
        now: Time,
        settings: &Settings,
        random: &mut dyn Random,
    ) -> Outcome {
        let is_due = self.count > 0 && self.next <= now;
        let waited = now.since(arrival.now);
        if waited > settings.target && waited > settings.mtu_time * 4 {
            if !self.above {
                self.above = true;
                self.next = now + self.distance(settings);
            }
            self.count = self.count.max(1);
        } else {
            self.above = false;
        }
        let mut outcome = Outcome::Send;
        if is_due && self.above {
            let marks = settings.ecn && arrival.ecn.is_capable();
            outcome = if marks { Outcome::Mark } else { Outcome::Drop };
            self.count = self.count.saturating_add(1);
            self.next += self.distance(settings);
        } else if !self.above {
            self.forget_until(now, settings);
        }
        // Linux drops here even a packet that it could mark: this part is for unresponsive flows.
        if self.probability > 0.0 && outcome != Outcome::Drop && random.uniform() < self.probability {
            outcome = Outcome::Drop;
        }
        // Signals that are overdue after a mark are not made up for by a burst of marks.
        if self.count > 0 && outcome != Outcome::Drop {
            self.next = self.next.max(now);
        }
        outcome
    }

    /// Called when a packet of the queue was dropped for lack of room: BLUE steps up, and CoDel signals at
    /// once (cobalt_queue_full).
    pub fn overflowed(&mut self, now: Time, settings: &Settings) {
        if now.since(self.stepped) > settings.target {
            self.probability = (self.probability + INCREMENT).min(1.0);
            self.stepped = now;
        }
        self.above = true;
        self.next = now;
        self.count = self.count.max(1);
    }

    /// Called when the queue is found empty: BLUE steps down (cobalt_queue_empty). CoDel forgets the signals that
    /// are due when the next packet arrives, in [`wake`](Self::wake).
    pub fn emptied(&mut self, now: Time, settings: &Settings) {
        if self.probability > 0.0 && now.since(self.stepped) > settings.target {
            self.probability = (self.probability - DECREMENT).max(0.0);
            self.stepped = now;
        }
        self.above = false;
        self.rests = true;
    }

    /// Called when a packet arrives at an empty queue: catches up with the time since the queue was found
    /// empty, as if it had been found empty again whenever a step was due.
    pub fn wake(&mut self, now: Time, settings: &Settings) {
        if !std::mem::take(&mut self.rests) {
            return;
        }
        if self.probability > 0.0 {
            let due = now.since(self.stepped).nanos().saturating_sub(1) / settings.target.nanos();
            let steps = due.min(libm::ceil(self.probability / DECREMENT) as u64);
            self.probability = (self.probability - DECREMENT * steps as f64).max(0.0);
            self.stepped += settings.target * steps;
        }
        self.forget_until(now, settings);
    }

    fn forget_until(&mut self, now: Time, settings: &Settings) {
        while self.count > 0 && self.next <= now {
            self.count -= 1;
            self.next += self.distance(settings);
        }
    }

    /// Returns the time between two signals: an interval over the root of the count, at most an interval.
    fn distance(&self, settings: &Settings) -> Span {
        settings.interval.scale(1.0 / libm::sqrt(f64::from(self.count.max(1))))
    }

    /// Returns BLUE's probability.
    pub fn probability(&self) -> f64 {
        self.probability
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discipline::Ecn;
    use crate::testing::{arrival, at};
    use ackclock_base::random::Scripted;

    const MS: fn(u64) -> Span = Span::from_millis;

    fn settings(ecn: bool) -> Settings {
        Settings::new(MS(100), None, ecn)
    }

    /// Returns the times, multiples of 10 ms from `from` on, at which a packet that arrived `waited_ms`
    /// before is not simply sent, with the outcomes.
    fn signals(cobalt: &mut Cobalt, from: u32, to: u32, waited_ms: f64, ecn: Ecn) -> Vec<(u32, Outcome)> {
        let settings = settings(true);
        let mut signals = Vec::new();
        for ms in (from..=to).step_by(10) {
            let arrival = Arrival { ecn, ..arrival((f64::from(ms) - waited_ms).max(0.0)) };
            let outcome = cobalt.decide(&arrival, at(f64::from(ms)), &settings, &mut Scripted::new(&[0.999]));
            if outcome != Outcome::Send {
                signals.push((ms, outcome));
            }
        }
        signals
    }

    #[test]
    fn target_and_interval_follow_from_the_round_trip_and_the_rate() {
        let of = |rtt, bits: Option<u64>| {
            let Settings { target, interval, .. } =
                Settings::new(rtt, bits.map(Rate::from_bits_per_second), false);
            (target.nanos(), interval.nanos())
        };
        // 100 ms: 5 ms, without a shaper and at 100 Mbit/s, where an MTU takes 0.121 ms.
        assert_eq!(of(MS(100), None), (5_000_000, 100_000_000));
        assert_eq!(of(MS(100), Some(100_000_000)), (5_000_000, 100_000_000));
        // 1 Mbit/s: 1514 B take 12.112 ms, one and a half of that are 18.168 ms; the interval grows by the 13.168 ms.
        assert_eq!(of(MS(100), Some(1_000_000)), (18_168_000, 113_168_000));
        // 1 ms (metro is 10 ms) at 1 Mbit/s: 1 + 18.168 - 0.05 ms are less than twice the target.
        assert_eq!(of(MS(1), Some(1_000_000)), (18_168_000, 36_336_000));
    }

    #[test]
    fn codel_signals_by_the_root_of_its_count() {
        // Packets that have waited 50 ms leave every 10 ms from 10 ms on. The first is above the target at 10
        // ms, and the first drop due an interval later, at 110 ms; count is 2 after it, and the next due 100
        // / sqrt(2) = 70.7 ms later, at 180.7 ms, and so on: 100 / sqrt(3) = 57.7: 238.4; 50: 288.4; 44.7:
        // 333.2; 40.8: 374.0 ms. Each happens at the departure that follows.
        let drops = [110, 190, 240, 290, 340, 380].map(|ms| (ms, Outcome::Drop));
        assert_eq!(signals(&mut Cobalt::default(), 10, 380, 50.0, Ecn::NotCapable), drops);
        // Marks come at the same times; none is made up for: the one due at 180.7 happens at 190.
        let marks = signals(&mut Cobalt::default(), 10, 380, 50.0, Ecn::Classic);
        assert_eq!(marks, drops.map(|(ms, _)| (ms, Outcome::Mark)));
    }

    #[test]
    fn codel_forgets_its_signals_one_by_one() {
        // After the drop at 380 ms count is 7 and the next signal due at 374.0 + 37.8 = 411.8 ms. From 390 ms on packets wait 1 ms:
        // count falls to 6 at 411.8 and on at 100 / sqrt(6) = 40.8: 452.6; 44.7: 497.3; 50: 547.3; 57.7: 605.1; 70.7: 675.8;
        // 100: 775.8 ms. By 600 ms four have been forgotten.
        let mut cobalt = Cobalt::default();
        signals(&mut cobalt, 10, 380, 50.0, Ecn::NotCapable);
        assert_eq!(cobalt.count, 7);
        assert!(signals(&mut cobalt, 390, 600, 1.0, Ecn::NotCapable).is_empty());
        assert_eq!(cobalt.count, 3);
        signals(&mut cobalt, 610, 780, 1.0, Ecn::NotCapable);
        assert_eq!(cobalt.count, 0);
    }

    #[test]
    fn an_empty_queue_forgets_as_one_with_short_waits() {
        // As above, but no packet arrives until 600 ms.
        let mut cobalt = Cobalt::default();
        signals(&mut cobalt, 10, 380, 50.0, Ecn::NotCapable);
        cobalt.emptied(at(390.0), &settings(true));
        cobalt.wake(at(600.0), &settings(true));
        assert_eq!(cobalt.count, 3);
    }

    #[test]
    fn waits_of_four_packets_of_the_shaper_are_never_too_long() {
        // 1 Mbit/s: an MTU takes 12.112 ms, the target is 18.168 ms and four MTUs 48.448 ms.
        let settings = Settings::new(MS(100), Some(Rate::from_bits_per_second(1_000_000)), false);
        for (waited, above) in [(48.4, false), (48.5, true)] {
            let mut cobalt = Cobalt::default();
            cobalt.decide(&arrival(100.0 - waited), at(100.0), &settings, &mut Scripted::new(&[0.999]));
            assert_eq!(cobalt.above, above);
        }
    }

    #[test]
    fn blue_steps_up_when_the_queue_overflows_and_down_when_it_is_empty() {
        // Overflows each millisecond from 10 to 40 ms: a step needs more than the target of 5 ms: at 10, 16, 22, 28, 34, 40.
        let settings = settings(true);
        let mut cobalt = Cobalt::default();
        (10..=40).for_each(|ms| cobalt.overflowed(at(f64::from(ms)), &settings));
        assert_eq!(cobalt.probability, 6.0 / 256.0);
        // The queue is found empty at 45 and 46 ms: the second is more than 5 ms after the last step.
        cobalt.emptied(at(45.0), &settings);
        assert_eq!(cobalt.probability, 6.0 / 256.0);
        cobalt.emptied(at(46.0), &settings);
        assert_eq!(cobalt.probability, 6.0 / 256.0 - 1.0 / 4096.0);
        // Empty until 67 ms, 21 ms after the last step: at most four steps fit, a target apart.
        cobalt.wake(at(67.0), &settings);
        assert_eq!(cobalt.probability, 6.0 / 256.0 - 5.0 / 4096.0);
        // A queue that was not found empty in between has not rested.
        cobalt.wake(at(1000.0), &settings);
        assert_eq!(cobalt.probability, 6.0 / 256.0 - 5.0 / 4096.0);
        // 96 steps down undo six steps up.
        cobalt.emptied(at(68.0), &settings);
        // The last of those four steps was due at 66 ms, so none is due at 68.
        assert_eq!(cobalt.probability, 6.0 / 256.0 - 5.0 / 4096.0);
        cobalt.wake(at(68.0 + 5.0 * 96.0), &settings);
        assert_eq!(cobalt.probability, 0.0);
    }

    #[test]
    fn blue_drops_by_its_probability_and_never_marks() {
        let settings = settings(true);
        let mut cobalt = Cobalt { probability: 0.25, ..Cobalt::default() };
        for (drawn, outcome) in [(0.24, Outcome::Drop), (0.26, Outcome::Send)] {
            let capable = Arrival { ecn: Ecn::Classic, ..arrival(0.0) };
            let found = cobalt.decide(&capable, at(1.0), &settings, &mut Scripted::new(&[drawn]));
            assert_eq!(found, outcome);
        }
    }

    #[test]
    fn an_overdue_drop_is_made_up_for_and_an_overdue_mark_is_not() {
        // Packets that have waited 50 ms leave at 200 ms, at 400 ms and every 10 ms from then on. The first is above
        // the target at 200 ms, so a signal is due at 300 ms and happens at 400. The next is due 70.7 ms after 300:
        // at 370.7 ms, which is over. A drop follows at once, at 410 ms, and the others by 100 / sqrt(3) = 57.7:
        // 428.4; 50: 478.4; 44.7: 523.1 ms. After a mark the next signal counts as due at 400 ms: it happens at 410
        // as well, and the others follow from 400: 457.7; 507.7; 552.4 ms (cobalt_should_drop sets drop_next to now
        // if the schedule lies behind and the packet is not dropped).
        let signals = |ecn| {
            let mut cobalt = Cobalt::default();
            assert_eq!(signals(&mut cobalt, 200, 200, 50.0, ecn), []);
            signals(&mut cobalt, 400, 550, 50.0, ecn).into_iter().map(|(ms, _)| ms).collect::<Vec<_>>()
        };
        assert_eq!(signals(Ecn::NotCapable), [400, 410, 430, 480, 530]);
        assert_eq!(signals(Ecn::Classic), [400, 410, 460, 510]);
    }

    #[test]
    fn a_signal_that_is_due_when_waits_become_long_happens_at_once() {
        // Count is 3 and a signal has been due since 100 ms. The first packet above the target leaves at 200 ms: the
        // schedule restarts there, 100 / sqrt(3) = 57.7 ms to 257.7 ms, but the signal that was due happens; after it
        // count is 4, and the next is due 50 ms later, at 307.7 ms (cobalt_should_drop looks at the schedule before
        // it changes it).
        let mut cobalt = Cobalt { count: 3, next: at(100.0), ..Cobalt::default() };
        let drops = [200, 310].map(|ms| (ms, Outcome::Drop));
        assert_eq!(signals(&mut cobalt, 200, 320, 50.0, Ecn::NotCapable), drops);
    }

    #[test]
    fn after_an_overflow_codel_signals_at_the_next_departure() {
        // The queue overflows at 10 ms. A packet that has waited 50 ms leaves at 20 ms and is dropped at once, not an
        // interval later. Count is 2 after it, so the next signals are due 70.7 ms after 10: at 80.7, and 57.7 ms
        // later at 138.4 ms (cobalt_queue_full).
        let mut cobalt = Cobalt::default();
        cobalt.overflowed(at(10.0), &settings(true));
        let drops = [20, 90, 140].map(|ms| (ms, Outcome::Drop));
        assert_eq!(signals(&mut cobalt, 20, 150, 50.0, Ecn::NotCapable), drops);
    }

    #[test]
    fn a_queue_that_was_empty_has_an_interval_again() {
        // The first packet above the target leaves at 10 ms: a signal is due at 110. The queue is found empty at 20
        // ms. Packets that have waited 50 ms leave from 40 ms on: the signal is due at 140 ms.
        let mut cobalt = Cobalt::default();
        signals(&mut cobalt, 10, 10, 50.0, Ecn::NotCapable);
        cobalt.emptied(at(20.0), &settings(true));
        cobalt.wake(at(30.0), &settings(true));
        assert_eq!(signals(&mut cobalt, 40, 150, 50.0, Ecn::NotCapable), [(140, Outcome::Drop)]);
    }

    #[test]
    fn a_probability_of_zero_makes_no_steps_down() {
        // Found empty at 10 ms with nothing to take back, the queue overflows at 12 ms and steps up at once. Found
        // empty again at 20 ms it has one step down, and 15 more until the probability is 0: the last is due at 95
        // ms. The queue rests until 998 ms and overflows at 999 ms: far more than the target after that
        // (cobalt_queue_empty moves blue_timer only while p_drop is above 0).
        let settings = settings(true);
        let mut cobalt = Cobalt::default();
        cobalt.emptied(at(10.0), &settings);
        cobalt.overflowed(at(12.0), &settings);
        assert_eq!(cobalt.probability, 1.0 / 256.0);
        cobalt.emptied(at(20.0), &settings);
        cobalt.wake(at(998.0), &settings);
        assert_eq!((cobalt.probability, cobalt.stepped), (0.0, at(95.0)));
        cobalt.overflowed(at(999.0), &settings);
        assert_eq!(cobalt.probability, 1.0 / 256.0);
    }
}
