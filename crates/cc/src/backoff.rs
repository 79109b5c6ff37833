//! How the retransmission timeout grows while it keeps expiring. One rule a file.

pub mod exponential;
pub mod rta;

pub use exponential::Exponential;

use crate::discern::Cause;
use ackclock_base::Time;

/// A rule for the factor on the retransmission timeout.
pub trait Backoff: Send {
    /// An acknowledgement arrived, a duplicate too. `cause` is what the control would call a loss that it revealed,
    /// where it discriminates.
    fn on_ack(&mut self, _now: Time, _cause: Option<Cause>) {}

    /// The factor after `expiries` expiries in a row, at least one; without any it is 1, and not asked for.
    fn factor(&self, expiries: u32) -> f64;

    /// Shows its inside, see [`crate::Control::publish`].
    fn publish(&self, _series: &mut dyn FnMut(&'static str, f64)) {}
}
