//! The reports of a sender to its control when a packet is lost, marked or refused, and when the reaction proves
//! spurious.

use super::{Output, Sender};
use crate::detection::LossFound;
use crate::options::Options;
use crate::records;
use ackclock_base::{Packets, Time};
use ackclock_cc::{Ending, Loss, LossSignal, Recovered};

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

    pub(super) fn tell_loss(&mut self, now: Time, found: LossFound, inflight: Packets) {
        assert!(self.ledger.high() > 0, "a loss is found before anything was sent");
        // The number may be one past the last packet sent: an association may report a loss without naming a
        // packet while nothing is outstanding on this path.
        let sent = *self.ledger.sent(found.number.min(self.ledger.high() - 1));
        let loss = Loss {
            now,
            signal: found.signal,
            window: self.reduction_base(inflight),
            inflight,
            lost: found.number,
            sent_to: self.ledger.high(),
            sent: sent.at,
            transmissions: u32::from(sent.transmissions),
            duplicates: found.duplicates,
        };
        self.ecn.note_reduction(self.ledger.high());
        self.note_cwnd(now);
        self.controller.on_loss(&loss, &mut *self.random);
    }

    /// Returns the window, in packets, from which a reduction starts. Packets sent while NewReno repaired an
    /// earlier loss are outstanding but have long left the network, so a flight above the window does not
    /// raise the result.
    pub(super) fn reduction_base(&self, inflight: Packets) -> Packets {
        let cwnd = self.controller.decision().cwnd;
        if self.options.reduce_from_window {
            cwnd.min(self.options.window as f64)
        } else {
            cwnd.min(inflight)
        }
    }

    /// Reduces the window without a retransmission, unless that was done for the packets now outstanding, a
    /// loss is being repaired, or nothing is outstanding.
    pub(super) fn reduce_once(&mut self, now: Time, signal: LossSignal) {
        if self.ecn.is_old(self.acked_to()) || self.rule.in_recovery() || self.ledger.is_empty() {
            return;
        }
        let found = LossFound { number: self.ledger.una(), signal, duplicates: 0 };
        self.tell_loss(now, found, self.packets_in_flight());
    }

    /// Called when the host's own interface had no room for a packet. The packet is tried again at the next
    /// acknowledgement. This is Linux's `tcp_enter_cwr`, except that Linux takes a round trip to reduce the
    /// window. If nothing is outstanding, no acknowledgement will come, and the packet is tried again when
    /// the timer expires (Linux probes).
    #[cold]
    pub(super) fn on_local_drop(&mut self, now: Time) {
        self.reduce_once(now, LossSignal::LocalDrop);
        if self.ledger.is_empty() {
            self.deadline = now + self.timeout();
        }
    }

    pub(super) fn undo(&mut self, now: Time) {
        self.repaired_at = 0;
        self.note_cwnd(now);
        self.controller.on_recovered(&Recovered { now, ending: Ending::Undone });
    }
}
