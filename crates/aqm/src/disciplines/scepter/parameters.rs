//! What can be set of Scepter: the thesis's laws with their values, and beside them what makes a policer of the idea.

use super::law;
use crate::nlms::{BOUNDED, Update};
use crate::registry::ECN;
use crate::tokens::{BURST, Bucket, RATE};
use ackclock_base::{Parameter, Quantity, Range, Rate, Size, Values};

/// What can be set.
pub const PARAMETERS: &[Parameter] = &[
    RATE,
    BURST,
    Parameter {
        name: "depth",
        summary: "How deep the bucket is: burst, or the tokens of round_trip, one bandwidth-delay product",
        quantity: Quantity::Choice(&["burst", "round-trip"]),
        default: "burst",
        range: Range::ANY,
        source: "Jain 2003 section 5.1, sigma; the product as in RFC 6349 section 3.2, what Reno keeps in flight at the rate",
    },
    Parameter {
        name: "round_trip",
        summary: "Round trip that depth and the gains of pi-squared and pid-squared are made for",
        quantity: Quantity::Time,
        default: "100 ms",
        range: Range::between(1e-3, 10.0),
        source: "RFC 9332 appendix A.1, RTT_max",
    },
    Parameter {
        name: "law",
        summary: "Scepter-I, whose level is free; Scepter-T with its target and a reading of equation 5.1; or PI or PID squared",
        quantity: Quantity::Choice(law::WORDS),
        default: "free",
        range: Range::ANY,
        source: "Jain 2003 section 5.2; it expects most of the first, and what T_predicted is in the second is unclear. PI \
                 squared: De Schepper et al. 2016; PID squared: of this project, after that",
    },
    Parameter {
        name: "max_probability",
        summary: "Drop probability at which the thesis's laws end: all tokens gone (free), or wanted and absent (target)",
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
        summary: "Of the target laws, pi-squared and pid-squared: the wanted level as a share of the bucket",
        quantity: Quantity::Number,
        default: "0.5",
        range: Range::between(0.0, 1.0),
        source: "not given; half is farthest from both ends, the empty bucket that drops bursts and the full one that loses \
                 tokens",
    },
    Parameter {
        name: "unit",
        summary: "What the level is predicted in: packets of the mean size, as APACE predicts its queue, or bytes",
        quantity: Quantity::Choice(&["packets", "bytes"]),
        default: "packets",
        range: Range::ANY,
        source: "Jain 2003 section 2.4.1 counts packets; RFC 7141 section 2.1 would have bytes, which need no mean size",
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
    BOUNDED,
    ECN,
];

/// The bucket that they describe, on a link of `link_rate`.
pub fn bucket(values: &Values, link_rate: Rate) -> Bucket {
    let rate = values.optional_rate(RATE.name).unwrap_or(link_rate);
    let burst = match values.choice("depth") {
        "round-trip" => {
            Size::from_bytes((rate.bytes_per_second() * values.time("round_trip").seconds()).ceil() as u64)
        }
        _ => values.size(BURST.name),
    };
    Bucket::full(rate, burst)
}
