//! Stochastic fair BLUE (Feng, Kandlur, Saha and Shin, INFOCOM 2001): BLUE for bins of flows, several bins a flow, so that
//! flows that do not answer to drops are told from those that share a bin with one.
//!
//! Two readings. An arrival is dropped for over-full bins when all bins of its flow are over-full, as in Linux, so that a
//! bin shared with a hog harms nobody. Flows whose probability is 1 share one token bucket, as in Linux.

use crate::discipline::{Arrival, Backlog, Capacity, Discipline, LinkRate, Verdict};
use crate::registry::{Entry, Queueing, Service, queue};
use crate::tokens::Bucket;
use ackclock_base::{Parameter, Quantity, Random, Range, Span, Time, Values};
use bins::{Bins, Steps};
use std::collections::VecDeque;

mod bins;
#[cfg(test)]
mod tests;

/// The discipline in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &queue(
        "sfb",
        "BLUE for bins of flows; flows that do not answer to drops share a small rate",
        "Feng, Kandlur, Saha and Shin 2001",
        PARAMETERS,
    ),
    build: |values, capacity, link| Queueing::at_arrival(Sfb::new(values, capacity, link)),
    service: Service::IN_ORDER,
};

/// What can be set.
pub const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "levels",
        summary: "Levels, in each of which a flow has a bin: L",
        quantity: Quantity::Integer,
        default: "2",
        range: Range::between(1.0, 16.0),
        source: "Feng et al. 2001, its simulations; SFB_LEVELS is 8 in Linux, net/sched/sch_sfb.c",
    },
    Parameter {
        name: "bins",
        summary: "Bins of a level: N",
        quantity: Quantity::Integer,
        default: "23",
        range: Range::between(1.0, 65536.0),
        source: "Feng et al. 2001, its simulations; SFB_NUMBUCKETS is 16 in Linux, net/sched/sch_sfb.c",
    },
    Parameter {
        name: "bin_size",
        summary: "Packets of a bin beyond which it is over-full; half more than its share of the limit if absent",
        quantity: Quantity::Packets,
        default: Parameter::NONE,
        range: Range::at_least(0.0),
        source: "Feng et al. 2001, its simulations; 20 in Linux, and here where there is no limit",
    },
    Parameter {
        name: "increment",
        summary: "Step up of a bin's drop probability at an arrival while it is over-full",
        quantity: Quantity::Number,
        default: "0.0005",
        range: Range::between(0.0, 1.0),
        source: "tc-sfb(8), increment; the kernel's own, where tc says nothing, is 66/65536",
    },
    Parameter {
        name: "decrement",
        summary: "Step down of a bin's drop probability at an arrival while it is empty",
        quantity: Quantity::Number,
        default: "0.00005",
        range: Range::between(0.0, 1.0),
        source: "tc-sfb(8), decrement; the kernel's own, where tc says nothing, is 11/65536",
    },
    Parameter {
        name: "penalty_rate",
        summary: "What flows with a drop probability of 1 may send together",
        quantity: Quantity::Rate,
        default: "120 kbit/s",
        range: Range::at_least(1.0),
        source: "tc-sfb(8), penalty_rate: 10 packets a second, here of 1500 bytes",
    },
    Parameter {
        name: "penalty_burst",
        summary: "And in a burst",
        quantity: Quantity::Size,
        default: "30 kB",
        range: Range::at_least(0.0),
        source: "tc-sfb(8), penalty_burst: 20 packets, here of 1500 bytes",
    },
    Parameter {
        name: "rehash",
        summary: "How long one set of hash functions is used",
        quantity: Quantity::Time,
        default: "600 s",
        range: Range::above(0.0),
        source: "tc-sfb(8), rehash",
    },
    Parameter {
        name: "warmup",
        summary: "How long before its use the next set learns from the flows with a drop probability of 1",
        quantity: Quantity::Time,
        default: "60 s",
        range: Range::at_least(0.0),
        source: "tc-sfb(8), db; Feng et al. 2001, moving hash functions",
    },
    Parameter {
        name: "ecn",
        summary: "Whether packets that can be marked are marked instead of dropped, unless their flow sends too much",
        quantity: Quantity::Flag,
        default: "false",
        range: Range::ANY,
        source: "RFC 3168 section 5; Feng et al. 2001 mark",
    },
];

/// The SFB discipline. It decides at arrival: what it admits leaves in order, so the queue's length tells which packets
/// have left their bins.
#[derive(Clone, Debug)]
pub struct Sfb {
    capacity: Capacity,
    ecn: bool,
    steps: Steps,
    penalty: Bucket,
    rehash: Span,
    warmup: Span,
    /// The flows of the packets that wait, the oldest first.
    waiting: VecDeque<u32>,
    bins: Bins,
    /// The bins under the next hash functions; they count only while they learn.
    next: Bins,
    /// Whether they do.
    warming: bool,
    /// When they are used; never before the first arrival, which draws the first hash functions.
    next_due: Option<Time>,
}

impl Sfb {
    /// From the registered parameters.
    pub fn new(values: &Values, capacity: Capacity, link: &LinkRate) -> Self {
        let (levels, bins) = (values.integer("levels").max(1) as u64, values.integer("bins").max(1) as u64);
        let limit = match capacity {
            Capacity::Unlimited => None,
            Capacity::Packets(packets) => Some(packets as f64),
            Capacity::Bytes(bytes) => Some(bytes as f64 / f64::from(link.mean_packet_bytes)),
        };
        let share = limit.map_or(20.0, |limit| 1.5 * limit / bins as f64);
        Self {
            capacity,
            ecn: values.flag("ecn"),
            steps: Steps {
                bin_size: values.optional_packets("bin_size").unwrap_or(share),
                increment: values.number("increment"),
                decrement: values.number("decrement"),
            },
            penalty: Bucket::full(values.rate("penalty_rate"), values.size("penalty_burst")),
            rehash: values.time("rehash"),
            warmup: values.time("warmup"),
            waiting: VecDeque::new(),
            bins: Bins::new(levels, bins),
            next: Bins::new(levels, bins),
            warming: false,
            next_due: None,
        }
    }

    /// Lets those leave their bins that no longer wait.
    fn settle(&mut self, packets: u64) {
        while self.waiting.len() as u64 > packets
            && let Some(flow) = self.waiting.pop_front()
        {
            self.bins.leave(flow);
            if self.warming {
                self.next.leave(flow);
            }
        }
    }

    /// Changes the hash functions when it is time, and warms the next ones up before.
    fn turn(&mut self, now: Time, random: &mut dyn Random) {
        let due = match self.next_due {
            Some(due) if now < due => due,
            _ => {
                if !self.warming {
                    self.next.renew(salt(random), self.waiting.iter().copied());
                }
                std::mem::swap(&mut self.bins, &mut self.next);
                self.warming = false;
                *self.next_due.insert(now + self.rehash)
            }
        };
        if !self.warming && due.since(now) <= self.warmup {
            self.next.renew(salt(random), self.waiting.iter().copied());
            self.warming = true;
        }
    }

    /// Whether the packet goes through the bins of its flow, and how.
    fn judge(&mut self, arrival: &Arrival, random: &mut dyn Random) -> Verdict {
        let judgement = self.bins.judge(arrival.flow, &self.steps);
        let unresponsive = judgement.probability >= 1.0;
        if unresponsive && self.warming {
            self.next.judge(arrival.flow, &self.steps);
        }
        if judgement.full {
            return Verdict::Drop;
        }
        if unresponsive {
            self.penalty.refill(arrival.now);
            return if self.penalty.take(arrival.bytes) { Verdict::Admit } else { Verdict::Drop };
        }
        match random.uniform() < judgement.probability {
            false => Verdict::Admit,
            true if self.ecn && arrival.ecn.is_capable() => Verdict::Mark,
            true => Verdict::Drop,
        }
    }
}

fn salt(random: &mut dyn Random) -> u64 {
    random.uniform().to_bits()
}

impl Discipline for Sfb {
    fn on_arrival(&mut self, arrival: &Arrival, backlog: &Backlog, random: &mut dyn Random) -> Verdict {
        self.settle(backlog.packets);
        self.turn(arrival.now, random);
        let verdict = self.judge(arrival, random);
        if verdict == Verdict::Drop || !self.capacity.admits(arrival.bytes, backlog) {
            return Verdict::Drop;
        }
        self.waiting.push_back(arrival.flow);
        self.bins.enter(arrival.flow);
        if self.warming {
            self.next.enter(arrival.flow);
        }
        verdict
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("greatest_drop_probability", self.bins.greatest_probability());
    }
}
