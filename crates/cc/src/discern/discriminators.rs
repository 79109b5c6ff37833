//! Loss discriminators, one a file. To add one: write its file here, and its line in [`crate::registry`].

pub mod always;
pub mod rtt;
pub mod spike;

use crate::control::{Arrival, Cause};

/// Tells losses of transmission from losses of congestion.
pub trait Discriminator: Send {
    /// An acknowledgement has arrived, a duplicate too, and nothing has been made of it yet. Returns what a loss would
    /// be that showed now.
    fn on_arrival(&mut self, arrival: &Arrival) -> Cause;

    /// What a loss would be that showed now.
    fn cause(&self) -> Cause;

    /// The retransmission timer expired.
    fn on_timeout(&mut self) {}

    /// Shows its inside, see [`crate::Control::publish`].
    fn publish(&self, _series: &mut dyn FnMut(&'static str, f64)) {}
}
