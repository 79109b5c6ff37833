//! Defines what the verifier knows about the network in which a trace was taken: plain data, without any code
//! of the simulator.

use crate::over_time::OverTime;
use crate::rates::SendingRate;
use ackclock_base::link::LinkRules;
use ackclock_base::{Span, Time};
use std::fmt;

/// The network in which a trace was taken.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NetworkFacts {
    /// The links; a record names a link by its index here.
    pub links: Vec<LinkFacts>,
    /// The paths, numbered as in [`Record::path`](ackclock_base::trace::Record::path): the way there and the way back of each
    /// pair of paths in turn.
    pub paths: Vec<PathFacts>,
    /// The agents at nodes.
    pub agents: Vec<AgentFacts>,
}

/// The facts about a link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkFacts {
    /// The link's name, for messages.
    pub name: String,
    /// The rate at which the link sends.
    pub rate: SendingRate,
    /// The delay of the wire, without what the following two fields add.
    pub delay: Span,
    /// What the link may do to packets.
    pub rules: LinkRules,
    /// What the wire adds to its delay, by the time at which the transmission of a packet ends; `None` if it
    /// adds nothing.
    pub longer: Option<OverTime<Span>>,
    /// How much may wait, without the packet that is being sent; `None` if the queue has no limit.
    pub limit: Option<QueueLimit>,
    /// What the link's queue discipline may do.
    pub service: ServiceRules,
    /// The medium that the link shares with others; `None` if it shares none. Only one link of a medium sends
    /// at a time, so a link may have to wait.
    pub medium: Option<MediumFacts>,
}

impl LinkFacts {
    /// Returns a link without delay, impairments, limit or medium, which sends in order and drops nothing that has waited.
    pub fn new(name: impl Into<String>, rate: SendingRate) -> Self {
        Self {
            name: name.into(),
            rate,
            delay: Span::ZERO,
            rules: LinkRules::default(),
            longer: None,
            limit: None,
            service: ServiceRules::default(),
            medium: None,
        }
    }
}

/// How much may wait in the queue of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueLimit {
    /// At most this number of packets.
    Packets(u64),
    /// At most this number of bytes.
    Bytes(u64),
}

impl fmt::Display for QueueLimit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Packets(1) => formatter.write_str("1 packet"),
            Self::Packets(most) => write!(formatter, "{most} packets"),
            Self::Bytes(most) => write!(formatter, "{most} B"),
        }
    }
}

/// What a queue discipline may do. By default it sends in the order of arrival, at once when the link is free, and drops
/// nothing but packets that arrive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ServiceRules {
    /// Whether it may drop packets that have waited. A discipline that may not drops only packets that arrive.
    pub drops_late: bool,
    /// Whether packets of different paths may overtake one another. Packets of one path never do, unless `queues_by_ecn` is
    /// set.
    pub overtakes: bool,
    /// Whether a packet's ECN field decides which of two queues it joins, as in DualPI2 (RFC 9332 section 2.4). Packets of one
    /// path may then overtake one another if an earlier link of the path may have marked some of them. Each queue keeps its
    /// order.
    pub queues_by_ecn: bool,
    /// Whether it may let a free link idle while packets wait, as a shaper does.
    pub holds_back: bool,
    /// Whether it drops only packets that do not fit.
    pub drops_only_when_full: bool,
}

/// The facts about the medium of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MediumFacts {
    /// The medium's number. Links with the same number share a medium.
    pub number: usize,
    /// The bytes that the link sends with each packet: headers and checksums.
    pub framing_bytes: u32,
    /// Whether several links of the medium may begin at the same time. A packet that collides does not
    /// arrive.
    pub collides: bool,
    /// Whether the link repeats a packet that has not arrived. Packets arrive in the order of their first
    /// transmissions.
    pub repeats: bool,
    /// The number of packets that may have left the queue for a transmission opportunity without having started, since its
    /// preamble and the other packets of the opportunity come first.
    pub set_aside: u64,
    /// The most bytes of those packets.
    pub set_aside_bytes: u64,
    /// The longest time from when a packet is given up until the other end knows it: the rest of the
    /// transmission opportunity and the time without an answer.
    pub tells: Span,
}

/// The facts about a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathFacts {
    /// The flow's name, for messages.
    pub flow: String,
    /// Whether this is the way back.
    pub backward: bool,
    /// The indices of the path's links, in order.
    pub links: Vec<u32>,
}

/// The facts about an agent: the node at which it is. The agent may take packets of the path at that node,
/// and may send packets from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentFacts {
    /// The number of the path that the agent is on.
    pub path: u32,
    /// The index of the link of that path which follows the agent's node.
    pub link: u32,
}

/// What follows from the facts by arithmetic alone.
impl NetworkFacts {
    /// Returns the least time that the wire of a link takes with a packet whose transmission ends at `sent`.
    pub(crate) fn wire(&self, link: usize, sent: Time) -> Span {
        let LinkFacts { delay, rules, longer, .. } = &self.links[link];
        let on_detour = rules.detour.filter(|detour| detour.from <= sent && sent < detour.until);
        let longer = longer.as_ref().map_or(Span::ZERO, |longer| longer.at(sent));
        *delay + on_detour.map_or(Span::ZERO, |detour| detour.longer) + longer
    }

    /// Returns whether packets may wait at a link that is free.
    pub(crate) fn holds_back(&self, link: usize) -> bool {
        self.links[link].service.holds_back || self.links[link].medium.is_some()
    }

    /// Returns whether a link repeats a packet that has not arrived.
    pub(crate) fn repeats(&self, link: usize) -> bool {
        self.links[link].medium.is_some_and(|medium| medium.repeats)
    }

    /// Returns whether packets of one path may overtake one another in the queue of link number `hop` of the path: the ECN
    /// field decides which queue they join, and the queue of an earlier link may have marked some of them. A queue that only
    /// drops what does not fit marks nothing.
    pub(crate) fn splits(&self, path: u32, hop: usize) -> bool {
        let service = |link: &u32| self.links[*link as usize].service;
        let links = &self.paths[path as usize].links;
        links.get(hop).is_some_and(|link| service(link).queues_by_ecn)
            && links[..hop].iter().any(|link| !service(link).drops_only_when_full)
    }

    /// Returns whether an agent is on a path: before `link`, or anywhere if `link` is `None`.
    pub(crate) fn has_agent(&self, path: u32, link: Option<u32>) -> bool {
        self.agents.iter().any(|agent| agent.path == path && link.is_none_or(|link| agent.link == link))
    }

    /// Returns whether this many packets with this many bytes fit into the queue of a link.
    pub(crate) fn fits(&self, link: usize, packets: u64, bytes: u64) -> bool {
        match self.links[link].limit {
            None => true,
            Some(QueueLimit::Packets(most)) => packets <= most,
            Some(QueueLimit::Bytes(most)) => bytes <= most,
        }
    }

    /// Returns whether this many packets with this many bytes may be waiting at a link: some of them may have left the queue
    /// for a transmission opportunity.
    pub(crate) fn may_wait(&self, link: usize, packets: u64, bytes: u64) -> bool {
        let (aside, aside_bytes) =
            self.links[link].medium.map_or((0, 0), |medium| (medium.set_aside, medium.set_aside_bytes));
        self.fits(link, packets.saturating_sub(aside), bytes.saturating_sub(aside_bytes))
    }

    /// Returns how messages name a packet: with its flow, and with the link where there is one.
    pub(crate) fn packet_words(&self, packet: u64, path: u32, link: Option<usize>) -> String {
        let path = self.path_words(path);
        match link.and_then(|link| self.links.get(link)) {
            Some(link) => format!("{path}, packet {packet}, link {}", link.name),
            None => format!("{path}, packet {packet}"),
        }
    }

    /// Returns how messages name a path.
    pub(crate) fn path_words(&self, path: u32) -> String {
        match self.paths.get(path as usize) {
            Some(facts) if facts.backward => format!("flow {} (backward)", facts.flow),
            Some(facts) => format!("flow {}", facts.flow),
            None => format!("path {path}"),
        }
    }
}
