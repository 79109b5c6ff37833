//! Timetables: connections whose beginnings and sizes do not depend on the network, so that all are known
//! before the run.

use crate::random::Stream;
use ackclock_base::Time;
use std::fmt::Debug;

/// A connection of a timetable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connection {
    /// The time at which it begins, from the start of the run.
    pub at: Time,
    /// The index of the pair of server and client.
    pub pair: usize,
    /// The number of packets to send over it.
    pub packets: u64,
    /// The number of payload bytes; `None` if all packets are full.
    pub bytes: Option<u64>,
}

/// The random streams of a timetable. Sizes of transfers have a stream of their own, so that they do not
/// affect times.
#[derive(Clone, Debug)]
pub struct Streams {
    /// The stream of the times at which connections begin, and of everything that a web session draws.
    pub times: Stream,
    /// The stream of the sizes of transfers.
    pub sizes: Stream,
}

/// An application that begins connections by a timetable.
pub trait Timetable: Debug + Send + Sync {
    /// Returns the largest possible number of connections, if all begin before the end of the run.
    fn most_connections(&self) -> u64;

    /// Returns the largest number of packets of a connection; infinity if there is no limit.
    fn most_packets(&self) -> f64 {
        f64::INFINITY
    }

    /// Returns the largest possible number of links on the paths of all connections, where a link counts once
    /// for each connection. `links` holds the number of links for one connection of each pair.
    fn most_steps(&self, links: &[usize]) -> usize;

    /// Returns the connections that begin from `start` on and before `end`.
    fn connections(&self, start: Time, end: Time, pairs: usize, streams: &mut Streams) -> Vec<Connection>;
}
