//! An APACE that finds its own maximum probability, to hold a queueing delay or a loss rate.
//!
//! The thesis proposes to vary it in proportion to how far the predicted queue is from a target (chapter 6) and
//! gives no formula. Here the logarithm of the maximum m is the integral of the relative error:
//!
//! d(ln m)/dt = gain * (predicted - target) / target, the error held within -1 and 1.
//!
//! An integral, because only an integral leaves no error behind whatever the load. In the logarithm, because the speed of
//! the loop then does not depend on m: if TCP's windows go with 1/sqrt(p), n of them over a pipe of c packets make a queue
//! q = n sqrt(1.5/p) - c, and p = m (q - lower) / (upper - lower) gives dq/d(ln m) = -(Q/2) / (1 + Q / (2 (q - lower)))
//! with Q = q + c, in which m does not occur. The loop's rate is that times gain/target, at most gain (1 + c/target) / 2:
//! slow against a round trip at the default gain. In time and not in arrivals, because round trips are times.
//!
//! A target loss is held by the same rule with the error (target - signalled) / target; more of m means more loss, but a
//! smaller queue (section 3.2). What is signalled is the probability of a drop or a mark, or 1 where the
//! packet does not fit, averaged over a second.
//!
//! What no m holds is not held: a target below the lower threshold, where nothing is dropped, or one beyond what m = 1
//! gives.

use super::Parameters;
use crate::discipline::LinkRate;
use ackclock_base::{Span, Time};

/// A silence of the link says nothing about its load: no more than this of it counts.
const SILENCE: Span = Span::from_millis(100);

/// Over how long signals are averaged, in seconds.
const SIGNAL_MEMORY_S: f64 = 1.0;

/// The maximum probability is never less, so that it grows again within seconds.
const LEAST: f64 = 0.001;

/// The rule, and what it has to remember.
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
    /// The rule before the first arrival; `None` where no target is given.
    pub fn new(parameters: &Parameters, link: &LinkRate) -> Option<Self> {
        let packets_per_s = link.rate.bytes_per_second() / f64::from(link.mean_packet_bytes);
        let target = parameters
            .target_delay
            .map(|delay| Target::QueuePackets((delay.seconds() * packets_per_s).max(1e-9)))
            .or(parameters.target_loss.map(Target::Loss))?;
        Some(Self { target, gain_per_s: parameters.gain, last: None, signalled: 0.0 })
    }

    /// What becomes of the maximum probability `m` at an arrival.
    pub fn adapt(&mut self, m: f64, now: Time, predicted: f64, signalled: f64) -> f64 {
        let elapsed = now.since(self.last.unwrap_or(now)).min(SILENCE).seconds();
        self.last = Some(now);
        self.signalled += elapsed / SIGNAL_MEMORY_S * (signalled - self.signalled);
        let error = match self.target {
            Target::QueuePackets(target) => (predicted - target) / target,
            Target::Loss(target) => (target - self.signalled) / target,
        };
        let factor = libm::exp(self.gain_per_s * elapsed * error.clamp(-1.0, 1.0));
        (m.max(LEAST) * factor).clamp(LEAST, 1.0)
    }
}
