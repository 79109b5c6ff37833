//! Whether the pipe is full: three rounds in which the delivery rate has grown by less than a quarter
//! (draft-ietf-ccwg-bbr section 5.3.1.2).

use ackclock_base::{Range, parameters};

parameters! {
    /// When the pipe is called full.
    pub struct Criterion {
        /// What a round's delivery rate is at least to the one before while the pipe is not full
        full_pipe_growth: f64 = number("1.25", Range::between(1.0, 4.0), "section 5.3.1.2: 25 % more; Linux"),
        /// Rounds without such growth after which the pipe is full
        full_pipe_rounds: u32 = integer("3", Range::between(1.0, 100.0), "section 5.3.1.2; Linux"),
    }
}

/// The estimator.
#[derive(Clone, Copy, Debug)]
pub struct FullPipe {
    criterion: Criterion,
    rate: f64,
    rounds: u32,
    /// `full_bw_now`: since it was last [reset](Self::reset).
    pub now: bool,
    /// `full_bw_reached`: ever, so that Startup is over.
    pub reached: bool,
}

impl FullPipe {
    /// Nothing is known of the pipe.
    pub fn new(criterion: Criterion) -> Self {
        Self { criterion, rate: 0.0, rounds: 0, now: false, reached: false }
    }

    /// Takes in the rate, in packets per second, of a sample that ends a round and was not limited by the application.
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

    /// It is full for another reason.
    pub fn call_full(&mut self) {
        (self.now, self.reached) = (true, true);
    }

    /// `full_bw_count`: rounds without growth so far.
    pub fn rounds(&self) -> u32 {
        self.rounds
    }

    /// Starts looking anew, from this rate.
    pub fn reset(&mut self, rate: f64) {
        (self.rate, self.rounds, self.now) = (rate, 0, false);
    }

    /// Packets have changed their size.
    pub fn scale(&mut self, factor: f64) {
        self.rate *= factor;
    }
}
