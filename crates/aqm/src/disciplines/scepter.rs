//! Scepter (Jain 2003 chapter 5): a policer that treats the empty part of a token bucket as a queue, predicts it, and
//! drops at random before the bucket is empty, so that the level of the tokens stays where it is and the traffic passes
//! at their rate.
//!
//! The thesis proposes it and never ran it. It gives no values; those of its predictor and its drop law are the ones that
//! its chapter 2 uses for the same predictor and the same law, because it wants them "exactly as in APACE".

mod law;
#[cfg(test)]
mod tests;

use crate::discipline::{Arrival, Backlog, Capacity, Discipline, LinkRate, Verdict};
use crate::nlms::{Predictor, Update};
use crate::registry::{Entry, Queueing, Service, queue};
use crate::tokens::{BURST, Bucket, RATE};
use ackclock_base::{Parameter, Quantity, Random, Range, Values};
use law::{Law, Levels};

/// The discipline in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &queue(
        "scepter",
        "A policer that drops at random before its tokens run out, by their predicted level",
        "Jain 2003 chapter 5",
        PARAMETERS,
    ),
    build: |values, capacity, link| Queueing::at_arrival(Scepter::new(values, capacity, link)),
    service: Service::IN_ORDER,
};

/// What can be set.
pub const PARAMETERS: &[Parameter] = &[
    RATE,
    BURST,
    Parameter {
        name: "law",
        summary: "Scepter-I, whose level is free, or Scepter-T with its target and a reading of equation 5.1",
        quantity: Quantity::Choice(law::WORDS),
        default: "free",
        range: Range::ANY,
        source: "Jain 2003 section 5.2; it expects most of the first, and what T_predicted is in the second is unclear",
    },
    Parameter {
        name: "max_probability",
        summary: "Drop probability at which the law ends: with all tokens gone (free), or wanted and absent (target)",
        quantity: Quantity::Number,
        default: "0.2",
        range: Range::between(0.0, 1.0),
        source: "max_p of Jain 2003 section 2.4.2; chapter 5 gives none",
    },
    Parameter {
        name: "alpha",
        summary: "Of the free law: the share of the bucket that must be predicted to be empty before anything is dropped",
        quantity: Quantity::Number,
        default: "0.3",
        range: Range::between(0.0, 1.0),
        source: "Jain 2003 section 2.4.2, alpha; chapter 5 gives none",
    },
    Parameter {
        name: "target",
        summary: "Of the target laws: the wanted level as a share of the bucket",
        quantity: Quantity::Number,
        default: "0.5",
        range: Range::between(0.0, 1.0),
        source: "not given; half is farthest from both ends, the empty bucket that drops bursts and the full one that loses \
                 tokens",
    },
    Parameter {
        name: "order",
        summary: "How many past levels the predictor weighs: M",
        quantity: Quantity::Integer,
        default: "10",
        range: Range::between(1.0, 1000.0),
        source: "Jain 2003 table 2.1 and section 2.5",
    },
    Parameter {
        name: "horizon",
        summary: "How many arrivals ahead the level is predicted: N0",
        quantity: Quantity::Integer,
        default: "15",
        range: Range::between(1.0, 10_000.0),
        source: "Jain 2003 table 2.1 and section 2.5",
    },
    Parameter {
        name: "step",
        summary: "How fast the predictor learns: mu0",
        quantity: Quantity::Number,
        default: "0.01",
        range: Range::between(0.0, 2.0),
        source: "Jain 2003 table 2.1 and section 2.5",
    },
    Parameter {
        name: "update",
        summary: "Which error and which levels the predictor learns from",
        quantity: Quantity::Choice(Update::WORDS),
        default: "delayed",
        range: Range::ANY,
        source: "Jain 2003 equations 2.2 and 2.3, whose indices leave it open",
    },
    Parameter {
        name: "ecn",
        summary: "Whether packets that can be marked are marked instead of dropped while there are tokens for them",
        quantity: Quantity::Flag,
        default: "false",
        range: Range::ANY,
        source: "RFC 3168 section 5; the thesis drops",
    },
];

/// The policer.
#[derive(Clone, Debug)]
pub struct Scepter {
    bucket: Bucket,
    predictor: Predictor,
    law: Law,
    horizon: f64,
    ecn: bool,
    capacity: Capacity,
    /// The empty part of the bucket is predicted in packets of this size, as APACE predicts its queue in packets.
    packet_bytes: f64,
    /// Tokens kept between two arrivals, averaged over about a horizon.
    kept_per_arrival: f64,
    predicted_tokens: f64,
    probability: f64,
}

impl Scepter {
    /// From the registered parameters.
    pub fn new(values: &Values, capacity: Capacity, link: &LinkRate) -> Self {
        let bucket = Bucket::new(values, link.rate);
        let (order, horizon) = (values.integer("order") as usize, values.integer("horizon") as usize);
        let update = Update::named(values.choice("update"));
        Self {
            predictor: Predictor::new(order, horizon, values.number("step"), update),
            law: Law::new(values, bucket.depth_bytes()),
            horizon: horizon as f64,
            ecn: values.flag("ecn"),
            capacity,
            packet_bytes: f64::from(link.mean_packet_bytes),
            kept_per_arrival: 0.0,
            predicted_tokens: bucket.depth_bytes(),
            probability: 0.0,
            bucket,
        }
    }

    /// Sees the level that an arrival finds, and says with what probability to drop it.
    fn look(&mut self, arrival: &Arrival) -> f64 {
        let before = self.bucket.level_bytes();
        self.bucket.refill(arrival.now);
        let tokens = self.bucket.level_bytes();
        self.kept_per_arrival += (tokens - before - self.kept_per_arrival) / self.horizon;
        let empty = (self.bucket.depth_bytes() - tokens) / self.packet_bytes;
        let predicted = self.bucket.depth_bytes() - self.predictor.observe(empty) * self.packet_bytes;
        // Too large a step lets the predictor diverge; then the level there is has to do.
        self.predicted_tokens = if predicted.is_finite() { predicted } else { tokens };
        self.law.probability(&Levels {
            tokens,
            predicted: self.predicted_tokens,
            // What is taken out is what the level falls by, and what comes in besides.
            demand: tokens - self.predicted_tokens + self.horizon * self.kept_per_arrival,
        })
    }
}

impl Discipline for Scepter {
    fn on_arrival(&mut self, arrival: &Arrival, backlog: &Backlog, random: &mut dyn Random) -> Verdict {
        self.probability = self.look(arrival);
        if !self.bucket.holds(arrival.bytes) || !self.capacity.admits(arrival.bytes, backlog) {
            return Verdict::Drop;
        }
        let early = self.probability > 0.0 && random.uniform() < self.probability;
        if early && !(self.ecn && arrival.ecn.is_capable()) {
            return Verdict::Drop;
        }
        self.bucket.take(arrival.bytes);
        if early { Verdict::Mark } else { Verdict::Admit }
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        self.bucket.publish(series);
        series("predicted_tokens_bytes", self.predicted_tokens);
        series("drop_probability", self.probability);
    }
}
