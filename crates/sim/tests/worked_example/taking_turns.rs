//! A custom medium: its stations take turns. A station without packets is passed over, and between the turns
//! of two stations the medium is silent for a while, like a half-duplex radio that has to change its
//! direction.

use ackclock_base::{Random, Span, Time};
use ackclock_sim::medium::{Medium, Station, Turn};

/// A medium whose stations take turns, one packet each.
#[derive(Clone, Copy, Debug, Default)]
pub struct TakingTurns {
    /// The silence between the turns of two stations.
    turnaround: Span,
    /// The station that sent last, and the end of its transmission.
    last: usize,
    sent: Time,
}

impl TakingTurns {
    /// Creates a medium with `turnaround` of silence between two turns. The first station sends first.
    pub fn new(turnaround: Span) -> Self {
        Self { turnaround, ..Self::default() }
    }
}

impl Medium for TakingTurns {
    fn next(&mut self, now: Time, stations: &[Station], _random: &mut dyn Random) -> Turn {
        let has_turn = |station: &usize| stations[*station].packets > 0 && stations[*station].ready <= now;
        let mut others = (1..stations.len()).map(|step| (self.last + step) % stations.len());
        match others.find(has_turn) {
            Some(station) => Turn { station, starts: now.max(self.sent + self.turnaround) },
            None => Turn { station: self.last, starts: now },
        }
    }

    fn on_sending(&mut self, station: usize, _starts: Time, sent: Time) {
        (self.last, self.sent) = (station, sent);
    }
}
