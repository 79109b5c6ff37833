//! The recovery period of a rule that can reduce the flight in proportion (RFC 9002 section 7.3.2 has the term): fast
//! recovery, or Linux's state CWR, which begins with a mark or with a packet that the host's own interface refused.

use crate::prr::Prr;

/// The recovery period under way, if there is one.
#[derive(Clone, Debug, Default)]
pub struct RecoveryPeriod {
    /// Fast recovery lasts until everything below this number is acknowledged; `None` outside it.
    recover: Option<u64>,
    /// In state CWR, the next packet number when the window was reduced; `None` in others.
    cwr: Option<u64>,
    /// The proportional reduction of the flight; `None` if it is reduced at once.
    pub reduction: Option<Prr>,
}

impl RecoveryPeriod {
    /// Begins fast recovery for the loss of packet `number`, found by an acknowledgement that delivers `delivered`.
    /// `high` is the number of the next new packet. The flight is reduced by `reduction`, or by that of a mark if the
    /// packet was sent before the mark was heard of: its loss belongs to the period of the mark, which ends where it
    /// would have ended, and whose reduction goes on (Linux's tcp_enter_recovery).
    pub fn begin_recovery(&mut self, number: u64, high: u64, delivered: u64, reduction: Option<Prr>) {
        let end_of_mark = self.cwr.take().filter(|end| number < *end);
        self.recover = Some(end_of_mark.unwrap_or(high));
        match self.reduction.as_mut().filter(|_| end_of_mark.is_some()) {
            Some(reduction) => reduction.on_ack(delivered, false),
            None => self.reduction = reduction,
        }
    }

    /// Begins state CWR, see [`Detection::on_cwr`](super::Detection::on_cwr).
    pub fn begin_cwr(&mut self, high: u64, reduction: Option<Prr>) {
        *self = Self { recover: None, cwr: Some(high), reduction };
    }

    /// Called at an acknowledgement of everything below `una`. Ends the period if `una` is past its end, and returns
    /// whether that was fast recovery.
    pub fn on_ack(&mut self, una: u64) -> bool {
        let is_recovered = self.recover.is_some_and(|recover| una >= recover);
        if is_recovered || self.cwr.is_some_and(|end| una > end) {
            self.end();
        }
        is_recovered
    }

    /// Ends the period.
    pub fn end(&mut self) {
        *self = Self::default();
    }

    /// Returns the number below which everything is acknowledged when fast recovery ends; `None` outside it.
    pub fn recover(&self) -> Option<u64> {
        self.recover
    }

    /// Returns whether fast recovery is under way.
    pub fn is_recovery(&self) -> bool {
        self.recover.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_in_the_window_of_a_mark_ends_with_it_and_keeps_its_reduction() {
        // A mark reduces the window when packets up to 9 have been sent, with RecoverFS of 10. By the time a loss is found,
        // packets up to 14 have been. The loss of packet 9 belongs to the mark, that of packet 10 has a period and a
        // reduction of its own, with RecoverFS of 20. The loss is found by an acknowledgement of one packet, which a
        // reduction of its own counts as it begins: here not. Four more follow. Of a target of 10, with more in flight,
        // they let 10 (1 + 4) / 10 = 5 packets out in the first case, and 10 * 4 / 20 = 2 in the second.
        let [of_mark, of_loss] = [10, 20].map(|flight| Some(Prr::new(flight, 0, 1)));
        for (number, end, is_of_mark) in [(9, 10, true), (10, 15, false)] {
            let mut period = RecoveryPeriod::default();
            period.begin_cwr(10, of_mark);
            assert!(!period.on_ack(10) && !period.is_recovery());
            period.begin_recovery(number, 15, 1, of_loss);
            assert_eq!(period.recover(), Some(end));
            let reduction = period.reduction.as_mut().expect("a reduction");
            reduction.on_ack(4, false);
            reduction.allows(100, 10);
            assert_eq!(reduction.window() - 100, if is_of_mark { 5 } else { 2 }, "{number}");
            assert!(!period.on_ack(end - 1) && period.on_ack(end) && period.reduction.is_none());
        }
    }

    #[test]
    fn state_cwr_ends_when_a_packet_sent_after_the_reduction_is_acknowledged() {
        let mut period = RecoveryPeriod::default();
        period.begin_cwr(10, Some(Prr::new(10, 0, 1)));
        assert!(!period.on_ack(10) && period.reduction.is_some());
        assert!(!period.on_ack(11) && period.reduction.is_none(), "no recovery has ended");
    }
}
