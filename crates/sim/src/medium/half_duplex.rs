//! A medium whose links take turns, one packet each: a radio or a wire that carries one direction at a time.
//! Between the turns of two stations it is silent for a while.

use super::registry::{Entry, medium};
use super::{Medium, Station, Turn};
use ackclock_base::{Random, Range, Span, Time, parameters};

/// The medium's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &medium(
        "half-duplex",
        "Stations with packets to send take turns, one packet each, without collisions",
        "none",
        HalfDuplex::TABLE,
    ),
    build: |values, _| Box::new(TakingTurns { parameters: values.into(), last: 0, sent: Time::ZERO }),
};

parameters! {
    /// The parameters of a half-duplex medium.
    pub struct HalfDuplex {
        /// Idle time of the medium between transmissions of two different stations
        turnaround: Span = time("0 s", Range::between(0.0, 60.0), "none"),
    }
}

struct TakingTurns {
    parameters: HalfDuplex,
    /// The station that sent last, and the end of its transmission.
    last: usize,
    sent: Time,
}

impl Medium for TakingTurns {
    fn next(&mut self, now: Time, stations: &[Station], _random: &mut dyn Random) -> Turn {
        let others = (1..stations.len()).map(|step| (self.last + step) % stations.len());
        match others.into_iter().find(|station| stations[*station].may_send(now)) {
            Some(station) => Turn { station, starts: now.max(self.sent + self.parameters.turnaround) },
            None => Turn { station: self.last, starts: now },
        }
    }

    fn on_sending(&mut self, station: usize, _starts: Time, sent: Time) {
        (self.last, self.sent) = (station, sent);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::medium::registry;
    use ackclock_base::Values;
    use ackclock_base::random::Scripted;

    const READY: Station = Station { packets: 1, ready: Time::ZERO };
    const NOTHING: Station = Station { packets: 0, ready: Time::ZERO };

    #[test]
    fn stations_take_turns_with_a_silence_at_each_change() {
        let entry = registry::find("half-duplex").unwrap();
        let values = Values::with(entry.descriptor, &[("turnaround", "1 ms")]);
        let mut medium = (entry.build)(&values, &[0, 1, 2]);
        let random = &mut Scripted::new(&[]);
        let (ms, now) = (Span::from_millis(1), Time::from_seconds(1.0));
        medium.on_sending(0, Time::ZERO, now);
        assert_eq!(medium.next(now, &[READY, NOTHING, READY], random), Turn { station: 2, starts: now + ms });
        assert_eq!(medium.next(now, &[READY, NOTHING, NOTHING], random), Turn { station: 0, starts: now });
        let later = now + ms * 5;
        assert_eq!(medium.next(later, &[READY, READY, READY], random), Turn { station: 1, starts: later });
    }
}
