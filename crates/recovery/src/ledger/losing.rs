//! Marking packets as lost, and undoing the mark.

use super::{GIVEN_UP, LOST, Ledger, RESENT, SACKED, STATE, Sample, Sent};
use ackclock_base::Time;

impl Ledger {
    /// Passes to `each` every packet that was counted as lost since the last call, by number, with a sample of what was
    /// delivered and lost since it was sent.
    #[inline]
    pub fn drain_given_up(&mut self, each: impl FnMut(u64, &Sent, Sample)) {
        if !self.given_up.is_empty() {
            self.drain_each_given_up(each);
        }
    }

    #[cold]
    fn drain_each_given_up(&mut self, mut each: impl FnMut(u64, &Sent, Sample)) {
        for &number in &self.given_up {
            let sent = &self.ring[(number & (self.ring.len() as u64 - 1)) as usize];
            each(number, sent, self.delivery.sample_of_lost(sent));
        }
        self.given_up.clear();
    }

    /// Counts a packet as lost, unless it is acknowledged or has already been counted since it was last sent.
    /// The flight does not change: that is up to the rule.
    pub fn give_up(&mut self, number: u64) {
        let slot = self.slot(number);
        let sent = &mut self.ring[slot];
        if sent.marks & (SACKED | GIVEN_UP) == 0 {
            sent.marks |= GIVEN_UP;
            self.delivery.count_lost(u64::from(sent.size));
            self.given_up.push(number);
        }
    }

    /// Marks a packet as lost. If it had been retransmitted, the retransmission is lost as well. For rules
    /// that find losses themselves.
    pub fn lose(&mut self, number: u64) {
        let slot = self.slot(number);
        let sent = &mut self.ring[slot];
        let (marks, size) = (sent.marks, u64::from(sent.size));
        if marks & SACKED == 0 {
            self.lost += if marks & LOST == 0 { size } else { 0 };
            self.resent -= if marks & RESENT == 0 { 0 } else { size };
            sent.marks = marks & !RESENT | LOST;
            self.give_up(number);
        }
    }

    /// Records that the data of a packet has been sent before, under another number or before the sender went
    /// back, so that its acknowledgement gives no round trip sample (Karn). [`Sent::transmissions`] is then at
    /// least 2.
    pub fn note_ambiguous(&mut self, number: u64) {
        let slot = self.slot(number);
        let sent = &mut self.ring[slot];
        sent.transmissions = sent.transmissions.max(2);
    }

    /// Returns whether a packet is lost, not retransmitted since, and not acknowledged.
    pub fn is_lost(&self, number: u64) -> bool {
        (self.una..self.next).contains(&number) && self.sent(number).marks & STATE == LOST
    }

    /// Returns whether an outstanding packet has been retransmitted and not been marked lost since.
    pub fn is_resent(&self, number: u64) -> bool {
        self.sent(number).marks & RESENT != 0
    }

    /// Returns the lowest lost packet, whether or not it has been retransmitted; `None` if nothing is lost.
    pub fn lowest_lost(&self) -> Option<u64> {
        let mut lost = (self.una..self.next).filter(|number| self.sent(*number).marks & LOST != 0);
        if self.lost > 0 { lost.next() } else { None }
    }

    /// Returns whether the transmission of a packet at time `at` is still thought to be in the network.
    pub fn is_in_flight(&self, number: u64, at: Time) -> bool {
        let sent = self.sent(number);
        (self.una..self.next).contains(&number)
            && sent.at == at
            && sent.marks & SACKED == 0
            && sent.marks & (LOST | RESENT) != LOST
    }

    /// Releases packets at the front that are acknowledged, or lost and sent before `until`. For transports
    /// that never use a number twice, where nothing else happens to these packets.
    pub fn settle(&mut self, until: Time) {
        while self.una < self.next {
            let sent = self.sent(self.una);
            let (marks, size) = (sent.marks, u64::from(sent.size));
            if marks & SACKED != 0 {
                self.sacked -= size;
            } else if marks & STATE == LOST && sent.at < until {
                self.lost -= size;
            } else {
                break;
            }
            self.outstanding -= size;
            self.una += 1;
        }
    }

    /// Goes back N after a timeout: counts as lost what is not acknowledged, forgets selective
    /// acknowledgements, and makes the first unacknowledged packet the next to send.
    pub fn go_back(&mut self) {
        for number in self.una..self.high {
            self.give_up(number);
            let slot = self.slot(number);
            self.ring[slot].marks &= !STATE;
        }
        (self.outstanding, self.sacked, self.lost, self.resent) = (0, 0, 0, 0);
        self.next = self.una;
        self.forget_blocks();
    }

    /// Undoes going back N after a spurious timeout: the next packet to send is the first that was never
    /// sent.
    pub fn go_forward(&mut self) {
        self.outstanding +=
            (self.next..self.high).map(|number| u64::from(self.sent(number).size)).sum::<u64>();
        self.next = self.high;
    }

    //= RFC 6675 section 5.1 use: after a timeout, selectively acknowledged data is not retransmitted
    /// Marks everything as lost after a timeout, except what has been acknowledged selectively (RFC 6675
    /// section 5.1).
    pub fn all_lost(&mut self) {
        for number in self.una..self.next {
            self.give_up(number);
            let slot = self.slot(number);
            let sent = &mut self.ring[slot];
            let (marks, size) = (sent.marks, u64::from(sent.size));
            if marks & SACKED == 0 {
                self.lost += if marks & LOST == 0 { size } else { 0 };
                self.resent -= if marks & RESENT == 0 { 0 } else { size };
                sent.marks = marks & !STATE | LOST;
            }
        }
        self.frontier = self.next;
        self.hole = self.una;
    }

    /// Removes the mark from every lost packet when the last loss or timeout proves spurious: those packets are
    /// in flight, and count twice if they were also retransmitted. The total of what was counted as lost stays.
    pub fn none_lost(&mut self) {
        for number in self.una..self.next {
            let slot = self.slot(number);
            let sent = &mut self.ring[slot];
            if sent.marks & LOST != 0 {
                self.lost -= u64::from(sent.size);
                sent.marks &= !LOST;
            }
        }
        self.frontier = self.una;
    }
}
