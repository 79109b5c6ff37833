//! Congestion events: the marks and losses of one window of data reduce the window once (RFC 3168 section 6.1.2,
//! RFC 9002 section 7.3.2).
//!
//! An event lasts until a packet sent after its reduction is acknowledged. One that a loss began is repaired by
//! recovery; one that a mark or a refused packet began is Linux's state CWR, in which the window does not grow.

/// The last congestion event of a sender, by the numbers of packets.
#[derive(Clone, Copy, Debug, Default)]
pub struct CongestionEvent {
    /// The next packet number when the window was last reduced; `None` before a reduction. If the last reduction was
    /// undone, that of the one before.
    end: Option<u64>,
    /// The value of `end` before the last reduction.
    end_before: Option<u64>,
    /// The next packet number when a mark or a refused packet last reduced the window; zero before that.
    end_without_loss: u64,
    is_cwr: bool,
    /// Whether the recovery under way repairs losses for which a mark has already reduced the window.
    repeats: bool,
}

impl CongestionEvent {
    /// Called when a loss or a timeout reduces the window. `high` is the number of the next new packet.
    pub fn begin(&mut self, high: u64) {
        if self.end != Some(high) {
            self.end_before = self.end.replace(high);
        }
        (self.is_cwr, self.repeats) = (false, false);
    }

    /// Called when a mark, or a packet that the host's own interface refused, reduces the window: nothing is repaired.
    pub fn begin_without_loss(&mut self, high: u64) {
        self.begin(high);
        (self.is_cwr, self.end_without_loss) = (true, high);
    }

    /// Called when a recovery begins for the loss of packet `number`. Returns whether the loss belongs to the event
    /// that a mark began, so that the window has been reduced for it.
    pub fn takes_in(&mut self, number: u64) -> bool {
        self.repeats = number < self.end_without_loss;
        self.is_cwr &= !self.repeats;
        self.repeats
    }

    /// Called when a recovery has ended. Returns whether it repaired losses for which a mark had already reduced the
    /// window.
    pub fn end_recovery(&mut self) -> bool {
        std::mem::take(&mut self.repeats)
    }

    /// Returns whether a mark echoed now belongs to the last event, because no packet sent after its reduction is
    /// acknowledged yet. `acked_to` is the first unacknowledged packet, or one past the highest acknowledged packet
    /// if no number is used twice.
    pub fn covers_mark(&self, acked_to: u64) -> bool {
        self.end.is_some_and(|end| acked_to <= end)
    }

    /// Called at an acknowledgement; `acked_to` is as in [`Self::covers_mark`]. Ends the state CWR when a packet
    /// sent after the reduction is acknowledged. Linux waits for that packet too, because it tells the receiver of
    /// the reduction (`tcp_fastretrans_alert`).
    pub fn on_ack(&mut self, acked_to: u64) {
        self.is_cwr &= self.covers_mark(acked_to);
    }

    /// Returns whether the state is CWR: a mark or a refused packet has reduced the window, no packet sent since is
    /// acknowledged, and no loss is being repaired.
    #[inline]
    pub fn is_cwr(&self) -> bool {
        self.is_cwr
    }

    /// Called when the losses of the last event prove to be none, and a mark justifies its reduction: losses that are found
    /// in its window from now on belong to it.
    pub fn leave_to_mark(&mut self) {
        self.end_without_loss = self.end.unwrap_or(0);
    }

    /// Called when the last reduction is undone: a mark echoed now is a reason of its own, unless the event before
    /// covers it.
    pub fn undo(&mut self) {
        let of_mark = (self.end_without_loss > 0).then_some(self.end_without_loss);
        (self.end, self.is_cwr, self.repeats) = (self.end_before.max(of_mark), false, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    //= test RFC 9002 section 7.3.2 marks
    #[test]
    fn losses_of_packets_sent_before_a_mark_was_heard_of_belong_to_its_event() {
        // Packets 0 to 9 are sent when the mark reduces the window: the loss of 9 takes nothing more, that of 10 does.
        let mut event = CongestionEvent::default();
        assert!(!event.takes_in(3), "no mark before");
        event.begin_without_loss(10);
        assert!(event.is_cwr());
        assert!(event.takes_in(9) && !event.is_cwr(), "recovery follows");
        assert!(event.end_recovery() && !event.end_recovery());
        assert!(!event.takes_in(10));
    }

    #[test]
    fn the_event_of_a_mark_lasts_until_the_next_packet_is_acknowledged() {
        let mut event = CongestionEvent::default();
        assert!(!event.covers_mark(0), "before a reduction every mark is new");
        event.begin_without_loss(10);
        event.on_ack(10);
        assert!(
            event.is_cwr() && event.covers_mark(10),
            "packet 10, sent after the reduction, is not acknowledged"
        );
        event.on_ack(11);
        assert!(!event.is_cwr() && !event.covers_mark(11));
    }

    #[test]
    fn after_a_loss_there_is_no_state_cwr_and_a_mark_of_its_window_is_old_unless_the_loss_is_undone() {
        let mut event = CongestionEvent::default();
        event.begin(10);
        assert!(event.covers_mark(10) && !event.is_cwr());
        event.undo();
        assert!(!event.covers_mark(5));
        // A mark reduces the window when packets up to 4 have been sent. The timeout that follows is undone.
        for high in [5, 10] {
            event.begin_without_loss(5);
            event.begin(high);
            event.undo();
            assert!(event.covers_mark(5) && !event.covers_mark(6));
        }
    }
}
