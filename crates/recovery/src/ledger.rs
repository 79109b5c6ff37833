//! The sender's state of every packet that has been sent and is not yet acknowledged cumulatively.
//!
//! Packets are kept in a ring indexed by their number. Counters are updated when a packet changes state, so
//! the questions asked at every acknowledgement (how much is in flight, what is lost, what to retransmit)
//! have a constant cost, however large the window.
//!
//! Amounts of data are in the transport's own unit: packets or bytes.

mod delivery;
mod losing;
mod selective;
#[cfg(test)]
mod tests;

pub use delivery::Sample;

use ackclock_base::Time;
use delivery::Delivery;

/// The state of one packet.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sent {
    /// When the packet was last sent.
    pub at: Time,
    /// This and the next four fields: the state of the connection when the packet was sent, for the sample of
    /// the delivery rate. The lower halves of the counts suffice, because far less is ever outstanding.
    delivered_at: Time,
    first_sent_at: Time,
    delivered: u32,
    lost: u32,
    tx_in_flight: u32,
    /// The size of the packet in the transport's unit: 1 if that is packets.
    pub size: u16,
    /// The number of times that the packet has been sent, up to 255; at least 2 where its data has been sent
    /// before under another number ([`Ledger::note_ambiguous`]).
    pub transmissions: u8,
    marks: u8,
}

const SACKED: u8 = 1;
const LOST: u8 = 2;
const RESENT: u8 = 4;
const APP_LIMITED: u8 = 8;
/// The packet has been counted as lost since it was last sent.
const GIVEN_UP: u8 = 16;
/// The marks that a selective acknowledgement or a timeout clears before it sets its own.
const STATE: u8 = SACKED | LOST | RESENT;

/// The packets that an acknowledgement newly acknowledged.
#[derive(Clone, Copy, Debug, Default)]
pub struct Newly {
    /// The number of packets acknowledged cumulatively, whether or not they were acknowledged selectively
    /// before.
    pub cumulative: u64,
    /// The amount of data in those packets.
    pub in_order: u64,
    /// The amount of data acknowledged for the first time, cumulatively or selectively.
    pub delivered: u64,
    /// The number of delivered packets that had been sent more than once.
    pub retransmitted: u32,
    /// The number and sending time of the delivered packet that was sent last; `None` if nothing was
    /// delivered.
    newest: Option<(u64, Time)>,
}

impl Newly {
    /// Returns when the last sent of the delivered packets was sent; `None` if that is ambiguous (Karn),
    /// because one of them had been sent twice, or if nothing was delivered.
    pub fn unambiguous_sending(&self) -> Option<Time> {
        self.newest.filter(|_| self.retransmitted == 0).map(|(_, at)| at)
    }

    /// Returns whether the last sent of the delivered packets is `number`.
    pub fn newest_is(&self, number: u64) -> bool {
        self.newest.is_some_and(|(newest, _)| newest == number)
    }

    fn deliver(&mut self, number: u64, sent: &Sent) {
        self.delivered += u64::from(sent.size);
        self.retransmitted += u32::from(sent.transmissions > 1);
        // Of packets sent at the same time, the highest number is the newest, whatever the order of the
        // ranges.
        if self.newest.is_none_or(|newest| (newest.1, newest.0) <= (sent.at, number)) {
            self.newest = Some((number, sent.at));
        }
    }
}

/// The maximum number of outstanding packets.
pub const MAX_OUTSTANDING: u64 = 1 << 24;

/// The initial size of the ring, in packets. The first growth makes it [`NEXT_ROOM`], and each later one
/// doubles it. Most flows that survive the first round trips have windows of tens of packets.
const FIRST_ROOM: usize = 16;
const NEXT_ROOM: usize = 64;

/// The upper bound of the duplicate threshold, and so the number of highest selectively acknowledged numbers
/// that are kept.
pub const MAX_DUPACK_THRESHOLD: u32 = 16;

/// The ledger of sent packets.
#[derive(Clone, Debug)]
pub struct Ledger {
    ring: Vec<Sent>,
    una: u64,
    next: u64,
    high: u64,
    /// The amount of data from `una` to `next`. `sacked`, `lost` and `resent` are the acknowledged, lost and
    /// retransmitted parts of it.
    outstanding: u64,
    sacked: u64,
    lost: u64,
    resent: u64,
    /// Unacknowledged packets below this number are lost (RFC 6675 IsLost).
    frontier: u64,
    /// The packet at which the search for a packet to retransmit continues, or `una` if that is higher.
    hole: u64,
    /// The highest selectively acknowledged numbers, descending, each plus one; zero in unused entries.
    highest: [u64; MAX_DUPACK_THRESHOLD as usize],
    threshold: usize,
    /// The SACK blocks seen last. Receivers repeat blocks, and a repeated block acknowledges nothing new.
    seen: [(u64, u64); 4],
    delivery: Delivery,
    /// The packets counted as lost since this list was last drained.
    given_up: Vec<u64>,
    /// The packets acknowledged selectively since this list was last drained; filled only with a duplicate
    /// threshold of zero.
    selective: Vec<u64>,
}

impl Sent {
    /// Returns whether the packet is acknowledged selectively.
    pub fn is_sacked(&self) -> bool {
        self.marks & SACKED != 0
    }

    /// Returns whether the packet has been counted as lost since it was last sent.
    pub fn is_given_up(&self) -> bool {
        self.marks & GIVEN_UP != 0
    }
}

impl Ledger {
    /// Creates an empty ledger. A packet is lost when `dupack_threshold` later ones have been acknowledged
    /// selectively. With a threshold of zero no packet is lost by counting, and the rule has to find losses.
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

    /// Returns SND.UNA: the first packet not acknowledged cumulatively.
    pub fn una(&self) -> u64 {
        self.una
    }

    /// Returns SND.NXT, the next packet to send in order. It is below [`Self::high`] while the sender goes
    /// back over what was sent before.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Returns one past the highest packet ever sent (BSD's SND.MAX).
    pub fn high(&self) -> u64 {
        self.high
    }

    /// Returns whether nothing is outstanding.
    pub fn is_empty(&self) -> bool {
        self.una == self.high
    }

    /// Returns the number of packets from the first unacknowledged one to the one before [`Self::next`].
    pub fn span(&self) -> u64 {
        self.next - self.una
    }

    /// Returns the amount thought to be in the network (RFC 6675 SetPipe).
    pub fn pipe(&self) -> u64 {
        //= RFC 6675 section 4 pipe: data in flight (pipe) is outstanding data, minus SACKed and lost data, plus retransmitted data
        let (sent, gone) = (self.outstanding + self.resent, self.sacked + self.lost);
        assert!(sent >= gone, "{gone} units are acknowledged or lost of {sent} that are outstanding");
        sent - gone
    }

    /// Returns whether everything outstanding is in the network and was sent in order: no part of it is
    /// acknowledged selectively, lost or to be retransmitted. [Acknowledgements in
    /// order](Self::acknowledge_in_order) and [packets in order](Self::transmit_in_line) keep this so.
    pub fn is_in_order(&self) -> bool {
        (self.sacked | self.lost | self.resent) == 0 && self.next == self.high && !self.first_is_lost()
    }

    /// Returns the amount of data from [`Self::una`] to [`Self::next`], including what is acknowledged
    /// selectively or lost.
    #[inline]
    pub fn outstanding(&self) -> u64 {
        self.outstanding
    }

    /// Returns the amount outstanding that is acknowledged neither cumulatively nor selectively.
    pub fn unacknowledged(&self) -> u64 {
        self.outstanding - self.sacked
    }

    /// Returns the amount marked lost and not retransmitted. RFC 6675's third rule also retransmits packets
    /// that were not marked lost. If more is retransmitted than is marked lost, the result is zero.
    pub fn lost(&self) -> u64 {
        self.lost.saturating_sub(self.resent)
    }

    /// Returns the totals of what was delivered and lost since the beginning, and the state for rate samples.
    pub fn delivery(&self) -> &Delivery {
        &self.delivery
    }

    /// Called when the application has no more data to send (draft-ietf-ccwg-bbr section 4.1.2.4). Packets
    /// sent until everything in flight now has been delivered do not show how fast the network is.
    pub fn note_app_limited(&mut self) {
        self.delivery.note_app_limited(self.pipe());
    }

    /// Returns the amount acknowledged selectively.
    pub fn sacked(&self) -> u64 {
        self.sacked
    }

    /// Returns the amount marked lost, whether or not it has been retransmitted (Linux's lost_out).
    pub fn marked_lost(&self) -> u64 {
        self.lost
    }

    /// Returns the amount of retransmissions thought to be in the network (Linux's retrans_out).
    pub fn resent(&self) -> u64 {
        self.resent
    }

    /// Returns whether any packet above the first unacknowledged one is selectively acknowledged.
    pub fn has_sacked(&self) -> bool {
        self.sacked > 0
    }

    /// Returns the state of an outstanding packet.
    pub fn sent(&self, number: u64) -> &Sent {
        &self.ring[self.slot(number)]
    }

    /// Records the transmission of a packet of size `size`. `number` is outstanding or [`Self::next`].
    /// Returns whether it was [`Self::next`].
    #[inline]
    pub fn transmit(&mut self, number: u64, now: Time, size: u16) -> bool {
        debug_assert!(
            (self.una..=self.next).contains(&number),
            "packet {number} is neither outstanding nor the next to be sent"
        );
        let in_flight = self.pipe() + u64::from(size);
        if number == self.high {
            self.append(now, size, in_flight);
            return true;
        }
        if in_flight == u64::from(size) {
            self.delivery.begin_flight(now); // everything outstanding is lost, so nothing is in the network
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

    /// Records the first transmission of [`Self::next`]. The ledger must be [in order](Self::is_in_order).
    #[inline]
    pub fn transmit_in_line(&mut self, now: Time, size: u16) {
        self.append(now, size, self.outstanding + u64::from(size));
    }

    /// Records the first transmission of a packet, after which `in_flight` is in flight.
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

    /// Marks an outstanding packet as retransmitted, which adds the retransmission to [`Self::pipe`]. The
    /// original counts beside it unless it is marked lost. If the packet is acknowledged selectively or
    /// already marked as retransmitted, nothing is added.
    pub fn resend(&mut self, number: u64) {
        let slot = self.slot(number);
        let sent = &mut self.ring[slot];
        if sent.marks & (RESENT | SACKED) == 0 {
            sent.marks |= RESENT;
            self.resent += u64::from(sent.size);
        }
        self.hole += u64::from(number == self.hole);
    }

    /// Records a cumulative acknowledgement of everything below `to`, which is at most [`Self::high`].
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

    /// Records a cumulative acknowledgement of everything below `to`, which is at least [`Self::una`] and at
    /// most [`Self::high`]. The ledger must be [in order](Self::is_in_order), and `newly` must be empty.
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

    /// Ends the processing of an acknowledgement: counts what it delivered, and samples the delivery rate
    /// over the flight of that delivered packet which was sent last. Returns `None` if nothing was delivered.
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

    /// Doubles the ring. A packet keeps its slot or moves into the new part, where every slot is free.
    #[cold]
    fn widen(&mut self) {
        let before = self.ring.len();
        self.ring.resize((2 * before).max(NEXT_ROOM), Sent::default());
        for number in self.una..self.high {
            let (from, to) = (number as usize & (before - 1), self.slot(number));
            self.ring[to] = self.ring[from];
        }
    }

    /// Removes a packet with these `marks`, which is now acknowledged for the first time, from the lost and
    /// retransmitted amounts.
    #[inline]
    fn leave(&mut self, marks: u8, size: u64) {
        if marks & (LOST | RESENT) != 0 {
            self.lost -= if marks & LOST == 0 { 0 } else { size };
            self.resent -= if marks & RESENT == 0 { 0 } else { size };
        }
    }
}
