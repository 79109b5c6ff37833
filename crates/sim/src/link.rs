//! A link: a queue, a transmitter, a wire.
//!
//! Most disciplines decide when a packet arrives, and what they admit leaves in order. So the whole future of a packet on
//! the link is known the moment it is offered, and the link needs no events of its own. A discipline that decides at
//! departure holds its packets in a [`WaitingRoom`], and its link is served each time that it becomes free.

use crate::histogram::Histogram;
use crate::loss::LossModel;
use crate::measure::{Interval, QueueMeter};
use crate::random::Stream;
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
    /// What corrupts packets, if anything.
    pub loss: Option<Box<dyn LossModel>>,
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

/// A link in a running simulation.
pub struct Link {
    /// Its name in results.
    pub name: String,
    /// The node it leaves from.
    pub from: String,
    /// The node it leads to.
    pub to: String,
    /// How fast it sends; with phases, at most.
    pub rate: Rate,
    delay: Span,
    /// What decides at arrival, if anything does.
    discipline: Option<Box<dyn Discipline>>,
    /// When the discipline looks at its queue next; never if it has no period.
    next_look: Time,
    /// Where packets wait if something decides at departure.
    room: Option<WaitingRoom>,
    loss: Option<Box<dyn LossModel>>,
    counts: LinkCounts,
    measured: Interval,
    meter: QueueMeter,
    /// How long each packet waited that was sent; only where something decides about packets.
    waits: Option<Box<Histogram>>,
    free_at: Time,
    waiting: VecDeque<Waiting>,
    waiting_bytes: u64,
    tracks_queue: bool,
    transmission: Transmission,
    queue_random: Stream,
    loss_random: Stream,
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
        let stream = |purpose| Stream::new(parts.seed, &format!("link {} {purpose}", parts.name));
        let (queue_random, loss_random) = (stream("queue"), stream("loss"));
        let tracks_queue = shared || parts.discipline.is_some();
        let waits = parts.discipline.is_some().then(Box::default);
        let (discipline, room) = match parts.discipline {
            Some(Queueing::AtArrival(discipline)) => (Some(discipline), None),
            Some(Queueing::AtDeparture(discipline)) => (None, Some(WaitingRoom::new(discipline))),
            None => (None, None),
        };
        let period = discipline.as_ref().and_then(|discipline| discipline.period());
        Self {
            next_look: period.map_or(Time::NEVER, |period| Time::ZERO + period),
            queue_random,
            loss_random,
            transmission: Transmission::new(parts.rate, parts.phases),
            tracks_queue,
            name: parts.name,
            from: parts.from,
            to: parts.to,
            rate: parts.rate,
            delay: parts.delay,
            discipline,
            room,
            loss: parts.loss,
            counts: LinkCounts::default(),
            measured,
            meter: QueueMeter::new(measured),
            waits,
            free_at: Time::ZERO,
            waiting: VecDeque::new(),
            waiting_bytes: 0,
        }
    }

    /// Offers a packet at `now`, which never lies before the previous offer.
    #[inline]
    pub fn offer(&mut self, arrival: &Arrival) -> Fate {
        let Arrival { now, bytes, .. } = *arrival;
        let counted = self.measured.contains(now);
        self.counts.arrived += u64::from(counted);
        let verdict = self.admit(arrival);
        if verdict == Verdict::Drop {
            self.counts.dropped += u64::from(counted);
            return Fate::Dropped;
        }
        let starts = self.free_at.max(now);
        self.join(now, starts, bytes);
        self.counts.marked += u64::from(counted && verdict == Verdict::Mark);
        self.transmit(now, starts, bytes, verdict == Verdict::Mark)
    }

    /// Whether its discipline decides at departure: then packets [`Self::wait`], and the link is [served](Self::serve).
    #[inline]
    pub fn decides_at_departure(&self) -> bool {
        self.room.is_some()
    }

    /// A packet arrives to wait; those that are dropped for it go to `dropped`.
    pub fn wait(&mut self, guest: Guest, arrival: Arrival, dropped: &mut Vec<Guest>) {
        let Some(room) = &mut self.room else { return };
        let before = (room.packets(), dropped.len());
        room.enter(guest, arrival, self.free_at <= arrival.now, &mut self.queue_random, dropped);
        self.counts.arrived += u64::from(self.measured.contains(arrival.now));
        self.note_room(arrival.now, before, dropped.len());
    }

    /// If the link is free, begins to send the next packet and returns it with its fate; those that are dropped before it
    /// go to `dropped`.
    pub fn serve(&mut self, now: Time, dropped: &mut Vec<Guest>) -> Option<(Guest, Fate)> {
        let room = self.room.as_mut().filter(|room| self.free_at.max(room.ready()) <= now)?;
        let before = (room.packets(), dropped.len());
        let next = room.next(now, &mut self.queue_random, dropped);
        self.note_room(now, before, dropped.len());
        let (guest, marked) = next?;
        self.counts.marked += u64::from(marked && self.measured.contains(now));
        Some((guest, self.transmit(guest.since, now, guest.packet.bytes, marked)))
    }

    /// When the link has to be served next; `None` while nothing waits.
    pub fn service_due(&self) -> Option<Time> {
        let room = self.room.as_ref().filter(|room| room.packets() > 0)?;
        Some(self.free_at.max(room.ready()))
    }

    fn note_room(&mut self, now: Time, (packets, dropped): (u64, usize), dropped_now: usize) {
        self.meter.change(now, packets);
        let counted = u64::from(self.measured.contains(now));
        self.counts.dropped += counted * (dropped_now - dropped) as u64;
    }

    /// Inlined in both its places: every packet comes through here on every link, and as a call it costs 3 % of a run.
    #[inline(always)]
    fn transmit(&mut self, since: Time, starts: Time, bytes: u32, marked: bool) -> Fate {
        if let Some(waits) = &mut self.waits
            && self.measured.contains(starts)
        {
            waits.record(starts.since(since));
        }
        let sent = starts + self.transmission.time(starts, bytes);
        self.free_at = sent;
        self.counts.busy_ns += self.measured.overlap(starts, sent).nanos();
        if let Some(model) = &mut self.loss
            && model.loses(sent, &mut self.loss_random)
        {
            self.counts.lost += u64::from(self.measured.contains(sent));
            return Fate::Lost { starts, sent };
        }
        self.counts.delivered += u64::from(self.measured.contains(sent));
        Fate::Arrives { starts, sent, at: sent + self.delay, marked }
    }

    /// How many packets wait at `now`, not counting the one being sent. What is [shown](Self::publish) after that is of `now`
    /// too.
    pub fn queue_at(&mut self, now: Time) -> u64 {
        self.look(now);
        self.settle(now);
        self.waiting()
    }

    fn waiting(&self) -> u64 {
        self.room.as_ref().map_or(self.waiting.len() as u64, WaitingRoom::packets)
    }

    /// Whether the queue's length is followed; then offers must come at the time that they are made for.
    pub fn is_watched(&self) -> bool {
        self.tracks_queue
    }

    /// What the discipline shows of its inside.
    pub fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        if let Some(discipline) = &self.discipline {
            discipline.publish(series);
        }
        if let Some(room) = &self.room {
            room.publish(series);
        }
    }

    /// What was counted.
    pub fn counts(&self) -> LinkCounts {
        self.counts
    }

    /// How long those waited whose transmission began in the measured interval; `None` for a link without a discipline.
    pub fn waits(&self) -> Option<&Histogram> {
        self.waits.as_deref()
    }

    /// The queue's statistics over the measured interval, which ends at `end`.
    pub fn queue_statistics(&mut self, end: Time) -> crate::measure::QueueStatistics {
        self.settle(end);
        self.meter.finish(end, self.waiting(), self.tracks_queue)
    }

    #[inline]
    fn admit(&mut self, arrival: &Arrival) -> Verdict {
        if !self.tracks_queue {
            return Verdict::Admit; // nothing decides, or the queue would be followed
        }
        self.look(arrival.now);
        self.settle(arrival.now);
        if self.discipline.is_none() {
            return Verdict::Admit;
        }
        self.decide(arrival)
    }

    fn decide(&mut self, arrival: &Arrival) -> Verdict {
        let backlog = self.backlog(arrival.now);
        let Some(discipline) = &mut self.discipline else { return Verdict::Admit };
        discipline.on_arrival(arrival, &backlog, &mut self.queue_random)
    }

    /// Lets a periodic discipline see the queue as it was at the end of each period until `now`.
    #[inline]
    fn look(&mut self, now: Time) {
        if self.next_look <= now {
            self.look_at_each(now);
        }
    }

    #[cold]
    fn look_at_each(&mut self, now: Time) {
        while self.next_look <= now {
            let then = self.next_look;
            self.settle(then);
            let backlog = self.backlog(then);
            let Some(discipline) = &mut self.discipline else { return };
            discipline.on_period(then, &backlog);
            self.next_look = discipline.period().map_or(Time::NEVER, |period| then + period);
        }
    }

    /// What waits at `now`, up to when the queue has settled.
    #[inline]
    fn backlog(&mut self, now: Time) -> Backlog {
        let sending = self.free_at > now;
        let wait =
            if self.transmission.varies() { self.wait_at_present(now) } else { self.free_at.since(now) };
        Backlog {
            packets: self.waiting.len() as u64,
            bytes: self.waiting_bytes,
            wait,
            sending,
            idle_since: (!sending).then_some(self.free_at),
        }
    }

    /// How long a packet that joined now would wait if the rate stayed as it is: the rest of the packet being sent, then
    /// the bytes that wait. That is what a router can know; when the link is free is known here because the phases are.
    #[cold]
    fn wait_at_present(&mut self, now: Time) -> Span {
        let sent = self.waiting.front().map_or(self.free_at, |first| first.starts);
        let rate = self.transmission.rate_at(now);
        sent.since(now) + rate.time_to_send(Size::from_bytes(self.waiting_bytes))
    }

    #[inline]
    fn join(&mut self, now: Time, starts: Time, bytes: u32) {
        if starts == now {
            return;
        }
        if self.tracks_queue {
            self.meter.change(now, self.waiting.len() as u64);
            self.waiting.push_back(Waiting { starts, bytes });
            self.waiting_bytes += u64::from(bytes);
        } else {
            self.meter.waited(now, starts);
        }
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
            loss: None,
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
        link.discipline = Some(Box::new(Counting(0)));
        link.next_look = Time::from_nanos(1_000_000);
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
        link.discipline = Some(Box::new(Waits(told)));
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
            link.tracks_queue = tracks;
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
