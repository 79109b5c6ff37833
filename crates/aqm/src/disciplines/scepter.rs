//! Scepter (Jain 2003 chapter 5): a policer that treats the empty part of a token bucket as a queue, predicts
//! it, and drops at random before the bucket is empty, so that the level of the tokens stays constant and the
//! traffic passes at their rate.
//!
//! The thesis proposes it without running it, and gives no values. Those of its predictor and its drop law
//! are the values of chapter 2 for the same predictor and the same law, because the thesis wants them
//! "exactly as in APACE". Additions to the thesis are chosen by name: the laws `pi-squared` and
//! `pid-squared`, a bucket of one round trip, levels in bytes, marks.

mod forecast;
mod law;
mod parameters;
mod pi_squared;
mod pid_squared;
#[cfg(test)]
mod tests;

pub use parameters::{DropLaw, Exceeding, Parameters};

use crate::discipline::{Arrival, Backlog, Capacity, Discipline, LinkRate, Verdict};
use crate::entry::{Entry, Queueing, Service, queue};
use crate::tokens::Bucket;
use ackclock_base::{Random, Span, Time};
use forecast::Forecast;
use pi_squared::PiSquared;
use pid_squared::PidSquared;

/// The discipline's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &queue(
        "scepter",
        "A policer that drops packets at random before its token bucket is empty, with a probability computed from the \
         token level (with most laws, from the predicted level)",
        "Jain 2003 chapter 5",
        Parameters::TABLE,
    ),
    build: |values, capacity, link| Queueing::at_arrival(Scepter::new(values.into(), capacity, link)),
    service: Service::IN_ORDER,
};

/// The controller that computes a drop probability from the level.
#[derive(Clone, Debug)]
enum Control {
    Forecast(Box<Forecast>),
    PiSquared(PiSquared),
    PidSquared(PidSquared),
}

/// A bucket, and a controller that drops packets before it is empty.
#[derive(Clone, Debug)]
pub struct Scepter {
    bucket: Bucket,
    control: Control,
    ecn: bool,
    exceeding: Exceeding,
    capacity: Capacity,
    probability: f64,
}

impl Scepter {
    /// Creates the policer with a full bucket, in front of a link with this rate.
    pub fn new(parameters: Parameters, capacity: Capacity, link: &LinkRate) -> Self {
        let bucket = parameters.bucket(link.rate);
        let depth = bucket.depth_bytes();
        let control = match parameters.law {
            DropLaw::PiSquared => Control::PiSquared(PiSquared::new(&parameters, bucket.rate(), depth)),
            DropLaw::PidSquared => Control::PidSquared(PidSquared::new(&parameters, bucket.rate(), depth)),
            _ => Control::Forecast(Box::new(Forecast::new(&parameters, depth, link.mean_packet_bytes))),
        };
        Self {
            bucket,
            control,
            ecn: parameters.ecn,
            exceeding: parameters.exceeding,
            capacity,
            probability: 0.0,
        }
    }
}

impl Scepter {
    /// Returns whether packets that find no tokens count for the controller too.
    const fn counts_demand(&self) -> bool {
        matches!(self.control, Control::PidSquared(_))
    }
}

impl Discipline for Scepter {
    fn on_arrival(&mut self, arrival: &Arrival, backlog: &Backlog, random: &mut dyn Random) -> Verdict {
        let before = self.bucket.level_bytes();
        self.bucket.refill(arrival.now);
        if let Control::Forecast(forecast) = &mut self.control {
            self.probability = forecast.probability(before, self.bucket.level_bytes());
        }
        let has_room = self.capacity.admits(arrival.bytes, backlog);
        let fits = self.bucket.holds(arrival.bytes) && has_room;
        let early =
            self.probability > 0.0 && (fits || self.counts_demand()) && random.uniform() < self.probability;
        let dropped = early && !(self.ecn && arrival.ecn.is_capable());
        if let Control::PidSquared(controller) = &mut self.control
            && !dropped
        {
            controller.demand(arrival.bytes);
        }
        if dropped || !has_room {
            return Verdict::Drop;
        }
        if !fits {
            let out = self.exceeding == Exceeding::Mark && self.ecn && arrival.ecn.is_capable();
            return if out { Verdict::Mark } else { Verdict::Drop };
        }
        self.bucket.take(arrival.bytes);
        if early { Verdict::Mark } else { Verdict::Admit }
    }

    fn period(&self) -> Option<Span> {
        match &self.control {
            Control::Forecast(_) => None,
            Control::PiSquared(controller) => Some(controller.period()),
            Control::PidSquared(controller) => Some(controller.period()),
        }
    }

    fn on_period(&mut self, now: Time, _backlog: &Backlog) {
        self.bucket.refill(now);
        let missing_s = self.bucket.missing_s();
        self.probability = match &mut self.control {
            Control::Forecast(_) => return,
            Control::PiSquared(controller) => controller.update(missing_s),
            Control::PidSquared(controller) => controller.update(missing_s),
        };
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        self.bucket.publish(series);
        if let Control::Forecast(forecast) = &self.control {
            series("predicted_tokens_bytes", forecast.predicted_tokens());
        }
        series("drop_probability", self.probability);
    }
}
