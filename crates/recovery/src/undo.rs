//! Detection of spurious reactions: whether the last reaction to a loss or a timeout was justified. Each
//! method has an option.
//!
//! * Eifel (RFC 3522): the acknowledgement after a retransmission echoes the timestamp of the original.
//! * DSACK (RFC 3708; Linux `tcp_try_undo_dsack`): the receiver reports every retransmission as a duplicate.
//! * F-RTO (RFC 5682): after a timeout and an acknowledgement that advances, new data is sent in place of
//!   more retransmissions, and the next acknowledgement advances too.

use ackclock_base::Time;

/// The methods in use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UndoRules {
    /// Eifel for timeouts, which needs timestamps.
    pub eifel_timeouts: bool,
    /// Eifel for recoveries, which needs timestamps.
    pub eifel_recoveries: bool,
    /// DSACK, for timeouts and recoveries.
    pub dsack: bool,
    /// F-RTO, for timeouts.
    pub frto: bool,
}

/// The evidence in an acknowledgement for or against a spurious reaction.
#[derive(Clone, Copy, Debug, Default)]
pub struct Evidence {
    /// The first packet not acknowledged cumulatively.
    pub una: u64,
    /// Whether the cumulative acknowledgement advanced.
    pub fresh: bool,
    /// Whether the acknowledgement is a duplicate.
    pub duplicate: bool,
    /// When the packet that triggered the acknowledgement was sent; `None` without timestamps.
    pub stamp: Option<Time>,
    /// The range received twice, as its first packet and one past its last; `None` without a report.
    pub dsack: Option<(u64, u64)>,
    /// Whether there is new data that may be sent.
    pub has_new_data: bool,
}

/// The conclusion from an acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No conclusion yet, or the reaction was justified.
    None,
    /// The reaction was spurious.
    Undone,
    /// F-RTO, step 2b: two new packets and nothing else are to be sent.
    Probe,
    /// F-RTO, step 3a: the timeout was justified, and retransmission continues.
    Resume,
}

/// The state of spurious-loss detection for the last reaction.
#[derive(Clone, Copy, Debug, Default)]
pub struct SpuriousDetection {
    /// When the reaction happened, until the next fresh acknowledgement; `None` without Eifel.
    resent_at: Option<Time>,
    unreported: Option<UnreportedRetransmissions>,
    frto: Frto,
    /// One past the last packet outstanding when F-RTO last began. F-RTO does not begin again until
    /// everything below is acknowledged.
    recover: u64,
    /// Whether any method is still undecided.
    open: bool,
}

/// The retransmissions since the reaction that have not been reported as duplicates.
#[derive(Clone, Copy, Debug)]
struct UnreportedRetransmissions {
    from: u64,
    left: u64,
}

/// The step of F-RTO.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Frto {
    #[default]
    Off,
    /// The first packet has been retransmitted. The number is one past the last packet outstanding at the
    /// timeout.
    Resent(u64),
    /// New packets have been sent instead of further retransmissions.
    Probing,
}

impl SpuriousDetection {
    /// Returns whether some method has not decided yet about the last reaction, so that [`Self::examine`] is
    /// to be called at the next acknowledgement.
    #[inline]
    pub fn is_undecided(&self) -> bool {
        self.open
    }

    /// Returns whether F-RTO forbids sending until the next acknowledgement.
    #[inline]
    pub fn hold_back(&self) -> bool {
        self.frto == Frto::Probing
    }

    /// Called at a timeout. `is_first` is false if the timer was already backed off; a back-off lasts until a
    /// round trip is sampled for the timer (Karn). `una` is the first outstanding packet, and `high` is one
    /// past the last.
    pub fn on_timeout(&mut self, rules: &UndoRules, now: Time, is_first: bool, una: u64, high: u64) {
        if is_first {
            let begins = rules.frto && una >= self.recover;
            *self = Self {
                resent_at: rules.eifel_timeouts.then_some(now),
                unreported: rules.dsack.then_some(UnreportedRetransmissions { from: una, left: 0 }),
                frto: if begins { Frto::Resent(high) } else { Frto::Off },
                recover: if begins { high } else { self.recover },
                open: false,
            };
        } else {
            self.frto = Frto::Off;
        }
        self.note_open();
    }

    /// Called when a loss begins a recovery.
    #[cold]
    pub fn on_loss(&mut self, rules: &UndoRules, now: Time, una: u64) {
        *self = Self {
            resent_at: rules.eifel_recoveries.then_some(now),
            unreported: rules.dsack.then_some(UnreportedRetransmissions { from: una, left: 0 }),
            ..Self::default()
        };
        self.note_open();
    }

    /// Called when a packet is retransmitted.
    #[inline]
    pub fn on_resent(&mut self) {
        if let Some(unreported) = &mut self.unreported {
            unreported.left += 1;
        }
    }

    /// Examines an acknowledgement and returns the conclusion.
    pub fn examine(&mut self, evidence: &Evidence) -> Verdict {
        let undone = self.is_spurious_by_time(evidence) || self.is_spurious_by_duplicates(evidence);
        let verdict = if undone { Verdict::Undone } else { self.step(evidence) };
        if verdict == Verdict::Undone {
            *self = Self::default();
        }
        self.note_open();
        verdict
    }

    fn is_spurious_by_time(&mut self, evidence: &Evidence) -> bool {
        let resent_at = if evidence.fresh { self.resent_at.take() } else { None };
        resent_at.is_some_and(|resent_at| evidence.stamp.is_some_and(|stamp| stamp < resent_at))
    }

    fn is_spurious_by_duplicates(&mut self, evidence: &Evidence) -> bool {
        let (Some(unreported), Some((start, end))) = (&mut self.unreported, evidence.dsack) else {
            return false;
        };
        let told = end.saturating_sub(start.max(unreported.from));
        let had_some = unreported.left > 0 && told > 0;
        unreported.left = unreported.left.saturating_sub(told);
        had_some && unreported.left == 0
    }

    /// Carries out RFC 5682 section 2.1, steps 2 and 3.
    fn step(&mut self, evidence: &Evidence) -> Verdict {
        let (next, verdict) = match self.frto {
            Frto::Resent(recover) if evidence.fresh && evidence.una < recover && evidence.has_new_data => {
                (Frto::Probing, Verdict::Probe)
            }
            Frto::Probing if evidence.fresh => (Frto::Off, Verdict::Undone),
            Frto::Probing if evidence.duplicate => (Frto::Off, Verdict::Resume),
            Frto::Resent(_) if evidence.fresh || evidence.duplicate => (Frto::Off, Verdict::None),
            other => (other, Verdict::None),
        };
        self.frto = next;
        verdict
    }

    fn note_open(&mut self) {
        self.open = self.resent_at.is_some() || self.unreported.is_some() || self.frto != Frto::Off;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_base::Span;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    const FRESH: Evidence =
        Evidence { una: 5, fresh: true, duplicate: false, stamp: None, dsack: None, has_new_data: true };
    const DUPLICATE: Evidence = Evidence { fresh: false, duplicate: true, ..FRESH };
    const FRTO: UndoRules =
        UndoRules { frto: true, eifel_timeouts: false, eifel_recoveries: false, dsack: false };

    #[test]
    fn the_echo_of_the_original_undoes_a_reaction_and_that_of_the_retransmission_confirms_it() {
        let rules = UndoRules { eifel_timeouts: true, eifel_recoveries: true, ..UndoRules::default() };
        for (stamp, verdict) in [(99, Verdict::Undone), (100, Verdict::None)] {
            let mut detection = SpuriousDetection::default();
            detection.on_timeout(&rules, at(100), true, 4, 10);
            assert_eq!(detection.examine(&Evidence { stamp: Some(at(50)), ..DUPLICATE }), Verdict::None);
            assert_eq!(detection.examine(&Evidence { stamp: Some(at(stamp)), ..FRESH }), verdict);
            assert!(!detection.is_undecided(), "the first fresh acknowledgement decides");
            detection.on_loss(&rules, at(100), 4);
            assert_eq!(detection.examine(&Evidence { stamp: Some(at(stamp)), ..FRESH }), verdict);
        }
    }

    #[test]
    fn the_reaction_is_undone_only_when_every_retransmission_was_a_duplicate() {
        let rules = UndoRules { dsack: true, ..UndoRules::default() };
        let mut detection = SpuriousDetection::default();
        detection.on_loss(&rules, at(100), 4);
        let told = |start, end| Evidence { dsack: Some((start, end)), ..FRESH };
        assert_eq!(detection.examine(&told(4, 5)), Verdict::None, "nothing has been retransmitted");
        (0..3).for_each(|_| detection.on_resent());
        assert_eq!(detection.examine(&told(3, 4)), Verdict::None, "the report is of an older retransmission");
        assert_eq!(detection.examine(&told(4, 5)), Verdict::None);
        assert_eq!(detection.examine(&FRESH), Verdict::None);
        assert_eq!(detection.examine(&told(5, 7)), Verdict::Undone);
        assert_eq!(detection.examine(&told(5, 7)), Verdict::None, "the reaction is undone once");
    }

    #[test]
    fn two_advancing_acknowledgements_show_that_a_timeout_was_spurious() {
        let mut detection = SpuriousDetection::default();
        detection.on_timeout(&FRTO, at(100), true, 4, 10);
        assert_eq!((detection.examine(&FRESH), detection.hold_back()), (Verdict::Probe, true));
        assert_eq!((detection.examine(&FRESH), detection.hold_back()), (Verdict::Undone, false));
    }

    #[test]
    fn a_duplicate_at_either_step_shows_that_the_timeout_was_justified() {
        let mut detection = SpuriousDetection::default();
        detection.on_timeout(&FRTO, at(100), true, 4, 10);
        assert_eq!(detection.examine(&DUPLICATE), Verdict::None);
        assert_eq!(detection.examine(&FRESH), Verdict::None);
        detection.on_timeout(&FRTO, at(200), true, 5, 10);
        assert_eq!(
            detection.examine(&FRESH),
            Verdict::None,
            "packets of the last timeout are still outstanding"
        );
        detection.on_timeout(&FRTO, at(300), true, 10, 20);
        assert_eq!(detection.examine(&Evidence { una: 11, ..FRESH }), Verdict::Probe);
        assert_eq!(detection.examine(&DUPLICATE), Verdict::Resume);
        assert_eq!(detection.examine(&FRESH), Verdict::None);
    }

    #[test]
    fn without_new_data_or_with_all_acknowledged_or_after_another_timeout_f_rto_concludes_nothing() {
        for evidence in [Evidence { has_new_data: false, ..FRESH }, Evidence { una: 10, ..FRESH }] {
            let mut detection = SpuriousDetection::default();
            detection.on_timeout(&FRTO, at(100), true, 4, 10);
            assert_eq!(
                (detection.examine(&evidence), detection.examine(&FRESH)),
                (Verdict::None, Verdict::None)
            );
        }
        let mut detection = SpuriousDetection::default();
        detection.on_timeout(&FRTO, at(100), true, 4, 10);
        detection.on_timeout(&FRTO, at(300), false, 4, 10);
        assert_eq!(detection.examine(&FRESH), Verdict::None);
    }
}
