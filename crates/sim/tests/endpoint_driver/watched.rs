//! A congestion control that checks how its host calls it, and passes the calls on to a real one.

use ackclock_base::{Packets, Random, Span, Time};
use ackclock_cc::{
    Ack, Cause, Change, Control, Controller, Counted, Decision, EcnResponse, Ending, IncomingAck, Loss,
    LossDifferentiation, LossSignal, Lost, Properties, Recovered, Sent, Timeout, WindowControl,
};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

/// The calls to the control, and the state of the connection with which they are compared.
#[derive(Debug, Default)]
pub struct Told {
    /// One past the highest packet sent so far.
    pub high: u64,
    /// The sum of newly acknowledged packets.
    pub newly_acked: u64,
    /// The number of timeouts.
    pub timeouts: u64,
    /// The number of congestion events and timeouts.
    pub reductions: u64,
    /// Whether the last of these was a loss that a mark may already have answered for: a control with a model is told
    /// of it all the same.
    pub may_be_answered: bool,
    /// Whether a recovery is in progress.
    pub recovering: bool,
    /// The first packet of a loss that duplicates showed, and their number.
    pub found: Option<(u64, u32)>,
    /// The smoothed round-trip time as of the last acknowledgement.
    pub smoothed_rtt: Span,
    /// Whether all delivered packets count for growth.
    pub credits_delivered: bool,
    /// Whether acknowledgements of a part of a packet count for growth as if they covered it.
    pub counts_parts: bool,
    /// Whether the acknowledgement that is being processed covers a part of the first packet outstanding.
    pub is_part: bool,
    delivered: Packets,
    lost: Packets,
    lost_one_by_one: Packets,
    /// The largest quantum that the control allowed as a packet left, since the last acknowledgement or timer.
    pub quantum: u32,
    /// The packets reported lost since the last acknowledgement or timer.
    pub newly_lost: Packets,
    /// The packets reported lost, less those that the driver has seen retransmitted since.
    pub given_up: BTreeSet<u64>,
    now: Time,
    acked_to: u64,
    /// The lowest number of the next loss: one reaction per window of data.
    guard: u64,
    /// The lowest number of the next reaction, to a mark or to a loss, after a reaction to a mark.
    marks_guard: u64,
    /// Whether the control has a model of the path, and is told of every recovery.
    has_model: bool,
    /// Whether there has been a loss or a timeout that can turn out to be spurious, and no mark since.
    spurious_possible: bool,
    /// The window before the last loss, mark or first timeout in a row.
    before_event: Packets,
    started: bool,
    ended: bool,
}

/// The record that the control and the driver share.
pub type SharedTold = Arc<Mutex<Told>>;

pub struct Watched {
    inner: Controller,
    told: SharedTold,
}

impl Watched {
    pub fn around(inner: Controller, told: SharedTold) -> Controller {
        told.lock().expect("one thread").has_model = inner.has_model();
        let kind: fn(Box<Self>) -> Controller = match inner {
            Controller::Window(_) => |watched| Controller::Window(watched),
            Controller::Model(_) => |watched| Controller::Model(watched),
            Controller::Differentiating(_) => |watched| Controller::Differentiating(watched),
        };
        kind(Box::new(Self { inner, told }))
    }

    fn with(&self, check: impl FnOnce(&mut Told)) {
        check(&mut self.told.lock().expect("one thread"));
    }
}

impl Told {
    fn at(&mut self, now: Time) {
        assert!(now >= self.now, "a control is told of the past");
        self.now = now;
    }

    /// Checks that a packet is in the network at most twice: the original and the retransmission. Hosts
    /// report the flight before the event.
    fn check_inflight(&self, inflight: Packets) {
        let outstanding = self.high - self.acked_to;
        assert!(inflight <= 2.0 * outstanding as f64, "{inflight} in flight of {outstanding}");
    }

    fn on_ack(&mut self, ack: &Ack) {
        self.at(ack.now);
        assert!(ack.acked_to >= self.acked_to, "the cumulative acknowledgement goes back");
        assert!(ack.acked_to <= ack.sent_to && ack.sent_to <= self.high, "{ack:?}, high {}", self.high);
        let covered = ack.acked_to - self.acked_to;
        // Where all that is delivered counts, packets out of order do so once three have overtaken one.
        let out_of_order = ack.fresh && self.credits_delivered && ack.newly_acked > 0.0;
        assert!(ack.fresh == (covered > 0 || self.is_part) || out_of_order, "{ack:?}");
        if self.counts_parts && self.is_part && covered == 0 {
            assert_eq!(ack.abc_increment, 1.0, "{ack:?}");
        } else if self.credits_delivered {
            assert_eq!(ack.abc_increment, ack.newly_acked, "{ack:?}");
        } else {
            assert!(
                ack.abc_increment >= 0.0 && ack.abc_increment <= covered as f64 && ack.abc_increment <= 2.0,
                "{ack:?}"
            );
        }
        self.check_inflight(ack.inflight_before);
        self.acked_to = ack.acked_to;
        self.newly_acked += ack.newly_acked as u64;
        self.check_inflight(ack.inflight);
        assert!(
            ack.delivered >= self.delivered + ack.newly_acked && ack.lost >= self.lost + ack.newly_lost,
            "{ack:?}"
        );
        assert_eq!(ack.lost, self.lost_one_by_one, "{ack:?}");
        assert_eq!(ack.newly_lost, self.newly_lost, "{ack:?}");
        (self.delivered, self.lost) = (ack.delivered, ack.lost);
        self.smoothed_rtt = ack.smoothed_rtt;
        if let Some(rtt) = ack.rtt {
            assert!(ack.min_rtt <= rtt && rtt.nanos() <= ack.now.nanos(), "{ack:?}");
        }
        assert_eq!(ack.rate.is_some(), ack.newly_acked > 0.0, "{ack:?}");
        if let Some(rate) = ack.rate {
            assert!(
                rate.delivered >= ack.newly_acked && rate.prior_delivered + rate.delivered == ack.delivered,
                "{ack:?}"
            );
            assert!(rate.tx_in_flight >= 1.0 && rate.lost >= 0.0 && rate.lost <= ack.lost, "{ack:?}");
            assert!(rate.packets_per_second(ack.min_rtt).is_none_or(f64::is_finite), "{ack:?}");
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.at(loss.now);
        assert!(loss.lost < self.high, "{loss:?} was never sent");
        assert_eq!(loss.sent_to, self.high, "{loss:?}");
        assert!(loss.sent <= loss.now && loss.transmissions > 0, "{loss:?}");
        assert!(loss.window.is_finite() && loss.window >= 0.0, "{loss:?}");
        self.check_inflight(loss.inflight);
        assert!(!self.recovering, "{loss:?} during a recovery");
        // A control with a model is told of the repair of what a mark has already been answered for.
        let is_of_mark = loss.signal != LossSignal::Ecn && loss.lost < self.marks_guard;
        self.reductions += u64::from(!is_of_mark);
        self.may_be_answered = self.has_model && loss.signal != LossSignal::Ecn;
        if loss.signal == LossSignal::Ecn {
            // There is at most one reaction per window, whatever caused the first (RFC 3168 section 6.1.2).
            assert!(
                loss.lost >= self.guard.max(self.marks_guard),
                "{loss:?} is the second within one window"
            );
            (self.marks_guard, self.spurious_possible) = (self.high, false);
            return;
        }
        // Marks and losses of one window are one congestion event (RFC 9002 section 7.3.2). A control with a model hears of
        // all recoveries.
        let guard = self.guard.max(self.marks_guard);
        assert!(
            self.has_model || loss.lost >= guard,
            "{loss:?} is the second within the window below {guard}"
        );
        self.guard = if is_of_mark { self.marks_guard } else { self.high };
        (self.recovering, self.spurious_possible) = (true, !is_of_mark);
        let by_duplicates = loss.signal == LossSignal::DuplicateAcks && !is_of_mark;
        self.found = by_duplicates.then_some((loss.lost, loss.duplicates));
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.at(timeout.now);
        assert!(timeout.in_a_row > 0 && timeout.window.is_finite() && timeout.window >= 0.0, "{timeout:?}");
        self.check_inflight(timeout.inflight);
        (self.recovering, self.guard) = (false, self.high);
        (self.timeouts, self.spurious_possible) = (self.timeouts + 1, true);
        self.reductions += 1;
        self.may_be_answered = false;
    }
}

impl Control for Watched {
    fn decision(&self) -> Decision {
        let decision = self.inner.decision();
        assert!(decision.cwnd.is_finite() && decision.cwnd >= 1.0, "{decision:?}");
        assert!(decision.ssthresh >= 1.0, "{decision:?}");
        decision
    }

    fn properties(&self) -> Properties {
        Properties { ecn: self.inner.properties().ecn, ..Properties::default() }
    }

    fn on_change(&mut self, change: &Change) {
        self.with(|told| match change {
            Change::Begins => assert!(!std::mem::replace(&mut told.started, true), "a second start"),
            Change::Ends => {
                assert!(told.started && !std::mem::replace(&mut told.ended, true), "a second end");
            }
            Change::Opens { .. } => {}
        });
        self.inner.on_change(change);
    }

    fn on_sent(&mut self, sent: &Sent, random: &mut dyn Random) {
        let quantum = self.inner.decision().send_quantum.unwrap_or(1);
        self.with(|told| {
            told.at(sent.now);
            told.quantum = told.quantum.max(quantum);
            assert!(sent.inflight.is_finite() && sent.inflight >= 0.0, "{sent:?}");
        });
        self.inner.on_sent(sent, random);
    }

    fn on_ack(&mut self, ack: &Ack, random: &mut dyn Random) {
        self.with(|told| told.on_ack(ack));
        let counts = self.inner.properties().ecn == EcnResponse::Counts;
        assert!(ack.marks == 0 || counts, "{ack:?}");
        self.inner.on_ack(ack, random);
    }

    fn on_lost(&mut self, lost: &Lost, random: &mut dyn Random) {
        self.with(|told| {
            told.at(lost.now);
            assert!(
                lost.sent <= lost.now && lost.lost >= lost.size && lost.tx_in_flight >= lost.size,
                "{lost:?}"
            );
            told.lost_one_by_one += lost.size;
            told.newly_lost += lost.size;
            told.given_up.insert(lost.number);
        });
        self.inner.on_lost(lost, random);
    }

    fn on_loss(&mut self, loss: &Loss, random: &mut dyn Random) {
        let counted = loss.signal == LossSignal::Ecn && self.inner.properties().ecn == EcnResponse::Counts;
        assert!(!counted, "{loss:?} though marks are counted");
        let before = self.inner.decision().cwnd;
        self.with(|told| {
            told.before_event = before;
            told.on_loss(loss);
        });
        self.inner.on_loss(loss, random);
    }

    fn on_recovered(&mut self, recovered: &Recovered) {
        self.with(|told| {
            told.at(recovered.now);
            match recovered.ending {
                Ending::Repaired { .. } => {
                    assert!(std::mem::take(&mut told.recovering), "the end of a recovery that never began");
                }
                Ending::Undone => {
                    assert!(
                        std::mem::take(&mut told.spurious_possible),
                        "nothing has been done that could be taken back"
                    );
                    // A reaction that is undone does not count: a loss in the same window may have its own.
                    (told.recovering, told.guard) = (false, 0);
                }
            }
        });
        let window = self.inner.decision().cwnd;
        self.inner.on_recovered(recovered);
        if recovered.ending == Ending::Undone {
            let after = self.inner.decision().cwnd;
            self.with(|told| {
                let most = window.max(told.before_event);
                assert!(told.has_model || after <= most, "undone from {window} to {after}, before {most}");
            });
        }
    }

    fn on_timeout(&mut self, timeout: &Timeout, random: &mut dyn Random) {
        let before = self.inner.decision().cwnd;
        self.with(|told| {
            told.before_event = if timeout.in_a_row == 1 { before } else { told.before_event };
            told.on_timeout(timeout);
        });
        self.inner.on_timeout(timeout, random);
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        self.inner.publish(series);
    }
}

impl WindowControl for Watched {
    fn set_cwnd(&mut self, cwnd: Packets) {
        if let Some(control) = self.inner.window_control() {
            control.set_cwnd(cwnd);
        }
    }

    fn set_ssthresh(&mut self, ssthresh: Packets) {
        if let Some(control) = self.inner.window_control() {
            control.set_ssthresh(ssthresh);
        }
    }
}

impl LossDifferentiation for Watched {
    fn on_incoming(&mut self, incoming: &IncomingAck, random: &mut dyn Random) -> Cause {
        self.with(|told| {
            told.at(incoming.now);
            assert!(incoming.echo.is_none_or(|echo| echo.nanos() <= incoming.now.nanos()), "{incoming:?}");
        });
        self.inner.on_incoming(|| *incoming, random).expect("a layer that tells losses apart")
    }

    fn on_counted(&mut self, counted: &Counted, random: &mut dyn Random) {
        self.with(|told| {
            told.at(counted.now);
            assert!(counted.missing <= told.high, "{counted:?}");
        });
        self.inner.on_counted(counted, random);
    }
}
