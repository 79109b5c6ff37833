//! A receiving application that reads at a rate of its own. Unread data fills the receive buffer, and the
//! transport tells the sender how much room is left.
//!
//! The application reads one packet after another, as a link would send them. The room of a packet is free
//! when all of it has been read. The application begins with a packet when the packet is in order and the
//! previous one has been read.

use crate::transmission::{Changes, Transmission};
use ackclock_base::{Rate, Time};

/// The reading rate of an application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReaderOptions {
    /// The rate in bits of payload per second; the highest rate if it changes.
    pub rate: Rate,
    /// The changes of the rate, if there are any. While the rate is zero, the application reads nothing.
    pub changes: Option<Changes>,
}

/// The state of a reading application.
pub struct Reading {
    pace: Transmission,
    payload_bytes: u32,
    /// The number of packets delivered to it, and the number that it has read.
    delivered: u64,
    read: u64,
    due: Time,
}

impl Reading {
    /// Creates an application that has read nothing, for packets with this payload.
    pub fn new(options: &ReaderOptions, payload_bytes: u32) -> Self {
        Self {
            pace: Transmission::new(options.rate, options.changes.clone()),
            payload_bytes,
            delivered: 0,
            read: 0,
            due: Time::NEVER,
        }
    }

    /// Returns when the present packet will have been read; [`Time::NEVER`] if there is none.
    pub fn due(&self) -> Time {
        self.due
    }

    /// Returns the number of packets read.
    pub fn read(&self) -> u64 {
        self.read
    }

    /// Returns the number of unread packets, including the one being read.
    pub fn waiting(&self) -> u64 {
        self.delivered - self.read
    }

    /// Delivers packets to the application, which begins to read at once if it was idle. `delivered` is the
    /// number of packets delivered since the connection began.
    pub fn hand_over(&mut self, now: Time, delivered: u64) {
        let was_idle = self.waiting() == 0;
        self.delivered = delivered;
        if was_idle && self.waiting() > 0 {
            self.begin(now);
        }
    }

    /// Returns the number of packets read by `now` since the last call.
    pub fn take(&mut self, now: Time) -> u64 {
        let before = self.read;
        while self.due <= now {
            let since = std::mem::replace(&mut self.due, Time::NEVER);
            self.read += 1;
            if self.waiting() > 0 {
                self.begin(since);
            }
        }
        self.read - before
    }

    fn begin(&mut self, now: Time) {
        self.due = now + self.pace.time(now, self.payload_bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::Timeline;
    use crate::transmission::Manner;
    use ackclock_base::Span;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    #[test]
    fn packets_are_read_one_after_another() {
        // 1000 B at 1 Mbit/s take 8 ms. Three packets at 10 ms are read at 18, 26 and 34 ms, and one at 50 ms
        // at 58 ms.
        let rate = Rate::from_bits_per_second(1_000_000);
        let mut reading = Reading::new(&ReaderOptions { rate, changes: None }, 1000);
        assert_eq!(reading.due(), Time::NEVER);
        reading.hand_over(at(10), 3);
        assert_eq!((reading.due(), reading.take(at(17))), (at(18), 0));
        assert_eq!((reading.take(at(18)), reading.due(), reading.waiting()), (1, at(26), 2));
        assert_eq!((reading.take(at(34)), reading.due(), reading.read()), (2, Time::NEVER, 3));
        reading.hand_over(at(50), 4);
        assert_eq!(reading.due(), at(58));
    }

    #[test]
    fn a_pause_lasts_until_the_rate_is_above_zero_again() {
        // A cycle has 20 ms at 1 Mbit/s and 30 ms at zero. Half of a packet begun at 16 ms is read by 20 ms,
        // and the rest from 50 to 54 ms.
        let rate = Rate::from_bits_per_second(1_000_000);
        let (reads, rests) = (Span::from_millis(20), Span::from_millis(30));
        let rates = Timeline::cycle([(reads, rate), (rests, Rate::default())]).unwrap();
        let changes = Changes { rates, manner: Manner::BitByBit, outage: None, nominal: rate };
        let mut reading = Reading::new(&ReaderOptions { rate, changes: Some(changes) }, 1000);
        reading.hand_over(at(16), 1);
        assert_eq!(reading.due(), at(54));
    }
}

#[cfg(test)]
mod two_ends;
