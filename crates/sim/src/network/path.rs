//! Paths: their plans before the network is built, and their counts after the run.

use crate::agent::Direction;
use ackclock_aqm::Dscp;

/// The destination of a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Destination {
    /// The index of the flow.
    pub flow: u32,
    /// The end of the flow, 0 or 1.
    pub end: u8,
    /// The number of the path among those that lead to this end.
    pub path: u8,
}

/// The plan of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathPlan {
    /// The indices of the links, in order.
    pub links: Vec<u32>,
    /// The destination.
    pub to: Destination,
    /// Whether packets may be launched with a time that lies in the future, which needs a lane before the first
    /// queue: the endpoint has jitter, or takes packets early and answers them.
    pub leaves_later: bool,
    /// Whether the endpoint at the end of the path acts only when a packet arrives.
    pub only_answers: bool,
    /// The agents on the path: the number of links before the node, the agent's index, and the direction of
    /// this path.
    pub agents: Vec<(usize, u32, Direction)>,
    /// The differentiated services code point of the path's packets.
    pub dscp: Dscp,
}

/// The counts of packets lost on a path over the measured interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathCounts {
    /// The number of packets dropped by queues.
    pub dropped: u64,
    /// The number of packets corrupted on links.
    pub corrupted: u64,
}
