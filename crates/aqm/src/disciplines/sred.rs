//! SRED, stabilised random early drop (Ott, Lakshman and Wong, INFOCOM 1999): estimates the number of flows
//! from how often an arrival meets its own flow in a list of past arrivals, and drops with the square of that
//! number.
//!
//! Thresholds are fractions of the limit. A queue without a limit has no thresholds, and no early drops. The
//! list's entries have no counts: in the paper those serve to find misbehaving flows, which does not affect
//! drops.

#[cfg(test)]
mod tests;

use crate::discipline::{Arrival, Backlog, Capacity, Discipline, Verdict};
use crate::entry::{ECN, Entry, Queueing, Service, queue};
use ackclock_base::{Random, Range, parameters};

/// The discipline's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &queue(
        "sred",
        "Drops or marks packets early, with a probability computed from the queue length and the estimated number of \
         flows",
        "Ott, Lakshman and Wong 1999",
        Parameters::TABLE,
    ),
    build: |values, capacity, _| Queueing::at_arrival(Sred::new(values.into(), capacity)),
    service: Service::IN_ORDER,
};

parameters! {
    /// The list of past arrivals, and the drop law.
    pub struct Parameters {
        /// Length of the list of past arrivals (M), in which each entry records a flow
        list: usize = integer("1000", Range::between(1.0, 1e6), "Ott, Lakshman and Wong 1999; Jain 2003 section 2.7.1"),
        /// Probability that an arrival replaces the random list entry with which it is compared, if that entry is of
        /// another flow
        overwrite_probability: f64 = number("0.25", Range::between(0.0, 1.0), "Ott, Lakshman and Wong 1999"),
        /// Weight of each arrival in the moving average of the hit frequency; a hit is an arrival that belongs to the
        /// same flow as a random list entry; none for 1 / `list`
        weight: Option<f64> = number(
            "none",
            Range { min: 0.0, max: 1.0, above_min: true },
            "Jain 2003 section 2.7.1",
        ),
        /// Drop probability with at least `many_flows` flows while the queue is at least a third of `limit` (before the
        /// increase for hits with `full`); a quarter of this value from a sixth to a third of `limit`, and zero below a
        /// sixth
        max_probability: f64 = number(
            "0.15",
            Range::between(0.0, 1.0),
            "Ott, Lakshman and Wong 1999; Jain 2003 section 2.7.1",
        ),
        /// Estimated number of flows above which the drop probability does not rise further; with n flows, fewer than
        /// this, the drop probability is multiplied by (n / `many_flows`)^2
        many_flows: f64 = number("256", Range::above(0.0), "Ott, Lakshman and Wong 1999"),
        /// Whether an arrival that belongs to the same flow as a random list entry (a hit) is dropped with a higher
        /// probability (full SRED); if not, all arrivals are treated alike (simple SRED)
        full: bool = flag(true, "Ott, Lakshman and Wong 1999"),
        ecn: bool = ECN,
    }
}

/// The SRED discipline.
#[derive(Clone, Debug)]
pub struct Sred {
    capacity: Capacity,
    /// The flows of past arrivals (the paper's zombies).
    list: Vec<u32>,
    parameters: Parameters,
    weight: f64,
    /// The frequency with which arrivals meet their own flow: about one over the number of flows.
    hit_frequency: f64,
    probability: f64,
}

impl Sred {
    /// Creates an empty queue with this capacity.
    pub fn new(parameters: Parameters, capacity: Capacity) -> Self {
        Self {
            capacity,
            list: Vec::with_capacity(parameters.list),
            parameters,
            weight: parameters.weight.unwrap_or(1.0 / parameters.list as f64),
            hit_frequency: 0.0,
            probability: 0.0,
        }
    }

    /// Compares an arrival with an entry of the list. Returns whether they are of one flow; always false
    /// while the list fills.
    fn hits(&mut self, flow: u32, random: &mut dyn Random) -> bool {
        if self.list.len() < self.parameters.list {
            self.list.push(flow);
            return false;
        }
        let place = (random.uniform() * self.parameters.list as f64) as usize;
        let hit = self.list[place] == flow;
        if !hit && random.uniform() < self.parameters.overwrite_probability {
            self.list[place] = flow;
        }
        self.hit_frequency += self.weight * (f64::from(u8::from(hit)) - self.hit_frequency);
        hit
    }

    /// Returns the drop probability by the length of the queue alone.
    fn by_length(&self, backlog: &Backlog) -> f64 {
        let fill = match self.capacity {
            Capacity::Unlimited => 0.0,
            Capacity::Packets(most) => backlog.packets as f64 / most.max(1) as f64,
            Capacity::Bytes(most) => backlog.bytes as f64 / most.max(1) as f64,
        };
        match () {
            () if fill >= 1.0 / 3.0 => self.parameters.max_probability,
            () if fill >= 1.0 / 6.0 => self.parameters.max_probability / 4.0,
            () => 0.0,
        }
    }

    /// Returns the drop probability by the length of the queue and the number of flows.
    fn zap(&self, backlog: &Backlog, hit: bool) -> f64 {
        let flows = 1.0 / (self.parameters.many_flows * self.hit_frequency);
        let own = if self.parameters.full && hit { 1.0 + 1.0 / self.hit_frequency } else { 1.0 };
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
            (true, true) if self.parameters.ecn && arrival.ecn.is_capable() => Verdict::Mark,
            _ => Verdict::Drop,
        }
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("drop_probability", self.probability);
        series("hit_frequency", self.hit_frequency);
    }
}
