//! A link: a queue, a transmitter, a wire.
//!
//! Most disciplines decide when a packet arrives, and what they admit leaves in order. So the whole future of a packet on
//! the link is known the moment it is offered, and the link needs no events of its own. A discipline that decides at
//! departure holds its packets in a [`WaitingRoom`], and its link is served each time that it becomes free.

use crate::channel::{Carried, Impaired, Impairments, Sending};
use crate::histogram::Histogram;
use crate::measure::{Interval, QueueMeter, QueueStatistics};
use crate::medium::Station;
use crate::random::Stream;
use crate::station_queue::StationQueue;
use crate::transmission::{Phase, Transmission};
use crate::waiting_room::{Guest, WaitingRoom};
use ackclock_aqm::{Arrival, Backlog, Discipline, Queueing, Verdict};
use ackclock_base::{Rate, Size, Span, Time};
use std::collections::VecDeque;

/// What a link is made of.
pub struct LinkParts {
    /// Its name in results.
    pub name: String,
    /// The node it leaves from.
    pub from: String,
    /// The node it leads to.
    pub to: String,
    /// How fast it sends; with phases, at most.
    pub rate: Rate,
    /// How fast it sends in phases that repeat; none where the rate stays the same.
    pub phases: Vec<Phase>,
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
    Lost {
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
    pub lost: u64,
    /// Packets marked.
    pub marked: u64,
    /// Time spent sending, in nanoseconds.
    pub busy_ns: u64,
}

/// A link in a running simulation. What a packet on a private link without a limit needs comes first and fills two cache
/// lines; what only some links have is elsewhere.
#[repr(C)]
pub struct Link {
    free_at: Time,
    delay: Span,
    transmission: Transmission,
    measured: Interval,
    counts: LinkCounts,
    /// Time that packets waited, added up: all that is known of a queue that is not followed.
    waited_ns: f64,
    /// Where the queue's length is followed, or something decides about packets.
    queue: Option<Box<Queue>>,
    impaired: Option<Box<Impaired>>,
    /// How fast it sends; with phases, at most.
    pub rate: Rate,
    /// Its name in results.
    pub name: Box<str>,
    /// The node it leaves from.
    pub from: Box<str>,
    /// The node it leads to.
    pub to: Box<str>,
}

/// A queue whose length is followed.
struct Queue {
    /// What waits, in order, and when its transmission begins.
    waiting: VecDeque<Waiting>,
    waiting_bytes: u64,
    meter: QueueMeter,
    /// When the discipline looks at its queue next; never if it has no period.
    next_look: Time,
    /// What decides at arrival, if anything does.
    discipline: Option<Box<dyn Discipline>>,
    random: Stream,
    /// How long each packet waited that was sent; only where something decides about packets.
    waits: Option<Histogram>,
    /// Where packets wait if something decides at departure.
    room: Option<WaitingRoom>,
}

#[derive(Clone, Copy)]
struct Waiting {
    starts: Time,
    bytes: u32,
}

impl Link {
    /// A link at rest. Its queue's length is followed where several paths share it or its queue has a discipline;
    /// of any other link only the queue's mean is measured, which is cheaper.
    pub fn new(parts: LinkParts, shared: bool, measured: Interval) -> Self {
        let stream = |purpose: &str| Stream::new(parts.seed, &format!("link {} {purpose}", parts.name));
        let followed = shared || parts.discipline.is_some();
        Self {
            free_at: Time::ZERO,
            delay: parts.delay,
            transmission: Transmission::new(parts.rate, parts.phases),
            measured,
            waited_ns: 0.0,
            queue: followed.then(|| Box::new(Queue::new(parts.discipline, stream("queue"), measured))),
            impaired: Impaired::of(parts.impairments, stream),
            counts: LinkCounts::default(),
            rate: parts.rate,
            name: parts.name.into(),
            from: parts.from.into(),
            to: parts.to.into(),
        }
    }

    /// Whether nothing but the packets before it decides what becomes of a packet: then [`Self::cross`] may be used.
    pub fn is_plain(&self) -> bool {
        let decides = |queue: &Queue| queue.waits.is_some() || queue.room.is_some();
        self.impaired.is_none() && !self.queue.as_deref().is_some_and(decides)
    }

    /// A packet crosses a [plain](Self::is_plain) link from `now` on, which never lies before the previous packet's; returns
    /// when it arrives.
    #[inline]
    pub fn cross(&mut self, now: Time, bytes: u32) -> Time {
        let starts = self.free_at.max(now);
        let takes = self.transmission.time(starts, bytes);
        let sent = starts + takes;
        self.free_at = sent;
        if let Some(queue) = &mut self.queue {
            queue.settle(now);
            if starts > now {
                queue.join(now, starts, bytes);
            }
        }
        if self.measured.from <= now && sent < self.measured.to {
            self.counts.arrived += 1;
            self.counts.delivered += 1;
            self.counts.busy_ns += takes.nanos();
            if starts > now {
                self.waited_ns += starts.since(now).nanos() as f64;
            }
        } else {
            self.count_partly(now, starts, sent);
            self.counts.delivered += u64::from(self.measured.contains(sent));
        }
        sent + self.delay
    }

    /// Where not all of it lies in the measured interval.
    #[cold]
    fn count_partly(&mut self, now: Time, starts: Time, sent: Time) {
        self.counts.arrived += u64::from(self.measured.contains(now));
        self.counts.busy_ns += self.measured.overlap(starts, sent).nanos();
        self.waited_ns += self.measured.overlap(now, starts).nanos() as f64;
    }

    /// Offers a packet at `now`, which never lies before the previous offer.
    #[inline]
    pub fn offer(&mut self, arrival: &Arrival) -> Fate {
        let Arrival { now, bytes, .. } = *arrival;
        let starts = self.free_at.max(now);
        let mut marked = false;
        if let Some(queue) = &mut self.queue {
            queue.look(now, self.free_at, &mut self.transmission);
            queue.settle(now);
            let verdict = queue.decide(arrival, self.free_at, &mut self.transmission);
            if verdict == Verdict::Drop {
                let counted = u64::from(self.measured.contains(now));
                self.counts.arrived += counted;
                self.counts.dropped += counted;
                return Fate::Dropped;
            }
            marked = verdict == Verdict::Mark;
            queue.note_wait(now, starts, self.measured);
            if starts > now {
                queue.join(now, starts, bytes);
            }
        }
        let (sent, delay) = self.transmit(starts, bytes);
        let whole = self.measured.from <= now && sent < self.measured.to;
        if whole {
            self.counts.arrived += 1;
            self.counts.busy_ns += sent.since(starts).nanos();
            if starts > now {
                self.waited_ns += starts.since(now).nanos() as f64;
            }
        } else {
            self.count_partly(now, starts, sent);
        }
        self.counts.marked += u64::from(marked && self.measured.contains(now));
        self.fate(starts, sent, delay, marked)
    }

    /// A transmission begins: when it ends, and how long after that the packet arrives; never if it is lost.
    #[inline]
    fn transmit(&mut self, starts: Time, bytes: u32) -> (Time, Option<Span>) {
        let takes = self.transmission.time(starts, bytes);
        let (takes, delay) = match &mut self.impaired {
            None => (takes, Some(self.delay)),
            Some(impaired) => {
                let Carried { takes, delay } = impaired.carry(&Sending { starts, takes, bytes }, self.delay);
                (takes, delay.map(|delay| self.delay + delay))
            }
        };
        self.free_at = starts + takes;
        (self.free_at, delay)
    }

    #[inline]
    fn fate(&mut self, starts: Time, sent: Time, delay: Option<Span>, marked: bool) -> Fate {
        let counted = u64::from(self.measured.contains(sent));
        match delay {
            None => {
                self.counts.lost += counted;
                Fate::Lost { starts, sent }
            }
            Some(delay) => {
                self.counts.delivered += counted;
                Fate::Arrives { starts, sent, at: sent + delay, marked }
            }
        }
    }

    /// Whether packets may overtake one another on the wire.
    pub fn reorders(&self) -> bool {
        self.impaired.as_ref().is_some_and(|impaired| impaired.reorders())
    }

    /// Makes it a station of a medium: its packets do not know when they will go.
    pub fn share_medium(&mut self) {
        let Some(queue) = &mut self.queue else { return };
        if queue.room.is_none() {
            let waiting = StationQueue::new(queue.discipline.take(), self.rate);
            queue.room = Some(WaitingRoom::new(Box::new(waiting)));
            queue.next_look = Time::NEVER;
        }
    }

    /// What waits, and before when none of it goes.
    pub fn station(&self) -> Station {
        let room = self.queue.as_ref().and_then(|queue| queue.room.as_ref());
        room.map_or_else(Station::default, |room| Station { packets: room.packets(), ready: room.ready() })
    }

    /// Until when it is busy.
    pub fn free_at(&self) -> Time {
        self.free_at
    }

    /// Another station of its medium is sending.
    pub fn wait_until(&mut self, free_at: Time) {
        self.free_at = free_at;
    }

    /// Whether its discipline decides at departure: then packets [`Self::wait`], and the link is [served](Self::serve).
    #[inline]
    pub fn decides_at_departure(&self) -> bool {
        self.queue.as_ref().is_some_and(|queue| queue.room.is_some())
    }

    /// A packet arrives to wait; those that are dropped for it go to `dropped`.
    pub fn wait(&mut self, guest: Guest, arrival: Arrival, dropped: &mut Vec<Guest>) {
        let counted = self.measured.contains(arrival.now);
        let Some(Queue { room: Some(room), random, meter, .. }) = self.queue.as_deref_mut() else { return };
        let before = (room.packets(), dropped.len());
        room.enter(guest, arrival, self.free_at <= arrival.now, random, dropped);
        meter.change(arrival.now, before.0);
        self.counts.arrived += u64::from(counted);
        self.counts.dropped += u64::from(counted) * (dropped.len() - before.1) as u64;
    }

    /// If the link is free, begins to send the next packet and returns it with its fate; those that are dropped before it
    /// go to `dropped`.
    pub fn serve(&mut self, now: Time, dropped: &mut Vec<Guest>) -> Option<(Guest, Fate)> {
        if self.free_at > now {
            return None;
        }
        let counted = self.measured.contains(now);
        let queue = self.queue.as_deref_mut()?;
        let room = queue.room.as_mut().filter(|room| room.ready() <= now)?;
        let before = (room.packets(), dropped.len());
        let next = room.next(now, &mut queue.random, dropped);
        queue.meter.change(now, before.0);
        self.counts.dropped += u64::from(counted) * (dropped.len() - before.1) as u64;
        let (guest, marked) = next?;
        queue.note_wait(guest.since, now, self.measured);
        self.counts.marked += u64::from(marked && counted);
        let (sent, delay) = self.transmit(now, guest.packet.bytes);
        self.counts.busy_ns += self.measured.overlap(now, sent).nanos();
        Some((guest, self.fate(now, sent, delay, marked)))
    }

    /// When the link has to be served next; `None` while nothing waits.
    pub fn service_due(&self) -> Option<Time> {
        let room = self.queue.as_ref()?.room.as_ref().filter(|room| room.packets() > 0)?;
        Some(self.free_at.max(room.ready()))
    }

    /// How many packets wait at `now`, not counting the one being sent. What is [shown](Self::publish) after that is of `now`
    /// too.
    pub fn queue_at(&mut self, now: Time) -> u64 {
        let Some(queue) = &mut self.queue else { return 0 };
        queue.look(now, self.free_at, &mut self.transmission);
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
        self.counts
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
            None => QueueStatistics::of_waits(self.waited_ns, end, self.measured),
        }
    }
}

impl Queue {
    fn new(queueing: Option<Queueing>, random: Stream, measured: Interval) -> Self {
        let waits = queueing.is_some().then(Histogram::default);
        let (discipline, room) = match queueing {
            Some(Queueing::AtArrival(discipline)) => (Some(discipline), None),
            Some(Queueing::AtDeparture(discipline)) => (None, Some(WaitingRoom::new(discipline))),
            None => (None, None),
        };
        let period = discipline.as_ref().and_then(|discipline| discipline.period());
        Self {
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            meter: QueueMeter::new(measured),
            next_look: period.map_or(Time::NEVER, |period| Time::ZERO + period),
            discipline,
            random,
            waits,
            room,
        }
    }

    fn packets(&self) -> u64 {
        self.room.as_ref().map_or(self.waiting.len() as u64, WaitingRoom::packets)
    }

    #[inline]
    fn decide(&mut self, arrival: &Arrival, free_at: Time, transmission: &mut Transmission) -> Verdict {
        let backlog = self.backlog(arrival.now, free_at, transmission);
        let Some(discipline) = &mut self.discipline else { return Verdict::Admit };
        discipline.on_arrival(arrival, &backlog, &mut self.random)
    }

    /// Lets a periodic discipline see the queue as it was at the end of each period until `now`.
    #[inline]
    fn look(&mut self, now: Time, free_at: Time, transmission: &mut Transmission) {
        if self.next_look <= now {
            self.look_at_each(now, free_at, transmission);
        }
    }

    #[cold]
    fn look_at_each(&mut self, now: Time, free_at: Time, transmission: &mut Transmission) {
        while self.next_look <= now {
            let then = self.next_look;
            self.settle(then);
            let backlog = self.backlog(then, free_at, transmission);
            let Some(discipline) = &mut self.discipline else { return };
            discipline.on_period(then, &backlog);
            self.next_look = discipline.period().map_or(Time::NEVER, |period| then + period);
        }
    }

    /// What waits at `now`, up to when the queue has settled.
    #[inline]
    fn backlog(&self, now: Time, free_at: Time, transmission: &mut Transmission) -> Backlog {
        let sending = free_at > now;
        let wait = if transmission.varies() {
            self.wait_at_present(now, free_at, transmission)
        } else {
            free_at.since(now)
        };
        Backlog {
            packets: self.waiting.len() as u64,
            bytes: self.waiting_bytes,
            wait,
            sending,
            idle_since: (!sending).then_some(free_at),
        }
    }

    /// How long a packet that joined now would wait if the rate stayed as it is: the rest of the packet being sent, then
    /// the bytes that wait. That is what a router can know; when the link is free is known here because the phases are.
    #[cold]
    fn wait_at_present(&self, now: Time, free_at: Time, transmission: &mut Transmission) -> Span {
        let sent = self.waiting.front().map_or(free_at, |first| first.starts);
        let rate = transmission.rate_at(now);
        sent.since(now) + rate.time_to_send(Size::from_bytes(self.waiting_bytes))
    }

    #[inline]
    fn note_wait(&mut self, since: Time, starts: Time, measured: Interval) {
        if let Some(waits) = &mut self.waits
            && measured.contains(starts)
        {
            waits.record(starts.since(since));
        }
    }

    #[inline]
    fn join(&mut self, now: Time, starts: Time, bytes: u32) {
        self.meter.change(now, self.waiting.len() as u64);
        self.waiting.push_back(Waiting { starts, bytes });
        self.waiting_bytes += u64::from(bytes);
    }

    /// Lets those leave the queue whose transmission has begun by `now`.
    #[inline]
    fn settle(&mut self, now: Time) {
        while let Some(first) = self.waiting.front()
            && first.starts <= now
        {
            self.meter.change(first.starts, self.waiting.len() as u64);
            self.waiting_bytes -= u64::from(first.bytes);
            self.waiting.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_aqm::{Capacity, Ecn, disciplines::droptail::DropTail};

    fn link(capacity: Option<u64>) -> Link {
        let discipline = capacity
            .map(|packets| Queueing::AtArrival(Box::new(DropTail { capacity: Capacity::Packets(packets) })));
        let parts = LinkParts {
            name: "l".into(),
            from: "a".into(),
            to: "b".into(),
            rate: Rate::from_bits_per_second(8_000_000), // a byte per microsecond
            phases: Vec::new(),
            delay: Span::from_millis(10),
            discipline,
            impairments: Impairments::default(),
            seed: 1,
        };
        Link::new(parts, true, Interval { from: Time::ZERO, to: Time::from_seconds(1.0) })
    }

    fn arrival(now: Time) -> Arrival {
        Arrival { now, bytes: 1000, flow: 0, ecn: Ecn::NotCapable }
    }

    fn arrival_ms(fate: Fate) -> Option<f64> {
        match fate {
            Fate::Arrives { at, .. } => Some(at.seconds() * 1e3),
            _ => None,
        }
    }

    #[test]
    fn packets_leave_one_after_the_other() {
        // 1000 B take 1 ms, the wire 10 ms.
        let mut link = link(None);
        let at = Time::from_nanos(0);
        assert_eq!(arrival_ms(link.offer(&arrival(at))), Some(11.0));
        assert_eq!(arrival_ms(link.offer(&arrival(at))), Some(12.0));
        assert_eq!(link.queue_at(at), 1);
        assert_eq!(arrival_ms(link.offer(&arrival(Time::from_seconds(0.5)))), Some(511.0));
    }

    #[test]
    fn a_full_queue_drops() {
        let mut link = link(Some(2));
        let fates: Vec<_> = (0..4).map(|_| arrival_ms(link.offer(&arrival(Time::ZERO)))).collect();
        assert_eq!(fates, [Some(11.0), Some(12.0), Some(13.0), None]);
        assert_eq!(link.counts().dropped, 1);
    }

    /// Counts its periods of a millisecond.
    struct Counting(u32);

    impl Discipline for Counting {
        fn on_arrival(&mut self, _: &Arrival, _: &Backlog, _: &mut dyn ackclock_base::Random) -> Verdict {
            Verdict::Admit
        }

        fn period(&self) -> Option<Span> {
            Some(Span::from_millis(1))
        }

        fn on_period(&mut self, _: Time, _: &Backlog) {
            self.0 += 1;
        }

        fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
            series("periods", f64::from(self.0));
        }
    }

    #[test]
    fn a_sample_shows_the_periods_that_have_passed_while_nothing_arrived() {
        let mut link = link(None);
        let queue = link.queue.as_mut().unwrap();
        queue.discipline = Some(Box::new(Counting(0)));
        queue.next_look = Time::from_nanos(1_000_000);
        let mut shown = Vec::new();
        for ns in [999_999, 1_000_000, 5_500_000] {
            link.queue_at(Time::from_nanos(ns));
            link.publish(&mut |_, value| shown.push(value));
        }
        assert_eq!(shown, [0.0, 1.0, 5.0]);
    }

    /// Notes what it is told of the wait, in microseconds.
    struct Waits(std::sync::mpsc::Sender<u64>);

    impl Discipline for Waits {
        fn on_arrival(
            &mut self,
            _: &Arrival,
            backlog: &Backlog,
            _: &mut dyn ackclock_base::Random,
        ) -> Verdict {
            self.0.send(backlog.wait.nanos() / 1000).expect("a receiver");
            Verdict::Admit
        }
    }

    #[test]
    fn a_discipline_is_told_the_wait_at_the_present_rate() {
        // A byte takes a microsecond for 4 ms, then ten. Ten packets of 1000 bytes arrive at once: the last four will be
        // sent at the slow rate, but while it is fast nobody can know. At 3.5 ms half of the fourth packet is left, and six
        // wait: 6.5 ms. At 4.5 ms the fifth, begun at 4 ms, is half a tenth on its way: 9.5 ms of it are left and six wait
        // at the slow rate: 69.5 ms. With one rate it is when the link is free.
        let (told, waits) = std::sync::mpsc::channel();
        let mut link = link(None);
        link.queue.as_mut().unwrap().discipline = Some(Box::new(Waits(told)));
        let phase = |ms, bits| Phase { lasts: Span::from_millis(ms), rate: Rate::from_bits_per_second(bits) };
        let slow = vec![phase(4, 8_000_000), phase(1000, 800_000)];
        link.transmission = Transmission::new(link.rate, slow);
        for _ in 0..10 {
            link.offer(&arrival(Time::ZERO));
        }
        assert_eq!(waits.try_iter().collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(|ms| ms * 1000));
        link.offer(&arrival(Time::from_nanos(3_500_000)));
        link.offer(&arrival(Time::from_nanos(4_500_000)));
        assert_eq!(waits.try_iter().collect::<Vec<_>>(), [6_500, 69_500]);
    }

    #[test]
    fn time_spent_sending_is_clipped_at_both_ends_of_the_measured_interval() {
        // Packets of 4 ms at 8, 15 and 19 ms, measured from 10 to 20 ms: 2 + 4 + 1 ms. At half the rate from 15 ms on, the
        // second goes on to 23 ms and fills the rest, 5 ms; the third waits for it.
        let (whole, half) = (Rate::from_bits_per_second(8_000_000), Rate::from_bits_per_second(4_000_000));
        let phase = |rate| Phase { lasts: Span::from_millis(15), rate };
        for (phases, busy_ms) in [(vec![], 7), (vec![phase(whole), phase(half)], 7), (vec![phase(half)], 10)]
        {
            let mut link = link(None);
            link.measured = Interval { from: Time::from_seconds(0.010), to: Time::from_seconds(0.020) };
            link.transmission = Transmission::new(whole, phases);
            for ms in [8, 15, 19] {
                let now = Time::ZERO + Span::from_millis(ms);
                link.offer(&Arrival { bytes: 4000, ..arrival(now) });
            }
            assert_eq!(link.counts().busy_ns, busy_ms * 1_000_000);
        }
    }

    #[test]
    fn the_mean_queue_is_the_waiting_time_over_the_interval() {
        // Three packets at once: waits 0, 1 and 2 ms; over 1 s: mean 0.003 packets, greatest 2. Little's law, exact.
        for tracks in [true, false] {
            let mut link = link(None);
            link.queue = link.queue.filter(|_| tracks);
            for _ in 0..3 {
                link.offer(&arrival(Time::ZERO));
            }
            let statistics = link.queue_statistics(Time::from_seconds(1.0));
            assert!((statistics.mean_packets - 0.003).abs() < 1e-12);
            assert_eq!(statistics.max_packets, tracks.then_some(2));
            assert_eq!(link.counts().busy_ns, 3_000_000);
        }
    }
}
