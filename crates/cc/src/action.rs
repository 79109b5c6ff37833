//! Actions: what a loss that a discriminator attributes to transmission does to the window. Each action has a
//! file of its own.
//!
//! An action receives a window and returns a window, so it works with every control whose window can be set.

pub mod conservative;
pub mod cwa;
pub mod no_cut;

use crate::control::{Loss, Timeout};
use crate::differentiation::Counted;
use ackclock_base::Packets;

/// What happens to the window on a transmission loss.
pub trait Action: Send {
    /// Called when a transmission loss begins a recovery. Returns the window, in packets, to continue
    /// with.
    fn on_loss(&mut self, cwnd: Packets, loss: &Loss) -> Packets;

    /// Returns the slow start threshold after a transmission loss that leaves the window `_cwnd`, both in
    /// packets; `None` leaves the threshold as it is.
    fn ssthresh(&self, _cwnd: Packets) -> Option<Packets> {
        None
    }

    /// Returns whether a loss that proves the last judgement wrong restarts the window as a timeout does,
    /// instead of counting as an ordinary loss through congestion.
    fn starts_over(&self) -> bool {
        false
    }

    /// Called when the packets that are missing of the window of the loss have been counted. Returns the
    /// reaction.
    fn on_counted(&mut self, cwnd: Packets, _counted: &Counted) -> Answer {
        Answer::Window(cwnd)
    }

    /// Called when the retransmission timer expires.
    fn on_timeout(&mut self, _timeout: &Timeout) {}

    /// Returns whether the answer to a count is repeated, with the same count, at every later partial
    /// acknowledgement.
    fn repeats(&self) -> bool {
        false
    }

    /// Returns whether the judgement of a loss holds until its recovery is over, instead of being made anew
    /// at every acknowledgement.
    fn latches(&self) -> bool {
        false
    }

    /// Publishes internal values, see [`crate::Control::publish`].
    fn publish(&self, _series: &mut dyn FnMut(&'static str, f64)) {}
}

/// The reaction to the count of a window's losses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    /// The window, in packets, to continue with.
    Window(Packets),
    /// Congestion after all: the control reacts as to any loss.
    AsCongestion,
}
