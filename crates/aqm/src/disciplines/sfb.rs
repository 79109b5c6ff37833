//! Stochastic fair BLUE (Feng, Kandlur, Saha and Shin, INFOCOM 2001): BLUE for bins of flows, with several
//! bins per flow, so that unresponsive flows are told from flows that share a bin with one.
//!
//! Two choices are Linux's. An arrival is dropped for over-full bins when all bins of its flow are over-full,
//! so that a bin shared with an unresponsive flow harms no other flow. Flows whose probability is 1 share one
//! token bucket.

use crate::discipline::{Arrival, Backlog, Capacity, Discipline, LinkRate, Verdict};
use crate::entry::{Entry, Queueing, Service, queue};
use crate::tokens::Bucket;
use ackclock_base::{Packets, Random, Range, Rate, Size, Span, Time, parameters};
use bins::{Bins, Steps};
use std::collections::VecDeque;

mod bins;
#[cfg(test)]
mod tests;

/// The discipline's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &queue(
        "sfb",
        "Stochastic fair BLUE: BLUE for bins to which flows are hashed; flows that do not respond to drops share a low \
         rate",
        "Feng, Kandlur, Saha and Shin 2001",
        Parameters::TABLE,
    ),
    build: |values, capacity, link| Queueing::at_arrival(Sfb::new(values.into(), capacity, link)),
    service: Service::IN_ORDER,
};

parameters! {
    /// The bins, their steps, and the rate of unresponsive flows.
    pub struct Parameters {
        /// Number of levels (L); each flow is hashed to one bin of every level
        levels: u64 = integer(
            "2",
            Range::between(1.0, 16.0),
            "Feng et al. 2001 (simulations); SFB_LEVELS is 8 in Linux, net/sched/sch_sfb.c",
        ),
        /// Number of bins in a level (N)
        bins: u64 = integer(
            "23",
            Range::between(1.0, 65536.0),
            "Feng et al. 2001 (simulations); SFB_NUMBUCKETS is 16 in Linux, net/sched/sch_sfb.c",
        ),
        /// Number of waiting packets above which a bin is over-full; none for 1.5 times `limit` / `bins`, or 20 without
        /// a limit
        bin_size: Option<Packets> = packets(
            "none",
            Range::at_least(0.0),
            "Feng et al. 2001 (simulations); without a `limit`, 20 packets, the default of Linux, net/sched/sch_sfb.c",
        ),
        /// Increase of a bin's drop probability at each arrival that finds the bin over-full
        increment: f64 = number(
            "0.0005",
            Range::between(0.0, 1.0),
            "tc-sfb(8), increment; the kernel's default without tc's option is 66/65536",
        ),
        /// Decrease of a bin's drop probability at each arrival that finds the bin empty
        decrement: f64 = number(
            "0.00005",
            Range::between(0.0, 1.0),
            "tc-sfb(8), decrement; the kernel's default without tc's option is 11/65536",
        ),
        /// Rate limit shared by all flows with a drop probability of 1
        penalty_rate: Rate = rate(
            "120 kbit/s",
            Range::at_least(1.0),
            "tc-sfb(8), penalty_rate: 10 packets a second, here of 1500 bytes",
        ),
        /// Burst size shared by all flows with a drop probability of 1
        penalty_burst: Size = size(
            "30 kB",
            Range::at_least(0.0),
            "tc-sfb(8), penalty_burst: 20 packets, here of 1500 bytes",
        ),
        /// Time for which a set of hash functions is used before the next one replaces it
        rehash: Span = time("600 s", Range::above(0.0), "tc-sfb(8), rehash"),
        /// Time before a change of hash functions during which flows with a drop probability of 1 already update the
        /// bins of the next set of hash functions
        warmup: Span = time("60 s", Range::at_least(0.0), "tc-sfb(8), db; Feng et al. 2001, moving hash functions"),
        /// Whether ECN-capable packets are marked instead of dropped, unless all bins of their flow are over-full,
        /// its drop probability is 1, or the queue overflows
        ecn: bool = flag(false, "RFC 3168 section 5; Feng et al. 2001 enable marking"),
    }
}

/// The SFB discipline. It decides at arrival: admitted packets leave in order, so the queue's length shows
/// which packets have left their bins.
#[derive(Clone, Debug)]
pub struct Sfb {
    capacity: Capacity,
    parameters: Parameters,
    steps: Steps,
    penalty: Bucket,
    /// The flows of the waiting packets, the oldest first.
    waiting: VecDeque<u32>,
    bins: Bins,
    /// The bins under the next hash functions; they are updated only while they learn.
    next: Bins,
    /// Whether `next` learns.
    warming: bool,
    /// The time at which `next` comes into use; `None` before the first arrival, which draws the first hash
    /// functions.
    next_due: Option<Time>,
}

impl Sfb {
    /// Creates the discipline at rest, in front of a link with this rate.
    pub fn new(parameters: Parameters, capacity: Capacity, link: &LinkRate) -> Self {
        let Parameters { levels, bins, increment, decrement, .. } = parameters;
        let limit = match capacity {
            Capacity::Unlimited => None,
            Capacity::Packets(packets) => Some(packets as f64),
            Capacity::Bytes(bytes) => Some(bytes as f64 / f64::from(link.mean_packet_bytes)),
        };
        let share = limit.map_or(20.0, |limit| 1.5 * limit / bins as f64);
        Self {
            capacity,
            parameters,
            steps: Steps { bin_size: parameters.bin_size.unwrap_or(share), increment, decrement },
            penalty: Bucket::full(parameters.penalty_rate, parameters.penalty_burst),
            waiting: VecDeque::new(),
            bins: Bins::new(levels, bins),
            next: Bins::new(levels, bins),
            warming: false,
            next_due: None,
        }
    }

    /// Removes packets from their bins that no longer wait; `packets` still do.
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

    /// Changes the hash functions when it is time, and lets the next ones learn before that.
    fn turn(&mut self, now: Time, random: &mut dyn Random) {
        let due = match self.next_due {
            Some(due) if now < due => due,
            _ => {
                if !self.warming {
                    self.next.renew(salt(random), self.waiting.iter().copied());
                }
                std::mem::swap(&mut self.bins, &mut self.next);
                self.warming = false;
                *self.next_due.insert(now + self.parameters.rehash)
            }
        };
        if !self.warming && due.since(now) <= self.parameters.warmup {
            self.next.renew(salt(random), self.waiting.iter().copied());
            self.warming = true;
        }
    }

    /// Decides whether the packet passes the bins of its flow.
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
            true if self.parameters.ecn && arrival.ecn.is_capable() => Verdict::Mark,
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
