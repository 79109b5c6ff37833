//! NADA (RFC 8698): the rate follows one congestion signal, made of queueing delay, losses and marks. All of it is computed at the
//! sender, which RFC 8698 section 6.4 allows.

mod log;

use super::control::{Call, Entry, Feedback, RateControl, rate_control};
use ackclock_base::{Range, Span, Time, parameters};
use ackclock_cc::laws::ledbat::delays::MAX_MINUTES;
use log::Log;

/// The entry in the list of rate controls.
pub const ENTRY: Entry = Entry {
    descriptor: &rate_control(
        "rtp:nada",
        "NADA: computes a call's rate from queueing delay, losses and ECN marks",
        "RFC 8698",
        Parameters::TABLE,
    ),
    build: |values, call| Box::new(Nada::new(values.into(), call)),
};

/// The defaults are those of the table of the published RFC, compared with its text as far as it could be had: without BETA_S, BETA_V and
/// ALPHA, which are those of its authors' simulator. The numbers of equations 5 to 7 are as in its authors' slides at IETF 95; those of
/// the other equations and of sections are from memory.
const RFC: &str = "RFC 8698 figure 3";
const TIMES: Range = Range { min: 0.0, max: 60.0, above_min: true };
const SHARES: Range = Range { min: 0.0, max: 1.0, above_min: true };
const FACTORS: Range = Range::between(0.0, 100.0);

parameters! {
    /// The parameters, with the names of the RFC. `RMIN`, `RMAX`, `FPS` and `DELTA` are those of the call.
    pub struct Parameters {
        /// Priority of the flow: calls share a bottleneck in proportion to their priorities
        prio: f64 = number("1", Range { min: 0.0, max: 100.0, above_min: true }, RFC),
        /// Congestion signal at which a call with priority 1 settles at the encoder's highest rate (XREF)
        xref: Span = time("10 ms", TIMES, RFC),
        /// Scale of the gradual rate update (KAPPA)
        kappa: f64 = number("0.5", FACTORS, RFC),
        /// Scale of the congestion signal's change in the gradual rate update (ETA)
        eta: f64 = number("2", FACTORS, RFC),
        /// Upper bound on the RTT in the gradual rate update (TAU)
        tau: Span = time("500 ms", TIMES, RFC),
        /// Observation window for losses, ECN marks, queueing delays and the receiving rate (LOGWIN)
        logwin: Span = time("500 ms", Range::between(0.01, 2.0), RFC),
        /// Queueing delay at or above which a queue counts as built up, which ends the accelerated ramp-up (QEPS)
        qeps: Span = time("10 ms", TIMES, RFC),
        /// Filtering delay that the accelerated ramp-up adds to the RTT and the feedback interval to obtain the
        /// sender's reaction time (DFILT)
        dfilt: Span = time("120 ms", Range::between(0.0, 60.0), RFC),
        /// Upper bound on the relative excess of the rate over the receiving rate in the accelerated ramp-up
        /// (GAMMA_MAX)
        gamma_max: f64 = number("0.5", FACTORS, RFC),
        /// Upper bound on the queueing delay that the accelerated ramp-up causes (QBOUND)
        qbound: Span = time("50 ms", TIMES, RFC),
        /// Number of packets without a loss, as a multiple of the mean loss interval, after which the last loss is
        /// forgotten and a queueing delay above `qth` counts in full again (MULTILOSS)
        multiloss: f64 = number("7", FACTORS, RFC),
        /// Whether the mean loss interval includes the interval since the last loss if that makes the mean longer. If
        /// true, no loss is ever forgotten with a `multiloss` of 7
        running_interval: bool = flag(true, "RFC 8698 section 4.2 refers to RFC 5348 section 5.4"),
        /// Queueing delay above which a smaller, warped delay enters the congestion signal while losses continue
        /// (QTH)
        qth: Span = time("50 ms", TIMES, RFC),
        /// Factor in the exponent of the delay warping: the larger, the faster the warped delay falls as the queueing
        /// delay exceeds `qth` (LAMBDA)
        lambda: f64 = number("0.5", FACTORS, RFC),
        /// Loss ratio at which losses add `dloss` to the congestion signal (PLRREF)
        plrref: f64 = number("0.01", SHARES, RFC),
        /// Marking ratio at which marks add `dmark` to the congestion signal (PMRREF)
        pmrref: f64 = number("0.01", SHARES, RFC),
        /// Delay that losses add to the congestion signal at the loss ratio `plrref` (DLOSS)
        dloss: Span = time("10 ms", Range::between(0.0, 60.0), RFC),
        /// Delay that marks add to the congestion signal at the marking ratio `pmrref` (DMARK)
        dmark: Span = time("2 ms", Range::between(0.0, 60.0), RFC),
        /// Upper bound on the congestion signal
        xmax: Span = time(
            "500 ms",
            TIMES,
            "not in RFC 8698; NADA_PARAM_XMAX in ns3-rmcat, a simulator by the RFC's authors",
        ),
        /// Scale of the increase of the sending rate above the reference rate while packets are queued at the sender
        /// (BETA_S)
        beta_s: f64 = number("0.1", FACTORS, RFC),
        /// Scale of the reduction of the encoder's rate below the reference rate while packets are queued at the sender
        /// (BETA_V)
        beta_v: f64 = number("0.1", FACTORS, RFC),
        /// Weight of the newest sample in the smoothed loss and marking ratios (ALPHA)
        alpha: f64 = number("0.1", SHARES, RFC),
        /// Number of past minutes whose minimum one-way delay is the base delay, so that the delay of an earlier route
        /// expires
        base_history: usize = integer(
            "10",
            Range::between(1.0, MAX_MINUTES as f64),
            "RFC 8698 section 5.1.1 suggests tens of minutes; RFC 6817 section 2.5 uses 10 minutes",
        ),
    }
}

/// The largest share of the rate by which the encoder and the sending differ from it (equations 11 and 12).
const MAX_DIFFERENCE: f64 = 0.05;

/// The state of NADA in a call.
pub struct Nada {
    parameters: Parameters,
    call: Call,
    log: Log,
    /// The reference rate r_ref, in bits per second.
    rate_bps: f64,
    /// The congestion signal x_curr at the last report, in seconds.
    signal_s: f64,
    /// The time of the last report.
    updated: Option<Time>,
}

impl Nada {
    /// Creates the control of a call, which begins at the lowest rate of the encoder.
    pub fn new(parameters: Parameters, call: Call) -> Self {
        let log = Log::new(parameters.logwin, parameters.alpha, parameters.base_history);
        Self { parameters, call, log, rate_bps: call.min_bps, signal_s: 0.0, updated: None }
    }

    /// Returns the queueing delay as the signal counts it, in seconds. While losses go on, a delay above `qth` counts for less the longer
    /// it is, so that a queue that others fill does not starve the call (equation 1).
    fn counted_delay_s(&self) -> f64 {
        let delay_s = self.log.queueing().seconds();
        let running = self.parameters.running_interval;
        let Some(intervals) = self.log.losses().since_last(running) else { return delay_s };
        let warped_s = warped(delay_s, self.parameters.qth.seconds(), self.parameters.lambda);
        // Over one mean interval after the last loss has expired, the delay is warped less and less.
        let plain = (intervals - self.parameters.multiloss).clamp(0.0, 1.0);
        plain * delay_s + (1.0 - plain) * warped_s
    }

    /// Returns the congestion signal x_curr in seconds (equation 2). Without a bound, the end of many losses would multiply the rate: the
    /// change of the signal counts in equation 7, and losses count by their square.
    fn signal(&self) -> f64 {
        let Parameters { plrref, pmrref, dloss, dmark, xmax, .. } = self.parameters;
        let square = |ratio: f64| ratio * ratio;
        let signal_s = self.counted_delay_s()
            + dmark.seconds() * square(self.log.marking() / pmrref)
            + dloss.seconds() * square(self.log.loss() / plrref);
        signal_s.min(xmax.seconds())
    }

    /// Returns the rate after an accelerated ramp-up (equations 3 and 4).
    fn ramped_up(&self, rtt: Span) -> f64 {
        let Parameters { gamma_max, qbound, dfilt, .. } = self.parameters;
        let reaction = rtt + self.call.feedback + dfilt;
        let gamma = gamma_max.min(qbound.seconds() / reaction.seconds());
        self.rate_bps.max((1.0 + gamma) * self.log.arrival_bps())
    }

    /// Returns the rate after a gradual update, `delta` after the last one, from the signal `before` to `now` (equations 5 to 7).
    fn updated(&self, before_s: f64, now_s: f64, delta: Span) -> f64 {
        let Parameters { prio, xref, kappa, eta, tau, .. } = self.parameters;
        let tau_s = tau.seconds();
        let offset_s = now_s - prio * xref.seconds() * self.call.max_bps / self.rate_bps;
        let difference_s = now_s - before_s;
        let decrease = kappa * (delta.seconds() / tau_s * offset_s / tau_s + eta * difference_s / tau_s);
        self.rate_bps * (1.0 - decrease)
    }

    /// Returns the bits per second that would empty the sender's buffer within a frame, times `beta`, within bounds.
    fn difference_bps(&self, beta: f64, buffered_bytes: u64) -> f64 {
        let wanted = beta * 8.0 * buffered_bytes as f64 * self.call.frames_per_second;
        wanted.min(MAX_DIFFERENCE * self.rate_bps)
    }
}

/// Returns the warped delay d_tilde (equation 1), in the unit of its arguments.
fn warped(delay: f64, threshold: f64, lambda: f64) -> f64 {
    if delay < threshold { delay } else { threshold * libm::exp(-lambda * (delay - threshold) / threshold) }
}

impl RateControl for Nada {
    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        let Feedback { now, rtt, packets } = *feedback;
        let delta = self.updated.map_or(self.call.feedback, |updated| now.since(updated));
        self.updated = Some(now);
        self.log.take(packets, rtt);
        let before_s = self.signal_s;
        self.signal_s = self.signal();
        let is_underused = !self.log.has_loss() && self.log.longest_queueing() < self.parameters.qeps;
        let rate_bps =
            if is_underused { self.ramped_up(rtt) } else { self.updated(before_s, self.signal_s, delta) };
        self.rate_bps = rate_bps.clamp(self.call.min_bps, self.call.max_bps);
    }

    fn target_bps(&self) -> f64 {
        self.rate_bps
    }

    fn encoder_bps(&self, buffered_bytes: u64) -> f64 {
        let difference_bps = self.difference_bps(self.parameters.beta_v, buffered_bytes);
        (self.rate_bps - difference_bps).max(self.call.min_bps)
    }

    fn sending_bps(&self, buffered_bytes: u64) -> f64 {
        let difference_bps = self.difference_bps(self.parameters.beta_s, buffered_bytes);
        (self.rate_bps + difference_bps).min(self.call.max_bps)
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("congestion_signal_s", self.signal_s);
    }
}

#[cfg(test)]
mod tests;
