//! Lets a Python object act as a queue discipline that decides at departure. The object is told of arrivals
//! and periods as one that decides at arrival is, and also chooses the packet that departs when the link is
//! free.

use super::discipline::PythonDiscipline;
use super::queue::{Queue, Waiting};
use ackclock_aqm::{Backlog, Departing, Departure, Held, LinkRate, Ticket, Verdict};
use ackclock_base::{Random, Rate, Size, Span, Time};
use pyo3::exceptions::PyRuntimeError;
use pyo3::intern;
use pyo3::prelude::*;

/// An instance at a link.
pub struct PythonDeparting {
    discipline: PythonDiscipline,
    queue: Py<Queue>,
    rate: Rate,
    /// When the transmission of the last departed packet ends at the link's rate.
    sent: Time,
    next_look: Time,
}

impl PythonDeparting {
    /// Makes the discipline with an empty queue.
    pub fn new(discipline: PythonDiscipline, queue: Py<Queue>, link: &LinkRate) -> Self {
        let next_look = discipline.period.map_or(Time::NEVER, |period| Time::ZERO + period);
        Self { discipline, queue, rate: link.rate, sent: Time::ZERO, next_look }
    }

    fn backlog(&self, now: Time, link_free: bool) -> Backlog {
        let queue = self.queue.get();
        let bytes = queue.bytes();
        let waiting = if bytes == 0 { Span::ZERO } else { self.time_to_send(bytes) };
        Backlog {
            packets: queue.packets(),
            bytes,
            wait: self.sent.since(now) + waiting,
            sending: !link_free,
            idle_since: link_free.then_some(self.sent),
        }
    }

    fn time_to_send(&self, bytes: u64) -> Span {
        self.rate.time_to_send(Size::from_bytes(bytes))
    }

    /// Tells the object of all periods that have passed. The queue changes only at arrivals and departures,
    /// so it was the same at the end of each period.
    fn look(&mut self, now: Time) {
        while let Some(period) = self.discipline.period.filter(|_| self.next_look <= now) {
            let then = self.next_look;
            let link_free = self.sent <= then && self.packets() == 0;
            self.discipline.tell_period(then, &self.backlog(then, link_free));
            self.next_look += period;
        }
    }
}

impl Departing for PythonDeparting {
    fn on_arrival(&mut self, held: Held, random: &mut dyn Random, drops: &mut dyn FnMut(Ticket)) {
        let now = held.arrival.now;
        self.look(now);
        let backlog = self.backlog(now, held.link_free);
        let judged = self.discipline.judge(&held.arrival, &backlog, random);
        let queue = self.queue.get();
        queue.dropped().into_iter().for_each(&mut *drops);
        match judged {
            Some((arrival, verdict)) if verdict != Verdict::Drop => {
                let marked = verdict == Verdict::Mark;
                queue.join(Waiting { ticket: held.ticket, arrival, marked });
            }
            // The object has dropped the packet, or has raised an exception, which ends the run.
            _ => drops(held.ticket),
        }
    }

    fn on_departure(
        &mut self,
        now: Time,
        random: &mut dyn Random,
        drops: &mut dyn FnMut(Ticket),
    ) -> Option<Departure> {
        self.look(now);
        let queue = self.queue.get();
        let place = self.discipline.ask_with(random, |object, draws| {
            let named = object.call_method1(intern!(object.py(), "on_departure"), (now.seconds(), draws))?;
            queue.next(&named)
        });
        queue.dropped().into_iter().for_each(drops);
        // If the object has raised an exception, the oldest packet departs until the run ends.
        let Waiting { ticket, arrival, marked } = queue.take(place.unwrap_or(Some(0))?)?;
        self.sent = now + self.time_to_send(u64::from(arrival.get().0.bytes));
        Some(Departure { ticket, marked })
    }

    fn packets(&self) -> u64 {
        self.queue.get().packets()
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        self.discipline.show(series);
        if !self.queue.get().dropped().is_empty() {
            let told =
                "publish dropped a packet; only on_arrival, on_departure and on_period may drop packets";
            self.discipline.raise(PyRuntimeError::new_err(told));
        }
    }
}
