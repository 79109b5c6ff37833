//! Whether the last reaction to a loss or a timeout was justified: each way to find that it was not is a part of its own,
//! by option.
//!
//! * Eifel (RFC 3522): the acknowledgement after a retransmission echoes the timestamp of the original.
//! * DSACK (RFC 3708; Linux `tcp_try_undo_dsack`): the receiver says of each retransmission that it was a duplicate.
//! * F-RTO (RFC 5682): after a timeout new data, sent in place of more retransmissions, is acknowledged in turn.

use ackclock_base::Time;

/// Which ways are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UndoRules {
    /// Eifel for timeouts; needs timestamps.
    pub eifel_timeouts: bool,
    /// Eifel for recoveries; needs timestamps.
    pub eifel_recoveries: bool,
    /// DSACK, for both.
    pub dsack: bool,
    /// F-RTO.
    pub frto: bool,
}

/// What an acknowledgement says to it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Evidence {
    /// The first packet not acknowledged cumulatively.
    pub una: u64,
    /// Whether the cumulative acknowledgement has moved.
    pub fresh: bool,
    /// Whether it is a duplicate.
    pub duplicate: bool,
    /// When the packet was sent that it answers to.
    pub stamp: Option<Time>,
    /// The first packet that has arrived twice, and one past the last.
    pub dsack: Option<(u64, u64)>,
    /// Whether there is new data that may be sent.
    pub has_new_data: bool,
}

/// What is made of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing yet, or that the reaction was justified.
    None,
    /// Nothing was lost.
    Undone,
    /// F-RTO, step 2b: send two new packets and nothing else.
    Probe,
    /// F-RTO, step 3a: the timeout was justified; go on with the retransmissions.
    Resume,
}

/// The doubts about the last reaction.
#[derive(Clone, Copy, Debug, Default)]
pub struct Doubts {
    /// When the reaction was; until the next fresh acknowledgement.
    resent_at: Option<Time>,
    disproof: Option<Disproof>,
    frto: Frto,
    /// What was outstanding when F-RTO began last ended here: until it is acknowledged, F-RTO does not begin again.
    recover: u64,
    /// Whether there is any.
    open: bool,
}

/// The retransmissions since the reaction that have not been told of as duplicates.
#[derive(Clone, Copy, Debug)]
struct Disproof {
    from: u64,
    left: u64,
}

/// F-RTO's step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Frto {
    #[default]
    Off,
    /// The first packet has been resent; what was outstanding ended at this number.
    Resent(u64),
    /// New packets have been sent instead of the others.
    Probing,
}

impl Doubts {
    /// Whether [`Self::judge`] has anything to judge.
    #[inline]
    pub fn are_open(&self) -> bool {
        self.open
    }

    /// Whether F-RTO wants nothing sent until the next acknowledgement.
    #[inline]
    pub fn hold_back(&self) -> bool {
        self.frto == Frto::Probing
    }

    /// A timeout, the first or one after another without progress; what is outstanding lies from `una` to `high`.
    pub fn on_timeout(&mut self, rules: &UndoRules, now: Time, is_first: bool, una: u64, high: u64) {
        if is_first {
            let begins = rules.frto && una >= self.recover;
            *self = Self {
                resent_at: rules.eifel_timeouts.then_some(now),
                disproof: rules.dsack.then_some(Disproof { from: una, left: 0 }),
                frto: if begins { Frto::Resent(high) } else { Frto::Off },
                recover: if begins { high } else { self.recover },
                open: false,
            };
        } else {
            self.frto = Frto::Off;
        }
        self.note_open();
    }

    /// A loss.
    #[cold]
    pub fn on_loss(&mut self, rules: &UndoRules, now: Time, una: u64) {
        *self = Self {
            resent_at: rules.eifel_recoveries.then_some(now),
            disproof: rules.dsack.then_some(Disproof { from: una, left: 0 }),
            ..Self::default()
        };
        self.note_open();
    }

    /// A packet is sent again.
    #[inline]
    pub fn on_resent(&mut self) {
        if let Some(disproof) = &mut self.disproof {
            disproof.left += 1;
        }
    }

    /// An acknowledgement.
    pub fn judge(&mut self, evidence: &Evidence) -> Verdict {
        let undone = self.is_disproved_by_time(evidence) || self.is_disproved_by_duplicates(evidence);
        let verdict = if undone { Verdict::Undone } else { self.step(evidence) };
        if verdict == Verdict::Undone {
            *self = Self::default();
        }
        self.note_open();
        verdict
    }

    fn is_disproved_by_time(&mut self, evidence: &Evidence) -> bool {
        let resent_at = if evidence.fresh { self.resent_at.take() } else { None };
        resent_at.is_some_and(|resent_at| evidence.stamp.is_some_and(|stamp| stamp < resent_at))
    }

    fn is_disproved_by_duplicates(&mut self, evidence: &Evidence) -> bool {
        let (Some(disproof), Some((start, end))) = (&mut self.disproof, evidence.dsack) else { return false };
        let told = end.saturating_sub(start.max(disproof.from));
        let had_some = disproof.left > 0 && told > 0;
        disproof.left = disproof.left.saturating_sub(told);
        had_some && disproof.left == 0
    }

    /// RFC 5682 section 2.1, steps 2 and 3.
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
        self.open = self.resent_at.is_some() || self.disproof.is_some() || self.frto != Frto::Off;
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
    fn the_echo_of_the_original_takes_a_reaction_back_and_that_of_the_retransmission_confirms_it() {
        let rules = UndoRules { eifel_timeouts: true, eifel_recoveries: true, ..UndoRules::default() };
        for (stamp, verdict) in [(99, Verdict::Undone), (100, Verdict::None)] {
            let mut doubts = Doubts::default();
            doubts.on_timeout(&rules, at(100), true, 4, 10);
            assert_eq!(doubts.judge(&Evidence { stamp: Some(at(50)), ..DUPLICATE }), Verdict::None);
            assert_eq!(doubts.judge(&Evidence { stamp: Some(at(stamp)), ..FRESH }), verdict);
            assert!(!doubts.are_open(), "the first fresh acknowledgement decides");
            doubts.on_loss(&rules, at(100), 4);
            assert_eq!(doubts.judge(&Evidence { stamp: Some(at(stamp)), ..FRESH }), verdict);
        }
    }

    #[test]
    fn only_when_every_retransmission_was_a_duplicate_is_the_reaction_taken_back() {
        let rules = UndoRules { dsack: true, ..UndoRules::default() };
        let mut doubts = Doubts::default();
        doubts.on_loss(&rules, at(100), 4);
        let told = |start, end| Evidence { dsack: Some((start, end)), ..FRESH };
        assert_eq!(doubts.judge(&told(4, 5)), Verdict::None, "nothing has been resent");
        (0..3).for_each(|_| doubts.on_resent());
        assert_eq!(doubts.judge(&told(3, 4)), Verdict::None, "of an older retransmission");
        assert_eq!(doubts.judge(&told(4, 5)), Verdict::None);
        assert_eq!(doubts.judge(&FRESH), Verdict::None);
        assert_eq!(doubts.judge(&told(5, 7)), Verdict::Undone);
        assert_eq!(doubts.judge(&told(5, 7)), Verdict::None, "once");
    }

    #[test]
    fn after_a_timeout_two_acknowledgements_that_move_on_show_that_it_was_spurious() {
        let mut doubts = Doubts::default();
        doubts.on_timeout(&FRTO, at(100), true, 4, 10);
        assert_eq!((doubts.judge(&FRESH), doubts.hold_back()), (Verdict::Probe, true));
        assert_eq!((doubts.judge(&FRESH), doubts.hold_back()), (Verdict::Undone, false));
    }

    #[test]
    fn a_duplicate_at_either_step_shows_that_the_timeout_was_justified() {
        let mut doubts = Doubts::default();
        doubts.on_timeout(&FRTO, at(100), true, 4, 10);
        assert_eq!(doubts.judge(&DUPLICATE), Verdict::None);
        assert_eq!(doubts.judge(&FRESH), Verdict::None);
        doubts.on_timeout(&FRTO, at(200), true, 5, 10);
        assert_eq!(doubts.judge(&FRESH), Verdict::None, "still what the last timeout began with");
        doubts.on_timeout(&FRTO, at(300), true, 10, 20);
        assert_eq!(doubts.judge(&Evidence { una: 11, ..FRESH }), Verdict::Probe);
        assert_eq!(doubts.judge(&DUPLICATE), Verdict::Resume);
        assert_eq!(doubts.judge(&FRESH), Verdict::None);
    }

    #[test]
    fn without_new_data_or_with_all_acknowledged_or_timed_out_again_there_is_no_telling() {
        for evidence in [Evidence { has_new_data: false, ..FRESH }, Evidence { una: 10, ..FRESH }] {
            let mut doubts = Doubts::default();
            doubts.on_timeout(&FRTO, at(100), true, 4, 10);
            assert_eq!((doubts.judge(&evidence), doubts.judge(&FRESH)), (Verdict::None, Verdict::None));
        }
        let mut doubts = Doubts::default();
        doubts.on_timeout(&FRTO, at(100), true, 4, 10);
        doubts.on_timeout(&FRTO, at(300), false, 4, 10);
        assert_eq!(doubts.judge(&FRESH), Verdict::None);
    }
}
