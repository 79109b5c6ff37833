//! What a sender does when its last reaction to a loss or a timeout proves spurious, see [`crate::undo`].

use super::{Output, Sender};
use crate::ledger::Newly;
use crate::undo::{Evidence, Verdict};
use ackclock_base::Time;
use std::ops::Range;

/// The maximum number of new packets in F-RTO (RFC 5682 section 2.1 step 2b).
const PROBES: usize = 2;

impl Sender {
    /// Examines an acknowledgement for signs that the last reaction was spurious. Returns whether new data is
    /// to be sent to find out more.
    #[cold]
    pub(super) fn examine(
        &mut self,
        now: Time,
        newly: &Newly,
        duplicate: bool,
        stamp: Option<Time>,
        dsack: &Option<Range<u64>>,
    ) -> bool {
        let una = self.ledger.una();
        let fresh = newly.cumulative > 0;
        let verdict = self.spurious.examine(&Evidence {
            una,
            fresh,
            duplicate,
            stamp,
            dsack: dsack.as_ref().map(|range| (range.start, range.end)),
            retransmitted: newly.retransmitted,
            first_sent_once: fresh && self.ledger.sent(una - newly.cumulative).transmissions == 1,
            repairing: self.ledger.marked_lost() > 0 || self.ledger.resent() > 0,
            has_new_data: self.ledger.high() < self.fresh_until(),
        });
        match verdict {
            Verdict::Undone => {
                let was_recovering = self.rule.in_recovery();
                self.rule.on_undone(&mut self.ledger);
                self.undo(now, was_recovering);
            }
            Verdict::Probe => self.rule.on_possibly_spurious_timeout(&mut self.ledger),
            Verdict::Resume => self.rule.on_confirmed_timeout(&mut self.ledger, now),
            Verdict::None => {}
        }
        verdict == Verdict::Probe
    }

    /// Sends up to two new packets, whatever the window.
    #[cold]
    pub(super) fn send_new(&mut self, now: Time, output: &mut impl Output) {
        for _ in 0..PROBES {
            let number = self.ledger.high();
            if number >= self.fresh_until() || self.transmit(now, number, output).is_none() {
                break;
            }
        }
    }
}
