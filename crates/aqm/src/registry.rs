//! Every queue discipline by name: its description and how it is built.

use crate::discipline::{Capacity, Discipline, LinkRate};
use crate::{droptail, red};
use ackclock_base::{Descriptor, Kind, Parameter, Quantity, Range, Values};

/// A registered discipline.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// What it is.
    pub descriptor: &'static Descriptor,
    /// Makes one for a link.
    pub build: fn(&Values, Capacity, &LinkRate) -> Box<dyn Discipline>,
}

/// The limit that every queue has, and no link without a queue does.
pub const LIMIT: Parameter = Parameter {
    name: "limit",
    summary: "How much may wait: packets, bytes, time at the link's rate, or bandwidth-delay products",
    quantity: Quantity::Limit,
    default: "50 packets",
    range: Range::at_least(0.0),
    source: "ns-2's default queue limit",
};

/// The disciplines, in the order in which lists show them.
pub const QUEUES: &[Entry] = &[
    Entry {
        descriptor: &queue(
            "droptail",
            "First in, first out; what does not fit is dropped",
            "RFC 7567 section 2",
            &[],
        ),
        build: |_, capacity, _| Box::new(droptail::DropTail { capacity }),
    },
    Entry {
        descriptor: &queue(
            "red",
            "Drops or marks early, with a probability that grows with the average queue",
            "Floyd and Jacobson 1993",
            red::PARAMETERS,
        ),
        build: |values, capacity, link| Box::new(red::Red::new(values, capacity, link)),
    },
];

/// The discipline called `name`.
pub fn find(name: &str) -> Option<&'static Entry> {
    QUEUES.iter().find(|entry| entry.descriptor.name == name)
}

const fn queue(
    name: &'static str,
    summary: &'static str,
    source: &'static str,
    parameters: &'static [Parameter],
) -> Descriptor {
    Descriptor { kind: Kind::Queue, name, summary, source, parameters, presets: &[] }
}
