//! Packets in the order in which they were last sent, so that an acknowledgement looks at each once, however many are out.

use crate::ledger::Ledger;
use ackclock_base::{Span, Time};
use std::collections::VecDeque;

/// A transmission. Of two, that is the later one that left later, and of one instant the one with the higher number (RFC
/// 8985 RACK_sent_after).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sending {
    pub at: Time,
    pub number: u64,
}

/// What is in the network, and some of what was.
#[derive(Clone, Debug, Default)]
pub struct Order {
    /// Not sent before the latest packet delivered.
    later: VecDeque<Sending>,
    /// Sent before it, and not delivered then.
    overtaken: VecDeque<Sending>,
}

impl Order {
    /// A packet leaves.
    pub fn push(&mut self, sending: Sending) {
        let place = self.later.iter().rposition(|earlier| *earlier <= sending).map_or(0, |index| index + 1);
        self.later.insert(place, sending);
    }

    /// Gives up what was sent before `newest` and more than `wait` ago. Returns when the last of the others sent before it
    /// will have been out so long: section 6.2 arms the timer for all of them at once.
    pub fn find_overdue(
        &mut self,
        board: &mut Ledger,
        newest: Sending,
        wait: Span,
        now: Time,
        mut each: impl FnMut(u64),
    ) -> Time {
        let is_out = |board: &Ledger, sending: Sending| board.is_in_flight(sending.number, sending.at);
        while let Some(first) = self.later.front().copied().filter(|first| *first < newest) {
            self.later.pop_front();
            if is_out(board, first) {
                self.overtaken.push_back(first);
            }
        }
        while let Some(first) = self.overtaken.front().copied() {
            if is_out(board, first) {
                if first.at + wait > now {
                    break;
                }
                board.lose(first.number);
                each(first.number);
            }
            self.overtaken.pop_front();
        }
        while let Some(last) = self.overtaken.back().copied() {
            if is_out(board, last) {
                return last.at + wait;
            }
            self.overtaken.pop_back();
        }
        Time::NEVER
    }

    /// What was given up is in the network after all.
    pub fn rebuild(&mut self, board: &Ledger) {
        let out = (board.una()..board.next()).map(|number| Sending { at: board.sent(number).at, number });
        let mut out: Vec<Sending> =
            out.filter(|sending| board.is_in_flight(sending.number, sending.at)).collect();
        out.sort_unstable();
        *self = Self { later: out.into(), overtaken: VecDeque::new() };
    }
}
