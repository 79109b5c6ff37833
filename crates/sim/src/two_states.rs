//! A good and a bad state that alternate, each for an exponentially distributed time: the model of Gilbert
//! 1960 in continuous time.

use crate::random::Stream;
use ackclock_base::{Random, Span, Time};

/// The two states, and the present one.
#[derive(Clone, Debug)]
pub struct TwoStates {
    mean_good_s: f64,
    mean_bad_s: f64,
    bad: bool,
    /// The end of the present state, in seconds since the beginning of the run; `None` before the first call.
    until: Option<f64>,
}

/// The number of state changes between two calls after which the state is as good as drawn anew. It limits
/// the work that states of nanoseconds and hours between two calls could cause.
const MAX_CHANGES: u32 = 1000;

impl TwoStates {
    /// Creates the states, beginning in the good one, with their mean durations in seconds.
    pub fn new(mean_good_s: f64, mean_bad_s: f64) -> Self {
        Self { mean_good_s, mean_bad_s, bad: false, until: None }
    }

    /// Creates the states, beginning in the good one, with their mean durations.
    pub fn lasting(good: Span, bad: Span) -> Self {
        Self::new(good.seconds(), bad.seconds())
    }

    fn mean_s(&self) -> f64 {
        if self.bad { self.mean_bad_s } else { self.mean_good_s }
    }

    /// Returns whether the state is bad at `now`. Calls must be in order of time.
    pub fn is_bad(&mut self, now: Time, random: &mut Stream) -> bool {
        let now = now.seconds();
        let mut until = self.until.unwrap_or_else(|| random.exponential(self.mean_s()));
        let mut changes = 0;
        while until <= now {
            self.bad = !self.bad;
            until += random.exponential(self.mean_s());
            changes += 1;
            if changes == MAX_CHANGES {
                self.bad = random.uniform() * (self.mean_good_s + self.mean_bad_s) < self.mean_bad_s;
                until = now + random.exponential(self.mean_s());
            }
        }
        self.until = Some(until);
        self.bad
    }
}
