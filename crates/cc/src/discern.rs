//! A control that tells losses of transmission from losses of congestion: any control, a discriminator that judges each
//! loss, and an action for those that it calls transmission (Alnuem 2009 chapter 4, figures 4.16 and 4.17).

pub mod discriminators;

use crate::action::{Action, Answer};
use crate::control::{Ack, Arrival, Cause, Control, Counted, Decision, Loss, LossSignal, Recovered, Timeout};
use ackclock_base::{Packets, Time};
use discriminators::Discriminator;

/// Puts a discriminator and its action around a control.
pub struct Discerning {
    control: Box<dyn Control>,
    discriminator: Box<dyn Discriminator>,
    action: Box<dyn Action>,
    /// The window before a loss that the action, not the control, has answered.
    before_action: Option<Packets>,
    /// The latest loss and what it was judged to be, until its recovery is over.
    episode: Option<(Loss, Cause)>,
    judged: Judged,
}

/// How many losses were judged, for observers.
#[derive(Clone, Copy, Debug, Default)]
struct Judged {
    congestion: u64,
    transmission: u64,
}

impl Discerning {
    /// Around `control`.
    pub fn new(
        control: Box<dyn Control>,
        discriminator: Box<dyn Discriminator>,
        action: Box<dyn Action>,
    ) -> Self {
        Self { control, discriminator, action, before_action: None, episode: None, judged: Judged::default() }
    }

    /// What a loss is that shows now.
    fn cause(&self) -> Cause {
        match self.episode {
            Some((_, cause)) if self.action.latches() => cause,
            _ => self.discriminator.cause(),
        }
    }

    fn cwnd(&self) -> Packets {
        self.control.decision().cwnd
    }
}

impl Control for Discerning {
    fn decision(&self) -> Decision {
        self.control.decision()
    }

    fn on_start(&mut self, now: Time) {
        self.control.on_start(now);
    }

    fn on_end(&mut self, now: Time) {
        self.control.on_end(now);
    }

    fn on_arrival(&mut self, arrival: &Arrival) -> Option<Cause> {
        self.discriminator.on_arrival(arrival);
        Some(self.cause())
    }

    fn on_ack(&mut self, ack: &Ack) {
        self.control.on_ack(ack);
    }

    fn on_loss(&mut self, loss: &Loss) {
        // A mark is the network's own word for congestion (RFC 3168): there is nothing to judge.
        if loss.signal == LossSignal::Ecn || self.discriminator.cause() == Cause::Congestion {
            self.judged.congestion += 1;
            self.before_action = None;
            self.control.on_loss(loss);
            return;
        }
        self.judged.transmission += 1;
        let before = self.cwnd();
        self.before_action = Some(before);
        let cwnd = self.action.on_loss(before, loss);
        self.control.set_cwnd(cwnd);
    }

    fn on_counted(&mut self, counted: &Counted) {
        if self.discriminator.cause() == Cause::Transmission {
            let cwnd = self.action.on_counted(self.cwnd(), counted);
            self.control.set_cwnd(cwnd);
        }
        self.control.on_counted(counted);
    }

    fn on_recovered(&mut self, recovered: &Recovered) {
        self.control.on_recovered(recovered);
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.before_action = None;
        self.discriminator.on_timeout();
        self.action.on_timeout(timeout);
        self.control.on_timeout(timeout);
    }

    fn on_spurious(&mut self, now: Time) {
        match self.before_action.take() {
            Some(before) => self.control.set_cwnd(before.max(self.cwnd())),
            None => self.control.on_spurious(now),
        }
    }

    fn set_cwnd(&mut self, cwnd: Packets) {
        self.control.set_cwnd(cwnd);
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("judged_congestion", self.judged.congestion as f64);
        series("judged_transmission", self.judged.transmission as f64);
        self.discriminator.publish(series);
        self.action.publish(series);
        self.control.publish(series);
    }
}
