//! Queues that take turns to send equal bytes and share one room. When the room is full, the newest packet of
//! the longest queue is dropped (buffer stealing: McKenney 1990, and Shreedhar and Varghese 1995).

use crate::departure::{Held, Ticket};
use crate::discipline::Capacity;
use crate::fifo::{Fifo, Room, longest};
use crate::rounds::Rounds;
use ackclock_base::{Range, Size, declare, declare::Declared};

/// The bytes that a queue may send in its turn.
pub const QUANTUM: Declared<Size> =
    declare::size("1514 B", Range::at_least(64.0), "Linux, psched_mtu: the MTU plus the Ethernet header")
        .about("Number of bytes that each queue can send per round-robin turn");

/// Whether a queue may send a packet that is longer than the rest of its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overdraft {
    /// The queue must first save for the packet (Shreedhar and Varghese 1995).
    Refused,
    /// The queue sends the packet and pays later (RFC 8290 section 4.2).
    Granted,
}

/// The queues, identified by numbers, and their turns.
#[derive(Clone, Debug)]
pub struct FairQueues {
    fifos: Vec<Fifo>,
    room: Room,
    rounds: Rounds,
    quantum: i64,
    overdraft: Overdraft,
}

impl FairQueues {
    /// Creates queues that share a room of this capacity.
    pub fn new(capacity: Capacity, quantum: Size, overdraft: Overdraft) -> Self {
        Self {
            fifos: Vec::new(),
            room: Room::new(capacity),
            rounds: Rounds::default(),
            quantum: i64::try_from(quantum.bytes()).unwrap_or(i64::MAX),
            overdraft,
        }
    }

    /// Appends a packet to a queue. A queue that was empty begins at the end of the round.
    pub fn push(&mut self, queue: u32, held: Held) {
        if self.fifos.len() <= queue as usize {
            self.fifos.resize(queue as usize + 1, Fifo::default());
        }
        self.fifos[queue as usize].push(held);
        self.room.enter(held.arrival.bytes);
        self.rounds.start_old(queue, self.quantum);
    }

    /// Takes the next packet to send; `None` if all queues are empty.
    pub fn pop(&mut self) -> Option<Held> {
        let Self { fifos, room, rounds, quantum, overdraft } = self;
        loop {
            let needed = |queue: u32| match (fifos[queue as usize].head(), *overdraft) {
                // An empty queue is taken out of the round, whatever its credit.
                (None, _) => i64::MIN,
                (Some(head), Overdraft::Refused) => i64::from(head.arrival.bytes),
                (Some(_), Overdraft::Granted) => 1,
            };
            let queue = rounds.next(|_| *quantum, needed)?;
            let fifo = &mut fifos[queue as usize];
            let sent = fifo.pop();
            if let Some(held) = sent {
                rounds.spend(queue, i64::from(held.arrival.bytes));
                room.leave(1, u64::from(held.arrival.bytes));
            }
            // The rest of its turn is lost: an empty queue saves nothing.
            if fifo.is_empty() {
                rounds.found_empty();
            }
            if sent.is_some() {
                return sent;
            }
        }
    }

    /// Drops the newest packet of the longest queue until all fit; among equally long queues `own` loses
    /// first.
    pub fn make_room(&mut self, own: u32, length: impl Fn(&Fifo) -> u64, drops: &mut dyn FnMut(Ticket)) {
        while self.room.is_over() {
            let victim = longest(own as usize, self.fifos.iter().map(&length));
            let Some(dropped) = self.fifos[victim].pop_newest() else {
                panic!("the limit is exceeded, but all queues are empty")
            };
            self.room.leave(1, u64::from(dropped.arrival.bytes));
            drops(dropped.ticket);
        }
    }

    /// Removes and returns all packets, queue by queue.
    pub fn drain(&mut self) -> Vec<Held> {
        let mut all = Vec::with_capacity(self.packets() as usize);
        for fifo in &mut self.fifos {
            all.extend(std::iter::from_fn(|| fifo.pop()));
        }
        let bytes = all.iter().map(|held| u64::from(held.arrival.bytes)).sum();
        self.room.leave(all.len() as u64, bytes);
        self.rounds = Rounds::default();
        all
    }

    /// Returns the queues, in the order of their numbers.
    pub fn fifos(&self) -> &[Fifo] {
        &self.fifos
    }

    /// Returns the number of packets waiting.
    pub fn packets(&self) -> u64 {
        self.room.packets()
    }

    /// Publishes values of the queues for figures.
    pub fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("active_queues", self.rounds.active() as f64);
    }
}
