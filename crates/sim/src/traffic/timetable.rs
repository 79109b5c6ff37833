//! Connections whose beginnings and sizes do not depend on the network, so that all are known before the run.

use super::transfers::Transfers;
use super::web::Web;
use crate::random::Stream;
use ackclock_base::Time;

/// One connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connection {
    /// When it begins.
    pub at: Time,
    /// Between which of the pairs of server and client.
    pub pair: usize,
    /// How many packets it has.
    pub packets: u64,
}

/// The applications that are such connections.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Timetable {
    /// Sessions that fetch pages.
    Web(Web),
    /// Transfers one after another.
    Transfers(Transfers),
}

impl Timetable {
    /// The application's name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Web(_) => "web",
            Self::Transfers(_) => "transfers",
        }
    }

    /// The most connections there can be.
    pub fn most_connections(&self) -> u64 {
        match self {
            Self::Web(web) => web.most_connections(),
            Self::Transfers(transfers) => transfers.count,
        }
    }

    /// The connections that begin from `start` and before `end`.
    pub fn connections(&self, start: Time, end: Time, pairs: usize, random: &mut Stream) -> Vec<Connection> {
        match self {
            Self::Web(web) => web.connections(start, end, pairs, random),
            Self::Transfers(transfers) => transfers.connections(start, end, pairs, random),
        }
    }
}
