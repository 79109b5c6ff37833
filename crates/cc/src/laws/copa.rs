//! Copa (Arun and Balakrishnan 2018): the window moves towards the rate `1 / (delta d)` at a queueing delay
//! d, so that the queue is nearly empty at regular intervals. In the competitive mode, which is off by
//! default, a queue that is never nearly empty shows that others fill it, and delta falls.

mod filter;
mod rivals;

use super::round_trips::RoundTrips;
use crate::classic::{Classic, MIN_SSTHRESH, Window, WindowLaw};
use crate::control::{Ack, Loss, Timeout};
use crate::entry::{Build, Entry, PublishedDefaults, control};
use ackclock_base::{Packets, Range, Rate, Span, parameters};
use filter::Sliding;
use rivals::Rivals;

#[cfg(test)]
mod tests;

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "copa",
        "Copa: steers the rate towards 1 / (delta times the queueing delay in seconds), in packets per second",
        "Arun and Balakrishnan 2018, \"Copa: practical delay-based congestion control for the Internet\"; the authors' sender",
        Parameters::TABLE,
    ),
    build: Build::Alone(|values, initial| Box::new(Classic::new(Copa::new(values.into()), initial))),
    published: PublishedDefaults::recovery("sack"),
};

parameters! {
    /// The trade-off between delay and rate.
    pub struct Parameters {
        /// Weight of delay against rate: the target rate is 1 / (delta times the queueing delay in seconds), in
        /// packets per second
        delta: f64 = number("0.5", Range::between(0.004, 10.0), "Arun and Balakrishnan 2018 section 2.1"),
        /// Whether delta falls while other flows keep the queue from emptying; if so, three or more Copa flows can
        /// mistake each other for such flows
        competitive: bool = flag(false, "Arun and Balakrishnan 2018 section 2.2, rtt-window.cc; Meta's mvfst has no \
                                         competitive mode"),
    }
}

/// Section 2.1: the base is the minimum round trip of the last ten seconds, in slots of a second; the
/// standing round trip is the minimum of half a smoothed round trip, in slots of an eighth of a smoothed
/// round trip.
const BASE_SECONDS: usize = 10;
const STANDING_PARTS: usize = 4;

/// Section 2.1: the velocity doubles when the window has moved in one direction for this many windows.
const STEADY_WINDOWS: u32 = 3;

/// The Copa law.
#[derive(Clone, Debug)]
pub struct Copa {
    parameters: Parameters,
    base: Sliding<BASE_SECONDS>,
    standing: Sliding<STANDING_PARTS>,
    round_trips: RoundTrips,
    /// The velocity: how fast the window moves.
    velocity: f64,
    /// Whether the window rises, and for how many windows it has kept its direction.
    rises: bool,
    steady: u32,
    /// The window at the start of this round.
    round_cwnd: Packets,
    rivals: Rivals,
}

impl Copa {
    /// Creates the law before the first round trip.
    pub fn new(parameters: Parameters) -> Self {
        Self {
            parameters,
            base: Sliding::least(),
            standing: Sliding::least(),
            round_trips: RoundTrips::default(),
            velocity: 1.0,
            rises: true,
            steady: 0,
            round_cwnd: 0.0,
            rivals: Rivals::none(&parameters),
        }
    }

    /// Returns the standing round trip and the queueing delay in it, in seconds; `None` before the first
    /// sample.
    fn delay(&self) -> Option<(f64, f64)> {
        let (standing, base) = (self.standing.get()?.seconds(), self.base.get()?.seconds());
        Some((standing, (standing - base).max(0.0)))
    }

    /// Returns the window whose rate over the standing round trip is `1 / (delta d)`; infinite without a
    /// queue.
    fn target(&self) -> Packets {
        self.delay().map_or(f64::INFINITY, |(standing, queueing)| {
            if queueing > 0.0 { standing * self.rivals.inverse_delta / queueing } else { f64::INFINITY }
        })
    }

    fn end_round(&mut self, cwnd: Packets) {
        let rises = cwnd > self.round_cwnd;
        self.steady = if rises == self.rises { self.steady + 1 } else { 0 };
        if rises != self.rises {
            self.turn(rises);
        } else if self.steady >= STEADY_WINDOWS {
            self.velocity *= 2.0;
        }
        self.round_cwnd = cwnd;
    }

    fn turn(&mut self, rises: bool) {
        (self.rises, self.velocity, self.steady) = (rises, 1.0, 0);
    }
}

impl WindowLaw for Copa {
    fn observe(&mut self, window: &mut Window, ack: &Ack) {
        if let Some(rtt) = ack.rtt {
            self.base.sample(ack.now, Span::from_millis(1000), rtt);
            self.standing.sample(ack.now, ack.smoothed_rtt.scale(0.5 / STANDING_PARTS as f64), rtt);
            self.rivals.sample(&self.parameters, ack, rtt, self.base.get().unwrap_or(rtt));
        }
        if self.round_trips.observe(ack).is_some() {
            self.end_round(window.cwnd);
        }
    }

    /// Doubles the window in a round trip until its rate exceeds the target.
    fn slow_start(&mut self, window: &mut Window, ack: &Ack) {
        if window.cwnd <= self.target() {
            window.slow_start(ack.abc_increment);
        } else {
            window.ssthresh = window.cwnd;
        }
    }

    /// Moves the window up or down by `v / (delta cwnd)` per packet.
    fn avoid_congestion(&mut self, window: &mut Window, ack: &Ack) {
        let rises = window.cwnd <= self.target();
        if rises != self.rises && self.velocity > 1.0 {
            self.turn(rises);
        }
        // Moving by more than the window in a round trip would overshoot any target.
        let most = (window.cwnd / self.rivals.inverse_delta).max(1.0);
        self.velocity = self.velocity.min(most);
        let step = self.velocity * self.rivals.inverse_delta * ack.abc_increment / window.cwnd;
        window.cwnd =
            if rises { window.cwnd + step } else { (window.cwnd - step).max(MIN_SSTHRESH.min(window.cwnd)) };
    }

    /// Returns the window unchanged: a loss affects delta only (section 2.2).
    fn decrease(&mut self, from: Packets, _loss: &Loss) -> Packets {
        from
    }

    fn on_loss(&mut self, window: &mut Window, loss: &Loss) {
        self.rivals.lose(&self.parameters, loss.now);
        window.ssthresh = window.ssthresh.min(window.cwnd.max(MIN_SSTHRESH));
    }

    fn on_timeout(&mut self, window: &mut Window, timeout: &Timeout) {
        window.start_over(timeout);
        self.rivals.lose(&self.parameters, timeout.now);
        // The window rises from here: the direction is judged against the window that the timeout leaves.
        self.turn(true);
        self.round_cwnd = window.cwnd;
        self.round_trips.restart();
    }

    /// Returns twice the window's rate (section 2.1), so that pacing shapes bursts and does not limit.
    fn pacing_rate(&self, window: &Window, packet_bytes: u32) -> Option<Rate> {
        let standing = self.standing.get()?.seconds().max(1e-9);
        let bits = 8.0 * f64::from(packet_bytes) * 2.0 * window.cwnd / standing;
        Some(Rate::from_bits_per_second((bits as u64).max(1)))
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("delta", 1.0 / self.rivals.inverse_delta);
        series("velocity", self.velocity);
        series("queueing_delay_s", self.delay().map_or(f64::NAN, |(_, queueing)| queueing));
    }
}
