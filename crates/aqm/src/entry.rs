//! The registry entry of a queue discipline: its description, its constructor and its guarantees. Each
//! discipline's file defines its entry; [`crate::registry`] lists them all.

use crate::departure::Departing;
use crate::discipline::{Capacity, Discipline, LinkRate};
use ackclock_base::declare::{self, Declared};
use ackclock_base::spelling::Limit;
use ackclock_base::{Descriptor, Kind, Parameter, Range, Values, parameters};
use std::fmt;

/// A registered discipline.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name, its description and its parameters.
    pub descriptor: &'static Descriptor,
    /// Creates the discipline for a link.
    pub build: fn(&Values, Capacity, &LinkRate) -> Queueing,
    /// The guarantees of the discipline.
    pub service: Service,
}

/// A plugin: a discipline outside the registry, supplied by the program that runs a scenario.
pub trait Plugin: fmt::Debug + Send + Sync {
    /// Returns its name, its description and its parameters.
    fn descriptor(&self) -> &'static Descriptor;

    /// Returns its guarantees.
    fn service(&self) -> Service;

    /// Creates the discipline for a link.
    fn build(&self, values: &Values, capacity: Capacity, link: &LinkRate) -> Queueing;
}

/// A discipline of either kind.
pub enum Queueing {
    /// Decides when a packet arrives: admitted packets leave in order.
    AtArrival(Box<dyn Discipline>),
    /// Decides when a packet leaves.
    AtDeparture(Box<dyn Departing>),
}

impl Queueing {
    /// Boxes a discipline that decides when a packet arrives.
    pub fn at_arrival(discipline: impl Discipline + 'static) -> Self {
        Self::AtArrival(Box::new(discipline))
    }

    /// Boxes a discipline that decides when a packet leaves.
    pub fn at_departure(discipline: impl Departing + 'static) -> Self {
        Self::AtDeparture(Box::new(discipline))
    }
}

/// The guarantees that an observer may rely on, whatever the discipline decides. The verifier and the
/// property tests check them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Service {
    /// Whether it may drop packets that have waited; otherwise it drops only arriving ones.
    pub drops_late: bool,
    /// Whether packets of different flows may overtake one another. Packets of one flow never do, unless
    /// `queues_by_ecn` is set.
    pub overtakes: bool,
    /// Whether a packet's ECN field decides which of two queues it joins. Packets of one flow whose fields
    /// differ may then overtake one another; each queue keeps its order.
    pub queues_by_ecn: bool,
    /// Whether it may let a free link idle while packets wait, as a shaper does.
    pub holds_back: bool,
    /// Whether it drops only packets that do not fit.
    pub drops_only_when_full: bool,
}

impl Service {
    /// First in, first out; arriving packets may be dropped.
    pub const IN_ORDER: Self = Self {
        drops_late: false,
        overtakes: false,
        queues_by_ecn: false,
        holds_back: false,
        drops_only_when_full: false,
    };
}

/// The parameter of every discipline that drops early and may mark instead.
pub const ECN: Declared<bool> = declare::flag(false, "RFC 3168 section 5")
    .about("Whether ECN-capable packets are marked where other packets are dropped early");

/// The parameter that decides, in a region of forced drops, about packets that can be marked.
pub const DROPS_ABOVE_MAXIMUM: Declared<Option<bool>> = declare::optional_flag(
    "RFC 3168 section 7: drops above the upper threshold; an option in ns-3 (UseHardDrop) and Linux (harddrop); \
     DCTCP's step (RFC 8257 section 3.1) must mark",
)
.about(
    "With `ecn`, whether ECN-capable packets are dropped instead of marked while the drop probability is 1; if none, \
     they are dropped, or marked if the upper threshold is not above the lower one (a step, as in DCTCP)",
);

/// Returns whether packets that can be marked are dropped when the drop probability is 1. `step` says whether
/// the discipline has no region in which it marks by chance, because both of its thresholds are equal.
pub fn drops_above_maximum(given: Option<bool>, ecn: bool, step: bool) -> bool {
    given.unwrap_or(!(ecn && step))
}

/// The valid periods of a discipline, in seconds: at most ten thousand periods in a simulated second.
pub const PERIODS: Range = Range::between(1e-4, 1e6);

parameters! {
    /// The parameter that every queue discipline has, and that a link without a queue does not have. A discipline
    /// whose publication gives another default presets this default.
    pub struct QueueLimit {
        /// Capacity of the queue, not counting the packet in transmission: a number of packets or bytes, a drain time
        /// at the queue's service rate, or a multiple of the bandwidth-delay product (service rate times the mean base
        /// RTT of the link's flows); or `unlimited`
        limit: Limit = limit("50 packets", Range::at_least(0.0), "ns-2's default queue limit"),
    }
}

/// Returns the description of a queue discipline.
pub const fn queue(
    name: &'static str,
    summary: &'static str,
    source: &'static str,
    parameters: &'static [Parameter],
) -> Descriptor {
    Descriptor { kind: Kind::Queue, name, summary, source, parameters, presets: &[] }
}
