//! Estimates how many more packets are acknowledged at once than the bandwidth explains, because the path
//! holds acknowledgements back (draft-ietf-ccwg-bbr section 5.5.9; in BBRv1 since Linux 5.1). Without room
//! for them in the window the path would be idle until the next batch arrives.

use super::recent_max::RecentMax;
use crate::control::Ack;
use ackclock_base::{Packets, Time, at_least, at_most};

/// The greatest excess of the last rounds, and the measurement in progress.
#[derive(Clone, Copy, Debug, Default)]
pub struct Aggregation {
    /// `extra_acked_interval_start`: when the measurement in progress began; `None` before the first
    /// acknowledgement.
    since: Option<Time>,
    /// `extra_acked_delivered`: the packets delivered since `since`.
    delivered: Packets,
    greatest: RecentMax,
}

impl Aggregation {
    /// Updates the excess at an acknowledgement in round `round`, if `bandwidth` packets per second are
    /// expected. The greatest of the last `window` rounds counts; a sample is at most `cwnd`.
    pub fn take(&mut self, ack: &Ack, bandwidth: f64, cwnd: Packets, round: u64, window: usize) {
        let since = *self.since.get_or_insert(ack.now);
        let mut expected = bandwidth * ack.now.since(since).seconds();
        if self.delivered <= expected {
            self.begin(ack.now);
            expected = 0.0;
        }
        self.delivered += ack.newly_acked;
        //= draft-ietf-ccwg-bbr section 5.5.9: the window includes the data acknowledged in excess of the estimated bandwidth
        let extra = at_least(at_most(self.delivered - expected, cwnd), 0.0);
        self.greatest.take(extra, round, window);
    }

    /// Returns the greatest excess, `extra_acked`, in packets.
    pub fn extra(&self) -> Packets {
        self.greatest.get()
    }

    /// Restarts the measurement at `now`. After a pause the draft resets only the time. This also forgets
    /// what was delivered, as Linux does; otherwise a batch from before the pause would count as excess for
    /// ever.
    pub fn begin(&mut self, now: Time) {
        (self.since, self.delivered) = (Some(now), 0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::ack_at;
    use ackclock_base::Span;

    //= test draft-ietf-ccwg-bbr section 5.5.9
    #[test]
    fn a_batch_is_excess_beyond_what_the_bandwidth_explains() {
        // 1,250 packets a second in batches of 25 every 20 ms: 25 packets are expected between two batches,
        // so each batch restarts the measurement and is an excess of 25. A batch of 40 comes 4 ms later: 5
        // were expected and 65 have arrived.
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
