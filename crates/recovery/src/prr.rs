//! Proportional rate reduction (RFC 9937): how much each acknowledgement lets out in recovery, so that the
//! flight reaches the control's target by the end of the recovery and not before.
//!
//! Amounts are in the transport's own unit.

/// The state of one recovery (RFC 9937 section 6).
#[derive(Clone, Copy, Debug)]
pub struct Prr {
    /// RecoverFS: the flight at the beginning of the recovery; in Linux the window (prior_cwnd).
    recover_fs: u64,
    /// prr_delivered and prr_out: what has been delivered and sent since the beginning of the recovery.
    delivered: u64,
    out: u64,
    /// SndCnt, less what has been sent of it.
    allowance: u64,
    /// The flight that the last acknowledgement allows: what was in flight then, and SndCnt. Zero before the
    /// first.
    window: u64,
    /// SMSS.
    packet: u64,
    /// The amount delivered since the last call of [`Self::allows`], and whether one of the acknowledgements
    /// was safe; `None` without a delivery. It is kept because the target is known only after the control has
    /// heard of the loss.
    heard: Option<(u64, bool)>,
}

impl Prr {
    /// Begins a recovery from the flight `recover_fs` with packets of size `packet`, at an acknowledgement that
    /// delivers `delivered`.
    pub fn new(recover_fs: u64, delivered: u64, packet: u64) -> Self {
        //= RFC 9937 section 6.1: prr_delivered and prr_out are zero when recovery begins
        Self {
            recover_fs,
            delivered: 0,
            out: 0,
            allowance: 0,
            window: 0,
            packet,
            heard: Some((delivered, false)),
        }
    }

    /// Records an acknowledgement that delivers `delivered`; with zero it lets nothing out. It is `safe` if
    /// it advances the cumulative acknowledgement and shows no further loss.
    pub fn on_ack(&mut self, delivered: u64, safe: bool) {
        //= RFC 9937 section 6.2 nothing: an acknowledgement that delivers no data allows no transmission
        if delivered > 0 {
            let (before, was_safe) = self.heard.unwrap_or_default();
            self.heard = Some((before + delivered, was_safe || safe));
        }
    }

    /// Returns whether anything may be sent before the next acknowledgement, if `inflight` is thought to be
    /// in the network and the control's target is `ssthresh`.
    pub fn allows(&mut self, inflight: u64, ssthresh: u64) -> bool {
        if let Some((delivered, safe)) = self.heard.take() {
            self.answer(delivered, safe, inflight, ssthresh);
        }
        self.allowance > 0
    }

    fn answer(&mut self, delivered: u64, safe: bool, inflight: u64, ssthresh: u64) {
        self.delivered += delivered;
        self.allowance = if inflight > ssthresh {
            //= RFC 9937 section 6.2 proportional: above ssthresh, the data in flight shrinks in proportion to the data delivered
            let target = u128::from(self.delivered) * u128::from(ssthresh);
            let proportional = target.div_ceil(u128::from(self.recover_fs.max(1)));
            u64::try_from(proportional).unwrap_or(u64::MAX).saturating_sub(self.out)
        } else {
            //= RFC 9937 section 6.2 conservation: below ssthresh, as much data is sent as delivered, plus a segment if the acknowledgement is safe
            let growth = if safe { self.packet } else { 0 };
            let bound = self.delivered.saturating_sub(self.out).max(delivered) + growth;
            bound.min(ssthresh - inflight)
        };
        //= RFC 9937 section 6.2 first: the first acknowledgement of a recovery allows the fast retransmit
        if self.out == 0 {
            self.allowance = self.allowance.max(self.packet); // the fast retransmit itself
        }
        self.window = inflight.saturating_add(self.allowance);
    }

    /// Returns the flight that the last acknowledgement allows (Linux net/ipv4/tcp_input.c,
    /// tcp_cwnd_reduction, sets snd_cwnd to it); zero before [`Self::allows`] is called for the first time.
    pub fn window(&self) -> u64 {
        self.window
    }

    /// Records that `size` has been sent.
    pub fn on_sent(&mut self, size: u64) {
        self.out += size;
        self.allowance = self.allowance.saturating_sub(size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the amount that an acknowledgement of `delivered` lets out, and sends it.
    fn answer(prr: &mut Prr, delivered: u64, safe: bool, inflight: u64, ssthresh: u64) -> u64 {
        prr.on_ack(delivered, safe);
        prr.allows(inflight, ssthresh);
        let sent = prr.allowance;
        prr.on_sent(sent);
        sent
    }

    /// Returns what each of `acks` acknowledgements of one packet lets out. The first begins a recovery with
    /// the flight `recover_fs`.
    fn play(recover_fs: u64, ssthresh: u64, mut inflight: u64, acks: usize) -> Vec<u64> {
        let mut prr = Prr::new(recover_fs, 1, 1);
        let each = |ack| {
            let sent = answer(&mut prr, u64::from(ack > 0), false, inflight, ssthresh);
            inflight = inflight + sent - 1;
            sent
        };
        (0..acks).map(each).collect()
    }

    //= test RFC 9937 section 6.2 proportional
    //= test RFC 9937 section 6.1
    #[test]
    fn ten_deliveries_let_out_seven() {
        // RecoverFS is 10 and the target 7, with more than that in flight throughout: ceil(0.7 n) less what
        // has been sent.
        let mut prr = Prr::new(10, 1, 1);
        let each = |ack| answer(&mut prr, u64::from(ack > 0), false, 100, 7);
        assert_eq!((0..10).map(each).collect::<Vec<_>>(), [1, 1, 1, 0, 1, 1, 0, 1, 1, 0]);
    }

    #[test]
    fn a_single_loss_of_twenty_paces_the_reduction_over_the_round_trip() {
        // The first example of RFC 6937 section 3.1 (RFC 9937's own figures were not available): 20 packets
        // in flight, the first lost, two sent by limited transmit. From the third acknowledgement on 18 are
        // in flight, and every second acknowledgement lets one packet out.
        let sent = play(20, 10, 18, 14);
        assert_eq!(sent, [1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0]);
    }

    //= test RFC 9937 section 6.2 conservation
    #[test]
    fn after_a_burst_of_losses_each_delivery_lets_one_packet_out() {
        // The second example: 15 of 20 packets are lost, and four are in flight when that shows. Packet
        // conservation lets one packet out. Only a safe acknowledgement, which RFC 9937 demands for growth,
        // lets out two.
        assert_eq!(play(20, 10, 4, 3), [1, 1, 1]);
        let mut prr = Prr::new(20, 1, 1);
        assert_eq!(answer(&mut prr, 0, true, 4, 10), 1);
        assert_eq!(answer(&mut prr, 1, true, 4, 10), 2);
    }

    //= test RFC 9937 section 6.2 nothing
    #[test]
    fn an_acknowledgement_that_delivers_nothing_lets_nothing_out() {
        // RFC 9937 section 6.2: with RecoverFS 20 and target 10, five deliveries let out ceil(2.5). At the
        // next acknowledgement four packets are in flight, so packet conservation would let the other two
        // out; but the acknowledgement delivers nothing.
        let mut prr = Prr::new(20, 5, 1);
        assert_eq!(answer(&mut prr, 0, false, 12, 10), 3);
        assert_eq!(answer(&mut prr, 0, true, 4, 10), 0);
        assert_eq!(answer(&mut prr.clone(), 1, false, 4, 10), 3);
    }

    //= test RFC 9937 section 6.2 first
    #[test]
    fn in_bytes_the_first_retransmission_is_forced_and_the_target_bounds_the_rest() {
        // RecoverFS is 10,000 bytes in packets of 1000. The first acknowledgement delivers one byte, with the
        // flight at its target of 5000.
        let mut prr = Prr::new(10_000, 1, 1000);
        assert_eq!(answer(&mut prr, 0, false, 5000, 5000), 1000);
        let mut safe = prr;
        assert_eq!(answer(&mut prr.clone(), 1000, false, 1000, 5000), 1000);
        assert_eq!(answer(&mut safe, 1000, true, 1000, 5000), 2000);
        assert_eq!(answer(&mut prr, 1000, false, 5000, 5000), 0);
    }
}
