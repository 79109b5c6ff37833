//! CoDel (RFC 8289): drops packets at departure when packets have waited longer than a target for an
//! interval, and more often the longer that lasts.

use crate::departure::{Departing, Departure, Held, Ticket};
use crate::discipline::Capacity;
use crate::entry::{Entry, Queueing, Service, queue};
use crate::fifo::Fifo;
use ackclock_base::declare::{self, Declared};
use ackclock_base::{Random, Range, Size, Span, Time, parameters};

#[cfg(test)]
mod tests;

/// The discipline's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &queue(
        "codel",
        "Drops or marks packets as they leave the queue, increasingly often, once queueing delay has stayed above a \
         target for an interval",
        "RFC 8289",
        Parameters::TABLE,
    ),
    build: |values, capacity, _| Queueing::at_departure(CoDel::new(values.into(), capacity)),
    service: Service { drops_late: true, ..Service::IN_ORDER },
};

parameters! {
    /// The waiting times, and the backlog that is never reduced.
    pub struct Parameters {
        target: Span = TARGET,
        interval: Span = INTERVAL,
        max_packet: Size = MAX_PACKET,
        ecn: bool = ECN,
        ce_threshold: Option<Span> = CE_THRESHOLD,
    }
}

/// The acceptable standing delay.
pub const TARGET: Declared<Span> = declare::time("5 ms", Range::above(0.0), "RFC 8289 section 4.4")
    .about("Acceptable standing queueing delay (TARGET)");

/// The time for which the target may be exceeded.
pub const INTERVAL: Declared<Span> = declare::time("100 ms", Range::above(0.0), "RFC 8289 section 4.3")
    .about(
        "Time for which the queueing delay must stay above the target before dropping begins (INTERVAL); about the \
         largest expected RTT",
    );

/// The backlog up to which no packet is dropped.
pub const MAX_PACKET: Declared<Size> = declare::size(
    "1500 B",
    Range::at_least(0.0),
    "RFC 8289 section 5.6 (bytes() <= MAXPACKET)",
)
.about(
    "Number of bytes left in the queue at or below which CoDel does not drop the departing packet: the size of the \
     largest packet (MAXPACKET)",
);

/// Whether packets are marked instead of dropped.
pub const ECN: Declared<bool> = declare::flag(false, "RFC 8289 section 3 (drop or mark); RFC 3168 section 5")
    .about("Whether ECN-capable packets are marked where CoDel would drop them");

/// The waiting time above which every packet that can be marked is marked.
pub const CE_THRESHOLD: Declared<Option<Span>> = declare::time(
    "none",
    Range::at_least(0.0),
    "RFC 8290 section 5.2 (CE_THRESHOLD); net/sched/sch_codel.c",
)
.about(
    "Queueing delay above which every ECN-capable packet is marked, with or without `ecn`; none for no threshold",
);

/// The control law: when to drop, given how long packets have waited. Each queue of FQ-CoDel has its own,
/// cloned from one that was made with the parameters.
#[derive(Clone, Debug)]
pub struct Law {
    parameters: Parameters,
    /// The time at which the waiting time will have been above the target for an interval; `None` while it is
    /// not above.
    first_above: Option<Time>,
    drop_next: Time,
    /// The number of drops since dropping began, including what was carried over from the last time.
    count: u32,
    last_count: u32,
    dropping: bool,
}

impl Law {
    /// Creates the law of a queue in which no packet has waited yet.
    pub fn new(parameters: Parameters) -> Self {
        Self {
            parameters,
            first_above: None,
            drop_next: Time::ZERO,
            count: 0,
            last_count: 0,
            dropping: false,
        }
    }

    /// Returns the next packet to send, and whether it is marked: by the control law, or because it has waited
    /// longer than the threshold (RFC 8290 section 5.2, CE_THRESHOLD; codel_dequeue in include/net/codel_impl.h).
    pub fn depart(
        &mut self,
        queue: &mut Fifo,
        now: Time,
        drops: &mut dyn FnMut(Ticket),
    ) -> Option<(Held, bool)> {
        let (held, marked) = self.next(queue, now, drops)?;
        let late =
            self.parameters.ce_threshold.is_some_and(|threshold| now.since(held.arrival.now) > threshold);
        Some((held, marked || late && held.arrival.ecn.is_capable()))
    }

    /// Returns the next packet to send, and whether the control law marks it (RFC 8289 section 5.5). A mark
    /// replaces the drop and lets the packet leave, so there is at most one per departure; further signals that
    /// are due mark the packets that follow.
    fn next(&mut self, queue: &mut Fifo, now: Time, drops: &mut dyn FnMut(Ticket)) -> Option<(Held, bool)> {
        let (mut head, mut above) = self.take(queue, now);
        if self.dropping {
            if !above {
                self.dropping = false;
            }
            while self.dropping && now >= self.drop_next {
                self.count = self.count.saturating_add(1);
                if self.marks(head) {
                    self.drop_next = self.after(self.drop_next);
                    return head.map(|held| (held, true));
                }
                let dropped = head?;
                drops(dropped.ticket);
                (head, above) = self.take(queue, now);
                if above {
                    self.drop_next = self.after(self.drop_next);
                } else {
                    self.dropping = false;
                }
            }
        } else if above {
            let marked = self.marks(head);
            if !marked {
                drops(head?.ticket);
                head = self.take(queue, now).0;
            }
            self.begin(now);
            return head.map(|held| (held, marked));
        }
        head.map(|held| (held, false))
    }

    /// Begins to drop. If the last drops were recent, count continues from them (section 5.5).
    fn begin(&mut self, now: Time) {
        self.dropping = true;
        let delta = self.count.saturating_sub(self.last_count);
        let recently = now.since(self.drop_next) < self.parameters.interval * 16;
        self.count = if delta > 1 && recently { delta } else { 1 };
        self.drop_next = self.after(now);
        self.last_count = self.count;
    }

    /// Takes the oldest packet. Returns it, and whether packets have waited too long for an interval (section
    /// 5.6).
    fn take(&mut self, queue: &mut Fifo, now: Time) -> (Option<Held>, bool) {
        let Some(held) = queue.pop() else {
            self.first_above = None;
            return (None, false);
        };
        let waited = now.since(held.arrival.now);
        if waited < self.parameters.target || queue.bytes() <= self.parameters.max_packet.bytes() {
            self.first_above = None;
            return (Some(held), false);
        }
        let first_above = *self.first_above.get_or_insert(now + self.parameters.interval);
        (Some(held), now >= first_above)
    }

    /// Returns the time of the next drop, interval / sqrt(count) later (section 5.6).
    fn after(&self, time: Time) -> Time {
        time + self.parameters.interval.scale(1.0 / libm::sqrt(f64::from(self.count)))
    }

    fn marks(&self, head: Option<Held>) -> bool {
        self.parameters.ecn && head.is_some_and(|held| held.arrival.ecn.is_capable())
    }

    /// Counts `dropped` packets of its queue that were dropped for lack of room as its own drops, so that it
    /// drops more often (Linux, net/sched/sch_fq_codel.c, fq_codel_drop).
    pub fn overflowed(&mut self, dropped: u32) {
        self.count = self.count.saturating_add(dropped);
    }

    /// Returns `count`, the number of drops since dropping began including what was carried over; zero while
    /// no packet is dropped.
    pub fn count(&self) -> u32 {
        if self.dropping { self.count } else { 0 }
    }
}

/// The CoDel discipline: the law over one queue.
#[derive(Clone, Debug)]
pub struct CoDel {
    law: Law,
    capacity: Capacity,
    queue: Fifo,
}

impl CoDel {
    /// Creates an empty queue with this capacity.
    pub fn new(parameters: Parameters, capacity: Capacity) -> Self {
        Self { law: Law::new(parameters), capacity, queue: Fifo::default() }
    }
}

impl Departing for CoDel {
    fn on_arrival(&mut self, held: Held, _random: &mut dyn Random, drops: &mut dyn FnMut(Ticket)) {
        if held.link_free
            || self.capacity.has_room(held.arrival.bytes, self.queue.len() as u64, self.queue.bytes())
        {
            self.queue.push(held);
        } else {
            drops(held.ticket);
        }
    }

    fn on_departure(
        &mut self,
        now: Time,
        _random: &mut dyn Random,
        drops: &mut dyn FnMut(Ticket),
    ) -> Option<Departure> {
        let (held, marked) = self.law.depart(&mut self.queue, now, drops)?;
        Some(Departure { ticket: held.ticket, marked })
    }

    fn packets(&self) -> u64 {
        self.queue.len() as u64
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("drops_in_a_row", f64::from(self.law.count()));
    }
}
