//! A path of an association: its own recovery and congestion control, the TSNs under its packet numbers, and
//! whether it works.

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
use ackclock_recovery::sender::{Output, Parts, Transmission};
use std::collections::VecDeque;
use std::ops::Range;

/// A path of an association.
pub struct Path {
    /// Recovery's sender for this path.
    pub sender: Sender,
    /// The TSNs that its packets carried, by packet number, and the chunks that are timed.
    pub lane: Lane,
    /// Whether the path works, and the errors on it.
    pub reachability: Reachability,
    /// The HEARTBEATs of the path.
    pub heartbeat: Heartbeat,
    /// The reports of missing packets, by the path's packet numbers. They tell which packets have been
    /// reported often enough to be lost.
    pub(super) reports: MissingReports,
    /// Under CMT, one past the highest TSN sent when the path's recovery began. The recovery ends when all
    /// chunks below it are acknowledged cumulatively. `None` outside a recovery.
    pub(super) recover: Option<u64>,
    /// The content for this path of the acknowledgement being processed.
    pub(super) summary: AckSummary,
    /// The path's timer before that acknowledgement.
    pub(super) held: Held,
    last_rtt: Option<Span>,
}

/// The content of an acknowledgement that concerns one path. Emptied after each acknowledgement.
#[derive(Clone, Debug, Default)]
pub(super) struct AckSummary {
    /// The newly acknowledged packet numbers of the path, in runs.
    pub acked: Vec<Range<u64>>,
    /// The packet numbers of the path that become lost.
    pub lost: Vec<u64>,
    /// The number of chunks that the acknowledgement newly covers although they count as lost on the path and
    /// still wait for retransmission.
    pub late: u64,
    /// One past the highest newly acknowledged packet number; 0 if there is none.
    pub highest: u64,
    /// The sending time of the packet whose round trip updates the timer; `None` if there is no sample.
    pub stamp: Option<Time>,
    /// Whether a recovery begins for which this path reduces its window.
    pub reduces: bool,
}

/// The TSNs that a path's packets carried, by packet number, and the chunks that are timed.
#[derive(Clone, Debug, Default)]
pub struct Lane {
    first: u64,
    tsns: VecDeque<u64>,
    /// The chunks that are timed, with their sending times. With timestamps their round trips are not used.
    /// One chunk is timed at a time. By ns-2's rules, a chunk whose timing was suspended is kept, and gives a
    /// sample if it arrives while another is timed.
    timed: VecDeque<(u64, Time)>,
    /// Whether a chunk is being timed.
    measures: bool,
}

impl Lane {
    /// Records that a packet with chunk `tsn` is sent under the next packet number, and times the chunk if
    /// none is timed. `once` tells whether the chunk is sent for the first time; only such a chunk is timed.
    #[inline]
    pub fn push(&mut self, now: Time, tsn: u64, once: bool) {
        self.tsns.push_back(tsn);
        if once && !self.measures {
            self.measures = true;
            self.timed.push_back((tsn, now));
        }
    }

    /// Stops timing if the retransmitted chunk `tsn` is the timed one or has a lower TSN, because the
    /// retransmission may cause the SACK that covers the timed one (RFC 9260 section 6.3.1 rule C5).
    pub fn on_repeated(&mut self, tsn: u64) {
        if self.timed.back().is_some_and(|(timed, _)| *timed >= tsn) {
            self.give_up_measuring();
        }
    }

    /// Stops timing, and forgets the sending times of chunks.
    pub fn give_up_measuring(&mut self) {
        (self.measures, _) = (false, self.timed.clear());
    }

    /// Stops timing until another chunk is timed, as ns-2 does. The sending time of the present chunk is
    /// kept: while the other is timed, either may give the sample.
    pub fn suspend_measuring(&mut self) {
        self.measures = false;
    }

    /// Stops timing the chunk `tsn` if it is the timed one, as ns-2 does. Called instead of
    /// [`Self::on_repeated`].
    pub fn on_repeated_in_ns2(&mut self, tsn: u64) {
        if self.measures && self.timed.iter().any(|(timed, _)| *timed == tsn) {
            self.timed.retain(|(timed, _)| *timed != tsn);
            self.measures = false;
        }
    }

    /// Called when chunk `tsn` is newly acknowledged. If the chunk was timed, ends the timing and returns the
    /// chunk's sending time as a sample. Returns `None` if it was not timed, or if no chunk is being timed
    /// now.
    #[inline]
    pub fn measured(&mut self, tsn: u64) -> Option<Time> {
        let (_, sent) = self.timed.iter().find(|(timed, _)| *timed == tsn).filter(|_| self.measures)?;
        let sent = *sent;
        self.measures = false;
        self.timed.retain(|(timed, _)| *timed != tsn);
        Some(sent)
    }

    /// Forgets the times of chunks below `tsn`, which are acknowledged cumulatively.
    #[inline]
    pub fn measure_from(&mut self, tsn: u64) {
        while self.timed.front().is_some_and(|(timed, _)| *timed < tsn) {
            self.timed.pop_front();
        }
    }

    /// Returns the TSN of the chunk that packet `number`, one of [`Self::numbers`], carried.
    pub fn tsn(&self, number: u64) -> u64 {
        self.tsns[(number - self.first) as usize]
    }

    /// Returns the range of packet numbers whose TSNs are kept.
    pub fn numbers(&self) -> Range<u64> {
        self.first..self.first + self.tsns.len() as u64
    }

    /// Forgets the TSNs of packet numbers below `below`.
    #[inline]
    pub fn release(&mut self, below: u64) {
        while self.first < below && self.tsns.pop_front().is_some() {
            self.first += 1;
        }
    }
}

/// A transport for calls that send nothing.
pub(super) struct Nothing;

impl Output for Nothing {
    fn send(&mut self, _: Transmission) -> Option<u16> {
        None
    }
}

impl Path {
    /// Creates a path over which nothing has been sent. `confirmed` tells whether data may be sent over it
    /// before a HEARTBEAT has been answered.
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
            summary: AckSummary::default(),
            held: Held::default(),
            last_rtt: None,
        }
    }

    /// Returns the congestion window in packets.
    pub fn cwnd(&self) -> Packets {
        self.sender.control().decision().cwnd
    }

    /// Returns the latest round-trip sample; `None` before the first.
    pub fn last_rtt(&self) -> Option<Span> {
        self.last_rtt
    }

    pub(super) fn note_rtt(&mut self, rtt: Span) {
        self.last_rtt = Some(rtt);
    }

    /// Returns when a timer of the path's sender or of its HEARTBEATs is due; [`Time::NEVER`] if none is set.
    #[inline]
    pub(super) fn timer(&self) -> Time {
        self.sender.timer().min(self.heartbeat.timer())
    }

    /// Decays the window after idleness (RFC 9260 section 7.2.1): half of it for each RTO in which nothing is
    /// sent, but not below the idle window. Called before new data or a retransmission is sent.
    pub(super) fn rest(&mut self, now: Time, details: &Details) {
        let idle = now.since(self.sender.last_sent());
        let rto = self.sender.rto();
        if self.sender.inflight() > 0 || self.sender.high() == 0 || idle < rto {
            return;
        }
        let halvings = (idle.nanos() / rto.nanos().max(1)).min(64);
        let cwnd = self.cwnd();
        //= RFC 9260 section 7.2.1 idle: the window of an idle path is halved each RTO, down to four packets
        let rested = (0..halvings).fold(cwnd, |cwnd, _| cwnd / 2.0).max(details.idle_window);
        if rested < cwnd {
            if details.idle_sets_ssthresh {
                self.sender.set_ssthresh(cwnd);
            }
            self.sender.set_cwnd(now, rested);
        }
    }
}

impl AckSummary {
    /// Records that packet number `number` is newly acknowledged.
    #[inline]
    pub fn acknowledge(&mut self, number: u64) {
        self.highest = self.highest.max(number + 1);
        match self.acked.last_mut() {
            Some(run) if run.end == number => run.end += 1,
            _ => self.acked.push(number..number + 1),
        }
    }

    /// Returns whether the acknowledgement contains nothing for the path.
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
    fn only_chunks_sent_after_a_retransmission_are_timed() {
        // RFC 9260 section 6.3.1 rule C5: a chunk gives no sample if it, or a chunk with a lower TSN, has
        // been retransmitted since it was sent.
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
    fn in_ns2_a_suspended_measurement_resumes_with_the_next() {
        let mut lane = Lane::default();
        lane.push(at(0), 0, true);
        lane.suspend_measuring();
        assert_eq!(lane.measured(0), None, "nothing is being measured");
        lane.push(at(3), 3, true);
        assert_eq!((lane.measured(0), lane.measured(3)), (Some(at(0)), None), "one at a time");
        lane.push(at(5), 5, true);
        assert_eq!((lane.measured(0), lane.measured(3)), (None, Some(at(3))), "chunk 3 is kept");
    }
}
