//! Phantom queues: counters that fill and drain like queues, and hold no packets. Their level is the traffic
//! that has passed beyond a rate; no packet is delayed.

use crate::flow_hash::mix;
use crate::tokens::PER_BYTE;
use ackclock_base::declare::{self, Declared};
use ackclock_base::{Range, Rate, Size, Time};
use std::collections::VecDeque;

/// The number of phantom queues of a policer with one for each flow.
pub const QUEUES: Declared<usize> = declare::integer(
    "1024",
    Range::between(1.0, 65536.0),
    "RFC 8290 section 5.2, for FQ-CoDel's queues; the BC-PQP authors' code takes the port modulo the number of queues",
)
.about("Number of phantom queues to which flows are hashed");

/// The bytes that a queue drains in its turn.
pub const QUANTUM: Declared<Size> = declare::size(
    "1504 B",
    Range::between(1.0, 1e9),
    "the authors' code of BC-PQP (Tahir et al. 2024), PACKET_SIZE",
)
.about("Number of bytes that a phantom queue drains per round-robin turn");

/// One phantom queue, which drains at a rate. It counts in whole numbers.
#[derive(Clone, Debug)]
pub struct PhantomQueue {
    rate: Rate,
    level: u128,
    at: Time,
}

impl PhantomQueue {
    /// Creates a queue that is empty at the start of the run.
    pub fn new(rate: Rate) -> Self {
        Self { rate, level: 0, at: Time::ZERO }
    }

    /// Drains until `now`.
    pub fn drain(&mut self, now: Time) {
        let drained = u128::from(self.rate.bits_per_second()) * u128::from(now.since(self.at).nanos());
        self.level = self.level.saturating_sub(drained);
        self.at = self.at.max(now);
    }

    /// Adds a packet.
    pub fn push(&mut self, packet_bytes: u32) {
        self.level += u128::from(packet_bytes) * PER_BYTE;
    }

    /// Returns the level, in bytes.
    pub fn bytes(&self) -> f64 {
        self.level as f64 / PER_BYTE as f64
    }
}

/// Phantom queues that share a rate in turns (deficit round robin without deficits: a turn may end within a
/// packet). Tokens that no queue needs are lost.
#[derive(Clone, Debug)]
pub struct PhantomQueues {
    rate: Rate,
    quantum: u128,
    at: Time,
    levels: Box<[u128]>,
    /// The amount that each queue has drained since it was last asked.
    drained: Box<[u128]>,
    total: u128,
    /// The queues that are not empty, in the order of their turns.
    turns: VecDeque<u32>,
    /// The rest of the turn of the first queue.
    left: u128,
    passed_bytes: u64,
}

impl PhantomQueues {
    /// Creates `queues` empty queues. Nothing is allocated afterwards.
    pub fn new(rate: Rate, queues: usize, quantum: Size) -> Self {
        let quantum = u128::from(quantum.bytes()) * PER_BYTE;
        Self {
            rate,
            quantum,
            at: Time::ZERO,
            levels: vec![0; queues].into(),
            drained: vec![0; queues].into(),
            total: 0,
            turns: VecDeque::with_capacity(queues),
            left: quantum,
            passed_bytes: 0,
        }
    }

    /// Returns the queue of a flow.
    pub fn of(&self, flow: u32) -> usize {
        (mix(u64::from(flow)) % self.levels.len() as u64) as usize
    }

    /// Drains until `now`, turn by turn.
    pub fn drain(&mut self, now: Time) {
        let mut tokens = u128::from(self.rate.bits_per_second()) * u128::from(now.since(self.at).nanos());
        self.at = self.at.max(now);
        while tokens > 0
            && let Some(&queue) = self.turns.front()
        {
            let level = &mut self.levels[queue as usize];
            let taken = tokens.min(self.left).min(*level);
            *level -= taken;
            self.drained[queue as usize] += taken;
            self.total -= taken;
            self.left -= taken;
            tokens -= taken;
            if *level == 0 {
                self.turns.pop_front();
                self.left = self.quantum;
            } else if self.left == 0 {
                self.turns.rotate_left(1);
                self.left = self.quantum;
            }
        }
    }

    /// Adds a packet that passes to a queue.
    pub fn push(&mut self, queue: usize, packet_bytes: u32) {
        self.fill(queue, u128::from(packet_bytes) * PER_BYTE);
        self.passed_bytes += u64::from(packet_bytes);
    }

    /// Adds an amount that belongs to no packet to a queue.
    pub fn fill(&mut self, queue: usize, more: u128) {
        if more > 0 {
            if self.levels[queue] == 0 {
                self.turns.push_back(queue as u32);
            }
            self.levels[queue] += more;
            self.total += more;
        }
    }

    /// Removes an amount from a queue without a token.
    pub fn remove(&mut self, queue: usize, less: u128) {
        let less = less.min(self.levels[queue]);
        self.levels[queue] -= less;
        self.total -= less;
        if less > 0 && self.levels[queue] == 0 {
            if self.turns.front() == Some(&(queue as u32)) {
                self.left = self.quantum;
            }
            self.turns.retain(|other| *other as usize != queue);
        }
    }

    /// Returns the amount that a queue has drained since the last call.
    pub fn take_drained(&mut self, queue: usize) -> u128 {
        std::mem::take(&mut self.drained[queue])
    }

    /// Returns the level of a queue: bytes times `PER_BYTE`.
    pub fn level(&self, queue: usize) -> u128 {
        self.levels[queue]
    }

    /// Returns the sum of all levels.
    pub fn total(&self) -> u128 {
        self.total
    }

    /// Returns the number of queues.
    pub fn count(&self) -> usize {
        self.levels.len()
    }

    /// Publishes the shared rate, the bytes passed, and the sum of the levels in bytes.
    pub fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("token_rate_bps", self.rate.bits_per_second() as f64);
        series("passed_bytes", self.passed_bytes as f64);
        series("phantom_bytes", self.total as f64 / PER_BYTE as f64);
    }
}

/// Converts bytes to the unit of the levels.
pub fn level_of(size: Size) -> u128 {
    u128::from(size.bytes()) * PER_BYTE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::at;

    /// 8 Mbit/s drain 1000 bytes in a millisecond.
    const RATE: Rate = Rate::from_bits_per_second(8_000_000);

    fn bytes(queues: &PhantomQueues, queue: usize) -> f64 {
        queues.level(queue) as f64 / PER_BYTE as f64
    }

    #[test]
    fn one_queue_drains_at_its_rate_and_no_further_than_empty() {
        let mut queue = PhantomQueue::new(RATE);
        queue.push(3000);
        queue.drain(at(2.0));
        assert_eq!(queue.bytes(), 1000.0);
        queue.drain(at(9.0));
        queue.push(500);
        assert_eq!(queue.bytes(), 500.0);
    }

    #[test]
    fn several_drain_in_turns_of_a_quantum_and_share_the_rest_of_an_empty_one() {
        // Quantum 1000. Queue 0 holds 3000, queue 1 holds 1000: after 1 ms 2000 and 1000, after 1.5 ms 2000 and 500, after
        // 2 ms queue 1 is empty, after 4 ms both are.
        let mut queues = PhantomQueues::new(RATE, 2, Size::from_bytes(1000));
        queues.push(0, 3000);
        queues.push(1, 1000);
        for (ms, first, second) in [(1.0, 2000.0, 1000.0), (1.5, 2000.0, 500.0), (2.0, 2000.0, 0.0)] {
            queues.drain(at(ms));
            assert_eq!((bytes(&queues, 0), bytes(&queues, 1)), (first, second), "at {ms} ms");
        }
        queues.drain(at(3.0));
        assert_eq!(bytes(&queues, 0), 1000.0);
        assert_eq!(queues.take_drained(0), 2000 * PER_BYTE);
        assert_eq!(queues.take_drained(0), 0);
        queues.drain(at(10.0));
        assert_eq!(queues.total(), 0);
        // The unused drain between 4 and 10 ms is lost.
        queues.push(0, 2000);
        queues.drain(at(11.0));
        assert_eq!(bytes(&queues, 0), 1000.0);
    }

    #[test]
    fn removing_the_level_of_a_queue_ends_its_turn() {
        let mut queues = PhantomQueues::new(RATE, 3, Size::from_bytes(1000));
        for queue in 0..3 {
            queues.push(queue, 1000);
        }
        queues.drain(at(0.5));
        queues.remove(0, PER_BYTE * 5000);
        assert_eq!(queues.total(), 2000 * PER_BYTE);
        // Queue 1 now has a whole turn.
        queues.drain(at(1.5));
        assert_eq!((bytes(&queues, 0), bytes(&queues, 1), bytes(&queues, 2)), (0.0, 0.0, 1000.0));
        queues.fill(0, PER_BYTE);
        queues.drain(at(5.0));
        assert_eq!(queues.total(), 0);
    }

    #[test]
    fn a_queue_that_becomes_empty_in_its_turn_leaves_a_whole_turn_to_the_next() {
        // Quantum 1000. Queue 0 is empty after 0.5 ms, in the middle of its turn. Queue 1 has the next 1000 bytes, and
        // then it is queue 2's turn: at 1.5 ms they hold 2000 and 3000.
        let mut queues = PhantomQueues::new(RATE, 3, Size::from_bytes(1000));
        for (queue, bytes) in [(0, 500), (1, 3000), (2, 3000)] {
            queues.push(queue, bytes);
        }
        queues.drain(at(1.5));
        assert_eq!([0, 1, 2].map(|queue| bytes(&queues, queue)), [0.0, 2000.0, 3000.0]);
        queues.drain(at(2.0));
        assert_eq!([0, 1, 2].map(|queue| bytes(&queues, queue)), [0.0, 2000.0, 2500.0]);
    }
}
