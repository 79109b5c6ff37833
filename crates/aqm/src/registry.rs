//! Every queue discipline by name: its description and how it is built.

use crate::departure::Departing;
use crate::discipline::{Capacity, Discipline, LinkRate};
use crate::disciplines::{
    adaptive_red, apace, avq, bc_pqp, blue, choke, codel, droptail, dualpi2, fair_policer, fq_codel, paqm,
    phantom_queue, pi, pie, red, red_diff, scepter, sfb, shaper, sred, srtcm, token_bucket, trtcm,
};
use ackclock_base::declare::{self, Declared};
use ackclock_base::spelling::Limit;
use ackclock_base::{Descriptor, Kind, Parameter, Range, Values, parameters};

/// The disciplines, in the order in which lists show them.
pub const QUEUES: &[Entry] = &[
    droptail::ENTRY,
    red::ENTRY,
    apace::ENTRY,
    sred::ENTRY,
    avq::ENTRY,
    paqm::ENTRY,
    codel::ENTRY,
    fq_codel::ENTRY,
    dualpi2::ENTRY,
    pie::ENTRY,
    token_bucket::ENTRY,
    scepter::ENTRY,
    shaper::ENTRY,
    pi::ENTRY,
    blue::ENTRY,
    adaptive_red::ENTRY,
    red_diff::ENTRY,
    choke::ENTRY,
    sfb::ENTRY,
    srtcm::ENTRY,
    trtcm::ENTRY,
    fair_policer::ENTRY,
    bc_pqp::ENTRY,
    phantom_queue::ENTRY,
];

/// A registered discipline.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// What it is.
    pub descriptor: &'static Descriptor,
    /// Makes one for a link.
    pub build: fn(&Values, Capacity, &LinkRate) -> Queueing,
    /// What it never breaks.
    pub service: Service,
}

/// What is allowed and yet hardly meant about parameters on a link, in words; `None` where nothing is.
pub type Doubt = fn(&Values, &LinkRate) -> Option<String>;

/// The disciplines that have doubts, by name.
const DOUBTS: &[(&str, Doubt)] = &[("dualpi2", dualpi2::doubt)];

/// What the discipline called `name` doubts about its parameters on a link.
pub fn doubt(name: &str, values: &Values, link: &LinkRate) -> Option<String> {
    DOUBTS.iter().find(|(doubting, _)| *doubting == name).and_then(|(_, doubt)| doubt(values, link))
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

/// How often a discipline may look at its queue: at most ten thousand times in a simulated second.
pub const PERIODS: Range = Range::between(1e-4, 1e6);

parameters! {
    /// What every queue has, and no link without a queue does. A discipline whose publication has another default presets
    /// it.
    pub struct QueueLimit {
        /// How much may wait: packets, bytes, time at the link's rate, or bandwidth-delay products
        limit: Limit = limit("50 packets", Range::at_least(0.0), "ns-2's default queue limit"),
    }
}

/// The discipline called `name`.
pub fn find(name: &str) -> Option<&'static Entry> {
    QUEUES.iter().find(|entry| entry.descriptor.name == name)
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
