//! The delay-based discriminator of TCP-RTT (Alnuem 2009 section 6.2): a smoothed round trip above an edge
//! between the minimum and the maximum round trip means congestion.

use super::Discriminator;
use crate::control::Timeout;
use crate::differentiation::{Cause, IncomingAck};
use crate::entry::DiscriminatorEntry;
use ackclock_base::{Descriptor, Kind, Packets, Random, Range, choice, parameters};

/// The discriminator's entry in the registry.
pub const ENTRY: DiscriminatorEntry = DiscriminatorEntry {
    descriptor: &Descriptor {
        kind: Kind::Discriminator,
        name: "rtt",
        summary: "Attributes a loss to congestion if the smoothed RTT exceeds a threshold between the minimum and the \
                  maximum RTT, otherwise to transmission errors; a timeout always counts as congestion",
        source: "Alnuem 2009 section 6.2, equations 6.3 and 6.4, figure 6.2 and appendix D",
        parameters: Parameters::TABLE,
        presets: &[],
    },
    build: |values| Box::new(Rtt::new(values.into())),
    needs_timestamps: true,
};

choice! {
    /// The initial value of the smoothed round trip.
    pub enum AverageStarts {
        /// Zero, so that it approaches the round trip from below.
        Zero = "zero",
        /// The first round trip.
        FirstSample = "first-sample",
    }
}

choice! {
    /// The effect of a timeout on the maximum round trip.
    pub enum AfterTimeout {
        /// The maximum is forgotten and measured anew.
        Forget = "forget",
        /// The maximum stays.
        Keep = "keep",
    }
}

parameters! {
    /// How round trips are smoothed, and the position of the edge.
    pub struct Parameters {
        /// Weight of the old value in the smoothed RTT
        alpha: f64 = number(
            "0.9",
            Range::between(0.0, 1.0),
            "Alnuem 2009 equation 6.4: 0.8 to 0.9; the thesis uses 0.9",
        ),
        /// Position of the threshold above which losses are attributed to congestion, from the minimum (0) to the
        /// maximum (1) RTT
        midalpha: f64 = number(
            "0.15",
            Range::between(0.0, 1.0),
            "Alnuem 2009 equation 6.3; 0.15, 0.25 and 0.5 in section 7.3.4",
        ),
        /// Initial value of the smoothed RTT: zero (zero), or the first RTT sample (first-sample)
        average_starts: AverageStarts = choice(
            "zero",
            "Alnuem 2009 appendix D: zero, so that losses during roughly the first twenty acknowledgements count as \
             transmission errors",
        ),
        /// Whether a loss is attributed to congestion if the smoothed RTT is exactly at the threshold
        inclusive: bool = flag(false, "Alnuem 2009 section 6.2: above the threshold; appendix D: at or above it"),
        /// Effect of a timeout on the maximum RTT: measured anew (forget), or kept (keep)
        after_timeout: AfterTimeout = choice(
            "forget",
            "Alnuem 2009 section 6.2 recalculates the maximum, but does not say from which RTT samples",
        ),
    }
}

/// Calls a loss congestion if the smoothed round trip is above an edge.
#[derive(Clone, Debug)]
pub struct Rtt {
    parameters: Parameters,
    /// The smoothed round trip, in seconds, like the fields below; `None` before the first sample, unless it
    /// starts at zero.
    average: Option<f64>,
    least: f64,
    greatest: f64,
}

impl Rtt {
    /// Creates the discriminator before the first round trip.
    pub fn new(parameters: Parameters) -> Self {
        Self {
            parameters,
            average: (parameters.average_starts == AverageStarts::Zero).then_some(0.0),
            least: f64::INFINITY,
            greatest: 0.0,
        }
    }

    /// Returns the round trip, in seconds, above which a loss is attributed to congestion: a point between the
    /// least and the greatest round trip (equation 6.3); infinite before the first round trip.
    fn edge(&self) -> f64 {
        self.least + self.parameters.midalpha * (self.greatest - self.least)
    }
}

impl Discriminator for Rtt {
    fn on_incoming(&mut self, incoming: &IncomingAck, _random: &mut dyn Random) -> Cause {
        let Some(rtt) = incoming.echo.map(|echo| echo.seconds()).filter(|rtt| *rtt > 0.0) else {
            return self.cause();
        };
        // Appendix D: duplicates count for the minimum round trip only.
        self.least = self.least.min(rtt);
        if incoming.fresh {
            let average = self.average.unwrap_or(rtt);
            let alpha = self.parameters.alpha;
            self.average = Some(alpha * average + (1.0 - alpha) * rtt);
            self.greatest = self.greatest.max(rtt);
        }
        self.cause()
    }

    fn cause(&self) -> Cause {
        let Some(average) = self.average.filter(|_| self.least.is_finite()) else {
            return Cause::Transmission;
        };
        let edge = self.edge();
        if average > edge || (self.parameters.inclusive && average == edge) {
            Cause::Congestion
        } else {
            Cause::Transmission
        }
    }

    /// Judges a timeout as congestion. Section 6.2: the maximum round trip is measured anew after each
    /// timeout.
    fn on_timeout(&mut self, _timeout: &Timeout, _cwnd: Packets) -> Cause {
        if self.parameters.after_timeout == AfterTimeout::Forget {
            self.greatest = 0.0;
        }
        Cause::Congestion
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("smoothed_rtt_s", self.average.unwrap_or(0.0));
        series("congestion_edge_s", if self.least.is_finite() { self.edge() } else { f64::NAN });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_base::Values;
    use ackclock_base::random::Scripted;
    use ackclock_base::{Span, Time};

    fn rtt(settings: &[(&str, &str)]) -> Rtt {
        Rtt::new(Parameters::from(&Values::with(ENTRY.descriptor, settings)))
    }

    fn arrive(rtt: &mut Rtt, fresh: bool, echo_ms: u64) -> Cause {
        let echo = Some(Span::from_millis(echo_ms));
        rtt.on_incoming(
            &IncomingAck { now: Time::ZERO, fresh, echo, one_way_delay: None },
            &mut Scripted::new(&[]),
        )
    }

    fn expire(rtt: &mut Rtt) {
        let timeout = Timeout {
            now: Time::ZERO,
            window: 1.0,
            inflight: 1.0,
            left_in_flight: 0.0,
            sent_to: 0,
            in_a_row: 1,
            keeps_threshold: false,
        };
        assert_eq!(rtt.on_timeout(&timeout, 1.0), Cause::Congestion);
    }

    #[test]
    fn equations_6_3_and_6_4() {
        // From zero: 0.9 * 0 + 0.1 * 100 = 10 ms, then 0.9 * 10 + 0.1 * 200 = 29 ms.
        let mut rtt = rtt(&[]);
        arrive(&mut rtt, true, 100);
        arrive(&mut rtt, true, 200);
        assert!((rtt.average.unwrap() - 0.029).abs() < 1e-12);
        // 100 + 0.15 * (200 - 100) = 115 ms.
        assert!((rtt.edge() - 0.115).abs() < 1e-12);
    }

    #[test]
    fn figure_6_2_two_states_and_one_edge() {
        // The average starts at 100 ms; minimum 100, maximum 200: edge 115. With samples of 200 ms the
        // average is 100 + 100 * (1 - 0.9^n): 110 after one, 119 after two. With samples of 100 ms it falls:
        // 117.1, 115.39, 113.85.
        let mut rtt = rtt(&[("average_starts", "first-sample")]);
        assert_eq!(arrive(&mut rtt, true, 100), Cause::Transmission);
        assert_eq!(arrive(&mut rtt, true, 200), Cause::Transmission);
        assert_eq!(arrive(&mut rtt, true, 200), Cause::Congestion);
        assert_eq!(arrive(&mut rtt, true, 100), Cause::Congestion);
        assert_eq!(arrive(&mut rtt, true, 100), Cause::Congestion);
        assert_eq!(arrive(&mut rtt, true, 100), Cause::Transmission);
    }

    #[test]
    fn from_zero_the_first_losses_are_of_transmission_whatever_the_queue() {
        // Minimum 100, maximum 200, edge 115 ms. The average is 10 after the first sample, then 200 - 190 *
        // 0.9^n: 109.1 at n = 7, 118.2 at n = 8.
        let mut rtt = rtt(&[]);
        arrive(&mut rtt, true, 100);
        let causes: Vec<Cause> = (0..9).map(|_| arrive(&mut rtt, true, 200)).collect();
        assert_eq!(causes.iter().filter(|cause| **cause == Cause::Transmission).count(), 7);
        assert_eq!(causes[7], Cause::Congestion);
    }

    #[test]
    fn duplicates_lower_the_least_round_trip_and_nothing_else() {
        let mut rtt = rtt(&[("average_starts", "first-sample")]);
        arrive(&mut rtt, true, 100);
        arrive(&mut rtt, false, 300);
        assert_eq!((rtt.average, rtt.greatest, rtt.least), (Some(0.1), 0.1, 0.1));
        arrive(&mut rtt, false, 50);
        assert_eq!((rtt.average, rtt.greatest, rtt.least), (Some(0.1), 0.1, 0.05));
    }

    #[test]
    fn a_timeout_forgets_the_greatest_round_trip_only() {
        let mut rtt = rtt(&[("average_starts", "first-sample")]);
        arrive(&mut rtt, true, 100);
        arrive(&mut rtt, true, 200);
        expire(&mut rtt);
        // 100 + 0.15 * (0 - 100) = 85 ms, below every average: congestion until the next round trip is known.
        assert_eq!(rtt.cause(), Cause::Congestion);
        // Average 0.9 * 110 + 0.1 * 180 = 117, edge 100 + 0.15 * 80 = 112.
        assert_eq!(arrive(&mut rtt, true, 180), Cause::Congestion);
        assert!((rtt.edge() - 0.112).abs() < 1e-12);
        let mut keeping = self::rtt(&[("after_timeout", "keep")]);
        for ms in [100, 200] {
            arrive(&mut keeping, true, ms);
        }
        let before = keeping.edge();
        expire(&mut keeping);
        assert_eq!(keeping.edge(), before);
    }

    #[test]
    fn at_the_edge_the_text_sees_transmission_and_the_listing_congestion() {
        for (inclusive, cause) in [("false", Cause::Transmission), ("true", Cause::Congestion)] {
            let mut rtt = rtt(&[("average_starts", "first-sample"), ("inclusive", inclusive)]);
            assert_eq!(arrive(&mut rtt, true, 100), cause, "least = greatest = average = edge");
        }
    }

    #[test]
    fn without_timestamps_nothing_is_known() {
        let incoming = IncomingAck { now: Time::ZERO, fresh: true, echo: None, one_way_delay: None };
        assert_eq!(rtt(&[]).on_incoming(&incoming, &mut Scripted::new(&[])), Cause::Transmission);
    }
}
