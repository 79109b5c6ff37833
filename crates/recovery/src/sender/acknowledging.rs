//! The processing of an acknowledgement in one pass: the ledger, the round trip, loss detection, the control,
//! and what may be sent now.

use super::reducing::SenderFlight;
use super::{Output, Sender};
use crate::declared::Growth;
use crate::detection::{AckSummary, Reaction, Run};
use crate::ecn::{Heard, MarkFeedback};
use crate::ledger::Newly;
use crate::records;
use ackclock_base::{Span, Time};
use ackclock_cc::{Ack, Cause, Counted, Ending, IncomingAck, Phase};
use std::ops::Range;

/// An acknowledgement, as a transport's codec has parsed it.
#[derive(Clone, Debug)]
pub struct Acknowledgement<Ranges> {
    /// All packets below this number have arrived.
    pub cumulative: u64,
    /// Ranges of packets above `cumulative` that have arrived as well, read only if the rule wants them.
    pub ranges: Ranges,
    /// When the packet that triggered the acknowledgement was sent, if the transport has timestamps (RFC
    /// 7323).
    pub stamp: Option<Time>,
    /// The one-way delay, up to a constant, of the packet that triggered the acknowledgement.
    pub one_way_delay: Option<Span>,
    /// Packets that have arrived twice (RFC 2883), if the sender uses such reports.
    pub dsack: Option<Range<u64>>,
    /// The ECN feedback.
    pub marks: MarkFeedback,
    /// Whether the acknowledgement advances the transport's own cumulative acknowledgement, if that is not
    /// `cumulative`: if several paths share one sequence of numbers, or if it covers a part of a packet.
    /// `None` if `cumulative` is the transport's only one.
    pub advances: Option<bool>,
    /// The delay that the acknowledgement reports, if the transport reports one.
    pub held: Option<Held>,
}

/// The delay of an acknowledgement at the receiver, as reported (RFC 9000 section 13.2.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// One past the highest acknowledged number. The receiver delayed the acknowledgement of that packet.
    pub end: u64,
    /// The delay.
    pub delay: Span,
}

/// The outcome of an acknowledgement, for measurement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AckOutcome {
    /// The round trip of the packet that was sent last among those newly acknowledged. `None` if nothing is
    /// newly acknowledged, if the data of any of those packets has been sent more than once (Karn), or if the
    /// acknowledgement reports its [delay](Held) and its highest number is not newly acknowledged.
    pub clean_rtt: Option<Span>,
}

impl Sender {
    /// Processes an acknowledgement. An acknowledgement of packets that were never sent is ignored.
    #[inline]
    pub fn on_ack(
        &mut self,
        now: Time,
        acknowledgement: Acknowledgement<impl Iterator<Item = Range<u64>>>,
        output: &mut impl Output,
    ) -> AckOutcome {
        if acknowledgement.cumulative > self.ledger.high() {
            return AckOutcome::default();
        }
        if self.fast_path && self.is_ordinary(&acknowledgement) {
            return self.take::<true>(now, acknowledgement, output);
        }
        self.fast_path = false;
        let outcome = self.take::<false>(now, acknowledgement, output);
        self.fast_path = self.rule.allows_fast_path() && self.ledger.is_in_order();
        outcome
    }

    /// Returns whether an acknowledgement covers only new packets in order, so that the fast path handles it.
    #[inline]
    fn is_ordinary(&self, acknowledgement: &Acknowledgement<impl Iterator>) -> bool {
        let Acknowledgement { cumulative, ranges, marks, .. } = acknowledgement;
        let has_ranges = ranges.size_hint().1 != Some(0);
        let is_special = has_ranges || marks.echo || self.event.is_cwr() || self.spurious.is_undecided();
        *cumulative > self.ledger.una() && !is_special
    }

    /// Processes an acknowledgement, on the fast path if `FAST_PATH`, which requires an
    /// [ordinary](Self::is_ordinary) one. A packet takes 2577 instructions on W1, 2586 on W2 and 3102 on W2 under `bbrv3`,
    /// and 21, 16 and 20 % more without the fast path (`make bench`, November 2026).
    #[inline(always)]
    fn take<const FAST_PATH: bool>(
        &mut self,
        now: Time,
        acknowledgement: Acknowledgement<impl Iterator<Item = Range<u64>>>,
        output: &mut impl Output,
    ) -> AckOutcome {
        let Acknowledgement { cumulative, ranges, stamp, one_way_delay, dsack, marks, advances, held } =
            acknowledgement;
        self.note_if_app_limited();
        let units = self.options.units;
        let flight_before = SenderFlight {
            in_network: units.to_packets(self.flight::<FAST_PATH>()),
            outstanding: units.to_packets(self.ledger.outstanding()),
        };
        let was_recovering = !FAST_PATH && self.rule.in_recovery();
        let was_cwr = !FAST_PATH && self.event.is_cwr();
        let lost_before = self.ledger.delivery().lost(); // recording ranges may mark packets as lost
        let newly = if FAST_PATH { self.take_in_order(cumulative) } else { self.take_in(cumulative, ranges) };
        if !FAST_PATH && self.options.numbers_once {
            self.tell_acked(output);
        }
        let sample = self.ledger.count_delivery(now, &newly);
        let moves = if self.options.numbers_once { newly.delivered > 0 } else { newly.cumulative > 0 };
        let fresh = FAST_PATH || advances.unwrap_or(moves);
        let counts_part = !FAST_PATH
            && self.options.rules.growth == Growth::Acks
            && advances == Some(true)
            && newly.cumulative == 0;
        let unambiguous = newly.unambiguous_sending().map(|sent| now.since(sent));
        let (clean_rtt, rtt) = match held {
            None => {
                let counts = fresh || self.options.times_gaps;
                (unambiguous, self.measure(now, cumulative, unambiguous, stamp.filter(|_| counts)))
            }
            Some(held) => {
                let rtt = self.measure_held(&newly, held, unambiguous);
                (rtt, rtt)
            }
        };
        let incoming =
            || IncomingAck { now, fresh, echo: stamp.map(|stamp| now.since(stamp)), one_way_delay };
        let cause = self.controller.on_incoming(incoming, &mut *self.random);
        self.backoff.on_ack(now, cause);
        let mut sends_new = false;
        let mut reaction = Reaction { restart_timer: true, ..Reaction::default() };
        if !FAST_PATH {
            self.event.on_ack(self.acked_to());
            let duplicate = !fresh && cumulative == self.ledger.una() && !self.ledger.is_empty();
            if duplicate {
                self.repeated = Some(cumulative);
            }
            let dsack = dsack.filter(|range| self.spurious.believes(range));
            sends_new = self.spurious.is_undecided() && self.examine(now, &newly, duplicate, stamp, &dsack);
            let mut summary = self.summary(now, &newly, duplicate, cause);
            if self.keeps_timer {
                (summary.stamp, summary.dsack) = (stamp, dsack.map(|range| (range.start, range.end)));
            }
            reaction = self.rule.on_ack(&mut self.ledger, &summary);
            self.react_before_control(now, &reaction, flight_before, output);
        }
        let heard = if !FAST_PATH && marks.accurate {
            self.hear_accurate(marks, newly.delivered)
        } else {
            self.ecn.hear(marks)
        };
        if !FAST_PATH && marks.echo && !marks.accurate {
            self.echoed += newly.delivered;
        }
        if !FAST_PATH && (heard.echo || heard.marks > 0) {
            self.forbid_undo();
            if heard.echo {
                self.on_mark(now, flight_before, newly.delivered);
            }
        }
        let delivery = self.ledger.delivery();
        #[cfg(debug_assertions)]
        assert_eq!(
            self.told_lost,
            delivery.lost(),
            "a detected loss was not reported to the control before the acknowledgement being processed"
        );
        let phase = if FAST_PATH {
            Phase::Open
        } else if was_recovering || self.rule.in_recovery() {
            Phase::Recovery
        //= RFC 9002 section 7.3.2 growth: the window does not grow in a recovery period, even if a mark began it
        //= RFC 3168 section 6.1.2 growth: the window does not grow on an acknowledgement with ECN-Echo
        } else if was_cwr || self.event.is_cwr() {
            Phase::Cwr
        } else {
            Phase::Open
        };
        let late = if FAST_PATH { 0 } else { std::mem::take(&mut self.late) };
        let grows_out_of_order = !FAST_PATH
            && self.options.rules.growth == Growth::Delivered
            && newly.delivered > 0
            && self.rule.is_often_overtaken();
        let ack = Ack {
            now,
            fresh: fresh || grows_out_of_order,
            acked_to: self.acked_to(),
            sent_to: self.ledger.next(),
            newly_acked: units.to_packets(newly.delivered + late),
            newly_lost: if FAST_PATH { 0.0 } else { units.to_packets(delivery.lost() - lost_before) },
            marks: heard.marks,
            abc_increment: if counts_part { 1.0 } else { self.options.abc_increment(&newly, late) },
            rtt,
            one_way_delay,
            smoothed_rtt: self.rtt.fine().mean,
            min_rtt: self.rtt.min(),
            inflight_before: flight_before.in_network,
            inflight: units.to_packets(self.flight::<FAST_PATH>()),
            delivered: units.to_packets(delivery.delivered()),
            lost: units.to_packets(delivery.lost()),
            round_start: sample.is_some_and(|sample| sample.round_start),
            cwnd_limited: self.window_use.is_used(),
            app_limited: delivery.is_app_limited(),
            phase,
            rate: sample.map(|sample| records::rate_sample(units, &sample)),
        };
        self.note_cwnd(now);
        self.controller.on_ack(&ack, &mut *self.random);
        if let Some(missing) = reaction.missing {
            let window = self.reduction_base(flight_before);
            self.controller.on_counted(&Counted { now, window, missing }, &mut *self.random);
        }
        if fresh {
            self.end_if_done();
        }
        self.react_after_control::<FAST_PATH>(now, &reaction, output);
        if sends_new {
            self.send_new(now, output);
        }
        AckOutcome { clean_rtt }
    }

    #[cold]
    fn hear_accurate(&mut self, marks: MarkFeedback, delivered: u64) -> Heard {
        let packets = self.options.units.to_packets(delivered) as u64;
        self.ecn.hear_accurate(marks, packets, packets * u64::from(self.options.units.packet_bytes()))
    }

    /// Records an acknowledgement in the ledger.
    #[inline]
    fn take_in(&mut self, cumulative: u64, ranges: impl Iterator<Item = Range<u64>>) -> Newly {
        let mut newly = Newly::default();
        self.ledger.acknowledge(cumulative, &mut newly);
        if self.rule.wants_ranges(&self.ledger) {
            for range in ranges {
                self.ledger.acknowledge_range(range, &mut newly);
            }
        }
        newly
    }

    /// Records an [ordinary](Self::is_ordinary) acknowledgement in the ledger on the fast path, and returns what
    /// it newly acknowledges.
    #[inline]
    fn take_in_order(&mut self, cumulative: u64) -> Newly {
        let mut newly = Newly::default();
        self.ledger.acknowledge_in_order(cumulative, &mut newly);
        newly
    }

    /// Samples the round trip for the controls, from `clean` or else from `stamp`, and for the timer. Returns
    /// the sample for the controls, or `None`. `stamp` is `None` if the acknowledgement may not be timed by
    /// its timestamp.
    #[inline(always)]
    fn measure(
        &mut self,
        now: Time,
        cumulative: u64,
        clean: Option<Span>,
        stamp: Option<Time>,
    ) -> Option<Span> {
        let rtt = clean.or_else(|| stamp.map(|stamp| now.since(stamp)));
        if let Some(rtt) = rtt {
            self.rtt.sample(rtt);
        }
        if self.options.times_stamps() {
            if let Some(stamp) = stamp {
                self.take_timer_sample(stamp, now);
            }
        } else if let Some((number, sent)) = self.timed
            && cumulative > number
        {
            self.timed = None;
            self.take_timer_sample(sent, now);
        }
        rtt
    }

    fn tell_acked(&mut self, output: &mut impl Output) {
        let spared: u64 = self.ledger.selective().iter().map(|number| output.on_acked(*number)).sum();
        if self.data_until < u64::MAX {
            self.data_until -= spared;
        }
    }

    /// Samples the round trip at an acknowledgement that reports its delay, and returns it. A sample needs
    /// the packet with the highest number to be newly acknowledged (RFC 9002 section 5.1); otherwise it is
    /// `None`. The smoothed round trip excludes the delay, unless the sample would then be below the minimum
    /// (section 5.3). Controls hear the whole round trip.
    fn measure_held(&mut self, newly: &Newly, held: Held, clean: Option<Span>) -> Option<Span> {
        let rtt = clean.filter(|_| newly.newest_is(held.end.wrapping_sub(1)))?;
        self.highest_acked = self.highest_acked.max(held.end);
        self.rtt.sample_held(rtt, held.delay);
        Some(rtt)
    }

    /// Returns one past the last packet that controls regard as acknowledged: SND.UNA, or, if no number is
    /// used twice, one past the highest acknowledged number, because a lost packet is never acknowledged.
    #[inline]
    pub(super) fn acked_to(&self) -> u64 {
        if self.options.numbers_once { self.highest_acked } else { self.ledger.una() }
    }

    fn take_timer_sample(&mut self, sent: Time, now: Time) {
        self.rtt.sample_for_timer(sent, now);
        self.expiries = 0; // Karn: the back-off lasts until there is a sample
    }

    #[inline]
    fn summary(&self, now: Time, newly: &Newly, duplicate: bool, cause: Option<Cause>) -> AckSummary {
        AckSummary {
            now,
            cumulative: newly.cumulative,
            delivered: newly.delivered,
            window: self.whole_window(),
            duplicate,
            cause,
            rtt: self.rtt.fine(),
            stamp: None,
            dsack: None,
        }
    }

    #[inline(always)] // used at every acknowledgement, and in a cold function
    pub(super) fn react_before_control(
        &mut self,
        now: Time,
        reaction: &Reaction,
        flight: SenderFlight,
        output: &mut impl Output,
    ) {
        if let Some(duplicates) = reaction.recovered {
            self.end_recovery(now, Ending::Repaired { duplicates });
        }
        if let Some(Run { first, count }) = reaction.resend {
            // A packet that is retransmitted at once counts as lost, whichever rule asks for it.
            let outstanding =
                first.max(self.ledger.una())..first.saturating_add(count).min(self.ledger.high());
            outstanding.for_each(|number| self.ledger.give_up(number));
        }
        self.report_lost(now, output);
        if let Some(found) = reaction.loss {
            self.begin_recovery(now, found, flight);
        }
        if let Some(resolution) = reaction.resolution {
            self.tell_resolution(now, resolution, flight);
        }
    }

    #[inline(always)]
    pub(super) fn react_after_control<const FAST_PATH: bool>(
        &mut self,
        now: Time,
        reaction: &Reaction,
        output: &mut impl Output,
    ) {
        if let Some(Run { first, count }) = reaction.resend {
            for number in first..first.saturating_add(count).min(self.ledger.high()) {
                if self.transmit(now, number, output).is_none() {
                    break; // the rule may ask for this packet again, the later ones wait for a timeout
                }
            }
        }
        self.expiries = self.expiries.saturating_add(u32::from(reaction.back_off));
        if reaction.restart_timer {
            self.restart_timer(now);
        }
        if FAST_PATH {
            self.send::<true>(now, output);
        } else {
            self.send_allowed(now, output);
        }
    }
}
