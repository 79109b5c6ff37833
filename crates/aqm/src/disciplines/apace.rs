//! APACE (Jain 2003 chapter 2; Jain, Karandikar and Verma, GLOBECOM 2003): predicts the queue some arrivals
//! ahead, and drops with a probability that rises linearly with the prediction.
//!
//! `lower` and `upper` are fractions of the physical limit in packets. A limit in bytes is converted with the
//! mean packet size. Without a limit there are no thresholds, and no packet is dropped.
//!
//! A prediction is limited to possible queues, from zero to the limit. With `bounded = false` it may have any
//! value, as in the thesis.

mod adaptation;
mod parameters;
#[cfg(test)]
mod tests;

use crate::discipline::{Arrival, Backlog, Capacity, Discipline, LinkRate, Verdict};
use crate::entry::{self, Entry, Queueing, Service, queue};
use crate::nlms::Predictor;
use ackclock_base::{Random, Span, Time};
use adaptation::Adaptation;
pub use parameters::Parameters;

/// The discipline's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &queue(
        "apace",
        "Drops or marks packets early, with a probability that grows with the predicted queue length",
        "Jain 2003 chapter 2",
        Parameters::TABLE,
    ),
    build: |values, capacity, link| Queueing::at_arrival(Apace::new(values.into(), capacity, link)),
    service: Service::IN_ORDER,
};

/// The APACE discipline.
#[derive(Clone, Debug)]
pub struct Apace {
    capacity: Capacity,
    predictor: Predictor,
    /// The largest prediction, in packets; `None` if predictions are not bounded.
    longest: Option<f64>,
    period: Option<Span>,
    law: Law,
    adaptation: Option<Adaptation>,
    ecn: bool,
    /// Whether even packets that can be marked are dropped when the probability is 1.
    drops_above_maximum: bool,
}

/// Equation 2.5, generalised to an upper threshold other than the physical limit (section 2.9).
#[derive(Clone, Copy, Debug, PartialEq)]
struct Law {
    /// The predicted queue, in packets, up to which no packet is dropped.
    lower: f64,
    /// The predicted queue, in packets, from which every packet is dropped.
    upper: f64,
    /// The inverse of the distance between the two; not used if they coincide, since no prediction lies
    /// between.
    per_packet: f64,
    /// The probability of the line between them at the upper one.
    max_probability: f64,
}

impl Law {
    fn new(lower: f64, upper: f64, max_probability: f64) -> Self {
        Self { lower, upper, per_packet: 1.0 / (upper - lower), max_probability }
    }

    /// Returns the probability with which a packet is dropped or marked.
    fn probability(&self, predicted: f64) -> f64 {
        let Self { lower, upper, per_packet, max_probability } = *self;
        match () {
            () if predicted >= upper => 1.0,
            () if predicted > lower => max_probability * (predicted - lower) * per_packet,
            () => 0.0,
        }
    }
}

impl Apace {
    /// Creates an empty queue with this capacity.
    pub fn new(parameters: Parameters, capacity: Capacity, link: &LinkRate) -> Self {
        let Parameters { order, horizon, step, update, bounded, initial_weight, .. } = parameters;
        let packets = limit_in_packets(capacity, link);
        let most = if bounded { update.largest_stable_step(horizon) } else { f64::INFINITY };
        Self {
            capacity,
            predictor: Predictor::new(order, horizon, step.min(most), update).starting_at(initial_weight),
            longest: bounded.then_some(packets),
            period: parameters.period,
            law: Law::new(parameters.lower * packets, parameters.upper * packets, parameters.max_probability),
            adaptation: Adaptation::new(&parameters, link),
            ecn: parameters.ecn,
            drops_above_maximum: entry::drops_above_maximum(
                parameters.drops_above_maximum,
                parameters.ecn,
                parameters.upper <= parameters.lower,
            ),
        }
    }

    /// Returns the predicted queue, in packets.
    fn predicted(&self) -> f64 {
        let predicted = self.predictor.prediction();
        self.longest.map_or(predicted, |longest| predicted.clamp(0.0, longest))
    }

    fn probability(&self) -> f64 {
        self.law.probability(self.predicted())
    }
}

/// Returns the limit in packets, at least one, so that an empty queue is never beyond the upper threshold.
fn limit_in_packets(capacity: Capacity, link: &LinkRate) -> f64 {
    match capacity {
        Capacity::Unlimited => f64::INFINITY,
        Capacity::Packets(most) => most.max(1) as f64,
        Capacity::Bytes(most) => (most as f64 / f64::from(link.mean_packet_bytes)).max(1.0),
    }
}

impl Discipline for Apace {
    fn on_arrival(&mut self, arrival: &Arrival, backlog: &Backlog, random: &mut dyn Random) -> Verdict {
        if self.period.is_none() {
            self.predictor.observe(backlog.packets as f64);
        }
        let predicted = self.predicted();
        let probability = self.law.probability(predicted);
        let fits = self.capacity.admits(arrival.bytes, backlog);
        if let Some(adaptation) = &mut self.adaptation {
            let signalled = if fits { probability } else { 1.0 };
            let m = &mut self.law.max_probability;
            *m = adaptation.adapt(*m, arrival.now, predicted, signalled);
        }
        let early = probability > 0.0 && random.uniform() < probability;
        // RFC 3168 section 7: if every packet would be dropped, marking is not enough, unless the law is a
        // step.
        let enough = probability < 1.0 || !self.drops_above_maximum;
        let may_mark = self.ecn && arrival.ecn.is_capable() && enough;
        match (fits, early) {
            (true, false) => Verdict::Admit,
            (true, true) if may_mark => Verdict::Mark,
            _ => Verdict::Drop,
        }
    }

    fn period(&self) -> Option<Span> {
        self.period
    }

    fn on_period(&mut self, _now: Time, backlog: &Backlog) {
        self.predictor.observe(backlog.packets as f64);
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("predicted_queue_packets", self.predicted());
        series("drop_probability", self.probability());
        series("prediction_error_packets", self.predictor.error().unwrap_or(f64::NAN));
        series("mean_square_error_packets2", self.predictor.mean_square_error().unwrap_or(f64::NAN));
        if self.adaptation.is_some() {
            series("max_probability", self.law.max_probability);
        }
    }
}
