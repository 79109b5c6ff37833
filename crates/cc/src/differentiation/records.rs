//! The records and the trait of the layer that tells transmission losses from losses through congestion.

use crate::control::WindowControl;
use ackclock_base::{Packets, Random, Span, Time};

/// A layer that attributes each loss of the control inside it to a cause. The host asks the layer before it
/// processes an acknowledgement.
pub trait LossDifferentiation: WindowControl {
    /// Called when an acknowledgement has arrived, before it is processed. Returns the cause that a loss
    /// found now would have, for loss detection and back-off. A layer that guesses draws its random numbers
    /// here.
    fn on_incoming(&mut self, incoming: &IncomingAck, random: &mut dyn Random) -> Cause;

    /// Called when the first acknowledgement of a recovery that advances is partial, with the number of
    /// packets outstanding at the loss that are still missing.
    fn on_counted(&mut self, counted: &Counted, random: &mut dyn Random);
}

/// An acknowledgement as it arrives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IncomingAck {
    /// The time of its arrival.
    pub now: Time,
    /// Whether it moves the cumulative acknowledgement forward; false for a duplicate.
    pub fresh: bool,
    /// The time since the timestamp that it echoes (RFC 7323): a round trip even of a retransmission or a
    /// duplicate. `None` if the transport has no timestamps.
    pub echo: Option<Span>,
    /// The one-way delay of the packet that caused it, up to a constant (relative one-way trip time); `None`
    /// unless both ends put timestamps on packets.
    pub one_way_delay: Option<Span>,
}

/// The cause of a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A full queue, or one about to be full.
    Congestion,
    /// The medium corrupted the packet.
    Transmission,
}

/// The number of packets still missing of the window in which a loss was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counted {
    /// The time of the count.
    pub now: Time,
    /// The window that a reduction starts from, as in [`crate::Loss::window`].
    pub window: Packets,
    /// The number of packets missing after the first, whose retransmission has arrived: what was outstanding
    /// at the loss and is not acknowledged, less the duplicates. It is exact for one burst. For scattered
    /// losses it is too low (packets that arrived between them count twice), and at least zero.
    pub missing: u64,
}
