//! What the sender of one path is told by an association that has several: what only the association knows of its packets,
//! and what it decides itself.

use super::{Output, Sender};
use crate::rtt::Smoothed;
use ackclock_base::{Packets, Span, Time};
use ackclock_cc::Timeout;

/// What an association has found out about the packets of a path, for a rule that leaves this to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Declaration<'a> {
    /// The numbers of packets that are lost, ascending.
    pub lost: &'a [u64],
    /// Whether they begin a recovery: the window is to be reduced.
    pub reduces: bool,
    /// Whether a loss is being repaired, which may concern other paths: the window does not grow meanwhile.
    pub recovering: bool,
    /// How much the acknowledgement acknowledges, in the transport's unit, of what was declared lost before.
    pub late: u64,
    /// Whether the window is full, where that is not what the sender takes for it.
    pub is_full: Option<bool>,
}

impl Sender {
    /// Tells what the association has found, before the acknowledgement that showed it.
    pub fn declare(&mut self, declaration: &Declaration<'_>) {
        if self.timed.is_some_and(|(timed, _)| declaration.lost.contains(&timed)) {
            self.timed = None;
        }
        self.late = declaration.late;
        self.cwnd_limited = declaration.is_full.unwrap_or(self.cwnd_limited);
        self.rule.on_declared(declaration);
    }

    /// Sends one new packet, whatever window and pacing say.
    pub fn send_one(&mut self, now: Time, output: &mut impl Output) {
        let number = self.ledger.high();
        self.transmit(now, number, output);
        self.stop();
    }

    /// Sends up to so many new packets, as window and pacing allow.
    pub fn send_up_to(&mut self, now: Time, packets: u64, output: &mut impl Output) {
        self.data_until = self.ledger.high().saturating_add(packets);
        self.send_allowed(now, output);
        self.stop();
    }

    /// Sets the congestion window. A control with a model of the path keeps its own.
    pub fn set_cwnd(&mut self, now: Time, cwnd: Packets) {
        self.note_cwnd(now);
        if let Some(control) = self.controller.window_control() {
            control.set_cwnd(cwnd);
        }
    }

    /// Sets the slow start threshold. A control with a model of the path has none.
    pub fn set_ssthresh(&mut self, ssthresh: Packets) {
        if let Some(control) = self.controller.window_control() {
            control.set_ssthresh(ssthresh);
        }
    }

    /// What was sent at `sent` beside the data has been answered: a sample of the round trip, which ends the back-off.
    pub fn on_probe_answered(&mut self, now: Time, sent: Time) {
        self.rtt.sample_of_handshake(now.since(sent));
        self.rtt.sample_for_timer(sent, now);
        self.expiries = 0;
    }

    /// The retransmission timer begins anew.
    pub fn restart_deadline(&mut self, now: Time) {
        self.deadline = now + self.timeout();
    }

    /// The retransmission timer goes on as it was, whatever the last acknowledgement has made of it.
    pub fn keep_deadline(&mut self, deadline: Time) {
        self.deadline = deadline;
    }

    /// The timer has expired over packets that are lost, and which other paths are to carry: a timeout with nothing in flight.
    pub fn expire(&mut self, now: Time) {
        self.expiries = self.expiries.saturating_add(1);
        self.counts.note_timeout(now.since(self.last_sent));
        (self.timed, self.deadline) = (None, Time::NEVER);
        let timeout = Timeout {
            now,
            window: self.reduction_base(0.0),
            inflight: 0.0,
            left_in_flight: 0.0,
            sent_to: self.ledger.high(),
            in_a_row: self.expiries,
            keeps_threshold: false,
        };
        self.note_cwnd(now);
        self.controller.on_timeout(&timeout, &mut *self.random);
    }

    /// What was asked is no longer waited for.
    pub fn give_up_answer(&mut self) {
        self.deadline = Time::NEVER;
    }

    /// So many of the packets sent carried what had been sent before under other numbers.
    pub fn note_repeated(&mut self, packets: u64) {
        self.counts.retransmitted += packets;
    }

    /// One past the highest number sent.
    pub fn high(&self) -> u64 {
        self.ledger.high()
    }

    /// When the retransmission timer expires.
    pub fn deadline(&self) -> Time {
        self.deadline
    }

    /// The retransmission timeout, with its back-off.
    pub fn rto(&self) -> Span {
        self.timeout()
    }

    /// The smoothed round trip with its deviation; zeros before the first sample.
    pub fn smoothed(&self) -> Smoothed {
        self.rtt.fine()
    }

    /// The smoothed round trip; zero before the first sample.
    pub fn smoothed_rtt(&self) -> Span {
        self.rtt.fine().mean
    }

    /// When a packet was last sent.
    pub fn last_sent(&self) -> Time {
        self.last_sent
    }
}
