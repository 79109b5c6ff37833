//! H-TCP (Leith and Shorten 2004): the increase grows with the time since the last loss, and the decrease is
//! just enough to empty the queue. It follows Linux's tcp_htcp.c, in real numbers instead of integers.

use super::variant::Variant;
use crate::classic::{Classic, Window, WindowLaw};
use crate::control::{Ack, Loss, Phase, Timeout};
use crate::entry::{Build, Entry, PublishedDefaults, control};
use ackclock_base::{Packets, Range, Span, Time, parameters};
use throughput::Throughput;

#[cfg(test)]
mod tests;
mod throughput;

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "htcp",
        "H-TCP: the increase grows with the time since the last loss, and the fraction of the window that remains \
         after a loss adapts to the ratio of minimum to maximum RTT",
        "Leith and Shorten 2004; draft-leith-tcp-htcp; Linux's tcp_htcp.c",
        Parameters::TABLE,
    ),
    build: Build::Alone(|values, initial| Box::new(Classic::new(HTcp::new(values.into()), initial))),
    published: PublishedDefaults::recovery("sack"),
};

parameters! {
    /// When the increase exceeds Reno's, and how much remains after a loss.
    pub struct Parameters {
        /// Time after a loss until the increase per round trip begins to grow (Delta_L)
        low_speed: Span = time("1 s", Range::at_least(0.0), "S. Jain 2005 equation 1.3; Linux's tcp_htcp.c"),
        /// Whether the fraction of the window that remains after a loss is RTT_min / RTT_max, bounded by `least_beta`
        /// and `most_beta`, if the throughput is within 20 % of the throughput at the previous loss; otherwise, half of
        /// the window remains
        adaptive_backoff: bool = flag(true, "S. Jain 2005 equation 1.4 and section IV A; Linux's tcp_htcp.c"),
        /// Whether the increase is scaled by the minimum RTT divided by 100 ms (a factor from 0.1 to 2), so that flows
        /// with different RTTs converge at similar rates
        rtt_scaling: bool = flag(true, "S. Jain 2005 section IV A; Linux's tcp_htcp.c"),
        /// With `adaptive_backoff`, the smallest fraction of the window that remains after a loss
        least_beta: f64 = number("0.5", Range::between(0.1, 1.0), "Linux's tcp_htcp.c, BETA_MIN"),
        /// With `adaptive_backoff`, the largest fraction of the window that remains after a loss
        most_beta: f64 = number("0.8", Range::between(0.1, 0.99), "Near Linux's BETA_MAX of 102/128 (tcp_htcp.c)"),
        /// Source of `most_beta`: the parameter (published), or Linux's value of 102/128 (linux)
        variant: Variant = choice("published", "Linux's tcp_htcp.c, BETA_MAX; the other parameters have Linux's values by default"),
    }
}

/// Linux, use_rtt_scaling: the increase refers to a round trip of 100 ms, and is scaled by a factor from a
/// tenth to two.
const REFERENCE_RTT: f64 = 0.1;
const SCALES: (f64, f64) = (0.1, 2.0);

/// Linux, htcp_param_update: the maximum round trip moves towards the minimum, in case the path has changed.
const FADING: f64 = 0.95;

/// The H-TCP law.
#[derive(Clone, Debug)]
pub struct HTcp {
    parameters: Parameters,
    beta: f64,
    alpha: Packets,
    /// The time when the last loss was repaired, or of the first acknowledgement if there was no loss yet,
    /// plus the pauses since; `None` before the first acknowledgement.
    last_loss: Option<Time>,
    /// The minimum round trip in seconds; infinite before the first sample.
    min_rtt: f64,
    max_rtt: f64,
    throughput: Throughput,
}

impl HTcp {
    /// Creates the law before the first loss.
    pub fn new(parameters: Parameters) -> Self {
        let most_beta = parameters.variant.pick(parameters.most_beta, 102.0 / 128.0);
        Self {
            parameters: Parameters { most_beta, ..parameters },
            beta: 0.5,
            alpha: 1.0,
            last_loss: None,
            min_rtt: f64::INFINITY,
            max_rtt: 0.0,
            throughput: Throughput::default(),
        }
    }

    fn since_loss(&self, now: Time) -> f64 {
        self.last_loss.map_or(0.0, |then| now.since(then).seconds())
    }

    /// Returns the increase in packets per round trip: LTCP-RC thesis equation 1.3, scaled by the round trip
    /// and by 2 (1 - beta).
    fn increase(&self, now: Time) -> Packets {
        let fast = self.since_loss(now) - self.parameters.low_speed.seconds();
        let factor = if fast > 0.0 { 1.0 + 10.0 * fast + fast * fast / 4.0 } else { 1.0 };
        let scale = match self.parameters.rtt_scaling && self.min_rtt.is_finite() {
            true => (self.min_rtt / REFERENCE_RTT).clamp(SCALES.0, SCALES.1),
            false => 1.0,
        };
        // Linux's integer arithmetic keeps the scaled factor at 1 or more.
        2.0 * (1.0 - self.beta) * (factor * scale).max(1.0)
    }

    /// Sets beta at a loss (LTCP-RC thesis equation 1.4): RTT_min / RTT_max within its bounds while the
    /// throughput is steady, else 0.5. Then moves RTT_max towards RTT_min. Linux waits for one more steady
    /// loss before it uses the quotient.
    fn back_off(&mut self) {
        let steady = self.throughput.is_steady();
        let adapts = self.parameters.adaptive_backoff && steady && self.max_rtt > 0.0;
        // `min` and `max` instead of `clamp`, which panics if the lower bound is set above the upper.
        let Parameters { least_beta, most_beta, .. } = self.parameters;
        self.beta = if adapts { (self.min_rtt / self.max_rtt).min(most_beta).max(least_beta) } else { 0.5 };
        if self.max_rtt > self.min_rtt {
            self.max_rtt = self.min_rtt + FADING * (self.max_rtt - self.min_rtt);
        }
    }
}

impl WindowLaw for HTcp {
    /// A pause says nothing about the path. Linux counts it, and a flow that resumes after one grows by
    /// hundreds of packets in a round trip.
    const RUNS_ON_TIME: bool = true;

    fn skip(&mut self, pause: Span) {
        if let Some(last_loss) = &mut self.last_loss {
            *last_loss += pause;
        }
    }

    fn observe(&mut self, window: &mut Window, ack: &Ack) {
        if self.last_loss.is_none() {
            self.throughput.restart(ack.now);
        }
        let start = *self.last_loss.get_or_insert(ack.now);
        if let Some(rtt) = ack.rtt.map(|rtt| rtt.seconds()) {
            self.min_rtt = self.min_rtt.min(rtt);
            if ack.phase == Phase::Open {
                self.max_rtt = self.max_rtt.max(rtt);
            }
        }
        if ack.phase == Phase::Open {
            let fresh = ack.now.since(start).seconds() <= 3.0 * self.min_rtt;
            self.throughput.count(ack, window, self.min_rtt, fresh);
        } else {
            self.throughput.restart(ack.now);
        }
    }

    fn avoid_congestion(&mut self, window: &mut Window, ack: &Ack) {
        self.alpha = self.increase(ack.now);
        window.cwnd += self.alpha * ack.abc_increment / window.cwnd;
    }

    fn decrease(&mut self, from: Packets, loss: &Loss) -> Packets {
        self.back_off();
        self.last_loss = Some(loss.now);
        from * self.beta
    }

    fn on_repaired(&mut self, _window: &mut Window, now: Time, _duplicates: u32) {
        self.last_loss = Some(now);
    }

    fn on_timeout(&mut self, window: &mut Window, timeout: &Timeout) {
        window.start_over(timeout);
        self.beta = 0.5;
        self.throughput.forget();
        self.last_loss = Some(timeout.now);
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("alpha_packets", self.alpha);
        series("beta", self.beta);
        series("throughput_packets_per_s", self.throughput.greatest());
    }
}
