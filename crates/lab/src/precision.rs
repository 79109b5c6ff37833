//! How narrow the intervals of some metrics have to be: replications are added until they are.

pub mod reading;

use serde::Serialize;

/// Replications to begin with where the file does not say: an interval of fewer comes out narrow by chance.
pub const FIRST: i64 = 5;

/// What `precision` asks for.
#[derive(Clone, Debug, Serialize)]
pub struct Precision {
    /// Half the 95 % interval over the mean.
    pub within: f64,
    /// `fairness`, `groups.GROUP.FIELD` or `links.LINK.FIELD`.
    pub metrics: Vec<String>,
    /// Where to stop in any case.
    pub replications_most: i64,
}
