//! Retransmission by selective acknowledgements (RFC 6675), with the flight reduced at once or in proportion
//! to what is delivered (RFC 9937); and the older algorithm of ns-2's Sack1 (Fall and Floyd 1996), which
//! counts the packets in the network instead of inferring them from the losses.

use super::duplicates::missing_of;
use super::period::RecoveryPeriod;
use super::{AckSummary, AfterTimeout, Detection, LossFound, Reaction, Run};
use crate::declared::Losses;
use crate::ledger::Ledger;
use crate::prr::Prr;
use ackclock_base::{Time, choice};
use ackclock_cc::LossSignal;

choice! {
    /// How the flight is determined and limited in recovery.
    pub enum Flight {
        /// The flight is inferred from the losses (RFC 6675 SetPipe) and cut to the window at once.
        Inferred = "immediate",
        /// The flight is inferred, and reduced in proportion to what is delivered (RFC 9937).
        Proportional = "proportional",
        /// The flight is inferred, and reduced in proportion to what is delivered of the window before the loss and not of the
        /// flight (Linux, tcp_cwnd_reduction).
        Linux = "linux",
        /// The flight is counted: it falls by one for each acknowledgement, by two for a partial one, and
        /// rises by one for each packet sent. Every hole below the highest block is retransmitted once (Fall
        /// and Floyd 1996, ns-2's Sack1).
        Counted = "counted",
    }
}

impl Flight {
    /// Returns whether the flight is reduced in proportion to what is delivered.
    pub(super) fn is_proportional(self) -> bool {
        matches!(self, Self::Proportional | Self::Linux)
    }

    /// Returns the proportional reduction that begins at an acknowledgement of `delivered` under the window `window`, for
    /// packets of size `packet`; `None` if the flight is not reduced in proportion. RecoverFS leaves out what was acknowledged
    /// selectively before, because that is not delivered in the recovery.
    pub(super) fn reduction(self, ledger: &Ledger, delivered: u64, window: u64, packet: u64) -> Option<Prr> {
        let recover_fs = match self {
            Self::Proportional => ledger.unacknowledged() + delivered,
            Self::Linux => window,
            Self::Inferred | Self::Counted => return None,
        };
        Some(Prr::new(recover_fs, delivered, packet))
    }
}

/// The rule of RFC 6675.
#[derive(Clone, Debug)]
pub struct Sack {
    options: Losses,
    duplicates: u32,
    /// The number of duplicates in this recovery, including those that revealed the loss.
    in_episode: u32,
    period: RecoveryPeriod,
    partial_seen: bool,
    /// Losses below this number begin no recovery after a timeout. After going back N, selective
    /// acknowledgements are ignored until it is acknowledged.
    guard: u64,
    rescued: bool,
    /// The amount counted as lost by the time the last acknowledgement had been processed.
    lost: u64,
    /// The flight in recovery under [`Flight::Counted`]; `None` otherwise.
    counted: Option<u64>,
    /// Under [`Flight::Counted`], holes below this number have been marked lost.
    holes_to: u64,
}

impl Sack {
    /// Creates the rule, outside recovery. The threshold of `options` counts duplicate acknowledgements without SACK blocks;
    /// with blocks, that of the [ledger](Ledger::new) decides.
    pub fn new(options: Losses) -> Self {
        Self {
            options,
            duplicates: 0,
            in_episode: 0,
            period: RecoveryPeriod::default(),
            partial_seen: false,
            guard: 0,
            rescued: false,
            lost: 0,
            counted: None,
            holes_to: 0,
        }
    }

    fn enter(&mut self, ledger: &mut Ledger, delivered: u64, window: u64) -> Reaction {
        let number = ledger.una();
        let reduction = self.options.reduction.reduction(ledger, delivered, window, 1);
        self.period.begin_recovery(number, ledger.high(), delivered, reduction);
        self.in_episode = self.duplicates;
        self.partial_seen = false;
        self.rescued = false;
        ledger.restart_holes();
        // Holes below the highest block are counted and retransmitted once per recovery in ns-2's Sack1. In RFC
        // 6675's rule a packet of which nothing new is known but that the recovery before this one has
        // retransmitted is neither lost again nor repeated.
        let is_under_way = ledger.is_resent(number) && self.options.reduction != Flight::Counted;
        if !is_under_way {
            ledger.give_up(number);
        }
        if self.options.reduction == Flight::Counted {
            self.counted = Some(ledger.span().saturating_sub(u64::from(self.duplicates)));
            self.holes_to = 0;
        }
        Reaction {
            loss: Some(LossFound { number, signal: LossSignal::DuplicateAcks, duplicates: self.duplicates }),
            // A proportional reduction allows the first retransmission itself, and counts it as sent.
            resend: (self.period.reduction.is_none() && !is_under_way).then_some(Run::one(number)),
            restart_timer: true,
            ..Reaction::default()
        }
    }

    fn end(&mut self) {
        self.period.end();
        self.counted = None;
    }

    /// Returns the next packet to send under [`Flight::Counted`], or `None`.
    fn next_counted(ledger: &mut Ledger, fresh_until: u64) -> Option<u64> {
        let fresh = ledger.next() < ledger.high() || ledger.next() < fresh_until;
        ledger.next_doubtful().or(fresh.then_some(ledger.next()))
    }

    //= RFC 6675 section 4 next-seg: lost segments are sent first, then new data, then segments that may be lost, then a rescue retransmission
    /// Returns the packet that RFC 6675 NextSeg selects by its four rules in order, or `None`.
    fn next_in_recovery(&mut self, ledger: &mut Ledger, fresh_until: u64) -> Option<u64> {
        if let Some(lost) = ledger.next_hole() {
            return Some(lost);
        }
        if ledger.next() < ledger.high() || ledger.next() < fresh_until {
            return Some(ledger.next());
        }
        if let Some(doubtful) = ledger.next_doubtful() {
            return Some(doubtful);
        }
        if self.rescued {
            return None;
        }
        self.rescued = true;
        ledger.last_unacknowledged()
    }
}

impl Detection for Sack {
    fn on_ack(&mut self, ledger: &mut Ledger, summary: &AckSummary) -> Reaction {
        // RFC 6675 section 2: a duplicate is an acknowledgement that covers new data selectively. Without
        // this condition, retransmissions after a spurious timeout would start a recovery when they arrive a
        // second time. ns-2's Sack1 counts every repetition.
        let is_counted = self.options.reduction == Flight::Counted;
        let duplicate = summary.duplicate && (summary.delivered > 0 || is_counted);
        self.duplicates = if summary.cumulative > 0 { 0 } else { self.duplicates + u32::from(duplicate) };
        self.in_episode += u32::from(duplicate);
        let mut reaction = Reaction { restart_timer: summary.cumulative > 0, ..Reaction::default() };
        //= RFC 6675 section 5 recovery-point: recovery ends when all data that was outstanding at its start is acknowledged
        if self.period.on_ack(ledger.una()) {
            self.counted = None;
            reaction.recovered = Some(self.in_episode);
        }
        if let Some(recover) = self.period.recover().filter(|_| summary.cumulative > 0 && !self.partial_seen)
        {
            self.partial_seen = true;
            reaction.missing = Some(missing_of(recover - ledger.una(), self.in_episode));
        }
        let enough = self.duplicates >= self.options.dupack_threshold && duplicate;
        let lost = ledger.first_is_lost() || (enough && !ledger.has_sacked());
        if !self.period.is_recovery() && lost && !ledger.is_empty() && ledger.una() >= self.guard {
            let recovered = reaction.recovered;
            reaction = Reaction { recovered, ..self.enter(ledger, summary.delivered, summary.window) };
        } else if let Some(reduction) = &mut self.period.reduction {
            //= RFC 9937 section 6.2 safe: an acknowledgement is safe if it advances SND.UNA and shows no further loss
            reduction
                .on_ack(summary.delivered, summary.cumulative > 0 && ledger.delivery().lost() == self.lost);
        } else if let Some(flight) = &mut self.counted {
            *flight = flight.saturating_sub(if summary.cumulative > 0 { 2 } else { 1 });
        }
        if self.counted.is_some() {
            self.holes_to = ledger.give_up_holes(self.holes_to);
        }
        self.lost = ledger.delivery().lost();
        reaction
    }

    fn on_timeout(&mut self, ledger: &mut Ledger, _now: Time) {
        self.end();
        self.duplicates = 0;
        // Packets that are outstanding now cause no second reduction.
        self.guard = ledger.high();
        match self.options.after_timeout {
            AfterTimeout::GoBackN => ledger.go_back(),
            AfterTimeout::KeepSack => ledger.all_lost(),
        }
    }

    fn on_undone(&mut self, ledger: &mut Ledger) {
        ledger.none_lost();
        ledger.go_forward();
        self.end();
    }

    fn on_possibly_spurious_timeout(&mut self, ledger: &mut Ledger) {
        ledger.go_forward();
    }

    fn on_confirmed_timeout(&mut self, ledger: &mut Ledger, now: Time) {
        if self.options.after_timeout == AfterTimeout::GoBackN {
            self.on_timeout(ledger, now);
        }
    }

    fn leave_flight_to_control(&mut self) {
        if self.options.reduction.is_proportional() {
            self.options.reduction = Flight::Inferred;
        }
    }

    fn on_cwr(&mut self, ledger: &Ledger, reduction: Option<Prr>) {
        let is_proportional = self.options.reduction.is_proportional();
        self.period.begin_cwr(ledger.high(), reduction.filter(|_| is_proportional));
    }

    fn in_recovery(&self) -> bool {
        self.period.is_recovery()
    }

    fn reduction(&self) -> Option<&Prr> {
        self.period.reduction.as_ref()
    }

    fn inflight(&self, ledger: &Ledger) -> u64 {
        ledger.pipe()
    }

    fn next(&mut self, ledger: &mut Ledger, cwnd: u64, fresh_until: u64) -> Option<u64> {
        let room = match (&mut self.period.reduction, self.counted) {
            // With nothing in flight no acknowledgement will come to let a packet out.
            (Some(reduction), _) => reduction.allows(ledger.pipe(), cwnd) || ledger.pipe() == 0,
            (None, Some(flight)) => flight < cwnd,
            (None, None) => ledger.pipe() < cwnd,
        };
        if !room {
            return None;
        }
        if self.counted.is_some() {
            return Self::next_counted(ledger, fresh_until);
        }
        if self.period.is_recovery() {
            return self.next_in_recovery(ledger, fresh_until);
        }
        // Outside recovery, packets that a timeout marked lost come first.
        if let Some(lost) = ledger.next_hole() {
            return Some(lost);
        }
        let next = ledger.next();
        (next < ledger.high() || next < fresh_until).then_some(next)
    }

    fn allows_fast_path(&self) -> bool {
        !self.period.is_recovery() && self.duplicates == 0 && self.period.reduction.is_none()
    }

    fn wants_ranges(&self, ledger: &Ledger) -> bool {
        self.options.after_timeout == AfterTimeout::KeepSack || ledger.una() >= self.guard
    }

    fn on_sent(&mut self, ledger: &mut Ledger, number: u64, in_line: bool) {
        if !in_line {
            ledger.resend(number);
        }
        // The fast retransmit that begins recovery is not counted, as in ns-2.
        if let Some(flight) = self.counted.as_mut().filter(|_| in_line || number != ledger.una()) {
            *flight += 1;
        }
        if let Some(reduction) = &mut self.period.reduction {
            reduction.on_sent(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detection::testing::{self, SUMMARY, sent};
    use crate::ledger::Newly;

    fn options(reduction: Flight) -> Losses {
        Losses { reduction, ..Losses::default() }
    }

    /// Sends what the rule allows at once. Returns the number of packets.
    fn let_out(rule: &mut Sack, ledger: &mut Ledger, cwnd: u64) -> u64 {
        let mut count = 0;
        while let Some(next) = rule.next(ledger, cwnd, u64::MAX) {
            let in_line = ledger.transmit(next, Time::ZERO, 1);
            rule.on_sent(ledger, next, in_line);
            count += 1;
        }
        count
    }

    #[test]
    fn linux_lets_out_in_proportion_to_the_window_and_the_rfc_to_the_flight() {
        // Twenty packets are out under a window of twenty, the first is lost, and the target is ten. Each acknowledgement
        // covers one packet more. At the third, RecoverFS is 20 - 3 + 1 = 18: n deliveries from it on let out ceil(10 n / 18), so
        // 1, 2, 2, 3 and 3. In Linux prior_cwnd is 20: ceil(n / 2), so 1, 1, 2, 2 and 3. More than ten are in the network throughout.
        for (reduction, expected) in
            [(Flight::Proportional, [1, 1, 0, 1, 0]), (Flight::Linux, [1, 0, 1, 0, 1])]
        {
            let (mut rule, mut ledger) = (Sack::new(options(reduction)), sent(20));
            let mut answer = |number: u64| {
                ledger.acknowledge_range(number..number + 1, &mut Newly::default());
                rule.on_ack(
                    &mut ledger,
                    &AckSummary { delivered: 1, window: 20, duplicate: true, ..SUMMARY },
                );
                if number < 3 { 0 } else { let_out(&mut rule, &mut ledger, 10) }
            };
            let sent: Vec<u64> = (1..8).map(&mut answer).skip(2).collect();
            assert_eq!(sent, expected, "{reduction:?}");
        }
    }

    //= test RFC 9937 section 6.2 safe
    #[test]
    fn an_acknowledgement_that_shows_another_loss_lets_out_no_more_than_it_delivers() {
        // Of 40 packets the first six are lost. The third selective acknowledgement lets packet 0 out. While
        // the window has room, the acknowledgement of packet 0 delivers one packet and lets out two. If it
        // also acknowledges 12 to 14, which shows that 9 to 11 are lost too, it delivers four and lets out
        // four.
        for (further, expected) in [(None, 2), (Some(12..15), 4)] {
            let (mut rule, mut ledger) = (Sack::new(options(Flight::Proportional)), sent(40));
            for number in 6..9 {
                ledger.acknowledge_range(number..number + 1, &mut Newly::default());
                rule.on_ack(&mut ledger, &AckSummary { delivered: 1, duplicate: true, ..SUMMARY });
            }
            assert_eq!(let_out(&mut rule, &mut ledger, 39), 1);
            let mut newly = Newly::default();
            ledger.acknowledge(1, &mut newly);
            further.into_iter().for_each(|range| ledger.acknowledge_range(range, &mut newly));
            let Newly { cumulative, delivered, .. } = newly;
            rule.on_ack(&mut ledger, &AckSummary { cumulative, delivered, ..SUMMARY });
            assert_eq!(let_out(&mut rule, &mut ledger, 39), expected);
        }
    }

    #[test]
    fn packets_lost_when_recovery_begins_belong_to_the_flight_that_is_reduced() {
        // Of 40 packets the first six are lost, as the third selective acknowledgement shows. At that time 37
        // packets are unacknowledged and the acknowledgement delivers one, so RecoverFS is 38, not the pipe
        // of 31. With a window of 20, n deliveries from that one on let out ceil(20 n / 38), while more than
        // 20 packets are in flight.
        let (mut rule, mut ledger) = (Sack::new(options(Flight::Proportional)), sent(40));
        let mut total = 0;
        for number in 6..18 {
            ledger.acknowledge_range(number..number + 1, &mut Newly::default());
            rule.on_ack(&mut ledger, &AckSummary { delivered: 1, duplicate: true, ..SUMMARY });
            assert_eq!(rule.in_recovery(), number >= 8);
            if number >= 8 {
                assert!(ledger.pipe() > 20);
                total += let_out(&mut rule, &mut ledger, 20);
                assert_eq!(total, (20 * (number - 7)).div_ceil(38), "after {number}");
            }
        }
        assert_eq!(total, 6);
    }

    /// Returns a rule without proportional reduction, and a ledger of ten packets: packets 1 to 3 and 5 have
    /// arrived, packet 0 is lost and packet 4 doubtful.
    fn in_recovery() -> (Sack, Ledger) {
        let (mut rule, mut ledger) = (Sack::new(options(Flight::Inferred)), sent(10));
        for range in [5..6, 1..4] {
            let delivered = range.end - range.start;
            ledger.acknowledge_range(range, &mut Newly::default());
            rule.on_ack(&mut ledger, &AckSummary { delivered, duplicate: true, ..SUMMARY });
        }
        assert!(rule.in_recovery());
        (rule, ledger)
    }

    //= test RFC 6675 section 4 next-seg
    #[test]
    fn in_recovery_lost_packets_are_sent_first_then_new_then_doubtful_then_the_last() {
        let (mut rule, mut ledger) = in_recovery();
        let mut sent = Vec::new();
        while let Some(number) = rule.next(&mut ledger, 100, 11) {
            let in_line = ledger.transmit(number, Time::ZERO, 1);
            rule.on_sent(&mut ledger, number, in_line);
            sent.push(number);
        }
        assert_eq!(sent, [0, 10, 4, 10]);
    }

    //= test RFC 6675 section 5 recovery-point
    #[test]
    fn recovery_ends_when_everything_outstanding_at_its_start_is_acknowledged() {
        let (mut rule, mut ledger) = in_recovery();
        ledger.transmit(10, Time::ZERO, 1);
        assert_eq!(testing::ack(&mut rule, &mut ledger, 9, SUMMARY).recovered, None);
        assert!(testing::ack(&mut rule, &mut ledger, 10, SUMMARY).recovered.is_some());
        assert!(!rule.in_recovery());
    }

    #[test]
    fn a_packet_that_one_recovery_has_retransmitted_is_not_lost_again_as_the_next_begins() {
        // Packet 0 is retransmitted, and packets 10 to 13 are sent in the recovery. All arrive but packet 10, which is
        // retransmitted too. The acknowledgement of 0 to 9 ends the recovery, and packet 10 begins the next.
        let (mut rule, mut ledger) = in_recovery();
        let send = |rule: &mut Sack, ledger: &mut Ledger, number| {
            let in_line = ledger.transmit(number, Time::ZERO, 1);
            rule.on_sent(ledger, number, in_line);
        };
        [0, 10, 11, 12, 13].into_iter().for_each(|number| send(&mut rule, &mut ledger, number));
        for range in [4..10, 11..14] {
            let delivered = range.end - range.start;
            ledger.acknowledge_range(range, &mut Newly::default());
            rule.on_ack(&mut ledger, &AckSummary { delivered, duplicate: true, ..SUMMARY });
        }
        assert_eq!(rule.next(&mut ledger, 100, 14), Some(10));
        send(&mut rule, &mut ledger, 10);
        let lost = ledger.delivery().lost();
        let reaction = testing::ack(&mut rule, &mut ledger, 10, SUMMARY);
        assert_eq!((reaction.recovered.is_some(), reaction.loss.map(|loss| loss.number)), (true, Some(10)));
        assert_eq!((reaction.resend, ledger.delivery().lost()), (None, lost));
    }

    #[test]
    fn the_first_partial_acknowledgement_counts_what_is_missing_and_duplicates_restart_no_timer() {
        // Two duplicates showed the loss, and a third follows. When packet 0 is acknowledged, nine packets are
        // outstanding, three of which have arrived by the count of duplicates: six are missing.
        let (mut rule, mut ledger) = in_recovery();
        ledger.acknowledge_range(6..7, &mut Newly::default());
        let duplicate = rule.on_ack(&mut ledger, &AckSummary { delivered: 1, duplicate: true, ..SUMMARY });
        assert_eq!((duplicate.missing, duplicate.restart_timer), (None, false));
        let partial = testing::ack(&mut rule, &mut ledger, 1, SUMMARY);
        assert_eq!((partial.missing, partial.restart_timer), (Some(6), true));
        assert_eq!(testing::ack(&mut rule, &mut ledger, 4, SUMMARY).missing, None);
    }

    #[test]
    fn ns2_counts_repetitions_without_blocks_from_the_last_new_acknowledgement_on() {
        let (mut rule, mut ledger) = (Sack::new(options(Flight::Counted)), sent(10));
        let lost =
            [0, 0, 1, 1, 1, 1].map(|to| testing::ack(&mut rule, &mut ledger, to, SUMMARY).loss.is_some());
        assert_eq!(lost, [false, false, false, false, false, true]);
    }

    #[test]
    fn with_blocks_the_packets_above_decide_and_not_the_repetitions() {
        // Packet 1 has arrived. Repetitions of that block say nothing about packet 0, however many come; the arrival
        // of 2 and 3 does: three packets above it.
        let (mut rule, mut ledger) = (Sack::new(options(Flight::Counted)), sent(10));
        let mut is_loss = |range: std::ops::Range<u64>| {
            let mut newly = Newly::default();
            ledger.acknowledge_range(range, &mut newly);
            let summary = AckSummary { delivered: newly.delivered, duplicate: true, ..SUMMARY };
            rule.on_ack(&mut ledger, &summary).loss.is_some()
        };
        assert_eq!([0; 5].map(|_| is_loss(1..2)), [false; 5]);
        assert!(is_loss(2..4));
    }
}
