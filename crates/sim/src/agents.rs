//! The list of agents that scenarios may put at nodes.

pub mod snoop;
pub mod thinning;

use crate::agent::Agent;
use ackclock_base::{Descriptor, Values};

/// A registered agent.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The name, the summary and the parameters.
    pub descriptor: &'static Descriptor,
    /// Builds the agent of a path of a flow, from the values of its parameters.
    pub build: fn(&Values) -> Box<dyn Agent>,
}

/// The agents, in the order in which lists show them.
pub const AGENTS: &[Entry] = &[snoop::ENTRY, thinning::ENTRY];
