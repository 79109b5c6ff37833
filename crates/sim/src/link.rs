//! A link: a queue, a transmitter and a wire.
//!
//! Most disciplines decide when a packet arrives, and the packets that they admit leave in order. The whole
//! future of a packet on the link is therefore known when it is offered, and the link needs no events of its
//! own. A discipline that decides at departure holds its packets in a [waiting room](crate::waiting_room),
//! and its link is served each time that it becomes free.
//!
//! The link of a host takes a cache line. A trial in which the packets of ten thousand flows visit no such link, with
//! equal delays, was 1.06 times as fast (median of seven pairs, 0.97 to 1.14), so a smaller link would gain little.

mod departing;
mod queue;
mod turns;

use crate::alteration::Alteration;
use crate::channel::{Crossing, Impaired, Impairments, Sending};
use crate::histogram::Histogram;
use crate::measure::{Interval, QueueStatistics};
use crate::random::Stream;
use crate::transmission::{Changes, Transmission};
use ackclock_aqm::{Arrival, Ecn, Queueing, Verdict};
use ackclock_base::{Rate, Span, Time};
use queue::Queue;

/// The parts from which a link is built.
pub struct LinkParts {
    /// The name in results.
    pub name: String,
    /// The node at the sending end.
    pub from: String,
    /// The node at the receiving end.
    pub to: String,
    /// The sending rate. If the rate changes, the rate that results show.
    pub rate: Rate,
    /// The changes of the rate, if it changes.
    pub changes: Option<Changes>,
    /// The delay of the wire.
    pub delay: Span,
    /// The queue discipline; `None` for a queue without limit.
    pub discipline: Option<Queueing>,
    /// The effects of the wire on packets other than its delay.
    pub impairments: Impairments,
    /// The seed of the run, for the link's own random streams.
    pub seed: u64,
}

/// The outcome of offering a packet to a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The queue drops the packet.
    Dropped,
    /// The packet is sent, and corrupted on the wire or dropped there because of its ECN field.
    Corrupted {
        /// The beginning of the transmission.
        starts: Time,
        /// The end of the transmission.
        sent: Time,
    },
    /// The packet arrives unchanged, except for a mark of the queue.
    Arrives {
        /// The beginning of the transmission.
        starts: Time,
        /// The end of the transmission.
        sent: Time,
        /// The arrival at the other end.
        at: Time,
        /// Whether the queue has set congestion experienced.
        marked: bool,
    },
    /// The packet arrives with changes made by the wire.
    Altered {
        /// The beginning of the transmission.
        starts: Time,
        /// The end of the transmission.
        sent: Time,
        /// The arrival at the other end.
        at: Time,
        /// The changes, including a mark of the queue.
        alteration: Alteration,
    },
}

impl Fate {
    /// Returns the outcome for a packet that is transmitted from `starts` to `sent`.
    fn of(starts: Time, sent: Time, crossing: Crossing, marked: bool) -> Self {
        match crossing {
            Crossing { wire: None, .. } => Self::Corrupted { starts, sent },
            Crossing { wire: Some(wire), alteration, .. } if alteration.is_nothing() => {
                Self::Arrives { starts, sent, at: sent + wire, marked }
            }
            Crossing { wire: Some(wire), alteration, .. } => {
                let alteration = alteration.after_queue(marked);
                Self::Altered { starts, sent, at: sent + wire, alteration }
            }
        }
    }
}

/// Counters of a link over the measured interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkCounts {
    /// The number of packets offered.
    pub arrived: u64,
    /// The number of packets sent and not corrupted.
    pub delivered: u64,
    /// The number of packets dropped by the queue.
    pub dropped: u64,
    /// The number of packets corrupted on the wire.
    pub corrupted: u64,
    /// The number of packets that the queue marked with congestion experienced.
    pub marked: u64,
    /// The number of packets duplicated on arrival.
    pub duplicated: u64,
    /// The time spent sending, in nanoseconds.
    pub busy_ns: u64,
}

/// A link in a running simulation. The fields that a private link without a queue limit needs come first and
/// fill one cache line; fields for other links are boxed.
#[repr(C, align(64))]
pub struct Link {
    free_at: Time,
    /// Packets whose transmission ends before this time lie wholly in the measured interval. It is zero until
    /// measuring has begun.
    whole_until: Time,
    /// The number of packets that lie wholly in the measured interval, from arrival to the end of
    /// transmission, and were not corrupted. It serves both as arrivals and as deliveries.
    whole: u64,
    delay: Span,
    busy_ns: u64,
    /// The sum of the packets' waiting times, from which the mean queue of an unobserved queue is computed.
    waited_ns: u64,
    transmission: Transmission,
    measured: Interval,
    /// The counts that `whole` and `busy_ns` do not include.
    other: LinkCounts,
    /// The queue, if its length is observed or it has a discipline.
    queue: Option<Box<Queue>>,
    impaired: Option<Box<Impaired>>,
    /// The sending rate. If the rate changes, the rate that results show.
    pub rate: Rate,
    /// The name in results.
    pub name: Box<str>,
    /// The node at the sending end.
    pub from: Box<str>,
    /// The node at the receiving end.
    pub to: Box<str>,
}

impl Link {
    /// Creates an idle link. The queue's length is observed if several paths share the link or it has a
    /// discipline. Otherwise only the mean length is measured, which is cheaper.
    pub fn new(parts: LinkParts, shared: bool, measured: Interval) -> Self {
        let stream = |purpose: &str| Stream::new(parts.seed, &format!("link {} {purpose}", parts.name));
        let followed = shared || parts.discipline.is_some();
        let impaired = Impaired::of(parts.impairments, stream);
        let transmission = Transmission::new(parts.rate, parts.changes);
        Self {
            free_at: Time::ZERO,
            whole_until: Time::ZERO,
            whole: 0,
            delay: parts.delay,
            busy_ns: 0,
            waited_ns: 0,
            transmission,
            measured,
            other: LinkCounts::default(),
            queue: followed.then(|| Box::new(Queue::new(parts.discipline, stream("queue"), measured))),
            impaired,
            rate: parts.rate,
            name: parts.name.into(),
            from: parts.from.into(),
            to: parts.to.into(),
        }
    }

    /// Returns whether the link has no observed queue, no impairments and a fixed rate. If so, packets
    /// [cross](Self::cross) it.
    pub fn is_plain(&self) -> bool {
        self.queue.is_none() && self.impaired.is_none() && !self.transmission.varies()
    }

    /// Sends a packet over a [plain](Self::is_plain) link at `now`, which must not lie before the previous
    /// packet's time. Returns the arrival.
    #[inline]
    pub fn cross(&mut self, now: Time, bytes: u32) -> Time {
        debug_assert!(self.is_plain());
        let starts = self.free_at.max(now);
        let takes = self.transmission.time(starts, bytes);
        self.send(now, starts, takes);
        self.free_at + self.delay
    }

    /// Transmits a packet that is not corrupted.
    #[inline]
    fn send(&mut self, now: Time, starts: Time, takes: Span) {
        let sent = starts + takes;
        self.free_at = sent;
        if sent < self.whole_until {
            self.whole += 1;
            self.busy_ns += takes.nanos();
            // This adds zero if the packet does not wait. A check would cost more, since branch prediction
            // fails often.
            self.waited_ns = self.waited_ns.saturating_add(starts.nanos() - now.nanos());
        } else {
            self.count_partly(now, starts, sent, false);
        }
    }

    /// Counts a packet of an impaired link, or one that may lie only partly in the measured interval.
    #[cold]
    #[inline(never)]
    fn count_partly(&mut self, now: Time, starts: Time, sent: Time, corrupted: bool) {
        if now >= self.measured.from {
            self.whole_until = self.measured.to;
        }
        let counted = u64::from(self.measured.contains(sent));
        self.other.arrived += u64::from(self.measured.contains(now));
        self.other.delivered += counted * u64::from(!corrupted);
        self.other.corrupted += counted * u64::from(corrupted);
        self.busy_ns += self.measured.overlap(starts, sent).nanos();
        self.waited_ns = self.waited_ns.saturating_add(self.measured.overlap(now, starts).nanos());
    }

    /// Offers a packet at its arrival time, which must not lie before the previous offer, to a link whose
    /// discipline does not decide at departure. Returns the packet's fate, which is final: a packet that
    /// waits gets the times at which it will be sent and arrive.
    #[inline(always)] // inlined so that the outcome need not be stored in memory
    pub fn offer(&mut self, arrival: &Arrival) -> Fate {
        let Arrival { now, bytes, .. } = *arrival;
        let starts = self.free_at.max(now);
        let mut marked = false;
        if let Some(queue) = &mut self.queue {
            queue.look(now, self.free_at, &self.transmission);
            queue.settle(now);
            if let Some(limit) = queue.only_limit {
                if starts > now && !limit.has_room(bytes, queue.in_line(), queue.waiting_bytes) {
                    return self.refuse(now);
                }
            } else {
                match queue.ask(arrival, self.free_at, &self.transmission) {
                    Verdict::Drop => return self.refuse(now),
                    verdict => marked = verdict == Verdict::Mark,
                }
            }
            queue.note_wait(now, starts, self.measured);
            if starts > now {
                queue.join(now, starts, bytes);
            }
        }
        if marked {
            self.other.marked += u64::from(self.measured.contains(now));
        }
        if self.impaired.is_some() {
            return self.send_impaired(arrival, starts, marked);
        }
        let takes = self.transmission.time_of(now, starts, bytes);
        self.send(now, starts, takes);
        Fate::Arrives { starts, sent: self.free_at, at: self.free_at + self.delay, marked }
    }

    #[inline(never)]
    fn send_impaired(&mut self, arrival: &Arrival, starts: Time, marked: bool) -> Fate {
        let Arrival { now, bytes, ecn, .. } = *arrival;
        let (sent, crossing) = self.transmit(now, starts, bytes, if marked { Ecn::Experienced } else { ecn });
        self.count_partly(now, starts, sent, crossing.wire.is_none());
        Fate::of(starts, sent, crossing, marked)
    }

    fn refuse(&mut self, now: Time) -> Fate {
        let counted = u64::from(self.measured.contains(now));
        self.other.arrived += counted;
        self.other.dropped += counted;
        Fate::Dropped
    }

    /// Begins a transmission. Returns when it ends, and how the packet crosses the link.
    fn transmit(&mut self, arrived: Time, starts: Time, bytes: u32, ecn: Ecn) -> (Time, Crossing) {
        let takes = self.transmission.time_of(arrived, starts, bytes);
        let crossing = match &mut self.impaired {
            None => Crossing::plain(takes, self.delay),
            Some(impaired) => impaired.carry(&Sending { starts, takes, bytes }, self.delay, ecn),
        };
        self.free_at = starts + crossing.takes;
        (self.free_at, crossing)
    }

    /// Counts the duplicate of a packet that arrives at `at`.
    pub fn count_copy(&mut self, at: Time) {
        self.other.duplicated += u64::from(self.measured.contains(at));
    }

    /// Returns whether packets may overtake one another on the wire.
    pub fn reorders(&self) -> bool {
        self.impaired.as_ref().is_some_and(|impaired| impaired.reorders())
    }

    /// Returns whether packets may be duplicated on arrival.
    pub fn duplicates(&self) -> bool {
        self.impaired.as_ref().is_some_and(|impaired| impaired.duplicates())
    }

    /// Returns the delay of the wire if it is the same for all packets; `None` for an impaired link.
    pub fn wire(&self) -> Option<Span> {
        self.impaired.is_none().then_some(self.delay)
    }

    /// Returns until when the link is busy.
    pub fn free_at(&self) -> Time {
        self.free_at
    }

    /// Returns the number of packets that wait at `now`, without the one being sent.
    /// [Published](Self::publish) values are those at `now` from then on.
    pub fn queue_at(&mut self, now: Time) -> u64 {
        let Some(queue) = &mut self.queue else { return 0 };
        queue.look(now, self.free_at, &self.transmission);
        queue.settle(now);
        queue.packets()
    }

    /// Returns whether the queue's length is observed. If so, packets must be offered in the event at their
    /// arrival time.
    pub fn is_watched(&self) -> bool {
        self.queue.is_some()
    }

    /// Publishes internal values of the discipline for figures, each with its name.
    pub fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        let Some(queue) = &self.queue else { return };
        if let Some(discipline) = &queue.discipline {
            discipline.publish(series);
        }
        if let Some(room) = &queue.room {
            room.publish(series);
        }
    }

    /// Returns the counts over the measured interval.
    pub fn counts(&self) -> LinkCounts {
        LinkCounts {
            arrived: self.other.arrived + self.whole,
            delivered: self.other.delivered + self.whole,
            busy_ns: self.busy_ns,
            ..self.other
        }
    }

    /// Returns the waiting times of packets whose transmission began in the measured interval; `None` for a
    /// link without a discipline.
    pub fn waits(&self) -> Option<&Histogram> {
        self.queue.as_ref()?.waits.as_ref()
    }

    /// Returns the queue's statistics over the measured interval, which ends at `end`.
    pub fn queue_statistics(&mut self, end: Time) -> QueueStatistics {
        match &mut self.queue {
            Some(queue) => {
                queue.settle(end);
                queue.meter.finish(end, queue.packets())
            }
            None => QueueStatistics::of_waits(self.waited_ns as f64, end, self.measured),
        }
    }
}

#[cfg(test)]
mod tests;
