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
        } else if self.kept.len() < self.most {
            self.kept.insert(place, new);
        }
    }

    /// Forgets what is below a number. When the last of it came, if it went on only once: a round trip ends.
    pub(super) fn forget_below(&mut self, number: u64) -> Option<Time> {
        let mut came = None;
        while let Some(kept) = self.kept.front().filter(|kept| kept.number < number) {
            came = (kept.attempts == 0 && !kept.by_sender).then_some(kept.came);
            self.kept.pop_front();
        }
        came
    }

    pub(super) fn first(&self) -> Option<&Kept> {
        self.kept.front()
    }

    pub(super) fn first_mut(&mut self) -> Option<&mut Kept> {
        self.kept.front_mut()
    }

    pub(super) fn len(&self) -> usize {
        self.kept.len()
    }
}
