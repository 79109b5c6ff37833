//! The packets that a stack has sent and not yet resolved, in the order of sending. Finds the ledger's number of a packet by what
//! the stack says about it: its packet number, or when it was sent and how large it is.

use ackclock_base::Time;
use std::collections::VecDeque;

/// A packet that the stack has sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Packet {
    /// The stack's packet number. Packet number spaces overlap, so that the number alone does not identify a packet of a handshake.
    key: u64,
    at: Time,
    bytes: u16,
    /// Whether it is neither acknowledged nor lost.
    is_open: bool,
}

/// The packets in flight, numbered from 0 in the order of sending.
#[derive(Clone, Debug, Default)]
pub struct Outstanding {
    packets: VecDeque<Packet>,
    /// The number of the first packet in `packets`.
    first: u64,
}

impl Outstanding {
    /// Notes a packet that the stack has sent. Returns its number.
    pub fn push(&mut self, key: u64, at: Time, bytes: u16) -> u64 {
        self.packets.push_back(Packet { key, at, bytes, is_open: true });
        self.first + self.packets.len() as u64 - 1
    }

    /// Removes a packet that was sent at `at`: the one with the packet number `key` if the stack names packets, otherwise the first with
    /// this size, or the first at all if no size fits (a datagram of several packets is reported as sent once). Returns its number, or
    /// `None` if no such packet is in flight.
    pub fn take_sent_at(&mut self, at: Time, key: Option<u64>, bytes: u64) -> Option<u64> {
        let from = self.packets.partition_point(|packet| packet.at < at);
        let same_time = self.packets.range(from..).take_while(|packet| packet.at == at);
        let first = |fits: &dyn Fn(&Packet) -> bool| {
            same_time.clone().position(|packet| packet.is_open && fits(packet))
        };
        let place = match key {
            Some(key) => first(&|packet| packet.key == key),
            None => first(&|packet| u64::from(packet.bytes) == bytes).or_else(|| first(&|_| true)),
        };
        self.resolve(from + place?)
    }

    /// Removes the oldest packet with the packet number `key`. Returns its number, or `None` if no such packet is in flight.
    pub fn take_named(&mut self, key: u64) -> Option<u64> {
        let place = self.packets.iter().position(|packet| packet.is_open && packet.key == key);
        self.resolve(place?)
    }

    /// Removes the oldest packet sent at `until` or before. Returns its number and size, or `None` if no such packet is in flight.
    pub fn take_oldest(&mut self, until: Time) -> Option<(u64, u16)> {
        let place = self.packets.iter().position(|packet| packet.is_open)?;
        let Packet { at, bytes, .. } = self.packets[place];
        if at > until {
            return None;
        }
        Some((self.resolve(place)?, bytes))
    }

    /// The number of the oldest packet in flight, or `None` if nothing is in flight.
    pub fn oldest(&self) -> Option<u64> {
        let place = self.packets.iter().position(|packet| packet.is_open)?;
        Some(self.first + place as u64)
    }

    /// Marks a packet as resolved and lets go of resolved packets at the front. Returns its number.
    fn resolve(&mut self, place: usize) -> Option<u64> {
        self.packets.get_mut(place)?.is_open = false;
        let number = self.first + place as u64;
        while self.packets.front().is_some_and(|packet| !packet.is_open) {
            self.packets.pop_front();
            self.first += 1;
        }
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Time {
        Time::from_nanos(ms * 1_000_000)
    }

    #[test]
    fn packet_numbers_of_a_handshake_overlap() {
        let mut outstanding = Outstanding::default();
        // Initial 0 at 1 ms, Handshake 0 at 2 ms, application data 0 at 2 ms: three packets called 0.
        let numbers = [(1, 1200), (2, 300), (2, 1200)].map(|(at, bytes)| outstanding.push(0, ms(at), bytes));
        assert_eq!(numbers, [0, 1, 2]);
        assert_eq!(outstanding.take_sent_at(ms(2), Some(0), 1200), Some(1), "the first of the two at 2 ms");
        assert_eq!(outstanding.take_named(0), Some(0), "the oldest that is left");
        assert_eq!(outstanding.take_sent_at(ms(1), None, 1200), None, "acknowledged already");
        assert_eq!(
            outstanding.take_sent_at(ms(2), None, 900),
            Some(2),
            "the only packet of 2 ms, whatever its size"
        );
        assert_eq!(outstanding.oldest(), None);
        assert_eq!(outstanding.push(1, ms(3), 1200), 3, "numbers go on");
    }

    #[test]
    fn the_oldest_packets_up_to_a_time_are_lost_first() {
        let mut outstanding = Outstanding::default();
        for (key, at) in [(7, 1), (8, 2), (9, 3)] {
            outstanding.push(key, ms(at), 1200);
        }
        assert_eq!(outstanding.take_sent_at(ms(1), None, 1200), Some(0));
        assert_eq!(outstanding.take_oldest(ms(2)), Some((1, 1200)));
        assert_eq!(outstanding.take_oldest(ms(2)), None, "the packet of 3 ms is not lost");
        assert_eq!(outstanding.oldest(), Some(2));
    }
}
