//! A normalised-LMS predictor of a sampled quantity (Jain 2003 section 2.4.1, equations 2.1 to 2.4): a linear
//! filter over the last samples predicts the sample a horizon ahead, and learns from its error.

#[cfg(test)]
mod reference_tests;
#[cfg(test)]
mod tests;

use ackclock_base::choice;
use ackclock_base::declare::{self, Declared};
use std::f64::consts::PI;

choice! {
    /// The error and the samples from which the weights learn. The thesis's equations 2.2 and 2.3 leave it
    /// open.
    pub enum Update {
        /// The error of the prediction as it was made, with the samples from which it was made.
        Delayed = "delayed",
        /// The error that today's weights would have made, with the samples from which the prediction was
        /// made: the textbook's predictor of several steps (Haykin, "Adaptive Filter Theory").
        CurrentWeights = "current-weights",
        /// The error of the prediction as it was made, with the newest samples: equation 2.3 to the letter.
        CurrentRegressor = "current-regressor",
    }
}

impl Update {
    /// Returns the number of samples until an error reflects what the weights have learnt meanwhile.
    fn lag(self, horizon: usize) -> usize {
        match self {
            Self::CurrentWeights => 0,
            Self::Delayed | Self::CurrentRegressor => horizon,
        }
    }

    /// Returns the largest stable step at a horizon, as a share of the inverse power of the samples.
    ///
    /// Over a constant the error obeys e(n) = e(n-1) - k e(n-1-d), which decays for 0 < k < 2 sin(pi / (2 (2
    /// d + 1))) (Levin and May 1976, "A note on difference-delay equations"). The predictions' own errors
    /// come d = N0 - 1 updates late; d is taken as N0, a sample more, so that the bound itself is stable.
    /// Errors of today's weights come at once, and 2 is the bound of any normalised LMS.
    pub fn largest_stable_step(self, horizon: usize) -> f64 {
        2.0 * libm::sin(PI / (2.0 * (2 * self.lag(horizon) + 1) as f64))
    }
}

/// Whether the predictor is bounded to stable values, or follows the thesis to the letter.
pub const BOUNDED: Declared<bool> =
    declare::flag(
        true,
        "Levin and May 1976 (limit of the learning rate); Jain 2003 section 2.4.1 has no limit, and its learning rate \
         of 0.01 exceeds that of Levin and May if `horizon` is above 156",
    )
    .about(
        "Whether the learning rate is limited to values at which the predictor is stable with this `horizon`, and \
         predictions to possible values (from 0 to the limit of the queue or the depth of the token bucket)",
    );

/// The number of partial sums computed side by side; a single sum would have to be added up in sequence.
const LANES: usize = 4;

/// The number of samples that fit in the history before it is moved back to its end.
const ROOM: usize = 256;

/// The number of last predictions over which the mean square error is taken, approximately.
const MEMORY: u64 = 1000;

/// The magnitude beyond which weights are reset: with too large a step they grow without bound.
const DIVERGED: f64 = 1e100;

/// The predictor. It allocates only when it is created.
#[derive(Clone, Debug)]
pub struct Predictor {
    horizon: usize,
    step: f64,
    update: Update,
    weights: Box<[f64]>,
    /// The initial value of each weight.
    initial_weight: f64,
    /// The samples, newest first from `head`, so that the samples of a prediction are one slice; zero before
    /// the first.
    samples: Box<[f64]>,
    /// For each sample, the prediction made when it arrived.
    predictions: Box<[f64]>,
    /// For each sample, the sum of the squares of the samples from which that prediction was made.
    energies: Box<[f64]>,
    head: usize,
    seen: u64,
    error: Option<f64>,
    mean_square: f64,
    /// The weight of the newest error in the mean square.
    share: f64,
}

impl Predictor {
    /// Creates a predictor that weighs the last `order` samples to predict the one `horizon` samples ahead;
    /// both are at least one. The weights begin at zero.
    pub fn new(order: usize, horizon: usize, step: f64, update: Update) -> Self {
        let (order, horizon) = (order.max(1), horizon.max(1));
        let length = ROOM + order + horizon;
        Self {
            horizon,
            step,
            update,
            weights: vec![0.0; order].into(),
            initial_weight: 0.0,
            samples: vec![0.0; length].into(),
            predictions: vec![0.0; length].into(),
            energies: vec![0.0; length].into(),
            head: ROOM,
            seen: 0,
            error: None,
            mean_square: 0.0,
            share: 1.0,
        }
    }

    /// Sets all weights to `weight`, also after a reset. A predictor that has learnt nothing yet predicts
    /// `weight` times the sum of the last samples.
    pub fn starting_at(mut self, weight: f64) -> Self {
        self.initial_weight = weight;
        self.weights.fill(weight);
        self
    }

    /// Adds a sample, learns from the prediction that was made for it, and returns the prediction for the
    /// sample a horizon ahead.
    pub fn observe(&mut self, sample: f64) -> f64 {
        self.make_room();
        self.head -= 1;
        self.samples[self.head] = sample;
        let (gain, place) =
            if self.seen < self.horizon as u64 { (0.0, self.head) } else { self.gain(sample) };
        self.seen += 1;
        let (mut prediction, energy) = self.learn_and_predict(gain, place);
        if diverged(prediction) {
            self.weights.fill(self.initial_weight);
            prediction = 0.0;
        }
        self.predictions[self.head] = prediction;
        self.energies[self.head] = energy;
        prediction
    }

    /// Returns the last prediction; zero before the first.
    pub fn prediction(&self) -> f64 {
        self.predictions[self.head]
    }

    /// Returns the last sample less its prediction; `None` until a prediction has come due (equation 2.2).
    pub fn error(&self) -> Option<f64> {
        self.error
    }

    /// Returns the mean square error over about the last thousand predictions that came due; `None` before
    /// the first.
    pub fn mean_square_error(&self) -> Option<f64> {
        self.error.map(|_| self.mean_square)
    }

    /// Returns the weights, that of the newest sample first.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    fn make_room(&mut self) {
        if self.head == 0 {
            let kept = self.weights.len() + self.horizon;
            self.head = self.samples.len() - kept;
            self.samples.copy_within(..kept, self.head);
            self.predictions.copy_within(..kept, self.head);
            self.energies.copy_within(..kept, self.head);
        }
    }

    fn regressor(&self, place: usize) -> &[f64] {
        &self.samples[place..place + self.weights.len()]
    }

    /// Returns the factor by which the samples at a place change the weights, and that place (equations 2.2
    /// and 2.4).
    fn gain(&mut self, sample: f64) -> (f64, usize) {
        let made = self.head + self.horizon;
        let missed = sample - self.predictions[made];
        self.note(missed);
        let (error, place, energy) = match self.update {
            Update::Delayed => (missed, made, self.energies[made]),
            Update::CurrentWeights => {
                (sample - dot(&self.weights, self.regressor(made)), made, self.energies[made])
            }
            Update::CurrentRegressor => {
                let newest = self.regressor(self.head);
                (missed, self.head, dot(newest, newest))
            }
        };
        if diverged(error) {
            self.weights.fill(self.initial_weight);
            return (0.0, place);
        }
        (self.step * error / (1.0 + energy), place)
    }

    /// Learns and predicts in one pass over the weights (equations 2.3 and 2.1). Returns the prediction, and
    /// the energy of its samples. The newest sample is handled by itself: it was written just before, and a
    /// wide read across it would have to wait.
    fn learn_and_predict(&mut self, gain: f64, place: usize) -> (f64, f64) {
        let Self { weights, samples, head, .. } = self;
        let order = weights.len();
        let (past, newest) = (&samples[place..place + order], &samples[*head..*head + order]);
        weights[0] += gain * past[0];
        let mut sum = weights[0] * newest[0];
        let mut energy = newest[0] * newest[0];
        let (weights, weights_rest) = weights[1..].as_chunks_mut::<LANES>();
        let (past, past_rest) = past[1..].as_chunks::<LANES>();
        let (newest, newest_rest) = newest[1..].as_chunks::<LANES>();
        let mut sums = [0.0; LANES];
        let mut energies = [0.0; LANES];
        for ((weights, past), newest) in weights.iter_mut().zip(past).zip(newest) {
            for lane in 0..LANES {
                weights[lane] += gain * past[lane];
                sums[lane] += weights[lane] * newest[lane];
                energies[lane] += newest[lane] * newest[lane];
            }
        }
        for ((weight, past), newest) in weights_rest.iter_mut().zip(past_rest).zip(newest_rest) {
            *weight += gain * past;
            sum += *weight * newest;
            energy += newest * newest;
        }
        (sum + sums.iter().sum::<f64>(), energy + energies.iter().sum::<f64>())
    }

    /// Records an error. While there are few errors all have the same weight; the weight of a new one is
    /// stored, because a division would cost more than the rest.
    fn note(&mut self, missed: f64) {
        let due = self.seen + 1 - self.horizon as u64;
        if due <= MEMORY {
            self.share = 1.0 / due as f64;
        }
        self.error = Some(missed);
        self.mean_square += self.share * (missed * missed - self.mean_square);
    }
}

fn diverged(value: f64) -> bool {
    value.is_nan() || value.abs() > DIVERGED
}

/// Returns the inner product.
fn dot(left: &[f64], right: &[f64]) -> f64 {
    let (left, left_rest) = left.as_chunks::<LANES>();
    let (right, right_rest) = right.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (left, right) in left.iter().zip(right) {
        for lane in 0..LANES {
            sums[lane] += left[lane] * right[lane];
        }
    }
    let rest: f64 = left_rest.iter().zip(right_rest).map(|(left, right)| left * right).sum();
    sums.iter().sum::<f64>() + rest
}
