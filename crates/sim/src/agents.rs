//! The agents that scenarios may put at nodes, in one list.

pub mod snoop;
pub mod thinning;

use crate::agent::Agent;
use ackclock_base::{Descriptor, Values};

/// A registered agent.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name, what lists say about it, and its parameters.
    pub descriptor: &'static Descriptor,
    /// Makes one for a flow.
    pub build: fn(&Values) -> Box<dyn Agent>,
}

/// The agents, in the order in which lists show them.
pub const AGENTS: &[Entry] = &[snoop::ENTRY, thinning::ENTRY];
