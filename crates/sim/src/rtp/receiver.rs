//! The receiving end of a call: it reports when each packet arrived, and puts frames together. The words of a report are the number of
//! its first packet, the number of packets, and the time since the last arrival; its extension has a word for each packet.

use super::playout::{Frames, Playout};
use super::sender::Words;
use crate::endpoint::{Endpoint, Outbox};
use crate::packet::Packet;
use crate::ranges::Ranges;
use ackclock_base::{Span, Time};
use std::collections::VecDeque;

/// The arrival of a packet, as a report has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Arrival {
    /// `None` if the packet has not arrived.
    pub(super) arrived: Option<Time>,
    /// Whether it had a mark of congestion.
    pub(super) marked: bool,
}

impl Arrival {
    /// Returns the word that stands for the arrival: twice the time in nanoseconds, and 1 for a mark. No packet arrives at time zero.
    fn word(self) -> u64 {
        self.arrived.map_or(0, |arrived| arrived.nanos() << 1 | u64::from(self.marked))
    }

    /// Returns the arrival for which a word stands.
    pub(super) fn of(word: u64) -> Self {
        let arrived = (word > 1).then(|| Time::from_nanos(word >> 1));
        Self { arrived, marked: word & 1 == 1 }
    }
}

/// The receiving end.
pub(super) struct Receiver {
    every: Span,
    header_bytes: u32,
    playout: Playout,
    /// The packets that have arrived, each counted once: a link may duplicate a packet.
    arrived: Ranges,
    /// The arrivals that are to be reported. The first one is that of packet `first`.
    arrivals: VecDeque<Arrival>,
    first: u64,
    /// The time of the last arrival, and that of the next report.
    last: Time,
    reports: Time,
    stopped: Option<Time>,
}

impl Receiver {
    /// Creates the end that sends a report each `every`, if anything has arrived, with headers of this size around it.
    pub(super) fn new(every: Span, header_bytes: u32, playout: Playout) -> Self {
        Self {
            every,
            header_bytes,
            playout,
            arrived: Ranges::default(),
            arrivals: VecDeque::new(),
            first: 0,
            last: Time::ZERO,
            reports: Time::NEVER,
            stopped: None,
        }
    }

    /// Returns what has arrived of the frames since counting began, as of `until`.
    pub(super) fn frames(&self, until: Time) -> Frames {
        let until = self.stopped.map_or(until, |stopped| stopped.min(until));
        self.playout.frames(until)
    }

    /// Records an arrival for the next report. A packet that comes after its number has been reported counts as lost there.
    fn note(&mut self, number: u64, arrival: Arrival) {
        let Some(place) = number.checked_sub(self.first) else { return };
        let place = place as usize;
        if place >= self.arrivals.len() {
            self.arrivals.resize(place + 1, Arrival::default());
        }
        self.arrivals[place] = arrival;
    }
}

/// The size of a report with `packets` packets of one source (RFC 8888 section 3.1): the header of RTCP and the sender's source, 8 B; the
/// source, the first number and the number of packets, 8 B; 2 B for each packet, in words of 4 B; and the time of the report, 4 B.
fn report_bytes(packets: u32) -> u32 {
    8 + 8 + (2 * packets).next_multiple_of(4) + 4
}

impl Endpoint for Receiver {
    fn timer(&self) -> Time {
        self.reports
    }

    fn on_timer(&mut self, now: Time, out: &mut dyn Outbox) {
        self.reports = now + self.every;
        if self.arrivals.is_empty() {
            return;
        }
        let words: Vec<u64> = self.arrivals.drain(..).map(Arrival::word).collect();
        let count = words.len() as u64;
        let bytes = report_bytes(words.len() as u32).min(MAX_REPORT_BYTES) + self.header_bytes;
        let header = [self.first, count, now.since(self.last).nanos()];
        self.first += count;
        out.send_long(0, Packet { bytes, header, ..Packet::default() }, &words);
    }

    fn on_packet(&mut self, now: Time, _path: usize, packet: &Packet, out: &mut dyn Outbox) {
        let Words { number, packets, sent, captured } = Words::of(packet);
        if !self.arrived.insert(number) {
            return;
        }
        out.received(Some(sent), 1, u64::from(packet.bytes.saturating_sub(self.header_bytes)));
        let marked = packet.ecn == ackclock_aqm::Ecn::Experienced;
        self.note(number, Arrival { arrived: Some(now), marked });
        self.last = now;
        if self.reports == Time::NEVER {
            self.reports = now + self.every;
        }
        self.playout.take(now, captured, packets);
    }

    fn stop(&mut self, now: Time) {
        self.stopped = Some(now);
    }

    fn reset_counts(&mut self, now: Time) {
        self.playout.reset(now);
    }
}

/// The largest report, which is that of a UDP datagram.
const MAX_REPORT_BYTES: u32 = 65_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_stands_for_an_arrival() {
        for (nanos, marked) in [(1, false), (1, true), (123_456_789, true)] {
            let arrival = Arrival { arrived: Some(Time::from_nanos(nanos)), marked };
            assert_eq!(Arrival::of(arrival.word()), arrival);
        }
        assert_eq!(Arrival::of(Arrival::default().word()), Arrival::default());
    }

    #[test]
    fn a_report_has_the_size_of_rfc_8888() {
        assert_eq!(report_bytes(1), 24);
        assert_eq!(report_bytes(2), 24);
        assert_eq!(report_bytes(15), 52);
    }
}
