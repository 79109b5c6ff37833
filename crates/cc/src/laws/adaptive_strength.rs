//! The controller of A-TCP's strength k (Cho 2006 chapter IV section E). k grows while there is no queue and
//! is 1 while there is one. It stays 1 for a whole congestion epoch if the window at which the queue began to
//! build (the knee) has moved, which shows a competitor. A-TCP feeds it the round trips and the window of one
//! flow, A-TCP-P those of a group.

use ackclock_base::{Packets, Range, Time, parameters};

/// The valid weights of a new round trip in the smoothed one.
pub const GAINS: Range = Range { min: 0.0, max: 1.0, above_min: true };

parameters! {
    /// When the controller checks, and what it takes for a queue and for a competitor.
    pub struct Parameters {
        /// Time between two checks for a queue, as a multiple of the minimum smoothed round trip
        alpha: f64 = number("10", Range::at_least(0.0), "Cho 2006 section IV.E"),
        /// Time from a loss to the next check for a queue, as a multiple of the minimum smoothed round trip
        delta: f64 = number("10", Range::at_least(0.0), "Cho 2006 section IV.E"),
        /// Largest relative shift of the knee, the window at which a queue begins to build, that does not count as a
        /// sign of a competitor
        beta: f64 = number("0.1", Range::between(0.0, 1.0), "Cho 2006 section IV.E"),
        /// Smoothed round trip above which the control assumes a queue, as a position between its minimum (0) and
        /// maximum (1)
        gamma: f64 = number("0.2", Range::between(0.0, 1.0), "Cho 2006 section IV.D"),
        /// Weight of a new round trip in the smoothed round trip
        srtt_gain: f64 = number("0.125", GAINS, "Cho 2006 section IV.E: w = 1/8"),
        /// Whether k after a loss, the square root of k at the knee, is rounded down to a whole number
        whole_root: bool = flag(true, "Cho 2006 figures 29 and 32: k falls from 34 to 5, and from 11 to 3"),
        /// Whether k can rise only after the first loss; if not, it can rise once the window has reached the slow start
        /// threshold, too
        slow_start_needs_loss: bool = flag(true, "Cho 2006 algorithm 4, which runs only at a loss"),
    }
}

/// The controller: algorithm 3 for round trips, algorithm 4 for losses. Times are in seconds.
#[derive(Clone, Debug)]
pub struct Controller {
    parameters: Parameters,
    k: f64,
    knee_cwnd: Packets,
    knee_cwnd_ref: Packets,
    knee_k: f64,
    /// Whether k may grow, and the next knee's k is to be recorded.
    check_knee: bool,
    /// Whether the queue was low at the last check.
    low_delay: bool,
    /// Whether the initial slow start goes on for the controller. The first loss ends it; so does reaching the
    /// slow start threshold, unless `slow_start_needs_loss` is set. Cho uses this variable without giving its
    /// initial value.
    first: bool,
    /// The smoothed round trip; zero before the first. If it started from zero, as listed for groups, its
    /// minimum would mean nothing.
    srtt: f64,
    srtt_least: f64,
    srtt_most: f64,
    modified: Time,
    wait: f64,
}

impl Controller {
    /// Creates the controller before the first round trip.
    pub fn new(parameters: Parameters) -> Self {
        Self {
            parameters,
            k: 1.0,
            knee_cwnd: 0.0,
            knee_cwnd_ref: 0.0,
            knee_k: 0.0,
            check_knee: false,
            low_delay: false,
            first: true,
            srtt: 0.0,
            srtt_least: f64::INFINITY,
            srtt_most: 0.0,
            modified: Time::ZERO,
            wait: 0.0,
        }
    }

    /// Returns the strength k.
    pub fn k(&self) -> f64 {
        self.k
    }

    /// Returns the minimum smoothed round trip, in seconds; infinite before the first sample.
    pub fn srtt_least(&self) -> f64 {
        self.srtt_least
    }

    /// Returns the weight of a new round trip in the smoothed one.
    pub fn srtt_gain(&self) -> f64 {
        self.parameters.srtt_gain
    }

    /// Runs algorithm 3 for the round trip, in seconds, of an acknowledgement of new data.
    pub fn on_rtt(&mut self, now: Time, rtt: f64, cwnd: Packets) {
        let gain = self.parameters.srtt_gain;
        self.srtt = if self.srtt == 0.0 { rtt } else { (1.0 - gain) * self.srtt + gain * rtt };
        self.srtt_most = self.srtt_most.max(self.srtt);
        self.srtt_least = self.srtt_least.min(self.srtt);
        if now.since(self.modified).seconds() <= self.wait {
            return;
        }
        if self.srtt <= self.srtt_least + self.parameters.gamma * (self.srtt_most - self.srtt_least) {
            if self.check_knee && self.knee_cwnd_ref == self.knee_cwnd {
                self.k += 1.0;
            }
            self.low_delay = true;
        } else {
            if self.low_delay {
                self.on_knee(cwnd);
            }
            self.k = 1.0;
        }
        self.modified = now;
        self.wait = self.parameters.alpha * self.srtt_least;
    }

    /// Records the knee: the queue has begun to build (lines 10 to 20).
    fn on_knee(&mut self, cwnd: Packets) {
        self.knee_cwnd = cwnd;
        let beta = self.parameters.beta;
        let known = (1.0 - beta) * self.knee_cwnd_ref..=(1.0 + beta) * self.knee_cwnd_ref;
        if self.knee_cwnd_ref == 0.0 || known.contains(&cwnd) {
            self.knee_cwnd_ref = cwnd;
        }
        if self.check_knee {
            self.knee_k = self.k;
        }
        self.check_knee = false;
        self.low_delay = false;
    }

    /// Runs algorithm 4; called before the window is cut with the strength that it sets.
    pub fn on_loss(&mut self, now: Time) {
        if self.first {
            (self.k, self.knee_k) = (1.0, 1.0);
            (self.knee_cwnd, self.knee_cwnd_ref) = (0.0, 0.0);
            self.first = false;
        } else if self.knee_cwnd_ref == self.knee_cwnd {
            let root = libm::sqrt(self.knee_k);
            self.k = if self.parameters.whole_root { libm::floor(root) } else { root }.max(1.0);
            self.srtt_most = self.srtt_least; // to be learnt anew
        } else {
            // Resetting the knee as well would make both zero, hence equal, and the next epoch aggressive.
            (self.k, self.knee_k, self.knee_cwnd_ref) = (1.0, 1.0, 0.0);
        }
        self.check_knee = true;
        self.low_delay = false;
        self.modified = now;
        // A loss before any round trip is known: the controller need not wait.
        self.wait = if self.srtt_least.is_finite() { self.parameters.delta * self.srtt_least } else { 0.0 };
    }

    /// Called while the window is at or above the slow start threshold. Ends the first slow start as a loss
    /// does, unless `slow_start_needs_loss` is set.
    pub fn on_threshold(&mut self, now: Time) {
        if self.first && !self.parameters.slow_start_needs_loss {
            self.on_loss(now);
        }
    }

    /// Publishes internal values. For a group, the windows are sums over the group.
    pub fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("k", self.k);
        series("knee_k", self.knee_k);
        series("knee_cwnd_packets", self.knee_cwnd);
        series("knee_cwnd_ref_packets", self.knee_cwnd_ref);
        series("srtt_s", self.srtt);
        let threshold = self.srtt_least + self.parameters.gamma * (self.srtt_most - self.srtt_least);
        series("srtt_threshold_s", if self.srtt_least.is_finite() { threshold } else { f64::NAN });
    }
}

#[cfg(test)]
mod tests;
