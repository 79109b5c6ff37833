//! A constant bit rate over UDP: packets at a fixed interval, whatever happens to them.

use crate::packet::Packet;
use ackclock_base::{Span, Time};

/// What a constant-bit-rate source sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CbrOptions {
    /// Bytes of a packet on the wire.
    pub wire_bytes: u32,
    /// Payload bytes of a packet.
    pub payload_bytes: u32,
    /// The time between two packets.
    pub interval: Span,
}

/// The source.
#[derive(Clone, Debug)]
pub struct CbrSender {
    options: CbrOptions,
    next: Time,
    until: Time,
    number: u64,
    counted_from: u64,
}

impl CbrSender {
    /// A source that has not started.
    pub fn new(options: CbrOptions) -> Self {
        Self { options, next: Time::NEVER, until: Time::NEVER, number: 0, counted_from: 0 }
    }

    /// Begins: the first packet leaves at `now`.
    pub fn start(&mut self, now: Time) {
        self.next = now;
    }

    /// Ends.
    pub fn stop(&mut self, now: Time) {
        self.until = now;
        self.next = Time::NEVER;
    }

    /// When the next packet leaves.
    pub fn timer(&self) -> Time {
        self.next
    }

    /// The packet that is due now.
    pub fn on_timer(&mut self, now: Time) -> Packet {
        let number = self.number;
        self.number += 1;
        self.next = now + self.options.interval;
        Packet { number, stamp: now, bytes: self.options.wire_bytes, ..Packet::default() }
    }

    /// Packets sent since counting began.
    pub fn sent(&self) -> u64 {
        self.number - self.counted_from
    }

    /// Starts counting anew at the end of the warm-up.
    pub fn reset_counts(&mut self) {
        self.counted_from = self.number;
    }
}
