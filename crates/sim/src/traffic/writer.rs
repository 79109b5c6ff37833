//! An application that writes into a connection or an association at the times of its [`Source`], whatever
//! the network does.
//!
//! The transport sends whole packets: data that does not fill one waits for the next write (as with Linux's
//! `TCP_CORK`) or the end of the flow. Data that the window holds back stays in the sender's buffer, which is
//! unlimited, and is never discarded.

use super::Source;
use crate::random::Stream;
use ackclock_base::Time;

/// A source that writes into a connection.
pub struct Writer {
    source: Box<dyn Source>,
    random: Stream,
    /// The usual size of a write in bytes.
    write_bytes: u32,
    /// The payload bytes of the transport's packets.
    packet_bytes: u32,
    /// The bytes that do not fill a packet yet.
    begun_bytes: u64,
    next: Time,
}

impl Writer {
    /// Creates a writer that has not begun. Its source draws from `random`.
    pub fn new(source: Box<dyn Source>, random: Stream, write_bytes: u32, packet_bytes: u32) -> Self {
        Self {
            source,
            random,
            write_bytes,
            packet_bytes: packet_bytes.max(1),
            begun_bytes: 0,
            next: Time::NEVER,
        }
    }

    /// Sets the time of the first write. Called when the flow begins.
    pub fn begin(&mut self, now: Time) {
        self.next = now + self.source.first(&mut self.random);
    }

    /// Returns when the next write is due; [`Time::NEVER`] before the flow has begun.
    pub fn due(&self) -> Time {
        self.next
    }

    /// Returns whether written data waits that does not fill a packet yet.
    pub fn has_rest(&self) -> bool {
        self.begun_bytes > 0
    }

    /// Writes what is due, and sets the time of the next write. Returns the number of packets that have
    /// become full.
    pub fn write(&mut self, now: Time) -> u64 {
        self.begun_bytes += u64::from(self.source.payload().unwrap_or(self.write_bytes));
        self.next = now + self.source.next(&mut self.random);
        let packets = self.begun_bytes / u64::from(self.packet_bytes);
        self.begun_bytes %= u64::from(self.packet_bytes);
        packets
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::constant::{Constant, Spacing};
    use ackclock_base::Span;

    #[test]
    fn bytes_that_do_not_fill_a_packet_wait_for_the_next_write() {
        // Writes of 1000 B fill packets of 1448 B. After each of the five writes there are 1000 B (no
        // packet), 2000 B (a packet, and 552 B left), 1552 B (a packet, and 104 B left), 1104 B (no packet)
        // and 2104 B (a packet, and 656 B left).
        let source = Constant(Spacing { interval: Span::from_millis(10), jitter: 0.0 });
        let mut writer = Writer::new(Box::new(source), Stream::new(1, "traffic"), 1000, 1448);
        assert_eq!(writer.due(), Time::NEVER);
        writer.begin(Time::from_seconds(1.0));
        let mut packets = Vec::new();
        for write in 0..5 {
            assert_eq!(writer.due(), Time::from_seconds(1.0 + 0.01 * f64::from(write)));
            packets.push(writer.write(writer.due()));
        }
        assert_eq!(packets, [0, 1, 1, 0, 1]);
        let all: u64 = (5..1448).map(|_| writer.write(writer.due())).sum();
        assert_eq!(all + 3, 1000, "1448 writes of 1000 B are 1000 packets of 1448 B");
    }
}
