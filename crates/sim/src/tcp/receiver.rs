//! The receiving side: cumulative acknowledgement, up to three blocks of what came out of order (RFC 2018), the first of
//! which may tell of a packet that came twice (RFC 2883), delayed acknowledgements (RFC 1122, RFC 5681 section 4.2),
//! timestamps (RFC 7323), the echo of marks (RFC 3168) and their number (RFC 9768).

use super::segment::{Block, Flags, MAX_SACK_BLOCKS, Segment as Packet};
use ackclock_base::{Span, Time};
use std::collections::VecDeque;

/// How a receiver acknowledges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiverOptions {
    /// Size of an acknowledgement on the wire.
    pub ack_bytes: u32,
    /// Whether blocks of what came out of order are sent.
    pub sack: bool,
    /// Whether the first of them tells of a packet that came twice.
    pub dsack: bool,
    /// How long an acknowledgement may be held back for a second packet; `None` to acknowledge each at once.
    pub delayed_ack: Option<Span>,
    /// Which timestamp is echoed.
    pub echo: Echo,
}

/// Which timestamp an acknowledgement echoes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Echo {
    /// That of the packet that last moved the left edge, the first of those that a delayed acknowledgement covers
    /// (RFC 7323 section 4.3).
    LeftEdge,
    /// That of the packet that caused it (ns-2): duplicates tell round trips, too.
    Arriving,
}

/// A receiver.
#[derive(Clone, Debug)]
pub struct Receiver {
    options: ReceiverOptions,
    next: u64,
    /// What came out of order: ranges above `next`, ascending, not touching.
    ranges: VecDeque<(u64, u64)>,
    /// The starts of the ranges that grew last, the most recent first.
    recent: [Option<u64>; MAX_SACK_BLOCKS],
    echo: Time,
    one_way_delay: Span,
    mark_to_echo: bool,
    marks: u16,
    held: Option<Time>,
    duplicates: u64,
    /// The packet that came twice and has not been told of.
    duplicate: Option<u64>,
}

impl Receiver {
    /// Nothing received.
    pub fn new(options: ReceiverOptions) -> Self {
        Self {
            options,
            next: 0,
            ranges: VecDeque::new(),
            recent: [None; MAX_SACK_BLOCKS],
            echo: Time::ZERO,
            one_way_delay: Span::ZERO,
            mark_to_echo: false,
            marks: 0,
            held: None,
            duplicates: 0,
            duplicate: None,
        }
    }

    /// Packets received in order, each once: what the application has.
    pub fn delivered(&self) -> u64 {
        self.next
    }

    /// Packets that had been received before.
    pub fn duplicates(&self) -> u64 {
        self.duplicates
    }

    /// When a held-back acknowledgement is due.
    pub fn timer(&self) -> Time {
        self.held.unwrap_or(Time::NEVER)
    }

    /// Takes in a packet; returns the acknowledgement that it causes at once, if any.
    pub fn on_data(&mut self, now: Time, packet: &Packet) -> Option<Packet> {
        if packet.flags.has(Flags::SYN) {
            return Some(Packet { stamp: packet.stamp, flags: Flags::SYN, ..self.acknowledge() });
        }
        if packet.flags.has(Flags::WINDOW_REDUCED) {
            self.mark_to_echo = false;
        }
        let marked = packet.flags.has(Flags::CONGESTION_EXPERIENCED);
        self.mark_to_echo |= marked;
        self.marks = self.marks.wrapping_add(u16::from(marked));
        self.one_way_delay = now.since(packet.stamp);
        let in_order = packet.number == self.next;
        if self.options.echo == Echo::Arriving || (in_order && self.held.is_none()) {
            self.echo = packet.stamp;
        }
        self.next += u64::from(in_order);
        let disturbed = !in_order || !self.ranges.is_empty();
        if in_order {
            self.absorb();
        } else if packet.number > self.next {
            self.store(packet.number);
        } else {
            self.note_duplicate(packet.number);
        }
        match self.options.delayed_ack {
            // Out of order, or filling a hole: at once (RFC 5681 section 4.2).
            Some(delay) if !disturbed && self.held.is_none() => {
                self.held = Some(now + delay);
                None
            }
            _ => Some(self.acknowledge()),
        }
    }

    /// A held-back acknowledgement has waited long enough.
    pub fn on_timer(&mut self) -> Packet {
        self.acknowledge()
    }

    fn acknowledge(&mut self) -> Packet {
        self.held = None;
        let sack = match (self.options.sack, self.duplicate.take()) {
            (true, Some(number)) => self.blocks_after(number),
            (true, None) => self.blocks(),
            (false, _) => Default::default(),
        };
        let flags = if self.mark_to_echo { Flags::CONGESTION_ECHO } else { Flags::default() };
        Packet {
            number: self.next,
            stamp: self.echo,
            one_way_delay: self.one_way_delay,
            bytes: self.options.ack_bytes,
            marks: self.marks,
            flags,
            sack,
        }
    }

    /// Ranges that have become part of what is in order.
    fn absorb(&mut self) {
        while let Some((start, end)) = self.ranges.front().copied() {
            if start > self.next {
                break;
            }
            self.next = self.next.max(end);
            self.ranges.pop_front();
        }
    }

    fn store(&mut self, number: u64) {
        let after = self.ranges.partition_point(|range| range.0 <= number);
        if after > 0 && number < self.ranges[after - 1].1 {
            self.note_duplicate(number);
            self.note_recent(self.ranges[after - 1].0);
            return;
        }
        let joins_left = after > 0 && self.ranges[after - 1].1 == number;
        let joins_right = after < self.ranges.len() && self.ranges[after].0 == number + 1;
        match (joins_left, joins_right) {
            (true, true) => {
                self.ranges[after - 1].1 = self.ranges[after].1;
                self.ranges.remove(after);
            }
            (true, false) => self.ranges[after - 1].1 = number + 1,
            (false, true) => self.ranges[after].0 = number,
            (false, false) => self.ranges.insert(after, (number, number + 1)),
        }
        let index = if joins_left { after - 1 } else { after };
        self.note_recent(self.ranges[index].0);
    }

    fn note_duplicate(&mut self, number: u64) {
        self.duplicates += 1;
        self.duplicate = self.options.dsack.then_some(number);
    }

    fn note_recent(&mut self, start: u64) {
        let known = self.recent.iter().position(|recent| *recent == Some(start));
        let shifted = known.unwrap_or(MAX_SACK_BLOCKS - 1);
        self.recent[..=shifted].rotate_right(1);
        self.recent[0] = Some(start);
    }

    /// RFC 2883 section 4: the packet that came twice, then the others; of those the first holds it, if it is above the
    /// cumulative acknowledgement.
    fn blocks_after(&self, number: u64) -> [Block; MAX_SACK_BLOCKS] {
        let mut blocks = self.blocks();
        blocks.rotate_right(1);
        blocks[0] = Block::duplicate(number, self.next);
        blocks
    }

    /// RFC 2018 section 4: the range of the packet just received first, then the most recent others.
    fn blocks(&self) -> [Block; MAX_SACK_BLOCKS] {
        let mut blocks = [Block::default(); MAX_SACK_BLOCKS];
        if self.ranges.is_empty() {
            return blocks;
        }
        let mut filled = 0;
        for start in self.recent.iter().flatten() {
            // A start that no longer begins a range has been merged into one that is listed, or into the past.
            let index = self.ranges.partition_point(|range| range.0 < *start);
            if let Some((from, to)) = self.ranges.get(index).copied()
                && from == *start
            {
                let offset = |number: u64| u32::try_from(number - self.next).unwrap_or(u32::MAX);
                blocks[filled] = Block { start: offset(from), end: offset(to) };
                filled += 1;
            }
        }
        blocks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn receiver(delayed_ack: Option<Span>) -> Receiver {
        Receiver::new(ReceiverOptions {
            ack_bytes: 40,
            sack: true,
            dsack: true,
            delayed_ack,
            echo: Echo::LeftEdge,
        })
    }

    fn data(number: u64) -> Packet {
        Packet { number, bytes: 1000, stamp: Time::from_nanos(number), ..Packet::default() }
    }

    fn blocks(ack: &Packet) -> Vec<(u64, u64)> {
        let absolute =
            |block: &Block| (ack.number + u64::from(block.start), ack.number + u64::from(block.end));
        ack.sack.iter().filter(|block| block.start < block.end).map(absolute).collect()
    }

    fn receive(receiver: &mut Receiver, number: u64) -> Packet {
        receiver.on_data(Time::ZERO, &data(number)).expect("an acknowledgement at once")
    }

    #[test]
    fn the_most_recent_block_comes_first() {
        let mut receiver = receiver(None);
        assert_eq!(receive(&mut receiver, 0).number, 1);
        assert_eq!(blocks(&receive(&mut receiver, 2)), [(2, 3)]);
        assert_eq!(blocks(&receive(&mut receiver, 5)), [(5, 6), (2, 3)]);
        assert_eq!(blocks(&receive(&mut receiver, 3)), [(2, 4), (5, 6)]);
        assert_eq!(blocks(&receive(&mut receiver, 8)), [(8, 9), (2, 4), (5, 6)]);
        assert_eq!(blocks(&receive(&mut receiver, 11)), [(11, 12), (8, 9), (2, 4)]);
        // 4 joins 2..4 and 5..6.
        assert_eq!(blocks(&receive(&mut receiver, 4))[0], (2, 6));
    }

    #[test]
    fn the_first_block_tells_of_a_packet_that_came_twice() {
        // RFC 2883 section 4: below the cumulative acknowledgement, and above it with the block that holds it.
        let mut receiver = receiver(None);
        for number in [0, 1, 2, 4, 5, 8] {
            let ack = receive(&mut receiver, number);
            assert_eq!(ack.duplicate(), None, "{ack:?}");
        }
        let below = receive(&mut receiver, 1);
        assert_eq!((below.duplicate(), blocks(&below)), (Some(1..2), vec![(8, 9), (4, 6)]));
        let above = receive(&mut receiver, 5);
        assert_eq!((above.duplicate(), blocks(&above)), (Some(5..6), vec![(5, 6), (4, 6), (8, 9)]));
        assert_eq!(receive(&mut receiver, 9).duplicate(), None, "once");
    }

    #[test]
    fn filling_the_hole_acknowledges_what_was_stored() {
        let mut receiver = receiver(None);
        for number in [1, 2, 4] {
            receive(&mut receiver, number);
        }
        let ack = receive(&mut receiver, 0);
        assert_eq!((ack.number, blocks(&ack)), (3, vec![(4, 5)]));
        assert_eq!(receive(&mut receiver, 3).number, 5);
        assert_eq!(receiver.delivered(), 5);
    }

    #[test]
    fn every_second_packet_is_acknowledged_when_acknowledgements_are_delayed() {
        let mut receiver = receiver(Some(Span::from_millis(200)));
        assert_eq!(receiver.on_data(Time::ZERO, &data(0)), None);
        assert_eq!(receiver.timer(), Time::from_seconds(0.2));
        let ack = receiver.on_data(Time::ZERO, &data(1)).unwrap();
        assert_eq!((ack.number, ack.stamp, receiver.timer()), (2, Time::from_nanos(0), Time::NEVER));
        assert_eq!(receiver.on_data(Time::ZERO, &data(2)), None);
        assert_eq!(receiver.on_timer().number, 3);
        assert_eq!(receive(&mut receiver, 4).number, 3, "out of order: at once");
        assert_eq!(receive(&mut receiver, 3).number, 5, "fills a hole: at once");
    }

    #[test]
    fn each_acknowledgement_tells_how_many_packets_were_marked() {
        let mut receiver = receiver(Some(Span::from_millis(200)));
        let mut marks = Vec::new();
        for number in 0..6 {
            let flags = if number == 2 { Flags::default() } else { Flags::CONGESTION_EXPERIENCED };
            let ack = receiver.on_data(Time::ZERO, &Packet { flags, ..data(number) });
            marks.extend(ack.map(|ack| ack.marks));
        }
        assert_eq!(marks, [2, 3, 5]);
    }

    #[test]
    fn marks_are_echoed_until_the_sender_says_it_has_slowed_down() {
        let mut receiver = receiver(None);
        let mut marked = data(0);
        marked.flags = Flags::CONGESTION_EXPERIENCED;
        assert!(receiver.on_data(Time::ZERO, &marked).unwrap().flags.has(Flags::CONGESTION_ECHO));
        assert!(receive(&mut receiver, 1).flags.has(Flags::CONGESTION_ECHO));
        let mut reduced = data(2);
        reduced.flags = Flags::WINDOW_REDUCED;
        assert!(!receiver.on_data(Time::ZERO, &reduced).unwrap().flags.has(Flags::CONGESTION_ECHO));
    }
}
