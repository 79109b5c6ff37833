//! Transfers of one size, each over a TCP connection of its own that begins whether or not the one before has ended:
//! the short flows beside a long one of RFC 7928 section 5.1.2.

use super::timetable::Connection;
use super::{MEAN_TIMES, application};
use crate::random::Stream;
use ackclock_base::{Descriptor, Range, Size, Span, Time, choice, parameters};

/// What it is.
pub const DESCRIPTOR: Descriptor = application(
    "transfers",
    "One transfer after another, each over a TCP connection of its own",
    "RFC 7928 section 5.1.2",
    Parameters::TABLE,
);

choice! {
    /// How long the times from beginning to beginning are.
    pub enum Intervals {
        /// All of one length.
        Fixed = "fixed",
        /// Drawn from an exponential distribution.
        Exponential = "exponential",
    }
}

parameters! {
    /// How much, how many and how often.
    pub struct Parameters {
        /// What each transfer has to send; a begun packet is a whole one
        size: Size = size("100 kB", Range::between(1.0, 1e15), "none"),
        /// How many there are, as far as they begin before the end of the run
        count: u64 = integer("100", Range::between(1.0, 1e6), "none"),
        /// The time from the beginning of one to the beginning of the next; with exponential intervals in the mean
        every: Span = time("5 s", MEAN_TIMES, "none"),
        /// All of one length, or drawn from an exponential distribution
        intervals: Intervals = choice("fixed", "none"),
    }
}

/// How transfers go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfers {
    /// Packets of each.
    pub packets: u64,
    /// How many there are.
    pub count: u64,
    /// The time between two beginnings, or the mean of that.
    pub every: Span,
    /// Whether those times are drawn from an exponential distribution.
    pub exponential: bool,
}

impl Transfers {
    /// What a scenario says, in packets of this payload.
    pub fn of(parameters: &Parameters, payload_bytes: u64) -> Self {
        Self {
            packets: parameters.size.bytes().div_ceil(payload_bytes.max(1)),
            count: parameters.count,
            every: parameters.every,
            exponential: parameters.intervals == Intervals::Exponential,
        }
    }

    /// Those that begin from `start` and before `end`; they take the pairs in turn.
    pub fn connections(&self, start: Time, end: Time, pairs: usize, random: &mut Stream) -> Vec<Connection> {
        let mut at = start;
        let mut connections = Vec::new();
        for index in 0..self.count {
            if at >= end {
                break;
            }
            let pair = (index % pairs.max(1) as u64) as usize;
            connections.push(Connection { at, pair, packets: self.packets });
            at += if self.exponential {
                Span::from_seconds(random.exponential(self.every.seconds()))
            } else {
                self.every
            };
        }
        connections
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: Transfers =
        Transfers { packets: 30, count: 50, every: Span::from_millis(5000), exponential: false };

    fn begins(transfers: &Transfers, until: f64) -> Vec<f64> {
        let (start, end) = (Time::from_seconds(20.0), Time::from_seconds(until));
        let connections = transfers.connections(start, end, 3, &mut Stream::new(1, "transfers"));
        connections.iter().map(|connection| connection.at.seconds()).collect()
    }

    #[test]
    fn they_begin_at_fixed_intervals_and_take_the_pairs_in_turn() {
        assert_eq!(begins(&USUAL, 36.0), [20.0, 25.0, 30.0, 35.0]);
        assert_eq!(begins(&USUAL, 35.0).len(), 3, "what would begin at the end does not");
        assert_eq!(begins(&USUAL, 1e6).len(), 50);
        let connections = USUAL.connections(Time::ZERO, Time::NEVER, 3, &mut Stream::new(1, "transfers"));
        assert_eq!([0, 1, 2, 3].map(|index: usize| connections[index].pair), [0, 1, 2, 0]);
        assert!(connections.iter().all(|connection| connection.packets == 30));
    }

    #[test]
    fn exponential_intervals_have_their_mean() {
        // 10000 intervals of 5 s: standard error 1 %.
        let many = Transfers { count: 10_001, exponential: true, ..USUAL };
        let times = begins(&many, 1e9);
        assert!(((times[10_000] - times[0]) / 10_000.0 / 5.0 - 1.0).abs() < 0.03);
    }

    #[test]
    fn a_begun_packet_is_a_whole_one() {
        let parameters = Parameters { size: Size::from_bytes(14_481), ..Parameters::default() };
        assert_eq!(Transfers::of(&parameters, 1448).packets, 11);
        assert_eq!(Transfers::of(&parameters, 14_481).packets, 1);
    }
}
