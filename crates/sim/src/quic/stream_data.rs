//! Stream data: which piece each packet carries, and which pieces have to be retransmitted.

use crate::ranges::Ranges;
use std::collections::VecDeque;

/// The sender's side of a stream.
#[derive(Clone, Debug, Default)]
pub struct StreamData {
    /// The number of the first packet in `carried`, which holds the piece of each packet from that number on.
    first: u64,
    carried: VecDeque<u64>,
    /// The pieces of lost packets that wait for retransmission.
    again: VecDeque<u64>,
    /// The pieces that are known to have arrived.
    arrived: Ranges,
    /// The next piece to be sent for the first time, and the number of pieces that the application has given
    /// to send.
    next: u64,
    total: u64,
    repeated: u64,
}

impl StreamData {
    /// Creates a stream of `total` pieces.
    pub fn new(total: u64) -> Self {
        Self { total, ..Self::default() }
    }

    /// Returns the piece for the packet with the next number: the first lost piece, otherwise the next new
    /// one, otherwise, for a probe, the piece of the first packet that is not settled (RFC 9002 section
    /// 6.2.4).
    ///
    /// # Panics
    ///
    /// If all packets are settled and no piece is left.
    #[inline]
    pub fn load(&mut self) -> u64 {
        let piece = match self.again.pop_front() {
            Some(lost) => {
                self.repeated += 1;
                lost
            }
            None if self.next < self.total => {
                self.next += 1;
                self.next - 1
            }
            None => {
                self.repeated += 1;
                let Some(&oldest) = self.carried.front() else {
                    panic!("a packet was sent without stream data")
                };
                oldest
            }
        };
        self.carried.push_back(piece);
        piece
    }

    /// Called when packet `number` has been acknowledged. Returns the number of pieces that no longer have to
    /// be retransmitted because of that.
    #[inline]
    pub fn on_acked(&mut self, number: u64) -> u64 {
        let Some(piece) = self.carried_by(number) else { return 0 };
        self.arrived.insert(piece);
        if self.again.is_empty() { 0 } else { self.take_out(piece) }
    }

    /// Called when packet `number` is lost. Returns whether its piece now waits for retransmission, which it
    /// does unless another packet has delivered it.
    pub fn on_lost(&mut self, number: u64) -> bool {
        let piece = self.carried_by(number).filter(|piece| !self.arrived.holds(*piece));
        self.again.extend(piece);
        piece.is_some()
    }

    fn carried_by(&self, number: u64) -> Option<u64> {
        self.carried.get((number - self.first) as usize).copied()
    }

    #[cold]
    fn take_out(&mut self, piece: u64) -> u64 {
        let before = self.again.len();
        self.again.retain(|waiting| *waiting != piece);
        (before - self.again.len()) as u64
    }

    /// Forgets packets below `until`, all of which are acknowledged or lost for good.
    #[inline]
    pub fn settle(&mut self, until: u64) {
        while self.first < until && self.carried.pop_front().is_some() {
            self.first += 1;
        }
    }

    /// Returns the number of the first packet that is not settled.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// Adds `pieces` pieces of the application.
    pub fn add(&mut self, pieces: u64) {
        self.total = self.total.saturating_add(pieces);
    }

    /// Called when the application has no more data to send. Drops the pieces that have not been sent yet.
    /// Returns the number of pieces that wait for retransmission.
    pub fn stop(&mut self) -> u64 {
        self.total = self.next;
        self.again.len() as u64
    }

    /// Returns the number of packets loaded since the last call with a piece that had been sent before.
    pub fn take_repeated(&mut self) -> u64 {
        std::mem::take(&mut self.repeated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_pieces_are_sent_before_new_ones() {
        let mut stream = StreamData::new(5);
        assert_eq!((0..3).map(|_| stream.load()).collect::<Vec<_>>(), [0, 1, 2]);
        stream.on_lost(1);
        stream.settle(1);
        // Packets 3, 4 and 5 carry piece 1 once more, and pieces 3 and 4.
        assert_eq!((0..3).map(|_| stream.load()).collect::<Vec<_>>(), [1, 3, 4]);
        stream.on_lost(3);
        assert_eq!(stream.load(), 1, "lost a second time");
        assert_eq!(
            stream.load(),
            1,
            "a probe carries what the first packet did that is not settled: packet 1"
        );
        assert_eq!(stream.take_repeated(), 3);
    }

    #[test]
    fn pieces_that_arrived_in_another_packet_are_not_retransmitted() {
        let mut stream = StreamData::new(2);
        (0..3).for_each(|_| _ = stream.load()); // packets 0 and 1, and packet 2 with piece 0 as a probe
        assert_eq!(stream.on_acked(2), 0);
        assert!(!stream.on_lost(0));
        assert!(stream.on_lost(1));
        assert_eq!(stream.on_acked(1), 1, "not lost after all");
        stream.add(1);
        assert_eq!(stream.load(), 2);
    }

    #[test]
    fn after_a_stop_only_lost_pieces_are_sent() {
        let mut stream = StreamData::new(100);
        (0..4).for_each(|_| _ = stream.load());
        stream.on_lost(0);
        stream.on_lost(2);
        assert_eq!(stream.stop(), 2);
        assert_eq!((stream.load(), stream.load()), (0, 2));
    }
}
