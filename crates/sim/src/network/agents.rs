//! Agents at nodes: the packets that they see, and those that they send.

use super::{Network, Outcome};
use crate::agent::{Agent, AgentCounts, AgentParts, Direction, Node, Passage};
use crate::packet::{Extension, Packet};
use crate::schedule::{Order, SourceId};
use crate::trace::Event;
use ackclock_base::Time;

/// An agent at its node.
pub(super) struct Placed {
    agent: Box<dyn Agent>,
    flow: u32,
    /// For each direction the path, the step after the node, and the link that follows.
    directions: [Onward; 2],
    source: Option<SourceId>,
    /// The time for which the source is set. If the agent's timer has moved to later, it is checked again at
    /// this time.
    due: Time,
}

/// The continuation of a path after the node.
#[derive(Clone, Copy, Default)]
struct Onward {
    path: u32,
    step: u32,
    link: u32,
}

/// The [`Node`] that an agent is shown. It stores what the agent sends until the network can send it.
#[derive(Default)]
pub(super) struct Outgoing {
    /// The header extension of the packet that has just arrived.
    extension: Extension,
    packets: Vec<(Direction, Packet, Option<Extension>)>,
}

impl Node for Outgoing {
    fn send(&mut self, direction: Direction, packet: Packet) {
        self.packets.push((direction, packet, None));
    }

    fn send_extended(&mut self, direction: Direction, packet: Packet, extension: Extension) {
        self.packets.push((direction, packet, Some(extension)));
    }

    fn extension(&self) -> Extension {
        self.extension
    }
}

impl Network {
    /// Puts an agent at its node, before its paths are built.
    pub(super) fn add_agent(&mut self, parts: AgentParts) {
        let directions = [Onward::default(); 2];
        let AgentParts { agent, flow, .. } = parts;
        self.agents.push(Placed { agent, flow, directions, source: None, due: Time::NEVER });
    }

    pub(super) fn add_agent_sources(&mut self) {
        for placed in &mut self.agents {
            placed.source = Some(self.schedule.add_source());
        }
    }

    /// Records where a path continues after an agent: with the step that is added next, towards `link`.
    /// Called right after the step that meets the agent has been added.
    pub(super) fn set_onward(&mut self, agent: u32, direction: Direction, path: u32, link: u32) {
        let step = self.steps.len() as u32;
        self.agents[agent as usize].directions[direction as usize] = Onward { path, step, link };
    }

    /// Returns the number of agents. Their sources in the schedule follow those of the links.
    pub fn agents(&self) -> usize {
        self.agents.len()
    }

    /// Returns the agents' counts for each of the first `flows` flows; `None` for a flow without an agent.
    pub fn agent_counts(&self, flows: usize) -> Vec<Option<AgentCounts>> {
        let mut counts: Vec<Option<AgentCounts>> = vec![None; flows];
        for placed in &self.agents {
            let of_flow = counts[placed.flow as usize].get_or_insert_with(AgentCounts::default);
            let AgentCounts { sent, ended } = placed.agent.counts();
            (of_flow.sent, of_flow.ended) = (of_flow.sent + sent, of_flow.ended + ended);
        }
        counts
    }

    /// Resets the agents' counts at the end of the warm-up.
    pub fn reset_agents(&mut self) {
        self.agents.iter_mut().for_each(|placed| placed.agent.reset_counts());
    }

    /// Shows a packet that has arrived at an agent's node to the agent. The packet continues unless the agent
    /// removes it.
    #[cold]
    #[inline(never)]
    pub(super) fn meet(
        &mut self,
        times: [Time; 2],
        agent: u32,
        direction: Direction,
        path: u32,
        step: u32,
        packet: &mut Packet,
    ) -> Outcome {
        let [now, _] = times;
        let mut outgoing = std::mem::take(&mut self.outgoing);
        outgoing.extension = self.extensions.of(packet);
        let placed = &mut self.agents[agent as usize];
        let passage = placed.agent.on_packet(now, direction, packet, &mut outgoing);
        let link = placed.directions[direction as usize].link;
        let number = self.number;
        if passage == Passage::Ends {
            if let Some(trace) = &mut self.trace {
                trace.push(now, path, number, packet.bytes, Event::Absorbed { link });
            }
            self.extensions.forget(packet);
        }
        self.send_from(agent, now, &mut outgoing);
        self.outgoing = outgoing;
        match passage {
            Passage::Passes => {
                self.number = number;
                self.advance(times, path, step + 1, packet)
            }
            Passage::Ends => Outcome::Ended,
        }
    }

    /// Called at the time that an agent announced. Calls the agent's timer if it is due, sends the packets of
    /// the agent and sets its event again.
    pub fn on_agent_timer(&mut self, agent: u32, now: Time) {
        let mut outgoing = std::mem::take(&mut self.outgoing);
        let placed = &mut self.agents[agent as usize];
        placed.due = Time::NEVER;
        placed.source.into_iter().for_each(|source| self.schedule.clear(source));
        if placed.agent.timer() <= now {
            placed.agent.on_timer(now, &mut outgoing);
        }
        self.send_from(agent, now, &mut outgoing);
        self.outgoing = outgoing;
    }

    fn send_from(&mut self, agent: u32, now: Time, outgoing: &mut Outgoing) {
        for (direction, mut packet, extension) in outgoing.packets.drain(..) {
            if let Some(extension) = extension {
                packet.extension = self.extensions.keep(extension);
            }
            let Onward { path, step, link } = self.agents[agent as usize].directions[direction as usize];
            if let Some(trace) = &mut self.trace {
                let words = |words: &mut Vec<u64>| self.extensions.read_long(&packet, words);
                self.number = trace.begin(now, path, &packet, Event::Injected { link }, words);
            }
            let outcome = self.advance([now, now], path, step, &mut packet);
            debug_assert!(
                !matches!(outcome, Outcome::Arrives | Outcome::Ends { .. }),
                "a packet reached its endpoint without passing through the list of packets in transit"
            );
        }
        let placed = &mut self.agents[agent as usize];
        let due = placed.agent.timer().max(now);
        if let Some(source) = placed.source.filter(|_| due < placed.due) {
            placed.due = due;
            self.schedule.set(source, due, Order::TIMER);
        }
    }
}
