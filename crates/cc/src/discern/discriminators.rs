//! Loss discriminators, one a file. To add one: write its file here, and its line in [`crate::registry`].

pub mod always;
pub mod learning;
pub mod rtt;
pub mod spike;

use super::{Cause, IncomingAck};
use crate::control::{Ack, Timeout};
use ackclock_base::{Packets, Random, Time};

/// Tells losses of transmission from losses of congestion.
pub trait Discriminator: Send {
    /// An acknowledgement has arrived, a duplicate too, and nothing has been made of it yet. Returns what a loss would
    /// be that showed now. A discriminator that guesses draws its numbers here.
    fn on_incoming(&mut self, incoming: &IncomingAck, random: &mut dyn Random) -> Cause;

    /// What a loss would be that showed now.
    fn cause(&self) -> Cause;

    /// An acknowledgement has been taken in, and this is the window that it leaves.
    fn on_ack(&mut self, _ack: &Ack, _cwnd: Packets) {}

    /// A loss shows in a window of this size.
    fn judge(&mut self, _now: Time, _cwnd: Packets) -> Judgement {
        match self.cause() {
            Cause::Congestion => Judgement::Congestion,
            Cause::Transmission => Judgement::Transmission,
        }
    }

    /// The retransmission timer expired, in a window of this size. Returns what that is a sign of.
    fn on_timeout(&mut self, _timeout: &Timeout, _cwnd: Packets) -> Cause {
        Cause::Congestion
    }

    /// Shows its inside, see [`crate::Control::publish`].
    fn publish(&self, _series: &mut dyn FnMut(&'static str, f64)) {}
}

/// What a loss is judged to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// Congestion.
    Congestion,
    /// Transmission.
    Transmission,
    /// Congestion, and so was the loss before, which was judged to be of transmission.
    Refuted,
}

impl Judgement {
    /// The judgement without what it says of the one before.
    pub fn cause(self) -> Cause {
        match self {
            Self::Congestion | Self::Refuted => Cause::Congestion,
            Self::Transmission => Cause::Transmission,
        }
    }
}
