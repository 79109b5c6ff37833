//! Packets in the order in which they were last sent, so that an acknowledgement examines each packet once,
//! however many are outstanding.

use crate::ledger::{Ledger, Sent};
use ackclock_base::{Span, Time};
use std::collections::VecDeque;

/// A transmission of a packet. Transmissions are ordered by time, and at the same time by number (RFC 8985
/// RACK_sent_after).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sending {
    pub at: Time,
    pub number: u64,
    /// Whether it is a retransmission.
    pub again: bool,
}

impl Sending {
    /// Returns the last transmission of a packet.
    pub fn of(number: u64, sent: &Sent) -> Self {
        Self { at: sent.at, number, again: sent.transmissions > 1 }
    }

    /// Returns whether this transmission was certainly sent before `newest`. At the same time packets leave in the
    /// order of their numbers, but a retransmission may also have followed a new packet, when an acknowledgement
    /// arrived just as the pacer let that packet out.
    fn is_before(&self, newest: &Self) -> bool {
        self < newest && !(self.again && self.at == newest.at)
    }
}

/// The transmissions in the network, among them some packets that have left it.
#[derive(Clone, Debug, Default)]
pub struct Order {
    /// Transmissions that are not known to be older than the newest delivered one.
    later: VecDeque<Sending>,
    /// Transmissions older than the newest delivered one that were not delivered before it.
    overtaken: VecDeque<Sending>,
}

impl Order {
    /// Records a transmission.
    pub fn push(&mut self, sending: Sending) {
        let place = self.later.iter().rposition(|earlier| *earlier <= sending).map_or(0, |index| index + 1);
        self.later.insert(place, sending);
    }

    /// Marks as lost, and passes to `each`, every packet sent before `newest` and at least `wait` ago.
    /// Returns when the last of the other packets sent before `newest` becomes overdue: section 6.2 arms one
    /// timer for all of them. Returns `Time::NEVER` if there is none.
    pub fn find_overdue(
        &mut self,
        ledger: &mut Ledger,
        newest: Sending,
        wait: Span,
        now: Time,
        mut each: impl FnMut(u64),
    ) -> Time {
        let is_out = |ledger: &Ledger, sending: Sending| ledger.is_in_flight(sending.number, sending.at);
        while let Some(first) = self.later.front().copied().filter(|first| first.is_before(&newest)) {
            self.later.pop_front();
            if is_out(ledger, first) {
                self.overtaken.push_back(first);
            }
        }
        while let Some(first) = self.overtaken.front().copied() {
            if is_out(ledger, first) {
                if first.at + wait > now {
                    break;
                }
                ledger.lose(first.number);
                each(first.number);
            }
            self.overtaken.pop_front();
        }
        while let Some(last) = self.overtaken.back().copied() {
            if is_out(ledger, last) {
                return last.at + wait;
            }
            self.overtaken.pop_back();
        }
        Time::NEVER
    }

    /// Rebuilds the order from the ledger when packets that were marked lost are in the network after all.
    pub fn rebuild(&mut self, ledger: &Ledger) {
        let out = (ledger.una()..ledger.next()).map(|number| Sending::of(number, ledger.sent(number)));
        let mut out: Vec<Sending> =
            out.filter(|sending| ledger.is_in_flight(sending.number, sending.at)).collect();
        out.sort_unstable();
        *self = Self { later: out.into(), overtaken: VecDeque::new() };
    }
}
