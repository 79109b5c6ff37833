//! What can be set of Scepter: the thesis's laws with their values, and beside them what makes a policer of the idea.

use crate::entry::ECN;
use crate::nlms::{BOUNDED, Update};
use crate::tokens::{BURST, Bucket, RATE};
use ackclock_base::{Range, Rate, Size, Span, choice, parameters};

choice! {
    /// How deep the bucket is.
    pub enum Depth {
        /// As deep as the burst.
        Burst = "burst",
        /// The tokens of a round trip: one bandwidth-delay product.
        RoundTrip = "round-trip",
    }
}

choice! {
    /// What makes a drop probability of the level.
    pub enum DropLaw {
        /// Scepter-I: the level is free.
        Free = "free",
        /// Scepter-T, with the tokens that will be taken within the horizon as T_predicted.
        TargetDemand = "target-demand",
        /// Scepter-T, with the predicted level compared with the target.
        TargetLevel = "target-level",
        /// Scepter-T, with the mean of the present and the predicted level compared with it.
        TargetMeanLevel = "target-mean-level",
        /// Scepter-T, equation 5.1 to the letter.
        TargetLiteral = "target-literal",
        /// PI squared, on the level as it is.
        PiSquared = "pi-squared",
        /// PID squared, on the level as it is.
        PidSquared = "pid-squared",
    }
}

choice! {
    /// What becomes of a packet that finds no tokens. To let it wait for them is what a shaper is for.
    pub enum Exceeding {
        /// It is dropped.
        Drop = "drop",
        /// It is let through without tokens, with congestion experienced set, which is what there is for OUT. What cannot be
        /// marked is dropped.
        Mark = "mark",
    }
}

choice! {
    /// What the level is predicted in.
    pub enum Unit {
        /// Packets of the mean size.
        Packets = "packets",
        /// Bytes.
        Bytes = "bytes",
    }
}

parameters! {
    /// The bucket, the law over its level, and what predicts the level.
    pub struct Parameters {
        rate: Option<Rate> = RATE,
        burst: Size = BURST,
        /// How deep the bucket is: burst, or the tokens of round_trip, one bandwidth-delay product
        depth: Depth = choice(
            "burst",
            "Jain 2003 section 5.1, sigma; the product as in RFC 6349 section 3.2, what Reno keeps in flight at the \
             rate",
        ),
        /// Round trip that depth and the gains of pi-squared and pid-squared are made for
        round_trip: Span = time("100 ms", Range::between(1e-3, 10.0), "RFC 9332 appendix A.1, RTT_max"),
        /// Scepter-I, whose level is free; Scepter-T with its target and a reading of equation 5.1; or PI or PID
        /// squared
        law: DropLaw = choice(
            "free",
            "Jain 2003 section 5.2; it expects most of the first, and what T_predicted is in the second is unclear. \
             PI squared: De Schepper et al. 2016; PID squared: of this project, after that",
        ),
        /// Drop probability at which the thesis's laws end: all tokens gone (free), or wanted and absent (target)
        max_probability: f64 = number(
            "0.2",
            Range::between(0.0, 1.0),
            "max_p of Jain 2003 section 2.4.2; chapter 5 gives none",
        ),
        /// Of the free law: the share of the bucket that must be predicted to be empty before anything is dropped
        alpha: f64 = number("0.3", Range::between(0.0, 1.0), "Jain 2003 section 2.4.2, alpha; chapter 5 gives none"),
        /// Of the target laws, pi-squared and pid-squared: the wanted level as a share of the bucket
        target: f64 = number(
            "0.5",
            Range::between(0.0, 1.0),
            "not given; half is farthest from both ends, the empty bucket that drops bursts and the full one that \
             loses tokens",
        ),
        /// What the level is predicted in: packets of the mean size, as APACE predicts its queue, or bytes
        unit: Unit = choice(
            "packets",
            "Jain 2003 section 2.4.1 counts packets; RFC 7141 section 2.1 would have bytes, which need no mean size",
        ),
        /// How many past levels the predictor weighs: M
        order: usize = integer("10", Range::between(1.0, 1000.0), "Jain 2003 table 2.1 and section 2.5"),
        /// How many arrivals ahead the level is predicted: N0
        horizon: usize = integer("15", Range::between(1.0, 10_000.0), "Jain 2003 table 2.1 and section 2.5"),
        /// How fast the predictor learns: mu0
        step: f64 = number("0.01", Range::between(0.0, 2.0), "Jain 2003 table 2.1 and section 2.5"),
        /// Which error and which levels the predictor learns from
        update: Update = choice("delayed", "Jain 2003 equations 2.2 and 2.3, whose indices leave it open"),
        bounded: bool = BOUNDED,
        /// What becomes of a packet that finds no tokens: dropped, or with ecn let through without any and marked where it can be
        exceeding: Exceeding = choice("drop", "Jain 2003 section 5.1: dropped, marked OUT, or shaped"),
        ecn: bool = ECN,
    }
}

impl Parameters {
    /// The bucket that they describe, on a link of `link_rate`.
    pub fn bucket(&self, link_rate: Rate) -> Bucket {
        let rate = self.rate.unwrap_or(link_rate);
        let burst = match self.depth {
            Depth::Burst => self.burst,
            Depth::RoundTrip => {
                Size::from_bytes((rate.bytes_per_second() * self.round_trip.seconds()).ceil() as u64)
            }
        };
        Bucket::full(rate, burst)
    }
}
