//! Adapts APACE's maximum probability to hold a queueing delay or a loss rate.
//!
//! The thesis proposes to vary it in proportion to the distance of the predicted queue from a target (chapter
//! 6) and gives no formula. Here the logarithm of the maximum m is the integral of the relative error:
//!
//! d(ln m)/dt = gain * (predicted - target) / target, with the error limited to -1 and 1.
//!
//! It is an integral because only an integral leaves no error at any load. It acts on the logarithm because
//! the speed of the loop then does not depend on m: if TCP's windows are proportional to 1/sqrt(p), n of them
//! over a pipe of c packets make a queue q = n sqrt(1.5/p) - c, and p = m (q - lower) / (upper - lower) gives
//! dq/d(ln m) = -(Q/2) / (1 + Q / (2 (q - lower))) with Q = q + c, in which m does not occur. The loop's rate
//! is that times gain/target, at most gain (1 + c/target) / 2: slow compared with a round trip at the default
//! gain. It counts time and not arrivals, because round trips are times.
//!
//! A target loss is held by the same rule with the error (target - signalled) / target; a larger m means more
//! loss, but a smaller queue (section 3.2). The signalled value is the probability of a drop or a mark, or 1
//! if the packet does not fit, averaged over a second.
//!
//! Some targets cannot be held by any m: a target below the lower threshold, where no packet is dropped, or
//! one that m = 1 does not reach.

use super::Parameters;
use crate::discipline::LinkRate;
use ackclock_base::{Span, Time};

/// The longest gap between arrivals that counts: silence on the link says nothing about its load.
const SILENCE: Span = Span::from_millis(100);

/// The time over which the signalled value is averaged, in seconds.
const SIGNAL_MEMORY_S: f64 = 1.0;

/// The smallest maximum probability, from which it can grow again within seconds.
const MIN_PROBABILITY: f64 = 0.001;

/// The adaptation rule and its state.
#[derive(Clone, Debug)]
pub struct Adaptation {
    target: Target,
    gain_per_s: f64,
    last: Option<Time>,
    signalled: f64,
}

#[derive(Clone, Copy, Debug)]
enum Target {
    QueuePackets(f64),
    Loss(f64),
}

impl Adaptation {
    /// Creates the rule before the first arrival; `None` if no target is given.
    pub fn new(parameters: &Parameters, link: &LinkRate) -> Option<Self> {
        let packets_per_s = link.rate.bytes_per_second() / f64::from(link.mean_packet_bytes);
        let target = parameters
            .target_delay
            .map(|delay| Target::QueuePackets((delay.seconds() * packets_per_s).max(1e-9)))
            .or(parameters.target_loss.map(Target::Loss))?;
        Some(Self { target, gain_per_s: parameters.gain, last: None, signalled: 0.0 })
    }

    /// Returns the next maximum probability, from its present value `m`, at an arrival.
    pub fn adapt(&mut self, m: f64, now: Time, predicted: f64, signalled: f64) -> f64 {
        let elapsed = now.since(self.last.unwrap_or(now)).min(SILENCE).seconds();
        self.last = Some(now);
        self.signalled += elapsed / SIGNAL_MEMORY_S * (signalled - self.signalled);
        let error = match self.target {
            Target::QueuePackets(target) => (predicted - target) / target,
            Target::Loss(target) => (target - self.signalled) / target,
        };
        let factor = libm::exp(self.gain_per_s * elapsed * error.clamp(-1.0, 1.0));
        (m.max(MIN_PROBABILITY) * factor).clamp(MIN_PROBABILITY, 1.0)
    }
}
