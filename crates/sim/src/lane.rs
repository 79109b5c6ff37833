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

/// Where a lane leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lane {
    /// The path (a flow and a direction) that it is part of.
    pub path: u32,
    /// The step of that path which follows it.
    pub next_step: u32,
    /// Its leaf in the schedule.
    pub source: SourceId,
}

/// The packets of a lane.
#[derive(Clone, Debug, Default)]
pub struct Fifo {
    packets: VecDeque<Travelling>,
}

impl Fifo {
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
