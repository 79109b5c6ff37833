//! SRED, stabilised random early drop (Ott, Lakshman and Wong, INFOCOM 1999): estimates how many flows there are from how
//! often an arrival meets one of its own flow in a list of past arrivals, and drops with the square of that number.
//!
//! Thresholds are fractions of the limit. A queue without limit has none: nothing is dropped early then. The list's entries
//! bear no counts: in the paper those serve to find misbehaving flows, which is not part of dropping.

#[cfg(test)]
mod tests;

use crate::discipline::{Arrival, Backlog, Capacity, Discipline, Verdict};
use crate::registry::{ECN, Entry, Queueing, Service, queue};
use ackclock_base::{Parameter, Quantity, Random, Range, Values};

/// The discipline in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &queue(
        "sred",
        "Drops early, by the length of the queue and the number of flows it estimates",
        "Ott, Lakshman and Wong 1999",
        PARAMETERS,
    ),
    build: |values, capacity, _| Queueing::at_arrival(Sred::new(values, capacity)),
    service: Service::IN_ORDER,
};

/// What can be set.
pub const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "list",
        summary: "How many past arrivals are remembered (M)",
        quantity: Quantity::Integer,
        default: "1000",
        range: Range::between(1.0, 1e6),
        source: "Ott, Lakshman and Wong 1999; Jain 2003 section 2.7.1",
    },
    Parameter {
        name: "overwrite_probability",
        summary: "How likely an arrival that meets another flow takes its place in the list",
        quantity: Quantity::Number,
        default: "0.25",
        range: Range::between(0.0, 1.0),
        source: "Ott, Lakshman and Wong 1999",
    },
    Parameter {
        name: "weight",
        summary: "Weight of a new comparison in the frequency of hits; 1/list where absent",
        quantity: Quantity::Number,
        default: Parameter::NONE,
        range: Range { min: 0.0, max: 1.0, above_min: true },
        source: "Jain 2003 section 2.7.1",
    },
    Parameter {
        name: "max_probability",
        summary: "Drop probability from a third of the limit on; a quarter of it from a sixth on",
        quantity: Quantity::Number,
        default: "0.15",
        range: Range::between(0.0, 1.0),
        source: "Ott, Lakshman and Wong 1999; Jain 2003 section 2.7.1",
    },
    Parameter {
        name: "many_flows",
        summary: "From so many flows on their number no longer matters",
        quantity: Quantity::Number,
        default: "256",
        range: Range::above(0.0),
        source: "Ott, Lakshman and Wong 1999",
    },
    Parameter {
        name: "full",
        summary: "Whether an arrival that meets its own flow is likelier to be dropped (full SRED, else simple)",
        quantity: Quantity::Flag,
        default: "true",
        range: Range::ANY,
        source: "Ott, Lakshman and Wong 1999",
    },
    ECN,
];

/// The SRED discipline.
#[derive(Clone, Debug)]
pub struct Sred {
    capacity: Capacity,
    /// The flows of past arrivals: the zombies.
    list: Vec<u32>,
    length: usize,
    overwrite_probability: f64,
    weight: f64,
    max_probability: f64,
    many_flows: f64,
    full: bool,
    ecn: bool,
    /// How often arrivals meet their own flow: about one over the number of flows.
    hit_frequency: f64,
    probability: f64,
}

impl Sred {
    /// From the registered parameters.
    pub fn new(values: &Values, capacity: Capacity) -> Self {
        let length = values.integer("list").max(1) as usize;
        Self {
            capacity,
            list: Vec::with_capacity(length),
            length,
            overwrite_probability: values.number("overwrite_probability"),
            weight: values.optional_number("weight").unwrap_or(1.0 / length as f64),
            max_probability: values.number("max_probability"),
            many_flows: values.number("many_flows"),
            full: values.flag("full"),
            ecn: values.flag("ecn"),
            hit_frequency: 0.0,
            probability: 0.0,
        }
    }

    /// Compares an arrival with one of the list. While the list fills, nothing is compared.
    fn hits(&mut self, flow: u32, random: &mut dyn Random) -> bool {
        if self.list.len() < self.length {
            self.list.push(flow);
            return false;
        }
        let place = (random.uniform() * self.length as f64) as usize;
        let hit = self.list[place] == flow;
        if !hit && random.uniform() < self.overwrite_probability {
            self.list[place] = flow;
        }
        self.hit_frequency += self.weight * (f64::from(u8::from(hit)) - self.hit_frequency);
        hit
    }

    /// By the length of the queue alone.
    fn by_length(&self, backlog: &Backlog) -> f64 {
        let fill = match self.capacity {
            Capacity::Unlimited => 0.0,
            Capacity::Packets(most) => backlog.packets as f64 / most.max(1) as f64,
            Capacity::Bytes(most) => backlog.bytes as f64 / most.max(1) as f64,
        };
        match () {
            () if fill >= 1.0 / 3.0 => self.max_probability,
            () if fill >= 1.0 / 6.0 => self.max_probability / 4.0,
            () => 0.0,
        }
    }

    /// By the length of the queue and the number of flows.
    fn zap(&self, backlog: &Backlog, hit: bool) -> f64 {
        let flows = 1.0 / (self.many_flows * self.hit_frequency);
        let own = if self.full && hit { 1.0 + 1.0 / self.hit_frequency } else { 1.0 };
        self.by_length(backlog) * (flows * flows).min(1.0) * own
    }
}

impl Discipline for Sred {
    fn on_arrival(&mut self, arrival: &Arrival, backlog: &Backlog, random: &mut dyn Random) -> Verdict {
        let hit = self.hits(arrival.flow, random);
        self.probability = self.zap(backlog, hit).min(1.0);
        let early = self.probability > 0.0 && random.uniform() < self.probability;
        match (self.capacity.admits(arrival.bytes, backlog), early) {
            (true, false) => Verdict::Admit,
            (true, true) if self.ecn && arrival.ecn.is_capable() => Verdict::Mark,
            _ => Verdict::Drop,
        }
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("drop_probability", self.probability);
        series("hit_frequency", self.hit_frequency);
    }
}
