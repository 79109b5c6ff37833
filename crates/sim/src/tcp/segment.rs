//! What TCP's ends tell each other, and how it lies in a packet's header.

use crate::endpoint::{Launch, Outbox};
use crate::packet::{Extension, Packet};
use ackclock_aqm::Ecn;
use ackclock_base::{Span, Time};
use std::ops::Range;

/// A segment, data or acknowledgement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// Data: the packet's number. Acknowledgement: the first number not yet received in order.
    pub number: u64,
    /// Data: when it was sent. Acknowledgement: the echo of that (RFC 7323).
    pub stamp: Time,
    /// Acknowledgement: what the packet that caused it took on the way there.
    pub one_way_delay: Span,
    /// Size on the wire in bytes.
    pub bytes: u32,
    /// Acknowledgement: how many packets have arrived marked so far (RFC 9768, with a wider counter). Data: how many packets the
    /// sender knows acknowledged, which tells the receiver what the echo of its own timestamp would. Modulo 2^16.
    pub count: u16,
    /// Acknowledgement: the receive window in packets; zero for the one that was agreed. Its highest bit says that the last block
    /// is none: [counters](Self::counters) lie there. The bit below says that it is [advertised](Self::advertised) even if zero.
    pub window: u32,
    /// What else it says.
    pub flags: Flags,
    /// Acknowledgement: ranges received out of order, the most recent first, as offsets from `number`. Empty ones
    /// come last.
    pub sack: [Block; MAX_SACK_BLOCKS],
}

/// Payload bytes that have arrived, each modulo 2^24: what RFC 9768's option says in the 8 bytes that it has room for beside
/// two blocks. A flow has one of the fields ECT(0) and ECT(1), and the option begins with that one's counter (section 3.2.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByteCounters {
    /// ECEB.
    pub marked: u32,
    /// EE0B or EE1B, less the one that they begin with.
    pub unmarked: u32,
}

impl ByteCounters {
    /// Those of an acknowledgement with this window and this last block.
    pub(super) fn of(window: u32, last: Block) -> Option<Self> {
        (window & COUNTS != 0).then_some(Self { marked: last.start, unmarked: last.end })
    }
}

/// Of the 40 bytes of options timestamps take 12, and blocks come first: with three there is no room for counters.
pub const BLOCKS_BESIDE_COUNTERS: usize = 2;

/// In the window: the last block is counters.
const COUNTS: u32 = 1 << 31;

/// In the window: it is what the receiver has room for now.
const ADVERTISED: u32 = 1 << 30;

/// RFC 2018 section 3: with timestamps three blocks fit into the options.
pub const MAX_SACK_BLOCKS: usize = 3;

/// A range of packets, as offsets from the cumulative acknowledgement; empty where `start == end`. Below the acknowledgement,
/// where only a duplicate can lie, offsets are counted downwards, and `start` is the larger one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// The first packet in the range.
    pub start: u32,
    /// One past the last.
    pub end: u32,
}

impl Block {
    /// A single packet that came twice, for an acknowledgement of this number.
    pub fn duplicate(number: u64, acknowledgement: u64) -> Self {
        let offset = |number: u64| u32::try_from(number.abs_diff(acknowledgement)).unwrap_or(u32::MAX);
        Self { start: offset(number), end: offset(number + 1) }
    }

    /// Whether it holds nothing.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }
}

/// The blocks of an acknowledgement, with the empty ones if there is any other.
#[inline]
pub(super) fn filled(sack: &[Block; MAX_SACK_BLOCKS]) -> &[Block] {
    if sack[0].is_empty() { &[] } else { sack }
}

const NUMBER_BITS: u32 = 48;
const WAY_BITS: u32 = 56;

impl Segment {
    /// Acknowledgement: what it counts in bytes.
    pub fn counters(&self) -> Option<ByteCounters> {
        ByteCounters::of(self.window, self.sack[BLOCKS_BESIDE_COUNTERS])
    }

    /// The same with counters, which take the place of the last block; as it is where there is no room for them.
    #[must_use]
    pub fn counting(mut self, counters: ByteCounters) -> Self {
        let ByteCounters { marked: start, unmarked: end } = counters;
        if self.sack[BLOCKS_BESIDE_COUNTERS].is_empty() {
            self.sack[BLOCKS_BESIDE_COUNTERS] = Block { start, end };
            self.window |= COUNTS;
        }
        self
    }

    /// The same without counters: with blocks and the window alone.
    #[must_use]
    pub fn without_counters(mut self) -> Self {
        if self.window & COUNTS != 0 {
            self.sack[BLOCKS_BESIDE_COUNTERS] = Block::default();
            self.window &= !COUNTS;
        }
        self
    }

    /// Sets the window that a receiver with a slow application advertises.
    #[must_use]
    pub fn advertising(mut self, packets: u64) -> Self {
        let packets = u32::try_from(packets).unwrap_or(u32::MAX).min(ADVERTISED - 1);
        self.window = self.window & COUNTS | ADVERTISED | packets;
        self
    }

    /// Acknowledgement: the window that is open now, of a receiver whose application reads slowly; `None` of any other receiver.
    pub fn advertised(&self) -> Option<u32> {
        (self.window & ADVERTISED != 0).then_some(self.window & (ADVERTISED - 1))
    }

    /// Acknowledgement: one past the last packet that an advertised window has room for; the acknowledgement's number without one.
    pub(crate) fn edge(&self) -> u64 {
        self.number + u64::from(self.advertised().unwrap_or(0))
    }

    /// Acknowledgement: the packets that its first block says have arrived twice (RFC 2883 section 5): they lie below the
    /// cumulative acknowledgement, or within the second block.
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

    /// Sends it over the flow's only path.
    #[inline]
    pub(super) fn send(&self, out: &mut dyn Outbox) -> Launch {
        let packet = self.packet();
        if self.sack[0].is_empty() && self.window == 0 {
            out.send(0, packet)
        } else {
            out.send_extended(0, packet, self.extension())
        }
    }

    /// The segment that has arrived as a packet.
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

    /// Whether there are blocks in what lies beside a header.
    pub(crate) fn has_blocks(extension: &Extension) -> bool {
        !blocks(extension)[0].is_empty()
    }

    /// What the words of a packet's header say, without what may lie beside it.
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

    /// This acknowledgement once more, as an answer to a data packet: it echoes its stamp, and has no blocks. It has a window, in what
    /// lies beside its header, only where that is one that is [advertised](Self::advertised).
    pub(crate) fn answers(&self, data: &Self, connection: u8) -> (Packet, Option<Extension>) {
        let window = self.advertised().map_or(0, |window| window | ADVERTISED);
        let again = Self { stamp: data.stamp, sack: Default::default(), window, ..*self };
        (Packet { connection, ..again.packet() }, (window > 0).then(|| again.extension()))
    }

    /// What the words of a packet's header say, with the window that lies beside it.
    pub(crate) fn with_window(packet: &Packet, extension: &Extension) -> Self {
        Self { window: extension[MAX_SACK_BLOCKS] as u32, ..Self::head(packet) }
    }

    /// Numbers below 2^48 and ways of less than two years: as many packets and as much time as no run has.
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

/// Single bits of a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u8);

impl Flags {
    /// May be marked (RFC 3168 ECT).
    pub const ECN_CAPABLE: Self = Self(1);
    /// Has been marked (CE).
    pub const CONGESTION_EXPERIENCED: Self = Self(2);
    /// Echoes a mark to the sender (ECE).
    pub const CONGESTION_ECHO: Self = Self(64);
    /// Tells the receiver that the window has been reduced (CWR).
    pub const WINDOW_REDUCED: Self = Self(8);
    /// Has been sent before.
    pub const RETRANSMISSION: Self = Self(16);
    /// Begins a connection.
    pub const SYN: Self = Self(32);
    /// Asks for an acknowledgement where the window is closed: a window probe (RFC 9293 section 3.8.6.1) without data.
    pub const WINDOW_PROBE: Self = Self(32 | 16);
    /// May be marked, and answers to each mark a little (RFC 9331 ECT(1)).
    pub const LOW_LATENCY: Self = Self(4);
    /// The third bit of RFC 9768's field (AE), of which the others are CWR and ECE.
    pub const ACCURATE: Self = Self(128);
    /// All three: in a SYN, that the sender would have marks counted so (RFC 9768 section 3.1.1).
    pub const COUNTS_MARKS: Self = Self(128 | 64 | 8);

    /// The ECN field of a segment, by the three bits that say something of it.
    const FIELDS: [Ecn; 8] = {
        use Ecn::{Classic, Experienced, LowLatency, NotCapable};
        [NotCapable, Classic, Experienced, Experienced, LowLatency, LowLatency, Experienced, Experienced]
    };

    /// What packets say whose ECN field is this one.
    pub const fn of(field: Ecn) -> Self {
        match field {
            Ecn::NotCapable => Self(0),
            Ecn::Classic => Self::ECN_CAPABLE,
            Ecn::LowLatency => Self::LOW_LATENCY,
            Ecn::Experienced => Self::CONGESTION_EXPERIENCED,
        }
    }

    /// What a packet says that is sent again. RFC 3168 section 6.1.5: it is not marked, and announces nothing. RFC 8311
    /// section 4.3 allows to mark it; here that of ECT(1) is, or else some queues would let it be overtaken.
    pub const fn again(self) -> Self {
        Self(self.0 & Self::LOW_LATENCY.0 | Self::RETRANSMISSION.0)
    }

    /// Whether all bits of `other` are set.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether any bit of `other` is set.
    pub const fn has_any(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// RFC 9768's field, AE, CWR and ECE.
    pub const fn field_of_three(self) -> u8 {
        self.0 >> 5 & 4 | self.0 >> 2 & 2 | self.0 >> 6 & 1
    }

    /// The same as bits.
    pub const fn of_three(field: u8) -> Self {
        Self((field & 4) << 5 | (field & 2) << 2 | (field & 1) << 6)
    }

    /// The ECN field of a segment with these bits.
    pub const fn ecn(self) -> Ecn {
        Self::FIELDS[(self.0 & 7) as usize]
    }

    /// These bits and those of `other`.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Holds the packet that was sent last.
    #[derive(Default)]
    struct Last(Packet, Extension);

    impl Outbox for Last {
        fn send(&mut self, _: usize, packet: Packet) -> Launch {
            *self = Self(packet, Extension::default());
            Launch::SENT
        }
        fn send_extended(&mut self, _: usize, mut packet: Packet, extension: Extension) -> Launch {
            packet.extension = crate::packet::Extensions::default().keep(extension);
            *self = Self(packet, extension);
            Launch::SENT
        }
        fn send_long(&mut self, _: usize, _: Packet, _: &[u64]) -> Launch {
            Launch::SENT
        }
        fn long_extension(&self, _: &Packet, _: &mut Vec<u64>) {}
        fn extension(&self, _: &Packet) -> Extension {
            self.1
        }
        fn received(&mut self, _: Option<Time>, _: u64, _: u64) {}
        fn done(&mut self) {}
    }

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
        fn what_is_sent_is_what_arrives(segment in segments()) {
            let mut out = Last::default();
            segment.send(&mut out);
            prop_assert_eq!(out.0.is_extended(), !segment.sack[0].is_empty() || segment.window > 0);
            prop_assert_eq!(Segment::read(&out.0, &out), segment);
        }

        #[test]
        fn counters_take_the_last_block_and_nothing_else(segment in segments(), told in (0..1_u32 << 24, 0..1_u32 << 24)) {
            let plain = segment.without_counters();
            prop_assert_eq!(plain.counters(), None);
            let counters = ByteCounters { marked: told.0, unmarked: told.1 };
            let counting = plain.counting(counters);
            let has_room = plain.sack[BLOCKS_BESIDE_COUNTERS].is_empty();
            prop_assert_eq!(counting.counters(), has_room.then_some(counters));
            prop_assert_eq!(counting.without_counters(), plain);
        }
    }

    #[test]
    fn a_mark_on_the_way_arrives() {
        let mut out = Last::default();
        Segment { flags: Flags::ECN_CAPABLE, ..Segment::default() }.send(&mut out);
        assert_eq!(out.0.ecn, Ecn::Classic);
        out.0.ecn = Ecn::Experienced;
        let flags = Segment::read(&out.0, &out).flags;
        assert!(flags.has(Flags::CONGESTION_EXPERIENCED) && flags.has(Flags::ECN_CAPABLE));
    }
}
