//! A path of an association: its own recovery and congestion control, the TSNs under its numbers, and whether it works.

use super::details::Details;
use super::heartbeat::Heartbeat;
use super::held::Held;
use super::options::Options;
use super::reachability::Reachability;
use crate::random::Stream;
use ackclock_base::{Packets, Span, Time};
use ackclock_cc::{Backoff, Controller};
use ackclock_recovery::Sender;
use ackclock_recovery::detection::reported::Reported;
use ackclock_recovery::detection::reports::MissingReports;
use ackclock_recovery::sender::{Handed, Output, Parts, Transmission};
use std::collections::VecDeque;
use std::ops::Range;

/// A path.
pub struct Path {
    /// What is sent over it and when.
    pub sender: Sender,
    /// What its numbers carried.
    pub lane: Lane,
    /// Whether it works.
    pub reachability: Reachability,
    /// How that is found out.
    pub heartbeat: Heartbeat,
    /// Reports of what is missing, by number.
    pub(super) reports: MissingReports,
    /// Under CMT, the TSN whose cumulative acknowledgement ends its recovery.
    pub(super) recover: Option<u64>,
    /// Of the acknowledgement that is being taken in.
    pub(super) news: News,
    /// Its timer before that.
    pub(super) held: Held,
    last_rtt: Option<Span>,
}

/// What an acknowledgement says about a path. Emptied after each.
#[derive(Clone, Debug, Default)]
pub(super) struct News {
    /// The numbers that it newly acknowledges, in runs.
    pub acked: Vec<Range<u64>>,
    /// The numbers that it makes lost.
    pub lost: Vec<u64>,
    /// How many chunks it acknowledges that were lost on the path, and not yet sent again.
    pub late: u64,
    /// One past the highest number that it newly acknowledges.
    pub highest: u64,
    /// When the packet was sent whose round trip it tells the timer.
    pub stamp: Option<Time>,
    /// Whether the losses begin a recovery.
    pub reduces: bool,
}

/// The TSNs under a path's numbers, and those that are timed.
#[derive(Clone, Debug, Default)]
pub struct Lane {
    first: u64,
    tsns: VecDeque<u64>,
    /// The chunks whose round trip is measured where there are no timestamps, and when they were sent. One at a time; but ns-2 goes
    /// on listening for those that it has given up.
    timed: VecDeque<(u64, Time)>,
    /// Whether one is being measured.
    measures: bool,
}

impl Lane {
    /// A packet with this chunk is sent under the next number. `once` if the chunk has not been sent before.
    #[inline]
    pub fn push(&mut self, now: Time, tsn: u64, once: bool) {
        self.tsns.push_back(tsn);
        if once && !self.measures {
            self.measures = true;
            self.timed.push_back((tsn, now));
        }
    }

    /// A chunk is sent again: what answers to later ones may answer to that (RFC 9260 section 6.3.1 rule C5).
    pub fn on_repeated(&mut self, tsn: u64) {
        if self.timed.back().is_some_and(|(timed, _)| *timed >= tsn) {
            self.give_up_measuring();
        }
    }

    /// Nothing is measured any more.
    pub fn give_up_measuring(&mut self) {
        (self.measures, _) = (false, self.timed.clear());
    }

    /// Stops measuring until the next chunk is measured, as ns-2 does; that chunk's start is then kept beside this one's.
    pub fn suspend_measuring(&mut self) {
        self.measures = false;
    }

    /// One is sent again in ns-2. While another is measured it is not told from that.
    pub fn on_repeated_in_ns2(&mut self, tsn: u64) {
        if self.measures && self.timed.iter().any(|(timed, _)| *timed == tsn) {
            self.timed.retain(|(timed, _)| *timed != tsn);
            self.measures = false;
        }
    }

    /// One has arrived. Returns when it was sent, if that tells a round trip.
    #[inline]
    pub fn measured(&mut self, tsn: u64) -> Option<Time> {
        let (_, sent) = self.timed.iter().find(|(timed, _)| *timed == tsn).filter(|_| self.measures)?;
        let sent = *sent;
        self.measures = false;
        self.timed.retain(|(timed, _)| *timed != tsn);
        Some(sent)
    }

    /// What is acknowledged cumulatively tells nothing any more.
    #[inline]
    pub fn measure_from(&mut self, tsn: u64) {
        while self.timed.front().is_some_and(|(timed, _)| *timed < tsn) {
            self.timed.pop_front();
        }
    }

    /// The chunk that a number carried; numbers below [`Self::release`]'s are forgotten.
    pub fn tsn(&self, number: u64) -> u64 {
        self.tsns[(number - self.first) as usize]
    }

    /// The numbers that are kept.
    pub fn numbers(&self) -> Range<u64> {
        self.first..self.first + self.tsns.len() as u64
    }

    /// Forgets what lies below a number.
    #[inline]
    pub fn release(&mut self, below: u64) {
        while self.first < below && self.tsns.pop_front().is_some() {
            self.first += 1;
        }
    }
}

/// For what sends nothing by itself.
pub(super) struct Nothing;

impl Output for Nothing {
    fn send(&mut self, _: Transmission) -> Option<Handed> {
        None
    }
}

impl Path {
    /// A path over which nothing has been sent.
    pub fn new(
        options: &Options,
        controller: Controller,
        backoff: Box<dyn Backoff>,
        random: Stream,
        confirmed: bool,
    ) -> Self {
        let detection = Box::new(Reported::default());
        let parts = Parts { controller, detection, backoff, random: Box::new(random) };
        let mut sender = Sender::new(options.recovery.clone(), parts, 0);
        sender.stay_open();
        Self {
            sender,
            lane: Lane::default(),
            reachability: Reachability::new(confirmed),
            heartbeat: Heartbeat::new(options.details.heartbeat_interval),
            reports: MissingReports::new(options.details.missing_reports),
            recover: None,
            news: News::default(),
            held: Held::default(),
            last_rtt: None,
        }
    }

    /// Its congestion window.
    pub fn cwnd(&self) -> Packets {
        self.sender.control().decision().cwnd
    }

    /// The latest sample of its round trip.
    pub fn last_rtt(&self) -> Option<Span> {
        self.last_rtt
    }

    pub(super) fn note_rtt(&mut self, rtt: Span) {
        self.last_rtt = Some(rtt);
    }

    /// When it has something to do.
    #[inline]
    pub(super) fn timer(&self) -> Time {
        self.sender.timer().min(self.heartbeat.timer())
    }

    /// RFC 9260 section 7.2.1: while nothing is sent over it, half of the window goes at each timeout's length, but never more than
    /// leaves the idle window. Called before something is sent, new or again.
    pub(super) fn rest(&mut self, now: Time, details: &Details) {
        let idle = now.since(self.sender.last_sent());
        let rto = self.sender.rto();
        if self.sender.inflight() > 0 || self.sender.high() == 0 || idle < rto {
            return;
        }
        let halvings = (idle.nanos() / rto.nanos().max(1)).min(64);
        let cwnd = self.cwnd();
        let rested = (0..halvings).fold(cwnd, |cwnd, _| cwnd / 2.0).max(details.idle_window);
        if rested < cwnd {
            if details.idle_sets_ssthresh {
                self.sender.set_ssthresh(cwnd);
            }
            self.sender.set_cwnd(now, rested);
        }
    }
}

impl News {
    /// A number is newly acknowledged.
    #[inline]
    pub fn acknowledge(&mut self, number: u64) {
        self.highest = self.highest.max(number + 1);
        match self.acked.last_mut() {
            Some(run) if run.end == number => run.end += 1,
            _ => self.acked.push(number..number + 1),
        }
    }

    /// Whether it says nothing.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.acked.is_empty() && self.lost.is_empty() && self.late == 0 && !self.reduces
    }

    #[inline]
    pub fn clear(&mut self) {
        self.acked.clear();
        self.lost.clear();
        (self.highest, self.stamp, self.reduces, self.late) = (0, None, false, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    //= test RFC 9260 section 6.3.1 c5
    #[test]
    fn what_is_sent_after_a_retransmission_alone_tells_a_round_trip() {
        // RFC 9260 section 6.3.1 rule C5: no chunk up to the timed one is sent again since that was sent.
        let mut lane = Lane::default();
        (5..8).for_each(|tsn| lane.push(at(tsn), tsn, true));
        lane.on_repeated(6);
        assert_eq!((lane.measured(6), lane.measured(5)), (None, Some(at(5))));
        lane.push(at(8), 8, true);
        lane.on_repeated(7);
        assert_eq!(lane.measured(8), None);
        lane.push(at(9), 9, true);
        assert_eq!(lane.measured(9), Some(at(9)));
    }

    #[test]
    fn in_ns2_a_measurement_that_is_suspended_comes_back_with_the_next() {
        let mut lane = Lane::default();
        lane.push(at(0), 0, true);
        lane.suspend_measuring();
        assert_eq!(lane.measured(0), None, "nothing is being measured");
        lane.push(at(3), 3, true);
        assert_eq!((lane.measured(0), lane.measured(3)), (Some(at(0)), None), "one at a time");
    }
}
