//! What a sender knows of every packet that it has sent and that is not yet acknowledged cumulatively.
//!
//! Packets live in a ring indexed by their number. Counters are kept as packets change state, so the questions asked
//! on every acknowledgement (how much is in flight, what is lost, what to resend) cost a constant, however large the
//! window.

use ackclock_base::{Span, Time};
use std::ops::Range;

/// What is known of one packet.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sent {
    /// When it was last sent.
    pub at: Time,
    /// How often it has been sent.
    pub transmissions: u16,
    marks: u8,
    /// Whether the application had run dry when it was sent.
    app_limited: bool,
    /// Delivery-rate state at its sending (draft-ietf-ccwg-bbr, "Delivery Rate Samples"). The lower half of the count
    /// is enough, since far fewer packets are ever outstanding, and keeps two packets in a cache line.
    delivered: u32,
    delivered_at: Time,
    first_sent_at: Time,
}

const SACKED: u8 = 1;
const LOST: u8 = 2;
const RESENT: u8 = 4;

/// What an acknowledgement newly acknowledged.
#[derive(Clone, Copy, Debug, Default)]
pub struct Newly {
    /// Packets acknowledged cumulatively, whether or not selectively before.
    pub cumulative: u64,
    /// Packets acknowledged for the first time in either way.
    pub delivered: u64,
    /// Whether one of them had been sent more than once.
    pub resent: bool,
    /// The most recently sent of those delivered.
    newest: Option<Sent>,
}

impl Newly {
    /// When the most recently sent of the packets was sent, where that is unambiguous (Karn): none of them had been
    /// sent twice.
    pub fn unambiguous_sending(&self) -> Option<Time> {
        self.newest.filter(|_| !self.resent).map(|sent| sent.at)
    }

    fn deliver(&mut self, sent: Sent) {
        self.delivered += 1;
        self.resent |= sent.transmissions > 1;
        if self.newest.is_none_or(|newest| newest.at <= sent.at) {
            self.newest = Some(sent);
        }
    }
}

/// A delivery rate sample before it is divided.
#[derive(Clone, Copy, Debug)]
pub struct RateSample {
    /// Packets delivered during the interval.
    pub delivered: u64,
    /// The longer of the sending and the acknowledging interval.
    pub interval: Span,
    /// The count of delivered packets when the sampled packet was sent.
    pub prior_delivered: u64,
    /// Whether the application had run dry.
    pub app_limited: bool,
}

/// The most packets that may be outstanding.
pub const MOST_OUTSTANDING: u64 = 1 << 24;

/// How many of the highest selectively acknowledged numbers are kept: the duplicate threshold's upper bound.
pub const MOST_DUPACK_THRESHOLD: u32 = 16;

/// The ledger.
#[derive(Clone, Debug)]
pub struct Ledger {
    ring: Vec<Sent>,
    una: u64,
    next: u64,
    high: u64,
    sacked: u64,
    lost: u64,
    resent: u64,
    /// Packets below this with no acknowledgement are lost (RFC 6675 IsLost).
    frontier: u64,
    /// The next place to look for a lost packet that has not been resent.
    hole: u64,
    /// The highest selectively acknowledged numbers, descending, each plus one; zero where there is none.
    highest: [u64; MOST_DUPACK_THRESHOLD as usize],
    threshold: usize,
    /// The blocks last seen: receivers repeat them, and a repeated block tells nothing new.
    seen: [(u64, u64); 4],
    delivered: u64,
    delivered_at: Time,
    first_sent_at: Time,
}

impl Ledger {
    /// Nothing sent. A packet is lost when `dupack_threshold` later ones have been acknowledged.
    pub fn new(dupack_threshold: u32) -> Self {
        Self {
            ring: vec![Sent::default(); 64],
            una: 0,
            next: 0,
            high: 0,
            sacked: 0,
            lost: 0,
            resent: 0,
            frontier: 0,
            hole: 0,
            highest: [0; MOST_DUPACK_THRESHOLD as usize],
            threshold: dupack_threshold.clamp(1, MOST_DUPACK_THRESHOLD) as usize,
            seen: [(0, 0); 4],
            delivered: 0,
            delivered_at: Time::ZERO,
            first_sent_at: Time::ZERO,
        }
    }

    /// The first packet not acknowledged cumulatively.
    pub fn una(&self) -> u64 {
        self.una
    }

    /// The next packet in line: below [`Self::high`] while going back over what was sent before.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// One past the highest packet ever sent.
    pub fn high(&self) -> u64 {
        self.high
    }

    /// Whether anything is outstanding.
    pub fn is_empty(&self) -> bool {
        self.una == self.high
    }

    /// Packets from the first unacknowledged to the next in line.
    pub fn span(&self) -> u64 {
        self.next - self.una
    }

    /// RFC 6675 SetPipe: packets thought to be in the network.
    pub fn pipe(&self) -> u64 {
        (self.span() + self.resent).saturating_sub(self.sacked + self.lost)
    }

    /// Packets delivered so far, acknowledged either way.
    pub fn delivered(&self) -> u64 {
        self.delivered
    }

    /// Whether any packet above the first unacknowledged one is selectively acknowledged.
    pub fn has_sacked(&self) -> bool {
        self.sacked > 0
    }

    /// Whether the first unacknowledged packet is lost.
    pub fn first_is_lost(&self) -> bool {
        self.frontier > self.una
    }

    /// What is known of an outstanding packet.
    pub fn sent(&self, number: u64) -> &Sent {
        &self.ring[self.slot(number)]
    }

    /// Notes a transmission. `number` is outstanding or [`Self::next`]. Says whether it was the latter.
    pub fn transmit(&mut self, number: u64, now: Time, app_limited: bool) -> bool {
        let in_line = number == self.next;
        debug_assert!((self.una..=self.next).contains(&number));
        if self.is_empty() {
            self.first_sent_at = now;
            self.delivered_at = now;
        }
        if number == self.high {
            self.make_room();
            let slot = self.slot(number);
            self.ring[slot] = Sent::default();
            self.high += 1;
        }
        self.next += u64::from(in_line);
        let (delivered, delivered_at, first_sent_at) =
            (self.delivered as u32, self.delivered_at, self.first_sent_at);
        let slot = self.slot(number);
        let sent = &mut self.ring[slot];
        sent.at = now;
        sent.transmissions = sent.transmissions.saturating_add(1);
        sent.app_limited = app_limited;
        (sent.delivered, sent.delivered_at, sent.first_sent_at) = (delivered, delivered_at, first_sent_at);
        in_line
    }

    /// Marks an outstanding packet as resent, which puts it into the network a second time.
    pub fn resend(&mut self, number: u64) {
        let slot = self.slot(number);
        let sent = &mut self.ring[slot];
        if sent.marks & (RESENT | SACKED) == 0 {
            sent.marks |= RESENT;
            self.resent += 1;
        }
        self.hole += u64::from(number == self.hole);
    }

    /// Takes in a cumulative acknowledgement of everything below `to`, which is at most [`Self::high`].
    pub fn acknowledge(&mut self, to: u64, newly: &mut Newly) {
        newly.cumulative = to.saturating_sub(self.una);
        while self.una < to {
            let slot = self.slot(self.una);
            let sent = self.ring[slot];
            if sent.marks & SACKED != 0 {
                self.sacked -= 1;
            } else {
                self.leave(&sent);
                newly.deliver(sent);
            }
            self.una += 1;
        }
        self.next = self.next.max(self.una);
        self.hole = self.hole.max(self.una);
        self.frontier = self.frontier.max(self.una);
    }

    /// Takes in a selective acknowledgement of a range of packets.
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
            let sent = self.ring[slot];
            if sent.marks & SACKED == 0 {
                self.leave(&sent);
                self.ring[slot].marks = SACKED;
                self.sacked += 1;
                newly.deliver(sent);
                self.note_highest(number);
            }
            number += 1;
        }
        self.advance_frontier(self.highest[self.threshold - 1].saturating_sub(1));
    }

    /// Ends the taking in of one acknowledgement: counts what it delivered, and samples the delivery rate over the
    /// flight of the most recently sent packet.
    pub fn count_delivery(&mut self, now: Time, newly: &Newly) -> Option<RateSample> {
        let sent = newly.newest?;
        self.delivered += newly.delivered;
        self.delivered_at = now;
        self.first_sent_at = sent.at;
        let sending = sent.at.since(sent.first_sent_at);
        let acknowledging = now.since(sent.delivered_at);
        let delivered = u64::from((self.delivered as u32).wrapping_sub(sent.delivered));
        Some(RateSample {
            delivered,
            interval: sending.max(acknowledging),
            prior_delivered: self.delivered - delivered,
            app_limited: sent.app_limited,
        })
    }

    /// The next lost packet that has not been resent (RFC 6675 NextSeg rule 1).
    pub fn next_hole(&mut self) -> Option<u64> {
        self.next_open_below(self.frontier)
    }

    /// The next packet not resent and not acknowledged below the highest acknowledged one (NextSeg rule 3).
    pub fn next_doubtful(&mut self) -> Option<u64> {
        self.next_open_below(self.highest[0].saturating_sub(1))
    }

    /// The first packet that is neither acknowledged nor resent. What is passed over stays so until the search starts
    /// over, so no packet is looked at twice.
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

    /// The highest packet not acknowledged (NextSeg rule 4).
    pub fn last_unacknowledged(&self) -> Option<u64> {
        (self.una..self.next).rev().find(|number| self.ring[self.slot(*number)].marks & SACKED == 0)
    }

    /// Starts looking for holes at the first unacknowledged packet again.
    pub fn restart_holes(&mut self) {
        self.hole = self.una;
    }

    /// After a timeout, go back N: forget selective acknowledgements and put the first unacknowledged packet next in
    /// line.
    pub fn go_back(&mut self) {
        for number in self.una..self.high {
            let slot = self.slot(number);
            self.ring[slot].marks = 0;
        }
        (self.sacked, self.lost, self.resent) = (0, 0, 0);
        self.next = self.una;
        self.forget_blocks();
    }

    /// Takes going back N back: everything is where it was sent to (a spurious timeout).
    pub fn go_forward(&mut self) {
        self.next = self.high;
    }

    /// After a timeout, keep what has been acknowledged selectively; everything else is lost (RFC 6675 section 5.1).
    pub fn all_lost(&mut self) {
        for number in self.una..self.next {
            let slot = self.slot(number);
            let marks = &mut self.ring[slot].marks;
            if *marks & SACKED == 0 {
                self.lost += u64::from(*marks & LOST == 0);
                self.resent -= u64::from(*marks & RESENT != 0);
                *marks = LOST;
            }
        }
        self.frontier = self.next;
        self.hole = self.una;
    }

    /// Nothing is lost after all: what was judged lost and has not been resent is in flight (a spurious timeout).
    pub fn none_lost(&mut self) {
        for number in self.una..self.next {
            let slot = self.slot(number);
            let marks = &mut self.ring[slot].marks;
            if *marks & LOST != 0 {
                self.lost -= 1;
                *marks &= !LOST;
            }
        }
        self.frontier = self.una;
    }

    /// Forgets the selective acknowledgements, as ns-2 does when recovery ends.
    pub fn forget_blocks(&mut self) {
        self.seen = [(0, 0); 4];
        self.highest = [0; MOST_DUPACK_THRESHOLD as usize];
        self.frontier = self.una;
        self.hole = self.una;
    }

    fn slot(&self, number: u64) -> usize {
        (number & (self.ring.len() as u64 - 1)) as usize
    }

    fn make_room(&mut self) {
        let capacity = self.ring.len() as u64;
        if self.high - self.una < capacity {
            return;
        }
        let mut ring = vec![Sent::default(); self.ring.len() * 2];
        let mask = ring.len() as u64 - 1;
        for number in self.una..self.high {
            ring[(number & mask) as usize] = self.ring[self.slot(number)];
        }
        self.ring = ring;
    }

    /// A packet that was not acknowledged before leaves the network.
    fn leave(&mut self, sent: &Sent) {
        self.lost -= u64::from(sent.marks & LOST != 0);
        self.resent -= u64::from(sent.marks & RESENT != 0);
    }

    fn note_highest(&mut self, number: u64) {
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
            if self.ring[slot].marks & (SACKED | LOST) == 0 {
                self.ring[slot].marks |= LOST;
                self.lost += 1;
            }
            number += 1;
        }
        self.frontier = self.frontier.max(end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(count: u64) -> Ledger {
        let mut board = Ledger::new(3);
        for number in 0..count {
            board.transmit(number, Time::from_nanos(number), false);
        }
        board
    }

    fn sack(board: &mut Ledger, start: u64, end: u64) -> Newly {
        let mut newly = Newly::default();
        board.acknowledge_range(board.una() + start..board.una() + end, &mut newly);
        newly
    }

    #[test]
    fn three_later_acknowledgements_make_a_packet_lost() {
        // 0 missing; 1, 2, 3 arrive: RFC 6675 IsLost(0) holds at the third. In flight: 10 - 3 - 1 = 6.
        let mut board = sent(10);
        sack(&mut board, 1, 3);
        assert!(!board.first_is_lost());
        sack(&mut board, 1, 4);
        assert!(board.first_is_lost());
        assert_eq!(board.pipe(), 6);
        assert_eq!(board.next_hole(), Some(0));
        board.transmit(0, Time::from_nanos(20), false);
        board.resend(0);
        assert_eq!((board.pipe(), board.next_hole()), (7, None));
    }

    #[test]
    fn resending_the_last_packet_hides_no_earlier_loss() {
        // The rescue of RFC 6675 rule 4 resends packet 9; that 4 is lost shows only afterwards.
        let mut board = sent(10);
        board.transmit(9, Time::from_nanos(20), false);
        board.resend(9);
        sack(&mut board, 5, 8);
        assert_eq!(board.next_hole(), Some(0));
        (0..4).for_each(|number| board.resend(number));
        assert_eq!(board.next_hole(), Some(4));
    }

    #[test]
    fn a_repeated_block_tells_nothing_new() {
        let mut board = sent(10);
        assert_eq!(sack(&mut board, 2, 5).delivered, 3);
        assert_eq!(sack(&mut board, 2, 5).delivered, 0);
        assert_eq!(sack(&mut board, 2, 7).delivered, 2);
        assert_eq!(sack(&mut board, 1, 7).delivered, 1);
    }

    #[test]
    fn a_cumulative_acknowledgement_settles_the_counters() {
        let mut board = sent(10);
        sack(&mut board, 1, 6);
        board.transmit(0, Time::from_nanos(20), false);
        board.resend(0);
        let mut newly = Newly::default();
        board.acknowledge(6, &mut newly);
        assert_eq!((newly.cumulative, newly.delivered, newly.resent), (6, 1, true));
        assert_eq!(newly.unambiguous_sending(), None);
        assert_eq!((board.pipe(), board.span()), (4, 4));
    }

    #[test]
    fn after_a_timeout_everything_unacknowledged_is_lost_or_gone_over_again() {
        let mut kept = sent(10);
        sack(&mut kept, 4, 6);
        kept.all_lost();
        assert_eq!((kept.pipe(), kept.next_hole()), (0, Some(0)));
        let mut back = sent(10);
        sack(&mut back, 4, 6);
        back.go_back();
        assert_eq!((back.pipe(), back.next(), back.high()), (0, 0, 10));
    }

    #[test]
    fn the_ring_grows_without_forgetting() {
        let mut board = sent(1000);
        assert_eq!(board.sent(700).at, Time::from_nanos(700));
        let mut newly = Newly::default();
        board.acknowledge(999, &mut newly);
        assert_eq!(newly.unambiguous_sending(), Some(Time::from_nanos(998)));
    }

    #[test]
    fn the_delivery_rate_is_counted_over_the_flight() {
        // One packet a millisecond, acknowledged 10 ms later: at the acknowledgement of packet 20 (sent at 20 ms)
        // the count at its sending was 10 (acknowledged up to then: 0..=10 is 11), so 10 packets in 10 ms.
        let mut board = Ledger::new(3);
        let at = |ms: u64| Time::ZERO + Span::from_millis(ms);
        let mut sample = None;
        for ms in 0..=30 {
            if ms >= 10 {
                let mut newly = Newly::default();
                board.acknowledge(ms - 9, &mut newly);
                sample = board.count_delivery(at(ms), &newly);
            }
            board.transmit(ms, at(ms), false);
        }
        let sample = sample.unwrap();
        assert_eq!((sample.delivered, sample.interval), (10, Span::from_millis(10)));
    }
}
