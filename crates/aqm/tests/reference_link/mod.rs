//! A short implementation of a link, independent of the simulator's: it lets a discipline of either kind
//! decide about packets, and reports all events in order.

use ackclock_aqm::{Arrival, Backlog, Departing, Discipline, Held, Queueing, Ticket, Verdict};
use ackclock_base::{Random, Rate, Size, Span, Time};
use std::collections::VecDeque;

/// An event at the queue. Packets are numbered in the order of their arrival.
#[derive(Clone, Copy, Debug)]
pub enum Happening {
    /// A packet arrives.
    Arrived { number: usize, arrival: Arrival },
    /// A packet is dropped, when `newcomer` was the last that had arrived.
    Dropped { number: usize, newcomer: usize },
    /// A packet's transmission begins.
    Left { number: usize, marked: bool },
    /// All events of this instant are done: the number of packets waiting, and whether the link is free
    /// although a packet waits.
    Settled { packets: u64, idles: bool },
}

pub struct ReferenceLink<R> {
    rate: Rate,
    random: R,
    free_at: Time,
    next: usize,
    kind: Kind,
    happenings: Vec<Happening>,
}

enum Kind {
    AtArrival { discipline: Box<dyn Discipline>, waiting: VecDeque<Waiting>, next_look: Option<Time> },
    AtDeparture { discipline: Box<dyn Departing>, bytes: Vec<u32> },
}

#[derive(Clone, Copy)]
struct Waiting {
    number: usize,
    bytes: u32,
    starts: Time,
    marked: bool,
}

impl<R: Random> ReferenceLink<R> {
    pub fn new(queueing: Queueing, rate: Rate, random: R) -> Self {
        let kind = match queueing {
            Queueing::AtArrival(discipline) => {
                let next_look = discipline.period().map(|period| Time::ZERO + period);
                Kind::AtArrival { discipline, waiting: VecDeque::new(), next_look }
            }
            Queueing::AtDeparture(discipline) => Kind::AtDeparture { discipline, bytes: Vec::new() },
        };
        Self { rate, random, free_at: Time::ZERO, next: 0, kind, happenings: Vec::new() }
    }

    /// Returns the events since the last call.
    pub fn happenings(&mut self) -> Vec<Happening> {
        std::mem::take(&mut self.happenings)
    }

    pub fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        match &self.kind {
            Kind::AtArrival { discipline, .. } => discipline.publish(series),
            Kind::AtDeparture { discipline, .. } => discipline.publish(series),
        }
    }

    /// Lets a packet arrive, not before the previous one.
    pub fn arrive(&mut self, arrival: Arrival) {
        let number = self.next;
        self.next += 1;
        let Self { rate, random, free_at, happenings, .. } = self;
        match &mut self.kind {
            Kind::AtArrival { discipline, waiting, next_look } => {
                while let Some(then) = next_look.filter(|then| *then <= arrival.now) {
                    settle(waiting, then, happenings);
                    discipline.on_period(then, &backlog(waiting, *free_at, then));
                    *next_look = discipline.period().map(|period| then + period);
                }
                settle(waiting, arrival.now, happenings);
                happenings.push(Happening::Arrived { number, arrival });
                let backlog = backlog(waiting, *free_at, arrival.now);
                let verdict = discipline.on_arrival(&arrival, &backlog, random);
                if verdict == Verdict::Drop {
                    happenings.push(Happening::Dropped { number, newcomer: number });
                } else {
                    let starts = (*free_at).max(arrival.now);
                    let marked = verdict == Verdict::Mark;
                    waiting.push_back(Waiting { number, bytes: arrival.bytes, starts, marked });
                    *free_at = starts + time_to_send(*rate, arrival.bytes);
                }
                settle(waiting, arrival.now, happenings);
                happenings.push(Happening::Settled { packets: waiting.len() as u64, idles: false });
            }
            Kind::AtDeparture { discipline, bytes } => {
                let discipline = discipline.as_mut();
                while discipline.packets() > 0 {
                    let due = (*free_at).max(discipline.ready());
                    if due > arrival.now {
                        break;
                    }
                    *free_at = due;
                    if !depart(discipline, bytes, *rate, free_at, random, number, happenings) {
                        break;
                    }
                }
                bytes.push(arrival.bytes);
                happenings.push(Happening::Arrived { number, arrival });
                let drop = &mut |ticket: Ticket| {
                    happenings.push(Happening::Dropped { number: ticket.0 as usize, newcomer: number });
                };
                let link_free = discipline.packets() == 0 && *free_at <= arrival.now;
                discipline.on_arrival(
                    Held { ticket: Ticket(number as u32), arrival, link_free },
                    random,
                    drop,
                );
                if (*free_at).max(discipline.ready()) <= arrival.now {
                    *free_at = arrival.now;
                    depart(discipline, bytes, *rate, free_at, random, number, happenings);
                }
                let packets = discipline.packets();
                let idles = packets > 0 && *free_at <= arrival.now;
                happenings.push(Happening::Settled { packets, idles });
            }
        }
    }
}

/// Sends the next packet; returns whether there was one.
fn depart(
    discipline: &mut dyn Departing,
    bytes: &[u32],
    rate: Rate,
    free_at: &mut Time,
    random: &mut dyn Random,
    next: usize,
    happenings: &mut Vec<Happening>,
) -> bool {
    let drop = &mut |ticket: Ticket| {
        happenings.push(Happening::Dropped { number: ticket.0 as usize, newcomer: next });
    };
    let departure = discipline.on_departure(*free_at, random, drop);
    let Some(departure) = departure else { return false };
    let number = departure.ticket.0 as usize;
    happenings.push(Happening::Left { number, marked: departure.marked });
    *free_at += time_to_send(rate, bytes[number]);
    true
}

/// Lets packets leave whose transmission has begun.
fn settle(waiting: &mut VecDeque<Waiting>, now: Time, happenings: &mut Vec<Happening>) {
    while let Some(first) = waiting.front().copied().filter(|first| first.starts <= now) {
        waiting.pop_front();
        happenings.push(Happening::Left { number: first.number, marked: first.marked });
    }
}

fn backlog(waiting: &VecDeque<Waiting>, free_at: Time, now: Time) -> Backlog {
    let sending = free_at > now;
    Backlog {
        packets: waiting.len() as u64,
        bytes: waiting.iter().map(|waiting| u64::from(waiting.bytes)).sum(),
        wait: free_at.since(now),
        sending,
        idle_since: (!sending).then_some(free_at),
    }
}

fn time_to_send(rate: Rate, bytes: u32) -> Span {
    rate.time_to_send(Size::from_bytes(u64::from(bytes)))
}
