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

    /// Takes the oldest packet; `None` if the queue is empty.
    pub fn pop(&mut self) -> Option<Held> {
        let held = self.packets.pop_front()?;
        self.bytes -= u64::from(held.arrival.bytes);
        Some(held)
    }

    /// Takes the newest packet; `None` if the queue is empty.
    pub fn pop_newest(&mut self) -> Option<Held> {
        let held = self.packets.pop_back()?;
        self.bytes -= u64::from(held.arrival.bytes);
        Some(held)
    }

    /// Takes the packet at a place, counted from the oldest; `None` if there is none.
    pub fn remove(&mut self, place: usize) -> Option<Held> {
        let held = self.packets.remove(place)?;
        self.bytes -= u64::from(held.arrival.bytes);
        Some(held)
    }

    /// Returns the oldest packet; `None` if the queue is empty.
    pub fn head(&self) -> Option<&Held> {
        self.packets.front()
    }

    /// Returns the packet at a place, counted from the oldest; `None` if there is none.
    pub fn get(&self, place: usize) -> Option<&Held> {
        self.packets.get(place)
    }

    /// Returns the number of packets waiting.
    pub fn len(&self) -> usize {
        self.packets.len()
    }

    /// Returns whether no packet waits.
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// Returns the number of bytes waiting.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// The room that several queues share: the packets and bytes in all of them, and their limit.
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

    /// Counts a packet that joined one of the queues.
    pub fn enter(&mut self, bytes: u32) {
        self.packets += 1;
        self.bytes += u64::from(bytes);
    }

    /// Subtracts packets and bytes that have left the queues.
    pub fn leave(&mut self, packets: u64, bytes: u64) {
        self.packets -= packets;
        self.bytes -= bytes;
    }

    /// Returns whether more waits than the capacity allows.
    pub fn is_over(&self) -> bool {
        self.packets > 0 && !self.capacity.has_room(0, self.packets - 1, self.bytes)
    }

    /// Returns the number of packets waiting.
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
