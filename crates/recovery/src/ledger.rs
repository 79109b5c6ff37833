//! What a sender knows of every packet that it has sent and that is not yet acknowledged cumulatively.
//!
//! Packets live in a ring indexed by their number. Counters are kept as packets change state, so the questions asked
//! on every acknowledgement (how much is in flight, what is lost, what to resend) cost a constant, however large the
//! window.
//!
//! Amounts of data are in the transport's own unit: packets where it counts those, bytes where it counts those.

mod delivery;
mod losing;
mod selective;
#[cfg(test)]
mod tests;

pub use delivery::Sample;

use ackclock_base::Time;
use delivery::Delivery;

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

    /// Whether the most recently sent of the packets is this one.
    pub fn newest_is(&self, number: u64) -> bool {
        self.newest.is_some_and(|(newest, _)| newest == number)
    }

    fn deliver(&mut self, number: u64, sent: &Sent) {
        self.delivered += u64::from(sent.size);
        self.resent |= sent.transmissions > 1;
        // Of what left at the same time the highest number is the newest, in whatever order ranges name them.
        if self.newest.is_none_or(|newest| (newest.1, newest.0) <= (sent.at, number)) {
            self.newest = Some((number, sent.at));
        }
    }
}

/// The most packets that may be outstanding.
pub const MAX_OUTSTANDING: u64 = 1 << 24;

/// Room for so many packets at first, then for so many, then twice as many each time: most flows that ever leave the first round
/// trips behind have windows of tens of packets.
const FIRST_ROOM: usize = 16;
const NEXT_ROOM: usize = 64;

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
    /// Packets from `una` to this with no acknowledgement are lost (RFC 6675 IsLost).
    frontier: u64,
    /// The next place to look for a lost packet that has not been resent, if that is not below `una`.
    hole: u64,
    /// The highest selectively acknowledged numbers, descending, each plus one; zero where there is none.
    highest: [u64; MAX_DUPACK_THRESHOLD as usize],
    threshold: usize,
    /// The blocks last seen: receivers repeat them, and a repeated block tells nothing new.
    seen: [(u64, u64); 4],
    delivery: Delivery,
    /// The packets given up since this was last emptied.
    given_up: Vec<u64>,
    /// The packets acknowledged selectively since this was last emptied, where later ones are not counted.
    selective: Vec<u64>,
}

impl Sent {
    /// Whether the packet is acknowledged selectively.
    pub fn is_sacked(&self) -> bool {
        self.marks & SACKED != 0
    }

    /// Whether it has been given up for lost since it was last sent.
    pub fn is_given_up(&self) -> bool {
        self.marks & GIVEN_UP != 0
    }
}

impl Ledger {
    /// Nothing sent. A packet is lost when `dupack_threshold` later ones have been acknowledged; with a threshold of zero
    /// none is lost by counting, and finding losses is left to the rule.
    pub fn new(dupack_threshold: u32) -> Self {
        Self {
            ring: vec![Sent::default(); FIRST_ROOM],
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
            threshold: dupack_threshold.min(MAX_DUPACK_THRESHOLD) as usize,
            seen: [(0, 0); 4],
            delivery: Delivery::default(),
            given_up: Vec::new(),
            selective: Vec::new(),
        }
    }

    /// SND.UNA: the first packet not acknowledged cumulatively.
    pub fn una(&self) -> u64 {
        self.una
    }

    /// SND.NXT, the next packet in line: below [`Self::high`] while going back over what was sent before.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// One past the highest packet ever sent (BSD's SND.MAX).
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
        //= RFC 6675 section 4 pipe: in flight is what is outstanding, less acknowledged and lost, plus retransmitted
        let (sent, gone) = (self.outstanding + self.resent, self.sacked + self.lost);
        debug_assert!(sent >= gone, "{gone} units are acknowledged or lost of {sent} that are outstanding");
        sent - gone
    }

    /// Whether all that is outstanding is in the network, sent in line: none of it is acknowledged selectively, lost, or to be
    /// sent again. [Acknowledgements in order](Self::acknowledge_in_order) and [packets in line](Self::transmit_in_line) leave
    /// it so.
    pub fn is_in_order(&self) -> bool {
        (self.sacked | self.lost | self.resent) == 0 && self.next == self.high && !self.first_is_lost()
    }

    /// How much is outstanding.
    #[inline]
    pub fn outstanding(&self) -> u64 {
        self.outstanding
    }

    /// How much is outstanding and not acknowledged in either way.
    pub fn unacknowledged(&self) -> u64 {
        self.outstanding - self.sacked
    }

    /// How much of what was given up has not been sent again. RFC 6675's third rule sends packets again that were not given up,
    /// which may be more than were.
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

    /// Whether any packet above the first unacknowledged one is selectively acknowledged.
    pub fn has_sacked(&self) -> bool {
        self.sacked > 0
    }

    /// What is known of an outstanding packet.
    pub fn sent(&self, number: u64) -> &Sent {
        &self.ring[self.slot(number)]
    }

    /// Notes the transmission of a packet of this size. `number` is outstanding or [`Self::next`]. Says whether it was the
    /// latter.
    #[inline]
    pub fn transmit(&mut self, number: u64, now: Time, size: u16) -> bool {
        debug_assert!(
            (self.una..=self.next).contains(&number),
            "packet {number} is neither outstanding nor the next"
        );
        let in_flight = self.pipe() + u64::from(size);
        if number == self.high {
            self.append(now, size, in_flight);
            return true;
        }
        if in_flight == u64::from(size) {
            self.delivery.begin_flight(now); // all that was outstanding is lost: there is nothing in the network either
        }
        let in_line = number == self.next;
        if in_line {
            self.next += 1;
            self.outstanding += u64::from(size);
        }
        let slot = self.slot(number);
        let sent = &mut self.ring[slot];
        let again = Sent { at: now, transmissions: sent.transmissions.saturating_add(1), ..*sent };
        *sent = self.delivery.stamp(again, in_flight);
        in_line
    }

    /// Notes the transmission of [`Self::next`] where the ledger [is in order](Self::is_in_order).
    #[inline]
    pub fn transmit_in_line(&mut self, now: Time, size: u16) {
        self.append(now, size, self.outstanding + u64::from(size));
    }

    /// Notes the first transmission of a packet, with which so much is in flight.
    #[inline]
    fn append(&mut self, now: Time, size: u16, in_flight: u64) {
        if self.is_empty() {
            self.delivery.begin_flight(now);
        }
        self.make_room();
        let slot = self.slot(self.high);
        self.high += 1;
        self.next += 1;
        self.outstanding += u64::from(size);
        let first = Sent { at: now, size, transmissions: 1, ..Sent::default() };
        self.ring[slot] = self.delivery.stamp(first, in_flight);
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
        debug_assert!(to <= self.high, "packets below {to} are acknowledged, and {} were sent", self.high);
        newly.cumulative = to.saturating_sub(self.una); // an acknowledgement may be older than the last
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
    }

    /// The same where the ledger [is in order](Self::is_in_order).
    #[inline]
    pub fn acknowledge_in_order(&mut self, to: u64, newly: &mut Newly) {
        newly.cumulative = to - self.una;
        for number in self.una..to {
            newly.deliver(number, &self.ring[self.slot(number)]);
        }
        newly.in_order = newly.delivered;
        self.outstanding -= newly.delivered;
        self.una = to;
    }

    /// Ends the taking in of one acknowledgement: counts what it delivered, and samples the delivery rate over the
    /// flight of the most recently sent packet.
    #[inline]
    pub fn count_delivery(&mut self, now: Time, newly: &Newly) -> Option<Sample> {
        let (number, _) = newly.newest?;
        let sent = &self.ring[self.slot(number)];
        Some(self.delivery.sample(now, newly.delivered, sent))
    }

    fn slot(&self, number: u64) -> usize {
        (number & (self.ring.len() as u64 - 1)) as usize
    }

    #[inline]
    fn make_room(&mut self) {
        if self.high - self.una == self.ring.len() as u64 {
            self.widen();
        }
    }

    /// Places from the beginning up to the old size are the old ones, so what moves finds its new place free.
    #[cold]
    fn widen(&mut self) {
        let before = self.ring.len();
        self.ring.resize((2 * before).max(NEXT_ROOM), Sent::default());
        for number in self.una..self.high {
            let (from, to) = (number as usize & (before - 1), self.slot(number));
            self.ring[to] = self.ring[from];
        }
    }

    /// A packet that was not acknowledged before leaves the network.
    #[inline]
    fn leave(&mut self, marks: u8, size: u64) {
        if marks & (LOST | RESENT) != 0 {
            self.lost -= if marks & LOST == 0 { 0 } else { size };
            self.resent -= if marks & RESENT == 0 { 0 } else { size };
        }
    }
}
