//! A link: a queue, a transmitter, a wire.
//!
//! Most disciplines decide when a packet arrives, and what they admit leaves in order. So the whole future of a packet on
//! the link is known the moment it is offered, and the link needs no events of its own. A discipline that decides at
//! departure holds its packets in a [waiting room](crate::waiting_room), and its link is served each time that it becomes free.

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

/// What a link is made of.
pub struct LinkParts {
    /// Its name in results.
    pub name: String,
    /// The node it leaves from.
    pub from: String,
    /// The node it leads to.
    pub to: String,
    /// How fast it sends; where that changes, what results say of it.
    pub rate: Rate,
    /// How its rate changes, if it does.
    pub changes: Option<Changes>,
    /// How long the wire takes.
    pub delay: Span,
    /// What decides about packets; `None` for a queue without limit.
    pub discipline: Option<Queueing>,
    /// What its wire does to packets besides the delay.
    pub impairments: Impairments,
    /// The run's seed, for the link's own random streams.
    pub seed: u64,
}

/// What becomes of a packet that is offered to a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The queue refuses it.
    Dropped,
    /// It is sent, and corrupted on the way.
    Corrupted {
        /// When its transmission begins.
        starts: Time,
        /// When its transmission ends.
        sent: Time,
    },
    /// It arrives.
    Arrives {
        /// When its transmission begins.
        starts: Time,
        /// When its transmission ends.
        sent: Time,
        /// When it is at the other end.
        at: Time,
        /// Whether congestion experienced has been set.
        marked: bool,
    },
    /// It arrives, and the link has changed more about it than that.
    Altered {
        /// When its transmission begins.
        starts: Time,
        /// When its transmission ends.
        sent: Time,
        /// When it is at the other end.
        at: Time,
        /// What the link has changed, a mark included.
        alteration: Alteration,
    },
}

impl Fate {
    /// Returns what becomes of a packet that is sent, crosses a link as it says, and is marked or not.
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
    /// Packets offered.
    pub arrived: u64,
    /// Packets that reached the other end of the transmitter and were not corrupted.
    pub delivered: u64,
    /// Packets refused by the queue.
    pub dropped: u64,
    /// Packets corrupted on the wire.
    pub corrupted: u64,
    /// Packets marked.
    pub marked: u64,
    /// Packets copied as they arrived.
    pub duplicated: u64,
    /// Time spent sending, in nanoseconds.
    pub busy_ns: u64,
}

/// A link in a running simulation. What a packet on a private link without a limit needs comes first and fills one cache
/// line; what only some links have is elsewhere.
#[repr(C, align(64))]
pub struct Link {
    free_at: Time,
    /// Packets that are sent before this lie wholly in the measured interval; nothing does before it has begun.
    whole_until: Time,
    /// Packets that lie wholly in the measured interval, from their arrival to the end of their transmission, and were
    /// not corrupted: so that one counter does for two.
    whole: u64,
    delay: Span,
    busy_ns: u64,
    /// Time that packets waited, added up: all that is known of a queue that is not followed.
    waited_ns: u64,
    transmission: Transmission,
    measured: Interval,
    /// What `whole` and `busy_ns` do not count.
    other: LinkCounts,
    /// Where the queue's length is followed, or something decides about packets.
    queue: Option<Box<Queue>>,
    impaired: Option<Box<Impaired>>,
    /// How fast it sends; where that changes, what results say of it.
    pub rate: Rate,
    /// Its name in results.
    pub name: Box<str>,
    /// The node it leaves from.
    pub from: Box<str>,
    /// The node it leads to.
    pub to: Box<str>,
}

impl Link {
    /// A link at rest. Its queue's length is followed where several paths share it or its queue has a discipline;
    /// of any other link only the queue's mean is measured, which is cheaper.
    pub fn new(parts: LinkParts, shared: bool, measured: Interval) -> Self {
        let stream = |purpose: &str| Stream::new(parts.seed, &format!("link {} {purpose}", parts.name));
        let followed = shared || parts.discipline.is_some();
        let impaired = Impaired::of(parts.impairments, stream);
        let transmission = Transmission::new(parts.rate, parts.changes);
        let simple = impaired.is_none() && !transmission.varies();
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
            queue: followed
                .then(|| Box::new(Queue::new(parts.discipline, stream("queue"), measured, simple))),
            impaired,
            rate: parts.rate,
            name: parts.name.into(),
            from: parts.from.into(),
            to: parts.to.into(),
        }
    }

    /// Whether nothing but the packets before it decides what becomes of a packet, and nobody looks at its queue: then
    /// [`Self::cross`] may be used.
    pub fn is_plain(&self) -> bool {
        self.queue.is_none() && self.impaired.is_none() && !self.transmission.varies()
    }

    /// A packet crosses a [plain](Self::is_plain) link from `now` on, which never lies before the previous packet's: when it
    /// arrives, where that is arithmetic: a packet of the same size as the last, wholly in the measured interval. Otherwise
    /// [`Self::cross_slowly`] says it.
    #[inline]
    pub fn cross(&mut self, now: Time, bytes: u32) -> Option<Time> {
        let takes = self.transmission.time_of_same(bytes)?;
        let starts = self.free_at.max(now);
        let sent = starts + takes;
        if sent >= self.whole_until {
            return None;
        }
        self.send(now, starts, takes);
        Some(sent + self.delay)
    }

    /// When the packet arrives of which [`Self::cross`] does not know it.
    pub fn cross_slowly(&mut self, now: Time, bytes: u32) -> Time {
        debug_assert!(self.is_plain());
        let starts = self.free_at.max(now);
        let takes = self.transmission.time(starts, bytes);
        self.send(now, starts, takes);
        self.free_at + self.delay
    }

    /// Sends a packet that is not corrupted.
    #[inline]
    fn send(&mut self, now: Time, starts: Time, takes: Span) {
        let sent = starts + takes;
        self.free_at = sent;
        if sent < self.whole_until {
            self.whole += 1;
            self.busy_ns += takes.nanos();
            // Nothing where it does not wait: to ask first would cost more, as nobody can guess the answer.
            self.waited_ns = self.waited_ns.saturating_add(starts.nanos() - now.nanos());
        } else {
            self.count_partly(now, starts, sent, false);
        }
    }

    /// Where not all of it lies in the measured interval, or it is corrupted.
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

    /// Whether its queue is followed and nothing but the room in it decides what becomes of a packet: then it is asked of
    /// [`Self::admit`] first.
    pub fn is_simple(&self) -> bool {
        self.queue.as_ref().is_some_and(|queue| queue.simple_limit.is_some())
    }

    /// When a packet arrives that is offered at `now`, which never lies before the previous offer, where that follows from how
    /// many wait: nothing but the room decides, there is room, and it is like those of which [`Self::cross`] knows. Otherwise
    /// [`Self::offer`] says what becomes of it.
    #[inline(always)]
    pub fn admit(&mut self, now: Time, bytes: u32) -> Option<Time> {
        let queue = self.queue.as_deref_mut()?;
        let limit = queue.simple_limit?;
        let takes = self.transmission.time_of_same(bytes)?;
        let starts = self.free_at.max(now);
        let sent = starts + takes;
        if sent >= self.whole_until {
            return None;
        }
        queue.settle(now);
        if starts > now {
            if !limit.has_room(bytes, queue.in_line(), queue.waiting_bytes) {
                return None;
            }
            queue.join(now, starts, bytes);
        }
        if let Some(waits) = &mut queue.waits {
            waits.record(Span::from_nanos(starts.nanos() - now.nanos()));
        }
        self.send(now, starts, takes);
        Some(sent + self.delay)
    }

    /// Offers a packet at `now`, which never lies before the previous offer.
    #[inline(always)] // what becomes of it need not lie in memory then
    pub fn offer(&mut self, arrival: &Arrival) -> Fate {
        let Arrival { now, bytes, .. } = *arrival;
        let starts = self.free_at.max(now);
        let mut marked = false;
        if let Some(queue) = &mut self.queue {
            queue.look(now, self.free_at, &self.transmission);
            queue.settle(now);
            match queue.decide(arrival, self.free_at, &self.transmission) {
                Verdict::Drop => return self.refuse(now),
                verdict => marked = verdict == Verdict::Mark,
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

    /// A transmission begins. Returns when it ends, and how the packet crosses the link.
    fn transmit(&mut self, arrived: Time, starts: Time, bytes: u32, ecn: Ecn) -> (Time, Crossing) {
        let takes = self.transmission.time_of(arrived, starts, bytes);
        let crossing = match &mut self.impaired {
            None => Crossing::plain(takes, self.delay),
            Some(impaired) => impaired.carry(&Sending { starts, takes, bytes }, self.delay, ecn),
        };
        self.free_at = starts + crossing.takes;
        (self.free_at, crossing)
    }

    /// Counts the copy of a packet that arrives at `at`.
    pub(crate) fn count_copy(&mut self, at: Time) {
        self.other.duplicated += u64::from(self.measured.contains(at));
    }

    /// Whether packets may overtake one another on the wire.
    pub fn reorders(&self) -> bool {
        self.impaired.as_ref().is_some_and(|impaired| impaired.reorders())
    }

    /// Returns whether packets may be copied as they arrive.
    pub fn duplicates(&self) -> bool {
        self.impaired.as_ref().is_some_and(|impaired| impaired.duplicates())
    }

    /// How long its wire takes, where that never changes.
    pub fn wire(&self) -> Option<Span> {
        self.impaired.is_none().then_some(self.delay)
    }

    /// Until when it is busy.
    pub fn free_at(&self) -> Time {
        self.free_at
    }

    /// How many packets wait at `now`, not counting the one being sent. What is [shown](Self::publish) after that is of `now`
    /// too.
    pub fn queue_at(&mut self, now: Time) -> u64 {
        let Some(queue) = &mut self.queue else { return 0 };
        queue.look(now, self.free_at, &self.transmission);
        queue.settle(now);
        queue.packets()
    }

    /// Whether the queue's length is followed; then offers must come at the time that they are made for.
    pub fn is_watched(&self) -> bool {
        self.queue.is_some()
    }

    /// What the discipline shows of its inside.
    pub fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        let Some(queue) = &self.queue else { return };
        if let Some(discipline) = &queue.discipline {
            discipline.publish(series);
        }
        if let Some(room) = &queue.room {
            room.publish(series);
        }
    }

    /// What was counted.
    pub fn counts(&self) -> LinkCounts {
        LinkCounts {
            arrived: self.other.arrived + self.whole,
            delivered: self.other.delivered + self.whole,
            busy_ns: self.busy_ns,
            ..self.other
        }
    }

    /// How long those waited whose transmission began in the measured interval; `None` for a link without a discipline.
    pub fn waits(&self) -> Option<&Histogram> {
        self.queue.as_ref()?.waits.as_ref()
    }

    /// The queue's statistics over the measured interval, which ends at `end`.
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
