//! Describes the course of one packet according to the records so far.

use ackclock_base::Time;

/// The course of a packet so far.
pub(super) struct Course {
    pub(super) path: u32,
    pub(super) bytes: u32,
    /// The packet's place in the order of launching, counted from one.
    pub(super) number: usize,
    pub(super) stage: Stage,
    /// The number of links crossed.
    pub(super) hops: usize,
    /// The time of the packet's last record.
    pub(super) since: Time,
    /// The index of the packet's last record in the order of writing.
    pub(super) place: usize,
    /// The stage and the number of links crossed at the end of the run; `None` before the packet's first record.
    pub(super) at_end: Option<(Stage, usize)>,
    /// Whether the trace has a record of the packet at or after the end of the run.
    pub(super) goes_on: bool,
}

/// The stage of a packet: where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// At an endpoint or at a node.
    AtNode,
    /// In the queue of a link.
    Offered,
    /// Being sent.
    Started,
    /// Sent, not received, and to be repeated.
    Failed,
    /// On the wire.
    Sent,
    Dropped,
    Corrupted,
    /// Taken by an agent.
    Absorbed,
    Delivered,
}

impl Stage {
    /// Returns whether the packet's course has ended.
    pub(super) fn is_fate(self) -> bool {
        matches!(self, Self::Dropped | Self::Corrupted | Self::Absorbed | Self::Delivered)
    }

    /// Returns how messages say where the packet is.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::AtNode => "at a node",
            Self::Offered => "in the queue",
            Self::Started => "being sent",
            Self::Failed => "to be retransmitted by its link",
            Self::Sent => "on the wire",
            Self::Dropped => "dropped",
            Self::Corrupted => "corrupted",
            Self::Absorbed => "absorbed by an agent",
            Self::Delivered => "delivered",
        }
    }
}
