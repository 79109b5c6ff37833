//! The timers of a sender: the retransmission timer, the timer that a rule keeps beside it, and the pacer's.

use super::reducing::SenderFlight;
use super::{Output, Sender};
use crate::declared::LocalDrop;
use crate::detection::{Clock, Expiry, Resolution};
use ackclock_base::{Span, Time};
use ackclock_cc::{Probe, Timeout};

impl Sender {
    /// Returns when [`Self::on_timer`] is to be called; [`Time::NEVER`] if no timer runs.
    #[inline]
    pub fn timer(&self) -> Time {
        self.due().min(self.pacer.timer())
    }

    /// Called when the timer that [`Self::timer`] announced expires.
    pub fn on_timer(&mut self, now: Time, output: &mut impl Output) {
        if now >= self.due() {
            if !self.keeps_timer || !self.on_rule_timer(now, output) {
                self.on_timeout(now, output);
            }
        } else if now >= self.pacer.timer() {
            self.send_allowed(now, output);
        }
    }

    /// Returns the retransmission timeout, with its back-off.
    #[inline]
    pub fn timeout(&self) -> Span {
        let factor = if self.expiries == 0 { 1.0 } else { self.backoff.factor(self.expiries) };
        self.rtt.timeout(factor)
    }

    /// Returns when the rule's timer or the retransmission timer expires.
    #[inline]
    pub(super) fn due(&self) -> Time {
        if self.keeps_timer {
            self.rule.timer(&self.ledger, self.rtt.fine(), self.deadline)
        } else {
            self.deadline
        }
    }

    /// Called at [`Self::due`] if the rule has a timer of its own. Handles the rule's timer and returns true,
    /// or returns false if it was the retransmission timer that expired, which is left to the caller.
    #[cold]
    pub(super) fn on_rule_timer(&mut self, now: Time, output: &mut impl Output) -> bool {
        self.fast_path = false;
        let flight = self.flight_now();
        let clock =
            Clock { now, rtt: self.rtt.fine(), window: self.whole_window(), fresh_until: self.fresh_until() };
        match self.rule.on_timer(&mut self.ledger, &clock) {
            Expiry::Retransmission => return false,
            Expiry::Probe(number) => {
                self.note_if_app_limited();
                if self.transmit(now, number, output).is_some() {
                    self.counts.probes += 1;
                    let inflight = self.packets_in_flight();
                    self.controller.on_probe(&Probe { now, number, inflight });
                }
                self.data_until = self.data_until.max(self.ledger.high()); // a probe may carry data sent before
                self.restart_timer(now);
                self.send_allowed(now, output);
            }
            Expiry::Losses(reaction) => {
                self.note_if_app_limited();
                self.react_before_control(now, &reaction, flight, output);
                self.react_after_control::<false>(now, &reaction, output);
            }
        }
        true
    }

    /// Handles the expiry of the retransmission timer (RFC 6298 section 5).
    fn on_timeout(&mut self, now: Time, output: &mut impl Output) {
        self.expiries = self.expiries.saturating_add(1);
        if self.ledger.is_empty() {
            self.deadline = Time::NEVER;
            if self.options.rules.local_drop == LocalDrop::Cwr {
                self.send_allowed(now, output);
            }
            return;
        }
        self.fast_path = false;
        self.note_if_app_limited();
        self.counts.note_timeout(now.since(self.last_sent));
        self.timed = None;
        let flight = self.flight_now();
        self.rule.on_timeout(&mut self.ledger, now);
        let timeout = Timeout {
            now,
            window: self.reduction_base(flight),
            inflight: flight.in_network,
            left_in_flight: self.packets_in_flight(),
            sent_to: self.ledger.high(),
            in_a_row: self.expiries,
            //= RFC 5681 section 3.1 again: ssthresh stays the same when a segment times out again
            keeps_threshold: self.options.rules.keeps_threshold && self.expiries > 1,
        };
        self.repaired_at = self.ledger.high();
        self.event.begin(self.ledger.high());
        self.ecn.note_reduction();
        self.note_cwnd(now);
        self.controller.on_timeout(&timeout, &mut *self.random);
        let (una, high) = (self.ledger.una(), self.ledger.high());
        let original_before = self.original_before(now);
        self.spurious.on_timeout(&self.options.undo, original_before, self.expiries == 1, una, high);
        self.may_undo |= self.expiries == 1;
        self.report_lost(now, output);
        self.pacer.reset(now);
        self.send_allowed(now, output);
        self.restart_timer(now);
    }

    #[inline]
    pub(super) fn restart_timer(&mut self, now: Time) {
        //= RFC 6298 section 5.2: the retransmission timer is off when all data is acknowledged
        //= RFC 6298 section 5.3: an acknowledgement of new data restarts the timer
        self.deadline = if self.ledger.is_empty() { Time::NEVER } else { now + self.timeout() };
    }

    /// Tells the control how an earlier loss was resolved: spurious, or persistent congestion.
    #[cold]
    pub(super) fn tell_resolution(&mut self, now: Time, resolution: Resolution, flight: SenderFlight) {
        match resolution {
            Resolution::Undone => self.undo(now, false),
            // RFC 9002 section 7.6.2: the window falls to its minimum. The losses that show persistent
            // congestion have set the threshold (appendix B.8).
            Resolution::PersistentCongestion => {
                self.rtt.forget_min();
                let window = self.reduction_base(flight);
                let sent_to = self.ledger.high();
                let left_in_flight = self.packets_in_flight();
                let timeout = Timeout {
                    now,
                    window,
                    inflight: flight.in_network,
                    left_in_flight,
                    sent_to,
                    in_a_row: 1,
                    keeps_threshold: true,
                };
                self.counts.persistent_congestions += 1;
                self.event.begin(self.ledger.high());
                self.ecn.note_reduction();
                self.note_cwnd(now);
                //= RFC 9002 section 7.6.2 window: persistent congestion reduces the window to its minimum
                self.controller.on_persistent_congestion(&timeout, &mut *self.random);
            }
        }
    }
}
