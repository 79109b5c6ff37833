//! The cycle of pacing gains (draft-cardwell-iccrg-bbr-congestion-control-00 section 4.3.4).

use crate::control::Ack;
use ackclock_base::{Packets, Random, Span, Time};

/// The kind of a phase of the cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The first phase, which sends faster than the bandwidth.
    Probes,
    /// The second phase, which sends slower than the bandwidth.
    Drains,
    /// Any other phase, which sends at the bandwidth.
    Cruises,
}

/// The current phase and its start.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cycle {
    index: u64,
    began: Time,
}

impl Cycle {
    /// Begins the cycle at a random phase other than the one that drains, so that flows do not probe
    /// together.
    pub fn begin(&mut self, now: Time, phases: u64, random: &mut dyn Random) {
        let others = phases.saturating_sub(1).max(1);
        let drawn = ((random.uniform() * others as f64) as u64).min(others - 1);
        self.index = (phases - drawn) % phases;
        self.began = now;
    }

    /// Moves to the next phase if the present one is over (`BBRIsNextCyclePhase`). A phase lasts one round
    /// trip. The phase that probes continues until `most` packets were in flight or a packet was lost; the
    /// phase that drains ends as soon as at most `least` are in flight.
    pub fn take(&mut self, ack: &Ack, round_trip: Span, most: Packets, least: Packets, phases: u64) {
        let full_length = ack.now.since(self.began) > round_trip;
        let over = match self.phase() {
            Phase::Probes => full_length && (ack.newly_lost > 0.0 || ack.inflight_before >= most),
            Phase::Drains => full_length || ack.inflight_before <= least,
            Phase::Cruises => full_length,
        };
        if over {
            (self.index, self.began) = ((self.index + 1) % phases, ack.now);
        }
    }

    /// Returns the kind of the present phase.
    pub fn phase(&self) -> Phase {
        match self.index {
            0 => Phase::Probes,
            1 => Phase::Drains,
            _ => Phase::Cruises,
        }
    }

    /// Returns the number of the present phase, for figures.
    pub fn index(&self) -> u64 {
        self.index
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_base::random::Scripted;

    #[test]
    fn it_begins_with_every_phase_but_the_one_that_drains() {
        let begins = |drawn: f64| {
            let mut cycle = Cycle::default();
            cycle.begin(Time::ZERO, 8, &mut Scripted::new(&[drawn]));
            cycle.index()
        };
        let found: Vec<u64> = (0..7).map(|part| begins((f64::from(part) + 0.5) / 7.0)).collect();
        assert_eq!(found, [0, 7, 6, 5, 4, 3, 2]);
    }
}
