//! PI (Hollot, Misra, Towsley and Gong, INFOCOM 2001): a proportional integral controller moves the drop
//! probability so that the queue stays at a reference length.

use crate::discipline::{Arrival, Backlog, Capacity, Discipline, Verdict};
use crate::entry::{Entry, PERIODS, Queueing, Service, queue};
use ackclock_base::{Packets, Random, Range, Span, Time, parameters};

/// The discipline's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &queue(
        "pi",
        "Drops or marks packets with a probability that a proportional-integral controller adapts to hold the queue at \
         a reference length",
        "Hollot, Misra, Towsley and Gong 2001",
        Parameters::TABLE,
    ),
    build: |values, capacity, _| Queueing::at_arrival(Pi::new(values.into(), capacity)),
    service: Service::IN_ORDER,
};

parameters! {
    /// The reference length, and the controller.
    pub struct Parameters {
        /// Target queue length (q_ref)
        reference: Packets = packets(
            "50 packets",
            Range::at_least(0.0),
            "ns-2's qref_; 200 packets in a buffer of 800 in Hollot et al. 2001",
        ),
        /// Coefficient a of the controller: each sample adds a (q - reference) - b (previous q - reference) to the drop
        /// probability, where q is the queue length in packets
        a: f64 = number("1.822e-5", Range::at_least(0.0), "Hollot et al. 2001; ns-2's a_"),
        /// Coefficient b of the controller: each sample adds a (q - reference) - b (previous q - reference) to the drop
        /// probability, where q is the queue length in packets
        b: f64 = number("1.816e-5", Range::at_least(0.0), "Hollot et al. 2001; ns-2's b_"),
        /// Time between samples of the queue length
        sample_period: Span = time("6.25 ms", PERIODS, "160 Hz: Hollot et al. 2001; ns-2's w_ is 170 Hz"),
        /// Whether ECN-capable packets are marked instead of dropped, unless the queue overflows
        ecn: bool = flag(false, "RFC 3168 section 5; Hollot et al. 2001 enable marking"),
    }
}

/// The PI discipline.
#[derive(Clone, Debug)]
pub struct Pi {
    capacity: Capacity,
    parameters: Parameters,
    /// The queue at the last sample.
    last_queue: f64,
    probability: f64,
}

impl Pi {
    /// Creates an empty queue with this capacity.
    pub fn new(parameters: Parameters, capacity: Capacity) -> Self {
        Self { capacity, parameters, last_queue: 0.0, probability: 0.0 }
    }
}

impl Discipline for Pi {
    fn on_arrival(&mut self, arrival: &Arrival, backlog: &Backlog, random: &mut dyn Random) -> Verdict {
        if !self.capacity.admits(arrival.bytes, backlog) {
            return Verdict::Drop;
        }
        match random.uniform() < self.probability {
            false => Verdict::Admit,
            true if self.parameters.ecn && arrival.ecn.is_capable() => Verdict::Mark,
            true => Verdict::Drop,
        }
    }

    fn period(&self) -> Option<Span> {
        Some(self.parameters.sample_period)
    }

    /// Updates the probability by the paper's difference equation, limited to 0 and 1.
    fn on_period(&mut self, _now: Time, backlog: &Backlog) {
        let queue = backlog.packets as f64;
        let step = self.parameters.a * (queue - self.parameters.reference)
            - self.parameters.b * (self.last_queue - self.parameters.reference);
        self.probability = (self.probability + step).clamp(0.0, 1.0);
        self.last_queue = queue;
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("drop_probability", self.probability);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discipline::Ecn;
    use crate::testing::{arrival, at, waiting};
    use ackclock_base::{Values, random::Scripted};

    fn pi(settings: &[(&str, &str)]) -> Pi {
        Pi::new(Parameters::from(&Values::with(ENTRY.descriptor, settings)), Capacity::Packets(1000))
    }

    fn look(pi: &mut Pi, packets: u64) -> f64 {
        pi.on_period(at(0.0), &waiting(packets));
        pi.probability
    }

    #[test]
    fn a_step_of_the_queue_gives_a_jump_and_a_ramp() {
        // Queue from 50 = q_ref to 150: the first sample adds 100 a = 1.822e-3, each further one 100 (a - b) = 6e-6.
        let mut pi = pi(&[]);
        pi.last_queue = 50.0;
        assert!((look(&mut pi, 150) - 1.822e-3).abs() < 1e-12);
        for _ in 0..1000 {
            look(&mut pi, 150);
        }
        assert!((pi.probability - (1.822e-3 + 6e-3)).abs() < 1e-12, "{}", pi.probability);
        // Back at q_ref the jump is undone, with b for a, and the probability stays constant.
        assert!((look(&mut pi, 50) - (1.822e-3 + 6e-3 - 1.816e-3)).abs() < 1e-12);
        let rest = pi.probability;
        assert_eq!(look(&mut pi, 50), rest);
    }

    #[test]
    fn the_probability_stays_one() {
        let mut pi = pi(&[]);
        assert_eq!(look(&mut pi, 0), 0.0, "-50 a + 50 b is less than nothing");
        pi.probability = 0.9999;
        assert_eq!(look(&mut pi, 900), 1.0);
    }

    #[test]
    fn the_defaults_are_the_papers_controller_sampled_at_160_hz() {
        // The paper designs K (s / z + 1) / s with K = 9.64e-6 and z = 0.53 rad/s. The bilinear transform, with period
        // T, turns it into a = K (1/z + T/2) and b = K (1/z - T/2); both are given with four digits.
        let pi = Parameters::default();
        let (gain, zero, period) = (9.64e-6, 0.53, pi.sample_period.seconds());
        assert!((gain * (1.0 / zero + period / 2.0) - pi.a).abs() < 0.5e-8);
        assert!((gain * (1.0 / zero - period / 2.0) - pi.b).abs() < 0.5e-8);
    }

    #[test]
    fn arrivals_are_dropped_or_marked_with_the_probability() {
        let verdict = |settings, ecn, number| {
            let mut pi = pi(settings);
            pi.probability = 0.25;
            pi.on_arrival(&Arrival { ecn, ..arrival(0.0) }, &waiting(1), &mut Scripted::new(&[number]))
        };
        assert_eq!(verdict(&[], Ecn::Classic, 0.249), Verdict::Drop);
        assert_eq!(verdict(&[], Ecn::Classic, 0.25), Verdict::Admit);
        assert_eq!(verdict(&[("ecn", "true")], Ecn::Classic, 0.249), Verdict::Mark);
        assert_eq!(verdict(&[("ecn", "true")], Ecn::NotCapable, 0.249), Verdict::Drop);
    }
}
