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

/// The applications that are such connections.
#[derive(Clone, Debug, PartialEq)]
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

    /// The most links that so many connections pass whose pairs have paths of these numbers of links.
    pub fn most_steps(&self, links: &[usize]) -> usize {
        match self {
            // Any session may draw any pair.
            Self::Web(web) => {
                let longest = links.iter().copied().max().unwrap_or(0);
                (web.most_connections() as usize).saturating_mul(longest)
            }
            Self::Transfers(transfers) => {
                let (count, pairs) = (transfers.count as usize, links.len().max(1));
                let rest: usize = links.iter().take(count % pairs).sum();
                (count / pairs).saturating_mul(links.iter().sum()).saturating_add(rest)
            }
        }
    }

    /// The connections that begin from `start` and before `end`.
    pub fn connections(
        &self,
        start: Time,
        end: Time,
        pairs: usize,
        streams: &mut Streams,
    ) -> Vec<Connection> {
        let Streams { times: random, sizes } = streams;
        match self {
            Self::Web(web) => web.connections(start, end, pairs, random),
            Self::Transfers(transfers) => transfers.connections(start, end, pairs, random, sizes),
        }
    }
}
