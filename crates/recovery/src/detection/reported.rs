//! The rule for transports that detect losses themselves. An association with several paths sees in its
//! acknowledgements, which cover all paths together, what the packets of one path do not show (RFC 9260
//! section 7.2.4). It reports the losses; this rule removes them from the path's flight and reports one loss
//! per recovery to its control. No number is used twice: the data of a lost packet is retransmitted under a
//! new number, perhaps over another path.

use super::{AckSummary, Detection, LossFound, Reaction};
use crate::ledger::Ledger;
use crate::sender::ReportedLosses;
use ackclock_base::Time;
use ackclock_cc::LossSignal;

/// The rule for losses that the transport reports.
#[derive(Clone, Debug, Default)]
pub struct Reported {
    /// Packets reported lost that are not yet marked in the ledger.
    lost: Vec<u64>,
    /// Whether the losses in `lost` are to reduce the window.
    reduces: bool,
    recovering: bool,
    /// The value of `recovering` at the previous acknowledgement.
    was_recovering: bool,
}

impl Detection for Reported {
    fn on_reported_losses(&mut self, reported: &ReportedLosses<'_>) {
        self.lost.extend_from_slice(reported.lost);
        self.reduces |= reported.reduces;
        self.recovering = reported.recovering;
    }

    fn on_ack(&mut self, ledger: &mut Ledger, summary: &AckSummary) -> Reaction {
        ledger.drain_selective(|_, _| {});
        let una = ledger.una();
        let number = self.lost.first().copied().unwrap_or(una);
        let outstanding = una..ledger.next();
        self.lost
            .drain(..)
            .filter(|number| outstanding.contains(number))
            .for_each(|number| ledger.lose(number));
        ledger.settle(Time::NEVER);
        let begins = std::mem::take(&mut self.reduces);
        let ends = self.was_recovering && (begins || !self.recovering);
        self.was_recovering = self.recovering;
        let loss = LossFound { number, signal: LossSignal::DuplicateAcks, duplicates: 0 };
        Reaction {
            recovered: ends.then_some(0),
            loss: begins.then_some(loss),
            // RFC 9260 section 6.3.2 rule R3: the earliest outstanding chunk of the path has changed.
            //= RFC 9260 section 6.3.2 r3: an acknowledgement of the earliest outstanding chunk of a path restarts the timer of the path
            restart_timer: summary.cumulative > 0 || ledger.una() > una,
            ..Reaction::default()
        }
    }

    fn on_timeout(&mut self, ledger: &mut Ledger, _now: Time) {
        self.lost.clear();
        (self.reduces, self.recovering, self.was_recovering) = (false, false, false);
        ledger.all_lost();
        ledger.settle(Time::NEVER);
    }

    fn on_undone(&mut self, _ledger: &mut Ledger) {
        self.recovering = false;
    }

    fn in_recovery(&self) -> bool {
        self.recovering
    }

    fn inflight(&self, ledger: &Ledger) -> u64 {
        ledger.pipe()
    }

    fn next(&mut self, ledger: &mut Ledger, cwnd: u64, fresh_until: u64) -> Option<u64> {
        let next = ledger.next();
        (ledger.pipe() < cwnd && next < fresh_until).then_some(next)
    }

    fn wants_ranges(&self, _ledger: &Ledger) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detection::testing::{self, SUMMARY};
    use crate::ledger::Newly;

    /// Returns a ledger with ten packets of 1000 bytes, sent at time zero.
    fn sent() -> Ledger {
        let mut ledger = Ledger::new(0);
        (0..10).for_each(|number| {
            ledger.transmit(number, Time::ZERO, 1000);
        });
        ledger
    }

    fn ack(rule: &mut Reported, ledger: &mut Ledger, range: std::ops::Range<u64>) -> Reaction {
        let mut newly = Newly::default();
        ledger.acknowledge_range(range, &mut newly);
        rule.on_ack(ledger, &AckSummary { delivered: newly.delivered, ..SUMMARY })
    }

    #[test]
    fn reported_losses_leave_the_flight_and_the_control_hears_once() {
        let (mut rule, mut ledger) = (Reported::default(), sent());
        rule.on_reported_losses(&ReportedLosses {
            lost: &[0, 2],
            reduces: true,
            recovering: true,
            ..ReportedLosses::default()
        });
        let reaction = ack(&mut rule, &mut ledger, 3..6);
        assert_eq!(reaction.loss.map(|loss| loss.number), Some(0));
        // In flight are ten packets less two lost and three acknowledged. Packet 0 is settled; packet 1 is
        // not acknowledged.
        assert_eq!((ledger.pipe(), ledger.una(), rule.in_recovery()), (5000, 1, true));
        assert!(reaction.restart_timer);
        // A further loss in the same recovery reduces nothing. Packet 1 was the only one that kept the later
        // ones in the ledger.
        rule.on_reported_losses(&ReportedLosses {
            lost: &[1],
            reduces: false,
            recovering: true,
            ..ReportedLosses::default()
        });
        let reaction = ack(&mut rule, &mut ledger, 6..7);
        assert_eq!((reaction.loss, ledger.una(), ledger.pipe()), (None, 7, 3000));
        rule.on_reported_losses(&ReportedLosses {
            lost: &[],
            reduces: false,
            recovering: false,
            ..ReportedLosses::default()
        });
        let reaction = ack(&mut rule, &mut ledger, 7..8);
        assert_eq!((reaction.recovered, rule.in_recovery()), (Some(0), false));
        assert_eq!(ack(&mut rule, &mut ledger, 8..9).recovered, None, "recovery ends once");
    }

    //= test RFC 9260 section 6.3.2 r3
    #[test]
    fn an_acknowledgement_of_the_earliest_packet_restarts_the_timer_and_others_do_not() {
        // Packet 0 is acknowledged cumulatively, then packet 2, and then packet 1 by a range.
        let (mut rule, mut ledger) = (Reported::default(), sent());
        assert!(testing::ack(&mut rule, &mut ledger, 1, SUMMARY).restart_timer);
        assert!(!ack(&mut rule, &mut ledger, 2..3).restart_timer);
        assert!(ack(&mut rule, &mut ledger, 1..2).restart_timer);
    }

    #[test]
    fn after_a_timeout_nothing_is_outstanding() {
        let (mut rule, mut ledger) = (Reported::default(), sent());
        ack(&mut rule, &mut ledger, 4..6);
        rule.on_timeout(&mut ledger, Time::ZERO);
        assert_eq!((ledger.pipe(), ledger.is_empty(), ledger.una()), (0, true, 10));
        assert_eq!(rule.next(&mut ledger, 1000, 11), Some(10));
    }
}
