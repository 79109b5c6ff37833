//! Back-off rules: the rule by which the retransmission timeout grows while it keeps expiring. Each rule has a file of its
//! own.

pub mod exponential;
pub mod rta;

pub use exponential::Exponential;

use crate::differentiation::Cause;
use ackclock_base::Time;

/// A rule for the factor on the retransmission timeout.
pub trait Backoff: Send {
    /// Called for every acknowledgement, duplicates included. `cause` is what the control's discriminator
    /// would call a loss now, or `None` if the control has none.
    fn on_ack(&mut self, _now: Time, _cause: Option<Cause>) {}

    /// Returns the factor on the timeout, at least 1, after `expiries` expiries in a row. It is only called
    /// with `expiries` of 1 or more; without an expiry the factor is 1.
    fn factor(&self, expiries: u32) -> f64;

    /// Publishes internal values, see [`crate::Control::publish`].
    fn publish(&self, _series: &mut dyn FnMut(&'static str, f64)) {}
}
