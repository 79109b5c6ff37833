//! The parameters of Scepter: the thesis's laws with their values, and additions that make it a usable
//! policer.

use crate::entry::ECN;
use crate::nlms::{BOUNDED, Update};
use crate::tokens::{BURST, Bucket, RATE};
use ackclock_base::{Range, Rate, Size, Span, choice, parameters};

choice! {
    /// The depth of the bucket.
    pub enum Depth {
        /// The burst.
        Burst = "burst",
        /// The tokens of a round trip: one bandwidth-delay product.
        RoundTrip = "round-trip",
    }
}

choice! {
    /// The law that computes a drop probability from the level.
    pub enum DropLaw {
        /// Scepter-I: the level has no target.
        Free = "free",
        /// Scepter-T, with the tokens that will be taken within the horizon as T_predicted.
        TargetDemand = "target-demand",
        /// Scepter-T, with the predicted level compared with the target.
        TargetLevel = "target-level",
        /// Scepter-T, with the mean of the present and the predicted level compared with the target.
        TargetMeanLevel = "target-mean-level",
        /// Scepter-T, equation 5.1 to the letter.
        TargetLiteral = "target-literal",
        /// PI squared, on the present level.
        PiSquared = "pi-squared",
        /// PID squared, on the present level.
        PidSquared = "pid-squared",
    }
}

choice! {
    /// The fate of a packet that finds no tokens. Letting it wait for tokens is the task of a shaper.
    pub enum Exceeding {
        /// It is dropped.
        Drop = "drop",
        /// It passes without tokens, with congestion experienced set, which stands for OUT. A packet that
        /// cannot be marked is dropped.
        Mark = "mark",
    }
}

choice! {
    /// The unit of the predicted level.
    pub enum Unit {
        /// Packets of the mean size.
        Packets = "packets",
        /// Bytes.
        Bytes = "bytes",
    }
}

parameters! {
    /// The bucket, the law over its level, and the predictor.
    pub struct Parameters {
        rate: Option<Rate> = RATE,
        burst: Size = BURST,
        /// Depth of the token bucket: `burst` (burst), or one bandwidth-delay product, `rate` times `round_trip`
        /// (round-trip)
        depth: Depth = choice(
            "burst",
            "burst: Jain 2003 section 5.1, sigma; round-trip: RFC 6349 section 3.2, the data that Reno keeps in flight \
             at the rate",
        ),
        /// Round-trip time from which the gains of the laws pi-squared and pid-squared and, if `depth` is round-trip,
        /// the depth of the bucket are computed
        round_trip: Span = time("100 ms", Range::between(1e-3, 10.0), "RFC 9332 appendix A.1, RTT_max"),
        /// Drop law: Scepter-I, without a target level (free); Scepter-T, with T_predicted of equation 5.1 interpreted
        /// as the tokens that the predicted traffic consumes (target-demand) or literally (target-literal), or with the
        /// target compared with the predicted level (target-level) or with the mean of the predicted and the present
        /// level (target-mean-level); or, without prediction, the squared output of a PI or PID controller (pi-squared,
        /// pid-squared)
        law: DropLaw = choice(
            "free",
            "Jain 2003 section 5.2, which considers Scepter-I the most promising and leaves T_predicted of Scepter-T \
             unclear. PI squared: De Schepper et al. 2016; PID squared: an extension of PI squared by this project",
        ),
        /// For the law free, drop probability as the predicted level approaches zero; for the target laws, drop
        /// probability per bucket depth by which the level is below the target
        max_probability: f64 = number(
            "0.2",
            Range::between(0.0, 1.0),
            "max_p of Jain 2003 section 2.4.2; chapter 5 specifies no value",
        ),
        /// For the law free: predicted empty share of the bucket up to which no packet is dropped early
        alpha: f64 = number(
            "0.3",
            Range::between(0.0, 1.0),
            "alpha of Jain 2003 section 2.4.2; chapter 5 specifies no value",
        ),
        /// For the target laws, pi-squared and pid-squared: desired level of tokens, as a share of the bucket's depth
        target: f64 = number(
            "0.5",
            Range::between(0.0, 1.0),
            "not in Jain 2003; half a bucket is farthest from an empty bucket, which drops bursts, and from a full \
             one, which loses tokens",
        ),
        /// Unit in which the token level is predicted: packets of mean size, as in APACE (packets), or bytes (bytes)
        unit: Unit = choice(
            "packets",
            "packets: Jain 2003 section 2.4.1; bytes: RFC 7141 section 2.1, no mean packet size is needed",
        ),
        /// Number of most recent samples of the token level from which the level is predicted (M)
        order: usize = integer("10", Range::between(1.0, 1000.0), "Jain 2003 table 2.1 and section 2.5"),
        /// Prediction horizon for the token level, in arrivals (N0)
        horizon: usize = integer("15", Range::between(1.0, 10_000.0), "Jain 2003 table 2.1 and section 2.5"),
        /// Learning rate of the predictor (mu0)
        step: f64 = number("0.01", Range::between(0.0, 2.0), "Jain 2003 table 2.1 and section 2.5"),
        /// Inputs of the predictor's weight update: the error of the prediction as it was made and the token levels
        /// that it used (delayed), the error that the current weights would have made and the token levels that the
        /// prediction used (current-weights), or the error of the prediction as it was made and the newest token levels
        /// (current-regressor)
        update: Update = choice("delayed", "Jain 2003 equations 2.2 and 2.3, which allow three interpretations"),
        bounded: bool = BOUNDED,
        /// Treatment of a packet that finds too few tokens: it is dropped (drop), or it is marked and passes without
        /// consuming tokens if `ecn` is on and the packet is ECN-capable, and is dropped otherwise (mark)
        exceeding: Exceeding = choice(
            "drop",
            "Jain 2003 section 5.1: a packet that finds too few tokens is dropped, marked OUT, or shaped",
        ),
        ecn: bool = ECN,
    }
}

impl Parameters {
    /// Returns the bucket of these parameters on a link of `link_rate`.
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
