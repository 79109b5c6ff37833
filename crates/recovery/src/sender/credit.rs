//! The effect of a receiving application that reads slowly: a closed window, or used-up credit.

use super::{Output, Sender};
use crate::declared::AfterIdle;
use ackclock_base::Time;

impl Sender {
    /// Returns whether only the receiver's window keeps data back while nothing is outstanding. In that case
    /// no packet brings an acknowledgement that would open the window (RFC 9293 section 3.8.6.1).
    pub fn is_held_by_window(&self) -> bool {
        let until = self.fresh_until();
        self.is_open && self.ledger.is_empty() && until <= self.ledger.high() && until < self.data_until
    }

    /// Ends a wait for the receiver, because its window is open or nothing is left to send. The back-off of
    /// probes ends as well (Linux net/ipv4/tcp_input.c, tcp_ack_probe). A sender that has sent nothing for
    /// longer than a timeout restarts its window (RFC 5681 section 4.1); Linux does so only when the
    /// application writes.
    pub fn end_wait(&mut self, now: Time) {
        (self.deadline, self.expiries) = (Time::NEVER, 0);
        if self.options.rules.after_idle == AfterIdle::InitialWindow {
            self.restart_after_idle(now);
        }
    }

    /// Records whether the application has more to send than the receiver's credit allows.
    pub fn hold_back(&mut self, is_held_back: bool) {
        self.is_held_back = is_held_back;
    }

    /// Returns whether the receiver's credit is used up and the application has more to send.
    pub fn is_out_of_credit(&self) -> bool {
        self.is_open && self.is_held_back && self.has_sent_all()
    }

    /// Called when the receiver gives credit for `packets` more packets, which the application has.
    pub fn grant(&mut self, now: Time, packets: u64, output: &mut impl Output) {
        self.data_until = self.data_until.saturating_add(packets);
        if self.is_open {
            self.send_allowed(now, output);
        }
    }
}
