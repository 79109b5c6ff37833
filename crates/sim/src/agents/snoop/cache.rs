//! The packets that an agent caches, by number.

use crate::packet::Packet;
use ackclock_base::Time;
use std::collections::VecDeque;

/// A cached packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct CachedPacket {
    pub(super) number: u64,
    pub(super) packet: Packet,
    /// The time at which it last arrived from the sender. Not used by the rules of ns-2.
    came: Time,
    /// Whether it has arrived from the sender again. Not used by the rules of ns-2.
    again: bool,
    /// The time at which it was last sent on to the mobile, or became the first in the cache.
    pub(super) tried: Time,
    /// The number of retransmissions by the agent since the packet last arrived from the sender.
    pub(super) attempts: u32,
    /// Whether the packet is left to the sender, which knows that it is missing: it arrived for the first
    /// time after later packets or, by the rules of ns-2, the sender has retransmitted it.
    pub(super) by_sender: bool,
}

impl CachedPacket {
    pub(super) fn new(number: u64, packet: Packet, now: Time, by_sender: bool) -> Self {
        Self { number, packet, came: now, again: false, tried: now, attempts: 0, by_sender }
    }

    /// Returns when the packet arrived from the sender. Returns `None` if its acknowledgement measures no round
    /// trip: the packet was sent on more than once (Karn's rule), or is left to the sender.
    pub(super) fn timed(&self) -> Option<Time> {
        (self.attempts == 0 && !self.again && !self.by_sender).then_some(self.came)
    }
}

/// A cache of limited size.
#[derive(Clone, Debug)]
pub(super) struct Cache {
    cached: VecDeque<CachedPacket>,
    most: usize,
}

impl Cache {
    pub(super) fn of(most: usize) -> Self {
        Self { cached: VecDeque::new(), most }
    }

    /// Caches a packet at the place of its number. A new packet is not cached if the cache is full. A packet
    /// that is already cached keeps its `by_sender`, and its retransmissions by the agent are counted anew.
    pub(super) fn keep(&mut self, new: CachedPacket) {
        let place = self.cached.partition_point(|cached| cached.number < new.number);
        if self.cached.get(place).is_some_and(|cached| cached.number == new.number) {
            self.cached[place] = CachedPacket { again: true, by_sender: self.cached[place].by_sender, ..new };
        } else if !self.is_full() {
            self.cached.insert(place, new);
        }
    }

    /// Removes the packets below `number`, and returns the last of them; `None` if there is none.
    pub(super) fn forget_below(&mut self, number: u64) -> Option<CachedPacket> {
        let below = self.cached.partition_point(|cached| cached.number < number);
        self.cached.drain(..below).next_back()
    }

    pub(super) fn first(&self) -> Option<&CachedPacket> {
        self.cached.front()
    }

    pub(super) fn first_mut(&mut self) -> Option<&mut CachedPacket> {
        self.cached.front_mut()
    }

    /// Returns the packet of this number; `None` if it is not cached.
    pub(super) fn get_mut(&mut self, number: u64) -> Option<&mut CachedPacket> {
        let place = self.cached.partition_point(|cached| cached.number < number);
        self.cached.get_mut(place).filter(|cached| cached.number == number)
    }

    pub(super) fn is_full(&self) -> bool {
        self.cached.len() >= self.most
    }

    pub(super) fn len(&self) -> usize {
        self.cached.len()
    }
}
