//! The multiple drops action (Alnuem 2009 section 4.2.2): Reno's retransmission, except that the first
//! partial acknowledgement retransmits as many consecutive packets as were counted missing, so that a burst
//! of losses is repaired in one round trip. It happens once per window of data: what it leaves out is
//! retransmitted one packet at a time, or waits for the timer.

use super::duplicates::Duplicates;
use super::{AckSummary, Detection, Reaction, Run};
use crate::declared::Losses;
use crate::ledger::Ledger;
use ackclock_base::{Time, choice};
use ackclock_cc::Cause;

choice! {
    /// The effect of partial acknowledgements after the first.
    pub enum LatePartial {
        /// The next packet is retransmitted if it has not been yet (section 4.2.2.3: as NewReno).
        One = "one",
        /// The next two packets are retransmitted (appendix D; the new packet that the appendix also sends is
        /// left to the window).
        Two = "two",
        /// Nothing is retransmitted (figure 4.9).
        Nothing = "nothing",
    }
}

/// The multiple drops action on top of Reno, with the episode of loss that it is repairing.
#[derive(Clone, Debug)]
pub struct Mda {
    reno: Duplicates,
    late_partial: LatePartial,
    /// Whether the action also handles losses attributed to congestion (TCP-RTTM), or leaves them to Reno (TCP-RTT).
    in_congestion: bool,
    episode: Option<Episode>,
}

/// The packets outstanding when a loss was found, until all of them are acknowledged.
#[derive(Clone, Copy, Debug)]
struct Episode {
    /// One past the last packet sent when the loss was found.
    end: u64,
    /// One past the last retransmitted packet.
    resent_to: u64,
    /// Whether a partial acknowledgement has arrived.
    counted: bool,
}

impl Mda {
    /// Creates the rule, outside recovery. `in_congestion` tells whether it also acts on losses attributed to congestion
    /// (TCP-RTTM), or leaves them to Reno (TCP-RTT).
    pub fn new(options: Losses, in_congestion: bool) -> Self {
        let reno = Duplicates::new(options, false);
        Self { reno, late_partial: options.late_partial, in_congestion, episode: None }
    }

    fn acts_on(&self, cause: Option<Cause>) -> bool {
        self.in_congestion || cause != Some(Cause::Congestion)
    }

    /// Returns what a partial acknowledgement up to `una` retransmits; `None` if nothing. `missing` is the
    /// count of missing packets, which only the first partial acknowledgement uses.
    fn repair(&self, episode: Episode, una: u64, missing: u64) -> Option<Run> {
        if !episode.counted {
            return Some(Run { first: una, count: missing.clamp(1, episode.end - una) });
        }
        match self.late_partial {
            LatePartial::One => (una >= episode.resent_to).then_some(Run::one(una)),
            LatePartial::Two => Some(Run { first: una, count: 2.min(episode.end - una) }),
            LatePartial::Nothing => None,
        }
    }
}

impl Detection for Mda {
    fn on_ack(&mut self, ledger: &mut Ledger, summary: &AckSummary) -> Reaction {
        let mut reaction = self.reno.on_ack(ledger, summary);
        let una = ledger.una();
        if reaction.loss.is_some() {
            self.episode = Some(Episode { end: ledger.high(), resent_to: una + 1, counted: false });
        }
        if self.episode.is_some_and(|episode| una >= episode.end) {
            // In figure 4.9 duplicates may indicate the next loss at once (first_burst is 1 again), without
            // the guard that ns-2's Reno keeps for one packet more.
            self.episode = None;
            self.reno.lift_guard();
        }
        if summary.cumulative > 0
            && let Some(mut episode) = self.episode
        {
            if self.acts_on(summary.cause) {
                reaction.resend = self.repair(episode, una, reaction.missing.unwrap_or(0));
                let resent_to = reaction.resend.map_or(0, |run| run.first + run.count);
                episode.resent_to = episode.resent_to.max(resent_to);
            }
            episode.counted = true;
            self.episode = Some(episode);
        }
        reaction
    }

    fn on_timeout(&mut self, ledger: &mut Ledger, now: Time) {
        self.episode = None;
        self.reno.on_timeout(ledger, now);
    }

    fn on_undone(&mut self, ledger: &mut Ledger) {
        self.episode = None;
        self.reno.on_undone(ledger);
    }

    fn on_possibly_spurious_timeout(&mut self, ledger: &mut Ledger) {
        self.reno.on_possibly_spurious_timeout(ledger);
    }

    fn on_confirmed_timeout(&mut self, ledger: &mut Ledger, now: Time) {
        self.reno.on_confirmed_timeout(ledger, now);
    }

    fn in_recovery(&self) -> bool {
        self.reno.in_recovery()
    }

    fn inflight(&self, ledger: &Ledger) -> u64 {
        self.reno.inflight(ledger)
    }

    fn allows_fast_path(&self) -> bool {
        self.episode.is_none() && self.reno.allows_fast_path()
    }

    fn next(&mut self, ledger: &mut Ledger, cwnd: u64, fresh_until: u64) -> Option<u64> {
        self.reno.next(ledger, cwnd, fresh_until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detection::testing::{self, SUMMARY, sent};

    /// Returns the rule of TCP-RTTM, which acts on losses of every cause, or of TCP-RTT.
    fn rule(late_partial: LatePartial, in_congestion: bool) -> Mda {
        Mda::new(Losses { limited_transmit: false, late_partial, ..Losses::default() }, in_congestion)
    }

    fn rttm() -> Mda {
        rule(LatePartial::One, true)
    }

    /// Delivers `acks` while packets 0 to 9 are outstanding (1 to 10 in the thesis): each is the number below
    /// which it acknowledges, and the cause that a loss would have at that time. Returns the reaction to
    /// each.
    fn play(mut rule: Mda, acks: &[(u64, Option<Cause>)]) -> Vec<Reaction> {
        let mut ledger = sent(10);
        let ack = |(to, cause): &(u64, Option<Cause>)| {
            testing::ack(&mut rule, &mut ledger, *to, AckSummary { cause: *cause, ..SUMMARY })
        };
        acks.iter().map(ack).collect()
    }

    /// Returns an acknowledgement of everything below `to` and `count` duplicates of it.
    fn duplicates(to: u64, count: usize) -> Vec<(u64, Option<Cause>)> {
        vec![(to, None); count + 1]
    }

    #[test]
    fn figure_4_9_a_burst_is_retransmitted_in_a_row_at_the_first_partial_acknowledgement() {
        // Packets 3, 4 and 5 of the thesis's 1 to 10 are lost, here 2, 3 and 4: five duplicates of 2, and 2
        // is retransmitted. The acknowledgement of 2 leaves 10 - 3 = 7, less 5 duplicates: 2 packets are
        // missing, 3 and 4.
        let mut acks = duplicates(2, 5);
        acks.push((3, None));
        let reactions = play(rttm(), &acks);
        assert_eq!(reactions[3].resend, Some(Run::one(2)));
        let counted = reactions[6];
        assert_eq!((counted.missing, counted.resend), (Some(2), Some(Run { first: 3, count: 2 })));
        assert!(counted.restart_timer);
    }

    #[test]
    fn a_single_loss_leaves_nothing_to_count() {
        let mut acks = duplicates(2, 7);
        acks.push((10, None));
        let last = play(rttm(), &acks)[8];
        assert_eq!((last.missing, last.resend, last.recovered), (None, None, Some(7)));
    }

    #[test]
    fn scattered_losses_are_counted_too_low_and_at_least_one_packet_is_retransmitted() {
        // Packets 2 and 6 of ten are lost: six duplicates of 2, then an acknowledgement up to 6: 10 - 6 - 6 <
        // 0.
        let mut acks = duplicates(2, 6);
        acks.push((6, None));
        let counted = play(rttm(), &acks)[7];
        assert_eq!((counted.missing, counted.resend), (Some(0), Some(Run::one(6))));
    }

    #[test]
    fn later_partial_acknowledgements_follow_the_option() {
        // Packets 2, 3 and 7 are lost: five duplicates of 2. The acknowledgement of 2 leaves 10 - 3 - 5 = 2
        // missing: packet 3, and wrongly packet 4. The next acknowledgement reaches 7, the third hole.
        let mut acks = duplicates(2, 5);
        acks.extend([(3, None), (7, None), (10, None)]);
        for (late_partial, expected) in [
            (LatePartial::One, Some(Run::one(7))),
            (LatePartial::Two, Some(Run { first: 7, count: 2 })),
            (LatePartial::Nothing, None),
        ] {
            let reactions = play(rule(late_partial, true), &acks);
            assert_eq!(reactions[6].resend, Some(Run { first: 3, count: 2 }));
            assert_eq!(reactions[7].resend, expected);
            assert_eq!(reactions[7].missing, None, "counted once");
            assert_eq!(reactions[8].resend, None);
        }
    }

    #[test]
    fn a_retransmitted_packet_is_not_retransmitted_twice() {
        // Packets 2, 3 and 4 are lost, and 4 is lost again. The acknowledgement of 3 leaves 4, which has
        // already been retransmitted.
        let mut acks = duplicates(2, 5);
        acks.extend([(3, None), (4, None)]);
        assert_eq!(play(rttm(), &acks)[7].resend, None);
    }

    #[test]
    fn in_congestion_tcp_rtt_leaves_repair_to_reno() {
        let mut acks = duplicates(2, 5);
        acks.push((3, Some(Cause::Congestion)));
        let rtt = || rule(LatePartial::One, false);
        let counted = play(rtt(), &acks)[6];
        assert_eq!((counted.missing, counted.resend, counted.recovered), (Some(2), None, Some(5)));
        assert_eq!(play(rttm(), &acks)[6].resend, Some(Run { first: 3, count: 2 }), "TCP-RTTM does not");
        acks[6].1 = Some(Cause::Transmission);
        assert_eq!(play(rtt(), &acks)[6].resend, Some(Run { first: 3, count: 2 }));
    }

    #[test]
    fn a_timeout_ends_the_episode() {
        let (mut rule, mut ledger) = (rttm(), Ledger::new(3));
        ledger.transmit(0, Time::ZERO, 1);
        rule.episode = Some(Episode { end: 9, resent_to: 1, counted: false });
        rule.on_timeout(&mut ledger, Time::ZERO);
        assert!(rule.episode.is_none());
    }
}
