//! TCP segments, and their representation in a packet's header.

use crate::endpoint::{Launch, Outbox};
use crate::packet::{Extension, Packet};
use ackclock_aqm::Ecn;
use ackclock_base::{Span, Time};
use std::ops::Range;

/// A segment: data or an acknowledgement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// For data, the packet's number. For an acknowledgement, the first number not yet received in order.
    pub number: u64,
    /// For data, the time of sending. For an acknowledgement, the echo of a data packet's stamp (RFC 7323).
    pub stamp: Time,
    /// For an acknowledgement, the one-way delay of the packet that caused it.
    pub one_way_delay: Span,
    /// The size on the wire in bytes.
    pub bytes: u32,
    /// For an acknowledgement, the number of packets that have arrived marked (RFC 9768, with a wider
    /// counter). For data to a receiver that tunes or advertises its window, the number of packets that the
    /// sender knows to be acknowledged, which tells the receiver what the echo of its own timestamp would.
    /// Modulo 2^16.
    pub count: u16,
    /// For an acknowledgement, the receive window in packets; zero for the fixed window. The highest bit says
    /// that the last block holds [counters](Self::counters). The bit below says that the window is
    /// [advertised](Self::advertised), even if it is zero.
    pub window: u32,
    /// The flags.
    pub flags: Flags,
    /// For an acknowledgement, the ranges received out of order, the most recent first, as offsets from
    /// `number`. A [duplicate](Self::duplicate) may come before them. Empty ones come last, but
    /// [counters](Self::counters) may take the last place.
    pub sack: [Block; MAX_SACK_BLOCKS],
}

/// The counts of payload bytes received, each modulo 2^24: the content of RFC 9768's option in the 8 bytes
/// for which it has room beside two blocks. A flow uses either ECT(0) or ECT(1), and the option begins with
/// the counter of that field (section 3.2.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByteCounters {
    /// The bytes in marked packets (ECEB).
    pub marked: u32,
    /// The bytes in unmarked packets (EE0B or EE1B), less the initial value of one.
    pub unmarked: u32,
}

impl ByteCounters {
    /// Returns the counters of an acknowledgement with this window and this last block; `None` if it has
    /// none.
    pub(super) fn of(window: u32, last: Block) -> Option<Self> {
        (window & COUNTS != 0).then_some(Self { marked: last.start, unmarked: last.end })
    }
}

/// The largest number of blocks of an acknowledgement that also has counters. Timestamps take 12 of the 40
/// bytes of options, and three blocks would leave no room for counters. Counters come before the third block:
/// RFC 9768 section 3.2.3.3 lets blocks take their room only if fewer than two would fit beside them.
pub const BLOCKS_BESIDE_COUNTERS: usize = 2;

/// The bit of the window that says that the last block holds counters.
const COUNTS: u32 = 1 << 31;

/// The bit of the window that says that the window is the receiver's present room.
const ADVERTISED: u32 = 1 << 30;

/// The number of blocks that fit into the options beside timestamps (RFC 2018 section 3).
pub const MAX_SACK_BLOCKS: usize = 3;

/// A range of packets, as offsets from the cumulative acknowledgement; empty if `start == end`. For a
/// duplicate below the acknowledgement, offsets are counted downwards, and `start` is the larger one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// The offset of the first packet in the range.
    pub start: u32,
    /// The offset of one past the last packet in the range.
    pub end: u32,
}

impl Block {
    /// Returns the block of a single packet that arrived twice, for an acknowledgement of number
    /// `acknowledgement`.
    pub fn duplicate(number: u64, acknowledgement: u64) -> Self {
        let offset = |number: u64| u32::try_from(number.abs_diff(acknowledgement)).unwrap_or(u32::MAX);
        Self { start: offset(number), end: offset(number + 1) }
    }

    /// Returns whether the block is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }
}

/// Returns the blocks of an acknowledgement, including empty ones, or an empty slice if all are empty.
#[inline]
pub(super) fn filled(sack: &[Block; MAX_SACK_BLOCKS]) -> &[Block] {
    if sack[0].is_empty() { &[] } else { sack }
}

const NUMBER_BITS: u32 = 48;
const WAY_BITS: u32 = 56;

impl Segment {
    /// Returns the byte counters of an acknowledgement, if it has them.
    pub fn counters(&self) -> Option<ByteCounters> {
        ByteCounters::of(self.window, self.sack[BLOCKS_BESIDE_COUNTERS])
    }

    /// Adds counters, which replace the last block.
    #[must_use]
    pub fn counting(mut self, counters: ByteCounters) -> Self {
        let ByteCounters { marked: start, unmarked: end } = counters;
        self.sack[BLOCKS_BESIDE_COUNTERS] = Block { start, end };
        self.window |= COUNTS;
        self
    }

    /// Removes counters, so that blocks and the window remain.
    #[must_use]
    pub fn without_counters(mut self) -> Self {
        if self.window & COUNTS != 0 {
            self.sack[BLOCKS_BESIDE_COUNTERS] = Block::default();
            self.window &= !COUNTS;
        }
        self
    }

    /// Removes blocks and counters.
    #[must_use]
    pub(super) fn without_blocks(self) -> Self {
        Self { sack: Default::default(), ..self.without_counters() }
    }

    /// Sets the window, in packets, that a receiver with a slow application advertises.
    #[must_use]
    pub fn advertising(mut self, packets: u64) -> Self {
        let packets = u32::try_from(packets).unwrap_or(u32::MAX).min(ADVERTISED - 1);
        self.window = self.window & COUNTS | ADVERTISED | packets;
        self
    }

    /// Returns the window that an acknowledgement advertises, in packets; `None` if its receiver's
    /// application reads at once.
    pub fn advertised(&self) -> Option<u32> {
        (self.window & ADVERTISED != 0).then_some(self.window & (ADVERTISED - 1))
    }

    /// Returns one past the last packet for which an advertised window has room; the acknowledgement's number
    /// if no window is advertised.
    pub(crate) fn edge(&self) -> u64 {
        self.number + u64::from(self.advertised().unwrap_or(0))
    }

    /// Returns the packets that the first block of an acknowledgement reports as duplicates (RFC 2883 section
    /// 5): they lie below the cumulative acknowledgement, or within the second block. `None` if the first
    /// block reports no duplicate.
    pub fn duplicate(&self) -> Option<Range<u64>> {
        let [first, second, _] = self.sack;
        if first.start > first.end {
            Some(self.number.checked_sub(u64::from(first.start))?..self.number - u64::from(first.end))
        } else if first.start < first.end && second.start <= first.start && first.end <= second.end {
            let above = |offset| self.number.saturating_add(u64::from(offset));
            Some(above(first.start)..above(first.end))
        } else {
            None
        }
    }

    /// Sends the segment over the flow's only path.
    #[inline]
    pub(super) fn send(&self, out: &mut dyn Outbox) -> Launch {
        let packet = self.packet();
        if self.sack[0].is_empty() && self.window == 0 {
            out.send(0, packet)
        } else {
            out.send_extended(0, packet, self.extension())
        }
    }

    /// Reads the segment of a packet that has arrived, with its extension, if it has one, from `out`.
    #[inline]
    pub fn read(packet: &Packet, out: &dyn Outbox) -> Self {
        let mut segment = Self::head(packet);
        if packet.ecn == Ecn::Experienced {
            segment.flags = segment.flags.with(Flags::CONGESTION_EXPERIENCED);
        }
        if packet.is_extended() {
            let extension = out.extension(packet);
            (segment.sack, segment.window) = (blocks(&extension), extension[MAX_SACK_BLOCKS] as u32);
        }
        segment
    }

    /// Returns whether a header extension contains blocks.
    pub(crate) fn has_blocks(extension: &Extension) -> bool {
        !blocks(extension)[0].is_empty()
    }

    /// Reads a segment from the header words alone: without the extension, so without blocks and window.
    #[inline]
    pub(crate) fn head(packet: &Packet) -> Self {
        let [numbers, stamp, rest] = packet.header;
        Self {
            number: numbers & ((1 << NUMBER_BITS) - 1),
            stamp: Time::from_nanos(stamp),
            one_way_delay: Span::from_nanos(rest & ((1 << WAY_BITS) - 1)),
            bytes: packet.bytes,
            count: (numbers >> NUMBER_BITS) as u16,
            flags: Flags((rest >> WAY_BITS) as u8),
            window: 0,
            sack: Default::default(),
        }
    }

    /// Returns the packet, and its extension if it needs one, of a copy of this acknowledgement that answers
    /// another data packet: it echoes that packet's stamp and has no blocks. It has a window, in the
    /// extension, only if this acknowledgement [advertises](Self::advertised) one.
    pub(crate) fn answers(&self, data: &Self, connection: u8) -> (Packet, Option<Extension>) {
        let window = self.advertised().map_or(0, |window| window | ADVERTISED);
        let again = Self { stamp: data.stamp, sack: Default::default(), window, ..*self };
        (Packet { connection, ..again.packet() }, (window > 0).then(|| again.extension()))
    }

    /// Reads a segment from the header words, with the window from the extension.
    pub(crate) fn with_window(packet: &Packet, extension: &Extension) -> Self {
        Self { window: extension[MAX_SACK_BLOCKS] as u32, ..Self::head(packet) }
    }

    /// Converts the segment to a packet. Numbers are below 2^48 and one-way delays below two years, which no
    /// run reaches.
    #[inline]
    fn packet(&self) -> Packet {
        debug_assert!(self.number >> NUMBER_BITS == 0 && self.one_way_delay.nanos() >> WAY_BITS == 0);
        Packet {
            bytes: self.bytes,
            ecn: self.flags.ecn(),
            header: [
                self.number | u64::from(self.count) << NUMBER_BITS,
                self.stamp.nanos(),
                self.one_way_delay.nanos() | u64::from(self.flags.0) << WAY_BITS,
            ],
            ..Packet::default()
        }
    }

    fn extension(&self) -> Extension {
        let word = |block: &Block| u64::from(block.start) | u64::from(block.end) << 32;
        let mut extension = Extension::default();
        extension.iter_mut().zip(&self.sack).for_each(|(place, block)| *place = word(block));
        extension[MAX_SACK_BLOCKS] = u64::from(self.window);
        extension
    }
}

fn blocks(extension: &Extension) -> [Block; MAX_SACK_BLOCKS] {
    std::array::from_fn(|index| Block {
        start: extension[index] as u32,
        end: (extension[index] >> 32) as u32,
    })
}

/// The flag bits of a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u8);

impl Flags {
    /// The packet may be marked (RFC 3168 ECT).
    pub const ECN_CAPABLE: Self = Self(1);
    /// The packet has been marked (CE).
    pub const CONGESTION_EXPERIENCED: Self = Self(2);
    /// The acknowledgement echoes a mark to the sender (ECE).
    pub const CONGESTION_ECHO: Self = Self(64);
    /// The packet tells the receiver that the window has been reduced (CWR).
    pub const WINDOW_REDUCED: Self = Self(8);
    /// The packet is a retransmission.
    pub const RETRANSMISSION: Self = Self(16);
    /// The acknowledgement covers a part of the packet after those that it acknowledges.
    pub const PART: Self = Self(16);
    /// The packet begins a connection, or answers one that does.
    pub const SYN: Self = Self(32);
    /// The packet is a window probe without data, which asks for an acknowledgement while the window is
    /// closed (RFC 9293 section 3.8.6.1). It has the bits of both [`Self::SYN`] and [`Self::RETRANSMISSION`],
    /// which no SYN has, so it has to be looked for before a SYN.
    pub const WINDOW_PROBE: Self = Self(32 | 16);
    /// The packet may be marked, and the sender reacts to the number of marks (RFC 9331 ECT(1)).
    pub const LOW_LATENCY: Self = Self(4);
    /// The third bit of RFC 9768's field (AE). The others are CWR and ECE.
    pub const ACCURATE: Self = Self(128);
    /// All three bits of RFC 9768's field. In a SYN they ask the receiver to count marks (section 3.1.1).
    pub const COUNTS_MARKS: Self = Self(128 | 64 | 8);

    /// The ECN field of a segment, indexed by the three lowest bits.
    const FIELDS: [Ecn; 8] = {
        use Ecn::{Classic, Experienced, LowLatency, NotCapable};
        [NotCapable, Classic, Experienced, Experienced, LowLatency, LowLatency, Experienced, Experienced]
    };

    /// Returns the flags of packets with this ECN field.
    pub const fn of(field: Ecn) -> Self {
        match field {
            Ecn::NotCapable => Self(0),
            Ecn::Classic => Self::ECN_CAPABLE,
            Ecn::LowLatency => Self::LOW_LATENCY,
            Ecn::Experienced => Self::CONGESTION_EXPERIENCED,
        }
    }

    /// Returns the flags of a retransmission of a packet with these flags. By RFC 3168 section 6.1.5 it
    /// cannot be marked and announces no reduction. RFC 8311 section 4.3 allows marking it; here
    /// retransmissions with ECT(1) can be marked, since some queues would otherwise let them be overtaken.
    pub const fn again(self) -> Self {
        Self(self.0 & Self::LOW_LATENCY.0 | Self::RETRANSMISSION.0)
    }

    /// Returns whether all bits of `other` are set.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns whether any bit of `other` is set.
    pub const fn has_any(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns RFC 9768's field: AE, CWR and ECE.
    pub const fn field_of_three(self) -> u8 {
        self.0 >> 5 & 4 | self.0 >> 2 & 2 | self.0 >> 6 & 1
    }

    /// Returns the flags for a value of RFC 9768's field.
    pub const fn of_three(field: u8) -> Self {
        Self((field & 4) << 5 | (field & 2) << 2 | (field & 1) << 6)
    }

    /// Returns the ECN field of a segment with these flags.
    pub const fn ecn(self) -> Ecn {
        Self::FIELDS[(self.0 & 7) as usize]
    }

    /// Returns these flags less those of `other`.
    #[must_use]
    pub(super) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Returns these flags together with those of `other`.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::testing::Last;
    use proptest::prelude::*;

    fn counters() -> impl Strategy<Value = Option<ByteCounters>> {
        let counters = (0..1_u32 << 24, 0..1_u32 << 24);
        prop::option::of(counters.prop_map(|(marked, unmarked)| ByteCounters { marked, unmarked }))
    }

    fn segments() -> impl Strategy<Value = Segment> {
        let numbers = (0..1_u64 << NUMBER_BITS, any::<u64>(), 0..1_u64 << WAY_BITS);
        let blocks = prop::array::uniform3((any::<u32>(), any::<u32>()));
        (
            numbers,
            any::<u32>(),
            any::<u16>(),
            (any::<u8>(), 0_u32..3, counters()),
            blocks,
            0..=MAX_SACK_BLOCKS,
        )
            .prop_map(
                |((number, stamp, way), bytes, count, (flags, window, counters), blocks, used)| {
                    let mut sack = [Block::default(); MAX_SACK_BLOCKS];
                    for (place, (start, end)) in sack.iter_mut().zip(blocks).take(used) {
                        *place = Block { start, end: if end == start { end ^ 1 } else { end } };
                    }
                    let segment = Segment {
                        number,
                        stamp: Time::from_nanos(stamp),
                        one_way_delay: Span::from_nanos(way),
                        bytes,
                        count,
                        window,
                        flags: Flags(flags),
                        sack,
                    };
                    counters.map_or(segment, |counters| segment.counting(counters))
                },
            )
    }

    proptest! {
        #[test]
        fn a_segment_survives_its_packet(segment in segments()) {
            let mut out = Last::default();
            segment.send(&mut out);
            prop_assert_eq!(out.packet.is_extended(), !segment.sack[0].is_empty() || segment.window > 0);
            prop_assert_eq!(Segment::read(&out.packet, &out), segment);
        }

        #[test]
        fn counters_take_the_last_block_and_nothing_else(segment in segments(), told in (0..1_u32 << 24, 0..1_u32 << 24)) {
            let plain = segment.without_counters();
            prop_assert_eq!(plain.counters(), None);
            let counters = ByteCounters { marked: told.0, unmarked: told.1 };
            let counting = plain.counting(counters);
            prop_assert_eq!(counting.counters(), Some(counters));
            let [first, second, _] = plain.sack;
            prop_assert_eq!(counting.without_counters(), Segment { sack: [first, second, Block::default()], ..plain });
        }
    }

    #[test]
    fn a_mark_on_the_way_arrives() {
        let mut out = Last::default();
        Segment { flags: Flags::ECN_CAPABLE, ..Segment::default() }.send(&mut out);
        assert_eq!(out.packet.ecn, Ecn::Classic);
        out.packet.ecn = Ecn::Experienced;
        let flags = Segment::read(&out.packet, &out).flags;
        assert!(flags.has(Flags::CONGESTION_EXPERIENCED) && flags.has(Flags::ECN_CAPABLE));
    }
}
