//! Packets: small plain values that are copied, never boxed.

use ackclock_aqm::Ecn;
use ackclock_base::{Span, Time};
use std::ops::Range;

/// A packet on its way, data or acknowledgement. Which flow and direction it belongs to follows from its lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packet {
    /// Data: the packet's number. Acknowledgement: the first number not yet received in order.
    pub number: u64,
    /// Data: when it was sent. Acknowledgement: the echo of that (RFC 7323).
    pub stamp: Time,
    /// Acknowledgement: what the packet that caused it took on the way there.
    pub way_there: Span,
    /// Size on the wire in bytes.
    pub bytes: u32,
    /// Acknowledgement: how many packets have arrived marked so far, modulo 2^16 (RFC 9768, with a wider counter).
    pub marks: u16,
    /// What else it says.
    pub flags: Flags,
    /// Acknowledgement: ranges received out of order, the most recent first, as offsets from `number`. Empty ones
    /// come last.
    pub sack: [Block; MAX_SACK_BLOCKS],
}

/// RFC 2018 section 3: with timestamps three blocks fit into the options.
pub const MAX_SACK_BLOCKS: usize = 3;

impl Packet {
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
}

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
}

/// Single bits of a packet, and in the upper byte which of its flow's connections it belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u16);

impl Flags {
    /// May be marked (RFC 3168 ECT).
    pub const ECN_CAPABLE: Self = Self(1);
    /// Has been marked (CE).
    pub const CONGESTION_EXPERIENCED: Self = Self(2);
    /// Echoes a mark to the sender (ECE).
    pub const CONGESTION_ECHO: Self = Self(4);
    /// Tells the receiver that the window has been reduced (CWR).
    pub const WINDOW_REDUCED: Self = Self(8);
    /// Has been sent before.
    pub const RETRANSMISSION: Self = Self(16);
    /// Begins a connection.
    pub const SYN: Self = Self(32);
    /// May be marked, and answers to each mark a little (RFC 9331 ECT(1)).
    pub const LOW_LATENCY: Self = Self(64);

    /// Whether all bits of `other` are set.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The ECN field of a packet with these bits.
    pub const fn ecn(self) -> Ecn {
        match () {
            () if self.has(Self::CONGESTION_EXPERIENCED) => Ecn::Experienced,
            () if self.has(Self::LOW_LATENCY) => Ecn::LowLatency,
            () if self.has(Self::ECN_CAPABLE) => Ecn::Classic,
            () => Ecn::NotCapable,
        }
    }

    /// These bits on a packet of the flow's connection with this number, modulo 256.
    #[must_use]
    pub const fn of_connection(self, number: u8) -> Self {
        Self(self.0 & 0xff | (number as u16) << 8)
    }

    /// Which of its flow's connections, one after another, a packet belongs to.
    pub const fn connection(self) -> u8 {
        (self.0 >> 8) as u8
    }

    /// These bits and those of `other`.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}
