//! A medium of one's own: its stations take turns. A station that has nothing to send is passed over, and between the
//! turns of two stations the medium is silent for a while, as a half-duplex radio is that has to change its direction.

use ackclock_base::{Random, Span, Time};
use ackclock_sim::medium::{Medium, Station, Turn};

/// Stations that take turns, a packet each.
#[derive(Clone, Copy, Debug, Default)]
pub struct TakingTurns {
    /// Silence between the turns of two stations.
    turnaround: Span,
    /// Who has sent last, and until when.
    last: usize,
    sent: Time,
}

impl TakingTurns {
    /// With so much silence between two turns. The first station is the first to send.
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
