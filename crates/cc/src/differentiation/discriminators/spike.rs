//! The Spike scheme (Tobe et al. 2000; Cen, Cosman and Voelker 2003) as in Alnuem 2009 section 3.5.2.13: a
//! trip time above one threshold begins a spike, one below a lower threshold ends it, and losses in a spike
//! are attributed to congestion.

use super::Discriminator;
use crate::differentiation::{Cause, IncomingAck};
use crate::entry::DiscriminatorEntry;
use ackclock_base::{Descriptor, Kind, Random, Range, choice, parameters};

/// The discriminator's entry in the registry.
pub const ENTRY: DiscriminatorEntry = DiscriminatorEntry {
    descriptor: &Descriptor {
        kind: Kind::Discriminator,
        name: "spike",
        summary: "Attributes a loss to congestion during a spike of the trip time, which begins above one threshold \
                  and ends below a lower one, and to transmission errors outside spikes; a timeout always counts as \
                  congestion",
        source: "Alnuem 2009 equations 3.1 and 3.2, figure 6.1; Cen, Cosman and Voelker 2003",
        parameters: Parameters::TABLE,
        presets: &[],
    },
    build: |values| Box::new(Spike::new(values.into())),
    needs_timestamps: true,
};

choice! {
    /// The trip that is timed.
    pub enum Trip {
        /// The forward path, by one-way trip times.
        OneWay = "one-way",
        /// The round trip.
        Round = "round",
    }
}

parameters! {
    /// The thresholds at which a spike begins and ends.
    pub struct Parameters {
        /// Position of the upper threshold, where a spike begins, between the minimum (0) and the maximum (1)
        /// trip time
        alpha: f64 = number("0.5", Range::between(0.0, 1.0), "Alnuem 2009 section 6.2, equation 6.1"),
        /// Position of the lower threshold, where a spike ends, between the minimum (0) and the maximum (1)
        /// trip time
        beta: f64 = number("0.33", Range::between(0.0, 1.0), "Alnuem 2009 section 6.2, equation 6.2"),
        /// Trip time that is measured: one-way on the forward path (one-way), or the round trip (round)
        trip: Trip = choice(
            "one-way",
            "Alnuem 2009 section 3.5.2.13: relative one-way trip time; it does not say which trip time its \
             simulations use",
        ),
    }
}

/// Calls losses congestion during spikes of the trip time.
#[derive(Clone, Debug)]
pub struct Spike {
    parameters: Parameters,
    /// The least trip time, in seconds, like the greatest below.
    least: f64,
    greatest: f64,
    in_spike: bool,
}

impl Spike {
    /// Creates the discriminator before the first trip.
    pub fn new(parameters: Parameters) -> Self {
        Self { parameters, least: f64::INFINITY, greatest: f64::NEG_INFINITY, in_spike: false }
    }

    fn threshold(&self, share: f64) -> f64 {
        self.least + share * (self.greatest - self.least)
    }
}

impl Discriminator for Spike {
    fn on_incoming(&mut self, incoming: &IncomingAck, _random: &mut dyn Random) -> Cause {
        let Parameters { alpha, beta, trip } = self.parameters;
        let trip = if trip == Trip::Round { incoming.echo } else { incoming.one_way_delay };
        if let Some(trip) = trip.map(|trip| trip.seconds()) {
            self.least = self.least.min(trip);
            self.greatest = self.greatest.max(trip);
            if trip > self.threshold(alpha) {
                self.in_spike = true;
            } else if trip < self.threshold(beta) {
                self.in_spike = false;
            }
        }
        self.cause()
    }

    fn cause(&self) -> Cause {
        if self.in_spike { Cause::Congestion } else { Cause::Transmission }
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("in_spike", f64::from(u8::from(self.in_spike)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_base::Values;
    use ackclock_base::random::Scripted;
    use ackclock_base::{Span, Time};

    fn causes(settings: &[(&str, &str)], trips_ms: &[u64]) -> Vec<Cause> {
        let mut spike = Spike::new(Parameters::from(&Values::with(ENTRY.descriptor, settings)));
        let incoming = |ms: &u64| {
            let one_way_delay = Some(Span::from_millis(*ms));
            let echo = Some(Span::from_millis(500));
            spike.on_incoming(
                &IncomingAck { now: Time::ZERO, fresh: true, echo, one_way_delay },
                &mut Scripted::new(&[]),
            )
        };
        trips_ms.iter().map(incoming).collect()
    }

    #[test]
    fn figure_6_1_hysteresis_between_two_thresholds() {
        use Cause::{Congestion, Transmission};
        // Minimum 100, maximum 200: a spike begins above 100 + 0.5 * 100 = 150 and ends below 100 + 0.33 *
        // 100 = 133 ms.
        let trips = [100, 200, 133, 132, 149, 150, 151, 140, 100];
        let expected = [
            Transmission,
            Congestion,
            Congestion,
            Transmission,
            Transmission,
            Transmission,
            Congestion,
            Congestion,
            Transmission,
        ];
        assert_eq!(causes(&[], &trips), expected);
    }

    #[test]
    fn a_constant_trip_is_no_spike() {
        assert_eq!(causes(&[], &[100, 100, 100]), [Cause::Transmission; 3]);
    }

    #[test]
    fn the_greatest_trip_is_kept_for_the_whole_connection() {
        // After a trip of 200 ms, a trip of 149 ms is never a spike; had the maximum been forgotten, it would
        // begin one.
        assert_eq!(causes(&[], &[100, 200, 100, 149])[3], Cause::Transmission);
    }

    #[test]
    fn the_round_trip_can_be_timed_instead() {
        // The echo is 500 ms all the time: no spike, whatever the one-way delay does.
        assert_eq!(causes(&[("trip", "round")], &[100, 200]), [Cause::Transmission; 2]);
    }
}
