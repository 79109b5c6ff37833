//! A first-in, first-out queue for a station of a [medium](crate::medium), in which packets cannot know when
//! they will leave. The discipline still decides at arrival.

use ackclock_aqm::fifo::Fifo;
use ackclock_aqm::{Arrival, Backlog, Departing, Departure, Discipline, Held, Ticket, Verdict};
use ackclock_base::{Random, Rate, Size, Span, Time};
use std::collections::VecDeque;

/// The queue of a station. Periods of its discipline are accounted for when packets arrive.
pub(crate) struct StationQueue {
    /// The discipline; `None` for no limit.
    discipline: Option<Box<dyn Discipline>>,
    rate: Rate,
    packets: Fifo,
    marked: VecDeque<bool>,
    next_look: Time,
    /// The time since which no packet has waited, if none is waiting.
    emptied: Time,
}

impl StationQueue {
    /// Creates an empty queue.
    pub(crate) fn new(discipline: Option<Box<dyn Discipline>>, rate: Rate) -> Self {
        let period = discipline.as_ref().and_then(|discipline| discipline.period());
        Self {
            discipline,
            rate,
            packets: Fifo::default(),
            marked: VecDeque::new(),
            next_look: period.map_or(Time::NEVER, |period| Time::ZERO + period),
            emptied: Time::ZERO,
        }
    }

    fn backlog(&self, link_free: bool) -> Backlog {
        let bytes = self.packets.bytes();
        let wait = if bytes == 0 { Span::ZERO } else { self.rate.time_to_send(Size::from_bytes(bytes)) };
        Backlog {
            packets: self.packets.len() as u64,
            bytes,
            wait,
            sending: !link_free,
            idle_since: link_free.then_some(self.emptied),
        }
    }

    fn decide(&mut self, arrival: &Arrival, link_free: bool, random: &mut dyn Random) -> Verdict {
        let backlog = self.backlog(link_free);
        let Some(discipline) = &mut self.discipline else { return Verdict::Admit };
        while self.next_look <= arrival.now {
            discipline.on_period(self.next_look, &backlog);
            self.next_look = discipline.period().map_or(Time::NEVER, |period| self.next_look + period);
        }
        discipline.on_arrival(arrival, &backlog, random)
    }
}

impl Departing for StationQueue {
    fn on_arrival(&mut self, held: Held, random: &mut dyn Random, drops: &mut dyn FnMut(Ticket)) {
        match self.decide(&held.arrival, held.link_free, random) {
            Verdict::Drop => drops(held.ticket),
            verdict => {
                self.marked.push_back(verdict == Verdict::Mark);
                self.packets.push(held);
            }
        }
    }

    fn on_departure(
        &mut self,
        now: Time,
        _random: &mut dyn Random,
        _drops: &mut dyn FnMut(Ticket),
    ) -> Option<Departure> {
        let Held { ticket, .. } = self.packets.pop()?;
        self.emptied = now;
        let Some(marked) = self.marked.pop_front() else {
            panic!("a waiting packet has no record of its mark")
        };
        Some(Departure { ticket, marked })
    }

    fn packets(&self) -> u64 {
        self.packets.len() as u64
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        if let Some(discipline) = &self.discipline {
            discipline.publish(series);
        }
    }
}
