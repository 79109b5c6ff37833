//! A node that thins acknowledgements, as the ends of links with little capacity for them do (RFC 3449
//! section 5.2.1): of the waiting acknowledgements of a connection only the latest continues, because it
//! contains the information of the others.
//!
//! An acknowledgement waits until a number of them have arrived, or the first of them has waited for a
//! maximum time. Only plain acknowledgements wait, which acknowledge more than the last one and contain
//! nothing else that is new. One that has SACK blocks, repeats a number, or has other flags than the waiting
//! one continues at once, behind the waiting one.

use super::Entry;
use crate::agent::{Agent, AgentCounts, Direction, Node, Passage};
use crate::packet::{Extension, ExtensionId, Packet};
use crate::tcp::segment::{Flags, Segment};
use ackclock_base::{Descriptor, Kind, Range, Span, Time, parameters};

/// The entry in the list of agents.
pub const ENTRY: Entry = Entry {
    descriptor: &Descriptor {
        kind: Kind::Agent,
        name: "ack-thinning",
        summary: "Holds acknowledgements of new data until `every` have arrived or the first has waited for `wait`, \
                  and forwards only the latest; duplicate acknowledgements and acknowledgements with SACK blocks are \
                  forwarded at once",
        source: "RFC 3449 section 5.2.1",
        parameters: Parameters::TABLE,
        presets: &[],
    },
    build: |values| Box::new(Thinning::new(values.into())),
};

parameters! {
    /// The parameters of ACK thinning.
    pub struct Parameters {
        /// The number of acknowledgements of which only the latest is forwarded
        every: i64 = integer("4", Range::between(1.0, 1e6), "none"),
        /// The longest time for which the first waiting acknowledgement is held
        wait: Span = time("5 ms", Range { min: 0.0, max: 60.0, above_min: true }, "none"),
    }
}

/// The latest acknowledgement that waits.
#[derive(Clone, Copy)]
struct Waiting {
    packet: Packet,
    /// Its header extension with the receive window, if it has one.
    extension: Option<Extension>,
    /// The number of acknowledgements that it replaces, including itself.
    count: i64,
    /// The latest time at which it continues.
    until: Time,
}

/// The agent of one connection.
pub struct Thinning {
    parameters: Parameters,
    waiting: Option<Waiting>,
    /// The connection and the highest number of its acknowledgements seen.
    last: (u8, u64),
    counts: AgentCounts,
}

impl Thinning {
    /// Creates an agent that has seen no packet.
    pub fn new(parameters: Parameters) -> Self {
        Self { parameters, waiting: None, last: (0, 0), counts: AgentCounts::default() }
    }

    fn let_go(&mut self, node: &mut dyn Node) {
        let Some(Waiting { packet, extension, .. }) = self.waiting.take() else { return };
        match extension {
            Some(extension) => node.send_extended(Direction::Backward, packet, extension),
            None => node.send(Direction::Backward, packet),
        }
        self.counts.sent += 1;
    }

    /// Returns whether the only new information in an acknowledgement is that more data has arrived, and the
    /// size of the receive window.
    fn is_plain(&self, packet: &Packet, ack: &Segment, node: &dyn Node) -> bool {
        let goes_on = packet.connection == self.last.0 && ack.number > self.last.1;
        let blocks = packet.is_extended() && Segment::has_blocks(&node.extension());
        let alike = |waiting: &Waiting| Segment::head(&waiting.packet).flags == ack.flags;
        goes_on && !blocks && !ack.flags.has(Flags::SYN) && self.waiting.as_ref().is_none_or(alike)
    }
}

impl Agent for Thinning {
    fn on_packet(
        &mut self,
        now: Time,
        direction: Direction,
        packet: &Packet,
        node: &mut dyn Node,
    ) -> Passage {
        if direction == Direction::Forward {
            return Passage::Passes;
        }
        let ack = Segment::head(packet);
        let plain = self.is_plain(packet, &ack, node);
        // An acknowledgement that a higher one has overtaken leaves `last` as it is. Otherwise a repetition
        // of the higher one would count as new.
        if packet.connection != self.last.0 || ack.number > self.last.1 {
            self.last = (packet.connection, ack.number);
        }
        if !plain {
            self.let_go(node);
            return Passage::Passes;
        }
        let (count, until) = self
            .waiting
            .map_or((1, now + self.parameters.wait), |waiting| (waiting.count + 1, waiting.until));
        if count >= self.parameters.every {
            // This acknowledgement continues in place of the waiting ones.
            self.waiting = None;
            return Passage::Passes;
        }
        let extension = packet.is_extended().then(|| node.extension());
        // The network releases the extension with this packet; it is stored anew when the acknowledgement is
        // sent.
        let packet = Packet { extension: ExtensionId::default(), ..*packet };
        self.waiting = Some(Waiting { packet, extension, count, until });
        self.counts.ended += 1;
        Passage::Ends
    }

    fn timer(&self) -> Time {
        self.waiting.map_or(Time::NEVER, |waiting| waiting.until)
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
