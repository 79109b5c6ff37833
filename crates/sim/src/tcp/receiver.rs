//! The receiving side: cumulative acknowledgements, up to three blocks of packets received out of order (RFC
//! 2018), the first of which may report a packet that arrived twice (RFC 2883), delayed acknowledgements (RFC
//! 1122, RFC 5681 section 4.2), timestamps (RFC 7323), the echo of marks (RFC 3168) and their number (RFC
//! 9768).

use super::accurate_ecn::{Counting, answer_to_syn, field_of};
use super::autotuning::{Autotuning, WindowBounds};
use super::segment::{Block, Flags, MAX_SACK_BLOCKS, Segment as Packet};
use ackclock_base::{Range, Size, Span, Time, choice, parameters};
use std::collections::VecDeque;

#[cfg(test)]
mod tests;

choice! {
    /// The timestamp that an acknowledgement echoes.
    pub enum TimestampEcho {
        /// The timestamp of the packet that last moved the left edge, the first of those that a delayed
        /// acknowledgement covers (RFC 7323 section 4.3).
        LeftEdge = "left-edge",
        /// The timestamp of the packet that caused the acknowledgement (ns-2), so that duplicates give round-trip
        /// samples too.
        Arriving = "arriving",
    }
}

parameters! {
    /// How a receiver acknowledges.
    pub struct Acknowledging {
        /// Size of an acknowledgement on the wire, whatever options it carries
        ack_size: Size = size("40 B", Range::between(1.0, 1500.0), "IPv4 20 B, TCP 20 B; ns-2"),
        /// The timestamp that an acknowledgement echoes: that of the packet that advanced the cumulative
        /// acknowledgement, or of the first such packet if a delayed acknowledgement covers two (left-edge); or that of
        /// the packet that arrived last (arriving)
        timestamp_echo: TimestampEcho = choice(
            "left-edge",
            "RFC 7323 section 4.3; ns-2 echoes the timestamp of the packet that arrived last",
        ),
        /// Whether an acknowledgement waits for a second packet, for at most `delayed_ack_time`; packets out of order
        /// are always acknowledged at once
        delayed_ack: bool = flag(true, "RFC 5681 section 4.2"),
        /// The longest time for which an acknowledgement waits for a second packet
        delayed_ack_time: Span = time(
            "200 ms",
            Range { min: 0.0, max: 0.5, above_min: true },
            "RFC 1122 section 4.2.3.2 allows 500 ms",
        ),
        /// With delayed_ack, the number of packets that are acknowledged at once at the start of the connection and
        /// after a duplicate packet
        quick_acks: u32 = integer(
            "0",
            Range::between(0.0, 1e6),
            "Linux include/net/tcp.h, TCP_MAX_QUICKACKS; not in RFC 5681",
        ),
        /// With sack or rack, whether the receiver reports duplicate packets (DSACK)
        dsack: bool = flag(false, "RFC 2883"),
    }
}

impl Acknowledging {
    /// Returns the time for which an acknowledgement may be held back for a second packet; `None` if each packet is
    /// acknowledged at once.
    #[inline]
    pub fn delay(&self) -> Option<Span> {
        self.delayed_ack.then_some(self.delayed_ack_time)
    }
}

/// The options of a receiver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReceiverOptions {
    /// How it acknowledges.
    pub rules: Acknowledging,
    /// Whether blocks of packets received out of order are sent.
    pub sack: bool,
    /// The bounds of a tuned window; `None` if the window is fixed.
    pub window: Option<WindowBounds>,
    /// Whether the connection uses ECN. A receiver of a connection without ECN ignores marks (RFC 3168
    /// section 6.1.1).
    pub ecn: bool,
    /// The payload bytes of a packet if the receiver can count marks as in RFC 9768, which it does if the
    /// sender asks for it; otherwise `None`.
    pub accurate_ecn: Option<u32>,
}

/// The empty range.
const NONE: (u64, u64) = (0, 0);

/// The receiver of a connection.
#[derive(Clone, Debug)]
pub struct Receiver {
    options: ReceiverOptions,
    next: u64,
    /// The packets received out of order: ranges above `next`, ascending, not touching.
    ranges: VecDeque<(u64, u64)>,
    /// The ranges in which packets last arrived, the most recent first. An entry that begins at or below
    /// `next` is unused.
    recent: [(u64, u64); MAX_SACK_BLOCKS],
    echo: Time,
    one_way_delay: Span,
    mark_to_echo: bool,
    marks: u16,
    /// The state of rarely used features; `None` for most receivers, which pay nothing for them.
    beyond: Option<Box<Beyond>>,
    held: Option<Time>,
    duplicates: u64,
    /// The last packet that arrived twice, until an acknowledgement has reported it; always `None` without
    /// `dsack`.
    duplicate: Option<u64>,
}

/// The state of rarely used features.
#[derive(Clone, Debug)]
struct Beyond {
    /// The number of acknowledgements still to be sent without delay (Linux's quick-ACK mode).
    quick: u32,
    tuning: Option<Autotuning>,
    counting: Option<Counting>,
}

impl Beyond {
    fn of(options: &ReceiverOptions) -> Option<Self> {
        let &ReceiverOptions { rules: Acknowledging { quick_acks: quick, .. }, window, accurate_ecn, .. } =
            options;
        let is_any = quick > 0 || window.is_some() || accurate_ecn.is_some();
        is_any.then(|| Self {
            quick,
            tuning: window.map(Autotuning::new),
            counting: accurate_ecn.map(Counting::new),
        })
    }
}

impl Receiver {
    /// Creates a receiver that has received nothing.
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

    /// Returns the number of packets received in order, which the application has.
    pub fn delivered(&self) -> u64 {
        self.next
    }

    /// Returns the number of times that a packet arrived that had arrived before.
    pub fn duplicates(&self) -> u64 {
        self.duplicates
    }

    /// Returns the round-trip time that the receiver measured to tune its window; `None` without a tuned window or
    /// before the first sample.
    pub fn rtt(&self) -> Option<Span> {
        self.tuning().map(Autotuning::rtt).filter(|rtt| *rtt > Span::ZERO)
    }

    /// Returns the window that the receiver advertises, in packets; `None` if the window is fixed.
    pub fn window(&self) -> Option<u64> {
        self.tuning().map(Autotuning::window)
    }

    fn tuning(&self) -> Option<&Autotuning> {
        self.beyond.as_ref()?.tuning.as_ref()
    }

    /// Returns when a held-back acknowledgement is due; [`Time::NEVER`] if none is held back.
    pub fn timer(&self) -> Time {
        self.held.unwrap_or(Time::NEVER)
    }

    /// Processes a data packet. Returns whether it is to be [acknowledged](Self::acknowledge) at once.
    #[inline(always)] // for each packet; a call took 20 instructions
    pub fn take(&mut self, now: Time, packet: &Packet) -> bool {
        if packet.flags.has_any(Flags::WINDOW_REDUCED.with(Flags::CONGESTION_EXPERIENCED)) {
            self.note_marks(packet.flags);
        }
        self.one_way_delay = now.since(packet.stamp);
        let in_order = packet.number == self.next;
        if self.options.rules.timestamp_echo == TimestampEcho::Arriving || (in_order && self.held.is_none()) {
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
        match self.options.rules.delay() {
            // Packets out of order, or filling a hole, are acknowledged at once (RFC 5681 section 4.2).
            //= RFC 5681 section 4.2 second: at least every second segment is acknowledged
            Some(delay) if !disturbed && self.held.is_none() && !hurries => {
                self.held = Some(now + delay);
                false
            }
            _ => true,
        }
    }

    /// Processes a packet for the rarely used features. Returns whether its acknowledgement must not be held
    /// back.
    #[inline(never)]
    fn look_beyond(&mut self, now: Time, seen: u16, flags: Flags) -> bool {
        let Some(beyond) = &mut self.beyond else { return false };
        if let Some(tuning) = &mut beyond.tuning
            && tuning.on_data(now, seen, self.next)
            && self.options.rules.quick_acks > 0
        {
            beyond.quick |= 1; // Linux net/ipv4/tcp_input.c, tcp_grow_window
        }
        let begins_marks = beyond.counting.as_mut().is_some_and(|counting| counting.on_data(flags));
        beyond.quick > 0 || begins_marks
    }

    /// Takes all packets below `number` as received, as a receiver does that conceals losses.
    pub(super) fn skip_to(&mut self, number: u64) {
        self.next = self.next.max(number);
        self.absorb();
    }

    fn note_marks(&mut self, flags: Flags) {
        let marked = self.options.ecn && flags.has(Flags::CONGESTION_EXPERIENCED);
        self.mark_to_echo = marked || self.mark_to_echo && !flags.has(Flags::WINDOW_REDUCED);
        self.marks = self.marks.wrapping_add(u16::from(marked));
    }

    /// Called for a SYN. Returns the answer.
    #[cold]
    pub fn on_syn(&mut self, now: Time, packet: &Packet) -> Packet {
        let mut agrees = Flags::default();
        if let Some(beyond) = &mut self.beyond {
            beyond.counting = beyond.counting.filter(|_| packet.flags.has(Flags::COUNTS_MARKS));
            agrees = beyond.counting.map_or(agrees, |_| answer_to_syn(packet.flags));
            // The answer to a SYN does not count as one of the acknowledgements sent without delay.
            beyond.quick += u32::from(beyond.quick > 0);
        }
        let answer = self.acknowledge(now).without_counters();
        Packet { stamp: packet.stamp, flags: Flags::SYN.with(agrees), ..answer }
    }

    /// Returns the acknowledgement of all that has been received. No acknowledgement is held back afterwards.
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
            bytes: self.options.rules.ack_size.bytes() as u32,
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

    /// Returns the acknowledgement for a receiver with rarely used features.
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

    /// Records a packet that is out of order or a duplicate, or one in order (`in_order`) that arrives while
    /// later packets are stored.
    fn take_in(&mut self, number: u64, in_order: bool) {
        if in_order {
            self.absorb();
        } else if number > self.next {
            self.store(number);
        } else {
            self.note_duplicate(number);
        }
    }

    /// Moves `next` past the ranges that are now in order, and removes them.
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
        // Most packets come after all others received.
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
            beyond.quick = self.options.rules.quick_acks; // Linux net/ipv4/tcp_input.c, tcp_send_dupack
        }
        self.duplicate = self.options.rules.dsack.then_some(number);
    }

    fn note_recent(&mut self, range: (u64, u64)) {
        let [first, second, third] = self.recent;
        self.recent = match range.0 {
            start if start == first.0 => [range, second, third],
            start if start == second.0 => [range, first, third],
            _ => [range, first, second],
        };
    }

    /// Forgets the recent range that began at `start`, because it has become part of another one.
    fn forget_recent(&mut self, start: u64) {
        for recent in &mut self.recent {
            *recent = if recent.0 == start { NONE } else { *recent };
        }
    }

    /// Returns the blocks of an acknowledgement. RFC 2883 section 4: first a packet that arrived twice,
    /// followed, if it lies above the cumulative acknowledgement, by the range that contains it. RFC 2018
    /// section 4: the range of the packet just received first, then the other recent ones.
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
