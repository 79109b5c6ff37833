//! The receiving side: when and how it acknowledges (RFC 9000 section 13.2), and the part of the stream that
//! has been delivered.

use super::datagram::{Ack, Data};
use crate::ranges::Ranges;
use ackclock_base::{Span, Time};

/// The options of a receiver's acknowledgements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiverOptions {
    /// The number of unacknowledged packets at which the receiver acknowledges at once.
    pub ack_threshold: u32,
    /// The longest time for which an acknowledgement is held back.
    pub max_ack_delay: Span,
    /// The largest number of ranges in an acknowledgement.
    pub max_ranges: usize,
}

/// The receiver of a connection.
#[derive(Clone, Debug)]
pub struct Receiver {
    options: ReceiverOptions,
    /// The packet numbers that have arrived, and those that the sender no longer wants acknowledged.
    numbers: Ranges,
    /// The lowest packet number that is still acknowledged.
    floor: u64,
    stream: Ranges,
    duplicates: u64,
    /// The number of packets since the last acknowledgement, and the time at which the next is due.
    waiting: u32,
    due: Time,
    /// The arrival time of the packet with the highest number.
    highest_at: Time,
    marked: u64,
    /// The ranges of an acknowledgement below the highest; kept for reuse.
    below: Vec<(u64, u64)>,
}

impl Receiver {
    /// Creates a receiver that has received nothing.
    pub fn new(options: ReceiverOptions) -> Self {
        Self {
            options,
            numbers: Ranges::default(),
            floor: 0,
            stream: Ranges::default(),
            duplicates: 0,
            waiting: 0,
            due: Time::NEVER,
            highest_at: Time::ZERO,
            marked: 0,
            below: Vec::new(),
        }
    }

    /// Returns the number of pieces that the application has, which are delivered in order.
    pub fn delivered(&self) -> u64 {
        self.stream.next()
    }

    /// Returns the number of times that a piece arrived that had arrived before, in another packet.
    pub fn duplicates(&self) -> u64 {
        self.duplicates
    }

    /// Returns when a held-back acknowledgement is due; [`Time::NEVER`] if none is held back.
    pub fn timer(&self) -> Time {
        self.due
    }

    /// Processes a packet. Returns whether it is to be [acknowledged](Self::acknowledge) at once. That is so
    /// if `ack_threshold` packets now wait for an acknowledgement or, by RFC 9000 section 13.2.1, if the
    /// packet is out of order, follows a gap or is marked. A packet that has arrived before is ignored.
    #[inline]
    pub fn take(&mut self, now: Time, data: &Data, marked: bool) -> bool {
        let expected = self.numbers.end();
        self.floor = self.floor.max(data.number.saturating_sub(u64::from(data.wanted)));
        if self.numbers.next() < self.floor {
            self.numbers.advance_to(self.floor);
        }
        if !self.numbers.insert(data.number) {
            return false; // a duplicate packet is not processed (RFC 9000 section 12.3)
        }
        if data.number >= expected {
            self.highest_at = now;
        }
        self.marked += u64::from(marked);
        self.duplicates += u64::from(!self.stream.insert(data.piece));
        self.waiting += 1;
        if self.waiting >= self.options.ack_threshold || data.number != expected || marked {
            return true;
        }
        self.due = self.due.min(now + self.options.max_ack_delay);
        false
    }

    /// Returns the acknowledgement of what has been received. No acknowledgement is held back afterwards.
    ///
    /// # Panics
    ///
    /// If nothing has been received.
    #[inline]
    pub fn acknowledge(&mut self, now: Time) -> Ack<'_> {
        (self.waiting, self.due) = (0, Time::NEVER);
        self.below.clear();
        let Self { numbers, below, floor, .. } = self;
        let lowest = (*floor < numbers.next()).then_some((*floor, numbers.next()));
        let above = numbers.above().rev().map(|range| (range.start, range.end));
        let mut ranges = above.chain(lowest);
        let Some(highest) = ranges.next() else { panic!("cannot acknowledge before a packet has arrived") };
        below.extend(ranges.take(self.options.max_ranges - 1));
        Ack { highest, below: &self.below, delay: now.since(self.highest_at), marked: self.marked }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPTIONS: ReceiverOptions =
        ReceiverOptions { ack_threshold: 2, max_ack_delay: Span::from_millis(25), max_ranges: 3 };

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    fn data(number: u64) -> Data {
        Data { number, piece: number, sent: Time::ZERO, wanted: number as u32 }
    }

    /// Receives a packet, and returns the acknowledged ranges if it is acknowledged at once.
    fn arrive(receiver: &mut Receiver, ms: u64, data: Data) -> Option<Vec<(u64, u64)>> {
        receiver.take(at(ms), &data, false).then(|| {
            let ack = receiver.acknowledge(at(ms));
            [&[ack.highest], ack.below].concat()
        })
    }

    #[test]
    fn every_second_packet_is_acknowledged_or_one_after_25_ms() {
        let mut receiver = Receiver::new(OPTIONS);
        assert_eq!((arrive(&mut receiver, 1, data(0)), receiver.timer()), (None, at(26)));
        assert_eq!(arrive(&mut receiver, 4, data(1)), Some(vec![(0, 2)]));
        assert_eq!(receiver.timer(), Time::NEVER);
        arrive(&mut receiver, 10, data(2));
        let ack = receiver.acknowledge(at(35));
        assert_eq!((ack.highest, ack.delay), ((0, 3), Span::from_millis(25)));
    }

    #[test]
    fn a_gap_and_what_fills_it_are_acknowledged_at_once_with_the_highest_ranges() {
        let mut receiver = Receiver::new(OPTIONS);
        arrive(&mut receiver, 0, data(0));
        assert_eq!(arrive(&mut receiver, 0, data(2)), Some(vec![(2, 3), (0, 1)]));
        assert_eq!(arrive(&mut receiver, 0, data(4)), Some(vec![(4, 5), (2, 3), (0, 1)]));
        assert_eq!(arrive(&mut receiver, 0, data(6)), Some(vec![(6, 7), (4, 5), (2, 3)]), "three at most");
        assert_eq!(arrive(&mut receiver, 0, data(5)), Some(vec![(4, 7), (2, 3), (0, 1)]));
        assert_eq!(arrive(&mut receiver, 0, data(5)), None, "twice");
        assert_eq!((receiver.delivered(), receiver.duplicates()), (1, 0));
    }

    #[test]
    fn settled_packets_are_not_acknowledged() {
        let mut receiver = Receiver::new(OPTIONS);
        arrive(&mut receiver, 0, data(0));
        arrive(&mut receiver, 0, data(3));
        // Packet 5 carries the piece of packet 1, and all packets below 3 are settled.
        let again = Data { number: 5, piece: 1, sent: Time::ZERO, wanted: 2 };
        assert_eq!(arrive(&mut receiver, 0, again), Some(vec![(5, 6), (3, 4)]));
        assert_eq!(receiver.delivered(), 2);
    }

    #[test]
    fn a_mark_is_told_at_once() {
        let mut receiver = Receiver::new(OPTIONS);
        assert!(receiver.take(at(0), &data(0), true));
        assert_eq!(receiver.acknowledge(at(0)).marked, 1);
    }
}
