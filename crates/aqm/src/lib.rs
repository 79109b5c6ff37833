//! Queue disciplines.
//!
//! Sans-I/O like the congestion controls: a discipline is asked about each packet and answers; the clock and the random
//! numbers belong to the link.
//!
//! Where things are:
//! * [`discipline`]: the interface between a link and a discipline that decides when a packet arrives.
//! * [`departure`]: the interface between a link and a discipline that decides when a packet leaves, with [`fifo`] to
//!   hold packets in, [`flow_hash`] to find a flow's queue, [`rounds`] for the turns of several queues, and
//!   [`fair_queues`] for queues that take turns and nothing else.
//! * [`label`]: what the headers of a flow's packets say, for disciplines that hold packets and treat flows differently.
//! * [`disciplines`]: the disciplines, one file each.
//! * [`nlms`]: the predictor that APACE and its relatives share.
//! * [`phantom`]: counters that fill and drain as queues would.
//! * [`entry`]: what is registered of a discipline, and what it never breaks; [`registry`]: every one by name.
//! * [`tokens`]: the token bucket of those that hold traffic to a rate.

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
