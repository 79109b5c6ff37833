//! CAKE (Høiland-Jørgensen, Täht and Morton 2018; Linux's sch_cake): a shaper, a queue for each flow with
//! turns that are fair to hosts first and to flows second, and a Cobalt (CoDel and BLUE) in each queue.
//!
//! Left out: the tins of `diffserv3` and its relatives (this is `besteffort`), the ACK filter,
//! `autorate-ingress`, `ingress` and `split-gso`. Differences from Linux:
//! * A queue that becomes empty waits for the others once before it counts as new again, as in RFC 8290
//!   section 4.2 and [`Rounds`].
//! * A queue that is empty recovers as time passes (`Cobalt::wake`); Linux keeps it in a list and looks at
//!   one queue of that list at each departure.
//! * A flow stays in its queue as long as one of its packets waits in it, so that none overtakes another.
//! * A share of a quantum is counted in fractions of a byte, where Linux rounds it at random.

mod cobalt;
mod hosts;
mod shaper;
mod ways;

use crate::departure::{Departing, Departure, Held, Ticket};
use crate::discipline::{Capacity, LinkRate};
use crate::entry::{ECN, Entry, Queueing, Service, queue};
use crate::fifo::{Fifo, Room, longest};
use crate::label::Label;
use crate::rounds::Rounds;
use ackclock_base::{Descriptor, Random, Range, Rate, Size, Span, Time, Values, parameters};
use cobalt::{Cobalt, Settings};
pub use hosts::Isolation;
use hosts::{Hosts, Pair};
pub use shaper::Framing;
use shaper::{Clock, Overhead};
use ways::Ways;

/// The discipline's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &Descriptor {
        presets: PRESETS,
        ..queue(
            "cake",
            "Shapes traffic to a rate, shared fairly among hosts and their flows; each flow has a queue with \
             CoDel and BLUE",
            "Høiland-Jørgensen, Täht and Morton 2018; Linux, net/sched/sch_cake.c",
            Parameters::TABLE,
        )
    },
    build: |values, capacity, _| Queueing::at_departure(Cake::new(values.into(), capacity)),
    service: Service { drops_late: true, overtakes: true, holds_back: true, ..Service::IN_ORDER },
};

/// Linux's smallest buffer (cake_reconfigure: four intervals at the shaper's rate, but not below 4 MiB).
const PRESETS: &[(&str, &str)] = &[("limit", "4194304 B")];

parameters! {
    /// The shaper, the sharing and the queue management.
    pub struct Parameters {
        /// Rate of the shaper, overhead included; none for no shaper
        rate: Option<Rate> = rate("none", Range::at_least(1.0), "tc-cake(8), bandwidth; unlimited by default"),
        /// Round-trip time for which the queues are tuned: CoDel's interval is `rtt`, its target `rtt` / 20; both are
        /// raised if the shaper takes longer than 2/3 of the target to send 1514 B
        rtt: Span = time("100 ms", Range::above(0.0), "tc-cake(8), rtt: 100 ms, which the keyword internet sets"),
        /// Bytes that the layers below IP add to each packet, which count towards the rate
        overhead: Size = size("0 B", Range::between(0.0, 256.0), "tc-cake(8), overhead; raw by default"),
        /// Minimum packet size that counts towards the rate, overhead included: smaller packets count with this size
        mpu: Size = size("0 B", Range::between(0.0, 256.0), "tc-cake(8), mpu"),
        /// Encapsulation that counts towards the rate: none (noatm), cells of 53 bytes with 48 bytes of the packet
        /// each (atm), or an additional byte for each 64 bytes of the packet (ptm)
        framing: Framing = choice("noatm", "tc-cake(8), noatm, atm and ptm"),
        /// Parties among which the rate is shared fairly before it is shared among flows: sending and receiving hosts
        /// (triple-isolate), sending hosts (dual-srchost), receiving hosts (dual-dsthost), or none (flows)
        isolation: Isolation = choice("triple-isolate", "tc-cake(8), flow isolation"),
        /// Whether ECN-capable packets are marked where CoDel would drop them; BLUE drops ECN-capable packets in any
        /// case
        ecn: bool = ECN.by_default("true").source("Linux, sch_cake.c, where marking is always on; RFC 3168 section 5"),
    }
}

/// Returns the rate at which the queues empty: the lower of the shaper's and the link's.
pub fn service_rate(values: &Values, link: &LinkRate) -> Rate {
    Parameters::from(values).rate.map_or(link.rate, |rate| rate.min(link.rate))
}

/// The MTU with Ethernet's header, from which Linux computes the target and the quantum (psched_mtu).
const MTU_BYTES: u64 = 1514;

/// A queue for each flow behind a shaper. Its memory grows with the flows and with the packets that have
/// waited.
#[derive(Clone, Debug)]
pub struct Cake {
    clock: Clock,
    overhead: Overhead,
    room: Room,
    ways: Ways,
    /// The queue at each place of `ways`; `None` if the place has not been used.
    queue_at: Vec<Option<u32>>,
    queues: Vec<Queue>,
    rounds: Rounds,
    hosts: Hosts,
    settings: Settings,
    /// The quantum of a flow that shares its hosts with no other.
    quantum: i64,
}

#[derive(Clone, Debug)]
struct Queue {
    fifo: Fifo,
    cobalt: Cobalt,
    hosts: Pair,
    set: Set,
}

/// The set to which a queue belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Set {
    /// The queue is not active.
    Resting,
    /// The queue has sent less than its first turn allows.
    Sparse,
    /// The queue is empty, and waits for the others once before it counts as new again.
    Waiting,
    /// The queue has used up a turn and still has packets: it counts as a flow of its hosts.
    Bulk,
}

/// The credits of a byte, so that a quantum can be divided by thousands.
const PER_BYTE: i64 = 1 << 16;

impl Cake {
    /// Creates empty queues that share this capacity, behind a shaper at rest.
    pub fn new(parameters: Parameters, capacity: Capacity) -> Self {
        let Parameters { rate, rtt, overhead, mpu, framing, isolation, ecn } = parameters;
        Self {
            clock: Clock::new(rate),
            overhead: Overhead { added: overhead.bytes(), least: mpu.bytes(), framing },
            room: Room::new(capacity),
            ways: Ways::new(),
            queue_at: vec![None; ways::PLACES],
            queues: Vec::new(),
            rounds: Rounds::default(),
            hosts: Hosts::new(isolation),
            settings: Settings::new(rtt, rate, ecn),
            quantum: quantum(rate) * PER_BYTE,
        }
    }

    /// Returns the queue for an arriving packet.
    fn queue_of(&mut self, held: &Held, random: &mut dyn Random) -> usize {
        let flow = held.arrival.flow;
        let Self { ways, queues, queue_at, .. } = self;
        let rests =
            |place: usize| queue_at[place].is_none_or(|queue| queues[queue as usize].set == Set::Resting);
        let place = ways.enter(flow, random, rests);
        let fresh = Queue {
            fifo: Fifo::default(),
            cobalt: Cobalt::default(),
            hosts: self.hosts.of(flow),
            set: Set::Resting,
        };
        *self.queue_at[place].get_or_insert_with(|| {
            self.queues.push(fresh);
            self.queues.len() as u32 - 1
        }) as usize
    }

    /// Drops the oldest packet of the queue with the most bytes.
    fn drop_from_fattest(&mut self, now: Time, drops: &mut dyn FnMut(Ticket)) {
        let fattest = longest(0, self.queues.iter().map(|queue| queue.fifo.bytes()));
        let queue = &mut self.queues[fattest];
        let Some(dropped) = queue.fifo.pop() else {
            panic!("the limit is exceeded, but all queues are empty")
        };
        queue.cobalt.overflowed(now, &self.settings);
        self.forget(&dropped);
        drops(dropped.ticket);
    }

    fn forget(&mut self, held: &Held) {
        self.room.leave(1, u64::from(held.arrival.bytes));
        self.ways.leave(held.arrival.flow);
    }

    /// Returns the queue whose turn it is; `None` if no queue is active.
    fn next_turn(&mut self) -> Option<usize> {
        let Self { rounds, queues, hosts, quantum, .. } = self;
        let turn = |index: u32| {
            let queue = &mut queues[index as usize];
            if queue.set == Set::Sparse && !queue.fifo.is_empty() {
                queue.set = Set::Bulk;
                hosts.begins(queue.hosts);
            } else if queue.set == Set::Sparse {
                queue.set = Set::Waiting;
            }
            hosts.share(*quantum, queue.hosts)
        };
        rounds.next(turn, |_| 1).map(|index| index as usize)
    }

    /// Records that the queue whose turn it is has nothing to send.
    fn found_empty(&mut self, index: usize, now: Time) {
        self.rounds.found_empty();
        let queue = &mut self.queues[index];
        queue.cobalt.emptied(now, &self.settings);
        if self.rounds.is_active(index as u32) {
            queue.set = Set::Waiting;
            return;
        }
        if queue.set == Set::Bulk {
            self.hosts.ends(queue.hosts);
        }
        queue.set = Set::Resting;
    }
}

/// Returns the bytes of a turn: what the shaper sends in 1/4096 s, between 300 B and an MTU (Linux, cake_set_rate).
fn quantum(rate: Option<Rate>) -> i64 {
    let bytes = rate.map_or(MTU_BYTES, |rate| (rate.bits_per_second() / 8 / 4096).clamp(300, MTU_BYTES));
    bytes as i64
}

impl Departing for Cake {
    fn on_labels(&mut self, labels: &[Label]) {
        self.hosts.learn(labels);
    }

    fn on_arrival(&mut self, held: Held, random: &mut dyn Random, drops: &mut dyn FnMut(Ticket)) {
        let now = held.arrival.now;
        if self.room.packets() == 0 {
            self.clock.start(now);
        }
        let index = self.queue_of(&held, random);
        let queue = &mut self.queues[index];
        if queue.fifo.is_empty() {
            queue.cobalt.wake(now, &self.settings);
        }
        queue.fifo.push(held);
        self.room.enter(held.arrival.bytes);
        match queue.set {
            Set::Resting => {
                queue.set = Set::Sparse;
                queue.hosts = self.hosts.of(held.arrival.flow);
                self.rounds.start_new(index as u32, self.hosts.share(self.quantum, queue.hosts));
            }
            Set::Waiting => {
                queue.set = Set::Bulk;
                self.hosts.begins(queue.hosts);
            }
            Set::Sparse | Set::Bulk => {}
        }
        let goes_at_once = held.link_free && self.clock.ready() <= now;
        while !goes_at_once && self.room.is_over() {
            self.drop_from_fattest(now, drops);
        }
    }

    fn on_departure(
        &mut self,
        now: Time,
        random: &mut dyn Random,
        drops: &mut dyn FnMut(Ticket),
    ) -> Option<Departure> {
        if self.room.packets() == 0 || self.clock.ready() > now {
            return None;
        }
        loop {
            let index = self.next_turn()?;
            while let Some(held) = self.queues[index].fifo.pop() {
                self.forget(&held);
                let Queue { cobalt, fifo, .. } = &mut self.queues[index];
                let outcome = cobalt.decide(&held.arrival, now, &self.settings, random);
                if outcome == cobalt::Outcome::Drop && !fifo.is_empty() {
                    drops(held.ticket);
                    continue;
                }
                let charged = self.overhead.bytes_of(held.arrival.bytes);
                self.clock.advance(charged);
                self.rounds.spend(index as u32, charged as i64 * PER_BYTE);
                let marked = outcome == cobalt::Outcome::Mark;
                return Some(Departure { ticket: held.ticket, marked });
            }
            self.found_empty(index, now);
        }
    }

    fn ready(&self) -> Time {
        if self.room.packets() == 0 { Time::ZERO } else { self.clock.ready() }
    }

    fn packets(&self) -> u64 {
        self.room.packets()
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("active_queues", self.rounds.active() as f64);
        let most = self.queues.iter().map(|queue| queue.cobalt.probability()).fold(0.0, f64::max);
        series("blue_probability", most);
    }
}

#[cfg(test)]
mod tests;
