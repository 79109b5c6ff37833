//! The receiving side: cumulative acknowledgement, up to three blocks of what came out of order (RFC 2018), the first of
//! which may tell of a packet that came twice (RFC 2883), delayed acknowledgements (RFC 1122, RFC 5681 section 4.2),
//! timestamps (RFC 7323), the echo of marks (RFC 3168) and their number (RFC 9768).

use super::accurate_ecn::{Counting, answer_to_syn, field_of};
use super::autotuning::{Autotuning, WindowBounds};
use super::segment::{Block, Flags, MAX_SACK_BLOCKS, Segment as Packet};
use ackclock_base::{Span, Time};
use std::collections::VecDeque;

#[cfg(test)]
mod tests;

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
    /// Whether the connection has ECN. A receiver of a connection without takes no notice of marks (RFC 3168 section 6.1.1).
    pub ecn: bool,
    /// Whether it counts marks as RFC 9768 has it, in packets of so many payload bytes, where the sender asks for that.
    pub accurate_ecn: Option<u32>,
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
    /// `None` for most, which pay nothing for it.
    beyond: Option<Box<Beyond>>,
    held: Option<Time>,
    duplicates: u64,
    /// The packet that came twice and has not been told of.
    duplicate: Option<u64>,
}

/// What few receivers do.
#[derive(Clone, Debug)]
struct Beyond {
    /// So many acknowledgements more are not held back: Linux's quick-ACK mode.
    quick: u32,
    tuning: Option<Autotuning>,
    counting: Option<Counting>,
}

impl Beyond {
    fn of(options: &ReceiverOptions) -> Option<Self> {
        let &ReceiverOptions { quick_acks: quick, window, accurate_ecn, .. } = options;
        let is_any = quick > 0 || window.is_some() || accurate_ecn.is_some();
        is_any.then(|| Self {
            quick,
            tuning: window.map(Autotuning::new),
            counting: accurate_ecn.map(Counting::new),
        })
    }
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
            beyond: Beyond::of(&options).map(Box::new),
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
    #[inline(always)] // for each packet; a call was 20 instructions
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
        //= RFC 5681 section 4.2 out-of-order: a segment out of order is acknowledged at once
        //= RFC 5681 section 4.2 gap: a segment that fills a gap is acknowledged at once
        let disturbed = !in_order || !self.ranges.is_empty();
        if disturbed {
            self.take_in(packet.number, in_order);
        }
        let hurries = self.beyond.is_some() && self.look_beyond(now, packet.count, packet.flags);
        match self.options.delayed_ack {
            // Out of order, or filling a hole: at once (RFC 5681 section 4.2).
            //= RFC 5681 section 4.2 second: every second segment is acknowledged at least
            Some(delay) if !disturbed && self.held.is_none() && !hurries => {
                self.held = Some(now + delay);
                false
            }
            _ => true,
        }
    }

    /// What the receiver has beyond the usual makes of a packet; says whether its acknowledgement is not held back.
    #[inline(never)]
    fn look_beyond(&mut self, now: Time, seen: u16, flags: Flags) -> bool {
        let Some(beyond) = &mut self.beyond else { return false };
        if let Some(tuning) = &mut beyond.tuning {
            tuning.on_data(now, seen, self.next);
        }
        let begins_marks = beyond.counting.as_mut().is_some_and(|counting| counting.on_data(flags));
        beyond.quick > 0 || begins_marks
    }

    fn note_marks(&mut self, flags: Flags) {
        let marked = self.options.ecn && flags.has(Flags::CONGESTION_EXPERIENCED);
        self.mark_to_echo = marked || self.mark_to_echo && !flags.has(Flags::WINDOW_REDUCED);
        self.marks = self.marks.wrapping_add(u16::from(marked));
    }

    /// A packet that begins the connection; returns the answer.
    #[cold]
    pub fn on_syn(&mut self, now: Time, packet: &Packet) -> Packet {
        let mut agrees = Flags::default();
        if let Some(beyond) = &mut self.beyond {
            beyond.counting = beyond.counting.filter(|_| packet.flags.has(Flags::COUNTS_MARKS));
            agrees = beyond.counting.map_or(agrees, |_| answer_to_syn(packet.flags));
            // The answer is not one of the acknowledgements that are counted.
            beyond.quick += u32::from(beyond.quick > 0);
        }
        let answer = self.acknowledge(now).without_counters();
        Packet { stamp: packet.stamp, flags: Flags::SYN.with(agrees), ..answer }
    }

    /// The acknowledgement of what has been received; none is held back then.
    #[inline(always)]
    pub fn acknowledge(&mut self, now: Time) -> Packet {
        if self.beyond.is_some() { self.acknowledge_beyond(now) } else { self.acknowledge_as_usual() }
    }

    #[inline(always)]
    fn acknowledge_as_usual(&mut self) -> Packet {
        self.held = None;
        let flags = if self.mark_to_echo { Flags::CONGESTION_ECHO } else { Flags::default() };
        let mut ack = Packet {
            number: self.next,
            stamp: self.echo,
            one_way_delay: self.one_way_delay,
            bytes: self.options.ack_bytes,
            count: self.marks,
            window: 0,
            flags,
            sack: Default::default(),
        };
        if self.options.sack && (!self.ranges.is_empty() || self.duplicate.is_some()) {
            ack.sack = self.blocks();
        }
        ack
    }

    /// The same with what the receiver has beyond the usual.
    #[inline(never)]
    fn acknowledge_beyond(&mut self, now: Time) -> Packet {
        let mut ack = self.acknowledge_as_usual();
        let Some(beyond) = &mut self.beyond else { return ack };
        beyond.quick = beyond.quick.saturating_sub(1);
        if let Some(tuning) = &mut beyond.tuning {
            tuning.on_ack_sent(now, self.next);
            ack.window = u32::try_from(tuning.window()).unwrap_or(u32::MAX >> 1);
        }
        if let Some(counting) = &beyond.counting {
            ack.flags = Flags::of_three(field_of(self.marks));
            ack = ack.counting(counting.bytes());
        }
        ack
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
        if let Some(beyond) = &mut self.beyond {
            beyond.quick = self.options.quick_acks; // Linux net/ipv4/tcp_input.c, tcp_send_dupack
        }
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
        let offset = |number: u64| {
            debug_assert!(number - self.next <= u64::from(u32::MAX), "a block lies 2^32 packets ahead");
            (number - self.next) as u32
        };
        let ranges = self.recent.iter().filter(|range| range.0 > self.next);
        let ranges = ranges.map(|(start, end)| Block { start: offset(*start), end: offset(*end) });
        blocks.iter_mut().zip(duplicate.into_iter().chain(ranges)).for_each(|(place, block)| *place = block);
        blocks
    }
}
