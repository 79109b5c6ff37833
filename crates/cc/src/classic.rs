//! The part that all TCP-like controls share, written once: slow start, the reaction to loss and timeout,
//! undo, floors and limits. A window law adds its increase and its decrease, in one small file.

mod floors;
mod pauses;

pub(crate) use floors::Floors;

use crate::control::{
    Ack, Control, Decision, EcnResponse, Ending, Follows, Initial, Loss, Phase, Properties, Recovered, Sent,
    Timeout, WindowControl,
};
use ackclock_base::{Packets, Random, Rate, Span, Time};
use pauses::Pauses;

/// The window and the slow start threshold that a law works on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// The congestion window.
    pub cwnd: Packets,
    /// The slow start threshold; below it the window grows by slow start.
    pub ssthresh: Packets,
}

impl Window {
    /// Grows the window by `abc_increment` packets for one fresh acknowledgement in slow start (RFC 5681 section
    /// 3.1), but to the threshold at most, or by up to one packet if the threshold is nearer.
    pub fn slow_start(&mut self, abc_increment: Packets) {
        self.cwnd = (self.cwnd + abc_increment).min(self.ssthresh.max(self.cwnd + 1.0));
    }

    /// Sets threshold and window after a timeout (RFC 5681 section 3.1, equation 4 and the loss window).
    pub fn start_over(&mut self, timeout: &Timeout) {
        if !timeout.keeps_threshold {
            //= RFC 5681 section 3.1 ssthresh: a timeout sets ssthresh to at most half of FlightSize, or two segments if that is more
            self.ssthresh = (timeout.window / 2.0).max(MIN_SSTHRESH);
        }
        //= RFC 5681 section 3.1 loss-window: after a timeout the window is one segment
        self.cwnd = 1.0;
    }

    /// Undoes a reduction: restores the threshold, and the window unless it has grown beyond `before` since.
    pub fn restore(&mut self, before: &Self) {
        *self = Self { cwnd: self.cwnd.max(before.cwnd), ssthresh: before.ssthresh };
    }
}

/// How a window grows and shrinks. [`Classic`] does everything else.
pub trait WindowLaw: Clone + Send {
    /// Whether the increase is a function of time, as CUBIC's is. Such a law implements [`skip`](Self::skip).
    const RUNS_ON_TIME: bool = false;

    /// Removes `pause` from the time that the increase depends on. Called at the end of a time in which the
    /// window was not used up, because nothing was sent or because the application had little to send (RFC
    /// 9438 section 4.2).
    fn skip(&mut self, _pause: Span) {}

    /// Changes the window in congestion avoidance for one fresh acknowledgement outside recovery. A law that lowers the
    /// window here must lower `ssthresh` too: below it, slow start raises the window again.
    fn avoid_congestion(&mut self, window: &mut Window, ack: &Ack);

    /// Returns the window after a loss, in packets, given the window (or flight) that the profile reduces
    /// from.
    fn decrease(&mut self, from: Packets, loss: &Loss) -> Packets;

    /// Grows the window in slow start: RFC 5681 section 3.1 unless the law overrides it.
    fn slow_start(&mut self, window: &mut Window, ack: &Ack) {
        window.slow_start(ack.abc_increment);
    }

    /// Called for every acknowledgement before the window changes, including duplicates and those in
    /// recovery.
    fn observe(&mut self, _window: &mut Window, _ack: &Ack) {}

    /// Reacts to a loss: RFC 5681 section 3.2 with the law's own decrease, unless the law overrides it.
    fn on_loss(&mut self, window: &mut Window, loss: &Loss) {
        let reduced = self.decrease(loss.window, loss);
        window.ssthresh = reduced.max(MIN_SSTHRESH);
        window.cwnd = reduced;
    }

    /// Reacts to a timeout: RFC 5681 section 3.1 (equation 4, and a loss window of one packet), unless the
    /// law overrides it.
    fn on_timeout(&mut self, window: &mut Window, timeout: &Timeout) {
        window.start_over(timeout);
    }

    /// Called when the recovery that the last loss began has ended, after `duplicates` duplicate
    /// acknowledgements.
    fn on_repaired(&mut self, _window: &mut Window, _now: Time, _duplicates: u32) {}

    /// Returns whether the window may grow only while it is the limit (RFC 7661). A law that sets its window
    /// from delay needs no such guard.
    fn needs_full_window(&self) -> bool {
        true
    }

    /// Returns how the law responds to congestion marks: once per window of data, or to each mark a little as
    /// DCTCP does.
    fn ecn(&self) -> EcnResponse {
        EcnResponse::AsLoss
    }

    /// Returns the pacing rate for packets of `packet_bytes`, or `None` if the law does not pace.
    fn pacing_rate(&self, _window: &Window, _packet_bytes: u32) -> Option<Rate> {
        None
    }

    /// Publishes internal values for figures, under the same names at each call; a value that is not known
    /// yet is NaN.
    fn publish(&self, _series: &mut dyn FnMut(&'static str, f64)) {}
}

/// The smallest slow start threshold after a loss: two segments (RFC 5681 equation 4).
pub const MIN_SSTHRESH: Packets = 2.0;

/// The greatest window, in packets: more than any path holds. It keeps every window finite.
pub(crate) const MAX_CWND: Packets = 1e9;

/// A congestion control made of a window law.
#[derive(Clone, Debug)]
pub struct Classic<Law> {
    law: Law,
    window: Window,
    /// The law, the window and the total of the pauses just before the last loss, mark or first timeout in a
    /// row, to undo the reaction to it; `None` if there is nothing to undo.
    before_loss: Option<(Law, Window, Span)>,
    packet_bytes: u32,
    floors: Floors,
    pauses: Pauses,
}

impl<Law: WindowLaw> Classic<Law> {
    /// Creates the control at the start of a connection.
    pub fn new(law: Law, initial: &Initial) -> Self {
        let mut control = Self {
            law,
            window: Window { cwnd: initial.window, ssthresh: initial.ssthresh },
            before_loss: None,
            packet_bytes: initial.packet_bytes,
            floors: Floors::of(initial),
            pauses: Pauses::default(),
        };
        control.clamp();
        control
    }

    fn clamp(&mut self) {
        self.floors.clamp(&mut self.window);
    }

    /// Records an event at `now` of a flow that uses its window: the time since the last event counts for the
    /// law.
    fn use_time(&mut self, now: Time) {
        if Law::RUNS_ON_TIME {
            self.pauses.hear(now);
        }
    }

    /// Records an event at `now` that ends a pause: the law skips the time since the last event.
    fn skip_time(&mut self, now: Time) {
        if Law::RUNS_ON_TIME {
            let pause = self.pauses.end(now);
            self.law.skip(pause);
        }
    }

    fn remember(&mut self) {
        self.before_loss = Some((self.law.clone(), self.window, self.pauses.total()));
    }
}

impl<Law: WindowLaw> Control for Classic<Law> {
    fn decision(&self) -> Decision {
        let pacing_rate = self.law.pacing_rate(&self.window, self.packet_bytes);
        Decision { pacing_rate, ..Decision::window(self.window.cwnd, self.window.ssthresh) }
    }

    fn properties(&self) -> Properties {
        let follows = if Law::RUNS_ON_TIME { Follows::Restarts } else { Follows::Nothing };
        Properties { ecn: self.law.ecn(), follows, ..Properties::default() }
    }

    fn on_sent(&mut self, sent: &Sent, _random: &mut dyn Random) {
        if sent.after_idle {
            self.skip_time(sent.now);
        }
    }

    fn on_ack(&mut self, ack: &Ack, _random: &mut dyn Random) {
        if ack.cwnd_limited {
            self.use_time(ack.now);
        } else {
            self.skip_time(ack.now);
        }
        self.law.observe(&mut self.window, ack);
        //= RFC 9002 section 7.8 unused: a window that is not fully used does not grow
        //= RFC 9438 section 4.6 unused: if ssthresh after a loss is computed from the window instead of the data in flight, a window that is not fully used does not grow
        let may_grow = ack.cwnd_limited || !self.law.needs_full_window();
        if ack.fresh && ack.phase == Phase::Open && may_grow {
            //= RFC 5681 section 3.1 phases: below ssthresh the window grows by slow start, above it by congestion avoidance
            if self.window.cwnd < self.window.ssthresh {
                //= RFC 9438 section 4.10 slow-start: up to ssthresh the window grows by slow start
                self.law.slow_start(&mut self.window, ack);
            } else {
                self.law.avoid_congestion(&mut self.window, ack);
            }
        }
        self.clamp();
    }

    fn on_loss(&mut self, loss: &Loss, _random: &mut dyn Random) {
        self.use_time(loss.now);
        self.remember();
        self.law.on_loss(&mut self.window, loss);
        self.clamp();
        //= RFC 9002 section 7.2 minimum: the minimum window is two datagrams
        self.window.cwnd = self.window.cwnd.max(self.floors.after_loss());
    }

    fn on_timeout(&mut self, timeout: &Timeout, _random: &mut dyn Random) {
        self.use_time(timeout.now);
        if timeout.in_a_row == 1 {
            self.remember();
        }
        self.law.on_timeout(&mut self.window, timeout);
        self.clamp();
    }

    fn on_recovered(&mut self, recovered: &Recovered) {
        self.use_time(recovered.now);
        match recovered.ending {
            Ending::Repaired { duplicates } => {
                self.law.on_repaired(&mut self.window, recovered.now, duplicates);
                self.clamp();
            }
            Ending::Undone => {
                if let Some((law, window, pauses)) = self.before_loss.take() {
                    //= RFC 9438 section 4.9.2: if a loss was spurious, the sender restores the window, ssthresh, W_max, K and the start of the epoch
                    self.law = law;
                    self.law.skip(self.pauses.total().saturating_sub(pauses));
                    self.window.restore(&window);
                }
            }
        }
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        self.law.publish(series);
    }
}

impl<Law: WindowLaw> WindowControl for Classic<Law> {
    fn set_cwnd(&mut self, cwnd: Packets) {
        self.window.cwnd = cwnd;
        self.clamp();
    }

    fn set_ssthresh(&mut self, ssthresh: Packets) {
        self.window.ssthresh = ssthresh;
        self.clamp();
    }
}
