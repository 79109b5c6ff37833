//! The discriminator of Learning TCP (A. Jain 2003 chapter 4, figure 4.1). It guesses with a learnt
//! probability that a loss is of transmission, and watches for a round trip and a half. Another loss in that
//! time refutes the guess, no loss confirms it, and the probability follows.
//!
//! Figure 4.1 does not say by how much. Here a confirmed guess adds a share of the distance to one, a refuted
//! guess takes a share of the probability. With fixed steps the sign of the drift would not depend on the
//! probability, which would run to one end instead of towards the share of losses that are of transmission.

pub mod parameters;
#[cfg(test)]
mod tests;

use self::parameters::{Parameters, Timeouts, Weight};
use super::{Discriminator, Judgement};
use crate::control::{Ack, Timeout};
use crate::differentiation::{Cause, IncomingAck};
use crate::entry::DiscriminatorEntry;
use ackclock_base::{Descriptor, Kind, Packets, Random, Span, Time};

/// The discriminator's entry in the registry.
pub const ENTRY: DiscriminatorEntry = DiscriminatorEntry {
    descriptor: &Descriptor {
        kind: Kind::Discriminator,
        name: "learning",
        summary: "Attributes a loss to transmission errors with an adaptive probability. Another loss within 1.5 RTTs \
                  refutes this guess and counts as congestion. Refuted guesses lower the probability, confirmed ones \
                  raise it",
        source: "A. Jain 2003 sections 4.2 and 4.4, figure 4.1",
        parameters: Parameters::TABLE,
        presets: &[],
    },
    build: |values| Box::new(Learning::new(values.into())),
    needs_timestamps: false,
};

/// Guesses the cause of each loss, checks the guesses, and adapts the probability.
#[derive(Clone, Debug)]
pub struct Learning {
    /// The probability of guessing transmission (p_l).
    probability: f64,
    parameters: Parameters,
    smoothed_rtt: Span,
    most_cwnd: Packets,
    /// A random number for the next guess, drawn ahead because the retransmission rule asks before the window
    /// does.
    drawn: Option<f64>,
    /// The guess that is being checked; `None` if there is none.
    check: Option<Check>,
    /// The window share of a guess that has been confirmed and waits for a random number; `None` if there is
    /// none.
    confirmed: Option<f64>,
    right: u64,
    wrong: u64,
}

/// A guess of transmission that is being checked.
#[derive(Clone, Copy, Debug)]
struct Check {
    /// The end of the check: a later loss does not refute the guess.
    until: Time,
    /// The window at the loss as a share of the largest so far.
    share: f64,
}

impl Learning {
    /// Creates the discriminator before the first loss.
    pub fn new(parameters: Parameters) -> Self {
        let most = parameters.most.max(parameters.least);
        Self {
            probability: parameters.initial,
            parameters: Parameters { most, ..parameters },
            smoothed_rtt: Span::ZERO,
            most_cwnd: 0.0,
            drawn: None,
            check: None,
            confirmed: None,
            right: 0,
            wrong: 0,
        }
        .within_bounds()
    }

    fn within_bounds(mut self) -> Self {
        self.clamp();
        self
    }

    fn clamp(&mut self) {
        self.probability = self.probability.clamp(self.parameters.least, self.parameters.most);
    }

    /// Confirms the guess if its check has ended by `now`.
    fn pass(&mut self, now: Time) {
        if let Some(check) = self.check.take_if(|check| now > check.until) {
            self.confirmed = Some(check.share);
        }
    }

    fn confirm(&mut self, share: f64, random: &mut dyn Random) {
        self.right += 1;
        let weight = match self.parameters.p_inc {
            Weight::Chance => f64::from(u8::from(random.uniform() < share)),
            Weight::Amount => share,
            Weight::Off => 1.0,
        };
        self.probability += weight * self.parameters.increase * (1.0 - self.probability);
        self.clamp();
    }

    fn refute(&mut self) {
        self.wrong += 1;
        self.check = None;
        self.probability -= self.parameters.decrease * self.probability;
        self.clamp();
    }
}

impl Discriminator for Learning {
    fn on_incoming(&mut self, incoming: &IncomingAck, random: &mut dyn Random) -> Cause {
        self.pass(incoming.now);
        if let Some(share) = self.confirmed.take() {
            self.confirm(share, random);
        }
        self.drawn = self.drawn.or_else(|| Some(random.uniform()));
        self.cause()
    }

    fn cause(&self) -> Cause {
        let guessed = self.drawn.is_some_and(|drawn| drawn < self.probability);
        if guessed && self.check.is_none() { Cause::Transmission } else { Cause::Congestion }
    }

    fn on_ack(&mut self, ack: &Ack, cwnd: Packets) {
        self.smoothed_rtt = ack.smoothed_rtt;
        self.most_cwnd = self.most_cwnd.max(cwnd);
    }

    fn judge(&mut self, now: Time, cwnd: Packets) -> Judgement {
        self.pass(now);
        if self.check.is_some() {
            self.refute();
            return Judgement::Refuted;
        }
        let cause = self.cause();
        self.drawn = None;
        if cause == Cause::Congestion {
            return Judgement::Congestion;
        }
        self.most_cwnd = self.most_cwnd.max(cwnd);
        let until = now + self.smoothed_rtt.scale(self.parameters.check);
        self.check = Some(Check { until, share: cwnd / self.most_cwnd });
        Judgement::Transmission
    }

    /// Judges a timeout. One during a check refutes the guess too.
    fn on_timeout(&mut self, timeout: &Timeout, cwnd: Packets) -> Cause {
        if self.parameters.timeouts == Timeouts::Guess {
            return self.judge(timeout.now, cwnd).cause();
        }
        self.pass(timeout.now);
        if self.check.is_some() {
            self.refute();
        }
        Cause::Congestion
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("learning_probability", self.probability);
        series("guesses_right", self.right as f64);
        series("guesses_wrong", self.wrong as f64);
    }
}
