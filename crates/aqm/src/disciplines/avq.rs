//! AVQ, the adaptive virtual queue (Kunniyur and Srikant, SIGCOMM 2001): drops a packet when a virtual queue
//! of the same size, with a capacity of its own, would overflow. That capacity is adapted to reach a desired
//! utilisation of the link.
//!
//! The load that is held at the desired utilisation excludes AVQ's own drops, as in the authors' version for
//! ns-2 (queue/vq.cc, dropPacketForECN). Their paper adapts to all arrivals, because it marks: there are no
//! such drops then, and the two agree. With drops the paper's load starves the link: the more is dropped, the
//! further the capacity falls. `load = "offered"` counts them too.
//!
//! The virtual queue counts packets if the limit does, otherwise bytes. Without a limit it never overflows.

#[cfg(test)]
mod tests;

use crate::discipline::{Arrival, Backlog, Capacity, Discipline, LinkRate, Verdict};
use crate::entry::{ECN, Entry, Queueing, Service, queue};
use ackclock_base::{Random, Range, Time, choice, parameters};

/// The discipline's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &queue(
        "avq",
        "Drops (or marks) a packet that would overflow a virtual queue, whose service rate is adapted so that the link \
         reaches a desired utilisation",
        "Kunniyur and Srikant 2001",
        Parameters::TABLE,
    ),
    build: |values, capacity, link| Queueing::at_arrival(Avq::new(values.into(), capacity, link)),
    service: Service::IN_ORDER,
};

choice! {
    /// The load that is held at the utilisation.
    pub enum Load {
        /// All packets except its own drops.
        Admitted = "admitted",
        /// All packets, including its own drops.
        Offered = "offered",
    }
}

parameters! {
    /// The desired load, and the speed of the virtual capacity.
    pub struct Parameters {
        /// Desired utilisation of the link (gamma)
        utilisation: f64 = number(
            "0.98",
            Range { min: 0.0, max: 1.0, above_min: true },
            "Kunniyur and Srikant 2001; Jain 2003 section 2.7.1",
        ),
        /// Gain of the virtual queue's service rate (alpha): per second, the service rate changes by alpha times the
        /// difference between the desired load (`utilisation` times the link's rate) and the actual load (see `load`)
        smoothing: f64 = number(
            "0.1",
            Range::above(0.0),
            "Jain 2003 section 2.7.1; 0.15 in Kunniyur and Srikant 2001",
        ),
        /// Traffic that counts towards `utilisation`: all arrivals except packets dropped because the virtual queue
        /// overflows (admitted), or all arrivals (offered)
        load: Load = choice(
            "admitted",
            "the authors' version for ns-2, queue/vq.cc; Kunniyur and Srikant 2001 mark packets and count every \
             arrival",
        ),
        ecn: bool = ECN,
    }
}

/// The initial virtual capacity as a fraction of the link's, from the version contributed to ns-2.
const FIRST_CAPACITY: f64 = 0.8;

/// The AVQ discipline. It counts in units of packets or bytes.
#[derive(Clone, Debug)]
pub struct Avq {
    capacity: Capacity,
    /// The bytes of a unit, to convert published values.
    unit_bytes: f64,
    /// The capacity of the virtual queue in units.
    most: f64,
    link_per_s: f64,
    virtual_per_s: f64,
    virtual_queue: f64,
    parameters: Parameters,
    last: Time,
    mean_packet_bytes: f64,
}

impl Avq {
    /// Creates an empty queue with this capacity, in front of a link with this rate.
    pub fn new(parameters: Parameters, capacity: Capacity, link: &LinkRate) -> Self {
        let mean_packet_bytes = f64::from(link.mean_packet_bytes);
        let (most, unit_bytes) = match capacity {
            Capacity::Unlimited => (f64::INFINITY, 1.0),
            Capacity::Packets(most) => (most as f64, mean_packet_bytes),
            Capacity::Bytes(most) => (most as f64, 1.0),
        };
        let link_per_s = link.rate.bytes_per_second() / unit_bytes;
        Self {
            capacity,
            unit_bytes,
            most,
            link_per_s,
            virtual_per_s: FIRST_CAPACITY * link_per_s,
            virtual_queue: 0.0,
            parameters,
            last: Time::ZERO,
            mean_packet_bytes,
        }
    }

    /// Drains the virtual queue since the last arrival, and raises its capacity accordingly.
    fn advance(&mut self, now: Time) {
        let elapsed = now.since(self.last).seconds();
        self.last = now;
        self.virtual_queue = (self.virtual_queue - self.virtual_per_s * elapsed).max(0.0);
        let Parameters { smoothing, utilisation, .. } = self.parameters;
        let gained = smoothing * utilisation * self.link_per_s * elapsed;
        self.virtual_per_s = (self.virtual_per_s + gained).min(self.link_per_s);
    }

    /// Returns whether a packet overflows the virtual queue. Like the real one, it takes any packet while it
    /// is empty.
    fn overflows(&mut self, size: f64) -> bool {
        let overflows = self.virtual_queue > 0.0 && self.virtual_queue + size > self.most;
        if !overflows {
            self.virtual_queue += size;
        }
        overflows
    }
}

impl Discipline for Avq {
    fn on_arrival(&mut self, arrival: &Arrival, backlog: &Backlog, _random: &mut dyn Random) -> Verdict {
        let size = if let Capacity::Packets(_) = self.capacity { 1.0 } else { f64::from(arrival.bytes) };
        self.advance(arrival.now);
        let overflows = self.overflows(size);
        let marks = self.parameters.ecn && arrival.ecn.is_capable();
        let verdict = match self.capacity.admits(arrival.bytes, backlog) {
            true if !overflows => Verdict::Admit,
            true if marks => Verdict::Mark,
            _ => Verdict::Drop,
        };
        let own_drop = overflows && !marks;
        if self.parameters.load == Load::Offered || !own_drop {
            self.virtual_per_s = (self.virtual_per_s - self.parameters.smoothing * size).max(0.0);
        }
        verdict
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("virtual_capacity_bps", 8.0 * self.virtual_per_s * self.unit_bytes);
        series("virtual_queue_packets", self.virtual_queue * self.unit_bytes / self.mean_packet_bytes);
    }
}
