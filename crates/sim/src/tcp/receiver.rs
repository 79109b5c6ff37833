//! The receiving side: cumulative acknowledgement, up to three blocks of what came out of order (RFC 2018), the first of
//! which may tell of a packet that came twice (RFC 2883), delayed acknowledgements (RFC 1122, RFC 5681 section 4.2),
//! timestamps (RFC 7323), the echo of marks (RFC 3168) and their number (RFC 9768).

use super::autotuning::{Autotuning, WindowBounds};
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
    /// How many packets at the start, and after one that comes twice, are acknowledged at once all the same.
    pub quick_acks: u32,
    /// Which timestamp is echoed.
    pub echo: Echo,
    /// Between what its window is tuned; `None` where what the sender may have in flight is agreed.
    pub window: Option<WindowBounds>,
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

/// No range.
const NONE: (u64, u64) = (0, 0);

/// A receiver.
#[derive(Clone, Debug)]
pub struct Receiver {
    options: ReceiverOptions,
    next: u64,
    /// What came out of order: ranges above `next`, ascending, not touching.
    ranges: VecDeque<(u64, u64)>,
    /// The ranges that grew last, the most recent first; at or below `next` where there is none, or none any more.
    recent: [(u64, u64); MAX_SACK_BLOCKS],
    echo: Time,
    one_way_delay: Span,
    mark_to_echo: bool,
    marks: u16,
    /// So many acknowledgements more are not held back: Linux's quick-ACK mode.
    quick: u32,
    tuning: Option<Box<Autotuning>>,
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
            recent: [NONE; MAX_SACK_BLOCKS],
            echo: Time::ZERO,
            one_way_delay: Span::ZERO,
            mark_to_echo: false,
            marks: 0,
            quick: options.quick_acks,
            tuning: options.window.map(|bounds| Box::new(Autotuning::new(bounds))),
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

    /// Takes in a packet with data, and says whether it is to be [acknowledged](Self::acknowledge) at once.
    #[inline]
    pub fn take(&mut self, now: Time, packet: &Packet) -> bool {
        if packet.flags.has_any(Flags::WINDOW_REDUCED.with(Flags::CONGESTION_EXPERIENCED)) {
            self.note_marks(packet.flags);
        }
        self.one_way_delay = now.since(packet.stamp);
        let in_order = packet.number == self.next;
        if self.options.echo == Echo::Arriving || (in_order && self.held.is_none()) {
            self.echo = packet.stamp;
        }
        self.next += u64::from(in_order);
        let disturbed = !in_order || !self.ranges.is_empty();
        if disturbed {
            self.take_in(packet.number, in_order);
        }
        if self.tuning.is_some() {
            self.tune(now, packet.count);
        }
        match self.options.delayed_ack {
            // Out of order, or filling a hole: at once (RFC 5681 section 4.2).
            Some(delay) if !disturbed && self.held.is_none() && self.quick == 0 => {
                self.held = Some(now + delay);
                false
            }
            _ => true,
        }
    }

    #[inline(never)]
    fn tune(&mut self, now: Time, seen: u16) {
        if let Some(tuning) = &mut self.tuning {
            tuning.on_data(now, seen, self.next);
        }
    }

    fn note_marks(&mut self, flags: Flags) {
        let marked = flags.has(Flags::CONGESTION_EXPERIENCED);
        self.mark_to_echo = marked || self.mark_to_echo && !flags.has(Flags::WINDOW_REDUCED);
        self.marks = self.marks.wrapping_add(u16::from(marked));
    }

    /// A packet that begins the connection; returns the answer.
    #[cold]
    pub fn on_syn(&mut self, now: Time, packet: &Packet) -> Packet {
        let quick = self.quick;
        let answer = Packet { stamp: packet.stamp, flags: Flags::SYN, ..self.acknowledge(now) };
        self.quick = quick;
        answer
    }

    /// The acknowledgement of what has been received; none is held back then.
    #[inline(always)]
    pub fn acknowledge(&mut self, now: Time) -> Packet {
        self.held = None;
        self.quick = self.quick.saturating_sub(1);
        let flags = if self.mark_to_echo { Flags::CONGESTION_ECHO } else { Flags::default() };
        let mut ack = Packet {
            number: self.next,
            stamp: self.echo,
            one_way_delay: self.one_way_delay,
            bytes: self.options.ack_bytes,
            count: self.marks,
            window: self.advertise(now),
            flags,
            sack: Default::default(),
        };
        if self.options.sack && (!self.ranges.is_empty() || self.duplicate.is_some()) {
            ack.sack = self.blocks();
        }
        ack
    }

    #[inline]
    fn advertise(&mut self, now: Time) -> u32 {
        self.tuning.as_mut().map_or(0, |tuning| {
            tuning.on_ack_sent(now, self.next);
            u32::try_from(tuning.window()).unwrap_or(u32::MAX)
        })
    }

    /// Takes in the number of a packet where not all was or is in order.
    fn take_in(&mut self, number: u64, in_order: bool) {
        if in_order {
            self.absorb();
        } else if number > self.next {
            self.store(number);
        } else {
            self.note_duplicate(number);
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
        // Most packets come after all that have come before.
        let is_last = self.ranges.back().is_none_or(|last| last.0 <= number);
        let after =
            if is_last { self.ranges.len() } else { self.ranges.partition_point(|range| range.0 <= number) };
        if after > 0 && number < self.ranges[after - 1].1 {
            self.note_duplicate(number);
            self.note_recent(self.ranges[after - 1]);
            return;
        }
        let joins_left = after > 0 && self.ranges[after - 1].1 == number;
        let joins_right = after < self.ranges.len() && self.ranges[after].0 == number + 1;
        match (joins_left, joins_right) {
            (true, true) => {
                self.ranges[after - 1].1 = self.ranges[after].1;
                self.ranges.remove(after);
                self.forget_recent(number + 1);
            }
            (true, false) => self.ranges[after - 1].1 = number + 1,
            (false, true) => {
                self.ranges[after].0 = number;
                self.forget_recent(number + 1);
            }
            (false, false) => self.ranges.insert(after, (number, number + 1)),
        }
        let index = if joins_left { after - 1 } else { after };
        self.note_recent(self.ranges[index]);
    }

    fn note_duplicate(&mut self, number: u64) {
        self.duplicates += 1;
        self.quick = self.options.quick_acks; // Linux net/ipv4/tcp_input.c, tcp_send_dupack
        self.duplicate = self.options.dsack.then_some(number);
    }

    fn note_recent(&mut self, range: (u64, u64)) {
        let [first, second, third] = self.recent;
        self.recent = match range.0 {
            start if start == first.0 => [range, second, third],
            start if start == second.0 => [range, first, third],
            _ => [range, first, second],
        };
    }

    /// The range that began at this number has become part of another one.
    fn forget_recent(&mut self, start: u64) {
        for recent in &mut self.recent {
            *recent = if recent.0 == start { NONE } else { *recent };
        }
    }

    /// RFC 2883 section 4: a packet that came twice, then the others; of those the first holds it, if it is above the
    /// cumulative acknowledgement. RFC 2018 section 4: the range of the packet just received first, then the most recent
    /// others.
    fn blocks(&mut self) -> [Block; MAX_SACK_BLOCKS] {
        let mut blocks = [Block::default(); MAX_SACK_BLOCKS];
        let duplicate = self.duplicate.take().map(|number| Block::duplicate(number, self.next));
        let offset = |number: u64| u32::try_from(number - self.next).unwrap_or(u32::MAX);
        let ranges = self.recent.iter().filter(|range| range.0 > self.next);
        let ranges = ranges.map(|(start, end)| Block { start: offset(*start), end: offset(*end) });
        blocks.iter_mut().zip(duplicate.into_iter().chain(ranges)).for_each(|(place, block)| *place = block);
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
            quick_acks: 0,
            echo: Echo::LeftEdge,
            window: None,
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

    fn on_data(receiver: &mut Receiver, packet: &Packet) -> Option<Packet> {
        receiver.take(Time::ZERO, packet).then(|| receiver.acknowledge(Time::ZERO))
    }

    fn receive(receiver: &mut Receiver, number: u64) -> Packet {
        on_data(receiver, &data(number)).expect("an acknowledgement at once")
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
        assert_eq!(on_data(&mut receiver, &data(0)), None);
        assert_eq!(receiver.timer(), Time::from_seconds(0.2));
        let ack = on_data(&mut receiver, &data(1)).unwrap();
        assert_eq!((ack.number, ack.stamp, receiver.timer()), (2, Time::from_nanos(0), Time::NEVER));
        assert_eq!(on_data(&mut receiver, &data(2)), None);
        assert_eq!(receiver.acknowledge(Time::ZERO).number, 3);
        assert_eq!(receive(&mut receiver, 4).number, 3, "out of order: at once");
        assert_eq!(receive(&mut receiver, 3).number, 5, "fills a hole: at once");
    }

    #[test]
    fn quick_acknowledgements_wait_for_nothing_at_the_start_and_after_a_duplicate() {
        let options = ReceiverOptions { quick_acks: 3, ..receiver(Some(Span::from_millis(40))).options };
        let mut receiver = Receiver::new(options);
        let mut answered = |numbers: std::ops::Range<u64>| -> Vec<bool> {
            numbers.map(|number| on_data(&mut receiver, &data(number)).is_some()).collect()
        };
        assert_eq!(answered(0..7), [true, true, true, false, true, false, true]);
        // The fifth comes again: it is answered at once, and so are two more.
        assert_eq!(answered(4..5), [true]);
        assert_eq!(answered(7..12), [true, true, false, true, false]);
    }

    #[test]
    fn a_tuned_window_is_advertised() {
        let bounds = WindowBounds { initial: 45, most: 2172 };
        let mut receiver = Receiver::new(ReceiverOptions { window: Some(bounds), ..receiver(None).options });
        assert_eq!(receive(&mut receiver, 0).window, 45);
    }

    #[test]
    fn each_acknowledgement_tells_how_many_packets_were_marked() {
        let mut receiver = receiver(Some(Span::from_millis(200)));
        let mut marks = Vec::new();
        for number in 0..6 {
            let flags = if number == 2 { Flags::default() } else { Flags::CONGESTION_EXPERIENCED };
            let ack = on_data(&mut receiver, &Packet { flags, ..data(number) });
            marks.extend(ack.map(|ack| ack.count));
        }
        assert_eq!(marks, [2, 3, 5]);
    }

    #[test]
    fn marks_are_echoed_until_the_sender_says_it_has_slowed_down() {
        let mut receiver = receiver(None);
        let mut marked = data(0);
        marked.flags = Flags::CONGESTION_EXPERIENCED;
        assert!(on_data(&mut receiver, &marked).unwrap().flags.has(Flags::CONGESTION_ECHO));
        assert!(receive(&mut receiver, 1).flags.has(Flags::CONGESTION_ECHO));
        let mut reduced = data(2);
        reduced.flags = Flags::WINDOW_REDUCED;
        assert!(!on_data(&mut receiver, &reduced).unwrap().flags.has(Flags::CONGESTION_ECHO));
    }
}
