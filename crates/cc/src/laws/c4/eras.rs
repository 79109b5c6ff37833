//! The eras of C4: what an era measures, and which state follows it.

use super::signals::Kind;
use super::{C4, Parameters, State};
use crate::control::{Ack, RateSample};
use ackclock_base::{Packets, Span};

/// Section 3.2: round trips that exceed the minimum by more than this are capped.
const MAX_JITTER_SECONDS: f64 = 0.25;

/// Section 4.2: the number of eras without an increase that end Initial, the number before delay and marks
/// can end it, and the number of packets before a loss can.
const ERAS_WITHOUT_INCREASE: u32 = 3;
const ERAS_BEFORE_DELAY: u32 = 2;
const PACKETS_BEFORE_LOSS: Packets = 20.0;
/// Section 4.4.1: the ratio of minimum to maximum round trip below which jitter is high.
const HIGH_JITTER: f64 = 0.4;

/// The measurements of one era.
#[derive(Clone, Copy, Debug)]
pub(super) struct Era {
    min_rtt: f64,
    max_rtt: f64,
    pub(super) rate_before: f64,
    app_limited: bool,
}

impl Era {
    pub(super) fn begin(rate: f64) -> Self {
        Self { min_rtt: f64::INFINITY, max_rtt: 0.0, rate_before: rate, app_limited: false }
    }
}

impl C4 {
    pub(super) fn take_rate(&mut self, ack: &Ack, sample: &RateSample) {
        let rate = sample.packets_per_second(ack.min_rtt).unwrap_or(0.0);
        self.recent_max = self.recent_max.max(rate);
        if !self.congested && rate > self.rate {
            self.rate = rate;
            self.has_grown = true;
        }
        self.era.app_limited |= sample.app_limited;
        if let Some(rtt) = ack.rtt.map(Span::seconds) {
            self.era.min_rtt = self.era.min_rtt.min(rtt);
            self.era.max_rtt = self.era.max_rtt.max(rtt);
            self.max_rtt = if self.max_rtt == 0.0 { rtt } else { self.max_rtt };
        }
    }

    /// Updates the minimum and maximum round trips (section 3.2), at the end of an era that was sent no
    /// faster than the nominal rate.
    fn take_round_trips(&mut self) {
        let Era { min_rtt, max_rtt, .. } = self.era;
        if self.alpha_before > 1.0 || max_rtt == 0.0 {
            return;
        }
        self.running_min_rtt = if min_rtt < self.running_min_rtt {
            min_rtt
        } else {
            (7.0 * self.running_min_rtt + min_rtt) / 8.0
        };
        let max_rtt = max_rtt.min(self.running_min_rtt + MAX_JITTER_SECONDS);
        self.max_rtt = if max_rtt > self.max_rtt { max_rtt } else { (7.0 * self.max_rtt + max_rtt) / 8.0 };
    }

    pub(super) fn end_era(&mut self) {
        self.take_round_trips();
        self.eras += 1;
        let grew_by = |factor: f64| self.rate >= factor * self.era.rate_before;
        match self.state {
            State::Initial if self.rate > 0.0 && grew_by(self.parameters.initial_growth) => {
                self.eras_without_increase = 0;
            }
            State::Initial if !self.era.app_limited => self.eras_without_increase += 1,
            State::Recovery => self.end_recovery(),
            State::Cruising if self.eras >= self.parameters.cruise_eras => {
                self.probed_from = Some(self.rate);
                let beyond = self.parameters.probe_alpha - 1.0;
                self.enter(
                    State::Probing,
                    1.0 + if self.signals.has_seen_marks { beyond / 2.0 } else { beyond },
                );
            }
            State::Probing => self.recover(),
            State::Pushing if self.eras >= 2 && !grew_by(self.parameters.push_growth) => self.recover(),
            State::Initial | State::Cruising | State::Pushing => {}
        }
        if self.state == State::Initial && self.eras_without_increase >= ERAS_WITHOUT_INCREASE {
            self.leave_initial();
        }
        self.alpha_before = self.alpha;
        self.era = Era::begin(self.rate);
    }

    fn enter(&mut self, state: State, alpha: f64) {
        (self.state, self.alpha, self.eras) = (state, alpha, 0);
    }

    /// Enters Recovery (section 5.8); after Initial and Pushing the queue is drained.
    fn recover(&mut self) {
        let Parameters { recovery_alpha, drain_alpha, .. } = self.parameters;
        let drains = matches!(self.state, State::Initial | State::Pushing);
        self.enter(State::Recovery, if drains { drain_alpha } else { recovery_alpha });
    }

    /// Leaves Initial (section 4.2): half of the last window is what the path holds.
    fn leave_initial(&mut self) {
        if self.rate > 0.0 {
            self.max_rtt = self.decision.cwnd / 2.0 / self.rate;
        }
        self.recover();
    }

    /// Ends Recovery and chooses the next state (sections 4.4, 5.6 and 5.7).
    fn end_recovery(&mut self) {
        self.successive = if self.congested { self.successive + 1 } else { 0 };
        if self.successive > 1 && self.recent_max > 0.0 {
            self.rate = self.recent_max;
        } else if !self.has_grown && !self.congested && !self.era.app_limited && self.recent_max > 0.0 {
            self.rate = (self.rate + self.recent_max) / 2.0;
        }
        let probe_succeeded = self.probed_from.is_some_and(|before| self.rate > before) && !self.congested;
        if probe_succeeded {
            self.enter(State::Pushing, self.parameters.push_alpha);
        } else if self.running_min_rtt < HIGH_JITTER * self.max_rtt {
            self.enter(State::Initial, 2.0);
            self.initial_cwnd = self.rate * self.max_rtt;
            (self.eras_without_increase, self.received) = (0, 0.0);
        } else {
            self.enter(State::Cruising, 1.0);
        }
        (self.congested, self.has_grown, self.recent_max, self.probed_from) = (false, false, 0.0, None);
        self.signals.marks = 0.0;
    }

    /// Reacts to congestion (section 5.5). The rate is only cut in Cruising, where it is the rate of sending.
    /// Returns whether Recovery begins.
    pub(super) fn give_way(&mut self, kind: Kind, beta: f64, delivered: Packets) -> bool {
        let counts = match (self.state, kind) {
            (State::Initial, Kind::Loss) => self.received > PACKETS_BEFORE_LOSS,
            (State::Initial, _) => self.eras_without_increase >= ERAS_BEFORE_DELAY,
            _ => true,
        };
        if !counts {
            return false;
        }
        self.congested = true;
        match self.state {
            State::Recovery => return false,
            State::Initial => self.leave_initial(),
            State::Cruising => {
                self.rate *= 1.0 - beta;
                self.recover();
            }
            State::Probing | State::Pushing => self.recover(),
        }
        self.rounds.begin(delivered);
        self.alpha_before = self.alpha;
        self.era = Era::begin(self.rate);
        true
    }
}
