//! What tells of others that fill the queue, and the delta that answers them (section 2.2).
//!
//! Copa flows among themselves empty the queue once in five round trips. The authors' sender and Alibaba's judge at each
//! acknowledgement, so that the default delta is back as soon as the queue is seen nearly empty. By rounds it comes back up to a
//! round later, and meanwhile the greater 1/delta lifts the next trough of the queue, which flows of one kind then no longer see
//! empty.
//!
//! The rule leaves little room for error. The queue of three flows in the default mode (40 Mbit/s, 40 ms) is nearly empty each 4.2 round
//! trips in the median and each 4.9 at the longest, where five are allowed. While their windows converge, and where a flow's base is lower
//! than that of others, which began with a queue, a trough is missed; the delta that follows lifts the next one. So the mode is off
//! unless it is asked for.

use super::Parameters;
use super::filter::Sliding;
use crate::control::Ack;
use ackclock_base::{Span, Time};

/// The queue is nearly empty below this part of the delays of four round trips, and should be once in five.
const NEARLY_EMPTY: f64 = 0.1;

/// Time is forgotten by the quarter of a round trip: no less than five and four of them are looked back over.
const PARTS: usize = 4;
const EMPTY_SLOTS: usize = 5 * PARTS + 1;
const DELAY_SLOTS: usize = 4 * PARTS + 1;

/// Others that fill the queue, as one flow sees them.
#[derive(Clone, Debug)]
pub struct Rivals {
    /// One over delta.
    pub inverse_delta: f64,
    least: Sliding<EMPTY_SLOTS>,
    greatest: Sliding<DELAY_SLOTS>,
    /// When delta was the default last, or was changed.
    changed: Time,
}

impl Rivals {
    /// None, at the default delta.
    pub fn none(parameters: &Parameters) -> Self {
        Self {
            inverse_delta: 1.0 / parameters.delta,
            least: Sliding::least(),
            greatest: Sliding::greatest(),
            changed: Time::ZERO,
        }
    }

    /// Takes the round trip of an acknowledgement, where the least of a long time is `base`. While others fill the queue, 1/delta
    /// increases by one in each round trip.
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
