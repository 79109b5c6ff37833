//! A queue whose length is observed: the packets that wait, when they leave, and the discipline.

use crate::histogram::Histogram;
use crate::measure::{Interval, QueueMeter};
use crate::random::Stream;
use crate::ring::Ring;
use crate::transmission::Transmission;
use crate::waiting_room::WaitingRoom;
use ackclock_aqm::{Arrival, Backlog, Capacity, Discipline, Queueing, Verdict};
use ackclock_base::{Size, Span, Time};

/// A waiting packet.
#[derive(Clone, Copy, Default)]
pub(super) struct Waiting {
    /// The beginning of its transmission.
    starts: Time,
    bytes: u32,
}

/// A queue whose length is observed.
pub(super) struct Queue {
    pub(super) waiting: Ring<Waiting>,
    /// The time at which the first packet leaves the queue; [`Time::NEVER`] if none waits.
    next_goes: Time,
    pub(super) waiting_bytes: u64,
    pub(super) meter: QueueMeter,
    /// The next end of a period of the discipline; [`Time::NEVER`] if it has no period.
    pub(super) next_look: Time,
    /// The discipline, if there is one and it decides at arrival.
    pub(super) discipline: Option<Box<dyn Discipline>>,
    /// The capacity, if the discipline only limits the queue; unlimited without a discipline that decides at
    /// arrival.
    pub(super) only_limit: Option<Capacity>,
    pub(super) random: Stream,
    /// The waiting times of the packets sent, if the link has a discipline.
    pub(super) waits: Option<Histogram>,
    /// The waiting room, if the discipline decides at departure.
    pub(super) room: Option<WaitingRoom>,
}

impl Queue {
    pub(super) fn new(queueing: Option<Queueing>, random: Stream, measured: Interval) -> Self {
        let waits = queueing.is_some().then(Histogram::default);
        let (discipline, room) = match queueing {
            Some(Queueing::AtArrival(discipline)) => (Some(discipline), None),
            Some(Queueing::AtDeparture(discipline)) => (None, Some(WaitingRoom::new(discipline))),
            None => (None, None),
        };
        let only_limit =
            discipline.as_ref().map_or(Some(Capacity::Unlimited), |discipline| discipline.only_limits());
        let period = discipline.as_ref().and_then(|discipline| discipline.period());
        Self {
            waiting: Ring::default(),
            next_goes: Time::NEVER,
            waiting_bytes: 0,
            meter: QueueMeter::new(measured),
            next_look: period.map_or(Time::NEVER, |period| Time::ZERO + period),
            only_limit,
            discipline,
            random,
            waits,
            room,
        }
    }

    pub(super) fn packets(&self) -> u64 {
        self.room.as_ref().map_or_else(|| self.in_line(), WaitingRoom::packets)
    }

    /// Returns the number of waiting packets, for a discipline that decides at arrival.
    #[inline]
    pub(super) fn in_line(&self) -> u64 {
        self.waiting.len() as u64
    }

    /// Asks the discipline about a packet, which does more than limit the queue.
    #[inline]
    pub(super) fn ask(&mut self, arrival: &Arrival, free_at: Time, transmission: &Transmission) -> Verdict {
        let backlog = self.backlog(arrival.now, free_at, transmission);
        let Some(discipline) = &mut self.discipline else {
            panic!("a queue has neither a discipline nor a limit")
        };
        let arrival = *arrival; // copied here, so that it need not lie in memory where no discipline is asked
        discipline.on_arrival(&arrival, &backlog, &mut self.random)
    }

    /// Calls a periodic discipline with the state of the queue at the end of each period up to and including
    /// `now`.
    #[inline]
    pub(super) fn look(&mut self, now: Time, free_at: Time, transmission: &Transmission) {
        if self.next_look <= now {
            self.look_at_each(now, free_at, transmission);
        }
    }

    #[cold]
    pub(super) fn look_at_each(&mut self, now: Time, free_at: Time, transmission: &Transmission) {
        while self.next_look <= now {
            let then = self.next_look;
            self.settle(then);
            let backlog = self.backlog(then, free_at, transmission);
            let Some(discipline) = &mut self.discipline else {
                panic!("a queue without a discipline has a period")
            };
            discipline.on_period(then, &backlog);
            self.next_look = discipline.period().map_or(Time::NEVER, |period| then + period);
        }
    }

    /// Returns the backlog at `now`. The queue must have been settled up to `now`.
    #[inline]
    pub(super) fn backlog(&self, now: Time, free_at: Time, transmission: &Transmission) -> Backlog {
        let sending = free_at > now;
        let wait = if transmission.varies() {
            self.wait_at_present(now, free_at, transmission)
        } else {
            free_at.since(now)
        };
        Backlog {
            packets: self.in_line(),
            bytes: self.waiting_bytes,
            wait,
            sending,
            idle_since: (!sending).then_some(free_at),
        }
    }

    /// Returns the waiting time of a packet that joined now if the rate did not change: the rest of the
    /// packet being sent, plus the waiting bytes. A router knows no more; the time at which the link is free
    /// is known here only because future rates are.
    #[cold]
    pub(super) fn wait_at_present(&self, now: Time, free_at: Time, transmission: &Transmission) -> Span {
        let sent = self.waiting.first().map_or(free_at, |first| first.starts);
        let rate = transmission.rate_at(now);
        transmission.rest_at(now, sent) + rate.time_to_send(Size::from_bytes(self.waiting_bytes))
    }

    #[inline]
    pub(super) fn note_wait(&mut self, since: Time, starts: Time, measured: Interval) {
        if let Some(waits) = &mut self.waits
            && measured.contains(starts)
        {
            waits.record(Span::from_nanos(starts.nanos() - since.nanos()));
        }
    }

    #[inline]
    pub(super) fn join(&mut self, now: Time, starts: Time, bytes: u32) {
        self.meter.change(now, self.in_line());
        self.next_goes = self.next_goes.min(starts);
        self.waiting.push(Waiting { starts, bytes });
        self.waiting_bytes += u64::from(bytes);
    }

    /// Removes the packets whose transmission has begun by `now`.
    #[inline]
    pub(super) fn settle(&mut self, now: Time) {
        if self.next_goes > now {
            return;
        }
        while let Some(&Waiting { starts, bytes }) = self.waiting.first() {
            self.next_goes = starts;
            if starts > now {
                return;
            }
            self.meter.change(starts, self.in_line());
            self.waiting_bytes -= u64::from(bytes);
            self.waiting.pop();
        }
        self.next_goes = Time::NEVER;
    }
}
