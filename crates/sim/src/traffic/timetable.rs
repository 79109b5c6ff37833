//! Connections whose beginnings and sizes do not depend on the network, so that all are known before the run.

use crate::random::Stream;
use ackclock_base::Time;
use std::fmt::Debug;

/// One connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connection {
    /// When it begins.
    pub at: Time,
    /// Between which of the pairs of server and client.
    pub pair: usize,
    /// How many packets it has.
    pub packets: u64,
    /// How many bytes they carry; `None` where they are full.
    pub bytes: Option<u64>,
}

/// What a timetable draws from. A size that is drawn changes no time.
#[derive(Clone, Debug)]
pub struct Streams {
    /// Of when connections begin, and all that a web session draws.
    pub times: Stream,
    /// Of the sizes of transfers.
    pub sizes: Stream,
}

/// An application whose connections are such.
pub trait Timetable: Debug + Send + Sync {
    /// The most connections there can be.
    fn most_connections(&self) -> u64;

    /// The most packets of one of them; infinite where there is no greatest number.
    fn most_packets(&self) -> f64 {
        f64::INFINITY
    }

    /// The most links that all connections pass together, over pairs whose paths have these numbers of links.
    fn most_steps(&self, links: &[usize]) -> usize;

    /// The connections that begin from `start` and before `end`.
    fn connections(&self, start: Time, end: Time, pairs: usize, streams: &mut Streams) -> Vec<Connection>;
}
