//! Round trips of a TCP connection, from the segments that pass the interface of its sender.

use crate::segment::Segment;
use ackclock_base::Time;
use ackclock_sim::histogram::Histogram;
use ackclock_sim::measure::Interval;
use std::collections::BTreeMap;

/// The round trips of a connection, as a simulation measures them: one for each acknowledgement of something new, from the
/// sending of the segment sent last among those it acknowledges, none of which may have been sent twice (Karn and Partridge
/// 1987).
#[derive(Clone, Debug)]
pub struct Trips {
    measured: Interval,
    /// The number of bytes after whose acknowledgement the connection is complete; `None` for no end.
    bytes: Option<u64>,
    /// The sequence number of the first byte; `None` before the SYN.
    first: Option<u32>,
    /// The number of bytes sent so far, each counted once.
    highest: u64,
    /// The segments that are not acknowledged, by their ends.
    outstanding: BTreeMap<u64, Sent>,
    /// The measured round trips.
    pub times: Histogram,
    /// When everything was acknowledged; `None` before that.
    pub completed: Option<Time>,
}

#[derive(Clone, Copy, Debug)]
struct Sent {
    at: Time,
    is_repeated: bool,
}

impl Trips {
    /// Returns a connection that has not begun, and that has this number of bytes to send.
    pub fn new(measured: Interval, bytes: Option<u64>) -> Self {
        Self {
            measured,
            bytes,
            first: None,
            highest: 0,
            outstanding: BTreeMap::new(),
            times: Histogram::default(),
            completed: None,
        }
    }

    /// Called when the sender's host sends a segment.
    pub fn sent(&mut self, at: Time, segment: &Segment) {
        if segment.is_syn {
            self.first = Some(segment.sequence.wrapping_add(1));
        }
        let Some(begin) = self.position(segment.sequence).filter(|_| segment.payload > 0) else { return };
        let end = begin + u64::from(segment.payload);
        if end > self.highest {
            self.highest = end;
            self.outstanding.insert(end, Sent { at, is_repeated: false });
        } else if let Some(sent) = self.outstanding.get_mut(&end) {
            *sent = Sent { at, is_repeated: true };
        }
    }

    /// Called when a segment of the other host reaches the sender's.
    pub fn arrived(&mut self, at: Time, segment: &Segment) {
        let Some(acknowledged) = segment.acknowledged.and_then(|number| self.position(number)) else {
            return;
        };
        let mut news: Option<Sent> = None;
        let mut take = |sent: Sent| {
            let latest = news.map_or(sent.at, |news| news.at.max(sent.at));
            let is_repeated = sent.is_repeated || news.is_some_and(|news| news.is_repeated);
            news = Some(Sent { at: latest, is_repeated });
        };
        while let Some(entry) = self.outstanding.first_entry().filter(|entry| *entry.key() <= acknowledged) {
            take(entry.remove());
        }
        for (begin, end) in &segment.selective {
            let (Some(begin), Some(end)) = (self.position(*begin), self.position(*end)) else { continue };
            if begin >= end {
                continue;
            }
            let within: Vec<u64> = self.outstanding.range(begin + 1..=end).map(|(end, _)| *end).collect();
            within.iter().filter_map(|end| self.outstanding.remove(end)).for_each(&mut take);
        }
        if let Some(news) = news.filter(|news| !news.is_repeated && self.measured.contains(at)) {
            self.times.record(at.since(news.at));
        }
        if self.completed.is_none() && self.bytes.is_some_and(|bytes| acknowledged >= bytes) {
            self.completed = Some(at);
        }
    }

    /// Returns the number of bytes before a sequence number, which is within 2^31 of the highest.
    fn position(&self, sequence: u32) -> Option<u64> {
        let highest = self.first?.wrapping_add(self.highest as u32);
        let away = i64::from(sequence.wrapping_sub(highest) as i32);
        self.highest.checked_add_signed(away)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_base::Span;

    const ALWAYS: Interval = Interval { from: Time::ZERO, to: Time::NEVER };
    /// Numbers wrap around after the second segment of 1000 bytes.
    const SYN: u32 = u32::MAX - 1500;

    fn ms(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    fn begun(bytes: Option<u64>) -> Trips {
        let mut trips = Trips::new(ALWAYS, bytes);
        trips.sent(ms(0), &Segment { sequence: SYN, is_syn: true, ..Segment::default() });
        trips
    }

    fn data(index: u32) -> Segment {
        Segment { sequence: SYN.wrapping_add(1 + 1000 * index), payload: 1000, ..Segment::default() }
    }

    fn ack(next: u32, selective: &[(u32, u32)]) -> Segment {
        let number = |index: u32| SYN.wrapping_add(1 + 1000 * index);
        let selective = selective.iter().map(|(begin, end)| (number(*begin), number(*end))).collect();
        Segment { acknowledged: Some(number(next)), selective, ..Segment::default() }
    }

    fn times(trips: &Trips) -> (u64, Option<f64>) {
        (trips.times.count(), trips.times.mean_s())
    }

    #[test]
    fn a_round_trip_counts_from_the_segment_that_was_sent_last() {
        let mut trips = begun(None);
        for index in 0..4 {
            trips.sent(ms(u64::from(index)), &data(index));
        }
        trips.arrived(ms(41), &ack(2, &[]));
        assert_eq!(times(&trips), (1, Some(0.040)));
        // Nothing new is acknowledged.
        trips.arrived(ms(60), &ack(2, &[]));
        assert_eq!(times(&trips), (1, Some(0.040)));
    }

    #[test]
    fn selective_acknowledgements_count_once() {
        let mut trips = begun(None);
        for index in 0..4 {
            trips.sent(ms(10), &data(index));
        }
        trips.arrived(ms(40), &ack(0, &[(1, 3)]));
        assert_eq!(times(&trips), (1, Some(0.030)));
        trips.arrived(ms(50), &ack(0, &[(1, 3)]));
        assert_eq!(times(&trips), (1, Some(0.030)));
    }

    #[test]
    fn what_was_sent_twice_gives_no_round_trip() {
        let mut trips = begun(None);
        for index in 0..3 {
            trips.sent(ms(0), &data(index));
        }
        trips.sent(ms(100), &data(0));
        trips.arrived(ms(140), &ack(3, &[]));
        assert_eq!(times(&trips), (0, None));
        // A retransmission of something acknowledged selectively is not outstanding.
        trips.sent(ms(150), &data(3));
        trips.arrived(ms(200), &ack(4, &[]));
        assert_eq!(times(&trips), (1, Some(0.050)));
    }

    #[test]
    fn a_connection_is_complete_when_its_last_byte_is_acknowledged() {
        let mut trips = begun(Some(2000));
        for index in 0..2 {
            trips.sent(ms(0), &data(index));
        }
        trips.arrived(ms(40), &ack(1, &[]));
        assert_eq!(trips.completed, None);
        trips.arrived(ms(45), &ack(2, &[]));
        trips.arrived(ms(50), &ack(2, &[]));
        assert_eq!(trips.completed, Some(ms(45)));
    }

    #[test]
    fn only_measured_time_counts() {
        let mut trips = Trips::new(Interval { from: ms(30), to: ms(50) }, None);
        trips.sent(ms(0), &Segment { sequence: SYN, is_syn: true, ..Segment::default() });
        for index in 0..3 {
            trips.sent(ms(0), &data(index));
            trips.arrived(ms([29, 30, 50][index as usize]), &ack(index + 1, &[]));
        }
        assert_eq!(times(&trips), (1, Some(0.030)));
    }
}
