//! A lane: packets of one flow on their way to one place, in order of arrival. Only the head of a lane is in the
//! schedule, so ten thousand packets in flight are still one pending event.

use crate::packet::{ExtensionId, HEADER_WORDS, Packet};
use crate::schedule::{Order, SourceId};
use ackclock_aqm::Ecn;
use ackclock_base::Time;
use std::collections::VecDeque;

/// A packet that will arrive.
#[derive(Clone, Copy, Debug)]
pub struct Travelling {
    /// When.
    pub arrives: Time,
    /// Its place among arrivals of the same time.
    pub order: Order,
    /// The packet.
    pub packet: Packet,
}

/// The same as it is kept: 48 bytes.
#[derive(Clone, Copy, Debug)]
struct Kept {
    arrives: Time,
    /// Its order above 24 bits with the packet's connection and ECN field.
    order: u64,
    bytes: u32,
    extension: ExtensionId,
    header: [u64; HEADER_WORDS],
}

const _: () = assert!(size_of::<Kept>() == 48);

const ECN_BITS: u32 = 8;
const ECN: [Ecn; 4] = [Ecn::NotCapable, Ecn::Classic, Ecn::LowLatency, Ecn::Experienced];

impl Kept {
    #[inline]
    fn of(travelling: &Travelling) -> Self {
        let Travelling { arrives, order, packet } = travelling;
        let Packet { bytes, connection, ecn, extension, header } = *packet;
        let small = u64::from(connection) << ECN_BITS | ecn as u64;
        Self { arrives: *arrives, order: order.above_24_bits() | small, bytes, extension, header }
    }

    #[inline]
    fn order(&self) -> Order {
        Order::from_above_24_bits(self.order)
    }

    #[inline]
    fn travelling(&self) -> Travelling {
        let Self { arrives, order, bytes, extension, header } = *self;
        let packet = Packet {
            bytes,
            connection: (order >> ECN_BITS) as u8,
            ecn: ECN[(order & 3) as usize],
            extension,
            header,
        };
        Travelling { arrives, order: self.order(), packet }
    }
}

/// A lane: where it leads, and the packets on it. It fills a cache line, so that visiting one costs one miss.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct Lane {
    /// The path (a flow and a direction) that it is part of.
    pub path: u32,
    /// The step of that path which follows it.
    pub next_step: u32,
    /// Its leaf in the schedule.
    pub source: SourceId,
    packets: VecDeque<Kept>,
}

impl Lane {
    /// An empty lane.
    pub fn new(path: u32, next_step: u32, source: SourceId) -> Self {
        Self { path, next_step, source, packets: VecDeque::new() }
    }

    /// Appends a packet. It cannot overtake: if it would arrive before the last one it arrives with it. Says
    /// whether it is the new head.
    #[inline]
    pub fn push(&mut self, travelling: &Travelling) -> bool {
        let mut kept = Kept::of(travelling);
        match self.packets.back() {
            Some(last) => {
                kept.arrives = kept.arrives.max(last.arrives);
                self.packets.push_back(kept);
                false
            }
            None => {
                self.packets.push_back(kept);
                true
            }
        }
    }

    /// Takes the packet that arrives next.
    #[inline]
    pub fn pop(&mut self) -> Option<Travelling> {
        self.packets.pop_front().map(|kept| kept.travelling())
    }

    /// When the next packet arrives, and its place among those of the same time.
    #[inline]
    pub fn head(&self) -> Option<(Time, Order)> {
        self.packets.front().map(|kept| (kept.arrives, kept.order()))
    }

    /// How many packets are on their way.
    pub fn len(&self) -> usize {
        self.packets.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Extensions;
    use crate::schedule::Schedule;

    #[test]
    fn what_is_kept_is_what_comes_out() {
        let (mut schedule, mut extensions) = (Schedule::default(), Extensions::default());
        let mut lane = Lane::new(0, 0, schedule.add_source());
        for (ns, ecn) in ECN.into_iter().enumerate() {
            let packet = Packet {
                bytes: u32::MAX - ns as u32,
                connection: 255 - ns as u8,
                ecn,
                extension: extensions.keep([7; 4]),
                header: [u64::MAX, ns as u64, 1],
            };
            let sent =
                Travelling { arrives: Time::from_nanos(ns as u64), order: schedule.next_order(), packet };
            assert!(lane.push(&sent));
            assert_eq!(lane.head(), Some((sent.arrives, sent.order)));
            let out = lane.pop().unwrap();
            assert_eq!((out.arrives, out.order, out.packet), (sent.arrives, sent.order, packet));
        }
    }
}
