//! Layers around a window: a layer wraps any control whose window can be set, looks at the control's reaction
//! to each event and may change it. Rules that RFCs state for all window laws can thus be combined with each
//! law: how slow start ends, how much a mark takes, how far an unused window grows, the use of an earlier
//! connection. Each layer has a file of its own.

pub mod abe;
pub mod careful_resume;
pub mod rate_limited_increase;
pub mod slow_start;

use crate::classic::Window;
use crate::control::{
    Ack, Change, Control, Decision, Ending, Loss, Lost, Probe, Properties, Recovered, Sent, Timeout,
    WindowControl,
};
use ackclock_base::{Packets, Random, Rate};

/// A layer around a control. It receives windows and returns windows, unchanged by default.
pub trait Layer: Send {
    /// Changes an acknowledgement before the control sees it; `_window` is the present window.
    fn before_ack(&mut self, _window: &Window, _ack: &mut Ack) {}

    /// Called after the control has changed the window from `before` to `after` for an acknowledgement.
    /// Returns the window to continue with.
    fn on_ack(&mut self, _before: &Window, after: Window, _ack: &Ack) -> Window {
        after
    }

    /// Called after the control has changed the window from `before` to `after` at a loss, or the echo of a
    /// mark, that begins a recovery. Returns the window to continue with.
    fn on_loss(&mut self, _before: &Window, after: Window, _loss: &Loss) -> Window {
        after
    }

    /// Called when the retransmission timer expires, after the control has reacted.
    fn on_timeout(&mut self, _timeout: &Timeout) {}

    /// Called when the last loss or timeout proves spurious, after the control has undone its reaction.
    fn on_undone(&mut self) {}

    /// Returns the layer's pacing rate; `None` leaves the control's.
    fn pacing_rate(&self) -> Option<Rate> {
        None
    }

    /// Publishes internal values, see [`Control::publish`].
    fn publish(&self, _series: &mut dyn FnMut(&'static str, f64)) {}
}

/// A control and the layer around it.
pub struct Layered {
    control: Box<dyn WindowControl>,
    layer: Box<dyn Layer>,
}

impl Layered {
    /// Puts `layer` around `control`.
    pub fn new(control: Box<dyn WindowControl>, layer: Box<dyn Layer>) -> Self {
        Self { control, layer }
    }

    fn window(&self) -> Window {
        let Decision { cwnd, ssthresh, .. } = self.control.decision();
        Window { cwnd, ssthresh }
    }

    /// Sets the control's window and threshold where `to` differs from its own decision. Unchanged values are
    /// not set, because a law may keep more state than its window.
    fn set(&mut self, from: &Window, to: &Window) {
        if to.ssthresh != from.ssthresh {
            self.control.set_ssthresh(to.ssthresh);
        }
        if to.cwnd != from.cwnd {
            self.control.set_cwnd(to.cwnd);
        }
    }
}

impl Control for Layered {
    fn decision(&self) -> Decision {
        let decision = self.control.decision();
        match self.layer.pacing_rate() {
            None => decision,
            pacing_rate => Decision { pacing_rate, ..decision },
        }
    }

    fn properties(&self) -> Properties {
        self.control.properties()
    }

    fn on_change(&mut self, change: &Change) {
        self.control.on_change(change);
    }

    fn on_sent(&mut self, sent: &Sent, random: &mut dyn Random) {
        self.control.on_sent(sent, random);
    }

    fn on_ack(&mut self, ack: &Ack, random: &mut dyn Random) {
        let (before, mut told) = (self.window(), *ack);
        self.layer.before_ack(&before, &mut told);
        self.control.on_ack(&told, random);
        let after = self.window();
        let wanted = self.layer.on_ack(&before, after, ack);
        self.set(&after, &wanted);
    }

    fn on_lost(&mut self, lost: &Lost, random: &mut dyn Random) {
        self.control.on_lost(lost, random);
    }

    fn on_loss(&mut self, loss: &Loss, random: &mut dyn Random) {
        let before = self.window();
        self.control.on_loss(loss, random);
        let after = self.window();
        let wanted = self.layer.on_loss(&before, after, loss);
        self.set(&after, &wanted);
    }

    fn on_timeout(&mut self, timeout: &Timeout, random: &mut dyn Random) {
        self.control.on_timeout(timeout, random);
        self.layer.on_timeout(timeout);
    }

    fn on_persistent_congestion(&mut self, timeout: &Timeout, random: &mut dyn Random) {
        self.control.on_persistent_congestion(timeout, random);
        self.layer.on_timeout(timeout);
    }

    fn on_probe(&mut self, probe: &Probe) {
        self.control.on_probe(probe);
    }

    fn on_recovered(&mut self, recovered: &Recovered) {
        self.control.on_recovered(recovered);
        if recovered.ending == Ending::Undone {
            self.layer.on_undone();
        }
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        self.layer.publish(series);
        self.control.publish(series);
    }
}

impl WindowControl for Layered {
    fn set_cwnd(&mut self, cwnd: Packets) {
        self.control.set_cwnd(cwnd);
    }

    fn set_ssthresh(&mut self, ssthresh: Packets) {
        self.control.set_ssthresh(ssthresh);
    }
}
