//! Whether the pipe is full: three rounds in which the delivery rate has grown by less than a quarter
//! (draft-ietf-ccwg-bbr section 5.3.1.2).

const GROWTH: f64 = 1.25;
const ROUNDS: u32 = 3;

/// The estimator.
#[derive(Clone, Copy, Debug, Default)]
pub struct FullPipe {
    rate: f64,
    rounds: u32,
    /// `full_bw_now`: since it was last [reset](Self::reset).
    pub now: bool,
    /// `full_bw_reached`: ever, so that Startup is over.
    pub reached: bool,
}

impl FullPipe {
    /// Takes in the rate, in packets per second, of a sample that ends a round and was not limited by the application.
    pub fn take(&mut self, rate: f64) {
        if self.now {
            return;
        }
        if rate >= GROWTH * self.rate {
            self.reset(rate);
            return;
        }
        self.rounds += 1;
        if self.rounds == ROUNDS {
            self.now = true;
            self.reached = true;
        }
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
