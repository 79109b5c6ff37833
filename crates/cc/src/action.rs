//! What a loss that a discriminator calls transmission does to the window. One action a file.
//!
//! An action is handed windows and answers with windows: it works on every control that can be told a window.

pub mod conservative;
pub mod cwa;
pub mod no_cut;

use crate::control::{Loss, Timeout};
use crate::discern::Counted;
use ackclock_base::Packets;

/// What happens to the window on a loss of transmission.
pub trait Action: Send {
    /// Such a loss begins a recovery; returns the window to go on with.
    fn on_loss(&mut self, cwnd: Packets, loss: &Loss) -> Packets;

    /// The slow start threshold to go on with after such a loss in this window; `None` leaves it as it is.
    fn ssthresh(&self, _cwnd: Packets) -> Option<Packets> {
        None
    }

    /// Whether a loss that proves the judgement before it wrong makes the window start over, as a timeout does, instead
    /// of being a loss of congestion like others.
    fn starts_over(&self) -> bool {
        false
    }

    /// The losses of that window have been counted.
    fn on_counted(&mut self, cwnd: Packets, _counted: &Counted) -> Answer {
        Answer::Window(cwnd)
    }

    /// The retransmission timer expired.
    fn on_timeout(&mut self, _timeout: &Timeout) {}

    /// Whether the answer to a count is given again at every partial acknowledgement that follows the one that told it, with
    /// the same count.
    fn repeats(&self) -> bool {
        false
    }

    /// Whether the judgement of a loss holds until its recovery is over, instead of following every acknowledgement.
    fn latches(&self) -> bool {
        false
    }

    /// Shows its inside, see [`crate::Control::publish`].
    fn publish(&self, _series: &mut dyn FnMut(&'static str, f64)) {}
}

/// What follows when the losses of a window have been counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    /// Go on with this window.
    Window(Packets),
    /// It was congestion after all: the control reacts as to any loss.
    AsCongestion,
}
