//! The interface of an agent: a program at a node that reads the packets of one flow and path, in both
//! directions. It may remove a packet or send one of its own. A run without agents pays nothing for them. The
//! module [agents](crate::agents) lists the implementations; the network knows none of them.

use crate::packet::{Extension, Packet};
use ackclock_base::Time;

/// An agent at a node.
pub trait Agent: Send {
    /// Called when a packet has arrived at the node. Returns whether the packet continues.
    fn on_packet(&mut self, now: Time, direction: Direction, packet: &Packet, node: &mut dyn Node)
    -> Passage;

    /// Returns when [`Self::on_timer`] is due; [`Time::NEVER`] if no timer is set.
    fn timer(&self) -> Time {
        Time::NEVER
    }

    /// Called at the time that [`Self::timer`] announced.
    fn on_timer(&mut self, _now: Time, _node: &mut dyn Node) {}

    /// Returns the agent's counts since counting began.
    fn counts(&self) -> AgentCounts {
        AgentCounts::default()
    }

    /// Resets the counts at the end of the warm-up.
    fn reset_counts(&mut self) {}
}

/// The direction of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the flow's first end to the second.
    Forward,
    /// From the flow's second end to the first.
    Backward,
}

/// The agent's decision about a packet at the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passage {
    /// The packet continues.
    Passes,
    /// The packet is removed.
    Ends,
}

/// The node at which an agent is, as the agent sees it.
pub trait Node {
    /// Sends a packet from the node; in [`Agent::on_packet`], ahead of the packet that has just arrived.
    fn send(&mut self, direction: Direction, packet: Packet);

    /// Sends a packet with a header extension from the node; in [`Agent::on_packet`], ahead of the packet
    /// that has just arrived.
    fn send_extended(&mut self, direction: Direction, packet: Packet, extension: Extension);

    /// Returns the header extension of the packet that has just arrived; zeros if it has none. Only
    /// meaningful in [`Agent::on_packet`].
    fn extension(&self) -> Extension;
}

/// The counts of an agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AgentCounts {
    /// The number of packets that the agent sent.
    pub sent: u64,
    /// The number of packets that the agent removed.
    pub ended: u64,
}

/// An agent of a run and its place.
pub struct AgentParts {
    /// The index of the flow whose packets it sees.
    pub flow: u32,
    /// The index of the path among those of that flow.
    pub path: u32,
    /// The number of links before the node on the path from the first end to the second, and on the path
    /// back. At least one link follows it in each direction.
    pub after: [usize; 2],
    /// The agent.
    pub agent: Box<dyn Agent>,
}
