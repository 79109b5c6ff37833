//! What can be set.

use crate::nlms::{BOUNDED, Update};
use crate::registry::{ECN, PERIODS};
use ackclock_base::{Parameter, Quantity, Range};

/// The parameters of APACE.
pub const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "order",
        summary: "How many of the last queue lengths the prediction is made from (M)",
        quantity: Quantity::Integer,
        default: "10",
        range: Range::between(1.0, 1000.0),
        source: "Jain 2003 sections 2.6 and 3.1",
    },
    Parameter {
        name: "horizon",
        summary: "How many arrivals ahead the queue is predicted (N0); periods, where there is a period",
        quantity: Quantity::Integer,
        default: "15",
        range: Range::between(1.0, 10_000.0),
        source: "Jain 2003 sections 2.6 and 3.1",
    },
    Parameter {
        name: "step",
        summary: "How fast the predictor learns",
        quantity: Quantity::Number,
        default: "0.01",
        range: Range::above(0.0),
        source: "Jain 2003 section 2.4.1",
    },
    Parameter {
        name: "update",
        summary: "What the predictor learns from: errors as they were made, or as today's weights would make them; or \
                  the former with the newest queue lengths",
        quantity: Quantity::Choice(Update::WORDS),
        default: "delayed",
        range: Range::ANY,
        source: "Jain 2003 equations 2.2 and 2.3, which can be read in three ways",
    },
    BOUNDED,
    Parameter {
        name: "lower",
        summary: "Fraction of the limit up to which a predicted queue drops nothing (alpha)",
        quantity: Quantity::Number,
        default: "0.3",
        range: Range::between(0.0, 1.0),
        source: "Jain 2003 equation 2.5 and section 2.6",
    },
    Parameter {
        name: "upper",
        summary: "Fraction of the limit from which a predicted queue drops everything (beta)",
        quantity: Quantity::Number,
        default: "1",
        range: Range::above(0.0),
        source: "Jain 2003 table 2.1 and section 2.9",
    },
    Parameter {
        name: "max_probability",
        summary: "Drop probability that the line between the two reaches at the upper; with a target, the first one",
        quantity: Quantity::Number,
        default: "0.2",
        range: Range::between(0.0, 1.0),
        source: "Jain 2003 equation 2.5 and section 2.6",
    },
    Parameter {
        name: "period",
        summary: "Predicts at fixed times instead of at each arrival",
        quantity: Quantity::Time,
        default: Parameter::NONE,
        range: PERIODS,
        source: "Jain 2003 section 2.9",
    },
    Parameter {
        name: "target_delay",
        summary: "Adapts max_probability to hold this queueing delay; takes precedence over target_loss",
        quantity: Quantity::Time,
        default: Parameter::NONE,
        range: Range::above(0.0),
        source: "Jain 2003 chapter 6, where no formula is given",
    },
    Parameter {
        name: "target_loss",
        summary: "Adapts max_probability to drop or mark this fraction",
        quantity: Quantity::Number,
        default: Parameter::NONE,
        range: Range { min: 0.0, max: 1.0, above_min: true },
        source: "Jain 2003 chapter 6, where no formula is given",
    },
    Parameter {
        name: "gain",
        summary: "By how much of itself max_probability changes in a second while the queue is twice its target",
        quantity: Quantity::Number,
        default: "0.2",
        range: Range::above(0.0),
        source: "as fast as Adaptive RED lowers its own: by a tenth each half second (Floyd, Gummadi and Shenker 2001)",
    },
    ECN,
];
