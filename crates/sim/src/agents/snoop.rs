//! The Snoop agent of a base station (Balakrishnan, Seshan, Amir and Katz 1995). It caches packets to a
//! mobile host, retransmits those that the radio has lost, and hides their duplicate acknowledgements from
//! the sender.
//!
//! * Data: a new packet is cached and continues. A cached packet that arrives again continues and is cached
//!   anew, because the radio has lost it. A packet that arrives for the first time, but late, is left to the
//!   sender: it was lost before the agent, and the sender waits for its duplicates. A packet that the mobile
//!   has acknowledged is removed, and the acknowledgement is repeated.
//! * Acknowledgements: a new one removes the packets below its number from the cache and continues. One that
//!   is older than the last is removed. A duplicate asks for the packet that the mobile lacks. It continues
//!   if that packet is not cached, is left to the sender, or has been retransmitted by the agent too often.
//!   Otherwise the duplicate is removed, and the first one makes the agent retransmit the packet. As many
//!   duplicates are expected as packets were sent between the packet and its retransmission; one more means
//!   that the retransmission was lost.
//! * If no acknowledgement arrives, a timer retransmits the packet that the mobile lacks, even one that is
//!   left to the sender, because the radio may lose it like any other.
//!
//! These are the rules of the publication. Those of ns-2's agent differ and are in a module of their own.

mod cache;
mod ns2;

use self::cache::{Cache, CachedPacket};
use super::Entry;
use crate::agent::{Agent, AgentCounts, Direction, Node, Passage};
use crate::packet::Packet;
use crate::tcp::segment::{Flags, Segment};
use ackclock_base::{Descriptor, Kind, Packets, Range, Span, Time, choice, parameters};
use ackclock_recovery::declared::Timer;
use ackclock_recovery::rtt::{MinBounds, RttEstimator};

/// The entry in the list of agents.
pub const ENTRY: Entry = Entry {
    descriptor: &Descriptor {
        kind: Kind::Agent,
        name: "snoop",
        summary: "Caches a connection's packets, retransmits them on duplicate acknowledgements or a timeout, and \
                  hides the duplicate acknowledgements from the sender",
        source: "Balakrishnan, Seshan, Amir and Katz 1995; Dahal 2007 sections 2.1.3 and 5.3.1",
        parameters: Parameters::TABLE,
        presets: &[],
    },
    build: |values| {
        let parameters = Parameters::from(values);
        match parameters.rules {
            Rules::Published => Box::new(Snoop::new(parameters)),
            Rules::Ns2 => Box::new(ns2::Snoop::new(parameters)),
        }
    },
};

choice! {
    /// The rules that the agent follows.
    pub enum Rules {
        /// The rules of the publication.
        Published = "published",
        /// The rules of ns-2's class Snoop, applied to each connection.
        Ns2 = "ns2",
    }
}

parameters! {
    /// The parameters of the Snoop agent.
    pub struct Parameters {
        /// The largest number of packets of a connection in the cache
        cache: Packets = packets("100 packets", Range::between(1.0, 1e5), "Dahal section 5.3.1"),
        /// The largest number of times that the agent retransmits a packet; further retransmissions are left to the
        /// sender
        attempts: i64 = integer("10", Range::between(0.0, 1000.0), "Dahal section 5.3.1"),
        /// The minimum timeout after which the agent retransmits a packet without duplicate acknowledgements
        min_timeout: Span = time("100 ms", Range { min: 0.0, max: 60.0, above_min: true }, "ns-2's snoopTick_"),
        /// The rules for caching, for retransmission by the agent and for the removal of duplicate acknowledgements:
        /// those of the publication (published), or of ns-2's class Snoop (ns2)
        rules: Rules = choice("published", "Balakrishnan et al. 1995; ns-2's tcp/snoop.cc"),
    }
}

/// The agent of one connection by the rules of the publication. It removes no duplicate acknowledgements that
/// ask for packets outside its cache.
pub struct Snoop {
    parameters: Parameters,
    /// The number of the flow's connection that the agent follows.
    connection: u8,
    cache: Cache,
    /// One past the highest data number seen.
    seen: u64,
    /// The last new acknowledgement of the mobile.
    acked: Segment,
    /// The number of duplicates of the last new acknowledgement that have come.
    duplicates: u64,
    /// The number of packets sent after the first cached one and before its last retransmission: each
    /// that arrives causes a duplicate, which says nothing about that retransmission.
    expected: u64,
    rtt: RttEstimator,
    counts: AgentCounts,
}

impl Snoop {
    /// Creates an agent that has seen no packet.
    pub fn new(parameters: Parameters) -> Self {
        let timer = Timer {
            tick: Span::from_millis(1),
            min_rto: parameters.min_timeout,
            max_rto: Span::from_millis(60_000),
            initial_rto: parameters.min_timeout,
        };
        Self {
            cache: Cache::of(parameters.cache as usize),
            parameters,
            connection: 0,
            seen: 0,
            acked: Segment::default(),
            duplicates: 0,
            expected: 0,
            rtt: RttEstimator::new(timer, MinBounds::Timeout),
            counts: AgentCounts::default(),
        }
    }

    fn on_data(&mut self, now: Time, data: &Segment, packet: &Packet, node: &mut dyn Node) -> Passage {
        if data.number < self.acked.number {
            // The mobile has the packet; the sender lacks the acknowledgement.
            match self.acked.answers(data, packet.connection) {
                (answer, None) => node.send(Direction::Backward, answer),
                (answer, Some(extension)) => node.send_extended(Direction::Backward, answer, extension),
            }
            self.counts.sent += 1;
            return Passage::Ends;
        }
        let late = data.number < self.seen;
        self.seen = self.seen.max(data.number + 1);
        self.cache.keep(CachedPacket::new(data.number, *packet, now, late));
        Passage::Passes
    }

    fn on_ack(&mut self, now: Time, ack: &Segment, node: &mut dyn Node) -> Passage {
        if ack.number < self.acked.number {
            return Passage::Ends;
        }
        if ack.number > self.acked.number {
            if let Some(sent) = self.cache.forget_below(ack.number).and_then(|last| last.timed()) {
                self.rtt.sample_for_timer(sent, now);
            }
            (self.acked, self.duplicates, self.expected) = (*ack, 0, 0);
            // The timer now runs for the packet that has become the first in the cache.
            self.cache.first_mut().into_iter().for_each(|first| first.tried = now);
            return Passage::Passes;
        }
        if ack.edge() > self.acked.edge() {
            // The acknowledgement opens the receiver's window, so it is no duplicate (RFC 5681 section 2).
            self.acked.window = ack.window;
            return Passage::Passes;
        }
        self.on_duplicate(now, node)
    }

    fn on_duplicate(&mut self, now: Time, node: &mut dyn Node) -> Passage {
        self.duplicates += 1;
        if self.wanted().is_none_or(|first| first.by_sender) {
            return Passage::Passes;
        }
        if self.duplicates > self.expected {
            self.send_first(now, node);
        }
        Passage::Ends
    }

    /// Returns the packet that the mobile asks for, if it is cached and may be retransmitted; otherwise
    /// `None`.
    fn wanted(&self) -> Option<&CachedPacket> {
        let attempts = self.parameters.attempts as u32;
        self.cache.first().filter(|first| first.number == self.acked.number && first.attempts < attempts)
    }

    fn send_first(&mut self, now: Time, node: &mut dyn Node) {
        self.expected = (self.cache.len() as u64).saturating_sub(1);
        let Some(first) = self.cache.first_mut() else { return };
        (first.attempts, first.tried) = (first.attempts + 1, now);
        node.send(Direction::Forward, first.packet);
        self.counts.sent += 1;
    }

    fn begin(&mut self, connection: u8) {
        let counts = self.counts;
        *self = Self { connection, counts, ..Self::new(self.parameters) };
    }
}

impl Agent for Snoop {
    fn on_packet(
        &mut self,
        now: Time,
        direction: Direction,
        packet: &Packet,
        node: &mut dyn Node,
    ) -> Passage {
        let segment = match packet.is_extended() && direction == Direction::Backward {
            true => Segment::with_window(packet, &node.extension()),
            false => Segment::head(packet),
        };
        if segment.flags.has(Flags::SYN) {
            return Passage::Passes;
        }
        if packet.connection != self.connection {
            if direction == Direction::Backward {
                return Passage::Passes;
            }
            self.begin(packet.connection);
        }
        let passage = match direction {
            Direction::Forward => self.on_data(now, &segment, packet, node),
            Direction::Backward => self.on_ack(now, &segment, node),
        };
        self.counts.ended += u64::from(passage == Passage::Ends);
        passage
    }

    fn timer(&self) -> Time {
        self.wanted().map_or(Time::NEVER, |first| first.tried + self.rtt.timeout(1.0))
    }

    fn on_timer(&mut self, now: Time, node: &mut dyn Node) {
        if self.timer() <= now {
            self.send_first(now, node);
        }
    }

    fn counts(&self) -> AgentCounts {
        self.counts
    }

    fn reset_counts(&mut self) {
        self.counts = AgentCounts::default();
    }
}

#[cfg(test)]
mod tests;
