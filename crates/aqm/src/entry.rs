//! What is registered of a queue discipline: its description, how one is made for a link, and what it never breaks. Each
//! discipline's file has its entry; [`crate::registry`] has the list of them.

use crate::departure::Departing;
use crate::discipline::{Capacity, Discipline, LinkRate};
use ackclock_base::declare::{self, Declared};
use ackclock_base::spelling::Limit;
use ackclock_base::{Descriptor, Kind, Parameter, Range, Values, parameters};
use std::fmt;

/// A registered discipline.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name, what lists say about it, and its parameters.
    pub descriptor: &'static Descriptor,
    /// Makes one for a link.
    pub build: fn(&Values, Capacity, &LinkRate) -> Queueing,
    /// What it never breaks.
    pub service: Service,
}

/// A discipline that stands in no registry: whoever runs a scenario brings it along.
pub trait Brought: fmt::Debug + Send + Sync {
    /// Its name, what lists say about it, and its parameters.
    fn descriptor(&self) -> &'static Descriptor;

    /// What it never breaks.
    fn service(&self) -> Service;

    /// Makes one for a link.
    fn build(&self, values: &Values, capacity: Capacity, link: &LinkRate) -> Queueing;
}

/// A discipline, by when it decides.
pub enum Queueing {
    /// When a packet arrives: what is admitted leaves in order.
    AtArrival(Box<dyn Discipline>),
    /// When a packet leaves.
    AtDeparture(Box<dyn Departing>),
}

impl Queueing {
    /// A discipline that decides when a packet arrives.
    pub fn at_arrival(discipline: impl Discipline + 'static) -> Self {
        Self::AtArrival(Box::new(discipline))
    }

    /// A discipline that decides when a packet leaves.
    pub fn at_departure(discipline: impl Departing + 'static) -> Self {
        Self::AtDeparture(Box::new(discipline))
    }
}

/// What an observer may rely on, whatever the discipline decides. The verifier and the property tests ask for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Service {
    /// Whether it may drop packets that have waited. Else it drops only those that arrive.
    pub drops_late: bool,
    /// Whether packets of different flows may overtake one another. Those of one flow never do.
    pub overtakes: bool,
    /// Whether it may let a free link idle while packets wait, as a shaper does.
    pub holds_back: bool,
    /// Whether it drops only what does not fit.
    pub drops_only_when_full: bool,
}

impl Service {
    /// First in, first out; what arrives may be dropped.
    pub const IN_ORDER: Self =
        Self { drops_late: false, overtakes: false, holds_back: false, drops_only_when_full: false };
}

/// The flag of every discipline that drops early and may mark instead.
pub const ECN: Declared<bool> = declare::flag(false, "RFC 3168 section 5")
    .about("Whether packets that can be marked are marked instead of dropped early");

/// What a discipline with a region of forced drops does there with packets that can be marked.
pub const DROPS_ABOVE_MAXIMUM: Declared<Option<bool>> = declare::optional_flag(
    "RFC 3168 section 7 drops above the upper threshold, ns-3's UseHardDrop and Linux's harddrop choose; a step is DCTCP's \
     (RFC 8257 section 3.1) and has to mark",
)
.about(
    "Whether packets that can be marked are dropped where the probability is 1; if absent, they are, unless `ecn` is on and \
     both thresholds are equal, because such a step would mark nothing",
);

/// Returns whether packets that can be marked are dropped where the drop probability is 1. `step` tells whether the discipline
/// has no region in which it marks by chance, because both of its thresholds are equal.
pub fn drops_above_maximum(given: Option<bool>, ecn: bool, step: bool) -> bool {
    given.unwrap_or(!(ecn && step))
}

/// How often a discipline may look at its queue: at most ten thousand times in a simulated second.
pub const PERIODS: Range = Range::between(1e-4, 1e6);

parameters! {
    /// What every queue has, and no link without a queue does. A discipline whose publication has another default presets
    /// it.
    pub struct QueueLimit {
        /// How much may wait: packets, bytes, time at the rate at which the queue empties, or bandwidth-delay products
        limit: Limit = limit("50 packets", Range::at_least(0.0), "ns-2's default queue limit"),
    }
}

/// The description of a queue discipline.
pub const fn queue(
    name: &'static str,
    summary: &'static str,
    source: &'static str,
    parameters: &'static [Parameter],
) -> Descriptor {
    Descriptor { kind: Kind::Queue, name, summary, source, parameters, presets: &[] }
}
