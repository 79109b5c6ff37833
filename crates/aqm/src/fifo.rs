//! A queue of packets in order of arrival, for the disciplines that hold their packets.

use crate::departure::Held;
use std::collections::VecDeque;

/// First in, first out.
#[derive(Clone, Debug, Default)]
pub struct Fifo {
    packets: VecDeque<Held>,
    bytes: u64,
}

impl Fifo {
    /// Appends a packet.
    pub fn push(&mut self, held: Held) {
        self.bytes += u64::from(held.arrival.bytes);
        self.packets.push_back(held);
    }

    /// Takes the oldest packet.
    pub fn pop(&mut self) -> Option<Held> {
        let held = self.packets.pop_front()?;
        self.bytes -= u64::from(held.arrival.bytes);
        Some(held)
    }

    /// Takes the packet at a place, counted from the oldest.
    pub fn remove(&mut self, place: usize) -> Option<Held> {
        let held = self.packets.remove(place)?;
        self.bytes -= u64::from(held.arrival.bytes);
        Some(held)
    }

    /// The oldest packet.
    pub fn head(&self) -> Option<&Held> {
        self.packets.front()
    }

    /// The packet at a place, counted from the oldest.
    pub fn get(&self, place: usize) -> Option<&Held> {
        self.packets.get(place)
    }

    /// Packets waiting.
    pub fn len(&self) -> usize {
        self.packets.len()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// Bytes waiting.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}
