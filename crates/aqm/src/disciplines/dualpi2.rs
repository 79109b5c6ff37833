//! DualPI2, the coupled dual queue (RFC 9332 appendix A): senders with a small response to each mark have a
//! short queue of their own. A controller on the other queue decides how often it drops, and the marks of the
//! short queue are coupled to that, so that a flow gets about the same on either side.
//!
//! A flow whose packets differ in their ECN field may overtake itself, since they are in different queues;
//! this happens with ECT(0) that an earlier link has marked.

mod controller;
#[cfg(test)]
mod tests;

use crate::departure::{Departing, Departure, Held, Ticket};
use crate::discipline::{Capacity, Ecn, LinkRate};
use crate::entry::{Entry, PERIODS, Queueing, Service, queue};
use crate::fifo::Fifo;
use ackclock_base::{Random, Range, Size, Span, Time, Values, parameters};
use controller::{Controller, Spread};

/// The discipline's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &queue(
        "dualpi2",
        "Two coupled queues: a short L4S queue for packets with ECT(1) or CE, and a classic queue, whose drop \
         probability also sets the marking probability of the L4S queue",
        "RFC 9332 appendix A",
        Parameters::TABLE,
    ),
    build: |values, capacity, _| Queueing::at_departure(DualPi2::new(values.into(), capacity)),
    service: Service { drops_late: true, overtakes: true, queues_by_ecn: true, ..Service::IN_ORDER },
};

parameters! {
    /// The controller of both queues, the ramp of the short one, and the share of the classic one.
    pub struct Parameters {
        /// Target queueing delay; the controller compares it with the longer delay of the two queues
        target: Span = time("15 ms", Range::above(0.0), "RFC 9332 appendix A.1"),
        /// Time between updates of the probabilities (Tupdate)
        update_period: Span = time(
            "16 ms",
            PERIODS,
            "Linux; min(target, RTT_max/3) in RFC 9332 appendix A.1",
        ),
        /// Integral gain: change of the controller's probability p' per update for each second of queueing delay above
        /// the target; p' squared is the classic drop probability
        alpha: f64 = number(
            "0.16",
            Range::at_least(0.0),
            "RFC 9332 appendix A.1: 0.1 Tupdate / RTT_max^2 with RTT_max = 100 ms",
        ),
        /// Proportional gain: change of the controller's probability p' per update for each second by which queueing
        /// delay has grown since the last update; p' squared is the classic drop probability
        beta: f64 = number(
            "3.2",
            Range::at_least(0.0),
            "Linux; RFC 9332 appendix A.1 has 3 (0.3 / RTT_max with RTT_max = 100 ms)",
        ),
        /// Coupling factor (k): the L4S queue marks with k times the square root of the classic queue's drop
        /// probability, or with the probability of its ramp (see `ramp_start`) if that is higher
        coupling: f64 = number("2", Range::between(1.0, 100.0), "RFC 9332 section 2.1 and appendix A.1"),
        /// Queueing delay in the L4S queue at which its ramp begins: the L4S queue's own marking probability rises from
        /// zero above it (minTh); a packet that leaves the L4S queue empty is exempt
        ramp_start: Span = time("800 us", Range::at_least(0.0), "RFC 9332 appendix A.1"),
        /// Width of the L4S queue's ramp: queueing delay above `ramp_start` at which every packet is marked; zero for a
        /// step
        ramp_range: Span = time("400 us", Range::at_least(0.0), "RFC 9332 appendix A.1; Linux has a step at 1 ms"),
        /// Share of the sent bytes that the classic queue contributes while both queues have packets
        classic_share: f64 = number(
            "0.1",
            Range::between(0.0, 1.0),
            "Linux; RFC 9332 section 4.2.2 leaves the weight open",
        ),
        /// Whether the L4S queue drops packets with the classic queue's drop probability under overload, when marking
        /// every packet is not enough; if not, the L4S queue only marks
        drops_on_overload: bool = flag(true, "RFC 9332 section 4.2.3 and appendix A.2; Linux's drop_on_overload and overflow"),
        /// Whether ECN-capable packets are marked; if not, all packets share the classic queue, and the discipline is
        /// PI2
        ecn: bool = flag(true, "RFC 9332 appendix A.1; De Schepper et al. 2016"),
    }
}

/// Returns a warning about a ramp that is too short for a slow link, or `None`. On such a link a flow cannot
/// keep the link busy without waiting beyond the ramp: behind the packet being sent and one more, every
/// packet is marked, and its sender starves beside classic ones. With a round trip of 18 ms DCTCP has 0.1 of
/// Reno's goodput at 12 Mbit/s, 0.6 of it at 16, and 0.9 at 25.
pub fn doubt(values: &Values, link: &LinkRate) -> Option<String> {
    let Parameters { ramp_start, ramp_range, ecn, .. } = values.into();
    let end = ramp_start + ramp_range;
    let two_packets = link.rate.time_to_send(Size::from_bytes(2 * u64::from(link.mean_packet_bytes)));
    (ecn && end < two_packets).then(|| {
        format!(
            "the ramp (ramp_start + ramp_range) ends at {end}, but sending two packets of {} B at {} takes \
             {two_packets}: nearly every packet of a scalable control such as DCTCP is marked, and its flows starve \
             next to flows of classic controls; raise `ramp_start` or `ramp_range`",
            link.mean_packet_bytes, link.rate
        )
    })
}

/// Two queues under one controller.
#[derive(Clone, Debug)]
pub struct DualPi2 {
    capacity: Capacity,
    parameters: Parameters,
    classic: Fifo,
    short: Fifo,
    classic_drops: Spread,
    short_marks: Spread,
    short_drops: Spread,
    /// The bytes that the short queue owes to the classic queue.
    debt: f64,
    controller: Controller,
    update_period: Span,
    next_update: Time,
}

impl DualPi2 {
    /// Creates two empty queues that share this capacity.
    pub fn new(parameters: Parameters, capacity: Capacity) -> Self {
        let update_period = parameters.update_period.max(Span::from_nanos(1));
        Self {
            capacity,
            parameters,
            classic: Fifo::default(),
            short: Fifo::default(),
            classic_drops: Spread::default(),
            short_marks: Spread::default(),
            short_drops: Spread::default(),
            debt: 0.0,
            controller: Controller::new(parameters),
            update_period,
            next_update: Time::ZERO + update_period,
        }
    }

    /// Performs the updates that were due until `now`. No packet has joined or left since the last event, so
    /// each update sees the queues as they were at its time.
    fn update(&mut self, now: Time) {
        while self.next_update <= now {
            let then = self.next_update;
            let age = |fifo: &Fifo| fifo.head().map_or(Span::ZERO, |held| then.since(held.arrival.now));
            let changed = self.controller.update(age(&self.classic).max(age(&self.short)));
            let at_rest = !changed && self.packets() == 0;
            let periods = now.since(then).nanos() / self.update_period.nanos();
            self.next_update = then + self.update_period * if at_rest { periods + 1 } else { 1 };
        }
    }

    /// Returns whether the short queue sends next: it does, unless it owes bytes to the classic one (weighted
    /// round robin, one of the schedulers with conditional priority that section 4.2.2 allows).
    fn short_is_next(&self) -> bool {
        self.classic.is_empty() || (!self.short.is_empty() && self.debt <= 0.0)
    }

    /// Charges a queue for what it has sent, while both have packets.
    fn charge(&mut self, bytes: u32, by_short: bool) {
        match (by_short, self.classic.is_empty(), self.short.is_empty()) {
            (_, true, true) => self.debt = 0.0,
            (true, false, _) => self.debt += self.parameters.classic_share * f64::from(bytes),
            (false, _, false) => self.debt -= (1.0 - self.parameters.classic_share) * f64::from(bytes),
            _ => {}
        }
    }

    /// Returns the probability with which the short queue marks by itself (laqm in appendix A.1). A packet
    /// that leaves the queue empty is not marked for its waiting time: at a low rate one packet takes that
    /// long (Th_len in the appendix).
    fn native(&self, waited: Span) -> f64 {
        let Parameters { ramp_start, ramp_range, .. } = self.parameters;
        if self.short.is_empty() || waited < ramp_start {
            0.0
        } else if waited >= ramp_start + ramp_range {
            1.0
        } else {
            waited.saturating_sub(ramp_start).seconds() / ramp_range.seconds()
        }
    }
}

impl Departing for DualPi2 {
    fn on_arrival(&mut self, held: Held, _random: &mut dyn Random, drops: &mut dyn FnMut(Ticket)) {
        self.update(held.arrival.now);
        let bytes = self.classic.bytes() + self.short.bytes();
        if !held.link_free && !self.capacity.has_room(held.arrival.bytes, self.packets(), bytes) {
            drops(held.ticket);
        } else if self.parameters.ecn && matches!(held.arrival.ecn, Ecn::LowLatency | Ecn::Experienced) {
            self.short.push(held);
        } else {
            self.classic.push(held);
        }
    }

    /// Sends a packet as dualpi2_dequeue of appendix A.2; under overload both queues drop instead of marking.
    fn on_departure(
        &mut self,
        now: Time,
        _random: &mut dyn Random,
        drops: &mut dyn FnMut(Ticket),
    ) -> Option<Departure> {
        self.update(now);
        let overloaded = self.controller.is_overloaded();
        let short_drops = overloaded && self.parameters.drops_on_overload;
        let classic = self.controller.classic();
        loop {
            let by_short = self.short_is_next();
            let (held, dropped, marked);
            if by_short {
                held = self.short.pop()?;
                let probability = self.native(now.since(held.arrival.now)).max(self.controller.coupled());
                dropped = short_drops && self.short_drops.takes(classic);
                marked = overloaded || self.short_marks.takes(probability);
            } else {
                held = self.classic.pop()?;
                let taken = self.classic_drops.takes(classic);
                let may_mark = self.parameters.ecn && !overloaded && held.arrival.ecn.is_capable();
                dropped = taken && !may_mark;
                marked = taken && may_mark;
            }
            if dropped {
                drops(held.ticket);
                continue;
            }
            self.charge(held.arrival.bytes, by_short);
            return Some(Departure { ticket: held.ticket, marked });
        }
    }

    fn packets(&self) -> u64 {
        (self.classic.len() + self.short.len()) as u64
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("drop_probability", self.controller.classic());
        series("coupled_mark_probability", self.controller.coupled());
        series("short_queue_packets", self.short.len() as f64);
        series("classic_queue_packets", self.classic.len() as f64);
    }
}
