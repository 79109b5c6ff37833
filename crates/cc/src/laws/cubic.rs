//! CUBIC (RFC 9438). Undo is shared by all laws, HyStart++ and HyStart are layers, and the transport does the
//! pacing.

mod linux;

use self::linux::Growth;
use super::variant::Variant;
use crate::classic::{Classic, MIN_SSTHRESH, Window, WindowLaw};
use crate::control::{Ack, Loss, Timeout};
use crate::entry::{Build, Entry, PublishedDefaults, control};
use ackclock_base::{Packets, Range, Span, Time, choice, parameters};

#[cfg(test)]
mod tests;

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "cubic",
        "CUBIC: the window grows as a cubic function of the time since the last loss, and at least as fast as Reno's",
        "RFC 9438",
        Parameters::TABLE,
    ),
    build: Build::Alone(|values, initial| Box::new(Classic::new(Cubic::new(values.into()), initial))),
    published: PublishedDefaults { slow_start_in_linux: Some("hystart"), ..PublishedDefaults::NONE },
};

choice! {
    /// The window that is remembered at a loss.
    pub enum Remembers {
        /// The base of the cut: the packets in flight, or the window, depending on the profile.
        Flight = "flight",
        /// The window, however much of it is in flight.
        Window = "window",
    }
}

parameters! {
    /// The constants of RFC 9438.
    pub struct Parameters {
        //= RFC 9438 section 5.1: C is 0.4
        /// Factor C of the cubic function, in packets per second cubed; with a larger C the window regains its size
        /// sooner after a loss
        c: f64 = number("0.4", Range::above(0.0), "RFC 9438 section 5"),
        /// Window after a loss, as a fraction of the window before the loss
        beta: f64 = number("0.7", Range::between(0.1, 0.95), "RFC 9438 section 4.6"),
        /// Fast convergence: whether a loss before the window has regained W_max sets W_max to (1 + beta) / 2 of the
        /// window instead of the whole window, which leaves bandwidth to new flows
        fast_convergence: bool = flag(true, "RFC 9438 section 4.7"),
        /// Window that a loss stores as W_max: the quantity that the transport's `reduce_from` reduces (flight), or
        /// the congestion window (window)
        remembers: Remembers = choice(
            "flight",
            "RFC 9438 sections 4.6 and 4.7 use the congestion window; erratum 7806, which asked for the packets in \
             flight, was rejected. ackclock's studies were recorded with `flight`. In the profiles `ns2` and `linux`, \
             where `reduce_from` is `window`, `flight` and `window` have the same effect",
        ),
        /// Source of constants and details: the other parameters and RFC 9438 (published), or Linux (linux): C 0.4004;
        /// beta 0.7002; a Reno-friendly increase of 8/15 packet per round trip, also above the window before the loss;
        /// growth by at least a twentieth of the window per round trip before the first loss and after a timeout; a
        /// target on the cubic curve one minimum round trip ahead instead of one smoothed round trip; windows and
        /// thresholds in whole packets; and growth that is recomputed at most 32 times a second while the window is
        /// unchanged
        variant: Variant = choice(
            "published",
            "Linux's tcp_cubic.c: bic_scale, beta, beta_scale, bictcp_update, cubictcp_recalc_ssthresh",
        ),
    }
}

/// Linux counts in 1024ths: `bic_scale` is 41 for each tenth of a second, and `beta` 717.
const LINUX_C: f64 = 410.0 / 1024.0;
const LINUX_BETA: f64 = 717.0 / 1024.0;

/// The cubic law with its Reno-friendly region.
#[derive(Clone, Debug)]
pub struct Cubic {
    parameters: Parameters,
    /// The window at the last loss, less what fast convergence gives up (section 4.1.2). `None` before the
    /// first loss and after a timeout: congestion avoidance then begins at its plateau (sections 4.8 and
    /// 4.10).
    w_max: Option<Packets>,
    /// The window when the slow start threshold was last set (section 4.1.2).
    cwnd_prior: Packets,
    /// The epoch of congestion avoidance since the last loss; `None` until its first acknowledgement.
    epoch: Option<Epoch>,
    /// The progress of a window of whole packets, under Linux's variant.
    growth: Growth,
}

#[derive(Clone, Debug)]
struct Epoch {
    start: Time,
    /// The time from the start to the plateau, in seconds (equation 2).
    k: f64,
    /// The window at the plateau.
    origin: Packets,
    /// The estimate of Reno's window (section 4.3).
    w_est: Packets,
}

/// RFC 9438 section 4.2: the target is at most half a window above the window.
const MAX_TARGET: f64 = 1.5;

impl Cubic {
    /// Creates the law before the first loss.
    pub fn new(parameters: Parameters) -> Self {
        let c = parameters.variant.pick(parameters.c, LINUX_C);
        let beta = parameters.variant.pick(parameters.beta, LINUX_BETA);
        let parameters = Parameters { c, beta, ..parameters };
        Self { parameters, w_max: None, cwnd_prior: 0.0, epoch: None, growth: Growth::default() }
    }

    fn epoch_from(&mut self, cwnd: Packets, now: Time) -> Epoch {
        // Section 4.2: K = cbrt((W_max - cwnd_epoch) / C); if the window is not smaller than W_max, it is the
        // plateau itself.
        let origin = self.w_max.get_or_insert(cwnd).max(cwnd);
        //= RFC 9438 section 4.2 plateau: K is the cube root of (W_max - cwnd_epoch) / C
        let k = libm::cbrt((origin - cwnd) / self.parameters.c);
        Epoch { start: now, k, origin, w_est: cwnd }
    }

    /// Returns the additive increase in packets per round trip that gives Reno's average window with CUBIC's
    /// decrease; once the window before the loss is regained it is 1, as Reno's (section 4.3).
    fn alpha(&self, w_est: Packets) -> f64 {
        let beta = self.parameters.beta;
        //= RFC 9438 section 4.3 alpha: alpha is 1 once Reno's estimate has reached the size that the window had before its last reduction
        if w_est >= self.cwnd_prior { 1.0 } else { 3.0 * (1.0 - beta) / (1.0 + beta) }
    }

    /// Returns `packets`, under Linux's variant without a fraction: its windows and thresholds are integers.
    fn whole(&self, packets: Packets) -> Packets {
        self.parameters.variant.pick(packets, packets.trunc())
    }

    /// Returns the maximum to remember at a cut from `from` packets. The two kinds differ only where the
    /// application leaves a part of the window unused.
    fn maximum(&self, window: &Window, from: Packets) -> Packets {
        match self.parameters.remembers {
            Remembers::Flight => from,
            Remembers::Window => window.cwnd,
        }
    }

    //= RFC 9438 section 4.7 less: if the window before a loss is below the last W_max, W_max is set below this window (fast convergence)
    /// Remembers the maximum; a flow that did not regain its last maximum remembers less (section 4.7).
    fn remember(&mut self, cwnd: Packets) {
        let shrinking = self.parameters.fast_convergence && self.w_max.is_some_and(|w_max| cwnd < w_max);
        let remembered = if shrinking { cwnd * (1.0 + self.parameters.beta) / 2.0 } else { cwnd };
        self.w_max = Some(self.whole(remembered));
        self.cwnd_prior = cwnd;
        self.end_epoch();
    }

    /// Ends the epoch. The next acknowledgement in congestion avoidance begins another one.
    fn end_epoch(&mut self) {
        (self.epoch, self.growth) = (None, Growth::default());
    }

    /// Grows the window for an acknowledgement (sections 4.3 to 4.5).
    fn follow(&self, epoch: &mut Epoch, window: &mut Window, ack: &Ack) {
        let elapsed = ack.now.since(epoch.start);
        // Section 4.3, equation 4: the growth of the estimate of Reno's window.
        epoch.w_est += self.alpha(epoch.w_est) * ack.abc_increment / window.cwnd;
        if self.curve(epoch, elapsed.seconds()) < epoch.w_est {
            //= RFC 9438 section 4.3 region: the window is Reno's estimate while the cubic curve is below it
            window.cwnd = window.cwnd.max(epoch.w_est);
        } else {
            // Sections 4.4 and 4.5: reach within one round trip the curve's value one round trip ahead;
            // section 4.2 uses the smoothed one.
            let ahead = (elapsed + ack.smoothed_rtt).seconds();
            //= RFC 9438 section 4.2 bounds: the target lies between the window and 1.5 times the window
            let target = self.curve(epoch, ahead).clamp(window.cwnd, MAX_TARGET * window.cwnd);
            //= RFC 9438 section 4.4: in the concave region an acknowledgement adds (target - cwnd) / cwnd
            //= RFC 9438 section 4.5: in the convex region an acknowledgement adds (target - cwnd) / cwnd
            window.cwnd += (target - window.cwnd) / window.cwnd * ack.abc_increment;
        }
    }

    /// Returns the window of the curve in whole packets: Linux rounds its distance from the plateau down.
    fn whole_curve(&self, epoch: &Epoch, seconds: f64) -> Packets {
        epoch.origin + (self.curve(epoch, seconds) - epoch.origin).trunc()
    }

    //= RFC 9438 section 4.2 curve: the window follows C * (t - K)^3 + W_max
    /// Returns the window of equation 1 at `seconds` into the epoch, in packets.
    fn curve(&self, epoch: &Epoch, seconds: f64) -> Packets {
        let distance = seconds - epoch.k;
        self.parameters.c * distance * distance * distance + epoch.origin
    }
}

impl WindowLaw for Cubic {
    /// True: the curve is a function of time, from which sections 4.2 and 5.8 leave out pauses.
    const RUNS_ON_TIME: bool = true;

    //= RFC 9438 section 4.2 application: t, the time since congestion avoidance began, excludes the time in which the application limits the flow
    fn skip(&mut self, pause: Span) {
        if let Some(epoch) = &mut self.epoch {
            epoch.start += pause;
        }
    }

    fn avoid_congestion(&mut self, window: &mut Window, ack: &Ack) {
        let mut epoch = match self.epoch.take() {
            Some(epoch) => epoch,
            None => self.epoch_from(self.whole(window.cwnd), ack.now),
        };
        match self.parameters.variant {
            Variant::Published => self.follow(&mut epoch, window, ack),
            Variant::Linux => {
                let ahead = ack.now.since(epoch.start) + ack.min_rtt;
                let target = |epoch: &Epoch| self.whole_curve(epoch, ahead.seconds());
                let (cwnd, mut growth) = (window.cwnd.trunc(), self.growth);
                window.cwnd += growth.of(cwnd, ack, &mut epoch, self.cwnd_prior == 0.0, target);
                self.growth = growth;
            }
        }
        self.epoch = Some(epoch);
    }

    fn decrease(&mut self, from: Packets, _loss: &Loss) -> Packets {
        //= RFC 9438 section 4.6 beta: a loss reduces the window to 0.7 times the data in flight
        self.whole(self.whole(from) * self.parameters.beta)
    }

    fn on_loss(&mut self, window: &mut Window, loss: &Loss) {
        self.remember(self.whole(self.maximum(window, loss.window)));
        let reduced = self.decrease(loss.window, loss);
        //= RFC 9438 section 4.6 at-once: the window and ssthresh are reduced when recovery begins
        *window = Window { cwnd: reduced, ssthresh: reduced.max(MIN_SSTHRESH) };
    }

    fn on_timeout(&mut self, window: &mut Window, timeout: &Timeout) {
        // Section 4.8: as Reno, with beta instead of a half; K = 0 and W_max = cwnd when congestion avoidance
        // begins.
        if !timeout.keeps_threshold {
            // Linux forgets everything at a timeout (bictcp_reset), so that the minimum growth before the
            // first loss applies again.
            self.cwnd_prior = self.parameters.variant.pick(self.maximum(window, timeout.window), 0.0);
            //= RFC 9438 section 4.8 ssthresh: a timeout sets ssthresh to beta times the data in flight
            let reduced = self.whole(self.whole(timeout.window) * self.parameters.beta);
            window.ssthresh = reduced.max(MIN_SSTHRESH);
        }
        window.cwnd = 1.0;
        //= RFC 9438 section 4.8 plateau: after a timeout, K is 0 and W_max is the window at the end of slow start
        self.w_max = None;
        self.end_epoch();
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("w_max_packets", self.w_max.unwrap_or(f64::NAN));
        series("k_s", self.epoch.as_ref().map_or(Span::ZERO.seconds(), |epoch| epoch.k));
    }
}
