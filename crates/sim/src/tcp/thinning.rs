//! A node that thins acknowledgements out, as the ends of links do that send few of them (RFC 3449 section 5.2.1): of those of
//! a connection that wait for their turn, only the latest goes on, because it says what the others said.
//!
//! An acknowledgement waits until so many have come, or the first of them has waited so long. Only plain ones do, which
//! acknowledge more than the last and say nothing else new: what has SACK blocks, repeats a number or has other marks goes on
//! at once, behind what waits.

use super::segment::{Flags, Segment};
use crate::agent::{Agent, AgentCounts, Entry, Node, Passage, Way};
use crate::packet::Packet;
use ackclock_base::{Descriptor, Kind, Range, Span, Time, parameters};

/// The agent's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &Descriptor {
        kind: Kind::Agent,
        name: "ack-thinning",
        summary: "Lets only the latest of several acknowledgements go on, when enough have come or the first has waited",
        source: "RFC 3449 section 5.2.1",
        parameters: Parameters::TABLE,
        presets: &[],
    },
    build: |values| Box::new(Thinning::new(values.into())),
};

parameters! {
    /// How many become one.
    pub struct Parameters {
        /// Of so many acknowledgements the latest goes on
        every: i64 = integer("4", Range::between(1.0, 1e6), "none"),
        /// None waits longer than this for others
        wait: Span = time("5 ms", Range { min: 0.0, max: 60.0, above_min: true }, "none"),
    }
}

/// The agent of one connection.
pub struct Thinning {
    parameters: Parameters,
    /// What waits: the latest, how many it stands for, and when it goes at the latest.
    waiting: Option<(Packet, i64, Time)>,
    /// The connection and the number of the last acknowledgement seen.
    last: (u8, u64),
    counts: AgentCounts,
}

impl Thinning {
    /// An agent that has seen nothing.
    pub fn new(parameters: Parameters) -> Self {
        Self { parameters, waiting: None, last: (0, 0), counts: AgentCounts::default() }
    }

    fn let_go(&mut self, node: &mut dyn Node) {
        if let Some((packet, ..)) = self.waiting.take() {
            node.send(Way::Back, packet);
            self.counts.sent += 1;
        }
    }

    /// Whether an acknowledgement says no more than that more has arrived than the one before it said.
    fn is_plain(&self, packet: &Packet, ack: &Segment) -> bool {
        let goes_on = packet.connection == self.last.0 && ack.number > self.last.1;
        let alike = |(waiting, ..): &(Packet, i64, Time)| Segment::head(waiting).flags == ack.flags;
        goes_on
            && !packet.is_extended()
            && !ack.flags.has(Flags::SYN)
            && self.waiting.as_ref().is_none_or(alike)
    }
}

impl Agent for Thinning {
    fn on_packet(&mut self, now: Time, way: Way, packet: &Packet, node: &mut dyn Node) -> Passage {
        if way == Way::There {
            return Passage::Passes;
        }
        let ack = Segment::head(packet);
        let plain = self.is_plain(packet, &ack);
        self.last = (packet.connection, ack.number);
        if !plain {
            self.let_go(node);
            return Passage::Passes;
        }
        let (_, before, until) = self.waiting.unwrap_or((*packet, 0, now + self.parameters.wait));
        if before + 1 >= self.parameters.every {
            // It goes on in place of those that wait.
            self.waiting = None;
            return Passage::Passes;
        }
        self.waiting = Some((*packet, before + 1, until));
        self.counts.ended += 1;
        Passage::Ends
    }

    fn timer(&self) -> Time {
        self.waiting.map_or(Time::NEVER, |(_, _, until)| until)
    }

    fn on_timer(&mut self, now: Time, node: &mut dyn Node) {
        if self.timer() <= now {
            self.let_go(node);
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
