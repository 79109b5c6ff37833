//! What a run reports.

use crate::Device;
use crate::lateness::LatenessResult;
use ackclock_kernel::Report;
use ackclock_lab::run::result::{LinkResult, RunResult, SeriesResult};
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
    /// Under which conditions it ran.
    #[serde(flatten)]
    pub conditions: Conditions,
    /// The default congestion control of both hosts.
    pub control: String,
    /// What took the packets of both hosts.
    pub device: Device,
    /// The exit code of the first host's program; 128 plus the number of the signal that ended it.
    pub exit_code: i32,
}

/// The outcome of the flows of a scenario on real stacks.
#[derive(Clone, Debug, Serialize)]
pub struct FlowsOutcome {
    /// The result, as a simulation has it. What nothing tells is null.
    #[serde(flatten)]
    pub result: RunResult,
    /// Under which conditions it was measured.
    pub wire: FlowsConditions,
}

/// The conditions of flows on real stacks.
#[derive(Clone, Debug, Serialize)]
pub struct FlowsConditions {
    /// Those of every run.
    #[serde(flatten)]
    pub conditions: Conditions,
    /// How late stacks that run in this process were told of datagrams and timers; `None` without such stacks.
    pub stacks: Option<LatenessResult>,
    /// How decisions of our controls reached the kernel, for each control that a flow of the kernel has.
    pub controls: Vec<Report>,
    /// What the ends of the flows counted over time, at the scenario's sampling interval: `goodput_bps`, and over the kernel's TCP
    /// `cwnd_packets` and `ssthresh_packets`.
    pub series: SeriesResult,
}

/// The conditions of a run, and whether it counts.
#[derive(Clone, Debug, Serialize)]
pub struct Conditions {
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
    /// The kernel's release.
    pub kernel: String,
    /// Why the run is invalid, a sentence for each reason; empty if it is valid.
    pub problems: Vec<String>,
}
