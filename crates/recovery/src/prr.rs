//! Proportional rate reduction (RFC 9937): in recovery, how much each acknowledgement lets out, such that the flight
//! comes down to the control's target by the end of it, and not before.
//!
//! Amounts are in the transport's own unit.

/// The state of one recovery (RFC 9937 section 6).
#[derive(Clone, Copy, Debug)]
pub struct Prr {
    /// RecoverFS: the flight that the recovery began with.
    recover_fs: u64,
    /// What has been delivered and sent since.
    delivered: u64,
    out: u64,
    /// SndCnt, less what has been sent of it.
    allowance: u64,
    /// SMSS.
    packet: u64,
}

impl Prr {
    /// A recovery begins with this flight, in packets of this size.
    pub fn new(recover_fs: u64, packet: u64) -> Self {
        Self { recover_fs, delivered: 0, out: 0, allowance: 0, packet }
    }

    /// An acknowledgement has delivered so much; `inflight` is thought to be in the network, and the control wants it to be
    /// `ssthresh`. It is `safe` if it moves the cumulative acknowledgement forward and shows no further loss.
    pub fn on_ack(&mut self, delivered: u64, safe: bool, inflight: u64, ssthresh: u64) {
        self.delivered += delivered;
        self.allowance = if inflight > ssthresh {
            let target = u128::from(self.delivered) * u128::from(ssthresh);
            let proportional = target.div_ceil(u128::from(self.recover_fs.max(1)));
            u64::try_from(proportional).unwrap_or(u64::MAX).saturating_sub(self.out)
        } else {
            let growth = if safe { self.packet } else { 0 };
            let bound = self.delivered.saturating_sub(self.out).max(delivered) + growth;
            bound.min(ssthresh - inflight)
        };
        if self.out == 0 {
            self.allowance = self.allowance.max(self.packet); // the fast retransmit itself
        }
    }

    /// So much has been sent.
    pub fn on_sent(&mut self, size: u64) {
        self.out += size;
        self.allowance = self.allowance.saturating_sub(size);
    }

    /// Whether anything may be sent before the next acknowledgement.
    pub fn allows(&self) -> bool {
        self.allowance > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What each acknowledgement of one packet lets out.
    fn play(recover_fs: u64, ssthresh: u64, mut inflight: u64, acks: usize) -> Vec<u64> {
        let mut prr = Prr::new(recover_fs, 1);
        let each = |_| {
            prr.on_ack(1, false, inflight, ssthresh);
            let sent = prr.allowance;
            prr.on_sent(sent);
            inflight = inflight + sent - 1;
            sent
        };
        (0..acks).map(each).collect()
    }

    #[test]
    fn ten_delivered_let_out_seven() {
        // RecoverFS 10, target 7, more than that in flight throughout: ceil(0.7 n) less what is out.
        let mut prr = Prr::new(10, 1);
        let each = |_| {
            prr.on_ack(1, false, 100, 7);
            let sent = prr.allowance;
            prr.on_sent(sent);
            sent
        };
        assert_eq!((0..10).map(each).collect::<Vec<_>>(), [1, 1, 1, 0, 1, 1, 0, 1, 1, 0]);
    }

    #[test]
    fn a_single_loss_of_twenty_paces_the_reduction_over_the_round_trip() {
        // The first example of RFC 6937 section 3.1 (RFC 9937's own figures were not at hand): 20 in flight, the first lost,
        // two sent by limited transmit; from the third acknowledgement on 18 in flight, and every second lets one packet out.
        let sent = play(20, 10, 18, 14);
        assert_eq!(sent, [1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0]);
    }

    #[test]
    fn after_a_burst_of_losses_each_delivery_lets_one_packet_out() {
        // The second example: 15 of 20 lost, four in flight when that shows. What is sent conserves packets; only a safe
        // acknowledgement, which RFC 9937 asks for before it grows, would let out two.
        assert_eq!(play(20, 10, 4, 3), [1, 1, 1]);
        let mut prr = Prr::new(20, 1);
        prr.on_ack(1, true, 4, 10);
        assert_eq!(prr.allowance, 2);
    }

    #[test]
    fn in_bytes_the_first_retransmission_is_forced_and_the_target_bounds_the_rest() {
        // RecoverFS 10,000 bytes in packets of 1000; the first acknowledgement delivers one byte with the flight at its
        // target of 5000.
        let mut prr = Prr::new(10_000, 1000);
        prr.on_ack(1, false, 5000, 5000);
        assert_eq!(prr.allowance, 1000);
        prr.on_sent(1000);
        let mut safe = prr;
        prr.on_ack(1000, false, 1000, 5000);
        assert_eq!(prr.allowance, 1000);
        safe.on_ack(1000, true, 1000, 5000);
        assert_eq!(safe.allowance, 2000);
        prr.on_ack(1000, false, 5000, 5000);
        assert_eq!(prr.allowance, 0);
    }
}
