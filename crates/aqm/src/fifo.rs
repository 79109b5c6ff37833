//! A queue of packets in order of arrival, for the disciplines that hold their packets.

use crate::departure::Held;
use crate::discipline::Capacity;
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

    /// Takes the newest packet.
    pub fn pop_newest(&mut self) -> Option<Held> {
        let held = self.packets.pop_back()?;
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

/// The room that several queues share: what waits in all of them together, and how much may.
#[derive(Clone, Debug)]
pub struct Room {
    capacity: Capacity,
    packets: u64,
    bytes: u64,
}

impl Room {
    /// Creates an empty room of this capacity.
    pub fn new(capacity: Capacity) -> Self {
        Self { capacity, packets: 0, bytes: 0 }
    }

    /// Counts a packet that one of the queues took in.
    pub fn enter(&mut self, bytes: u32) {
        self.packets += 1;
        self.bytes += u64::from(bytes);
    }

    /// Counts what has left the queues.
    pub fn leave(&mut self, packets: u64, bytes: u64) {
        self.packets -= packets;
        self.bytes -= bytes;
    }

    /// Returns whether more waits than the capacity allows.
    pub fn is_over(&self) -> bool {
        self.packets > 0 && !self.capacity.has_room(0, self.packets - 1, self.bytes)
    }

    /// Packets waiting.
    pub fn packets(&self) -> u64 {
        self.packets
    }
}

/// Returns the place of the greatest of `lengths`. Among equals it is the one at `preferred`, else the first.
pub fn longest(preferred: usize, lengths: impl Iterator<Item = u64>) -> usize {
    let mut best = (preferred, 0);
    for (place, length) in lengths.enumerate() {
        if length > best.1 || length == best.1 && place == preferred {
            best = (place, length);
        }
    }
    best.0
}
