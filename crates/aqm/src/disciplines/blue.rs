//! BLUE (Feng, Kandlur, Saha and Shin 1999 and 2002): the drop probability rises when the queue overflows and
//! falls when the link is idle, whatever the queue's length. First published in the technical report
//! CSE-TR-387-99 of the University of Michigan, April 1999.

use crate::discipline::{Arrival, Backlog, Capacity, Discipline, Verdict};
use crate::entry::{Entry, Queueing, Service, queue};
use ackclock_base::{Packets, Random, Range, Span, Time, parameters};

/// The discipline's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &queue(
        "blue",
        "Drops or marks packets with a probability that rises when the queue overflows and falls when the link is idle",
        "Feng, Kandlur, Saha and Shin 2002",
        Parameters::TABLE,
    ),
    build: |values, capacity, _| Queueing::at_arrival(Blue::new(values.into(), capacity)),
    service: Service::IN_ORDER,
};

parameters! {
    /// The steps of the probability.
    pub struct Parameters {
        /// Increase of the drop probability per step up (d1)
        increment: f64 = number(
            "0.0025",
            Range::between(0.0, 1.0),
            "Increment in the ns-3 port of the authors' ns-1.1 code (Tahiliani, Jain and Singh; in no ns-3 release)",
        ),
        /// Decrease of the drop probability per step down (d2), usually far smaller than d1
        decrement: f64 = number(
            "0.00025",
            Range::between(0.0, 1.0),
            "Decrement in the ns-3 port by Tahiliani, Jain and Singh; Feng et al. 1999 choose d2 (`decrement`) far below \
             d1 (`increment`)",
        ),
        /// Shortest time between two steps of the drop probability, in which a step can take effect
        freeze_time: Span = time(
            "100 ms",
            Range::above(0.0),
            "FreezeTime in the ns-3 port by Tahiliani, Jain and Singh; 50 ms in the authors' ALTQ version \
             (altq_blue.c)",
        ),
        /// Queue length above which the drop probability rises before the queue overflows, to leave room for bursts
        /// (L); none to raise it only when the queue overflows
        threshold: Option<Packets> = packets(
            "none",
            Range::at_least(0.0),
            "Feng et al. 2002, a variant of the algorithm",
        ),
        /// Whether ECN-capable packets are marked instead of dropped, unless the queue overflows
        ecn: bool = flag(false, "RFC 3168 section 5; marking is enabled in Feng et al. 2002"),
    }
}

/// The BLUE discipline.
#[derive(Clone, Debug)]
pub struct Blue {
    capacity: Capacity,
    parameters: Parameters,
    probability: f64,
    last_step: Time,
}

impl Blue {
    /// Creates an empty queue with this capacity.
    pub fn new(parameters: Parameters, capacity: Capacity) -> Self {
        Self { capacity, parameters, probability: 0.0, last_step: Time::ZERO }
    }

    /// Steps up, when the queue overflows or is beyond the threshold, unless the last step is too recent.
    fn congested(&mut self, now: Time) {
        if now.since(self.last_step) > self.parameters.freeze_time {
            self.probability = (self.probability + self.parameters.increment).min(1.0);
            self.last_step = now;
        }
    }

    /// Steps down for a link that has been idle since `since`: once when it became idle, and once for each
    /// freeze time since, never too soon after the last step. (The paper has one event; the authors' code
    /// counts the time.)
    fn idled(&mut self, since: Time, now: Time) {
        let first = since.max(self.last_step + self.parameters.freeze_time);
        if now < first {
            return;
        }
        let further = now.since(first).nanos() / self.parameters.freeze_time.nanos();
        self.probability = (self.probability - self.parameters.decrement * (further + 1) as f64).max(0.0);
        self.last_step = first + self.parameters.freeze_time * further;
    }
}

impl Discipline for Blue {
    fn on_arrival(&mut self, arrival: &Arrival, backlog: &Backlog, random: &mut dyn Random) -> Verdict {
        if let Some(since) = backlog.idle_since {
            self.idled(since, arrival.now);
        }
        let fits = self.capacity.admits(arrival.bytes, backlog);
        if !fits || self.parameters.threshold.is_some_and(|threshold| backlog.packets as f64 > threshold) {
            self.congested(arrival.now);
        }
        match random.uniform() < self.probability {
            _ if !fits => Verdict::Drop,
            false => Verdict::Admit,
            true if self.parameters.ecn && arrival.ecn.is_capable() => Verdict::Mark,
            true => Verdict::Drop,
        }
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("drop_probability", self.probability);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discipline::Ecn;
    use crate::testing::{arrival, idle, waiting};
    use ackclock_base::{Values, random::Scripted};

    fn blue(settings: &[(&str, &str)]) -> Blue {
        Blue::new(Parameters::from(&Values::with(ENTRY.descriptor, settings)), Capacity::Packets(50))
    }

    /// Offers a packet that chance would let pass.
    fn arrive(blue: &mut Blue, ms: f64, backlog: &Backlog) -> Verdict {
        blue.on_arrival(&arrival(ms), backlog, &mut Scripted::new(&[0.999]))
    }

    fn assert_near(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-12, "{value} instead of {expected}");
    }

    #[test]
    fn overflows_step_up_once_in_a_freeze_time() {
        // Overflows every 10 ms from 110 ms to 500 ms. The last step counts as at 0, and a step needs more
        // than 100 ms: steps at 110, 220, 330 and 440 ms, 4 * 0.0025.
        let mut blue = blue(&[]);
        for step in 11..=50 {
            assert_eq!(arrive(&mut blue, 10.0 * f64::from(step), &waiting(50)), Verdict::Drop);
        }
        assert_near(blue.probability, 0.01);
    }

    #[test]
    fn an_idle_link_steps_down_each_freeze_time() {
        // Idle from 1000 to 1350 ms: steps at 1000, 1100, 1200 and 1300 ms, 4 * 0.00025. Idle again from 1360 ms: the next
        // step is due at 1400 ms, which 1390 ms does not reach and 1400 ms does.
        let mut blue = blue(&[]);
        blue.probability = 0.01;
        arrive(&mut blue, 1350.0, &idle(1000.0));
        assert_near(blue.probability, 0.009);
        arrive(&mut blue, 1390.0, &idle(1360.0));
        assert_near(blue.probability, 0.009);
        arrive(&mut blue, 1400.0, &idle(1395.0));
        assert_near(blue.probability, 0.00875);
        // After a very long idle time the probability is 0, and not less.
        arrive(&mut blue, 1e6, &idle(2000.0));
        assert_eq!(blue.probability, 0.0);
    }

    #[test]
    fn neither_a_long_queue_nor_a_short_one_moves_it() {
        let mut blue = blue(&[]);
        blue.probability = 0.01;
        for step in 0..100_u32 {
            arrive(&mut blue, 10.0 * f64::from(step), &waiting(u64::from(step % 50)));
        }
        assert_eq!(blue.probability, 0.01);
    }

    #[test]
    fn the_threshold_steps_up_before_anything_overflows() {
        let mut blue = blue(&[("threshold", "20 packets")]);
        assert_eq!(arrive(&mut blue, 200.0, &waiting(20)), Verdict::Admit);
        assert_eq!(blue.probability, 0.0);
        assert_eq!(arrive(&mut blue, 200.0, &waiting(21)), Verdict::Admit);
        assert_near(blue.probability, 0.0025);
    }

    #[test]
    fn early_drops_are_marks_if_possible_and_overflows_never() {
        let verdict = |packets, ecn| {
            let mut blue = blue(&[("ecn", "true")]);
            blue.probability = 0.5;
            let arrival = Arrival { ecn, ..arrival(0.0) };
            blue.on_arrival(&arrival, &waiting(packets), &mut Scripted::new(&[0.4]))
        };
        assert_eq!(verdict(1, Ecn::Classic), Verdict::Mark);
        assert_eq!(verdict(1, Ecn::NotCapable), Verdict::Drop);
        assert_eq!(verdict(50, Ecn::Classic), Verdict::Drop);
    }
}
