//! The packets that an agent keeps, by number.

use crate::packet::Packet;
use ackclock_base::Time;
use std::collections::VecDeque;

/// A packet that is kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kept {
    pub(super) number: u64,
    pub(super) packet: Packet,
    /// When it came from the sender.
    came: Time,
    /// When it last went on, or became the first.
    pub(super) tried: Time,
    /// How often it was sent from here.
    pub(super) attempts: u32,
    /// Whether it came after later ones, and for the first time: the sender knows that it is missing.
    pub(super) by_sender: bool,
}

impl Kept {
    pub(super) fn new(number: u64, packet: Packet, now: Time, by_sender: bool) -> Self {
        Self { number, packet, came: now, tried: now, attempts: 0, by_sender }
    }

    /// Returns when the packet came, or `None` if it went on more than once, so that its acknowledgement measures no round trip.
    pub(super) fn timed(&self) -> Option<Time> {
        (self.attempts == 0 && !self.by_sender).then_some(self.came)
    }
}

/// A cache of so many.
#[derive(Clone, Debug)]
pub(super) struct Cache {
    kept: VecDeque<Kept>,
    most: usize,
}

impl Cache {
    pub(super) fn of(most: usize) -> Self {
        Self { kept: VecDeque::new(), most }
    }

    /// Keeps a packet in the place of its number, or not at all where the cache is full. What is kept of it already stays the
    /// sender's or not, and has its attempts before it again.
    pub(super) fn keep(&mut self, new: Kept) {
        let place = self.kept.partition_point(|kept| kept.number < new.number);
        if self.kept.get(place).is_some_and(|kept| kept.number == new.number) {
            self.kept[place] = Kept { by_sender: self.kept[place].by_sender, ..new };
        } else if !self.is_full() {
            self.kept.insert(place, new);
        }
    }

    /// Removes the packets below `number`, and returns the last of them; `None` if there is none.
    pub(super) fn forget_below(&mut self, number: u64) -> Option<Kept> {
        let below = self.kept.partition_point(|kept| kept.number < number);
        self.kept.drain(..below).next_back()
    }

    pub(super) fn first(&self) -> Option<&Kept> {
        self.kept.front()
    }

    pub(super) fn first_mut(&mut self) -> Option<&mut Kept> {
        self.kept.front_mut()
    }

    /// Returns the packet of this number, or `None` if it is not cached.
    pub(super) fn get_mut(&mut self, number: u64) -> Option<&mut Kept> {
        let place = self.kept.partition_point(|kept| kept.number < number);
        self.kept.get_mut(place).filter(|kept| kept.number == number)
    }

    pub(super) fn is_full(&self) -> bool {
        self.kept.len() >= self.most
    }

    pub(super) fn len(&self) -> usize {
        self.kept.len()
    }
}
