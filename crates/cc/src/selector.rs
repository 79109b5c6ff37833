//! Path selectors: which of several paths new data takes. Each selector has a file of its own, and works with
//! any law for the windows of the paths. The handling of a failed path belongs to the transport, which
//! overrules the selector.

pub mod primary;
pub mod spc;

use ackclock_base::{Packets, Span, Time};

/// A path selector.
pub trait PathSelector: Send {
    /// Called for an acknowledgement on the path that new data takes. Returns the switch to another path, or
    /// `None` to stay.
    fn on_ack(&mut self, ack: &PathAck, paths: &dyn Paths) -> Option<Switch>;

    /// Publishes internal values, see [`crate::Control::publish`].
    fn publish(&self, _series: &mut dyn FnMut(&'static str, f64)) {}
}

/// An acknowledgement, as reported to a selector.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathAck {
    /// The time of its arrival.
    pub now: Time,
    /// The path that new data takes, from 0.
    pub path: usize,
    /// The round trip on that path; `None` if the acknowledgement has no sample.
    pub rtt: Option<Span>,
}

/// The state of the paths that a selector may read.
pub trait Paths {
    /// Returns the number of paths.
    fn count(&self) -> usize;

    /// Returns whether new data may take the path, because it has not failed.
    fn is_usable(&self, path: usize) -> bool;

    /// Returns the path's congestion window, in packets.
    fn cwnd(&self, path: usize) -> Packets;
}

/// A change of the path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Switch {
    /// The path that new data takes from now on.
    pub path: usize,
    /// The window to resume with, in packets; `None` keeps the path's own.
    pub cwnd: Option<Packets>,
}
