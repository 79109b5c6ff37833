//! A link: a queue, a transmitter, a wire.
//!
//! The disciplines here decide when a packet arrives, and what they admit leaves in order. So the whole future of a
//! packet on the link is known the moment it is offered, and a link needs no events of its own.

use crate::loss::LossModel;
use crate::measure::{Interval, QueueMeter};
use crate::random::Stream;
use ackclock_aqm::{Arrival, Backlog, Discipline, Verdict};
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
    /// How fast it sends.
    pub rate: Rate,
    /// How long the wire takes.
    pub delay: Span,
    /// What decides about arrivals; `None` for a queue without limit.
    pub discipline: Option<Box<dyn Discipline>>,
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
    /// What it is made of.
    pub parts: LinkParts,
    counts: LinkCounts,
    measured: Interval,
    meter: QueueMeter,
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

/// Transmission times by size; packets come in few sizes, so the last answers are kept.
struct Transmission {
    rate: Rate,
    recent: [(u32, Span); 2],
}

impl Transmission {
    #[inline]
    fn time(&mut self, bytes: u32) -> Span {
        if self.recent[0].0 != bytes {
            self.recent.swap(0, 1);
            if self.recent[0].0 != bytes {
                self.recent[0] = (bytes, self.rate.time_to_send(Size::from_bytes(u64::from(bytes))));
            }
        }
        self.recent[0].1
    }
}

impl Link {
    /// A link at rest. Its queue's length is followed where several paths share it or its queue has a discipline;
    /// of any other link only the queue's mean is measured, which is cheaper.
    pub fn new(parts: LinkParts, shared: bool, measured: Interval) -> Self {
        let stream = |purpose| Stream::new(parts.seed, &format!("link {} {purpose}", parts.name));
        Self {
            queue_random: stream("queue"),
            loss_random: stream("loss"),
            transmission: Transmission { rate: parts.rate, recent: [(0, Span::ZERO); 2] },
            tracks_queue: shared || parts.discipline.is_some(),
            parts,
            counts: LinkCounts::default(),
            measured,
            meter: QueueMeter::new(measured),
            free_at: Time::ZERO,
            waiting: VecDeque::new(),
            waiting_bytes: 0,
        }
    }

    /// Offers a packet at `now`, which never lies before the previous offer.
    pub fn offer(&mut self, now: Time, bytes: u32, ecn_capable: bool) -> Fate {
        let counted = self.measured.contains(now);
        self.counts.arrived += u64::from(counted);
        let verdict = self.admit(now, bytes, ecn_capable);
        if verdict == Verdict::Drop {
            self.counts.dropped += u64::from(counted);
            return Fate::Dropped;
        }
        let starts = self.free_at.max(now);
        let sent = starts + self.transmission.time(bytes);
        self.free_at = sent;
        self.join(now, starts, bytes);
        self.counts.busy_ns += self.measured.overlap(starts, sent).nanos();
        self.counts.marked += u64::from(counted && verdict == Verdict::Mark);
        if let Some(model) = &mut self.parts.loss
            && model.loses(sent, &mut self.loss_random)
        {
            self.counts.lost += u64::from(self.measured.contains(sent));
            return Fate::Lost { starts, sent };
        }
        self.counts.delivered += u64::from(self.measured.contains(sent));
        Fate::Arrives { starts, sent, at: sent + self.parts.delay, marked: verdict == Verdict::Mark }
    }

    /// How many packets wait at `now`, not counting the one being sent.
    pub fn queue_at(&mut self, now: Time) -> u64 {
        self.settle(now);
        self.waiting.len() as u64
    }

    /// Whether the queue's length is followed; then offers must come at the time that they are made for.
    pub fn is_watched(&self) -> bool {
        self.tracks_queue
    }

    /// What the discipline shows of its inside.
    pub fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        if let Some(discipline) = &self.parts.discipline {
            discipline.publish(series);
        }
    }

    /// What was counted.
    pub fn counts(&self) -> LinkCounts {
        self.counts
    }

    /// The queue's statistics over the measured interval, which ends at `end`.
    pub fn queue_statistics(&mut self, end: Time) -> crate::measure::QueueStatistics {
        self.settle(end);
        self.meter.finish(end, self.waiting.len() as u64, self.tracks_queue)
    }

    fn admit(&mut self, now: Time, bytes: u32, ecn_capable: bool) -> Verdict {
        if self.tracks_queue {
            self.settle(now);
        }
        let Some(discipline) = &mut self.parts.discipline else { return Verdict::Admit };
        let sending = self.free_at > now;
        let backlog = Backlog {
            packets: self.waiting.len() as u64,
            bytes: self.waiting_bytes,
            sending,
            idle_since: (!sending).then_some(self.free_at),
        };
        discipline.on_arrival(&Arrival { now, bytes, ecn_capable }, &backlog, &mut self.queue_random)
    }

    #[inline]
    fn join(&mut self, now: Time, starts: Time, bytes: u32) {
        if starts == now {
            return;
        }
        if self.tracks_queue {
            self.meter.change(now, self.waiting.len() as u64, self.waiting.len() as u64 + 1);
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
            let length = self.waiting.len() as u64;
            self.meter.change(first.starts, length, length - 1);
            self.waiting_bytes -= u64::from(first.bytes);
            self.waiting.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_aqm::{Capacity, droptail::DropTail};

    fn link(capacity: Option<u64>) -> Link {
        let discipline = capacity.map(|packets| {
            Box::new(DropTail { capacity: Capacity::Packets(packets) }) as Box<dyn Discipline>
        });
        let parts = LinkParts {
            name: "l".into(),
            from: "a".into(),
            to: "b".into(),
            rate: Rate::from_bits_per_second(8_000_000), // a byte per microsecond
            delay: Span::from_millis(10),
            discipline,
            loss: None,
            seed: 1,
        };
        Link::new(parts, true, Interval { from: Time::ZERO, to: Time::from_seconds(1.0) })
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
        assert_eq!(arrival_ms(link.offer(at, 1000, false)), Some(11.0));
        assert_eq!(arrival_ms(link.offer(at, 1000, false)), Some(12.0));
        assert_eq!(link.queue_at(at), 1);
        assert_eq!(arrival_ms(link.offer(Time::from_seconds(0.5), 1000, false)), Some(511.0));
    }

    #[test]
    fn a_full_queue_drops() {
        let mut link = link(Some(2));
        let fates: Vec<_> = (0..4).map(|_| arrival_ms(link.offer(Time::ZERO, 1000, false))).collect();
        assert_eq!(fates, [Some(11.0), Some(12.0), Some(13.0), None]);
        assert_eq!(link.counts().dropped, 1);
    }

    #[test]
    fn the_mean_queue_is_the_waiting_time_over_the_interval() {
        // Three packets at once: waits 0, 1 and 2 ms; over 1 s: mean 0.003 packets, greatest 2. Little's law, exact.
        for tracks in [true, false] {
            let mut link = link(None);
            link.tracks_queue = tracks;
            for _ in 0..3 {
                link.offer(Time::ZERO, 1000, false);
            }
            let statistics = link.queue_statistics(Time::from_seconds(1.0));
            assert!((statistics.mean_packets - 0.003).abs() < 1e-12);
            assert_eq!(statistics.max_packets, tracks.then_some(2));
            assert_eq!(link.counts().busy_ns, 3_000_000);
        }
    }
}
