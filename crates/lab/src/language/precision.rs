//! The precision of metrics: replications are added until their intervals are narrow enough.

pub mod reading;

use serde::Serialize;

/// The number of replications to begin with by default. An interval of fewer may be narrow by chance.
pub const FIRST: i64 = 5;

/// The precision that a scenario asks for.
#[derive(Clone, Debug, Serialize)]
pub struct Precision {
    /// The maximum of half the 95 % interval, as a fraction of the mean.
    pub within: f64,
    /// The metrics: `fairness`, `groups.GROUP.FIELD` or `links.LINK.FIELD`.
    pub metrics: Vec<String>,
    /// The maximum number of replications.
    pub replications_most: i64,
}
