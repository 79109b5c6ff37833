//! The measurements that only an association has.

use super::connection::SendingEnd;
use crate::endpoint::Endpoint;
use ackclock_base::Time;
use ackclock_recovery::sender::Counts;

/// The measurements of an association with several paths.
#[derive(Clone, Debug, Default)]
pub struct AssociationReport {
    /// The measurements of each path.
    pub paths: Vec<PathReport>,
    /// The number of times that new data left a path because the path had failed or might have.
    pub failovers: u64,
    /// The number of times that a path selector moved new data to another path.
    pub switches: u64,
    /// The number of HEARTBEATs sent.
    pub heartbeats: u64,
    /// The number of HEARTBEATs that were not answered in time.
    pub heartbeats_lost: u64,
    /// The time at which the association failed; `None` if it has not.
    pub failed_at: Option<Time>,
}

/// The measurements of one of several paths.
#[derive(Clone, Debug, Default)]
pub struct PathReport {
    /// The counts of loss recovery.
    pub counts: Counts,
    /// The integral of the congestion window over time, in packet seconds.
    pub cwnd_area: f64,
}

/// Returns what a sender has measured as of `until`; `None` for one of another transport.
pub fn of(sender: &dyn Endpoint, until: Time) -> Option<AssociationReport> {
    Some(sender.of::<SendingEnd>()?.association.own_report(until))
}
