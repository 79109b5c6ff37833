//! An independent check of a run: replays its packet trace and asks of it what physics asks of a packet network.
//!
//! The verifier shares no logic with the simulator. It knows the trace, a few plain facts about each link and path,
//! and integer arithmetic; it keeps its own queues and its own accounts, and a fault common to both would have to be
//! made twice.
//!
//! What holds of a network that obeys physics:
//!
//! * a packet is launched once, follows exactly its path, keeps its size, and meets one fate: dropped, lost or
//!   delivered;
//! * a link takes one packet at a time, in the order in which they were offered, for exactly their bits over its rate;
//!   it starts at once when it is free, and what it sends arrives after exactly its delay;
//! * no more waits than fits, and a tail-drop queue that has room drops nothing;
//! * nodes hold nothing back, except to keep the order of a path's packets, and a path delivers in order
//!   unless a link of it may reorder;
//! * at the end every packet is accounted for, path by path and link by link.
//!
//! Records are written in the order of processing, not of time: a packet's future on a link is written when the link
//! is offered the packet, and may lie beyond the end of the run. So the replay goes by time. At the same time, ends of
//! transmissions come first: a transmission takes time, so nothing else at that instant can be their cause, and the
//! link is free from that instant on. The rest is taken in the order in which it was written. Of one packet, that is
//! the order of cause and effect; on one link, it is the order of the offers, so that first the next in line leaves
//! the queue, and then a newcomer looks for room.

mod facts;
mod rates;
mod replay;

use ackclock_aqm::{Capacity, Service};
use ackclock_base::{Rate, Span, Time};
use ackclock_sim::channel::Detour;
use ackclock_sim::timeline::Timeline;
use ackclock_sim::trace::{Event, Record, Trace};
use ackclock_sim::transmission::Changes;
use replay::Replay;
use serde::{Serialize, Serializer};
use std::fmt;

/// What the verifier is told of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkFacts {
    /// Its name, for messages.
    pub name: String,
    /// How fast it sends, where that does not change.
    pub rate: Rate,
    /// How fast it sends over time, where it does.
    pub changes: Option<Changes>,
    /// How long the wire takes.
    pub delay: Span,
    /// How much longer it may take.
    pub jitter: Span,
    /// For how long its way is a longer one.
    pub detour: Option<Detour>,
    /// How much longer than that its wire takes over time.
    pub longer: Option<Timeline<Span>>,
    /// How long the slots are at whose end packets are handed over; zero where they are at once.
    pub hold: Span,
    /// Whether packets may overtake one another on it. Else one that would arrives with the last before it.
    pub reorders: bool,
    /// How much may wait, not counting the packet being sent; `None` where nothing limits the queue.
    pub capacity: Option<Capacity>,
    /// What its discipline never breaks.
    pub service: Service,
    /// The medium that it shares with others, if it does: one of them sends at a time, and it may wait for its turn.
    pub medium: Option<MediumFacts>,
}

/// What the verifier is told of the medium of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MediumFacts {
    /// The links of one number share a medium.
    pub number: usize,
    /// What it sends with each packet.
    pub framing_bytes: u32,
    /// Whether several of its links may begin at once. Then none of it arrives.
    pub collides: bool,
    /// Whether it sends again what has not arrived. Packets arrive in the order in which they were sent first.
    pub repeats: bool,
    /// Packets that may have left the queue for a turn and not have started: its preamble comes first, and one after the other.
    pub set_aside: u64,
    /// And their bytes.
    pub set_aside_bytes: u64,
    /// How long after a packet was given up the other end is told so at most: the rest of the turn, and no answer.
    pub tells: Span,
}

/// What the verifier is told of a path. Paths are numbered as in [`Record::path`]: those there and back of each flow in turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathFacts {
    /// The flow's name, for messages.
    pub flow: String,
    /// Whether it is the way back.
    pub backward: bool,
    /// The links in order, as indices.
    pub links: Vec<u32>,
}

/// What the verifier is told of an agent: on which path it is, and before which link of it. It may end the way of a packet there,
/// and send others from there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentFacts {
    /// The path.
    pub path: u32,
    /// The link that follows.
    pub link: u32,
}

/// A law that a trace can break.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// A record names a path or a link that does not exist.
    Known,
    /// Things happen only to packets that have been launched, and a packet is launched once: by an endpoint, or by an agent at
    /// its node.
    Launch,
    /// A packet stays on its path and keeps its size.
    Identity,
    /// What happens to a packet later is not recorded with an earlier time.
    TimeGoesOn,
    /// A packet goes over the links of its path in order, and on each from the queue to the transmitter to the wire.
    Route,
    /// Nothing happens to a packet that has been dropped, lost or delivered.
    OneFate,
    /// Packets leave a queue in the order in which they were offered; where flows may overtake one another, those of one
    /// path do.
    QueueOrder,
    /// A link sends one packet at a time, and so do all links of a medium together; where they may collide, nothing arrives of
    /// what meets.
    OneAtATime,
    /// A transmission takes the packet's bits, and those that its medium adds, over the link's rate as it is when the
    /// transmission starts, or bit by bit over the rate as it changes; nothing is sent in an outage. Its end is rounded to a
    /// nanosecond, and at least one passes.
    LinkRate,
    /// A packet arrives the link's delay after its transmission, with jitter up to so much later, or with the one before it where
    /// it may not overtake that; where the link has slots, at the end of the one in which it would; a corrupted one is lost as its transmission ends. Where a link repeats what has not arrived,
    /// one that has waits for those that were sent first before it, until they arrive or are lost.
    LinkDelay,
    /// A link starts with a packet when it is offered, or when the one before has been sent; a shaper not before that.
    WorkConserving,
    /// The waiting packets fit into the queue. An idle link takes any packet: it does not wait.
    QueueLimit,
    /// A packet is dropped as it is offered, unless the queue may drop what has waited, and by a tail-drop queue only when it
    /// does not fit.
    Drop,
    /// A launched packet is offered at once; a node passes a packet on as it arrives, or with the one before it on the
    /// same path.
    HandOver,
    /// A path delivers in the order of launching, unless one of its links lets packets overtake or an agent sends packets.
    DeliveryOrder,
    /// Launched = dropped + lost + ended at an agent + delivered + in flight; offered = dropped + sent + inside; sent = lost + arrived +
    /// on the wire.
    Conservation,
}

/// A broken law.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// Which law.
    pub rule: Rule,
    /// When; in nanoseconds where it is serialised.
    #[serde(rename = "time_ns", serialize_with = "as_nanos")]
    pub time: Time,
    /// What happened, and to which packet of which flow on which link.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {:?}: {}", self.time, self.rule, self.what)
    }
}

fn as_nanos<S: Serializer>(time: &Time, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(time.nanos())
}

/// After so many violations the replay stops: one fault often breaks a law for every packet that follows.
pub const MAX_VIOLATIONS: usize = 100;

/// Replays a trace of a run that ended at `end`. Returns the laws that it breaks, in the order in which the replay
/// meets them; nothing if it breaks none. Needs room in proportion to the trace.
pub fn verify(
    trace: &Trace,
    links: &[LinkFacts],
    paths: &[PathFacts],
    agents: &[AgentFacts],
    end: Time,
) -> Vec<Violation> {
    let mut replay = Replay::new(links, paths, agents, end);
    for place in in_time_order(&trace.records) {
        replay.take(place, &trace.records[place]);
        if replay.found.len() >= MAX_VIOLATIONS {
            break;
        }
    }
    if replay.found.len() < MAX_VIOLATIONS {
        replay.close_accounts();
    }
    replay.found.truncate(MAX_VIOLATIONS);
    replay.found
}

/// The records' places by time, ends of transmissions first; the sort is stable, so the others stay in the order of
/// writing.
fn in_time_order(records: &[Record]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..records.len()).collect();
    places.sort_by_key(|place| {
        let Record { time_ns, event, .. } = records[*place];
        (time_ns, !matches!(event, Event::Sent { .. }))
    });
    places
}

#[cfg(test)]
mod tests;
