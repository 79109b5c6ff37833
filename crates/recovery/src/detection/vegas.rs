//! Vegas's retransmission (Brakmo and Peterson 1995, as in ns-2 2.35). Duplicates are counted as in Reno, but
//! each duplicate outside recovery, and up to two advancing acknowledgements after a retransmission, also
//! check the age of the oldest packet. As in ns-2, every retransmission that begins a recovery also doubles
//! the coarse timeout.
//!
//! Unlike ns-2, whose ring of sending times forgets some retransmissions, the rule knows when each packet was
//! last sent.

use super::duplicates::Duplicates;
use super::{AckSummary, Detection, Reaction, Run};
use crate::declared::Losses;
use crate::ledger::Ledger;
use crate::rtt::Smoothed;
use ackclock_base::{Span, Time};
use ackclock_cc::LossSignal;

/// The number of fresh acknowledgements that are checked after a retransmission.
const WORRIES: u32 = 2;

/// The rule of Vegas: Reno's duplicates and the number of acknowledgements still to be checked.
#[derive(Clone, Debug)]
pub struct Vegas {
    duplicates: Duplicates,
    worries: u32,
}

impl Vegas {
    /// Creates the rule, outside recovery.
    pub fn new(options: Losses) -> Self {
        let options = Losses { limited_transmit: false, ..options };
        Self { duplicates: Duplicates::new(options, false), worries: 0 }
    }

    /// Returns the age from which a packet is overdue: SRTT + 2 RTTVAR at full resolution, and a sixteenth of
    /// that sum more; [`Span::MAX`] before the first sample.
    fn timeout(rtt: Smoothed) -> Span {
        let timeout = rtt.mean + rtt.deviation * 2;
        if rtt.mean == Span::ZERO { Span::MAX } else { timeout + timeout / 16 }
    }

    fn is_overdue(ledger: &Ledger, summary: &AckSummary) -> bool {
        !ledger.is_empty() && summary.now.since(ledger.sent(ledger.una()).at) >= Self::timeout(summary.rtt)
    }

    fn enter(&mut self, ledger: &mut Ledger, signal: LossSignal) -> Reaction {
        self.worries = WORRIES.min(ledger.span() as u32);
        self.duplicates.skip_to_threshold();
        Reaction { back_off: true, ..self.duplicates.enter(ledger, signal) }
    }
}

impl Detection for Vegas {
    fn on_ack(&mut self, ledger: &mut Ledger, summary: &AckSummary) -> Reaction {
        let mut reaction = self.duplicates.on_ack(ledger, summary);
        let overdue = Self::is_overdue(ledger, summary);
        if summary.duplicate {
            if reaction.loss.is_some() {
                reaction.back_off = true;
                self.worries = WORRIES.min(ledger.span() as u32);
            } else if overdue && self.duplicates.may_enter(ledger) {
                return self.enter(ledger, LossSignal::EarlyTimer);
            }
        } else if summary.cumulative > 0 && self.worries > 0 {
            self.worries = if overdue { self.worries - 1 } else { 0 };
            reaction.resend = overdue.then_some(Run::one(ledger.una()));
        }
        reaction
    }

    fn on_timeout(&mut self, ledger: &mut Ledger, now: Time) {
        self.worries = 0;
        self.duplicates.on_timeout(ledger, now);
    }

    fn on_undone(&mut self, ledger: &mut Ledger) {
        self.duplicates.on_undone(ledger);
    }

    fn on_possibly_spurious_timeout(&mut self, ledger: &mut Ledger) {
        self.duplicates.on_possibly_spurious_timeout(ledger);
    }

    fn on_confirmed_timeout(&mut self, ledger: &mut Ledger, now: Time) {
        self.duplicates.on_confirmed_timeout(ledger, now);
    }

    fn in_recovery(&self) -> bool {
        self.duplicates.in_recovery()
    }

    fn inflight(&self, ledger: &Ledger) -> u64 {
        self.duplicates.inflight(ledger)
    }

    fn allows_fast_path(&self) -> bool {
        self.worries == 0 && self.duplicates.allows_fast_path()
    }

    fn next(&mut self, ledger: &mut Ledger, cwnd: u64, fresh_until: u64) -> Option<u64> {
        self.duplicates.next(ledger, cwnd, fresh_until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detection::testing::{self, SUMMARY, sent};
    use ackclock_base::{Span, Time};

    /// With this round trip a packet is overdue after 100 + 2 * 20 ms and a sixteenth: 148.75 ms.
    const RTT: Smoothed = Smoothed { mean: Span::from_millis(100), deviation: Span::from_millis(20) };

    fn ack(rule: &mut Vegas, ledger: &mut Ledger, to: u64, now_ms: u64) -> Reaction {
        let now = Time::ZERO + Span::from_millis(now_ms);
        testing::ack(rule, ledger, to, AckSummary { now, rtt: RTT, ..SUMMARY })
    }

    #[test]
    fn an_overdue_packet_is_retransmitted_at_the_first_duplicate() {
        let mut ledger = sent(10);
        let mut early = Vegas::new(Losses::default());
        assert_eq!(ack(&mut early, &mut ledger.clone(), 0, 100).resend, None);
        let mut late = Vegas::new(Losses::default());
        let reaction = ack(&mut late, &mut ledger, 0, 150);
        assert_eq!(reaction.resend, Some(Run::one(0)));
        assert_eq!(reaction.loss.map(|loss| loss.signal), Some(LossSignal::EarlyTimer));
        assert!(late.in_recovery() && !early.in_recovery());
    }

    #[test]
    fn after_a_retransmission_the_next_acknowledgement_is_checked_too() {
        let mut ledger = sent(10);
        let mut rule = Vegas::new(Losses::default());
        ack(&mut rule, &mut ledger, 0, 150);
        let reaction = ack(&mut rule, &mut ledger, 3, 250);
        assert_eq!((reaction.recovered, reaction.resend, reaction.loss), (Some(3), Some(Run::one(3)), None));
    }
}
