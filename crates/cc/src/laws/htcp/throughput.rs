//! The throughput that an H-TCP flow reaches before a loss: whether conditions are what they were.

use crate::classic::Window;
use crate::control::Ack;
use ackclock_base::Time;

/// LTCP-RC thesis equation 1.4: a throughput that differs by more than this says that conditions have changed.
const STEADY: f64 = 0.2;

/// The throughput before a loss, as Linux's measure_achieved_throughput has it.
#[derive(Clone, Debug, Default)]
pub struct Throughput {
    since: Time,
    packets: f64,
    smoothed: f64,
    /// The greatest since the last loss, and up to the loss before, in packets per second.
    greatest: f64,
    before: f64,
}

impl Throughput {
    /// Counts an acknowledgement; `fresh` until three round trips after a loss.
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

    /// Starts over: what was counted so far does not tell.
    pub fn restart(&mut self, now: Time) {
        (self.since, self.packets) = (now, 0.0);
    }

    /// Forgets the loss before.
    pub fn forget(&mut self) {
        self.before = 0.0;
    }

    /// The greatest since the last loss, in packets per second.
    pub fn greatest(&self) -> f64 {
        self.greatest
    }

    /// Whether it is what it was at the last loss; called at a loss.
    pub fn is_steady(&mut self) -> bool {
        let steady = self.before > 0.0 && (self.greatest - self.before).abs() <= STEADY * self.before;
        self.before = self.greatest;
        steady
    }
}
