//! The congestion controls that run under a stack.

use crate::{library, noq, quinn};
use ackclock_adapter::Plan;
use ackclock_base::{Descriptor, Kind};
use std::fmt;

/// A congestion control under a stack.
#[derive(Clone, Debug)]
pub enum Control {
    /// One of the stack's own, or one that is written for it.
    Own(OwnControl),
    /// One of ours, through the adapter.
    Ours(Plan),
}

/// A congestion control that a stack brings along, or that is written for it.
#[derive(Clone)]
pub struct OwnControl {
    /// Its name in scenarios, such as `noq:bbr3`, and one line about it.
    pub descriptor: &'static Descriptor,
    /// Whether it draws random numbers that cannot be seeded from outside, so runs with one seed differ.
    pub is_random: bool,
    /// What makes the controller of each connection.
    pub factory: Factory,
}

/// What makes the controllers of connections, as a stack's configuration takes it.
#[derive(Clone)]
pub enum Factory {
    /// A factory of noq.
    Noq(noq::Factory),
    /// A factory of quinn.
    Quinn(quinn::Factory),
    /// A control of a library.
    Library(library::Factory),
}

impl Factory {
    /// Returns the name of the stack whose factory it is.
    pub fn stack(&self) -> &'static str {
        match self {
            Self::Noq(_) => noq::NAME,
            Self::Quinn(_) => quinn::NAME,
            Self::Library(factory) => factory.stack(),
        }
    }
}

impl OwnControl {
    /// Returns a control that is written for a stack: scenarios name it by the stack's name, a colon and `name`. The descriptor
    /// lives as long as the program.
    pub fn new(name: &str, factory: Factory) -> Self {
        let name = format!("{}:{name}", factory.stack());
        let descriptor =
            own(name.leak(), "A congestion control supplied by the program that runs the scenario", "none");
        Self { descriptor: Box::leak(Box::new(descriptor)), is_random: false, factory }
    }
}

impl fmt::Debug for OwnControl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "OwnControl({})", self.descriptor.name)
    }
}

/// Returns the descriptor of a control that is written for a stack.
pub(crate) const fn own(name: &'static str, summary: &'static str, source: &'static str) -> Descriptor {
    Descriptor { kind: Kind::Control, name, summary, source, parameters: &[], presets: &[] }
}
