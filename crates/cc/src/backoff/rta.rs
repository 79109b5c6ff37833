//! The retransmission timeout action (Alnuem 2009 section 4.2.3): the nearer the rate of acknowledgements was
//! to the best seen, the smaller the exponent of the back-off.

use super::Backoff;
use crate::differentiation::Cause;
use crate::entry::BackoffEntry;
use ackclock_base::{Descriptor, Kind, Range, Time, parameters};

/// The rule's entry in the registry.
pub const ENTRY: BackoffEntry = BackoffEntry {
    descriptor: &Descriptor {
        kind: Kind::Backoff,
        name: "rta",
        summary: "Exponential back-off whose exponent is scaled by the fraction by which the smoothed rate of \
                  acknowledgements falls short of the highest so far; not scaled while losses are attributed to \
                  congestion",
        source: "Alnuem 2009 section 4.2.3, equations 4.5 to 4.8, figures 4.12 and 4.13",
        parameters: Parameters::TABLE,
        presets: &[],
    },
    build: |values, most| Box::new(Rta::new(values.into(), most)),
};

parameters! {
    /// The parameters of the bandwidth estimate.
    pub struct Parameters {
        /// Weight of the old value in the smoothed rate of acknowledgements
        beta: f64 = number(
            "0.9",
            Range::between(0.0, 1.0),
            "Alnuem 2009 equation 4.7: 0.8 to 0.9; 0.9 in figure 4.12",
        ),
        /// Whether the rate of acknowledgements is also measured while losses are attributed to congestion; if not, the
        /// smoothed rate is then zero, and the highest rate so far is kept
        keep_in_congestion: bool = flag(
            false,
            "Alnuem 2009 appendix D resets the smoothed rate; section 6.2 says only that the timeout is standard \
             in congestion",
        ),
    }
}

/// Exponential back-off whose exponent is scaled by the share of the best bandwidth that is missing.
#[derive(Clone, Debug)]
pub struct Rta {
    parameters: Parameters,
    /// The greatest factor.
    most: f64,
    last_arrival: Option<Time>,
    in_congestion: bool,
    /// The smoothed rate of acknowledgements per second; `None` before the first sample.
    bandwidth: Option<f64>,
    /// The greatest smoothed rate so far, in acknowledgements per second.
    best: f64,
}

impl Rta {
    /// Creates the rule before the first acknowledgement, with factors up to `most`.
    pub fn new(parameters: Parameters, most: f64) -> Self {
        Self { parameters, most, last_arrival: None, in_congestion: false, bandwidth: None, best: 0.0 }
    }

    /// Updates the bandwidth estimate at an acknowledgement (figure 4.12). The packet size cancels out in
    /// equation 4.8.
    fn measure(&mut self, now: Time) {
        let gap = self.last_arrival.replace(now).map_or(0.0, |last| now.since(last).seconds());
        if gap > 0.0 {
            let sample = 1.0 / gap;
            let old = self.bandwidth.unwrap_or(sample);
            let beta = self.parameters.beta;
            let smoothed = beta * old + (1.0 - beta) * sample;
            self.bandwidth = Some(smoothed);
            self.best = self.best.max(smoothed);
        }
    }

    /// Returns the share of the best bandwidth that is missing, 0 to 1: the bracket of equation 4.8. It is 1, for
    /// the standard back-off, if the cause at the last acknowledgement was congestion or no rate is known yet.
    fn missing(&self) -> f64 {
        let forgotten = self.in_congestion || self.best == 0.0;
        if forgotten { 1.0 } else { 1.0 - self.bandwidth.unwrap_or(0.0) / self.best }
    }
}

impl Backoff for Rta {
    fn on_ack(&mut self, now: Time, cause: Option<Cause>) {
        self.in_congestion = cause == Some(Cause::Congestion);
        if !self.in_congestion || self.parameters.keep_in_congestion {
            self.measure(now);
        } else if self.bandwidth.is_some() {
            self.bandwidth = Some(0.0);
        }
    }

    /// Returns the factor of figure 4.13.
    fn factor(&self, expiries: u32) -> f64 {
        let exponent = f64::from(expiries).min(libm::log2(self.most));
        libm::exp2(exponent * self.missing()).min(self.most)
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("acknowledgements_per_s", self.bandwidth.unwrap_or(0.0));
        series("bandwidth_missing", self.missing());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_base::Span;
    use ackclock_base::Values;

    fn rta(settings: &[(&str, &str)]) -> Rta {
        Rta::new(Parameters::from(&Values::with(ENTRY.descriptor, settings)), 64.0)
    }

    /// Delivers an acknowledgement after each of the gaps, in milliseconds.
    fn acks(rta: &mut Rta, cause: Option<Cause>, gaps_ms: &[u64]) {
        for gap in gaps_ms {
            let now = rta.last_arrival.unwrap_or(Time::ZERO) + Span::from_millis(*gap);
            rta.on_ack(now, cause);
        }
    }

    #[test]
    fn equation_4_8_at_given_shares_of_the_best_bandwidth() {
        // 2^(n (1 - ratio)), to three places.
        let rows = [
            (1, [2.0, 1.682, 1.414, 1.189, 1.072, 1.0]),
            (3, [8.0, 4.757, 2.828, 1.682, 1.231, 1.0]),
            (6, [64.0, 22.627, 8.0, 2.828, 1.516, 1.0]),
        ];
        for (expiries, factors) in rows {
            for (ratio, expected) in [0.0, 0.25, 0.5, 0.75, 0.9, 1.0].into_iter().zip(factors) {
                let mut rta = rta(&[]);
                (rta.best, rta.bandwidth) = (100.0, Some(100.0 * ratio));
                let factor = rta.factor(expiries);
                assert!((factor - expected).abs() < 6e-4, "n = {expiries}, ratio {ratio}: {factor}");
            }
        }
    }

    #[test]
    fn figure_4_12_the_smoothed_rate_and_its_maximum() {
        let mut rta = rta(&[]);
        acks(&mut rta, None, &[0]);
        assert_eq!((rta.bandwidth, rta.best), (None, 0.0), "one acknowledgement makes no rate");
        // 10 ms apart: 100 a second. Then 20 ms: 0.9 * 100 + 0.1 * 50 = 95; the greatest stays 100.
        acks(&mut rta, None, &[10, 20]);
        assert!((rta.bandwidth.unwrap() - 95.0).abs() < 1e-9);
        assert!((rta.best - 100.0).abs() < 1e-9);
        // Two acknowledgements at the same instant give no rate and change nothing.
        acks(&mut rta, None, &[0]);
        assert!((rta.bandwidth.unwrap() - 95.0).abs() < 1e-9);
    }

    #[test]
    fn without_a_rate_it_is_exponential_with_the_same_cap() {
        let factors: Vec<f64> = [0, 1, 2, 6, 7, 100].iter().map(|n| rta(&[]).factor(*n)).collect();
        assert_eq!(factors, [1.0, 2.0, 4.0, 64.0, 64.0, 64.0]);
    }

    #[test]
    fn congestion_forgets_the_bandwidth_and_leaves_the_maximum() {
        let mut rta = rta(&[]);
        acks(&mut rta, Some(Cause::Transmission), &[0, 10]);
        assert_eq!(rta.factor(3), 1.0);
        acks(&mut rta, Some(Cause::Congestion), &[10]);
        assert_eq!((rta.factor(3), rta.best), (8.0, 100.0));
        // After the congestion the estimate restarts at zero and gets one sample. The gap counts from the
        // last acknowledgement that was measured: 20 ms, 50 a second, smoothed to 5 of 100.
        let now = rta.last_arrival.unwrap() + Span::from_millis(20);
        rta.on_ack(now, Some(Cause::Transmission));
        assert!((rta.bandwidth.unwrap() - 5.0).abs() < 1e-9);
        assert!((rta.factor(1) - libm::exp2(0.95)).abs() < 1e-12);
    }

    #[test]
    fn by_option_congestion_keeps_the_bandwidth_and_only_the_factor_is_standard() {
        let mut rta = rta(&[("keep_in_congestion", "true")]);
        acks(&mut rta, Some(Cause::Transmission), &[0, 10]);
        acks(&mut rta, Some(Cause::Congestion), &[10]);
        assert_eq!((rta.factor(3), rta.bandwidth), (8.0, Some(100.0)));
        acks(&mut rta, Some(Cause::Transmission), &[10]);
        assert_eq!(rta.factor(3), 1.0);
    }
}
