//! What the verifier is told, and what follows from it by arithmetic alone.

use super::{AgentFacts, LinkFacts, PathFacts};
use ackclock_aqm::Capacity;
use ackclock_base::{Span, Time};

/// The links and paths.
#[derive(Clone, Copy)]
pub(super) struct Facts<'a> {
    pub(super) links: &'a [LinkFacts],
    pub(super) paths: &'a [PathFacts],
    pub(super) agents: &'a [AgentFacts],
}

impl Facts<'_> {
    /// How long the wire takes at least with a packet that was sent then.
    pub(super) fn wire(&self, link: usize, sent: Time) -> Span {
        let LinkFacts { delay, detour, longer, .. } = &self.links[link];
        let detour = detour.map_or(Span::ZERO, |detour| detour.at(sent));
        let longer = longer.as_ref().map_or(Span::ZERO, |longer| longer.at(sent));
        *delay + detour + longer
    }

    /// Whether a link that is free may let packets wait.
    pub(super) fn holds_back(&self, link: usize) -> bool {
        self.links[link].service.holds_back || self.links[link].medium.is_some()
    }

    /// Whether a link sends again what has not arrived.
    pub(super) fn repeats(&self, link: usize) -> bool {
        self.links[link].medium.is_some_and(|medium| medium.repeats)
    }

    /// Whether there is an agent on a path before a link.
    pub(super) fn has_agent(&self, path: u32, link: Option<u32>) -> bool {
        self.agents.iter().any(|agent| agent.path == path && link.is_none_or(|link| agent.link == link))
    }

    pub(super) fn fits(&self, link: usize, packets: u64, bytes: u64) -> bool {
        match self.links[link].capacity {
            None | Some(Capacity::Unlimited) => true,
            Some(Capacity::Packets(most)) => packets <= most,
            Some(Capacity::Bytes(most)) => bytes <= most,
        }
    }

    /// The same where some of them may have left the queue for a turn.
    pub(super) fn may_fit(&self, link: usize, packets: u64, bytes: u64) -> bool {
        let (aside, aside_bytes) =
            self.links[link].medium.map_or((0, 0), |medium| (medium.set_aside, medium.set_aside_bytes));
        self.fits(link, packets.saturating_sub(aside), bytes.saturating_sub(aside_bytes))
    }

    pub(super) fn packet_words(&self, packet: u64, path: u32, link: Option<usize>) -> String {
        let path = self.path_words(path);
        match link.and_then(|link| self.links.get(link)) {
            Some(link) => format!("{path}, packet {packet}, link {}", link.name),
            None => format!("{path}, packet {packet}"),
        }
    }

    pub(super) fn path_words(&self, path: u32) -> String {
        match self.paths.get(path as usize) {
            Some(facts) if facts.backward => format!("flow {} (backward)", facts.flow),
            Some(facts) => format!("flow {}", facts.flow),
            None => format!("path {path}"),
        }
    }
}
