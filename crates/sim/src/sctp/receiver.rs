//! The receiving side: cumulative acknowledgement and all gaps (RFC 9260 section 6.2), SACKs for every second
//! packet, within 200 ms, and at once while a chunk is missing or arrives twice; and the room that is left.

use super::message::{Block, Data, Echo, Sack};
use super::options::Options;
use super::streams::Streams;
use crate::ranges::Ranges;
use ackclock_base::{Span, Time};

/// The number of packets per SACK, over all paths together.
const PACKETS_PER_SACK: u8 = 2;

/// The receiver of an association.
#[derive(Clone, Debug)]
pub struct Receiver {
    sack_delay: Option<Span>,
    /// Whether a chunk that fills the last gap is acknowledged at once.
    tells_filled: bool,
    /// Whether gaps do not hasten SACKs (delayed acknowledgement for CMT).
    delays_at_gaps: bool,
    max_blocks: usize,
    /// The room in chunks, and the payload of a chunk in bytes.
    room: u64,
    payload: u64,
    arrived: Ranges,
    streams: Streams,
    received: u64,
    duplicates: u64,
    /// The number of packets since the last SACK.
    packets: u8,
    /// The number of packets that wait for a SACK, and the number that makes one due.
    waiting: u8,
    wanted: u8,
    /// Whether a SACK for a duplicate ends the wait of packets that are held back, and whether the next SACK
    /// leaves them waiting, with their count and their timer.
    duplicates_reset: bool,
    leaves_waiting: bool,
    echo: Echo,
    held: Option<Time>,
    /// The path of the last packet, over which the SACK is sent.
    path: usize,
    blocks: Vec<Block>,
}

/// The result of an arriving chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrived {
    /// The number of messages delivered to the application because of it.
    pub delivered: u64,
    /// Whether it is to be acknowledged at once.
    pub answers: bool,
}

impl Receiver {
    /// Creates a receiver that has received nothing.
    pub fn new(options: &Options) -> Self {
        let payload = u64::from(options.sizes.payload);
        Self {
            sack_delay: options.sack_delay(),
            tells_filled: options.details.sack_filled_gap,
            delays_at_gaps: options.details.cmt,
            max_blocks: options.sizes.max_blocks,
            room: (options.details.receive_window.bytes() / payload).max(1),
            payload,
            arrived: Ranges::default(),
            streams: Streams::new(options.details.streams, options.details.ordered),
            received: 0,
            duplicates: 0,
            packets: 0,
            waiting: 0,
            duplicates_reset: options.details.sack_duplicate_resets,
            leaves_waiting: false,
            //= RFC 9260 section 5.1: the first DATA chunk is acknowledged at once
            wanted: if options.details.sack_first_packet { 1 } else { PACKETS_PER_SACK },
            echo: Echo::default(),
            held: None,
            path: 0,
            blocks: Vec::new(),
        }
    }

    /// Returns the number of messages delivered to the application.
    pub fn delivered(&self) -> u64 {
        self.streams.delivered()
    }

    /// Returns the number of times that a chunk arrived that had arrived before.
    pub fn duplicates(&self) -> u64 {
        self.duplicates
    }

    /// Returns the first TSN that has not arrived.
    pub fn next(&self) -> u64 {
        self.arrived.next()
    }

    /// Returns when a held-back SACK is due; [`Time::NEVER`] if none is held back.
    pub fn timer(&self) -> Time {
        self.held.unwrap_or(Time::NEVER)
    }

    /// Returns the number of chunks for which the receiver has room in total.
    pub(super) fn room(&self) -> u64 {
        self.room
    }

    /// Returns the number of chunks for which room is left.
    pub(super) fn left(&self) -> u64 {
        self.room.saturating_sub(self.received - self.streams.delivered())
    }

    /// Sets the total room, in chunks. Called if the application leaves chunks unread.
    pub(super) fn set_room(&mut self, room: u64) {
        self.room = room;
    }

    /// Drops a chunk for which there is no room (section 6.2). Its packet counts in [`Sack::packets`] of the
    /// next SACK, which leaves over `path` unless a later packet arrives over another path. That SACK echoes
    /// the packet if it is the first to arrive since the previous SACK.
    pub(super) fn refuse(&mut self, path: usize, data: &Data) {
        if self.packets == 0 {
            self.echo = Echo { sent: data.sent, path: path as u8 };
        }
        self.packets = self.packets.saturating_add(1);
        self.path = path;
    }

    /// Returns whether a SACK would echo no packet, because none has arrived since the last SACK.
    pub(super) fn has_no_echo(&self) -> bool {
        self.packets == 0
    }

    /// Processes a chunk that has arrived over path `path`. Returns the number of messages delivered because
    /// of it, and whether it is acknowledged at once.
    #[inline]
    pub fn on_data(&mut self, now: Time, path: usize, data: &Data) -> Arrived {
        if self.packets == 0 {
            self.echo = Echo { sent: data.sent, path: path as u8 };
        }
        self.packets = self.packets.saturating_add(1);
        self.waiting = self.waiting.saturating_add(1);
        self.path = path;
        let had_gaps = self.arrived.has_gaps();
        let is_new = self.take_in(data.tsn);
        let mut delivered = 0;
        if is_new {
            self.received += 1;
            delivered = self.streams.on_arrival(data.tsn, |tsn| self.arrived.holds(tsn));
        } else if self.arrived.holds(data.tsn) {
            self.duplicates += 1;
        }
        let has_gaps = (had_gaps && self.tells_filled) || self.arrived.has_gaps();
        //= RFC 9260 section 6.7: a gap in the received TSNs is reported at once
        let disturbed = (has_gaps && !self.delays_at_gaps) || (!is_new && self.duplicates_reset);
        let waits = match self.sack_delay {
            //= RFC 9260 section 6.2 second: at least every second packet is acknowledged
            Some(delay) if !disturbed && self.waiting < self.wanted => {
                //= RFC 9260 section 6.2 delay: a SACK is held back for 200 ms at most
                self.held.get_or_insert(now + delay);
                true
            }
            _ => false,
        };
        self.leaves_waiting = waits && !is_new;
        //= RFC 9260 section 6.2 duplicate: a duplicate packet is acknowledged at once
        Arrived { delivered, answers: !waits || !is_new }
    }

    /// Returns the path over which to send a SACK, and the SACK of all that has arrived. No SACK is held back
    /// afterwards, unless this one answers a duplicate that leaves packets waiting.
    pub fn sack(&mut self) -> (usize, Sack<'_>) {
        if !std::mem::take(&mut self.leaves_waiting) {
            (self.held, self.waiting) = (None, 0);
        }
        self.wanted = PACKETS_PER_SACK;
        let Self { arrived, blocks, .. } = self;
        blocks.clear();
        let near = |tsn: u64| u16::try_from(tsn - arrived.next()).unwrap_or(u16::MAX);
        let told = arrived.above().map(|range| Block { start: near(range.start), end: near(range.end) });
        blocks.extend(told.take_while(|block| block.start < block.end).take(self.max_blocks));
        //= RFC 9260 section 6.2 window: a SACK reports how much room is left in the receive buffer
        let left = self.room.saturating_sub(self.received - self.streams.delivered()) * self.payload;
        let sack = Sack {
            cumulative: self.arrived.next(),
            blocks: &self.blocks,
            window: left.min(u64::from(u32::MAX)) as u32,
            echo: self.echo,
            packets: std::mem::take(&mut self.packets),
        };
        (self.path, sack)
    }

    //= RFC 9260 section 6.2 room: a chunk is dropped if the receive buffer has no room for it
    /// Records a TSN. Returns whether it is new and has room (section 6.2: a chunk without room is dropped).
    #[inline]
    fn take_in(&mut self, tsn: u64) -> bool {
        let has_room = tsn == self.arrived.next() || self.received - self.streams.delivered() < self.room;
        has_room && self.arrived.insert(tsn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sctp::options::PROFILES;
    use ackclock_base::Values;
    use proptest::prelude::*;

    fn receiver(settings: &[(&str, &str)]) -> Receiver {
        Receiver::new(&Options::new(&Values::with(&PROFILES[0], settings)))
    }

    /// The path of a SACK, its first missing TSN, and its blocks.
    type Told = (usize, u64, Vec<(u16, u16)>);

    fn arrive(receiver: &mut Receiver, path: usize, tsn: u64) -> Option<Told> {
        let arrived = receiver.on_data(Time::ZERO, path, &Data { tsn, sent: Time::from_nanos(tsn) });
        arrived.answers.then(|| {
            let (path, sack) = receiver.sack();
            (path, sack.cumulative, sack.blocks.iter().map(|block| (block.start, block.end)).collect())
        })
    }

    //= test RFC 9260 section 5.1
    #[test]
    fn the_first_packet_is_acknowledged_at_once() {
        // The first packet is acknowledged at once (RFC 9260 section 5.1), and every second one after it.
        let mut receiver = receiver(&[]);
        assert_eq!(arrive(&mut receiver, 0, 0), Some((0, 1, vec![])));
        assert_eq!(arrive(&mut receiver, 0, 1), None);
        assert_eq!(arrive(&mut receiver, 0, 2), Some((0, 3, vec![])));
    }

    //= test RFC 9260 section 6.2 second
    //= test RFC 9260 section 6.2 delay
    #[test]
    fn every_second_packet_is_acknowledged_over_whichever_path_it_comes() {
        let mut receiver = receiver(&[]);
        arrive(&mut receiver, 0, 0);
        assert_eq!(arrive(&mut receiver, 0, 1), None);
        assert_eq!(receiver.timer(), Time::from_seconds(0.2));
        assert_eq!(arrive(&mut receiver, 1, 2), Some((1, 3, vec![])));
        assert_eq!(receiver.timer(), Time::NEVER);
    }

    //= test RFC 9260 section 6.7
    #[test]
    fn all_gaps_are_reported_at_once() {
        // Chunks 0 and 1 have arrived and 2 is missing, so blocks count from 2.
        let mut receiver = receiver(&[]);
        arrive(&mut receiver, 0, 0);
        arrive(&mut receiver, 0, 1);
        assert_eq!(arrive(&mut receiver, 0, 3), Some((0, 2, vec![(1, 2)])));
        assert_eq!(arrive(&mut receiver, 0, 5), Some((0, 2, vec![(1, 2), (3, 4)])));
        assert_eq!(arrive(&mut receiver, 0, 4), Some((0, 2, vec![(1, 4)])));
        assert_eq!(arrive(&mut receiver, 0, 4), Some((0, 2, vec![(1, 4)])), "twice");
        assert_eq!((receiver.delivered(), receiver.duplicates()), (2, 1));
        assert_eq!(arrive(&mut receiver, 0, 2), Some((0, 6, vec![])), "the one that fills the gap too");
        assert_eq!(receiver.delivered(), 6);
    }

    #[test]
    fn the_chunk_that_fills_the_last_gap_may_wait_for_a_second_packet() {
        let mut receiver = receiver(&[("sack_filled_gap", "false")]);
        arrive(&mut receiver, 0, 0);
        assert_eq!(arrive(&mut receiver, 0, 2), Some((0, 1, vec![(1, 2)])));
        assert_eq!(arrive(&mut receiver, 0, 1), None);
        assert_eq!(arrive(&mut receiver, 0, 3), Some((0, 4, vec![])));
    }

    //= test RFC 9260 section 6.2 duplicate
    #[test]
    fn in_ns2_the_sack_for_a_duplicate_leaves_held_back_packets_waiting() {
        // A SACK is due for two packets. The duplicate is answered at once. If it leaves the count as it is,
        // it is the first of the next two packets, and 3 is the second. If it resets the count, 3 waits for
        // 4.
        for (resets, second) in [("false", Some((0, 4, vec![]))), ("true", None)] {
            let mut receiver = receiver(&[("sack_duplicate_resets", resets)]);
            (0..3).for_each(|tsn| drop(arrive(&mut receiver, 0, tsn)));
            assert_eq!(arrive(&mut receiver, 0, 0).map(|told| told.1), Some(3), "{resets}");
            assert_eq!(arrive(&mut receiver, 0, 3), second, "{resets}");
        }
        // A duplicate that is the second of two packets ends the wait of the first. One that is the first of
        // two is answered at once, and still starts the timer of a SACK of its own.
        let mut receiver = receiver(&[("sack_duplicate_resets", "false"), ("sack_first_packet", "false")]);
        assert_eq!(arrive(&mut receiver, 0, 0), None);
        assert_eq!(receiver.timer(), Time::from_seconds(0.2));
        let arrived = receiver.on_data(Time::from_seconds(0.1), 0, &Data { tsn: 0, sent: Time::ZERO });
        assert!(arrived.answers, "the second of two");
        receiver.sack();
        assert_eq!(receiver.timer(), Time::NEVER);
        receiver.on_data(Time::from_seconds(0.3), 0, &Data { tsn: 0, sent: Time::ZERO });
        receiver.sack();
        assert_eq!(receiver.timer(), Time::from_seconds(0.5));
    }

    #[test]
    fn under_cmt_gaps_do_not_hasten_sacks_which_tell_how_many_packets_came() {
        let mut receiver = receiver(&[("cmt", "true"), ("sack_first_packet", "false")]);
        assert_eq!(arrive(&mut receiver, 0, 3), None);
        receiver.on_data(Time::ZERO, 1, &Data { tsn: 0, sent: Time::ZERO });
        let (path, sack) = receiver.sack();
        assert_eq!((path, sack.packets, sack.echo), (1, 2, Echo { sent: Time::from_nanos(3), path: 0 }));
    }

    //= test RFC 9260 section 6.2 room
    //= test RFC 9260 section 6.2 window
    #[test]
    fn the_window_is_the_room_that_is_left() {
        // There is room for 10 chunks of 1452 B. Chunks 1 to 3 wait for chunk 0. When chunks 1 to 10 fill the
        // room, only chunk 0 is still taken.
        let mut receiver = receiver(&[("receive_window", "14520 B")]);
        for tsn in 1..4 {
            arrive(&mut receiver, 0, tsn);
        }
        assert_eq!(receiver.sack().1.window, 7 * 1452);
        for tsn in 4..20 {
            arrive(&mut receiver, 0, tsn);
        }
        assert_eq!(receiver.sack().1.blocks, [Block { start: 1, end: 11 }], "there was no room for 11 to 19");
        assert_eq!(receiver.duplicates(), 0, "what has no room is no duplicate");
        arrive(&mut receiver, 0, 0);
        assert_eq!((receiver.delivered(), receiver.sack().1.window), (11, 14_520));
    }

    proptest! {
        #[test]
        fn a_sack_reports_exactly_the_arrived_chunks(tsns in prop::collection::vec(0_u64..60, 1..200)) {
            let mut receiver = receiver(&[]);
            let mut here = std::collections::BTreeSet::new();
            for tsn in tsns {
                let arrived = receiver.on_data(Time::ZERO, 0, &Data { tsn, sent: Time::ZERO });
                here.insert(tsn);
                let first = (0..).find(|tsn| !here.contains(tsn)).unwrap();
                let delivered = receiver.delivered();
                prop_assert_eq!(delivered, first);
                prop_assert!(arrived.delivered <= delivered);
                let (_, sack) = receiver.sack();
                prop_assert_eq!(sack.cumulative, first);
                let told: Vec<u64> = sack.blocks.iter()
                    .flat_map(|block| first + u64::from(block.start)..first + u64::from(block.end)).collect();
                let above: Vec<u64> = here.range(first..).copied().collect();
                prop_assert_eq!(told, above);
            }
        }
    }
}
