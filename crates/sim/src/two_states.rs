//! A good and a bad state that follow one another, each for an exponentially distributed time: Gilbert 1960, in continuous
//! time.

use crate::random::Stream;
use ackclock_base::{Random, Span, Time};

/// The states, and which of them it is now.
#[derive(Clone, Debug)]
pub struct TwoStates {
    mean_good_s: f64,
    mean_bad_s: f64,
    bad: bool,
    /// When the present state ends; `None` before the first question.
    until: Option<f64>,
}

/// So many changes of state between two questions, and the state at the second is as good as drawn afresh. Bounds the
/// work that nanosecond states and hours of silence could cause.
const MAX_CHANGES: u32 = 1000;

impl TwoStates {
    /// In the good state, with the mean lengths of the two in seconds.
    pub fn new(mean_good_s: f64, mean_bad_s: f64) -> Self {
        Self { mean_good_s, mean_bad_s, bad: false, until: None }
    }

    /// The same with lengths of time.
    pub fn lasting(good: Span, bad: Span) -> Self {
        Self::new(good.seconds(), bad.seconds())
    }

    fn mean_s(&self) -> f64 {
        if self.bad { self.mean_bad_s } else { self.mean_good_s }
    }

    /// Whether the state is bad at an instant. Instants are asked for in order.
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
