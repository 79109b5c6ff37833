//! Snoop by the rules of ns-2's class `Snoop` (`tcp/snoop.cc` as of release 2.35, unchanged since 2001).
//!
//! The differences from the publication:
//!
//! * The first duplicate of a packet continues to the sender, and the second one makes the agent retransmit
//!   the packet. This count continues after a run of duplicates: after a duplicate that remained the only
//!   one, the next duplicate of another packet counts as the second.
//! * Duplicates cause at most one retransmission of a packet, or two if fewer than two packets follow it. A
//!   later loss of it waits for the timer, and only the timer is limited by `attempts`.
//! * A cached packet that the sender retransmits is left to the sender from then on: its duplicates continue,
//!   except those already expected. A late packet is left to the sender only if it becomes the first in the
//!   cache.
//! * Acknowledgements older than the last, and data that the mobile has, continue.
//! * The timer starts at 1.1 s. Its round-trip estimate gives the last sample a weight of seven eighths, and
//!   a retransmitted packet is timed from its last transmission. Every new acknowledgement restarts the
//!   timer.
//!
//! ns-2 also has the following, which this agent does not: one state for all connections of a pair of hosts,
//! one count of first duplicates for all agents, a ring of packets that is taken for empty when it is full,
//! and no caching while the interface's queue is full.

use super::cache::{Cache, CachedPacket};
use super::{Parameters, Segment};
use crate::agent::{Agent, AgentCounts, Direction, Node, Passage};
use crate::packet::Packet;
use crate::tcp::segment::Flags;
use ackclock_base::{Span, Time};

/// The defaults of ns-2's `srtt_`, `rttvar_` and `g_`. In the mean, `g_` is the weight of the past, unlike in
/// TCP; in the deviation it is that of the new sample, as in TCP.
const FIRST_SRTT_S: f64 = 0.1;
const FIRST_RTTVAR_S: f64 = 0.25;
const GAIN: f64 = 0.125;

/// The number of duplicates that continue before the agent acts (ns-2's `RTX_THRESH`).
const PASSING_DUPLICATES: i64 = 1;
/// After one duplicate more than expected, further ones cause a retransmission only while the packet has been
/// retransmitted less often than this.
const ATTEMPTS_OF_DUPLICATES: u32 = 2;

/// The agent of one connection by the rules of ns-2.
pub(super) struct Snoop {
    parameters: Parameters,
    /// The number of the flow's connection that the agent follows.
    connection: u8,
    cache: Cache,
    /// One past the highest data number that has arrived from the sender.
    seen: u64,
    /// The number of the last new acknowledgement.
    acked: u64,
    /// The number of duplicates still expected from packets sent before the retransmission; negative if more
    /// came than were expected.
    expected: i64,
    /// Whether the first cached packet is left out when expected duplicates are counted, because the agent
    /// has retransmitted it.
    first_left_out: bool,
    /// The number of unexpected duplicates that have continued without a second one: 0 or 1. A new
    /// acknowledgement does not reset it.
    passed: i64,
    due: Time,
    srtt_s: f64,
    rttvar_s: f64,
    counts: AgentCounts,
}

impl Snoop {
    /// Creates an agent that has seen no packet.
    pub(super) fn new(parameters: Parameters) -> Self {
        Self {
            cache: Cache::of(parameters.cache as usize),
            parameters,
            connection: 0,
            seen: 0,
            acked: 0,
            expected: 0,
            first_left_out: false,
            passed: 0,
            due: Time::NEVER,
            srtt_s: FIRST_SRTT_S,
            rttvar_s: FIRST_RTTVAR_S,
            counts: AgentCounts::default(),
        }
    }

    fn on_data(&mut self, now: Time, number: u64, packet: &Packet) {
        if !self.cache.is_full() {
            let restarts = number >= self.acked && self.keep(now, number, packet);
            if self.cache.len() > 0 && (restarts || self.due == Time::NEVER) {
                self.due = now + self.timeout();
            }
        }
        self.seen = self.seen.max(number + 1);
    }

    /// Caches a packet, or leaves it to the sender if it is cached already. Returns whether the packet is a
    /// retransmission of the sender: it is cached already, or its number is lower than the highest seen. If
    /// so, the caller restarts the timer.
    fn keep(&mut self, now: Time, number: u64, packet: &Packet) -> bool {
        if let Some(cached) = self.cache.get_mut(number) {
            (cached.attempts, cached.by_sender, cached.tried) = (0, true, now);
            return true;
        }
        let late = number + 1 < self.seen;
        let is_first = self.cache.first().is_none_or(|first| number < first.number);
        self.cache.keep(CachedPacket::new(number, *packet, now, late && is_first));
        self.first_left_out &= !late;
        late
    }

    fn on_ack(&mut self, now: Time, number: u64, node: &mut dyn Node) -> Passage {
        if number == self.acked {
            return self.on_duplicate(now, node);
        }
        if number > self.acked {
            (self.acked, self.expected, self.first_left_out) = (number, 0, false);
            let last = self.cache.forget_below(number);
            // The timer uses the estimate before this sample.
            self.due = if self.cache.len() > 0 { now + self.timeout() } else { Time::NEVER };
            if let Some(last) = last {
                self.take_sample(now.since(last.tried).seconds());
            }
        }
        Passage::Passes
    }

    fn on_duplicate(&mut self, now: Time, node: &mut dyn Node) -> Passage {
        let Some(&first) = self.cache.first().filter(|first| first.number == self.acked) else {
            return Passage::Passes;
        };
        match self.expected {
            1.. => {
                self.expected -= 1;
                Passage::Ends
            }
            0 => self.on_unexpected(now, &first, node),
            -1 if first.attempts < ATTEMPTS_OF_DUPLICATES => self.send_first(now, node),
            _ => Passage::Passes,
        }
    }

    /// Decides whether a duplicate continues that asks for the `first` cached packet while none is expected.
    /// The first such duplicate continues. The second makes the agent retransmit the packet and is removed,
    /// unless the packet is left to the sender or has been retransmitted.
    fn on_unexpected(&mut self, now: Time, first: &CachedPacket, node: &mut dyn Node) -> Passage {
        if self.passed < PASSING_DUPLICATES {
            self.passed += 1;
            return Passage::Passes;
        }
        self.passed = 0;
        if first.by_sender {
            return Passage::Passes;
        }
        let counted = self.cache.len() as i64 - i64::from(self.first_left_out);
        (self.expected, self.first_left_out) = (counted - (PASSING_DUPLICATES + 1), true);
        match first.attempts {
            0 => self.send_first(now, node),
            _ => Passage::Passes,
        }
    }

    /// Retransmits the first packet and restarts the timer, unless no attempt is left. Returns what happens
    /// to the duplicate that asked for it: it is removed if the packet is retransmitted, otherwise it
    /// continues.
    fn send_first(&mut self, now: Time, node: &mut dyn Node) -> Passage {
        let attempts = self.parameters.attempts as u32;
        let Some(first) = self.cache.first_mut().filter(|first| first.attempts < attempts) else {
            return Passage::Passes;
        };
        (first.attempts, first.tried) = (first.attempts + 1, now);
        node.send(Direction::Forward, first.packet);
        self.counts.sent += 1;
        self.due = now + self.timeout();
        Passage::Ends
    }

    fn timeout(&self) -> Span {
        Span::from_seconds(self.srtt_s + 4.0 * self.rttvar_s).max(self.parameters.min_timeout)
    }

    fn take_sample(&mut self, rtt_s: f64) {
        self.srtt_s = GAIN * self.srtt_s + (1.0 - GAIN) * rtt_s;
        let off = (rtt_s - self.srtt_s).abs();
        self.rttvar_s = GAIN * off + (1.0 - GAIN) * self.rttvar_s;
    }

    /// Begins to follow another connection. Of the state of the one before, only the round-trip estimate, the
    /// counts and `passed` remain.
    fn begin(&mut self, connection: u8) {
        let Self { counts, srtt_s, rttvar_s, passed, .. } = *self;
        *self = Self { connection, counts, srtt_s, rttvar_s, passed, ..Self::new(self.parameters) };
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
        let Segment { number, flags, .. } = Segment::head(packet);
        if flags.has(Flags::SYN) {
            return Passage::Passes;
        }
        if packet.connection != self.connection {
            if direction == Direction::Backward {
                return Passage::Passes;
            }
            self.begin(packet.connection);
        }
        let passage = match direction {
            Direction::Forward => {
                self.on_data(now, number, packet);
                Passage::Passes
            }
            Direction::Backward => self.on_ack(now, number, node),
        };
        self.counts.ended += u64::from(passage == Passage::Ends);
        passage
    }

    fn timer(&self) -> Time {
        self.due
    }

    fn on_timer(&mut self, now: Time, node: &mut dyn Node) {
        if self.due > now {
            return;
        }
        self.due = Time::NEVER;
        let is_wanted = self.cache.first().is_some_and(|first| first.number == self.acked);
        if is_wanted && self.send_first(now, node) == Passage::Ends {
            self.first_left_out = true;
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
