//! A control with an observer around it, which is told each event and can read the control's reaction. Only
//! the connections that ask for it have one, so that the others pay no cost.

use crate::assembly::Controller;
use crate::control::{Ack, Change, Control, Decision, Loss, Lost, Probe, Properties, Recovered, Sent};
use crate::control::{Timeout, WindowControl};
use crate::differentiation::{Cause, Counted, IncomingAck, LossDifferentiation};
use ackclock_base::{Packets, Random};

/// An observer of a control's events. `control` shows the control after its reaction.
pub trait Observer: Send {
    /// Called after an acknowledgement.
    fn acked(&mut self, ack: &Ack, control: &dyn Shown);

    /// Called after a packet was considered lost.
    fn lost(&mut self, lost: &Lost, control: &dyn Shown);

    /// Called when a recovery, or the response to an echo of congestion, has begun.
    fn reduced(&mut self, loss: &Loss, control: &dyn Shown);

    /// Called after the retransmission timer expired.
    fn timed_out(&mut self, timeout: &Timeout, control: &dyn Shown);

    /// Called after the host has found persistent congestion (RFC 9002 section 7.6).
    fn congested(&mut self, timeout: &Timeout, control: &dyn Shown);

    /// Called after the host has sent a probe.
    fn probed(&mut self, probe: &Probe, control: &dyn Shown);

    /// Called when a recovery has ended.
    fn recovered(&mut self, recovered: &Recovered, control: &dyn Shown);
}

/// The view of a control that an observer gets.
pub trait Shown {
    /// Returns the control's decision, see [`Control::decision`].
    fn decision(&self) -> Decision;

    /// Publishes the control's internal values, see [`Control::publish`].
    fn publish(&self, series: &mut dyn FnMut(&'static str, f64));
}

struct Inside<'a, C: ?Sized>(&'a C);

impl<C: Control + ?Sized> Shown for Inside<'_, C> {
    fn decision(&self) -> Decision {
        self.0.decision()
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        self.0.publish(series);
    }
}

impl Controller {
    /// Puts `observer` around the control.
    pub fn observed(self, observer: Box<dyn Observer>) -> Self {
        match self {
            Self::Window(control) => Self::Window(Box::new(Observed { control, observer })),
            Self::Model(control) => Self::Model(Box::new(Observed { control, observer })),
            Self::Differentiating(control) => Self::Differentiating(Box::new(Observed { control, observer })),
        }
    }
}

struct Observed<C: ?Sized> {
    observer: Box<dyn Observer>,
    control: Box<C>,
}

impl<C: Control + ?Sized> Control for Observed<C> {
    fn decision(&self) -> Decision {
        self.control.decision()
    }

    /// Always shared: an observer may watch several flows and must see their events in order.
    fn properties(&self) -> Properties {
        Properties { shared: true, ..self.control.properties() }
    }

    fn on_change(&mut self, change: &Change) {
        self.control.on_change(change);
    }

    fn on_sent(&mut self, sent: &Sent, random: &mut dyn Random) {
        self.control.on_sent(sent, random);
    }

    fn on_ack(&mut self, ack: &Ack, random: &mut dyn Random) {
        self.control.on_ack(ack, random);
        self.observer.acked(ack, &Inside(&*self.control));
    }

    fn on_lost(&mut self, lost: &Lost, random: &mut dyn Random) {
        self.control.on_lost(lost, random);
        self.observer.lost(lost, &Inside(&*self.control));
    }

    fn on_loss(&mut self, loss: &Loss, random: &mut dyn Random) {
        self.control.on_loss(loss, random);
        self.observer.reduced(loss, &Inside(&*self.control));
    }

    fn on_timeout(&mut self, timeout: &Timeout, random: &mut dyn Random) {
        self.control.on_timeout(timeout, random);
        self.observer.timed_out(timeout, &Inside(&*self.control));
    }

    fn on_persistent_congestion(&mut self, timeout: &Timeout, random: &mut dyn Random) {
        self.control.on_persistent_congestion(timeout, random);
        self.observer.congested(timeout, &Inside(&*self.control));
    }

    fn on_probe(&mut self, probe: &Probe) {
        self.control.on_probe(probe);
        self.observer.probed(probe, &Inside(&*self.control));
    }

    fn on_recovered(&mut self, recovered: &Recovered) {
        self.control.on_recovered(recovered);
        self.observer.recovered(recovered, &Inside(&*self.control));
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        self.control.publish(series);
    }
}

impl<C: WindowControl + ?Sized> WindowControl for Observed<C> {
    fn set_cwnd(&mut self, cwnd: Packets) {
        self.control.set_cwnd(cwnd);
    }

    fn set_ssthresh(&mut self, ssthresh: Packets) {
        self.control.set_ssthresh(ssthresh);
    }
}

impl<C: LossDifferentiation + ?Sized> LossDifferentiation for Observed<C> {
    fn on_incoming(&mut self, incoming: &IncomingAck, random: &mut dyn Random) -> Cause {
        self.control.on_incoming(incoming, random)
    }

    fn on_counted(&mut self, counted: &Counted, random: &mut dyn Random) {
        self.control.on_counted(counted, random);
    }
}
