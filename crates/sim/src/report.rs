//! What an endpoint has measured: one record for all transports, which results are made from.

use crate::histogram::Histogram;
use crate::session::Tally;
use ackclock_base::{Span, Time};
use ackclock_recovery::sender::Counts;

/// What the endpoint that sends has measured since counting began. A part is `None` where its transport has no such thing.
#[derive(Clone, Debug, Default)]
pub struct Report<'e> {
    /// What recovery has counted, over all paths.
    pub counts: Counts,
    /// The round trips that acknowledgements showed.
    pub rtt: Option<&'e Histogram>,
    /// The congestion window's integral over time, in packet seconds; the sum over all paths.
    pub cwnd_area: Option<f64>,
    /// For how long each [limit](ackclock_recovery::sender::Limit) has held the sender back, in the order of
    /// [`Limit::ALL`](ackclock_recovery::sender::Limit::ALL).
    pub limited: Option<[Span; 4]>,
    /// How often the sender has asked for a window, or has said that it is out of credit; `None` where the receiving application
    /// reads everything at once.
    pub window_probes: Option<u64>,
    /// Requests, and how long their replies took.
    pub requests: Option<&'e Tally>,
    /// What only an association with several paths counts.
    pub association: Option<AssociationReport>,
}

/// What an association with several paths has measured.
#[derive(Clone, Debug, Default)]
pub struct AssociationReport {
    /// By path.
    pub paths: Vec<PathReport>,
    /// How often new data left a path because that had failed, or might have.
    pub failovers: u64,
    /// How often a selector sent new data over another path.
    pub switches: u64,
    /// HEARTBEATs sent.
    pub heartbeats: u64,
    /// HEARTBEATs that were not answered in time.
    pub heartbeats_lost: u64,
    /// When the association failed; `None` if it has not.
    pub failed_at: Option<Time>,
}

/// What one of several paths has measured.
#[derive(Clone, Debug, Default)]
pub struct PathReport {
    /// What recovery has counted.
    pub counts: Counts,
    /// The congestion window's integral over time, in packet seconds.
    pub cwnd_area: f64,
}
