//! A receiver, and a set of numbers as its model.

use ackclock_base::{Span, Time};
use ackclock_sim::tcp::receiver::{Receiver, ReceiverOptions};
use ackclock_sim::tcp::segment::{Flags, Segment as Packet};
use std::collections::BTreeSet;

/// A receiver, and the state that it must have.
pub struct Receiving {
    receiver: Receiver,
    options: ReceiverOptions,
    /// The first number not received.
    next: u64,
    /// The numbers received above `next`.
    stored: BTreeSet<u64>,
    duplicates: u64,
    /// Whether an acknowledgement is being held back.
    held: bool,
    mark_to_echo: bool,
    /// The number of packets that are acknowledged at once although the acknowledgement could wait.
    quick: u32,
    window: u32,
    /// Whether marks are counted, their number, and whether the last packet was marked.
    counting: bool,
    marked: u64,
    last_was_marked: bool,
}

impl Receiving {
    pub fn new(options: ReceiverOptions) -> Self {
        Self {
            receiver: Receiver::new(options),
            options,
            next: 0,
            stored: BTreeSet::new(),
            duplicates: 0,
            held: false,
            mark_to_echo: false,
            quick: options.rules.quick_acks,
            window: options.window.map_or(0, |bounds| bounds.initial.min(bounds.most) as u32),
            counting: options.accurate_ecn.is_some(),
            marked: 0,
            last_was_marked: false,
        }
    }

    pub fn delivered(&self) -> u64 {
        self.receiver.delivered()
    }

    pub fn timer(&self) -> Time {
        self.receiver.timer()
    }

    pub fn on_data(&mut self, now: Time, packet: &Packet) -> Option<Packet> {
        if packet.flags.has(Flags::SYN) {
            let answer = self.receiver.on_syn(now, packet);
            assert!(answer.flags.has(Flags::SYN) && answer.stamp == packet.stamp);
            self.held = false;
            self.counting &= packet.flags.has(Flags::COUNTS_MARKS);
            // The answer of a receiver that counts marks to a SYN, or no flags.
            let agrees = answer.flags.field_of_three();
            assert!(agrees == 0 || self.counting && matches!(agrees, 2 | 3 | 4 | 6), "{answer:?}");
            return Some(answer);
        }
        self.mark_to_echo &= !packet.flags.has(Flags::WINDOW_REDUCED);
        let marked = self.options.ecn && packet.flags.has(Flags::CONGESTION_EXPERIENCED);
        self.mark_to_echo |= marked;
        self.marked += u64::from(marked);
        let begins_marks = marked && !std::mem::replace(&mut self.last_was_marked, marked) && self.counting;
        self.last_was_marked = marked;
        let disturbed = packet.number != self.next || !self.stored.is_empty() || begins_marks;
        let duplicates = self.duplicates;
        self.take_in(packet.number);
        let answer = self.receiver.take(now, packet).then(|| self.receiver.acknowledge(now));
        assert_eq!(self.receiver.delivered(), self.next);
        assert_eq!(self.receiver.duplicates(), self.duplicates);
        let opens = answer.is_some_and(|ack| ack.without_counters().window > self.window);
        if opens && self.options.rules.quick_acks > 0 {
            self.quick |= 1; // tcp_grow_window
        }
        match (answer, self.options.rules.delay()) {
            (Some(ack), delay) => {
                let twice =
                    (self.duplicates > duplicates && self.options.rules.dsack).then_some(packet.number);
                assert_eq!(ack.duplicate(), twice.map(|number| number..number + 1), "{ack:?}");
                assert!(
                    delay.is_none() || disturbed || self.held || self.quick > 0,
                    "{ack:?} could have waited"
                );
                self.check(&ack);
                self.check_first_block(&ack, packet.number);
            }
            (None, None) => panic!("no acknowledgement of {packet:?}"),
            (None, Some(delay)) => self.check_held(now, delay, disturbed),
        }
        answer
    }

    pub fn on_timer(&mut self, now: Time) -> Packet {
        let ack = self.receiver.acknowledge(now);
        self.check(&ack);
        ack
    }

    fn take_in(&mut self, number: u64) {
        if number < self.next || !self.stored.insert(number) {
            self.duplicates += 1;
            self.quick = self.options.rules.quick_acks;
        }
        while self.stored.remove(&self.next) {
            self.next += 1;
        }
    }

    /// Checks that at most one packet waits for its acknowledgement, and none that is out of order (RFC 5681
    /// section 4.2).
    fn check_held(&mut self, now: Time, delay: Span, disturbed: bool) {
        assert!(!disturbed && !self.held && self.quick == 0, "an acknowledgement that must not wait");
        assert_eq!(self.timer(), now + delay);
        self.held = true;
    }

    fn check(&mut self, ack: &Packet) {
        assert!(!self.counting || ack.counters().is_some() == ack.without_counters().sack[2].is_empty());
        let ack = &ack.without_counters();
        self.held = false;
        self.quick = self.quick.saturating_sub(1);
        match self.options.window {
            None => assert_eq!(ack.window, 0),
            Some(bounds) => assert!(ack.window >= self.window && u64::from(ack.window) <= bounds.most),
        }
        self.window = ack.window;
        assert_eq!((ack.number, ack.bytes), (self.next, self.options.rules.ack_size.bytes() as u32));
        assert_eq!(self.timer(), Time::NEVER, "nothing is left to wait for");
        if self.counting {
            assert_eq!(u64::from(ack.flags.field_of_three()), (5 + self.marked) % 8);
        } else {
            assert_eq!(ack.flags.has(Flags::CONGESTION_ECHO), self.mark_to_echo);
        }
        let blocks = blocks(ack);
        assert!(self.options.sack || blocks.is_empty());
        for (start, end) in &blocks {
            assert!(*start > self.next && start < end, "{ack:?}: not above the cumulative acknowledgement");
            // A block is a whole range: all of it is received, and its neighbours are not.
            assert_eq!(self.stored.range(start..end).count() as u64, end - start, "{ack:?}");
            assert!(!self.stored.contains(&(start - 1)) && !self.stored.contains(end), "{ack:?}");
        }
        for (index, block) in blocks.iter().enumerate() {
            assert!(!blocks[..index].contains(block), "{ack:?}: a block twice");
        }
    }

    /// Checks that the first block holds the packet that caused the acknowledgement, if it is out of order
    /// (RFC 2018 section 4).
    fn check_first_block(&self, ack: &Packet, number: u64) {
        if self.options.sack && number >= self.next {
            let first = blocks(ack).first().copied();
            assert!(
                first.is_some_and(|(start, end)| (start..end).contains(&number)),
                "{ack:?} after {number}"
            );
        }
    }
}

/// Returns the blocks with absolute numbers, without a block that reports a duplicate. Empty blocks must come
/// last.
fn blocks(ack: &Packet) -> Vec<(u64, u64)> {
    let ack = &ack.without_counters();
    let is_empty = |index: usize| ack.sack[index].start == ack.sack[index].end;
    let used = (0..ack.sack.len()).find(|index| is_empty(*index)).unwrap_or(ack.sack.len());
    assert!((used..ack.sack.len()).all(is_empty), "{ack:?}: an empty block between others");
    let absolute = |offset: u32| ack.number + u64::from(offset);
    let first = usize::from(ack.duplicate().is_some());
    ack.sack[first..used].iter().map(|block| (absolute(block.start), absolute(block.end))).collect()
}
