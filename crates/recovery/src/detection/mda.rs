//! The multiple drops action (Alnuem 2009 section 4.2.2): Reno's retransmission, and the first partial acknowledgement
//! sends as many packets again, in a row, as have been counted missing. A burst of losses is so repaired in one round
//! trip. Once per window of data: what that leaves out is sent again one packet at a time, or waits for the timer.

use super::duplicates::{DuplicateOptions, Duplicates, PartialAck};
use super::{Detection, News, Reaction, Run};
use crate::ledger::Ledger;
use ackclock_base::{Time, choice};
use ackclock_cc::Cause;

/// What can be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MdaOptions {
    /// Duplicates that make a loss.
    pub threshold: u32,
    /// Whether the first duplicates let new packets out (RFC 3042).
    pub limited_transmit: bool,
    /// Whether it acts where losses would be of congestion, too (TCP-RTTM), or leaves those to Reno (TCP-RTT).
    pub in_congestion: bool,
    /// What partial acknowledgements after the first do.
    pub late_partial: LatePartial,
}

choice! {
    /// What partial acknowledgements after the first do.
    pub enum LatePartial {
        /// The next packet is sent again, if that has not been done (section 4.2.2.3: as NewReno).
        One = "one",
        /// The next two packets are sent again (appendix D; the new packet that it sends besides is left to the window).
        Two = "two",
        /// Nothing (figure 4.9).
        Nothing = "nothing",
    }
}

/// The multiple drops action over Reno, and the episode of loss that it is repairing.
#[derive(Clone, Debug)]
pub struct Mda {
    reno: Duplicates,
    options: MdaOptions,
    episode: Option<Episode>,
}

/// What was outstanding when a loss was found, until it is all acknowledged.
#[derive(Clone, Copy, Debug)]
struct Episode {
    /// One past the last packet sent when the loss was found.
    end: u64,
    /// One past the last packet that has been sent again.
    resent_to: u64,
    /// Whether a partial acknowledgement has come.
    counted: bool,
}

impl Mda {
    /// Outside recovery.
    pub fn new(options: MdaOptions) -> Self {
        let MdaOptions { threshold, limited_transmit, .. } = options;
        let reno =
            Duplicates::new(DuplicateOptions { threshold, limited_transmit, partial: PartialAck::Ends });
        Self { reno, options, episode: None }
    }

    fn acts_on(&self, cause: Option<Cause>) -> bool {
        self.options.in_congestion || cause != Some(Cause::Congestion)
    }

    /// What a partial acknowledgement up to `una` has to send again; `missing` if it is the first.
    fn repair(&self, episode: Episode, una: u64, missing: u64) -> Option<Run> {
        if !episode.counted {
            return Some(Run { first: una, count: missing.clamp(1, episode.end - una) });
        }
        match self.options.late_partial {
            LatePartial::One => (una >= episode.resent_to).then_some(Run::one(una)),
            LatePartial::Two => Some(Run { first: una, count: 2.min(episode.end - una) }),
            LatePartial::Nothing => None,
        }
    }
}

impl Detection for Mda {
    fn on_ack(&mut self, board: &mut Ledger, news: &News) -> Reaction {
        let mut reaction = self.reno.on_ack(board, news);
        let una = board.una();
        if reaction.loss.is_some() {
            self.episode = Some(Episode { end: board.high(), resent_to: una + 1, counted: false });
        }
        if self.episode.is_some_and(|episode| una >= episode.end) {
            // Figure 4.9: first_burst is 1 again at once, without the guard that ns-2's Reno keeps up for a packet more.
            self.episode = None;
            self.reno.lift_guard();
        }
        if news.cumulative > 0
            && let Some(mut episode) = self.episode
        {
            if self.acts_on(news.cause) {
                reaction.resend = self.repair(episode, una, reaction.missing.unwrap_or(0));
                let resent_to = reaction.resend.map_or(0, |run| run.first + run.count);
                episode.resent_to = episode.resent_to.max(resent_to);
            }
            episode.counted = true;
            self.episode = Some(episode);
        }
        reaction
    }

    fn on_timeout(&mut self, board: &mut Ledger, now: Time) {
        self.episode = None;
        self.reno.on_timeout(board, now);
    }

    fn on_undone(&mut self, board: &mut Ledger) {
        self.episode = None;
        self.reno.on_undone(board);
    }

    fn on_doubted_timeout(&mut self, board: &mut Ledger) {
        self.reno.on_doubted_timeout(board);
    }

    fn on_confirmed_timeout(&mut self, board: &mut Ledger, now: Time) {
        self.reno.on_confirmed_timeout(board, now);
    }

    fn in_recovery(&self) -> bool {
        self.reno.in_recovery()
    }

    fn inflight(&self, board: &Ledger) -> u64 {
        self.reno.inflight(board)
    }

    fn is_at_ease(&self) -> bool {
        self.episode.is_none() && self.reno.is_at_ease()
    }

    fn next(&mut self, board: &mut Ledger, cwnd: u64, fresh_until: u64) -> Option<u64> {
        self.reno.next(board, cwnd, fresh_until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detection::testing::{self, NEWS, sent};

    const OPTIONS: MdaOptions = MdaOptions {
        threshold: 3,
        limited_transmit: false,
        in_congestion: true,
        late_partial: LatePartial::One,
    };

    /// Packets 0 to 9 outstanding (1 to 10 in the thesis), and what follows from acknowledgements up to a number, each
    /// with what a loss would be then.
    fn play(options: MdaOptions, acks: &[(u64, Option<Cause>)]) -> Vec<Reaction> {
        let (mut rule, mut board) = (Mda::new(options), sent(10));
        let ack = |(to, cause): &(u64, Option<Cause>)| {
            testing::ack(&mut rule, &mut board, *to, News { cause: *cause, ..NEWS })
        };
        acks.iter().map(ack).collect()
    }

    /// The number acknowledged and `count` duplicates of it.
    fn duplicates(to: u64, count: usize) -> Vec<(u64, Option<Cause>)> {
        vec![(to, None); count + 1]
    }

    #[test]
    fn figure_4_9_a_burst_is_resent_in_a_row_at_the_first_partial_acknowledgement() {
        // The thesis's 3, 4 and 5 of 1 to 10 are lost, here 2, 3 and 4: five duplicates of 2; 2 is sent again; the
        // acknowledgement of 2 leaves 10 - 3 = 7, less 5 duplicates: 2 are missing, 3 and 4.
        let mut acks = duplicates(2, 5);
        acks.push((3, None));
        let reactions = play(OPTIONS, &acks);
        assert_eq!(reactions[3].resend, Some(Run::one(2)));
        let counted = reactions[6];
        assert_eq!((counted.missing, counted.resend), (Some(2), Some(Run { first: 3, count: 2 })));
        assert!(counted.restart_timer);
    }

    #[test]
    fn a_single_loss_leaves_nothing_to_count() {
        let mut acks = duplicates(2, 7);
        acks.push((10, None));
        let last = play(OPTIONS, &acks)[8];
        assert_eq!((last.missing, last.resend, last.recovered), (None, None, Some(7)));
    }

    #[test]
    fn scattered_losses_are_counted_too_low_and_at_least_one_packet_is_resent() {
        // 2 and 6 of ten are lost: six duplicates of 2, then 6 is acknowledged to: 10 - 6 - 6 < 0.
        let mut acks = duplicates(2, 6);
        acks.push((6, None));
        let counted = play(OPTIONS, &acks)[7];
        assert_eq!((counted.missing, counted.resend), (Some(0), Some(Run::one(6))));
    }

    #[test]
    fn later_partial_acknowledgements() {
        // 2, 3 and 7 are lost: five duplicates of 2; the acknowledgement of 2 leaves 10 - 3 - 5 = 2 missing: 3, and in
        // its place 4. The next acknowledgement is to 7, the third hole.
        let mut acks = duplicates(2, 5);
        acks.extend([(3, None), (7, None), (10, None)]);
        for (late_partial, expected) in [
            (LatePartial::One, Some(Run::one(7))),
            (LatePartial::Two, Some(Run { first: 7, count: 2 })),
            (LatePartial::Nothing, None),
        ] {
            let reactions = play(MdaOptions { late_partial, ..OPTIONS }, &acks);
            assert_eq!(reactions[6].resend, Some(Run { first: 3, count: 2 }));
            assert_eq!(reactions[7].resend, expected);
            assert_eq!(reactions[7].missing, None, "counted once");
            assert_eq!(reactions[8].resend, None);
        }
    }

    #[test]
    fn what_has_been_resent_is_not_resent_again() {
        // 2, 3 and 4 lost, and 4 lost again: the acknowledgement of 3 leaves 4, which has been sent again already.
        let mut acks = duplicates(2, 5);
        acks.extend([(3, None), (4, None)]);
        assert_eq!(play(OPTIONS, &acks)[7].resend, None);
    }

    #[test]
    fn in_congestion_tcp_rtt_leaves_it_to_reno() {
        let mut acks = duplicates(2, 5);
        acks.push((3, Some(Cause::Congestion)));
        let rtt = MdaOptions { in_congestion: false, ..OPTIONS };
        let counted = play(rtt, &acks)[6];
        assert_eq!((counted.missing, counted.resend, counted.recovered), (Some(2), None, Some(5)));
        assert_eq!(play(OPTIONS, &acks)[6].resend, Some(Run { first: 3, count: 2 }), "TCP-RTTM does not");
        acks[6].1 = Some(Cause::Transmission);
        assert_eq!(play(rtt, &acks)[6].resend, Some(Run { first: 3, count: 2 }));
    }

    #[test]
    fn a_timeout_ends_the_episode() {
        let (mut rule, mut board) = (Mda::new(OPTIONS), Ledger::new(3));
        board.transmit(0, Time::ZERO, 1);
        rule.episode = Some(Episode { end: 9, resent_to: 1, counted: false });
        rule.on_timeout(&mut board, Time::ZERO);
        assert!(rule.episode.is_none());
    }
}
