//! A path, before the network is built and after the run.

use crate::agent::Way;
use ackclock_aqm::Dscp;

/// Where a path leads to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Destination {
    /// Which flow.
    pub flow: u32,
    /// Which end of it, 0 or 1.
    pub end: u8,
    /// Which of the paths to that end it is.
    pub path: u8,
}

/// A path to be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathPlan {
    /// The links, in order, as indices.
    pub links: Vec<u32>,
    /// Where it leads to.
    pub to: Destination,
    /// Whether packets may be launched with a time that lies in the future.
    pub leaves_later: bool,
    /// Whether the endpoint may be handed packets before the time of their arrival has come.
    pub arrives_early: bool,
    /// The agents at its nodes: how many links come before, which it is, and which of its ways this is.
    pub agents: Vec<(usize, u32, Way)>,
    /// The code point that its packets carry.
    pub dscp: Dscp,
}

/// What became of a path's packets on the way, over the measured interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathCounts {
    /// Dropped in a queue.
    pub dropped: u64,
    /// Corrupted on a link.
    pub corrupted: u64,
}
