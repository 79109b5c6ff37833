//! The throughput that an H-TCP flow reached before a loss, which shows whether conditions have changed.

use crate::classic::Window;
use crate::control::Ack;
use ackclock_base::Time;

/// LTCP-RC thesis equation 1.4: conditions have changed if the throughput differs by more than this share.
const STEADY: f64 = 0.2;

/// The throughput before a loss, measured as by Linux's measure_achieved_throughput.
#[derive(Clone, Debug, Default)]
pub struct Throughput {
    since: Time,
    packets: f64,
    smoothed: f64,
    /// The greatest throughput since the last loss, and the greatest up to the loss before, in packets per
    /// second.
    greatest: f64,
    before: f64,
}

impl Throughput {
    /// Counts an acknowledgement. `fresh` is true until three round trips after a loss, and makes each sample
    /// replace the average.
    pub fn count(&mut self, ack: &Ack, window: &Window, min_rtt: f64, fresh: bool) {
        self.packets += ack.newly_acked;
        let elapsed = ack.now.since(self.since).seconds();
        if self.packets < window.cwnd - 1.0 || elapsed < min_rtt || elapsed <= 0.0 {
            return;
        }
        let sample = self.packets / elapsed;
        self.smoothed = if fresh { sample } else { (3.0 * self.smoothed + sample) / 4.0 };
        self.greatest = if fresh { sample } else { self.greatest.max(self.smoothed) };
        self.restart(ack.now);
    }

    /// Restarts the count at `now` and drops what was counted so far.
    pub fn restart(&mut self, now: Time) {
        (self.since, self.packets) = (now, 0.0);
    }

    /// Forgets the throughput at the loss before.
    pub fn forget(&mut self) {
        self.before = 0.0;
    }

    /// Returns the greatest throughput since the last loss, in packets per second.
    pub fn greatest(&self) -> f64 {
        self.greatest
    }

    /// Returns whether the throughput is within 20 % of that at the last loss. Called at a loss; the
    /// throughput becomes the reference for the next.
    pub fn is_steady(&mut self) -> bool {
        let steady = self.before > 0.0 && (self.greatest - self.before).abs() <= STEADY * self.before;
        self.before = self.greatest;
        steady
    }
}
