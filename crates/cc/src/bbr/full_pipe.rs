//! Detects when the pipe is full: three rounds in which the delivery rate grows by less than a quarter
//! (draft-ietf-ccwg-bbr section 5.3.1.2).

use ackclock_base::{Range, parameters};

parameters! {
    /// The condition under which the pipe counts as full.
    pub struct Criterion {
        /// Factor by which the delivery rate must exceed its baseline for a round to count as growth; the rate of a
        /// round that counts as growth is the new baseline
        full_pipe_growth: f64 = number(
            "1.25",
            Range::between(1.0, 4.0),
            "BBRv3 draft, section 5.3.1.2: growth by 25 %; Linux",
        ),
        /// Number of consecutive rounds without growth by `full_pipe_growth` after which the pipe counts as full
        full_pipe_rounds: u32 = integer("3", Range::between(1.0, 100.0), "BBRv3 draft, section 5.3.1.2; Linux"),
    }
}

/// The estimator of whether the pipe is full.
#[derive(Clone, Copy, Debug)]
pub struct FullPipe {
    criterion: Criterion,
    rate: f64,
    rounds: u32,
    /// `full_bw_now`: whether the pipe has been found full since the last [reset](Self::reset).
    pub now: bool,
    /// `full_bw_reached`: whether the pipe has ever been found full, so that Startup is over.
    pub reached: bool,
}

impl FullPipe {
    /// Creates the estimator, with nothing known about the pipe.
    pub fn new(criterion: Criterion) -> Self {
        Self { criterion, rate: 0.0, rounds: 0, now: false, reached: false }
    }

    //= draft-ietf-ccwg-bbr section 5.3.1.2: the pipe is full after three rounds in which the bandwidth grew by less than a quarter
    /// Updates the estimate with the rate, in packets per second, of a sample that ends a round and was not
    /// limited by the application.
    pub fn take(&mut self, rate: f64) {
        if self.now {
            return;
        }
        if rate >= self.criterion.full_pipe_growth * self.rate {
            self.reset(rate);
            return;
        }
        self.rounds += 1;
        if self.rounds >= self.criterion.full_pipe_rounds {
            self.call_full();
        }
    }

    /// Declares the pipe full for another reason than the growth of the rate.
    pub fn call_full(&mut self) {
        (self.now, self.reached) = (true, true);
    }

    /// Returns `full_bw_count`, the number of rounds without growth so far.
    pub fn rounds(&self) -> u32 {
        self.rounds
    }

    /// Restarts the search with `rate`, in packets per second, as the reference.
    pub fn reset(&mut self, rate: f64) {
        (self.rate, self.rounds, self.now) = (rate, 0, false);
    }
}
