//! The parameters of APACE.

use crate::entry::{DROPS_ABOVE_MAXIMUM, ECN, PERIODS};
use crate::nlms::{BOUNDED, Update};
use ackclock_base::{Range, Span, parameters};

parameters! {
    /// How the queue is predicted, and the drop law.
    pub struct Parameters {
        /// Number of latest queue lengths from which the queue is predicted (M)
        order: usize = integer("10", Range::between(1.0, 1000.0), "Jain 2003 sections 2.6 and 3.1"),
        /// Number of arrivals ahead for which the queue is predicted (N0); with a `period`, the number of periods
        horizon: usize = integer("15", Range::between(1.0, 10_000.0), "Jain 2003 sections 2.6 and 3.1"),
        /// Learning rate of the predictor
        step: f64 = number("0.01", Range::above(0.0), "Jain 2003 section 2.4.1"),
        /// Error and queue lengths from which the predictor learns: the error of a prediction as made (delayed), the
        /// error that the current weights would have made (current-weights), or the error as made, with the newest
        /// queue lengths (current-regressor)
        update: Update = choice("delayed", "Jain 2003 equations 2.2 and 2.3, which can be read in three ways"),
        /// Initial value of each weight of the predictor; with 1 / `order`, the first predictions are the mean of the
        /// last queue lengths
        initial_weight: f64 = number(
            "0",
            Range::between(-1.0, 1.0),
            "Jain 2003 section 2.4.1: a fixed value, typically 0",
        ),
        bounded: bool = BOUNDED,
        /// Predicted queue, as a fraction of `limit`, up to which no packet is dropped early (alpha)
        lower: f64 = number("0.3", Range::between(0.0, 1.0), "Jain 2003 equation 2.5 and section 2.6"),
        /// Predicted queue, as a fraction of `limit`, from which on the drop probability is 1 (beta)
        upper: f64 = number("1", Range::above(0.0), "Jain 2003 table 2.1 and section 2.9"),
        /// Drop probability just below `upper`, to which it rises linearly from zero at `lower`; with `target_delay`
        /// or `target_loss`, the initial value
        max_probability: f64 = number("0.2", Range::between(0.0, 1.0), "Jain 2003 equation 2.5 and section 2.6"),
        /// Time between predictions; none for a prediction at each arrival
        period: Option<Span> = time("none", PERIODS, "Jain 2003 section 2.9"),
        /// Queueing delay that max_probability is adapted to hold; takes precedence over `target_loss`; none for no
        /// such target
        target_delay: Option<Span> = time(
            "none",
            Range::above(0.0),
            "Jain 2003 chapter 6, where no formula is given",
        ),
        /// Share of packets dropped or marked that max_probability is adapted to hold; none for no such target
        target_loss: Option<f64> = number(
            "none",
            Range { min: 0.0, max: 1.0, above_min: true },
            "Jain 2003 chapter 6, where no formula is given",
        ),
        /// Relative change of max_probability in a second at a relative error of 1, such as a queue of twice its
        /// target; larger errors count as 1
        gain: f64 = number(
            "0.2",
            Range::above(0.0),
            "not in Jain 2003; Adaptive RED lowers max_probability by a tenth each half second (Floyd, Gummadi \
             and Shenker 2001)",
        ),
        ecn: bool = ECN,
        drops_above_maximum: Option<bool> = DROPS_ABOVE_MAXIMUM,
    }
}
