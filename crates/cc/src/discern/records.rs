//! What a layer that tells kinds of loss apart hears and says besides what every control does.

use crate::control::WindowControl;
use ackclock_base::{Packets, Random, Span, Time};

/// A layer around a control that tells kinds of loss apart. The host asks it before it makes anything of an acknowledgement.
pub trait Discernment: WindowControl {
    /// An acknowledgement has come in, and nothing has been made of it yet. Returns what a loss would be that showed now,
    /// for the detection of losses and the back-off. A layer that guesses draws its numbers here.
    fn on_incoming(&mut self, incoming: &IncomingAck, random: &mut dyn Random) -> Cause;

    /// The first fresh acknowledgement of a recovery leaves something out, and tells how many packets of that window are
    /// still missing.
    fn on_counted(&mut self, counted: &Counted, random: &mut dyn Random);
}

/// An acknowledgement as it comes in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IncomingAck {
    /// When.
    pub now: Time,
    /// Whether it moves the cumulative acknowledgement forward; false for a duplicate.
    pub fresh: bool,
    /// The time since the timestamp that it echoes (RFC 7323), where the transport has timestamps: a round trip even
    /// of a retransmission or a duplicate.
    pub echo: Option<Span>,
    /// What the packet that caused it took on the way there, up to a constant (relative one-way trip time), where both
    /// ends put timestamps on packets.
    pub one_way_delay: Option<Span>,
}

/// Why packets are lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A queue was full, or about to be.
    Congestion,
    /// The medium lost them.
    Transmission,
}

/// How many packets of the window in which a loss was found are missing still.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counted {
    /// When it showed.
    pub now: Time,
    /// What a reduction starts from, as in [`crate::Loss::window`].
    pub window: Packets,
    /// Packets that are missing after the first, which has been sent again and has arrived: what was outstanding at the
    /// loss and is not acknowledged, less the duplicates. Exact for one burst; too low for scattered losses, where what
    /// has arrived between them counts as arrived twice, and zero at the least.
    pub missing: u64,
}
