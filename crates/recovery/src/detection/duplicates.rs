//! Retransmission by counting duplicate acknowledgements: Reno (RFC 5681 section 3.2) and NewReno (RFC 6582;
//! RFC 2582 with the options that ns-2 and the theses name).

use super::{AckSummary, Detection, LossFound, Reaction, Run};
use crate::declared::{Losses, PartialAckTimer};
use crate::ledger::Ledger;
use ackclock_base::Time;
use ackclock_cc::LossSignal;

/// The rule of Reno and NewReno.
#[derive(Clone, Debug)]
pub struct Duplicates {
    options: Losses,
    /// Whether a partial acknowledgement shows the next loss, which is retransmitted (NewReno). In Reno it ends recovery.
    resends: bool,
    duplicates: u32,
    /// Recovery lasts until everything below this number is acknowledged; `None` outside recovery.
    recover: Option<u64>,
    /// No fast retransmit happens until the first unacknowledged packet is above this number; `None` without
    /// a guard. Retransmissions after a timeout cause duplicates that indicate no loss (RFC 6582 section 4.1,
    /// ns-2's bugFix_).
    guard: Option<u64>,
    /// The packets by which the window is inflated: each duplicate shows that one has left the network.
    inflation: u64,
    partial_seen: bool,
}

impl Duplicates {
    /// Creates the rule, outside recovery: NewReno (RFC 6582), in which partial acknowledgements retransmit, if `resends`
    /// is true, and otherwise Reno (RFC 5681).
    pub fn new(options: Losses, resends: bool) -> Self {
        Self {
            options,
            resends,
            duplicates: 0,
            recover: None,
            guard: None,
            inflation: 0,
            partial_seen: false,
        }
    }

    /// Returns the number of duplicate acknowledgements since the cumulative acknowledgement last advanced.
    pub fn count(&self) -> u32 {
        self.duplicates
    }

    /// Begins recovery now, whatever the number of duplicates. Returns the reaction: the loss, and the
    /// retransmission of the first unacknowledged packet.
    pub fn enter(&mut self, ledger: &mut Ledger, signal: LossSignal) -> Reaction {
        self.recover = Some(ledger.high());
        self.guard = Some(ledger.high());
        //= RFC 5681 section 3.2 three: a fast retransmit sets the window to ssthresh plus three segments
        self.inflation = u64::from(self.duplicates);
        self.partial_seen = false;
        Reaction {
            loss: Some(LossFound { number: ledger.una(), signal, duplicates: self.duplicates }),
            //= RFC 5681 section 3.2 retransmit: the segment at SND.UNA is retransmitted
            resend: Some(Run::one(ledger.una())),
            restart_timer: true,
            ..Reaction::default()
        }
    }

    //= RFC 6582 section 3.2 recover: after a timeout, fast retransmit is off until acknowledgements go beyond the data that was sent before the timeout
    /// Returns whether duplicates may indicate a loss: not in recovery, and not during retransmission after a
    /// timeout.
    pub fn may_enter(&self, ledger: &Ledger) -> bool {
        self.recover.is_none() && self.guard.is_none_or(|guard| ledger.una() > guard)
    }

    /// Removes the guard, when everything outstanding at the last loss is acknowledged. With the guard, the
    /// loss of the very next packet would be left to the timer.
    pub fn lift_guard(&mut self) {
        self.guard = None;
    }

    /// Raises the count of duplicates to the threshold, as if the last one had completed it (Vegas).
    pub fn skip_to_threshold(&mut self) {
        self.duplicates = self.duplicates.max(self.options.dupack_threshold);
    }

    fn on_duplicate(&mut self, ledger: &mut Ledger) -> Reaction {
        self.duplicates += 1;
        let threshold = self.options.dupack_threshold;
        if self.recover.is_some() {
            //= RFC 5681 section 3.2 inflation: each further duplicate acknowledgement inflates the window by one segment
            self.inflation += 1;
        } else if self.duplicates == threshold && self.may_enter(ledger) {
            //= RFC 5681 section 3.2 fast-retransmit: the third duplicate acknowledgement shows that the first unacknowledged segment is lost
            return self.enter(ledger, LossSignal::DuplicateAcks);
        } else if self.duplicates < threshold && self.options.limited_transmit {
            //= RFC 5681 section 3.2 limited-transmit: each of the first two duplicate acknowledgements allows one new segment to be sent
            self.inflation = u64::from(self.duplicates);
        }
        Reaction::default()
    }

    fn on_fresh(&mut self, ledger: &Ledger, summary: &AckSummary) -> Reaction {
        let partial = self.recover.is_some_and(|recover| ledger.una() < recover);
        let missing = self.recover.filter(|_| partial && !self.partial_seen);
        let missing = missing.map(|recover| missing_of(recover - ledger.una(), self.duplicates));
        if partial && self.resends {
            let Losses { window_deflation: deflates, partial_ack_timer, .. } = self.options;
            // RFC 6582 section 3.2 step 3: the inflation shrinks by what was acknowledged, less one packet.
            //= RFC 6582 section 3.2 deflation: a partial acknowledgement deflates the window by the data that it acknowledges, minus one segment
            self.inflation =
                if deflates { (self.inflation + 1).saturating_sub(summary.cumulative) } else { 0 };
            //= RFC 6582 section 3.2 timer: the first partial acknowledgement restarts the timer
            let restart_timer = partial_ack_timer == PartialAckTimer::Every || !self.partial_seen;
            self.partial_seen = true;
            return Reaction {
                //= RFC 6582 section 3.2 partial: on a partial acknowledgement, the sender retransmits the first unacknowledged segment
                resend: Some(Run::one(ledger.una())),
                missing,
                restart_timer,
                ..Reaction::default()
            };
        }
        //= RFC 6582 section 3.2 full: an acknowledgement of all data that was outstanding at the loss ends recovery
        let recovered = self.recover.take().map(|_| self.duplicates);
        self.duplicates = 0;
        //= RFC 5681 section 3.2 deflation: an acknowledgement of new data deflates the window to ssthresh
        self.inflation = 0;
        Reaction { recovered, missing, restart_timer: true, ..Reaction::default() }
    }
}

/// Returns how many of the packets that were outstanding at a loss, and are not acknowledged, have not
/// arrived. Each duplicate indicates one that has (Alnuem 2009 figure 4.4).
pub fn missing_of(unacknowledged: u64, duplicates: u32) -> u64 {
    unacknowledged.saturating_sub(u64::from(duplicates))
}

impl Detection for Duplicates {
    fn on_ack(&mut self, ledger: &mut Ledger, summary: &AckSummary) -> Reaction {
        if summary.cumulative > 0 {
            self.on_fresh(ledger, summary)
        } else if summary.duplicate {
            self.on_duplicate(ledger)
        } else {
            Reaction::default()
        }
    }

    fn on_timeout(&mut self, ledger: &mut Ledger, _now: Time) {
        self.recover = None;
        //= RFC 6582 section 3.2 timeout: after a timeout, the sender stores the number of the highest segment that it has sent
        self.guard = Some(ledger.high());
        self.duplicates = 0;
        self.inflation = 0;
        //= RFC 6298 section 5.4: on a timeout, the sender retransmits the first unacknowledged segment
        ledger.go_back();
    }

    fn on_undone(&mut self, ledger: &mut Ledger) {
        ledger.go_forward();
        if self.recover.take().is_some() {
            (self.duplicates, self.inflation) = (0, 0);
        }
    }

    fn on_possibly_spurious_timeout(&mut self, ledger: &mut Ledger) {
        ledger.go_forward();
    }

    fn on_confirmed_timeout(&mut self, ledger: &mut Ledger, now: Time) {
        self.on_timeout(ledger, now);
    }

    fn in_recovery(&self) -> bool {
        self.recover.is_some()
    }

    fn inflight(&self, ledger: &Ledger) -> u64 {
        ledger.span().saturating_sub(self.inflation)
    }

    fn allows_fast_path(&self) -> bool {
        self.recover.is_none() && self.duplicates == 0 && self.inflation == 0
    }

    fn next(&mut self, ledger: &mut Ledger, cwnd: u64, fresh_until: u64) -> Option<u64> {
        let next = ledger.next();
        let room = ledger.span() < cwnd.saturating_add(self.inflation);
        (room && (next < ledger.high() || next < fresh_until)).then_some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detection::testing::{self, SUMMARY, sent};

    const NEWRENO: bool = true;
    const RENO: bool = false;

    fn rule(resends: bool) -> Duplicates {
        Duplicates::new(Losses { window_deflation: false, ..Losses::default() }, resends)
    }

    fn ack(rule: &mut Duplicates, ledger: &mut Ledger, to: u64) -> Reaction {
        testing::ack(rule, ledger, to, SUMMARY)
    }

    //= test RFC 5681 section 3.2 limited-transmit
    //= test RFC 5681 section 3.2 fast-retransmit
    //= test RFC 5681 section 3.2 retransmit
    //= test RFC 5681 section 3.2 inflation
    //= test RFC 5681 section 3.2 three
    #[test]
    fn the_third_duplicate_retransmits_the_first_packet() {
        let (mut rule, mut ledger) = (rule(NEWRENO), sent(10));
        assert_eq!(ack(&mut rule, &mut ledger, 0), Reaction::default());
        assert_eq!(rule.next(&mut ledger, 10, 100), Some(10), "limited transmit");
        assert_eq!(ack(&mut rule, &mut ledger, 0), Reaction::default());
        let reaction = ack(&mut rule, &mut ledger, 0);
        assert_eq!(reaction.resend, Some(Run::one(0)));
        assert!(reaction.loss.is_some() && rule.in_recovery());
        // Ten packets are outstanding. With a window of 5, the sixth duplicate is the first that lets a
        // packet out: 10 < 5 + 6.
        assert_eq!(rule.next(&mut ledger, 5, 100), None);
        (0..3).for_each(|_| {
            let _ = ack(&mut rule, &mut ledger, 0);
        });
        assert_eq!(rule.next(&mut ledger, 5, 100), Some(10));
    }

    //= test RFC 6582 section 3.2 partial
    //= test RFC 6582 section 3.2 timer
    //= test RFC 6582 section 3.2 full
    #[test]
    fn newreno_retransmits_on_a_partial_acknowledgement_and_reno_does_not() {
        let (mut newreno, mut ledger) = (rule(NEWRENO), sent(10));
        (0..3).for_each(|_| {
            let _ = ack(&mut newreno, &mut ledger, 0);
        });
        let partial = ack(&mut newreno, &mut ledger, 4);
        assert_eq!(
            (partial.resend, partial.recovered, partial.restart_timer),
            (Some(Run::one(4)), None, true)
        );
        assert!(ack(&mut newreno, &mut ledger, 10).recovered.is_some());

        let (mut reno, mut ledger) = (rule(RENO), sent(10));
        (0..3).for_each(|_| {
            let _ = ack(&mut reno, &mut ledger, 0);
        });
        let partial = ack(&mut reno, &mut ledger, 4);
        assert_eq!((partial.resend, partial.recovered), (None, Some(3)));
    }

    #[test]
    fn the_first_partial_acknowledgement_counts_what_is_missing() {
        for resends in [NEWRENO, RENO] {
            // Packets 0 to 3 of ten are lost: six duplicates. Then packet 0 is acknowledged: 10 - 1 - 6 = 3
            // are missing.
            let (mut rule, mut ledger) = (rule(resends), sent(10));
            (0..6).for_each(|_| assert_eq!(ack(&mut rule, &mut ledger, 0).missing, None));
            assert_eq!(ack(&mut rule, &mut ledger, 1).missing, Some(3));
            assert_eq!(ack(&mut rule, &mut ledger, 2).missing, None);
        }
    }

    #[test]
    fn an_acknowledgement_of_everything_counts_nothing() {
        let (mut rule, mut ledger) = (rule(NEWRENO), sent(10));
        (0..9).for_each(|_| assert_eq!(ack(&mut rule, &mut ledger, 0).missing, None));
        assert_eq!(ack(&mut rule, &mut ledger, 10).missing, None);
    }

    //= test RFC 6582 section 3.2 recover
    //= test RFC 6582 section 3.2 timeout
    //= test RFC 6298 section 5.4
    #[test]
    fn duplicates_after_a_timeout_indicate_no_loss_until_all_is_retransmitted() {
        let (mut rule, mut ledger) = (rule(NEWRENO), sent(10));
        rule.on_timeout(&mut ledger, Time::ZERO);
        assert_eq!(rule.next(&mut ledger, 1, 100), Some(0));
        ledger.transmit(0, Time::ZERO, 1);
        (0..5).for_each(|_| assert_eq!(ack(&mut rule, &mut ledger, 0).resend, None));
        ack(&mut rule, &mut ledger, 10);
        (10..12).for_each(|number| {
            ledger.transmit(number, Time::ZERO, 1);
        });
        ack(&mut rule, &mut ledger, 11);
        (0..2).for_each(|_| {
            let _ = ack(&mut rule, &mut ledger, 11);
        });
        assert_eq!(ack(&mut rule, &mut ledger, 11).resend, Some(Run::one(11)));
    }

    //= test RFC 5681 section 3.2 deflation
    #[test]
    fn an_acknowledgement_of_new_data_ends_the_inflation() {
        let (mut reno, mut ledger) = (rule(RENO), sent(10));
        (0..5).for_each(|_| _ = ack(&mut reno, &mut ledger, 0));
        assert_eq!(reno.inflight(&ledger), 5, "five packets have left the network");
        ack(&mut reno, &mut ledger, 4);
        assert_eq!(reno.inflight(&ledger), 6, "packets 4 to 9");
    }

    //= test RFC 6582 section 3.2 deflation
    #[test]
    fn a_partial_acknowledgement_deflates_by_what_it_covers_less_a_packet() {
        let (mut newreno, mut ledger) = (Duplicates::new(Losses::default(), NEWRENO), sent(10));
        (0..5).for_each(|_| _ = ack(&mut newreno, &mut ledger, 0));
        ack(&mut newreno, &mut ledger, 4);
        // 5 - 4 + 1 = 2 packets of inflation remain, and packets 4 to 9 are outstanding.
        assert_eq!(newreno.inflight(&ledger), 4);
    }
}
