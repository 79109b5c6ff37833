//! PIE (RFC 8033): a proportional integral controller moves the drop probability so that the waiting time
//! stays at a target.
//!
//! The link knows exactly how long an arrival would wait, so the rate estimate of section 5.2 is not needed;
//! an empty queue counts as no wait, although a packet may still be in transmission.

use crate::discipline::{Arrival, Backlog, Capacity, Discipline, LinkRate, Verdict};
use crate::entry::{Entry, PERIODS, Queueing, Service, queue};
use ackclock_base::{Random, Range, Span, Time, parameters};

#[cfg(test)]
mod tests;

/// The discipline's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &queue(
        "pie",
        "Drops or marks packets on arrival with a probability that a controller adapts to hold queueing delay at a \
         target",
        "RFC 8033",
        Parameters::TABLE,
    ),
    build: |values, capacity, link| Queueing::at_arrival(Pie::new(values.into(), capacity, link)),
    service: Service::IN_ORDER,
};

parameters! {
    /// The controller, and its safeguards and marks.
    pub struct Parameters {
        /// Target queueing delay (QDELAY_REF)
        target: Span = time("15 ms", Range::above(0.0), "RFC 8033 section 4.2"),
        /// Time between updates of the drop probability (T_UPDATE)
        update_period: Span = time("15 ms", PERIODS, "RFC 8033 section 4.2"),
        /// Burst allowance (MAX_BURST): time without early drops after the last arrival at which the drop probability
        /// was zero and queueing delay below half of `target`
        max_burst: Span = time("150 ms", Range::at_least(0.0), "RFC 8033 section 4.4"),
        /// Integral gain: change of the drop probability per update for each second of queueing delay above the target;
        /// divided by 2 to 2048 while the drop probability is below 0.1
        alpha: f64 = number("0.125", Range::at_least(0.0), "RFC 8033 section 4.2"),
        /// Proportional gain: change of the drop probability per update for each second by which queueing delay has
        /// grown since the last update; divided by 2 to 2048 while the drop probability is below 0.1
        beta: f64 = number("1.25", Range::at_least(0.0), "RFC 8033 section 4.2"),
        /// Largest increase of the drop probability per update while the drop probability is at least 0.1; 1 for no
        /// limit
        max_increment: f64 = number("0.02", Range { min: 0.0, max: 1.0, above_min: true }, "RFC 8033 section 5.5"),
        /// Queueing delay above which each update adds another 0.02 to the drop probability (250 ms in Linux); none for
        /// no addition, as in RFC 8033
        high_delay: Option<Span> = time("none", Range::above(0.0), "Linux, net/sched/sch_pie.c"),
        /// Whether drops are spaced out: no drop until the drop probabilities of the arrivals since the last drop add
        /// up to 0.85, and a certain drop once they reach 8.5
        derandomize: bool = flag(false, "RFC 8033 section 5.4"),
        /// Whether ECN-capable packets are marked instead of dropped early while the drop probability is below
        /// `mark_threshold`
        ecn: bool = flag(false, "RFC 8033 section 5.1"),
        /// Drop probability at and above which ECN-capable packets are dropped early instead of marked (mark_ecnth);
        /// with 1, they are always marked
        mark_threshold: f64 = number("0.1", Range::between(0.0, 1.0), "RFC 8033 section 5.1"),
    }
}

/// The steps of the probability shrink with it (section 4.2): below the first number they are divided by the second.
const TUNING: [(f64, f64); 6] =
    [(1e-6, 2048.0), (1e-5, 512.0), (1e-4, 128.0), (1e-3, 32.0), (1e-2, 8.0), (1e-1, 2.0)];

/// The control law: the drop probability of an arrival, given how long packets wait.
#[derive(Clone, Debug)]
pub struct Controller {
    parameters: Parameters,
    mean_packet_bytes: u64,
    /// The time for which a burst is still not dropped.
    burst_allowance: Span,
    drop_probability: f64,
    /// The waiting time at the last update.
    last_delay: Span,
    /// The sum of the drop probabilities of the arrivals since the last drop.
    accumulated: f64,
}

impl Controller {
    /// Creates the law of a queue in which no packet has waited yet.
    pub fn new(parameters: Parameters, link: &LinkRate) -> Self {
        Self {
            parameters,
            mean_packet_bytes: u64::from(link.mean_packet_bytes),
            burst_allowance: parameters.max_burst,
            drop_probability: 0.0,
            last_delay: Span::ZERO,
            accumulated: 0.0,
        }
    }

    /// Updates the probability, once per update period (section 4.2).
    pub fn update(&mut self, delay: Span) {
        let probability = self.drop_probability;
        let mut step = self.parameters.alpha * (delay.seconds() - self.parameters.target.seconds())
            + self.parameters.beta * (delay.seconds() - self.last_delay.seconds());
        step /= TUNING.iter().find(|(below, _)| probability < *below).map_or(1.0, |(_, divisor)| *divisor);
        if probability >= 0.1 {
            step = step.min(self.parameters.max_increment);
        }
        if self.parameters.high_delay.is_some_and(|high| delay > high) {
            step += 0.02;
        }
        let mut moved = probability + step;
        if delay == Span::ZERO && self.last_delay == Span::ZERO {
            moved *= 0.98;
        }
        self.drop_probability = moved.clamp(0.0, 1.0);
        self.last_delay = delay;
        self.burst_allowance = self.burst_allowance.saturating_sub(self.parameters.update_period);
    }

    /// Returns whether an arrival is picked to be dropped or marked, with `bytes` waiting for `delay` before
    /// it.
    pub fn picks(&mut self, delay: Span, bytes: u64, random: &mut dyn Random) -> bool {
        let calm = |delay: Span| delay * 2 < self.parameters.target;
        if self.drop_probability == 0.0 && calm(delay) && calm(self.last_delay) {
            self.burst_allowance = self.parameters.max_burst;
        }
        // Section 4.1: packets that keep the link busy are never picked.
        let safe =
            calm(self.last_delay) && self.drop_probability < 0.2 || bytes <= 2 * self.mean_packet_bytes;
        if self.burst_allowance > Span::ZERO || safe {
            return false;
        }
        let picked = match self.spacing() {
            Some(certain) => certain,
            None => random.uniform() < self.drop_probability,
        };
        if picked {
            self.forget();
        }
        picked
    }

    /// Returns whether the spacing of drops decides: `Some(false)` until the probabilities have added up to
    /// 0.85, `Some(true)` from 8.5 on, and `None` in between or without spacing (section 5.4).
    fn spacing(&mut self) -> Option<bool> {
        if !self.parameters.derandomize {
            return None;
        }
        self.accumulated =
            if self.drop_probability == 0.0 { 0.0 } else { self.accumulated + self.drop_probability };
        match self.accumulated {
            few if few < 0.85 => Some(false),
            many if many >= 8.5 => Some(true),
            _ => None,
        }
    }

    /// Restarts the spacing after a drop.
    pub fn forget(&mut self) {
        self.accumulated = 0.0;
    }

    /// Returns the present drop probability.
    pub fn drop_probability(&self) -> f64 {
        self.drop_probability
    }
}

/// The PIE discipline: the controller over one queue.
#[derive(Clone, Debug)]
pub struct Pie {
    controller: Controller,
    capacity: Capacity,
}

impl Pie {
    /// Creates an empty queue with this capacity.
    pub fn new(parameters: Parameters, capacity: Capacity, link: &LinkRate) -> Self {
        Self { controller: Controller::new(parameters, link), capacity }
    }
}

/// Returns how long packets wait; zero for an empty queue.
fn delay(backlog: &Backlog) -> Span {
    if backlog.packets == 0 { Span::ZERO } else { backlog.wait }
}

impl Discipline for Pie {
    fn on_arrival(&mut self, arrival: &Arrival, backlog: &Backlog, random: &mut dyn Random) -> Verdict {
        if !self.capacity.admits(arrival.bytes, backlog) {
            self.controller.forget();
            return Verdict::Drop;
        }
        if !self.controller.picks(delay(backlog), backlog.bytes, random) {
            return Verdict::Admit;
        }
        let threshold = self.controller.parameters.mark_threshold;
        let mild = self.controller.drop_probability() < threshold || threshold >= 1.0;
        if self.controller.parameters.ecn && arrival.ecn.is_capable() && mild {
            Verdict::Mark
        } else {
            Verdict::Drop
        }
    }

    fn period(&self) -> Option<Span> {
        Some(self.controller.parameters.update_period)
    }

    fn on_period(&mut self, _now: Time, backlog: &Backlog) {
        self.controller.update(delay(backlog));
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("drop_probability", self.controller.drop_probability());
    }
}
