//! A receiving application that reads at a rate of its own: what it has not read fills the receive buffer, and the transport tells the
//! sender how much room is left.
//!
//! The application reads one packet after another, as a link would send them: the room of a packet is free when all of it has been
//! read. It begins with a packet when that is in order and the packet before it has been read.

use crate::transmission::{Changes, Transmission};
use ackclock_base::{Rate, Time};

/// How an application reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReaderOptions {
    /// Its rate in bits of payload; the highest where that changes.
    pub rate: Rate,
    /// How that changes, if it does; while it is zero the application reads nothing.
    pub changes: Option<Changes>,
}

/// The application at work.
pub struct Reading {
    pace: Transmission,
    payload_bytes: u32,
    /// Packets that have been handed to it, and those that it has read.
    delivered: u64,
    read: u64,
    due: Time,
}

impl Reading {
    /// An application that has read nothing, of packets with this payload.
    pub fn new(options: &ReaderOptions, payload_bytes: u32) -> Self {
        Self {
            pace: Transmission::new(options.rate, options.changes.clone()),
            payload_bytes,
            delivered: 0,
            read: 0,
            due: Time::NEVER,
        }
    }

    /// When it will have read the packet that it reads; [`Time::NEVER`] while it has none.
    pub fn due(&self) -> Time {
        self.due
    }

    /// Packets that it has read.
    pub fn read(&self) -> u64 {
        self.read
    }

    /// Packets that wait to be read, the one included that is being read.
    pub fn waiting(&self) -> u64 {
        self.delivered - self.read
    }

    /// Hands it packets, which are this many altogether now.
    pub fn hand_over(&mut self, now: Time, delivered: u64) {
        let was_idle = self.waiting() == 0;
        self.delivered = delivered;
        if was_idle && self.waiting() > 0 {
            self.begin(now);
        }
    }

    /// Returns how many packets it has read by `now` that it had not read before.
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
        // 1000 B at 1 Mbit/s are 8 ms. Three packets at 10 ms are read at 18, 26 and 34 ms, one at 50 ms at 58 ms.
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
        // A cycle of 20 ms at 1 Mbit/s and 30 ms at nothing. Of a packet begun at 16 ms a half is read by 20 ms, the rest from 50 to
        // 54 ms.
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
