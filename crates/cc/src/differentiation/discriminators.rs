//! Loss discriminators, one per file. To add one, write its file here and add a line to [`crate::registry`].

pub mod always;
pub mod learning;
pub mod rtt;
pub mod spike;

use super::{Cause, IncomingAck};
use crate::control::{Ack, Timeout};
use ackclock_base::{Packets, Random, Time};

/// Tells transmission losses from losses through congestion.
pub trait Discriminator: Send {
    /// Called when an acknowledgement has arrived, duplicates included, before it is processed. Returns the
    /// cause that a loss found now would have. A discriminator that guesses draws its random numbers here.
    fn on_incoming(&mut self, incoming: &IncomingAck, random: &mut dyn Random) -> Cause;

    /// Returns the cause that a loss found now would have.
    fn cause(&self) -> Cause;

    /// Called when an acknowledgement has been processed; `cwnd` is the window after it.
    fn on_ack(&mut self, _ack: &Ack, _cwnd: Packets) {}

    /// Judges a loss found at `now` in a window of `cwnd` packets.
    fn judge(&mut self, _now: Time, _cwnd: Packets) -> Judgement {
        match self.cause() {
            Cause::Congestion => Judgement::Congestion,
            Cause::Transmission => Judgement::Transmission,
        }
    }

    /// Called when the retransmission timer expires in a window of `cwnd` packets. Returns the cause.
    fn on_timeout(&mut self, _timeout: &Timeout, _cwnd: Packets) -> Cause {
        Cause::Congestion
    }

    /// Publishes internal values, see [`crate::Control::publish`].
    fn publish(&self, _series: &mut dyn FnMut(&'static str, f64)) {}
}

/// The judgement of a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// Congestion.
    Congestion,
    /// Transmission.
    Transmission,
    /// Congestion, and the loss before, judged to be of transmission, was congestion too.
    Refuted,
}

impl Judgement {
    /// Returns the cause of this loss, without the statement about the loss before.
    pub fn cause(self) -> Cause {
        match self {
            Self::Congestion | Self::Refuted => Cause::Congestion,
            Self::Transmission => Cause::Transmission,
        }
    }
}
