//! How much more is acknowledged at once than the bandwidth explains, because something on the path holds acknowledgements
//! back (draft-ietf-ccwg-bbr section 5.5.9; in BBRv1 since Linux 5.1). A window without room for it would leave the path
//! idle until the next batch comes.

use super::recent_max::RecentMax;
use crate::control::Ack;
use ackclock_base::{Packets, Time, at_least, at_most};

/// The excess, and its greatest value of late.
#[derive(Clone, Copy, Debug, Default)]
pub struct Aggregation {
    /// `extra_acked_interval_start`; nothing before the first acknowledgement.
    since: Option<Time>,
    /// `extra_acked_delivered`.
    delivered: Packets,
    greatest: RecentMax,
}

impl Aggregation {
    /// Takes an acknowledgement in, of this round; packets are expected at `bandwidth` a second.
    pub fn take(&mut self, ack: &Ack, bandwidth: f64, cwnd: Packets, round: u64, window: usize) {
        let since = *self.since.get_or_insert(ack.now);
        let mut expected = bandwidth * ack.now.since(since).seconds();
        if self.delivered <= expected {
            self.begin(ack.now);
            expected = 0.0;
        }
        self.delivered += ack.newly_acked;
        let extra = at_least(at_most(self.delivered - expected, cwnd), 0.0);
        self.greatest.take(extra, round, window);
    }

    /// `extra_acked`.
    pub fn extra(&self) -> Packets {
        self.greatest.get()
    }

    /// Nothing is expected before now. After a pause the draft sets the time alone; Linux forgets what was delivered too, as is
    /// done here, or what a batch before the pause has brought would be extra for ever.
    pub fn begin(&mut self, now: Time) {
        (self.since, self.delivered) = (Some(now), 0.0);
    }

    /// Packets have changed their size.
    pub fn scale(&mut self, factor: f64) {
        self.delivered *= factor;
        self.greatest.scale(factor);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::ack_at;
    use ackclock_base::Span;

    #[test]
    fn a_batch_is_extra_by_what_the_bandwidth_does_not_explain() {
        // 1,250 packets a second in batches of 25, one each 20 ms: at a batch 25 were expected since the one before, so each
        // begins anew, and stands out by itself. A batch of 40 that comes 4 ms later: 5 are expected, 65 are there.
        let mut aggregation = Aggregation::default();
        let batch = |ms, newly_acked| {
            let now = Time::from_seconds(5.0) + Span::from_millis(ms);
            Ack { newly_acked, ..ack_at(now, 0, 0.0) }
        };
        for ms in [0, 20, 40] {
            aggregation.take(&batch(ms, 25.0), 1250.0, 100.0, 1, 10);
            assert_eq!(aggregation.extra(), 25.0);
        }
        aggregation.take(&batch(44, 40.0), 1250.0, 100.0, 1, 10);
        assert!((aggregation.extra() - 60.0).abs() < 1e-9);
        aggregation.take(&batch(45, 90.0), 1250.0, 100.0, 1, 10);
        assert_eq!(aggregation.extra(), 100.0, "no more than the window");
        aggregation.take(&batch(1000, 1.0), 1250.0, 100.0, 11, 10);
        assert_eq!(aggregation.extra(), 1.0, "ten rounds later");
    }
}
