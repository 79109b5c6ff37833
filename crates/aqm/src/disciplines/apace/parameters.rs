//! The parameters of APACE.

use crate::entry::{DROPS_ABOVE_MAXIMUM, ECN, PERIODS};
use crate::nlms::{BOUNDED, Update};
use ackclock_base::{Range, Span, parameters};

parameters! {
    /// How the queue is predicted, and the drop law.
    pub struct Parameters {
        /// Number of most recent queue-length samples from which the queue length is predicted (M)
        order: usize = integer("10", Range::between(1.0, 1000.0), "Jain 2003 sections 2.6 and 3.1"),
        /// Prediction horizon (N0): number of arrivals ahead, or of periods if `period` is set
        horizon: usize = integer("15", Range::between(1.0, 10_000.0), "Jain 2003 sections 2.6 and 3.1"),
        /// Learning rate of the predictor
        step: f64 = number("0.01", Range::above(0.0), "Jain 2003 section 2.4.1"),
        /// Inputs of the predictor's weight update: the error of the prediction as it was made and the queue lengths
        /// that it used (delayed), the error that the current weights would have made and the queue lengths that the
        /// prediction used (current-weights), or the error of the prediction as it was made and the newest queue
        /// lengths (current-regressor)
        update: Update = choice("delayed", "Jain 2003 equations 2.2 and 2.3, which allow three interpretations"),
        /// Initial value of each weight of the predictor; with 1 / `order`, the first predictions are the mean of the
        /// last `order` queue lengths
        initial_weight: f64 = number(
            "0",
            Range::between(-1.0, 1.0),
            "Jain 2003 section 2.4.1: a fixed value, typically 0",
        ),
        bounded: bool = BOUNDED,
        /// Predicted queue length, as a fraction of `limit`, up to which no packet is dropped early (alpha)
        lower: f64 = number("0.3", Range::between(0.0, 1.0), "Jain 2003 equation 2.5 and section 2.6"),
        /// Predicted queue length, as a fraction of `limit`, at and above which the drop probability is 1 (beta)
        upper: f64 = number("1", Range::above(0.0), "Jain 2003 table 2.1 and section 2.9"),
        /// Drop probability just below `upper`, to which it rises linearly from zero at `lower`; with `target_delay` or
        /// `target_loss`, only its initial value
        max_probability: f64 = number("0.2", Range::between(0.0, 1.0), "Jain 2003 equation 2.5 and section 2.6"),
        /// Time between predictions; none for a prediction at each arrival
        period: Option<Span> = time("none", PERIODS, "Jain 2003 section 2.9"),
        /// Target queueing delay, held by adapting max_probability; takes precedence over `target_loss`; none for no
        /// delay target
        target_delay: Option<Span> = time(
            "none",
            Range::above(0.0),
            "Jain 2003 chapter 6, where no formula is given",
        ),
        /// Target share of packets dropped or marked, held by adapting max_probability; none for no loss target
        target_loss: Option<f64> = number(
            "none",
            Range { min: 0.0, max: 1.0, above_min: true },
            "Jain 2003 chapter 6, where no formula is given",
        ),
        /// Speed of adaptation: change of ln(max_probability) per second at a relative error of 1, such as a predicted
        /// queue of twice the target; the error is limited to the range from -1 to 1
        gain: f64 = number(
            "0.2",
            Range::above(0.0),
            "not in Jain 2003; Adaptive RED lowers max_probability by a tenth every half second (Floyd, Gummadi and \
             Shenker 2001)",
        ),
        ecn: bool = ECN,
        drops_above_maximum: Option<bool> = DROPS_ABOVE_MAXIMUM,
    }
}
