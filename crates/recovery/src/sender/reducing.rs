//! The reports of a sender to its control when a packet is lost, marked or refused, and when the reaction proves
//! spurious.

use super::{Output, Sender};
use crate::declared::{MarkReduction, ReduceFrom};
use crate::detection::LossFound;
use crate::options::Options;
use crate::prr::Prr;
use crate::records;
use ackclock_base::{Packets, Time};
use ackclock_cc::{Ending, Loss, LossSignal, Recovered};

/// The flight before an acknowledgement or a timer changes it, in packets.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SenderFlight {
    /// What is thought to be in the network, as the rule of loss detection counts it.
    pub(super) in_network: Packets,
    /// What was sent and is not acknowledged cumulatively (RFC 5681 section 2: FlightSize): also what is acknowledged
    /// selectively or lost. While the sender goes back over what it sent before, only what it has retransmitted counts.
    pub(super) outstanding: Packets,
}

impl Sender {
    /// Tells the control and the transport of the packets that were counted as lost since the last call.
    #[inline]
    pub(super) fn report_lost(&mut self, now: Time, output: &mut impl Output) {
        let Self { ledger, controller, random, data_until, options: Options { units, .. }, .. } = self;
        #[cfg(debug_assertions)]
        let told_lost = &mut self.told_lost;
        ledger.drain_given_up(|number, sent, sample| {
            *data_until = data_until.saturating_add(u64::from(output.on_lost(number)));
            let lost = records::lost(*units, now, number, sent, &sample);
            controller.on_lost(&lost, &mut **random);
            #[cfg(debug_assertions)]
            {
                *told_lost += u64::from(sent.size);
            }
        });
    }

    /// Begins the recovery of a loss. Tells the control of it, unless a mark has already reduced the window for the
    /// packets that were outstanding: marks and losses of one window are one congestion event. A control with a model of
    /// the path hears of every recovery, because it has rules of its own for them.
    pub(super) fn begin_recovery(&mut self, now: Time, found: LossFound, flight: SenderFlight) {
        self.timed = None;
        self.counts.fast_retransmits += 1;
        //= RFC 9002 section 7.3.2 marks: after a mark has reduced the window, the loss of a packet sent before the reduction does not reduce it again
        //= RFC 3168 section 6.1.2 once: the congestion window is reduced at most once for all drops and ECN marks in a window of data
        if self.event.takes_in(found.number) {
            self.forbid_undo();
            if self.controller.has_model() {
                self.tell_loss(now, found, flight);
            }
            return;
        }
        self.event.begin(self.ledger.high());
        self.ecn.note_reduction();
        self.may_undo = true;
        self.look_for_originals(now);
        self.tell_loss(now, found, flight);
    }

    /// Begins to look for signs that the loss was none. If the first unacknowledged packet is not lost, because a probe
    /// has repaired the loss, the loss was one.
    fn look_for_originals(&mut self, now: Time) {
        let una = self.ledger.una();
        let is_lost = !self.ledger.is_empty() && {
            let first = self.ledger.sent(una);
            first.is_given_up() || first.transmissions > 1
        };
        if is_lost {
            let original_before = self.original_before(now);
            self.spurious.on_loss(&self.options.undo, original_before, una);
        } else {
            self.spurious.forget();
        }
    }

    /// Returns the time of the first retransmission of the first unacknowledged packet, which is now if it has not been
    /// retransmitted: an echo of an earlier time is of the original. Returns `None` if the time is not known, because
    /// the packet has been retransmitted more than once.
    pub(super) fn original_before(&self, now: Time) -> Option<Time> {
        let first = self.ledger.sent(self.ledger.una());
        match first.transmissions {
            1 => Some(now),
            2 => Some(first.at),
            _ => None,
        }
    }

    /// Tells the control that a recovery has ended, if it has heard that it began.
    pub(super) fn end_recovery(&mut self, now: Time, ending: Ending) {
        if !self.event.end_recovery() || self.controller.has_model() {
            self.note_cwnd(now);
            self.controller.on_recovered(&Recovered { now, ending });
        }
    }

    fn tell_loss(&mut self, now: Time, found: LossFound, flight: SenderFlight) {
        assert!(self.ledger.high() > 0, "a loss is detected before any packet was sent");
        // The number may be one past the last packet sent: an association may report a loss without naming a
        // packet while nothing is outstanding on this path.
        let sent = *self.ledger.sent(found.number.min(self.ledger.high() - 1));
        let loss = Loss {
            now,
            signal: found.signal,
            window: self.reduction_base(flight),
            inflight: flight.in_network,
            lost: found.number,
            sent_to: self.ledger.high(),
            sent: sent.at,
            transmissions: u32::from(sent.transmissions),
            duplicates: found.duplicates,
        };
        self.note_cwnd(now);
        self.controller.on_loss(&loss, &mut *self.random);
    }

    //= RFC 5681 section 2 flight-size: FlightSize is the data that was sent and is not yet cumulatively acknowledged
    /// Returns the window, in packets, from which a reduction starts. Packets that limited transmit sent do not count
    /// (RFC 5681 section 3.2), and those sent while NewReno repaired an earlier loss have long left the network, so a
    /// flight above the window does not raise the result.
    pub(super) fn reduction_base(&self, flight: SenderFlight) -> Packets {
        let cwnd = self.controller.decision().cwnd;
        if self.options.rules.reduce_from == ReduceFrom::Window {
            cwnd.min(self.options.window as f64)
        } else {
            cwnd.min(flight.outstanding)
        }
    }

    /// Called when an acknowledgement that delivers `delivered` echoes a mark. Reduces the window, unless that was done
    /// for the packets that were outstanding, or a loss is being repaired.
    #[cold]
    pub(super) fn on_mark(&mut self, now: Time, flight: SenderFlight, delivered: u64) {
        if delivered > 0 || !self.ledger.is_empty() {
            self.reduce_without_loss(now, LossSignal::Ecn, flight, delivered);
        }
    }

    /// Reduces the window without a retransmission, unless that was done for the packets that were outstanding, or a
    /// loss is being repaired.
    fn reduce_without_loss(&mut self, now: Time, signal: LossSignal, flight: SenderFlight, delivered: u64) {
        if self.event.covers_mark(self.acked_to()) || self.rule.in_recovery() {
            return;
        }
        let number = self.ledger.una().min(self.ledger.high() - 1); // nothing may be outstanding after a mark
        let found = LossFound { number, signal, duplicates: 0 };
        self.event.begin_without_loss(self.ledger.high());
        self.ecn.note_reduction();
        self.spurious.forget();
        self.fast_path = false;
        let (window, packet) = (self.whole_window(), self.options.units.of_packets(1));
        let reduction = (self.options.rules.mark_reduction == MarkReduction::Proportional
            && !self.controller.has_model())
        .then(|| Prr::new(window, delivered, packet));
        self.rule.on_cwr(&self.ledger, reduction);
        self.tell_loss(now, found, flight);
    }

    /// Records that congestion has been proved since the last reaction to a loss, so that the reaction stands whatever
    /// becomes of the loss (Linux: "Disable cwnd undo since congestion is proven with ECN").
    pub(super) fn forbid_undo(&mut self) {
        self.may_undo = false;
        self.rule.forbid_undo();
    }

    /// Called when the host's own interface had no room for a packet. The packet is tried again at the next
    /// acknowledgement. This is Linux's `tcp_enter_cwr`. If nothing is outstanding, no acknowledgement will come, and
    /// the packet is tried again when the timer expires (Linux probes).
    #[cold]
    pub(super) fn on_local_drop(&mut self, now: Time) {
        self.forbid_undo();
        if !self.ledger.is_empty() {
            self.reduce_without_loss(now, LossSignal::LocalDrop, self.flight_now(), 0);
        }
        if self.ledger.is_empty() {
            self.deadline = now + self.timeout();
        }
    }

    /// Takes back the reaction to the last loss or timeout, which was spurious, unless a mark has proved congestion
    /// since. In that case the repair ends and the reduction stands.
    pub(super) fn undo(&mut self, now: Time, was_recovering: bool) {
        self.repaired_at = 0;
        if self.may_undo {
            self.event.undo();
            self.end_recovery(now, Ending::Undone);
            return;
        }
        if was_recovering {
            self.end_recovery(now, Ending::Repaired { duplicates: 0 });
        }
        self.event.leave_to_mark();
    }
}
