//! Queue disciplines.
//!
//! Sans-I/O like the congestion controls: a discipline decides about each packet; the clock and the random
//! numbers belong to the link.
//!
//! The modules:
//! * [`discipline`]: the interface between a link and a discipline that decides when a packet arrives.
//! * [`departure`]: the interface between a link and a discipline that decides when a packet leaves, with
//!   [`fifo`] to hold packets, [`flow_hash`] to find a flow's queue, [`rounds`] for the turns of several
//!   queues, and [`fair_queues`] for queues that only take turns.
//! * [`label`]: the header fields of a flow's packets, for disciplines that hold packets and treat flows
//!   differently.
//! * [`disciplines`]: the disciplines, one file each.
//! * [`nlms`]: the predictor that APACE and its relatives share.
//! * [`phantom`]: counters that fill and drain like queues.
//! * [`entry`]: the registry entry of a discipline, with its guarantees; [`registry`]: all entries by name.
//! * [`tokens`]: the token bucket of disciplines that limit traffic to a rate.

pub mod departure;
pub mod discipline;
pub mod disciplines;
pub mod entry;
pub mod fair_queues;
pub mod fifo;
pub mod flow_hash;
pub mod label;
pub mod nlms;
pub mod phantom;
pub mod registry;
pub mod rounds;
pub mod testing;
pub mod tokens;

pub use departure::{Departing, Departure, Held, Ticket};
pub use discipline::{Arrival, Backlog, Capacity, Discipline, Ecn, LinkRate, Verdict};
pub use entry::{Queueing, Service};
pub use label::{Dscp, Label};

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
