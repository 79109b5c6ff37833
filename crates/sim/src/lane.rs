//! A lane: packets of one flow on their way to one place, in order of arrival. Only the head of a lane is in the
//! schedule, so ten thousand packets in flight are still one pending event.

use crate::packet::Packet;
use crate::schedule::{Order, SourceId};
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
    packets: VecDeque<Travelling>,
}

impl Lane {
    /// An empty lane.
    pub fn new(path: u32, next_step: u32, source: SourceId) -> Self {
        Self { path, next_step, source, packets: VecDeque::new() }
    }

    /// Appends a packet. It cannot overtake: if it would arrive before the last one it arrives with it. Says
    /// whether it is the new head.
    #[inline]
    pub fn push(&mut self, mut travelling: Travelling) -> bool {
        match self.packets.back() {
            Some(last) => {
                travelling.arrives = travelling.arrives.max(last.arrives);
                self.packets.push_back(travelling);
                false
            }
            None => {
                self.packets.push_back(travelling);
                true
            }
        }
    }

    /// Takes the packet that arrives next.
    #[inline]
    pub fn pop(&mut self) -> Option<Travelling> {
        self.packets.pop_front()
    }

    /// The packet that arrives next.
    #[inline]
    pub fn head(&self) -> Option<&Travelling> {
        self.packets.front()
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
