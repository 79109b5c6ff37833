//! An independent check of a run: replays its packet trace and reports each law of a packet network that the trace breaks.
//!
//! This crate shares no code with the simulator. It knows the format of [traces](ackclock_base::trace), a few plain
//! [facts](NetworkFacts) about links and paths, and integer arithmetic. It keeps its own queues and its own accounts, so a
//! fault goes unnoticed only if both have it.
//!
//! These are the laws, each a variant of [`Rule`]:
//!
//! * A packet is launched once, follows exactly its path, keeps its size, and meets one fate: it is dropped, corrupted or
//!   delivered.
//! * A link sends one packet at a time, in the order in which they were offered, each for exactly its bits over the link's
//!   rate. It starts at once when it is free, and a packet arrives after exactly the link's delay.
//! * A queue stays within its limit, and a tail-drop queue that has room drops nothing.
//! * Nodes pass packets on at once, except to keep the order of a path's packets. A path delivers in order unless one of its links
//!   may reorder.
//! * At the end every packet is accounted for, path by path and link by link.
//!
//! Records are written in the order of processing, not of time: a packet's future on a link is written when the packet is
//! offered, and may lie beyond the end of the run. The replay therefore follows the order of time. Among records of the same time, ends of
//! transmissions come first: a transmission takes time, so nothing else at that instant can be their cause, and the link is
//! free from that instant on. The others keep the order in which they were written. For one packet, that is the order of
//! cause and effect; on one link, it is the order of the offers, in which the next packet in line leaves the queue before a
//! newcomer looks for room.

mod facts;
mod outage;
mod over_time;
mod rates;
mod replay;
mod violation;

pub use facts::{AgentFacts, LinkFacts, MediumFacts, NetworkFacts, PathFacts, QueueLimit, ServiceRules};
pub use outage::Outage;
pub use over_time::OverTime;
pub use rates::{ChangeApplies, SendingRate, VaryingRate};
pub use violation::{Rule, Violation};

use ackclock_base::Time;
use ackclock_base::trace::{Event, Record};
use replay::Replay;

/// The number of violations after which the replay stops: one fault often breaks a law for every packet that follows.
pub const MAX_VIOLATIONS: usize = 100;

/// Replays the records of a run that ended at `end`. Returns the laws that they break, in the order in which the replay meets
/// them; nothing if they break none. Needs memory in proportion to the number of records.
pub fn verify(records: &[Record], network: &NetworkFacts, end: Time) -> Vec<Violation> {
    let mut replay = Replay::new(network, end);
    for place in in_time_order(records) {
        replay.take(place, &records[place]);
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

/// Returns the indices of the records by time, ends of transmissions first. The sort is stable, so the others stay in the
/// order in which they were written. So does the end of a transmission that takes no time, which stands behind its start.
fn in_time_order(records: &[Record]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..records.len()).collect();
    let takes_no_time = |place: usize| {
        let before = place.checked_sub(1).map(|before| records[before]);
        let Record { time_ns, packet, .. } = records[place];
        before.is_some_and(|before| {
            matches!(before.event, Event::Started { .. })
                && (before.time_ns, before.packet) == (time_ns, packet)
        })
    };
    places.sort_by_key(|place| {
        let Record { time_ns, event, .. } = records[*place];
        (time_ns, !matches!(event, Event::Sent { .. }) || takes_no_time(*place))
    });
    places
}

#[cfg(test)]
mod tests;

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
