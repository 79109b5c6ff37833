//! What a run reports.

use crate::lateness::LatenessResult;
use ackclock_lab::result::LinkResult;
use serde::Serialize;

/// The outcome of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// How long the run lasted, in seconds.
    pub lasted_s: f64,
    /// The end of the warm-up, in seconds since the beginning. Links count from then on.
    pub measured_from_s: f64,
    /// The end of what links count, in seconds since the beginning.
    pub measured_to_s: f64,
    /// The links from the first host to the second.
    pub forward: Vec<LinkResult>,
    /// The links from the second host to the first.
    pub backward: Vec<LinkResult>,
    /// How late packets left.
    pub lateness: LatenessResult,
    /// Packets that were lost outside of the links: a socket or an interface had no room.
    pub lost_outside: u64,
    /// Frames that do not cross the links: those that are not IP, and those to groups.
    pub not_ip: u64,
    /// Whether the run had real-time priority.
    pub real_time: bool,
    /// Whether the namespaces belong to a user namespace, because the user is not root.
    pub user_namespace: bool,
    /// The default congestion control of both hosts.
    pub control: String,
    /// The kernel's release.
    pub kernel: String,
    /// The exit code of the first host's program; 128 plus the number of the signal that ended it.
    pub exit_code: i32,
    /// Why the run is invalid, a sentence for each reason; empty if it is valid.
    pub problems: Vec<String>,
}
