//! Defines the laws that a trace can break, and how a broken law is reported.

use ackclock_base::Time;
use serde::{Serialize, Serializer};
use std::fmt;

/// A law that a trace can break.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// Records name paths and links that exist.
    Known,
    /// Things happen only to packets that have been launched, and a packet is launched once: by an endpoint, by an agent at its node,
    /// or as a copy by a link that copies packets, as the packet of which it is the copy arrives.
    Launch,
    /// A packet stays on its path and keeps its size.
    Identity,
    /// What happens to a packet later is not recorded with an earlier time.
    TimeGoesOn,
    /// A packet crosses the links of its path in order. On each link it goes from the queue to the transmitter to the wire.
    Route,
    /// Nothing happens to a packet that has been dropped, lost or delivered, or that an agent has absorbed.
    OneFate,
    /// Packets leave a queue in the order in which they were offered. If the discipline may let paths
    /// overtake one another, this holds for the packets of each path.
    QueueOrder,
    /// A link sends one packet at a time, and so do all links of a medium together. If links of a medium may
    /// collide, no packet of a collision arrives.
    OneAtATime,
    /// A transmission takes as long as the packet's bits, and those that its medium adds, need at the link's rate: at the rate
    /// when the transmission starts, or bit by bit at the rate as it changes. Nothing is sent in an outage. The end is rounded
    /// to the nearest nanosecond, and the link sends for at least one. A transmission may also end as the rate falls or an
    /// outage begins, if less than half a nanosecond of it is missing: at the rate before, or at the rate after the outage.
    LinkRate,
    /// A packet arrives when the link's delay has passed since its transmission. With jitter it arrives up to that much later,
    /// and where it may not overtake the packet before it, not before that packet. Where the link has slots, it arrives at the
    /// end of a slot. A corrupted packet is lost as its transmission ends. Where the link repeats what has not arrived, a
    /// packet that has arrived waits until those that were first sent before it arrive or are lost. On a link some of whose packets skip
    /// the delay, a packet may also arrive as its transmission ends.
    LinkDelay,
    /// A link starts with a packet when the packet is offered, or when the packet before it has been sent. A link that may hold
    /// packets back (a shaper, a station of a medium) does not start earlier than that.
    WorkConserving,
    /// The waiting packets fit into the queue. An idle link takes any packet, since the packet does not wait.
    QueueLimit,
    /// A packet is dropped as it is offered, unless the discipline may drop what has waited. A discipline that drops only what
    /// does not fit drops nothing else.
    Drop,
    /// A launched packet is offered to its first link at once. A node passes a packet on as it arrives, or together with the
    /// packet before it on the same path.
    HandOver,
    /// A path delivers packets in the order in which they were launched, unless one of its links reorders or an agent is on it.
    DeliveryOrder,
    /// At the end every packet is accounted for. On a path, where copies count as launched: launched = dropped + lost +
    /// absorbed by an agent + delivered + in flight. On a link: offered = dropped + sent + inside, and sent = lost + arrived +
    /// on the wire.
    Conservation,
}

/// A broken law.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// The law.
    pub rule: Rule,
    /// The time at which the law was broken. Serialised as nanoseconds.
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
