//! Transfers of one size, or of drawn sizes, each over a connection of its own that begins whether or not the
//! previous one has ended: the short flows beside a long one of RFC 7928 section 5.1.2.

use super::empirical::Empirical;
use super::timetable::{Connection, Streams, Timetable};
use super::{Entry, FromFile, MEAN_TIMES, NamedFiles, TimetableEntry, TimetableWords, Workload, application};
use crate::random::Stream;
use ackclock_base::declare::NamedFile;
use ackclock_base::{Range, Size, Span, Time, choice, parameters};
use std::sync::Arc;

/// The entry in the list of applications.
pub const ENTRY: Entry = Entry {
    descriptor: &application(
        "transfers",
        "Starts transfers at intervals, whether or not earlier transfers have ended, each over its own connection",
        "RFC 7928 section 5.1.2; with `sizes`, Alizadeh et al., pFabric, SIGCOMM 2013, section 5.1",
        Parameters::TABLE,
    ),
    workload: Workload::Timetable(TimetableEntry {
        files: |values, payload_bytes| {
            let Parameters { sizes, list, unit, .. } = values.into();
            let unit = unit.bytes(payload_bytes);
            NamedFiles { sizes: sizes.map(|_| unit), list: list.map(|_| unit) }
        },
        build: |values, payload_bytes, file| match file {
            Some(FromFile::List(list)) => Arc::new(Listed { list, payload_bytes: payload_bytes.max(1) }),
            Some(FromFile::Sizes(drawn)) => {
                Arc::new(Transfers::of(&values.into(), payload_bytes, Some(drawn)))
            }
            None => Arc::new(Transfers::of(&values.into(), payload_bytes, None)),
        },
        words: TimetableWords {
            what: "transfers",
            number: "the application's `count`",
            connections: "transfers",
            remedy: "lower `count` or shorten `list`",
        },
    }),
};

choice! {
    /// The distribution of the times from one beginning to the next.
    pub enum Intervals {
        /// All times have the same length.
        Fixed = "fixed",
        /// The times are drawn from an exponential distribution.
        Exponential = "exponential",
    }
}

choice! {
    /// The unit of sizes in a file.
    pub enum Unit {
        /// Bytes.
        Bytes = "B",
        /// Thousands of bytes.
        Kilobytes = "kB",
        /// Full packets of the transport.
        Packets = "packets",
    }
}

impl Unit {
    fn bytes(self, payload_bytes: u64) -> f64 {
        match self {
            Self::Bytes => 1.0,
            Self::Kilobytes => 1000.0,
            Self::Packets => payload_bytes as f64,
        }
    }
}

/// The largest number of transfers of a `count`.
const MOST_COUNTED: u64 = 10_000;
/// The largest number of transfers. Each takes as much memory as a flow.
pub const MOST: u64 = 100_000;

parameters! {
    /// The parameters of transfers.
    pub struct Parameters {
        /// The size of each transfer, rounded up to whole packets
        size: Size = size("100 kB", Range::between(1.0, MOST_BYTES), "none"),
        /// A file with the distribution from which sizes are drawn, in place of `size`: each line has a size and the
        /// share of transfers that are no larger, as a fraction up to 1 or a percentage up to 100; none: all transfers
        /// have the size `size`
        sizes: Option<NamedFile> = file("examples of distributions: DCTCP, SIGCOMM 2010; pFabric, SIGCOMM 2013"),
        /// A file with one transfer per line, in place of `size`, `sizes`, `count`, `every` and `intervals`: the
        /// seconds from `start` to the beginning of the transfer, and its size in `unit`; none: the other parameters
        /// set the transfers
        list: Option<NamedFile> = file("none"),
        /// The unit of the sizes in the file of `sizes` or `list`: bytes (B), 1000 bytes (kB), or full packets of the
        /// transport (packets)
        unit: Unit = choice("B", "none"),
        /// The number of transfers; those that would begin after `stop` or the end of the run are left out
        count: u64 = integer("100", Range::between(1.0, MOST_COUNTED as f64), "none"),
        /// The time from the beginning of one transfer to the beginning of the next; the mean time with exponential
        /// `intervals`
        every: Span = time("5 s", MEAN_TIMES, "none"),
        /// The times from one transfer to the next: constant (fixed), or drawn from an exponential distribution
        /// (exponential)
        intervals: Intervals = choice("fixed", "none"),
    }
}

/// The largest size of a transfer in bytes.
pub const MOST_BYTES: f64 = 1e15;

/// The size of each transfer.
#[derive(Clone, Debug, PartialEq)]
pub enum Sizes {
    /// This number of bytes for each transfer.
    Fixed(u64),
    /// A draw from a distribution for each transfer.
    Drawn(Empirical),
}

impl Sizes {
    fn next(&self, random: &mut Stream) -> u64 {
        match self {
            Self::Fixed(bytes) => *bytes,
            Self::Drawn(distribution) => distribution.draw(random),
        }
    }

    /// Returns the mean size in bytes.
    pub fn mean(&self) -> f64 {
        match self {
            Self::Fixed(bytes) => *bytes as f64,
            Self::Drawn(distribution) => distribution.mean(),
        }
    }

    /// Returns the largest size in bytes.
    pub fn most(&self) -> u64 {
        match self {
            Self::Fixed(bytes) => *bytes,
            Self::Drawn(distribution) => distribution.most(),
        }
    }
}

/// The sizes of the transfers and the times at which they begin.
#[derive(Clone, Debug, PartialEq)]
pub struct Transfers {
    /// The size of each transfer.
    pub sizes: Sizes,
    /// The payload bytes of a packet.
    pub payload_bytes: u64,
    /// The number of transfers.
    pub count: u64,
    /// The time from one beginning to the next, or its mean.
    pub every: Span,
    /// Whether these times are drawn from an exponential distribution.
    pub exponential: bool,
}

impl Transfers {
    /// Creates the transfers from the parameters of a scenario, for packets of this payload. `drawn` is the
    /// distribution in the file that `sizes` names; with `None`, every transfer has the size `size`.
    pub fn of(parameters: &Parameters, payload_bytes: u64, drawn: Option<Empirical>) -> Self {
        Self {
            sizes: drawn.map_or(Sizes::Fixed(parameters.size.bytes()), Sizes::Drawn),
            payload_bytes: payload_bytes.max(1),
            count: parameters.count,
            every: parameters.every,
            exponential: parameters.intervals == Intervals::Exponential,
        }
    }
}

impl Timetable for Transfers {
    fn most_connections(&self) -> u64 {
        self.count
    }

    fn most_packets(&self) -> f64 {
        self.sizes.most().div_ceil(self.payload_bytes) as f64
    }

    fn most_steps(&self, links: &[usize]) -> usize {
        steps_in_turn(self.count as usize, links)
    }

    /// Returns the connections in the order of their beginnings. The transfers take the pairs of server and
    /// client in turn.
    fn connections(&self, start: Time, end: Time, pairs: usize, streams: &mut Streams) -> Vec<Connection> {
        let Streams { times: random, sizes } = streams;
        let mut at = start;
        let mut connections = Vec::new();
        for index in 0..self.count {
            if at >= end {
                break;
            }
            let pair = (index % pairs.max(1) as u64) as usize;
            let bytes = self.sizes.next(sizes);
            let packets = bytes.div_ceil(self.payload_bytes);
            connections.push(Connection { at, pair, packets, bytes: Some(bytes) });
            at += if self.exponential {
                Span::from_seconds(random.exponential(self.every.seconds()))
            } else {
                self.every
            };
        }
        connections
    }
}

/// Transfers with the times and sizes of a list. They take the pairs of server and client in turn.
#[derive(Clone, Debug, PartialEq)]
struct Listed {
    /// The time from the start to the beginning of each transfer, in order, and its bytes.
    list: Arc<[(Span, u64)]>,
    payload_bytes: u64,
}

impl Timetable for Listed {
    fn most_connections(&self) -> u64 {
        self.list.len() as u64
    }

    fn most_packets(&self) -> f64 {
        let largest = self.list.iter().map(|(_, bytes)| *bytes).max().unwrap_or_default();
        largest.div_ceil(self.payload_bytes) as f64
    }

    fn most_steps(&self, links: &[usize]) -> usize {
        steps_in_turn(self.list.len(), links)
    }

    fn connections(&self, start: Time, end: Time, pairs: usize, _streams: &mut Streams) -> Vec<Connection> {
        let connection = |(index, (after, bytes)): (usize, &(Span, u64))| Connection {
            at: start + *after,
            pair: index % pairs.max(1),
            packets: bytes.div_ceil(self.payload_bytes),
            bytes: Some(*bytes),
        };
        self.list.iter().enumerate().map(connection).take_while(|connection| connection.at < end).collect()
    }
}

/// Returns the number of links on the paths of `count` transfers that take pairs in turn, given the number of links of
/// each pair.
fn steps_in_turn(count: usize, links: &[usize]) -> usize {
    let pairs = links.len().max(1);
    let rest: usize = links.iter().take(count % pairs).sum();
    (count / pairs).saturating_mul(links.iter().sum()).saturating_add(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: Transfers = Transfers {
        sizes: Sizes::Fixed(30_000),
        payload_bytes: 1000,
        count: 50,
        every: Span::from_millis(5000),
        exponential: false,
    };

    fn connections(transfers: &Transfers, start: Time, end: Time) -> Vec<Connection> {
        let stream = |of: &str| Stream::new(1, of);
        let mut streams = Streams { times: stream("transfers"), sizes: stream("sizes") };
        transfers.connections(start, end, 3, &mut streams)
    }

    fn begins(transfers: &Transfers, until: f64) -> Vec<f64> {
        let (start, end) = (Time::from_seconds(20.0), Time::from_seconds(until));
        connections(transfers, start, end).iter().map(|connection| connection.at.seconds()).collect()
    }

    #[test]
    fn transfers_begin_at_fixed_intervals_and_take_the_pairs_in_turn() {
        assert_eq!(begins(&USUAL, 36.0), [20.0, 25.0, 30.0, 35.0]);
        assert_eq!(begins(&USUAL, 35.0).len(), 3, "what would begin at the end does not");
        assert_eq!(begins(&USUAL, 1e6).len(), 50);
        let connections = connections(&USUAL, Time::ZERO, Time::NEVER);
        assert_eq!([0, 1, 2, 3].map(|index: usize| connections[index].pair), [0, 1, 2, 0]);
        assert!(connections.iter().all(|connection| connection.packets == 30));
    }

    #[test]
    fn exponential_intervals_have_their_mean() {
        // The mean of 10000 intervals of 5 s has a standard error of 1 %.
        let many = Transfers { count: 10_001, exponential: true, ..USUAL };
        let times = begins(&many, 1e9);
        assert!(((times[10_000] - times[0]) / 10_000.0 / 5.0 - 1.0).abs() < 0.03);
    }

    #[test]
    fn sizes_are_rounded_up_to_whole_packets() {
        let parameters = Parameters { size: Size::from_bytes(14_481), ..Parameters::default() };
        let packets = |payload| {
            connections(&Transfers::of(&parameters, payload, None), Time::ZERO, Time::NEVER)[0].packets
        };
        assert_eq!((packets(1448), packets(14_481)), (11, 1));
    }

    #[test]
    fn drawn_sizes_do_not_change_times() {
        let sizes = Empirical::of(vec![(1000.0, 0.5), (9000.0, 1.0)]).unwrap();
        let random = Transfers { exponential: true, ..USUAL };
        let drawn = Transfers { sizes: Sizes::Drawn(sizes), ..random.clone() };
        let times = |transfers: &Transfers| begins(transfers, 1e6);
        assert_eq!(times(&random), times(&drawn));
        let connections = connections(&drawn, Time::ZERO, Time::NEVER);
        assert!(connections.iter().any(|connection| connection.bytes == Some(1000)));
        for connection in connections {
            assert_eq!(Some(connection.packets), connection.bytes.map(|bytes| bytes.div_ceil(1000)));
        }
    }

    #[test]
    fn a_list_says_when_transfers_begin_and_how_large_they_are() {
        let list: Arc<[(Span, u64)]> = [(0, 1500), (2000, 0), (2000, 3000), (9000, 1)]
            .map(|(ms, bytes)| (Span::from_millis(ms), bytes))
            .into();
        let listed = Listed { list, payload_bytes: 1000 };
        let mut streams = Streams { times: Stream::new(1, "times"), sizes: Stream::new(1, "sizes") };
        // The start is 10 s, so the last transfer would begin at 19 s, which is the end.
        let (start, end) = (Time::from_seconds(10.0), Time::from_seconds(19.0));
        let connections = listed.connections(start, end, 2, &mut streams);
        let expected = [(10.0, 0, 2, 1500), (12.0, 1, 0, 0), (12.0, 0, 3, 3000)];
        let expected = expected.map(|(at, pair, packets, bytes)| Connection {
            at: Time::from_seconds(at),
            pair,
            packets,
            bytes: Some(bytes),
        });
        assert_eq!(connections, expected);
        assert_eq!((listed.most_connections(), listed.most_packets()), (4, 3.0));
        // Four transfers over pairs of 3 and 5 links, two each.
        assert_eq!(listed.most_steps(&[3, 5]), 16);
    }
}
