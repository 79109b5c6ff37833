//! Detects other flows that fill the queue, and sets the delta that answers them (Copa's competitive mode,
//! section 2.2).
//!
//! Copa flows among themselves empty the queue once in five round trips. The authors' sender and Alibaba's
//! check at each acknowledgement, so that the default delta returns as soon as the queue is nearly empty. A
//! check once a round would react up to a round later. Meanwhile the greater 1/delta would raise the next
//! minimum of the queue, which flows of the same kind would then not see empty.
//!
//! The rule leaves little room for error. The queue of three flows in the default mode (40 Mbit/s, 40 ms) is
//! nearly empty every 4.2 round trips in the median and every 4.9 at the longest; five are allowed. A minimum
//! is missed while their windows converge, or when a flow began with a queue and has a higher minimum round
//! trip than others; the delta that follows raises the next minimum. The mode is therefore off by default: with it,
//! three flows over that path wait for 24 to 203 ms in the mean (six seeds), and for 2.2 ms without it.

use super::Parameters;
use super::filter::Sliding;
use crate::control::Ack;
use ackclock_base::{Span, Time};

/// The queue is nearly empty if its delay is below this share of the maximum delay of four round trips; it
/// should be so once in five.
const NEARLY_EMPTY: f64 = 0.1;

/// Slots are quarters of a round trip: the filters look back over at least five and four round trips.
const PARTS: usize = 4;
const EMPTY_SLOTS: usize = 5 * PARTS + 1;
const DELAY_SLOTS: usize = 4 * PARTS + 1;

/// A flow's view of others that fill the queue.
#[derive(Clone, Debug)]
pub struct Rivals {
    /// One over delta.
    pub inverse_delta: f64,
    least: Sliding<EMPTY_SLOTS>,
    greatest: Sliding<DELAY_SLOTS>,
    /// The time at which delta was last the default, or was last changed.
    changed: Time,
}

impl Rivals {
    /// Creates the state without competitors, at the default delta.
    pub fn none(parameters: &Parameters) -> Self {
        Self {
            inverse_delta: 1.0 / parameters.delta,
            least: Sliding::least(),
            greatest: Sliding::greatest(),
            changed: Time::ZERO,
        }
    }

    /// Processes the round trip of an acknowledgement; `base` is the minimum of a long time. While others
    /// fill the queue, 1/delta increases by one in each round trip.
    pub fn sample(&mut self, parameters: &Parameters, ack: &Ack, rtt: Span, base: Span) {
        let slot = ack.smoothed_rtt / PARTS as u64;
        self.least.sample(ack.now, slot, rtt);
        self.greatest.sample(ack.now, slot, rtt);
        let delay = |rtt: Option<Span>| rtt.map_or(0.0, |rtt| rtt.saturating_sub(base).seconds());
        let (least, range) = (delay(self.least.get()), delay(self.greatest.get()));
        if !parameters.competitive || range <= 0.0 || least < NEARLY_EMPTY * range {
            (self.inverse_delta, self.changed) = (1.0 / parameters.delta, ack.now);
        } else if ack.now >= self.changed + rtt {
            (self.inverse_delta, self.changed) = (self.inverse_delta + 1.0, ack.now);
        }
    }

    /// Halves 1/delta after a loss or a timeout at `now`.
    pub fn lose(&mut self, parameters: &Parameters, now: Time) {
        (self.inverse_delta, self.changed) = ((self.inverse_delta / 2.0).max(1.0 / parameters.delta), now);
    }
}
