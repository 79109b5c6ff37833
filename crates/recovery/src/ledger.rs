//! What a sender knows of every packet that it has sent and that is not yet acknowledged cumulatively.
//!
//! Packets live in a ring indexed by their number. Counters are kept as packets change state, so the questions asked
//! on every acknowledgement (how much is in flight, what is lost, what to resend) cost a constant, however large the
//! window.
//!
//! Amounts of data are in the transport's own unit: packets where it counts those, bytes where it counts those.

mod delivery;
#[cfg(test)]
mod tests;

pub use delivery::Sample;

use ackclock_base::Time;
use delivery::Delivery;
use std::ops::Range;

/// What is known of one packet.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sent {
    /// When it was last sent.
    pub at: Time,
    /// The state of the connection at its sending, for the sample of the delivery rate. The lower halves of the counts are
    /// enough, since far less is ever outstanding.
    delivered_at: Time,
    first_sent_at: Time,
    delivered: u32,
    lost: u32,
    tx_in_flight: u32,
    /// How large it is.
    pub size: u16,
    /// How often it has been sent, up to 255 times.
    pub transmissions: u8,
    marks: u8,
}

const SACKED: u8 = 1;
const LOST: u8 = 2;
const RESENT: u8 = 4;
const APP_LIMITED: u8 = 8;
/// Counted as lost since it was last sent.
const GIVEN_UP: u8 = 16;
/// What an acknowledgement or a timeout changes.
const STATE: u8 = SACKED | LOST | RESENT;

/// What an acknowledgement newly acknowledged.
#[derive(Clone, Copy, Debug, Default)]
pub struct Newly {
    /// Packets acknowledged cumulatively, whether or not selectively before.
    pub cumulative: u64,
    /// How much these are.
    pub in_order: u64,
    /// How much is acknowledged for the first time in either way.
    pub delivered: u64,
    /// Whether any of it had been sent more than once.
    pub resent: bool,
    /// The most recently sent of the packets delivered, and when that was.
    newest: Option<(u64, Time)>,
}

impl Newly {
    /// When the most recently sent of the packets was sent, where that is unambiguous (Karn): none of them had been
    /// sent twice.
    pub fn unambiguous_sending(&self) -> Option<Time> {
        self.newest.filter(|_| !self.resent).map(|(_, at)| at)
    }

    fn deliver(&mut self, number: u64, sent: &Sent) {
        self.delivered += u64::from(sent.size);
        self.resent |= sent.transmissions > 1;
        if self.newest.is_none_or(|(_, newest)| newest <= sent.at) {
            self.newest = Some((number, sent.at));
        }
    }
}

/// The most packets that may be outstanding.
pub const MAX_OUTSTANDING: u64 = 1 << 24;

/// How many of the highest selectively acknowledged numbers are kept: the duplicate threshold's upper bound.
pub const MAX_DUPACK_THRESHOLD: u32 = 16;

/// The ledger.
#[derive(Clone, Debug)]
pub struct Ledger {
    ring: Vec<Sent>,
    una: u64,
    next: u64,
    high: u64,
    /// How much lies from `una` to `next`, and how much of it is acknowledged, lost, and resent.
    outstanding: u64,
    sacked: u64,
    lost: u64,
    resent: u64,
    /// Packets below this with no acknowledgement are lost (RFC 6675 IsLost).
    frontier: u64,
    /// The next place to look for a lost packet that has not been resent.
    hole: u64,
    /// The highest selectively acknowledged numbers, descending, each plus one; zero where there is none.
    highest: [u64; MAX_DUPACK_THRESHOLD as usize],
    threshold: usize,
    /// The blocks last seen: receivers repeat them, and a repeated block tells nothing new.
    seen: [(u64, u64); 4],
    delivery: Delivery,
    /// The packets given up since this was last emptied.
    given_up: Vec<u64>,
}

impl Ledger {
    /// Nothing sent. A packet is lost when `dupack_threshold` later ones have been acknowledged.
    pub fn new(dupack_threshold: u32) -> Self {
        Self {
            ring: vec![Sent::default(); 64],
            una: 0,
            next: 0,
            high: 0,
            outstanding: 0,
            sacked: 0,
            lost: 0,
            resent: 0,
            frontier: 0,
            hole: 0,
            highest: [0; MAX_DUPACK_THRESHOLD as usize],
            threshold: dupack_threshold.clamp(1, MAX_DUPACK_THRESHOLD) as usize,
            seen: [(0, 0); 4],
            delivery: Delivery::default(),
            given_up: Vec::new(),
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

    /// RFC 6675 SetPipe: how much is thought to be in the network.
    pub fn pipe(&self) -> u64 {
        (self.outstanding + self.resent).saturating_sub(self.sacked + self.lost)
    }

    /// How much of what was given up has not been sent again.
    pub fn lost(&self) -> u64 {
        self.lost.saturating_sub(self.resent)
    }

    /// What has been delivered and lost since the beginning, and how fast.
    pub fn delivery(&self) -> &Delivery {
        &self.delivery
    }

    /// The application has run dry (draft-ietf-ccwg-bbr section 4.1.2.4): what is sent until all that is in flight now has
    /// been delivered tells nothing of how fast the network is.
    pub fn note_app_limited(&mut self) {
        self.delivery.note_app_limited(self.pipe());
    }

    /// Hands over the packets that were given up for lost since this was last asked, by number, and a sample for each: what
    /// was delivered and lost since it was sent.
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

    /// Notes the transmission of a packet of this size. `number` is outstanding or [`Self::next`]. Says whether it was the
    /// latter.
    #[inline]
    pub fn transmit(&mut self, number: u64, now: Time, size: u16) -> bool {
        let in_line = number == self.next;
        debug_assert!((self.una..=self.next).contains(&number));
        if self.is_empty() {
            self.delivery.begin_flight(now);
        }
        let tx_in_flight = (self.pipe() + u64::from(size)) as u32;
        let slot = if number == self.high {
            self.make_room();
            self.high += 1;
            let slot = self.slot(number);
            self.ring[slot] = Sent { size, ..Sent::default() };
            slot
        } else {
            self.slot(number)
        };
        if in_line {
            self.next += 1;
            self.outstanding += u64::from(size);
        }
        let sent = &mut self.ring[slot];
        sent.at = now;
        sent.transmissions = sent.transmissions.saturating_add(1);
        sent.tx_in_flight = tx_in_flight;
        self.delivery.stamp(sent);
        in_line
    }

    /// Marks an outstanding packet as resent, which puts it into the network a second time.
    pub fn resend(&mut self, number: u64) {
        let slot = self.slot(number);
        let sent = &mut self.ring[slot];
        if sent.marks & (RESENT | SACKED) == 0 {
            sent.marks |= RESENT;
            self.resent += u64::from(sent.size);
        }
        self.hole += u64::from(number == self.hole);
    }

    /// Takes in a cumulative acknowledgement of everything below `to`, which is at most [`Self::high`].
    #[inline]
    pub fn acknowledge(&mut self, to: u64, newly: &mut Newly) {
        newly.cumulative = to.saturating_sub(self.una);
        for number in self.una..to {
            let slot = self.slot(number);
            let sent = &self.ring[slot];
            let size = u64::from(sent.size);
            newly.in_order += size;
            if number < self.next {
                self.outstanding -= size;
            }
            if sent.marks & SACKED != 0 {
                self.sacked -= size;
            } else {
                newly.deliver(number, sent);
                let marks = sent.marks;
                self.leave(marks, size);
            }
        }
        self.una = self.una.max(to);
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
            let sent = &mut self.ring[slot];
            if sent.marks & SACKED == 0 {
                let (marks, size) = (sent.marks, u64::from(sent.size));
                sent.marks = marks & !STATE | SACKED;
                newly.deliver(number, sent);
                self.sacked += size;
                self.leave(marks, size);
                self.note_highest(number);
            }
            number += 1;
        }
        self.advance_frontier(self.highest[self.threshold - 1].saturating_sub(1));
    }

    /// Ends the taking in of one acknowledgement: counts what it delivered, and samples the delivery rate over the
    /// flight of the most recently sent packet.
    #[inline]
    pub fn count_delivery(&mut self, now: Time, newly: &Newly) -> Option<Sample> {
        let (number, _) = newly.newest?;
        let sent = &self.ring[self.slot(number)];
        Some(self.delivery.sample(now, newly.delivered, sent))
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
            self.give_up(number);
            let slot = self.slot(number);
            self.ring[slot].marks &= !STATE;
        }
        (self.outstanding, self.sacked, self.lost, self.resent) = (0, 0, 0, 0);
        self.next = self.una;
        self.forget_blocks();
    }

    /// Takes going back N back: everything is where it was sent to (a spurious timeout).
    pub fn go_forward(&mut self) {
        self.outstanding +=
            (self.next..self.high).map(|number| u64::from(self.sent(number).size)).sum::<u64>();
        self.next = self.high;
    }

    /// After a timeout, keep what has been acknowledged selectively; everything else is lost (RFC 6675 section 5.1).
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

    /// Nothing is lost after all: what was judged lost and has not been resent is in flight (a spurious timeout).
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

    /// Forgets the selective acknowledgements, as ns-2 does when recovery ends.
    pub fn forget_blocks(&mut self) {
        self.seen = [(0, 0); 4];
        self.highest = [0; MAX_DUPACK_THRESHOLD as usize];
        self.frontier = self.una;
        self.hole = self.una;
    }

    fn slot(&self, number: u64) -> usize {
        (number & (self.ring.len() as u64 - 1)) as usize
    }

    #[inline]
    fn make_room(&mut self) {
        if self.high - self.una == self.ring.len() as u64 {
            self.double();
        }
    }

    #[cold]
    fn double(&mut self) {
        let mut ring = vec![Sent::default(); self.ring.len() * 2];
        let mask = ring.len() as u64 - 1;
        for number in self.una..self.high {
            ring[(number & mask) as usize] = self.ring[self.slot(number)];
        }
        self.ring = ring;
    }

    /// A packet that was not acknowledged before leaves the network.
    #[inline]
    fn leave(&mut self, marks: u8, size: u64) {
        if marks & (LOST | RESENT) != 0 {
            self.lost -= if marks & LOST == 0 { 0 } else { size };
            self.resent -= if marks & RESENT == 0 { 0 } else { size };
        }
    }

    /// Counts a packet as lost, unless it is acknowledged or has been counted since it was last sent. What is in flight is
    /// not changed: that is the rule's business.
    pub fn give_up(&mut self, number: u64) {
        let slot = self.slot(number);
        let sent = &mut self.ring[slot];
        if sent.marks & (SACKED | GIVEN_UP) == 0 {
            sent.marks |= GIVEN_UP;
            self.delivery.count_lost(u64::from(sent.size));
            self.given_up.push(number);
        }
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
