//! The interface between the sender of one path and an association with several: what only the association
//! knows of the path's packets, and what it decides itself.

use super::reducing::SenderFlight;
use super::{Output, Sender};
use crate::rtt::Smoothed;
use ackclock_base::{Packets, Span, Time};
use ackclock_cc::Timeout;

/// The losses that an association has detected on a path, for a rule that leaves detection to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReportedLosses<'a> {
    /// The numbers of the lost packets, ascending.
    pub lost: &'a [u64],
    /// Whether these losses begin a recovery, so that the window is to be reduced.
    pub reduces: bool,
    /// Whether a loss is being repaired, possibly on another path. The window does not grow meanwhile.
    pub recovering: bool,
    /// The amount that the acknowledgement covers of packets that had been reported lost, in the transport's
    /// unit.
    pub late: u64,
    /// Whether the window is full, if the association decides that; `None` if the sender does.
    pub is_full: Option<bool>,
}

impl Sender {
    /// Called with the losses that the association has detected, before [`Self::on_ack`] is called for the
    /// acknowledgement that showed them.
    pub fn take_reported_losses(&mut self, reported: &ReportedLosses<'_>) {
        if self.timed.is_some_and(|(timed, _)| reported.lost.contains(&timed)) {
            self.timed = None;
        }
        self.late = reported.late;
        if let Some(is_full) = reported.is_full {
            self.window_use.report(is_full);
        }
        self.rule.on_reported_losses(reported);
    }

    /// Sends one new packet, whatever the window and pacing. The sender has no more data afterwards: the
    /// association asks for each packet, here or with [`Self::send_up_to`].
    pub fn send_one(&mut self, now: Time, output: &mut impl Output) {
        let number = self.ledger.high();
        self.transmit(now, number, output);
        self.stop();
    }

    /// Sends up to `packets` new packets, as the window and pacing allow. The sender has no more data
    /// afterwards: it does not send the rest of the `packets` packets later.
    pub fn send_up_to(&mut self, now: Time, packets: u64, output: &mut impl Output) {
        self.data_until = self.ledger.high().saturating_add(packets);
        self.send_allowed(now, output);
        self.stop();
    }

    /// Sets the congestion window, in packets. A control with a model of the path keeps its own.
    pub fn set_cwnd(&mut self, now: Time, cwnd: Packets) {
        self.note_cwnd(now);
        if let Some(control) = self.controller.window_control() {
            control.set_cwnd(cwnd);
        }
    }

    /// Sets the slow start threshold, in packets. A control with a model of the path has none.
    pub fn set_ssthresh(&mut self, ssthresh: Packets) {
        if let Some(control) = self.controller.window_control() {
            control.set_ssthresh(ssthresh);
        }
    }

    /// Called when a probe sent at `sent` beside the data has been answered: a round trip sample, which ends
    /// the back-off.
    pub fn on_probe_answered(&mut self, now: Time, sent: Time) {
        self.rtt.sample_of_handshake(now.since(sent));
        self.rtt.sample_for_timer(sent, now);
        self.expiries = 0;
    }

    /// Restarts the retransmission timer, even if nothing is outstanding.
    pub fn restart_deadline(&mut self, now: Time) {
        self.deadline = now + self.timeout();
    }

    /// Sets the retransmission timer to `deadline`, whatever the last acknowledgement has changed.
    pub fn keep_deadline(&mut self, deadline: Time) {
        self.deadline = deadline;
    }

    /// Called when the timer expires for lost packets that other paths are to carry: a timeout with nothing
    /// in flight.
    pub fn expire(&mut self, now: Time) {
        self.expiries = self.expiries.saturating_add(1);
        self.counts.note_timeout(now.since(self.last_sent));
        (self.timed, self.deadline) = (None, Time::NEVER);
        let timeout = Timeout {
            now,
            window: self.reduction_base(SenderFlight::default()),
            inflight: 0.0,
            left_in_flight: 0.0,
            sent_to: self.ledger.high(),
            in_a_row: self.expiries,
            keeps_threshold: false,
        };
        self.note_cwnd(now);
        self.controller.on_timeout(&timeout, &mut *self.random);
    }

    /// Stops the timer that [`Self::await_answer`] set.
    pub fn give_up_answer(&mut self) {
        self.deadline = Time::NEVER;
    }

    /// Counts `packets` of the packets sent as retransmissions, because their data had been sent before under
    /// other numbers.
    pub fn note_repeated(&mut self, packets: u64) {
        self.counts.retransmitted += packets;
    }

    /// Returns one past the highest number sent.
    pub fn high(&self) -> u64 {
        self.ledger.high()
    }

    /// Returns when the retransmission timer expires; [`Time::NEVER`] if it is off.
    pub fn deadline(&self) -> Time {
        self.deadline
    }

    /// Returns the retransmission timeout, with its back-off.
    pub fn rto(&self) -> Span {
        self.timeout()
    }

    /// Returns the smoothed round trip with its deviation; zeros before the first sample.
    pub fn smoothed(&self) -> Smoothed {
        self.rtt.fine()
    }

    /// Returns the smoothed round trip; zero before the first sample.
    pub fn smoothed_rtt(&self) -> Span {
        self.rtt.fine().mean
    }

    /// Returns when a packet was last sent; time zero before the first.
    pub fn last_sent(&self) -> Time {
        self.last_sent
    }
}
