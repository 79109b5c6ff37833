//! Detection of spurious reactions: whether the last reaction to a loss or a timeout was justified. Each
//! method has an option.
//!
//! * Eifel (RFC 3522): the acknowledgement after a retransmission echoes the timestamp of the original. An echo that is
//!   older than the reaction, but not than the first retransmission of the packet, proves nothing: a packet may have been
//!   retransmitted in an earlier recovery. A recovery is undone when the originals of all its losses have arrived.
//! * DSACK (RFC 3708; Linux `tcp_try_undo_dsack`): the receiver reports every retransmission as a duplicate. A report of
//!   a packet that was not retransmitted tells of a copy that the network made.
//! * F-RTO (RFC 5682): after a timeout and an acknowledgement that advances, new data is sent in place of
//!   more retransmissions, and the next acknowledgement covers a packet that was never retransmitted.

use crate::declared::UndoRules;
use ackclock_base::Time;
use std::collections::VecDeque;
use std::ops::Range;

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
    /// The number of packets that it newly acknowledges and that had been retransmitted.
    pub retransmitted: u32,
    /// Whether it advances over a packet that was sent once.
    pub first_sent_once: bool,
    /// Whether a packet that was marked lost or retransmitted is still outstanding.
    pub repairing: bool,
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
#[derive(Clone, Debug, Default)]
pub struct SpuriousDetection {
    /// An echo of an earlier time is that of an original; `None` without Eifel, or once it has decided.
    original_before: Option<Time>,
    /// Whether the last reaction was to a timeout, about which the first acknowledgement that advances decides.
    of_timeout: bool,
    /// Whether retransmissions since the reaction are compared with the reports of duplicates.
    counts_reports: bool,
    /// The packets retransmitted since the reaction, or before it and outstanding then, that were not reported as
    /// duplicates, once for each retransmission (Linux's undo_retrans, which counts them).
    unreported: VecDeque<u64>,
    /// Whether any retransmission since the reaction was reported as a duplicate.
    was_reported: bool,
    /// The numbers of all retransmissions and of all packets reported as duplicates.
    retransmissions: u64,
    reported: u64,
    frto: Frto,
    /// One past the last packet outstanding when F-RTO last began. F-RTO does not begin again until
    /// everything below is acknowledged.
    recover: u64,
    /// Whether any method is still undecided.
    open: bool,
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
    /// round trip is sampled for the timer (Karn). An echo of a time before `original_before` proves that the original
    /// of the first outstanding packet, `una`, has arrived; `None` if no echo does. `high` is one past the last
    /// outstanding packet.
    pub fn on_timeout(
        &mut self,
        rules: &UndoRules,
        original_before: Option<Time>,
        is_first: bool,
        una: u64,
        high: u64,
    ) {
        if is_first {
            let begins = rules.frto && una >= self.recover;
            self.begin(original_before.filter(|_| rules.spurious_timeouts), rules.dsack_undo, una);
            self.of_timeout = true;
            self.frto = if begins { Frto::Resent(high) } else { Frto::Off };
            self.recover = if begins { high } else { self.recover };
        } else {
            self.frto = Frto::Off;
        }
        self.note_open();
    }

    /// Called when a loss begins a recovery; `original_before` and `una` are as in [`Self::on_timeout`].
    #[cold]
    pub fn on_loss(&mut self, rules: &UndoRules, original_before: Option<Time>, una: u64) {
        self.begin(original_before.filter(|_| rules.spurious_recoveries), rules.dsack_undo, una);
        self.of_timeout = false;
        self.frto = Frto::Off;
        self.note_open();
    }

    /// Ends the detection for the last reaction: nothing can show that it was spurious.
    pub fn forget(&mut self) {
        self.begin(None, false, 0);
        self.frto = Frto::Off;
        self.note_open();
    }

    fn begin(&mut self, original_before: Option<Time>, counts_reports: bool, una: u64) {
        self.original_before = original_before;
        self.counts_reports = counts_reports;
        self.unreported.retain(|number| *number >= una);
        self.was_reported = false;
    }

    /// Called when packet `number` is retransmitted.
    #[inline]
    pub fn on_resent(&mut self, rules: &UndoRules, number: u64) {
        self.retransmissions += 1;
        if rules.dsack_undo {
            self.unreported.push_back(number);
        }
    }

    /// Called when the receiver reports that the packets of `range` have arrived twice. Returns whether the report can
    /// be of retransmissions. Once more packets have been reported than retransmitted, the network makes copies, and
    /// no report proves anything until retransmissions outnumber reports again (Linux `tcp_dsack_seen`, since 5.10).
    pub fn believes(&mut self, range: &Range<u64>) -> bool {
        self.reported += range.end.saturating_sub(range.start);
        self.reported <= self.retransmissions
    }

    /// Examines an acknowledgement and returns the conclusion.
    pub fn examine(&mut self, evidence: &Evidence) -> Verdict {
        let undone = self.is_spurious_by_time(evidence) || self.is_spurious_by_duplicates(evidence);
        let verdict = if undone { Verdict::Undone } else { self.step(evidence) };
        if verdict == Verdict::Undone {
            self.forget();
            self.recover = 0;
        }
        self.note_open();
        verdict
    }

    //= RFC 3522 section 3.2 compare: a timestamp echo older than the retransmission shows that the original arrived
    fn is_spurious_by_time(&mut self, evidence: &Evidence) -> bool {
        let Some(before) = self.original_before else { return false };
        let is_late = evidence.fresh && evidence.stamp.is_some_and(|stamp| stamp < before);
        // The echo is of one packet. Another that had been retransmitted may have arrived as retransmission.
        let decides = if evidence.fresh { self.of_timeout || !is_late } else { evidence.retransmitted > 0 };
        let is_one = evidence.retransmitted <= 1;
        if decides || !is_one {
            self.original_before = None;
        }
        is_late && (self.of_timeout || is_one && !evidence.repairing)
    }

    fn is_spurious_by_duplicates(&mut self, evidence: &Evidence) -> bool {
        if let Some((start, end)) = evidence.dsack {
            self.take_report(start..end);
        }
        self.counts_reports && self.was_reported && self.unreported.is_empty() && !evidence.repairing
    }

    //= RFC 3708 section 2 retransmitted: only a DSACK for a retransmitted packet is evidence of a spurious retransmission
    fn take_report(&mut self, mut reported: Range<u64>) {
        // A report may be of any length, and costs no more steps than there are retransmissions or numbers between them.
        if reported.end.saturating_sub(reported.start) > self.unreported.len() as u64 {
            let (Some(lowest), Some(highest)) = (self.unreported.iter().min(), self.unreported.iter().max())
            else {
                return;
            };
            reported = reported.start.max(*lowest)..reported.end.min(*highest + 1);
        }
        for number in reported {
            if let Some(index) = self.unreported.iter().position(|resent| *resent == number) {
                self.unreported.remove(index);
                self.was_reported = true;
            }
        }
    }

    /// Carries out RFC 5682 section 2.1, steps 2 and 3.
    fn step(&mut self, evidence: &Evidence) -> Verdict {
        let (next, verdict) = match self.frto {
            Frto::Resent(recover) if evidence.fresh && evidence.una < recover && evidence.has_new_data => {
                (Frto::Probing, Verdict::Probe)
            }
            //= RFC 5682 section 2.1 original: a timeout was spurious if data that was not retransmitted is acknowledged
            Frto::Probing if evidence.fresh && evidence.first_sent_once => (Frto::Off, Verdict::Undone),
            Frto::Probing if evidence.fresh || evidence.duplicate => (Frto::Off, Verdict::Resume),
            Frto::Resent(_) if evidence.fresh || evidence.duplicate => (Frto::Off, Verdict::None),
            other => (other, Verdict::None),
        };
        self.frto = next;
        verdict
    }

    fn note_open(&mut self) {
        self.open = self.original_before.is_some() || self.counts_reports || self.frto != Frto::Off;
    }
}

#[cfg(test)]
mod tests;
