//! A medium with a token that passes from station to station in order. The station with the token may send
//! one packet; the token circulates while no station sends.

use super::registry::{Entry, medium};
use super::{Medium, Station, Turn};
use ackclock_base::{Random, Range, Span, Time, parameters};

/// The medium's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &medium(
        "token",
        "A token passes from station to station; the station with the token can send one packet, without collisions",
        "IEEE 802.4 in its simplest form",
        Token::TABLE,
    ),
    build: |values, _| Box::new(Passing { parameters: values.into(), holder: 0, since: Time::ZERO }),
};

parameters! {
    /// The parameters of a token medium.
    pub struct Token {
        /// Time that the token takes to pass from one station to the next
        pass: Span = time("10 us", Range { min: 0.0, max: 60.0, above_min: true }, "none"),
    }
}

struct Passing {
    parameters: Token,
    /// The station that has the token at `since`; from then on the token circulates. The number of stations
    /// stands for station 0.
    holder: usize,
    since: Time,
}

impl Passing {
    /// Returns when a station next has the token, not before `now`.
    fn reaches(&self, station: usize, stations: usize, now: Time) -> Time {
        let pass = self.parameters.pass;
        let steps = (station + stations - self.holder) % stations;
        let first = self.since + pass * steps as u64;
        let round = pass * stations as u64;
        let late = now.since(first);
        first + round * late.nanos().div_ceil(round.nanos())
    }
}

impl Medium for Passing {
    fn next(&mut self, now: Time, stations: &[Station], _random: &mut dyn Random) -> Turn {
        let ready = (0..stations.len()).filter(|station| stations[*station].may_send(now));
        let turns = ready.map(|station| Turn { station, starts: self.reaches(station, stations.len(), now) });
        let Some(turn) = turns.min_by_key(|turn| turn.starts) else {
            panic!("the next turn is requested, but no station has anything to send")
        };
        turn
    }

    fn on_sending(&mut self, station: usize, _starts: Time, sent: Time) {
        // A station passes the token on after its packet: the next station has it one step later, and the
        // station itself a round later.
        (self.holder, self.since) = (station + 1, sent + self.parameters.pass);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::medium::registry;
    use ackclock_base::random::Scripted;

    #[test]
    fn the_token_is_with_a_station_once_in_a_round() {
        // There are three stations, with 10 us per step. Station 0 has the token at 0, 30 and 60 us, station
        // 1 at 10, 40 and 70 us.
        let entry = registry::find("token").unwrap();
        let mut medium = (entry.build)(&entry.descriptor.defaults(), &[0, 1, 2]);
        let random = &mut Scripted::new(&[]);
        let us = |us: u64| Time::from_nanos(us * 1000);
        let only = |station: usize| {
            let mut stations = [Station::default(); 3];
            stations[station].packets = 1;
            stations
        };
        for (station, now, starts) in [(0, 0, 0), (1, 0, 10), (2, 15, 20), (0, 31, 60), (1, 41, 70)] {
            let turn = medium.next(us(now), &only(station), random);
            assert_eq!(turn, Turn { station, starts: us(starts) });
        }
        // Station 1 sends until 100 us: station 2 has the token at 110, station 0 at 120, and station 1 again
        // at 130 us.
        medium.on_sending(1, us(70), us(100));
        for (station, starts) in [(2, 110), (0, 120), (1, 130)] {
            assert_eq!(medium.next(us(100), &only(station), random).starts, us(starts));
        }
        let all = [Station { packets: 1, ready: Time::ZERO }; 3];
        assert_eq!(medium.next(us(100), &all, random), Turn { station: 2, starts: us(110) });
    }

    #[test]
    #[should_panic(expected = "no station has anything to send")]
    fn asking_for_a_turn_without_packets_panics() {
        let entry = registry::find("token").unwrap();
        let mut medium = (entry.build)(&entry.descriptor.defaults(), &[0, 1, 2]);
        medium.next(Time::ZERO, &[Station::default(); 3], &mut Scripted::new(&[]));
    }
}
