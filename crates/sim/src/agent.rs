//! Something at a node on a flow's way that looks into its packets, and may keep one from going on, or send one of its own
//! from there. It sees the packets of one flow and path, in both directions. Where there is none, none of this costs anything. The
//! [agents](crate::agents) that there are have a list of their own: the network knows none of them.

use crate::packet::{Extension, Packet};
use ackclock_base::Time;

/// An agent at a node.
pub trait Agent: Send {
    /// A packet has arrived at the node. Says whether it goes on.
    fn on_packet(&mut self, now: Time, way: Way, packet: &Packet, node: &mut dyn Node) -> Passage;

    /// When [`Self::on_timer`] is due; [`Time::NEVER`] while nothing is.
    fn timer(&self) -> Time {
        Time::NEVER
    }

    /// The time that [`Self::timer`] announced has come.
    fn on_timer(&mut self, _now: Time, _node: &mut dyn Node) {}

    /// What it has done since counting began.
    fn counts(&self) -> AgentCounts {
        AgentCounts::default()
    }

    /// Starts counting anew at the end of the warm-up.
    fn reset_counts(&mut self) {}
}

/// Which way a packet goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// From the flow's first end to the second.
    There,
    /// Back.
    Back,
}

/// What becomes of a packet at the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passage {
    /// It goes on.
    Passes,
    /// It ends here.
    Ends,
}

/// The node that an agent is at.
pub trait Node {
    /// Sends a packet from here on, before the one that has just arrived.
    fn send(&mut self, way: Way, packet: Packet);

    /// The same with more of a header.
    fn send_extended(&mut self, way: Way, packet: Packet, extension: Extension);

    /// What more of a header the packet has that has just arrived; zeros if it has none.
    fn extension(&self) -> Extension;
}

/// What an agent has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AgentCounts {
    /// Packets that it sent.
    pub sent: u64,
    /// Packets that ended at it.
    pub ended: u64,
}

/// An agent of a run, and where it is.
pub struct AgentParts {
    /// The flow whose packets it sees.
    pub flow: u32,
    /// The path of that flow.
    pub path: u32,
    /// How many links of the way there come before the node, and how many of the way back. Some come after it.
    pub after: [usize; 2],
    /// What it is.
    pub agent: Box<dyn Agent>,
}
