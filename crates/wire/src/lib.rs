//! The network of a scenario between two hosts, in real time, by the links that simulate it.
//!
//! * [`path`]: the simulator's links driven by the caller's clock, without input or output, for callers with sockets of their own.
//! * [`plan`]: the links that packets cross in each direction, and what real time cannot do.
//! * [`frame`]: the fields of IP packets in Ethernet frames that links read or change.
//! * [`lateness`]: how late packets leave, and whether a run counts.
//! * [`flows`]: the flows of a scenario that run on real stacks, and those that cannot.
//! * [`segment`], [`trips`], [`watch`]: what the links see of each flow.
//! * [`ends`], [`samples`]: what the ends of flows count, in all and over time.
//! * [`mod@result`]: the result of flows, as a simulation has it.
//! * [`outcome`]: what a run reports.
//! * [`run()`]: two hosts in namespaces of Linux with the network between them, and a command in each.
//! * [`run_flows()`]: two hosts with the network between them, and the ends of the scenario's flows on them.

pub mod ends;
pub mod flows;
pub mod frame;
pub mod lateness;
#[cfg(target_os = "linux")]
mod linux;
pub mod outcome;
pub mod path;
pub mod plan;
pub mod result;
pub mod samples;
pub mod segment;
pub mod trips;
pub mod watch;

use serde::{Deserialize, Serialize};
use std::fmt;

#[cfg(target_os = "linux")]
pub use linux::{run, run_flows};

/// What takes packets from the hosts to the links and back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Device {
    /// A packet socket (AF_PACKET) at the other end of a veth interface. The kernel notes when each packet arrives.
    #[default]
    Packet,
    /// A TUN device, which is the host's interface itself. A packet arrives when it is read.
    Tun,
}

/// What runs on the hosts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commands {
    /// The program of the first host and its arguments. The run ends when the program ends.
    pub client: Vec<String>,
    /// The program of the second host and its arguments; empty for none. It is killed when the run ends.
    pub server: Vec<String>,
    /// The default congestion control of both hosts; `None` to keep the kernel's.
    pub control: Option<String>,
    /// What takes the packets of both hosts.
    pub device: Device,
    /// Whether what the first host's program writes on standard output goes to standard error.
    pub quiet: bool,
}

/// The addresses of the two hosts. There is no route out of their network.
pub const ADDRESSES: [&str; 2] = ["10.78.0.1", "10.78.0.2"];
/// The addresses of the two hosts for IPv6, of the range for local use (RFC 4193).
pub const ADDRESSES_V6: [&str; 2] = ["fd00:78::1", "fd00:78::2"];

/// The reason why a run could not be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// Something is missing or fails. The text says what, and what gives it.
    Failed(String),
    /// The caller interrupted the run.
    Interrupted,
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(reason) => formatter.write_str(reason),
            Self::Interrupted => formatter.write_str("the run was interrupted"),
        }
    }
}

impl std::error::Error for Error {}

/// Refuses to run, since network namespaces are a feature of Linux.
#[cfg(not(target_os = "linux"))]
pub fn run(
    _plan: plan::LinksPlan,
    _commands: &Commands,
    _interrupted: &mut dyn FnMut() -> bool,
) -> Result<outcome::Outcome, Error> {
    Err(Error::Failed(NEEDS_LINUX.to_owned()))
}

/// Refuses to run, since network namespaces are a feature of Linux.
#[cfg(not(target_os = "linux"))]
pub fn run_flows(
    _scenario: &ackclock_lab::Scenario,
    _seed: u64,
    _plan: flows::FlowsPlan,
    _program: &std::path::Path,
    _interrupted: &mut dyn FnMut() -> bool,
) -> Result<outcome::FlowsOutcome, Error> {
    Err(Error::Failed(NEEDS_LINUX.to_owned()))
}

/// What runs say without Linux.
#[cfg(not(target_os = "linux"))]
const NEEDS_LINUX: &str = "real time needs Linux and its network namespaces; `ackclock run` simulates the same \
     network on this system";
