//! What the two ends of a flow have counted.

use crate::lateness::Lateness;
use crate::samples::{Samples, Sums};
use ackclock_base::{Span, Time};
use ackclock_lab::run::result::OwnResult;
use ackclock_sim::measure::Interval;

/// What one end has counted.
#[derive(Clone, Debug, Default)]
pub struct EndCounts {
    /// What it counted as a sender.
    pub sender: SenderResult,
    /// What it counted as a receiver.
    pub delivered: Delivered,
    /// Datagrams that its socket lost.
    pub lost: u64,
    /// How late it was told of datagrams and timers, if it runs in this process.
    pub lateness: Option<Lateness>,
}

/// What a receiver has handed to its application in measured time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delivered {
    /// The number of payload bytes.
    pub bytes: u64,
    /// The payload bytes over time, of the whole run.
    pub over_time: Sums,
}

impl Delivered {
    /// Returns the counts of a receiver that has got nothing, with sums of intervals of this length.
    pub fn every(interval: Span) -> Self {
        Self { bytes: 0, over_time: Sums::new(interval) }
    }

    /// Counts bytes that are handed over at `now`.
    pub fn add(&mut self, now: Time, bytes: u64, measured: Interval) {
        if measured.contains(now) {
            self.bytes += bytes;
        }
        self.over_time.add(now, bytes);
    }
}

/// What a sender has counted in measured time. `None` where nothing tells.
#[derive(Clone, Debug, Default)]
pub struct SenderResult {
    /// Packets with data, each as often as it was sent.
    pub sent_packets: u64,
    /// Those of them that had been sent before.
    pub retransmitted_packets: Option<u64>,
    /// Payload bytes, each counted once.
    pub payload_bytes: Option<u64>,
    /// Expiries of the retransmission timer.
    pub timeouts: Option<u64>,
    /// The mean of the congestion window over the time that the connection had in measured time, in packets.
    pub cwnd_mean_packets: Option<f64>,
    /// The congestion window over time, in packets.
    pub cwnd: Option<Samples>,
    /// The slow start threshold over time, in packets; NaN while it is the kernel's greatest number.
    pub ssthresh: Option<Samples>,
    /// The share of the time with unacknowledged data in which the window of the receiver held the sender back.
    pub receive_window_limited_share: Option<f64>,
    /// When everything was acknowledged, for a stack that tells.
    pub completed: Option<Time>,
    /// What the transport of an end in this process adds to results.
    pub own: Option<OwnResult>,
}

/// A field of `struct tcp_info` of linux/tcp.h: where it begins, and its bytes.
#[derive(Clone, Copy, Debug)]
struct Field(usize, usize);

const SND_SSTHRESH: Field = Field(76, 4);
const SND_CWND: Field = Field(80, 4);
const TOTAL_RETRANS: Field = Field(100, 4);
const DATA_SEGS_OUT: Field = Field(156, 4);
const BUSY_TIME: Field = Field(168, 8);
const RWND_LIMITED: Field = Field(176, 8);
const BYTES_SENT: Field = Field(200, 8);
const BYTES_RETRANS: Field = Field(208, 8);
/// Since Linux 6.7.
const TOTAL_RTO: Field = Field(240, 2);
/// `TCP_INFINITE_SSTHRESH` of net/tcp.h: no threshold.
const INFINITE: u64 = 0x7fff_ffff;

impl Field {
    /// Returns the field's value; `None` if the kernel is too old to have it.
    fn of(self, info: &[u8]) -> Option<u64> {
        let bytes = info.get(self.0..self.0 + self.1)?;
        let mut word = [0; 8];
        let used = if cfg!(target_endian = "little") { &mut word[..self.1] } else { &mut word[8 - self.1..] };
        used.copy_from_slice(bytes);
        Some(u64::from_ne_bytes(word))
    }
}

/// Counts what the kernel tells of a connection.
#[derive(Clone, Debug)]
pub struct SenderCounts {
    measured: Interval,
    /// What the kernel told first in measured time.
    first: Option<Vec<u8>>,
    last: Vec<u8>,
    last_at: Time,
    /// The integral of the window over measured time, in packet seconds, and its length in seconds.
    cwnd_area: f64,
    lasted_s: f64,
    cwnd: Samples,
    ssthresh: Samples,
}

impl SenderCounts {
    /// Returns the counts of a connection that has not begun, with samples at the ends of intervals of this length.
    pub fn new(measured: Interval, interval: Span) -> Self {
        let (cwnd, ssthresh) = (Samples::new(interval), Samples::new(interval));
        let (last, last_at) = (Vec::new(), Time::ZERO);
        Self { measured, first: None, last, last_at, cwnd_area: 0.0, lasted_s: 0.0, cwnd, ssthresh }
    }

    /// Takes what the kernel tells at `now`: its `struct tcp_info`.
    pub fn sample(&mut self, now: Time, info: &[u8]) {
        // A connection that begins in measured time had counted nothing before.
        let begins = self.last.is_empty() && now > self.measured.from;
        if let (false, Some(window)) = (self.last.is_empty(), SND_CWND.of(&self.last)) {
            let seconds = self.measured.overlap(self.last_at, now).seconds();
            self.cwnd_area += window as f64 * seconds;
            self.lasted_s += seconds;
        }
        if self.last.is_empty() {
            self.cwnd.begin(now);
            self.ssthresh.begin(now);
        }
        let value = |field: Field| field.of(info).map_or(f64::NAN, |value| value as f64);
        self.cwnd.set(now, value(SND_CWND));
        let is_infinite = SND_SSTHRESH.of(info) == Some(INFINITE);
        self.ssthresh.set(now, if is_infinite { f64::NAN } else { value(SND_SSTHRESH) });
        if self.first.is_none() && now >= self.measured.from {
            self.first = Some(if begins { vec![0; info.len()] } else { info.to_vec() });
        }
        (self.last, self.last_at) = (info.to_vec(), now);
    }

    /// Returns the counts of measured time.
    pub fn finish(self) -> SenderResult {
        let (cwnd, ssthresh) = (Some(self.cwnd), Some(self.ssthresh));
        let Some(first) = &self.first else {
            return SenderResult { cwnd, ssthresh, ..SenderResult::default() };
        };
        let since = |field: Field| Some(field.of(&self.last)?.saturating_sub(field.of(first)?));
        let busy = since(BUSY_TIME).filter(|busy| *busy > 0);
        let limited = since(RWND_LIMITED).zip(busy).map(|(limited, busy)| limited as f64 / busy as f64);
        SenderResult {
            sent_packets: since(DATA_SEGS_OUT).unwrap_or_default(),
            retransmitted_packets: since(TOTAL_RETRANS),
            payload_bytes: since(BYTES_SENT)
                .zip(since(BYTES_RETRANS))
                .map(|(sent, again)| sent.saturating_sub(again)),
            timeouts: since(TOTAL_RTO),
            cwnd_mean_packets: (self.lasted_s > 0.0).then(|| self.cwnd_area / self.lasted_s),
            cwnd,
            ssthresh,
            receive_window_limited_share: limited,
            completed: None,
            own: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(fields: &[(Field, u64)], length: usize) -> Vec<u8> {
        let mut bytes = vec![0; 248];
        for (Field(at, size), value) in fields {
            bytes[*at..at + size].copy_from_slice(&value.to_ne_bytes()[..*size]);
        }
        bytes.truncate(length);
        bytes
    }

    fn counts(begins_s: f64) -> SenderCounts {
        let measured = Interval { from: Time::from_seconds(2.0), to: Time::from_seconds(4.0) };
        let mut counts = SenderCounts::new(measured, Span::from_millis(500));
        for (at, window, packets, again) in
            [(1.0, 10, 100, 1), (2.0, 20, 150, 1), (3.0, 40, 250, 4), (4.0, 80, 400, 6)]
        {
            let fields = [
                (SND_CWND, window),
                (DATA_SEGS_OUT, packets),
                (TOTAL_RETRANS, again),
                (BYTES_SENT, 1000 * packets),
                (BYTES_RETRANS, 1000 * again),
                (TOTAL_RTO, again / 4),
                (BUSY_TIME, packets),
                (RWND_LIMITED, again),
            ];
            if at >= begins_s {
                counts.sample(Time::from_seconds(at), &info(&fields, 248));
            }
        }
        counts
    }

    #[test]
    fn counts_are_those_of_measured_time() {
        let sender = counts(1.0).finish();
        assert_eq!(
            (sender.sent_packets, sender.retransmitted_packets, sender.timeouts),
            (250, Some(5), Some(1))
        );
        assert_eq!(sender.payload_bytes, Some(245_000));
        // 20 packets in the third second and 40 in the fourth.
        assert_eq!(sender.cwnd_mean_packets, Some(30.0));
        assert_eq!(sender.receive_window_limited_share, Some(5.0 / 250.0));
    }

    #[test]
    fn a_connection_that_begins_in_measured_time_counts_from_its_begin() {
        let sender = counts(2.5).finish();
        assert_eq!((sender.sent_packets, sender.retransmitted_packets), (400, Some(6)));
        assert_eq!(sender.cwnd_mean_packets, Some(40.0));
    }

    #[test]
    fn what_an_old_kernel_does_not_tell_is_unknown() {
        let mut counts =
            SenderCounts::new(Interval { from: Time::ZERO, to: Time::from_seconds(4.0) }, Span::ZERO);
        for at in [0.0, 1.0] {
            counts.sample(Time::from_seconds(at), &info(&[(SND_CWND, 10)], 200));
        }
        let sender = counts.finish();
        assert_eq!((sender.timeouts, sender.payload_bytes), (None, None));
        assert_eq!(sender.cwnd_mean_packets, Some(10.0));
    }
}
