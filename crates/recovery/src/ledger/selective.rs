//! Selective acknowledgements, and the losses that they show by counting (RFC 6675).

use super::{LOST, Ledger, MAX_DUPACK_THRESHOLD, Newly, RESENT, SACKED, STATE};
use std::ops::Range;

impl Ledger {
    /// Returns whether the first unacknowledged packet is lost.
    pub fn first_is_lost(&self) -> bool {
        self.frontier > self.una
    }

    /// Records a selective acknowledgement of a range of packets, and adds to `newly` what it delivers. With a
    /// duplicate threshold above zero, marks as lost every unacknowledged packet that has at least that many
    /// selectively acknowledged packets above it.
    pub fn acknowledge_range(&mut self, range: Range<u64>, newly: &mut Newly) {
        let start = range.start.max(self.una);
        let end = range.end.min(self.next);
        let mut number = match self.seen.iter().position(|seen| seen.0 == start) {
            Some(index) => std::mem::replace(&mut self.seen[index].1, end).clamp(start, end.max(start)),
            None => {
                self.seen.rotate_right(1);
                self.seen[0] = (start, end);
                start
            }
        };
        while number < end {
            let slot = self.slot(number);
            let sent = &mut self.ring[slot];
            if sent.marks & SACKED == 0 {
                let (marks, size) = (sent.marks, u64::from(sent.size));
                sent.marks = marks & !STATE | SACKED;
                newly.deliver(number, sent);
                self.sacked += size;
                self.leave(marks, size);
                self.note(number);
            }
            number += 1;
        }
        if self.threshold > 0 {
            //= RFC 6675 section 4 is-lost: a segment is lost when DupThresh later ones are selectively acknowledged
            self.advance_frontier(self.highest[self.threshold - 1].saturating_sub(1));
        }
    }

    /// Returns the packets that were acknowledged selectively since the last [drain](Self::drain_selective), in
    /// no particular order. Always empty with a duplicate threshold above zero, where no list is kept.
    pub fn selective(&self) -> &[u64] {
        &self.selective
    }

    /// Passes to `each` every packet that was acknowledged selectively since the last call, in no particular order.
    /// Only for rules that find losses themselves: with a duplicate threshold above zero, no list is kept.
    pub fn drain_selective(&mut self, mut each: impl FnMut(&mut Self, u64)) {
        let mut numbers = std::mem::take(&mut self.selective);
        numbers.drain(..).for_each(|number| each(self, number));
        self.selective = numbers;
    }

    /// Returns the next lost packet that has not been retransmitted (RFC 6675 NextSeg rule 1), or `None`.
    pub fn next_hole(&mut self) -> Option<u64> {
        self.next_open_below(self.frontier)
    }

    /// Returns the next packet below the highest acknowledged one that is neither retransmitted nor
    /// acknowledged (RFC 6675 NextSeg rule 3), or `None`.
    pub fn next_doubtful(&mut self) -> Option<u64> {
        self.next_open_below(self.highest[0].saturating_sub(1))
    }

    /// Returns the first packet below `limit` that is neither acknowledged nor retransmitted, or `None`.
    /// Packets that the search has passed stay acknowledged or retransmitted until it is restarted, so it
    /// examines no packet twice.
    fn next_open_below(&mut self, limit: u64) -> Option<u64> {
        self.hole = self.hole.max(self.una);
        while self.hole < limit.min(self.next) {
            if self.ring[self.slot(self.hole)].marks & (SACKED | RESENT) == 0 {
                return Some(self.hole);
            }
            self.hole += 1;
        }
        None
    }

    /// Counts as lost every unacknowledged packet from `from` to the highest selectively acknowledged one.
    /// Returns one past the packets examined, where the next call continues.
    pub fn give_up_holes(&mut self, from: u64) -> u64 {
        let end = self.highest[0].min(self.next);
        (from.max(self.una)..end).for_each(|number| self.give_up(number));
        end.max(from)
    }

    /// Returns the highest unacknowledged packet (RFC 6675 NextSeg rule 4), or `None`.
    pub fn last_unacknowledged(&self) -> Option<u64> {
        (self.una..self.next).rev().find(|number| self.ring[self.slot(*number)].marks & SACKED == 0)
    }

    /// Restarts the search for holes at the first unacknowledged packet.
    pub fn restart_holes(&mut self) {
        self.hole = self.una;
    }

    /// Forgets the SACK blocks seen and the losses that they showed, and restarts the search for holes at
    /// `una`.
    pub fn forget_blocks(&mut self) {
        self.seen = [(0, 0); 4];
        self.highest = [0; MAX_DUPACK_THRESHOLD as usize];
        self.frontier = self.una;
        self.hole = self.una;
    }

    fn note(&mut self, number: u64) {
        if self.threshold == 0 {
            self.selective.push(number);
            return;
        }
        let key = number + 1;
        let kept = &mut self.highest[..self.threshold];
        let place = kept.iter().position(|highest| key > *highest);
        if let Some(place) = place {
            kept[place..].rotate_right(1);
            kept[place] = key;
        }
    }

    fn advance_frontier(&mut self, to: u64) {
        let mut number = self.frontier.max(self.una);
        let end = to.min(self.next);
        while number < end {
            let slot = self.slot(number);
            let sent = &mut self.ring[slot];
            if sent.marks & (SACKED | LOST) == 0 {
                sent.marks |= LOST;
                self.lost += u64::from(sent.size);
                self.give_up(number);
            }
            number += 1;
        }
        self.frontier = self.frontier.max(end);
    }
}
