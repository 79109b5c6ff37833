//! The cycle of gains (draft-cardwell-iccrg-bbr-congestion-control-00 section 4.3.4).

use crate::control::Ack;
use ackclock_base::{Packets, Random, Span, Time};

/// A kind of phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The first: sends more.
    Probes,
    /// The second: sends less.
    Drains,
    /// All others: sends what is delivered.
    Cruises,
}

/// Which phase it is, and since when.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cycle {
    index: u64,
    began: Time,
}

impl Cycle {
    /// Begins with any phase but the one that drains, at random, so that flows do not probe together.
    pub fn begin(&mut self, now: Time, phases: u64, random: &mut dyn Random) {
        let others = phases.saturating_sub(1).max(1);
        let drawn = ((random.uniform() * others as f64) as u64).min(others - 1);
        self.index = (phases - drawn) % phases;
        self.began = now;
    }

    /// `BBRIsNextCyclePhase`. A phase lasts a round trip; that which probes goes on until it has filled the pipe to `most` or
    /// lost something, and that which drains ends as soon as no more than `least` is in flight.
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

    /// What the present phase does.
    pub fn phase(&self) -> Phase {
        match self.index {
            0 => Phase::Probes,
            1 => Phase::Drains,
            _ => Phase::Cruises,
        }
    }

    /// Its number, for figures.
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
