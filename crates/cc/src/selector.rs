//! Which of several paths new data takes. One selector a file. It is a part of its own: it works with whatever law moves the
//! windows of the paths. What becomes of a path that fails is the transport's business, and overrules it.

pub mod primary;
pub mod spc;

use ackclock_base::{Packets, Span, Time};

/// A path selector.
pub trait PathSelector: Send {
    /// An acknowledgement has come back over the path that new data takes. Says where new data goes from now on, if elsewhere.
    fn on_ack(&mut self, ack: &PathAck, paths: &dyn Paths) -> Option<Switch>;

    /// Shows its inside, see [`crate::Control::publish`].
    fn publish(&self, _series: &mut dyn FnMut(&'static str, f64)) {}
}

/// An acknowledgement, as a selector is told of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathAck {
    /// When it arrived.
    pub now: Time,
    /// The path that new data takes, from 0.
    pub path: usize,
    /// The round trip on it, where the acknowledgement tells one.
    pub rtt: Option<Span>,
}

/// What a selector may ask about the paths.
pub trait Paths {
    /// How many there are.
    fn count(&self) -> usize;

    /// Whether new data may take the path: it has not failed.
    fn is_usable(&self, path: usize) -> bool;

    /// Its congestion window.
    fn cwnd(&self, path: usize) -> Packets;
}

/// A change of the path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Switch {
    /// The path that new data takes from now on.
    pub path: usize,
    /// The window with which it does so; `None` for the one that the path has.
    pub cwnd: Option<Packets>,
}
