//! Retransmission by time: RACK-TLP (RFC 8985). A packet is lost when a packet sent later has been delivered,
//! and a round trip and a reordering window have passed since the packet was sent. A lost retransmission is
//! found in this way as well. A probe at the end of the data makes the receiver report losses that no later
//! packet would show.
//!
//! The flight is reduced in proportion to what is delivered (RFC 9937), or at once. A lost retransmission
//! causes no second reduction (section 9.3 asks for none under RFC 9937).

mod order;
mod probe;
mod reordering;
#[cfg(test)]
mod tests;

use super::duplicates::missing_of;
use super::period::RecoveryPeriod;
use super::sack::Flight;
use super::{AckSummary, Clock, Detection, Expiry, LossFound, Reaction};
use crate::declared::{Losses, RackRules};
use crate::ledger::{Ledger, Sent};
use crate::prr::Prr;
use crate::rtt::Smoothed;
use ackclock_base::{Span, Time, choice};
use ackclock_cc::LossSignal;
use order::{Order, Sending};
use probe::Probe;
use reordering::{LeastRoundTrip, ReorderingWindow, Retransmitted};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Options of the rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RackOptions {
    /// The options of every rule. The threshold is the number of selectively acknowledged packets at which the first loss is
    /// found without waiting, as long as no reordering was seen.
    pub losses: Losses,
    /// The options of this rule.
    pub rack: RackRules,
    /// The longest time by which the receiver delays an acknowledgement.
    pub max_ack_delay: Span,
    /// The size of a full packet in the transport's unit.
    pub packet: u64,
}

impl Default for RackOptions {
    /// Returns the options that RFC 8985 recommends, for a transport that counts packets and a receiver that
    /// acknowledges within 200 ms.
    fn default() -> Self {
        Self {
            losses: Losses::default(),
            rack: RackRules::default(),
            max_ack_delay: Span::from_millis(200),
            packet: 1,
        }
    }
}

choice! {
    /// Of the packets that an acknowledgement delivers unambiguously, the one whose round trip RACK waits for
    /// (RACK.rtt).
    pub enum RoundTripOf {
        /// The packet that was sent last (RFC 8985 section 6.2 step 2, in ascending order of Segment.xmit_ts).
        LastSent = "last-sent",
        /// The packet that Linux examines last: the highest of those acknowledged cumulatively, or else of those
        /// acknowledged selectively (tcp_rack_advance).
        Highest = "highest",
    }
}

/// The rule of RACK-TLP.
#[derive(Clone, Debug)]
pub struct Rack {
    options: RackRules,
    threshold: u32,
    /// How the flight is reduced.
    reduction: Flight,
    /// The size of a full packet in the transport's unit.
    packet: u64,
    order: Order,
    /// RACK.segment: the packet sent last among those delivered.
    newest: Option<Sending>,
    /// RACK.rtt: the round trip of a packet that the last acknowledgement delivered unambiguously.
    rtt: Span,
    least_rtt: LeastRoundTrip,
    /// RACK.fack: one past the highest delivered packet.
    forward: u64,
    /// The greatest distance from a delivered packet that was sent once to one past the highest packet that had overtaken it:
    /// one more than the packets between them (Linux, tp->reordering in tcp_check_sack_reordering).
    reordering: u64,
    /// RACK.segs_sacked: the number of packets now acknowledged selectively and not yet cumulatively.
    sacked: u32,
    window: ReorderingWindow,
    retransmitted: Retransmitted,
    /// When the reordering timer expires; `Time::NEVER` if it is not armed.
    due: Time,
    /// Packets found lost, the lowest first. Packets that were retransmitted or arrived since are removed
    /// lazily.
    lost: BinaryHeap<Reverse<u64>>,
    duplicates: u32,
    /// The number of duplicates in this recovery, including those that revealed the loss.
    in_episode: u32,
    partial_seen: bool,
    period: RecoveryPeriod,
    /// The repair after a timeout lasts until everything below this number is acknowledged; `None` outside it.
    after_timeout: Option<u64>,
    /// Whether the next packet is sent whatever the window: after a timeout, or as a fast retransmit.
    must_send: bool,
    probe: Probe,
    /// The number of the probe that is being sent; `None` if none is.
    sends_probe: Option<u64>,
}

impl Rack {
    /// Creates the rule, outside recovery.
    pub fn new(options: RackOptions) -> Self {
        let RackOptions { losses, rack, max_ack_delay, packet } = options;
        Self {
            options: rack,
            threshold: losses.dupack_threshold,
            reduction: losses.reduction,
            packet,
            order: Order::default(),
            newest: None,
            rtt: Span::ZERO,
            least_rtt: LeastRoundTrip::default(),
            forward: 0,
            reordering: 0,
            sacked: 0,
            window: ReorderingWindow::default(),
            retransmitted: Retransmitted::default(),
            due: Time::NEVER,
            lost: BinaryHeap::new(),
            duplicates: 0,
            in_episode: 0,
            partial_seen: false,
            period: RecoveryPeriod::default(),
            after_timeout: None,
            must_send: false,
            probe: Probe::new(&rack, max_ack_delay),
            sends_probe: None,
        }
    }

    fn is_repairing(&self) -> bool {
        self.period.is_recovery() || self.after_timeout.is_some()
    }

    /// Carries out RFC 8985 section 6.2 steps 1 to 3 for everything that the acknowledgement delivered.
    fn take_delivered(&mut self, ledger: &mut Ledger, summary: &AckSummary) {
        let forward_before = self.forward;
        let mut timed = None;
        for number in ledger.una() - summary.cumulative..ledger.una() {
            let sent = ledger.sent(number);
            if sent.is_sacked() {
                self.sacked -= 1;
            } else if let Some(rtt) = self.take_one(number, sent, summary.stamp, summary.now, forward_before)
            {
                timed = timed.max(Some((self.rank(number, sent, true), rtt)));
            }
        }
        ledger.drain_selective(|ledger, number| {
            let sent = ledger.sent(number);
            self.sacked += u32::from(number >= ledger.una());
            if let Some(rtt) = self.take_one(number, sent, None, summary.now, forward_before) {
                timed = timed.max(Some((self.rank(number, sent, false), rtt)));
            }
        });
        //= RFC 8985 section 6.2 rtt: RACK.rtt is taken from a delivered segment whose RTT is unambiguous
        if let Some((_, rtt)) = timed {
            self.rtt = rtt;
        }
    }

    /// Returns a value by which the delivered packets of an acknowledgement are ordered. The one with the greatest
    /// value sets RACK.rtt.
    fn rank(&self, number: u64, sent: &Sent, is_cumulative: bool) -> (u64, u64) {
        match self.options.rack_rtt {
            RoundTripOf::LastSent => (sent.at.nanos(), number),
            RoundTripOf::Highest => (u64::from(is_cumulative), number),
        }
    }

    /// Records the delivery of one packet. Returns its round trip, or `None` if an earlier transmission may have
    /// been delivered. The echoed `stamp` tells a retransmission from the original, but
    /// only where the cumulative acknowledgement advanced: other acknowledgements repeat the last timestamp
    /// (RFC 7323 section 4.3).
    fn take_one(
        &mut self,
        number: u64,
        sent: &Sent,
        stamp: Option<Time>,
        now: Time,
        forward_before: u64,
    ) -> Option<Span> {
        let rtt = now.since(sent.at);
        if sent.transmissions > 1 {
            let of_the_original = stamp.is_some_and(|stamp| stamp < sent.at);
            if of_the_original || rtt < self.least_rtt.get() {
                return None;
            }
        } else {
            self.least_rtt.take(now, rtt);
            self.probe.note_sample();
            let distance = forward_before.saturating_sub(number);
            self.window.seen |= distance > 1;
            self.reordering = self.reordering.max(distance);
        }
        self.forward = self.forward.max(number + 1);
        let sending = Sending::of(number, sent);
        //= RFC 8985 section 6.2 newest: a segment can be marked as lost only after a segment sent later has been delivered
        if self.newest.is_none_or(|newest| newest < sending) {
            self.newest = Some(sending);
        }
        Some(rtt)
    }

    /// Carries out RFC 8985 section 6.2 step 5. Returns the lowest packet found lost, or `None` if no loss
    /// was found.
    fn detect(&mut self, ledger: &mut Ledger, now: Time, smoothed_rtt: Span) -> Option<u64> {
        let newest = self.newest?;
        //= RFC 8985 section 3.3.2 at-once: the reordering window is zero in recovery or after DupThresh SACKed segments, if no reordering was seen
        let at_once = self.is_repairing() || self.sacked >= self.threshold;
        let wait = self.rtt + self.window.span(at_once, self.least_rtt.get(), smoothed_rtt);
        let Self { order, lost, .. } = self;
        let mut lowest = None;
        //= RFC 8985 section 6.2 timer: a timer runs for segments that may still arrive within the reordering window
        let due = order.find_overdue(ledger, newest, wait, now, |number| {
            lost.push(Reverse(number));
            lowest = Some(lowest.map_or(number, |lowest: u64| lowest.min(number)));
        });
        self.due = if due < Time::NEVER { due + self.options.rack_timer_slack } else { due };
        lowest
    }

    fn enter(&mut self, ledger: &Ledger, number: u64, delivered: u64, window: u64) -> Reaction {
        let reduction = self.reduction.reduction(ledger, delivered, window, self.packet);
        self.period.begin_recovery(number, ledger.high(), delivered, reduction);
        self.in_episode = self.duplicates;
        self.partial_seen = false;
        self.probe.reset();
        //= RFC 8985 section 6.2 again: a retransmission in flight is not marked as lost, and its segment is not retransmitted again
        // Without a proportional reduction the first lost packet leaves whatever the window, unless the repair
        // before this one has retransmitted it already.
        self.must_send = !self.reduction.is_proportional() && self.next_lost(ledger).is_some();
        Reaction {
            loss: Some(LossFound { number, signal: LossSignal::DuplicateAcks, duplicates: self.duplicates }),
            restart_timer: true,
            ..Reaction::default()
        }
    }

    fn end(&mut self) {
        self.period.end();
        self.must_send = false;
    }

    fn next_lost(&mut self, ledger: &Ledger) -> Option<u64> {
        while let Some(Reverse(number)) = self.lost.peek() {
            if ledger.is_lost(*number) {
                return Some(*number);
            }
            self.lost.pop();
        }
        None
    }
}

impl Detection for Rack {
    fn on_ack(&mut self, ledger: &mut Ledger, summary: &AckSummary) -> Reaction {
        self.duplicates =
            if summary.cumulative > 0 { 0 } else { self.duplicates + u32::from(summary.duplicate) };
        self.in_episode += u32::from(summary.duplicate);
        self.take_delivered(ledger, summary);
        let mut reaction = Reaction { restart_timer: summary.cumulative > 0, ..Reaction::default() };
        let mut leaves = false;
        if self.period.on_ack(ledger.una()) {
            self.must_send = false;
            reaction.recovered = Some(self.in_episode);
            leaves = true;
        }
        if self.after_timeout.is_some_and(|end| ledger.una() >= end) {
            self.after_timeout = None;
            leaves = true;
        }
        if let Some(recover) = self.period.recover().filter(|_| summary.cumulative > 0 && !self.partial_seen)
        {
            self.partial_seen = true;
            reaction.missing = Some(missing_of(recover - ledger.una(), self.in_episode));
        }
        let was_spurious = summary.dsack.is_some_and(|range| self.retransmitted.take(range.0..range.1));
        self.window.on_ack(ledger.una(), ledger.high(), was_spurious, leaves);
        let probe_repaired = self.probe.on_ack(ledger.una(), summary);
        let found = self.detect(ledger, summary.now, summary.rtt.mean);
        // A packet that was sent during a repair and lost is a loss of its own when the repair is over.
        let lowest = found.or_else(|| if leaves { ledger.lowest_lost() } else { None });
        match lowest {
            Some(number) if !self.is_repairing() => {
                let recovered = reaction.recovered;
                reaction =
                    Reaction { recovered, ..self.enter(ledger, number, summary.delivered, summary.window) };
            }
            // Section 7.4.2: the probe has repaired a loss that nothing else shows, and nothing is to be
            // retransmitted.
            //= RFC 8985 section 7.4.2 loss: a loss that only the probe reveals reduces the window like any other loss, if data is still outstanding
            None if probe_repaired && !self.is_repairing() && !ledger.is_empty() => {
                let recovered = reaction.recovered;
                reaction = Reaction {
                    recovered,
                    ..self.enter(ledger, ledger.una(), summary.delivered, summary.window)
                };
            }
            _ => {
                // The first packet is retransmitted again: the timer gives that transmission its time as well
                // (Linux, tcp_xmit_retransmit_queue).
                reaction.restart_timer |= found == Some(ledger.una());
                if let Some(reduction) = &mut self.period.reduction {
                    reduction.on_ack(summary.delivered, summary.cumulative > 0 && found.is_none());
                }
            }
        }
        //= RFC 8985 section 7.2 start: outside loss recovery, the probe timer starts when new data is sent or acknowledged
        if self.is_repairing() || self.sacked > 0 || ledger.is_empty() {
            self.probe.disarm();
        } else if summary.cumulative > 0 {
            self.probe.arm(summary.now);
        }
        reaction
    }

    /// Marks the first packet as lost, and any other packet that has been out long enough (RFC 8985 section
    /// 6.3).
    fn on_timeout(&mut self, ledger: &mut Ledger, now: Time) {
        if !self.is_repairing() && self.sacked >= self.threshold {
            // Linux, tcp_enter_loss: what was taken for reordering were losses.
            self.reordering = self.reordering.min(u64::from(self.threshold));
        }
        self.end();
        (self.duplicates, self.due) = (0, Time::NEVER);
        self.probe.reset();
        self.after_timeout = Some(ledger.high());
        let wait = self.rtt + self.window.span(true, self.least_rtt.get(), self.rtt);
        let mut is_first = true;
        //= RFC 8985 section 6.3: a timeout marks the first unacknowledged segment as lost, and each segment sent more than RACK.rtt plus the reordering window ago
        for number in ledger.una()..ledger.next() {
            let sent = ledger.sent(number);
            if !sent.is_sacked() && (std::mem::take(&mut is_first) || sent.at + wait <= now) {
                ledger.lose(number);
                self.lost.push(Reverse(number));
            }
        }
        self.must_send = true;
    }

    fn on_undone(&mut self, ledger: &mut Ledger) {
        ledger.none_lost();
        self.end();
        self.after_timeout = None;
        self.must_send = false;
        self.order.rebuild(ledger);
    }

    fn leave_flight_to_control(&mut self) {
        self.reduction = Flight::Inferred;
    }

    fn on_cwr(&mut self, ledger: &Ledger, reduction: Option<Prr>) {
        self.period.begin_cwr(ledger.high(), reduction.filter(|_| self.reduction.is_proportional()));
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
        let room = match &mut self.period.reduction {
            // The reordering timer may find everything in flight lost. No acknowledgement will come then to
            // let a packet out, so one leaves whenever nothing is in flight.
            Some(reduction) => reduction.allows(ledger.pipe(), cwnd) || ledger.pipe() == 0,
            None => ledger.pipe() < cwnd,
        };
        if !room && !self.must_send {
            return None;
        }
        if let Some(lost) = self.next_lost(ledger) {
            return Some(lost);
        }
        if !room {
            return None;
        }
        let next = ledger.next();
        (next < ledger.high() || next < fresh_until).then_some(next)
    }

    fn on_sent(&mut self, ledger: &mut Ledger, number: u64, in_line: bool) {
        if !in_line {
            ledger.resend(number);
        }
        let sent = ledger.sent(number);
        self.order.push(Sending::of(number, sent));
        self.must_send = false;
        let is_probe = self.sends_probe.take() == Some(number);
        if sent.transmissions > 1 && !is_probe {
            self.retransmitted.note(number);
        }
        if let Some(reduction) = &mut self.period.reduction {
            reduction.on_sent(u64::from(sent.size));
        }
        //= RFC 8985 section 7.2 start: outside loss recovery, the probe timer starts when new data is sent or acknowledged
        if sent.transmissions == 1 && !self.is_repairing() && self.sacked == 0 {
            self.probe.arm(sent.at);
        }
    }

    fn wants_ranges(&self, _ledger: &Ledger) -> bool {
        true
    }

    fn is_often_overtaken(&self) -> bool {
        self.reordering > u64::from(self.threshold)
    }

    fn keeps_timer(&self) -> bool {
        true
    }

    //= RFC 8985 section 8: of the reordering, probe and retransmission timers, only one runs at a time; the reordering timer takes precedence
    /// Returns the timer of RFC 8985 section 8, of which there is one at a time. The reordering timer comes
    /// before the probe's, which comes before the retransmission timer. The probe is due no later than the
    /// retransmission timer.
    fn timer(&self, ledger: &Ledger, rtt: Smoothed, deadline: Time) -> Time {
        if self.due < Time::NEVER {
            self.due
        } else {
            //= RFC 8985 section 7.2 bound: a probe is due no later than the retransmission timeout
            self.probe.due(ledger, rtt.mean).map_or(deadline, |due| due.min(deadline))
        }
    }

    fn on_timer(&mut self, ledger: &mut Ledger, clock: &Clock) -> Expiry {
        if self.due < Time::NEVER {
            let lowest = self.detect(ledger, clock.now, clock.rtt.mean);
            return Expiry::Losses(match lowest {
                Some(number) if !self.is_repairing() => self.enter(ledger, number, 0, clock.window),
                _ => Reaction { restart_timer: lowest.is_some(), ..Reaction::default() },
            });
        }
        let is_due = self.probe.due(ledger, clock.rtt.mean).is_some();
        let probe = if is_due { self.probe.send(ledger, clock.fresh_until) } else { None };
        self.sends_probe = probe;
        probe.map_or(Expiry::Retransmission, Expiry::Probe)
    }
}
