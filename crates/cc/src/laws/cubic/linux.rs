//! The growth of Linux's CUBIC in congestion avoidance (`bictcp_update` and `tcp_cong_avoid_ai`). Windows are
//! whole packets: Linux computes after how many acknowledged packets the window grows by one, and keeps that
//! number for a while.

use super::Epoch;
use crate::control::Ack;
use ackclock_base::{Packets, Span, Time};

/// The time for which Linux keeps the number while the window stays (`HZ / 32`).
const KEPT: Span = Span::from_nanos(1_000_000_000 / 32);

/// The number of acknowledged packets for a packet of growth: at most this before the first loss, a multiple of
/// the window where the curve does not rise, and at least two.
const MOST_BEFORE_LOSS: Packets = 20.0;
const FLAT_WINDOWS: Packets = 100.0;
const LEAST: Packets = 2.0;

/// The windows in which Reno, with CUBIC's decrease, grows by one packet (`beta_scale`, 15 eighths).
const RENO_WINDOWS: Packets = 15.0 / 8.0;

/// The progress towards the next packet of the window.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Growth {
    /// The packets acknowledged for one packet of growth (`cnt`).
    per_packet: Packets,
    /// The window for which this number was computed, and the time (`last_cwnd`, `last_time`).
    computed: Option<(Packets, Time)>,
    /// The packets acknowledged since the window last grew (`snd_cwnd_cnt`).
    acked: Packets,
    /// The packets acknowledged since Reno's estimate last grew (`ack_cnt`).
    acked_of_reno: Packets,
}

impl Growth {
    /// Returns the packets that an acknowledgement adds to a window of `cwnd` whole packets. `target` returns
    /// the window that the curve has one round trip ahead, in whole packets; `before_loss` says that no loss
    /// has been remembered yet.
    pub(super) fn of(
        &mut self,
        cwnd: Packets,
        ack: &Ack,
        epoch: &mut Epoch,
        before_loss: bool,
        target: impl FnOnce(&Epoch) -> Packets,
    ) -> Packets {
        self.acked_of_reno += ack.abc_increment;
        let keeps = |(window, at): (Packets, Time)| window == cwnd && ack.now.since(at) <= KEPT;
        if !self.computed.is_some_and(keeps) {
            self.computed = Some((cwnd, ack.now));
            let target = target(epoch);
            let curve = if target > cwnd { (cwnd / (target - cwnd)).trunc() } else { FLAT_WINDOWS * cwnd };
            let curve = if before_loss { curve.min(MOST_BEFORE_LOSS) } else { curve };
            self.grow_reno(cwnd, epoch);
            let reno = if epoch.w_est > cwnd { (cwnd / (epoch.w_est - cwnd)).trunc() } else { curve };
            self.per_packet = curve.min(reno).max(LEAST);
        }
        self.count(ack.abc_increment)
    }

    /// Raises the estimate of Reno's window by one for each of its windows that is more than acknowledged.
    fn grow_reno(&mut self, cwnd: Packets, epoch: &mut Epoch) {
        let window = (cwnd * RENO_WINDOWS).trunc();
        let grown = ((self.acked_of_reno / window).ceil() - 1.0).max(0.0);
        self.acked_of_reno -= grown * window;
        epoch.w_est += grown;
    }

    /// Counts acknowledged packets. Returns the packets by which the window grows. A count that already
    /// suffices, because the number has fallen, adds one packet and begins anew.
    fn count(&mut self, acked: Packets) -> Packets {
        let sufficed = self.acked >= self.per_packet;
        let counted = if sufficed { acked } else { self.acked + acked };
        let grown = (counted / self.per_packet).trunc();
        self.acked = counted - grown * self.per_packet;
        grown + f64::from(u8::from(sufficed))
    }
}
