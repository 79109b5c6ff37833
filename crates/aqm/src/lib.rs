//! Queue disciplines.
//!
//! Sans-I/O like the congestion controls: a discipline is asked about each packet and answers with a [`Verdict`];
//! the queue itself, the clock and the random numbers belong to the link.
//!
//! Where things are:
//! * [`discipline`]: the interface between a link and a discipline.
//! * [`droptail`], [`red`]: the disciplines, one file each.
//! * [`registry`]: every discipline by name.

pub mod discipline;
pub mod droptail;
pub mod red;
pub mod registry;

pub use discipline::{Arrival, Backlog, Capacity, Discipline, LinkRate, Verdict};
