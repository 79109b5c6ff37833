//! PCC Vivace (Dong et al., PCC Vivace: Online-Learning Congestion Control, NSDI 2018): sends at a rate,
//! measures its utility over a round trip, and climbs the gradient between a slightly higher and a slightly
//! lower rate.
//!
//! The paper was not available: utility, gradient, confidence amplifier and change boundary are from memory,
//! as are their constants. The authors' sender (PCC-Uspace) was read too; it has a filter of 0.02, probes of
//! 0.02 in four intervals, and another amplifier. Additions of this implementation: a window of twice what
//! the rate sends in a round trip, since a host here has one; the reaction to a timeout; and that an interval
//! only counts if three quarters of its rate were sent.

mod interval;

use crate::classic::MAX_CWND;
use crate::control::{Ack, Control, Decision, Follows, Initial, Loss, Lost, Properties, Timeout};
use crate::entry::{Build, Entry, PublishedDefaults, control};
use ackclock_base::{Packets, Random, Range, Rate, Span, Time, parameters};
use interval::{Interval, Role, Utility};

#[cfg(test)]
mod tests;

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "vivace",
        "PCC Vivace: changes the rate along the gradient of a utility function of rate, latency gradient and loss",
        "Dong et al. 2018, \"PCC Vivace: online-learning congestion control\" (cited from memory, not checked against \
         the paper), and the authors' code",
        Parameters::TABLE,
    ),
    build: Build::Model(|values, initial| Box::new(Vivace::new(values.into(), initial))),
    published: PublishedDefaults::recovery("rack"),
};

const MEMORY: &str = "Dong et al. 2018 (cited from memory, not checked against the paper)";

parameters! {
    /// The utility, and how its gradient is climbed.
    pub struct Parameters {
        /// The utility of a rate.
        utility: Utility,
        /// Share by which the rate is raised and lowered in turn to measure the gradient of the utility
        probe: f64 = number("0.05", Range::between(0.001, 0.5), MEMORY),
        /// Size of the first step in a direction, in Mbit/s per unit of the utility's gradient (utility per Mbit/s)
        step: f64 = number("1", Range::between(0.0, 1000.0), MEMORY),
        /// Largest change of the rate in one step, as a share of the rate, before `bound_step` raises it
        bound: f64 = number("0.05", Range::between(0.001, 1.0), MEMORY),
        /// Increase of the bound on the rate's change, as a share of the rate, each time that a step in the same
        /// direction reaches the bound
        bound_step: f64 = number("0.1", Range::between(0.0, 1.0), MEMORY),
        /// Minimum length of a measurement interval, as the number of packets that its rate sends in that time; an
        /// interval also lasts at least one smoothed round trip
        least_packets: f64 = packets("10 packets", Range::between(1.0, 1000.0), "the authors' code"),
    }
}

/// An addition of this implementation: an interval is judged when a packet has arrived that was sent this
/// share of a round trip after its end, so that its losses are known.
const PATIENCE: f64 = 0.25;
/// An addition of this implementation: the share of an interval's rate that must have been sent.
const LEAST_SENT: f64 = 0.75;
/// The greatest number of intervals that are being sent or wait for their acknowledgements.
const PENDING: usize = 8;

/// The stage of the connection.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stage {
    /// Doubles the rate with each interval while its utility rises; holds the rate and the utility of the
    /// last interval.
    Starting(Option<(f64, f64)>),
    /// Varies the rate; holds the utility of the slightly higher rate.
    Probing(Option<f64>),
}

/// The PCC Vivace control: its rate, and the intervals being measured.
#[derive(Clone, Debug)]
pub struct Vivace {
    parameters: Parameters,
    stage: Stage,
    /// The base rate in packets per second.
    rate: f64,
    /// The pending intervals, the oldest first: only the first `count` entries. The last of those is being sent,
    /// and the others wait for their acknowledgements.
    pending: [Interval; PENDING],
    count: usize,
    /// The purpose of the next interval.
    next: Role,
    /// The sending time of the newest packet acknowledged.
    acked_sent: Time,
    smoothed_rtt: f64,
    /// The number of steps in one direction, whether that is up, and the number of steps that reached the
    /// bound.
    steps: u32,
    rises: bool,
    bounded: u32,
    after_timeout: bool,
    /// See [`Initial::loss_window`].
    loss_window: Packets,
    initial_window: Packets,
    packet_bytes: f64,
}

impl Vivace {
    /// Creates the control at the start of a connection.
    pub fn new(parameters: Parameters, initial: &Initial) -> Self {
        Self {
            parameters,
            stage: Stage::Starting(None),
            rate: 0.0,
            pending: [Interval::default(); PENDING],
            count: 0,
            next: Role::Start,
            acked_sent: Time::ZERO,
            smoothed_rtt: 0.0,
            steps: 0,
            rises: false,
            bounded: 0,
            after_timeout: false,
            loss_window: initial.loss_window,
            initial_window: initial.window.max(1.0),
            packet_bytes: f64::from(initial.packet_bytes.max(1)),
        }
    }

    fn megabits(&self, rate: f64) -> f64 {
        rate * self.packet_bytes * 8.0 / 1e6
    }

    /// Returns the present sending rate, in packets per second.
    fn sending(&self) -> f64 {
        if self.count == 0 { self.rate } else { self.pending[self.count - 1].rate }
    }

    /// Returns the interval in which a packet was sent; `None` if it is no longer pending.
    fn interval_of(&mut self, sent: Time) -> Option<&mut Interval> {
        self.pending[..self.count].iter_mut().rev().find(|interval| sent >= interval.start)
    }

    /// Ends the present interval and begins the next, unless the present one has lasted for less than a round
    /// trip or for fewer than the least packets at its rate, or too many await their acknowledgements. During
    /// startup the rate doubles with each interval that the application did not limit.
    fn go_on(&mut self, now: Time, app_limited: bool) {
        if let Some(current) = self.pending[..self.count].last_mut() {
            let least = self.parameters.least_packets / current.rate;
            if now.since(current.start).seconds() < self.smoothed_rtt.max(least) || self.count == PENDING {
                return;
            }
            current.end = Some(now);
            current.app_limited = app_limited;
            if self.next == Role::Start && !app_limited {
                self.rate *= 2.0;
            }
        }
        let probe = self.parameters.probe;
        let rate = match self.next {
            Role::Start | Role::Waits => self.rate,
            Role::More => self.rate * (1.0 + probe),
            Role::Less => self.rate * (1.0 - probe),
        };
        self.pending[self.count] = Interval::begin(now, rate, self.next);
        self.count += 1;
        self.next = match self.next {
            Role::Start => Role::Start,
            Role::More => Role::Less,
            Role::Less | Role::Waits => Role::Waits,
        };
    }

    /// Judges the intervals whose packets have been acknowledged.
    fn judge_finished(&mut self) {
        let patience = Span::from_seconds(PATIENCE * self.smoothed_rtt);
        while self.count > 0 && self.pending[0].end.is_some_and(|end| self.acked_sent >= end + patience) {
            let finished = self.pending[0];
            self.pending[..self.count].rotate_left(1);
            self.count -= 1;
            self.judge(&finished);
        }
    }

    fn judge(&mut self, interval: &Interval) {
        let utility = self.parameters.utility.of(self.megabits(interval.rate), interval);
        let counts = !interval.app_limited && interval.sent_rate() >= LEAST_SENT * interval.rate;
        match (self.stage, interval.role) {
            (Stage::Starting(last), Role::Start) => match last {
                _ if !counts => self.probe_from(interval.sent_rate()),
                Some((rate, before)) if utility < before => self.probe_from(rate),
                _ => self.stage = Stage::Starting(Some((interval.rate, utility))),
            },
            (Stage::Probing(_), Role::More) if counts => self.stage = Stage::Probing(Some(utility)),
            (Stage::Probing(more), Role::Less) => {
                if let Some(more) = more.filter(|_| counts) {
                    self.climb((more - utility) / (2.0 * self.parameters.probe * self.megabits(self.rate)));
                }
                self.probe_from(self.rate);
            }
            _ => {}
        }
    }

    /// Begins to measure the gradient at `rate`. Intervals at other rates no longer count.
    fn probe_from(&mut self, rate: f64) {
        let least = 2.0 / self.smoothed_rtt.max(1e-9);
        self.rate = rate.max(least).min(MAX_CWND);
        self.stage = Stage::Probing(None);
        self.next = Role::More;
    }

    /// Takes a step along the gradient. It is amplified by the number of steps in the same direction, and
    /// bounded by a share of the rate that grows each time it is reached.
    fn climb(&mut self, slope: f64) {
        let rises = slope > 0.0;
        if rises != self.rises {
            (self.rises, self.steps, self.bounded) = (rises, 0, 0);
        }
        self.steps = self.steps.saturating_add(1);
        let steps = f64::from(self.steps);
        let confidence = if steps <= 3.0 { steps } else { 2.0 * steps - 3.0 };
        let Parameters { step, bound, bound_step, .. } = self.parameters;
        let change = (confidence * step * slope).abs() / self.megabits(self.rate);
        let most = bound + bound_step * f64::from(self.bounded);
        if change > most {
            self.bounded = self.bounded.saturating_add(1);
        } else if bound_step > 0.0 {
            self.bounded = libm::ceil(((change - bound) / bound_step).max(0.0)) as u32;
        }
        let change = change.min(most).min(if rises { 1.0 } else { 0.5 });
        self.rate *= if rises { 1.0 + change } else { 1.0 - change };
    }

    fn forget(&mut self) {
        self.count = 0;
        (self.steps, self.bounded) = (0, 0);
    }
}

impl Control for Vivace {
    fn decision(&self) -> Decision {
        let rate = self.sending();
        if self.after_timeout || rate <= 0.0 {
            let cwnd = if self.after_timeout { self.loss_window } else { self.initial_window };
            return Decision::window(cwnd, f64::INFINITY);
        }
        let cwnd = (2.0 * rate * self.smoothed_rtt).max(self.initial_window).min(MAX_CWND);
        let bits = rate * self.packet_bytes * 8.0;
        let pacing_rate = Some(Rate::from_bits_per_second((bits as u64).max(1)));
        Decision { pacing_rate, send_quantum: Some(1), ..Decision::window(cwnd, f64::INFINITY) }
    }

    fn properties(&self) -> Properties {
        Properties { follows: Follows::Nothing, ..Properties::default() }
    }

    fn on_ack(&mut self, ack: &Ack, _random: &mut dyn Random) {
        self.after_timeout &= ack.newly_acked == 0.0;
        if ack.smoothed_rtt > Span::ZERO {
            self.smoothed_rtt = ack.smoothed_rtt.seconds();
        }
        if let Some(rtt) = ack.rtt {
            self.acked_sent = self.acked_sent.max(ack.now - rtt);
            let sent = ack.now - rtt;
            if let Some(interval) = self.interval_of(sent) {
                interval.see(sent, rtt);
            }
        }
        let sent = self.acked_sent;
        if let Some(interval) = self.interval_of(sent) {
            interval.acked += ack.newly_acked;
        }
        if self.smoothed_rtt <= 0.0 {
            return;
        }
        if self.rate <= 0.0 {
            self.rate = self.initial_window / self.smoothed_rtt;
        }
        self.judge_finished();
        self.go_on(ack.now, ack.app_limited);
    }

    fn on_lost(&mut self, lost: &Lost, _random: &mut dyn Random) {
        if let Some(interval) = self.interval_of(lost.sent) {
            interval.lost += lost.size;
        }
    }

    /// Ignores the loss: losses only enter the utility.
    fn on_loss(&mut self, _loss: &Loss, _random: &mut dyn Random) {}

    /// Handles a timeout, an addition of this implementation: one packet until one arrives (RFC 5681 section
    /// 3.1), then half the rate.
    fn on_timeout(&mut self, timeout: &Timeout, _random: &mut dyn Random) {
        self.after_timeout = true;
        if timeout.in_a_row == 1 && self.rate > 0.0 {
            self.forget();
            self.probe_from(self.rate / 2.0);
        }
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("vivace_rate_packets_per_s", self.rate);
        series("vivace_starts", f64::from(u8::from(matches!(self.stage, Stage::Starting(_)))));
        series("vivace_steps", if self.rises { f64::from(self.steps) } else { -f64::from(self.steps) });
    }
}
