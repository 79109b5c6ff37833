//! Deficit round robin (Shreedhar and Varghese 1995): queues take turns to send, and each turn adds a quantum
//! to the queue's credits. Queues that have just become active can go before the others (RFC 8290 section
//! 4.2).

use std::collections::VecDeque;

/// The order in which queues, identified by numbers, take turns.
#[derive(Clone, Debug, Default)]
pub struct Rounds {
    turns: Vec<Turn>,
    /// The queues that have just become active, in the order of their turns. They go first.
    new: VecDeque<u32>,
    /// The other active queues.
    old: VecDeque<u32>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Turn {
    /// The credits left in this turn; negative if the last packet was longer than what was left.
    credits: i64,
    /// Whether the queue is in one of the two lists.
    is_active: bool,
}

impl Rounds {
    /// Makes a queue active, ahead of those that have been active for longer than a turn. It has no effect on
    /// an active queue.
    pub fn start_new(&mut self, queue: u32, credits: i64) {
        if self.start(queue, credits) {
            self.new.push_back(queue);
        }
    }

    /// Makes a queue active at the end of the round. It has no effect on an active queue.
    pub fn start_old(&mut self, queue: u32, credits: i64) {
        if self.start(queue, credits) {
            self.old.push_back(queue);
        }
    }

    fn start(&mut self, queue: u32, credits: i64) -> bool {
        if self.turns.len() <= queue as usize {
            self.turns.resize(queue as usize + 1, Turn::default());
        }
        let turn = &mut self.turns[queue as usize];
        let starts = !turn.is_active;
        if starts {
            *turn = Turn { credits, is_active: true };
        }
        starts
    }

    /// Returns the queue whose turn it is: the first that has at least `needed` credits. Each one before it
    /// gets its `quantum` and moves to the end of the round. Returns `None` if no queue is active.
    pub fn next(&mut self, mut quantum: impl FnMut(u32) -> i64, needed: impl Fn(u32) -> i64) -> Option<u32> {
        loop {
            let list = if self.new.is_empty() { &mut self.old } else { &mut self.new };
            let queue = *list.front()?;
            let turn = &mut self.turns[queue as usize];
            if turn.credits >= needed(queue) {
                return Some(queue);
            }
            turn.credits = turn.credits.saturating_add(quantum(queue));
            list.pop_front();
            self.old.push_back(queue);
        }
    }

    /// Subtracts what a queue has sent from its credits.
    pub fn spend(&mut self, queue: u32, credits: i64) {
        self.turns[queue as usize].credits -= credits;
    }

    /// Called when the queue whose turn it is has nothing to send. A new queue must wait for the others once
    /// before it counts as new again; otherwise a flow that sends one packet at a time would starve them (RFC
    /// 8290 section 4.2).
    pub fn found_empty(&mut self) {
        if let Some(queue) = self.new.pop_front() {
            self.old.push_back(queue);
        } else if let Some(queue) = self.old.pop_front() {
            self.turns[queue as usize].is_active = false;
        }
    }

    /// Returns whether a queue is active.
    pub fn is_active(&self, queue: u32) -> bool {
        self.turns[queue as usize].is_active
    }

    /// Returns how many queues are active.
    pub fn active(&self) -> usize {
        self.new.len() + self.old.len()
    }
}
