//! The shaper: a virtual clock that each packet advances by its time at the rate, including the overhead of
//! the layers below (Linux, sch_cake.c, cake_advance_shaper and cake_calc_overhead). There is no bucket and
//! no burst: a packet is late or on time, and a late packet does not delay the next.

use ackclock_base::{Rate, Time, choice};

/// The virtual clock.
#[derive(Clone, Debug)]
pub struct Clock {
    rate: Option<Rate>,
    /// The earliest time for the next packet, rounded down.
    next: Time,
    /// The rest lost by rounding, in bits at the rate times nanoseconds: less than one nanosecond.
    rest: u128,
}

impl Clock {
    /// Creates a clock that lets a packet leave at once.
    pub fn new(rate: Option<Rate>) -> Self {
        Self { rate, next: Time::ZERO, rest: 0 }
    }

    /// Called when the first packet arrives after a pause: unused time is lost.
    pub fn start(&mut self, now: Time) {
        if self.next < now {
            (self.next, self.rest) = (now, 0);
        }
    }

    /// Returns the earliest time for the next packet: not before the bytes before it have had their time at
    /// the rate.
    pub fn ready(&self) -> Time {
        if self.rest == 0 { self.next } else { Time::from_nanos(self.next.nanos().saturating_add(1)) }
    }

    /// Advances the clock by a packet of `bytes`.
    pub fn advance(&mut self, bytes: u64) {
        let Some(rate) = self.rate else { return };
        let rate = u128::from(rate.bits_per_second()).max(1);
        let lasts = u128::from(bytes) * 8 * 1_000_000_000 + self.rest;
        let nanos = u64::try_from(lasts / rate).unwrap_or(u64::MAX);
        self.next = Time::from_nanos(self.next.nanos().saturating_add(nanos));
        self.rest = lasts % rate;
    }
}

choice! {
    /// How the layers below divide packets.
    pub enum Framing {
        /// Packets are not divided.
        Whole = "noatm",
        /// Cells of 53 bytes with 48 bytes of the packet each.
        Atm = "atm",
        /// One additional byte for each 64 bytes or part of them (VDSL2's 64b/65b encapsulation).
        Ptm = "ptm",
    }
}

/// The overhead of the layers below.
#[derive(Clone, Copy, Debug)]
pub struct Overhead {
    /// The bytes added to each packet.
    pub added: u64,
    /// The smallest size in bytes, with the added bytes.
    pub least: u64,
    /// How packets are divided.
    pub framing: Framing,
}

impl Overhead {
    /// Returns the bytes that a packet occupies on the layers below.
    pub fn bytes_of(&self, packet_bytes: u32) -> u64 {
        let bytes = (u64::from(packet_bytes) + self.added).max(self.least);
        match self.framing {
            Framing::Whole => bytes,
            Framing::Atm => bytes.div_ceil(48) * 53,
            Framing::Ptm => bytes + bytes.div_ceil(64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_overhead_of_the_layers_below() {
        let bytes_of = |added, least, framing, bytes| Overhead { added, least, framing }.bytes_of(bytes);
        // Ethernet: 38 bytes more, and at least 84.
        assert_eq!(bytes_of(38, 84, Framing::Whole, 1500), 1538);
        assert_eq!(bytes_of(38, 84, Framing::Whole, 40), 84);
        // PPPoE over ATM with LLC: 40 bytes more; 1540 B are 33 cells (32 * 48 = 1536), an ACK of 40 B two.
        assert_eq!(bytes_of(40, 0, Framing::Atm, 1500), 33 * 53);
        assert_eq!(bytes_of(40, 0, Framing::Atm, 40), 2 * 53);
        // PTM: 1530 B are 23.9 times 64.
        assert_eq!(bytes_of(30, 0, Framing::Ptm, 1500), 1530 + 24);
    }

    #[test]
    fn the_clock_loses_no_fraction() {
        // 1000 B at 7 Mbit/s take 8000 / 7 us = 1,142,857 1/7 ns: seven packets are exactly 8 ms, and none
        // leaves before its time.
        let mut clock = Clock::new(Some(Rate::from_bits_per_second(7_000_000)));
        let ready = std::array::from_fn(|_| {
            clock.advance(1000);
            clock.ready().nanos()
        });
        assert_eq!(ready, [1_142_858, 2_285_715, 3_428_572, 4_571_429, 5_714_286, 6_857_143, 8_000_000]);
    }

    #[test]
    fn a_pause_saves_nothing_and_a_delay_is_made_up_for() {
        // 1 ms a packet. A packet that leaves late, because the link was busy, does not delay the next: its
        // time was 2 ms.
        let ms = |ms: u64| Time::from_nanos(ms * 1_000_000);
        let mut clock = Clock::new(Some(Rate::from_bits_per_second(8_000_000)));
        clock.start(ms(1));
        clock.advance(1000);
        assert_eq!(clock.ready(), ms(2));
        clock.advance(1000);
        assert_eq!(clock.ready(), ms(3));
        clock.start(ms(10));
        assert_eq!(clock.ready(), ms(10));
        clock.start(ms(5));
        assert_eq!(clock.ready(), ms(10));
        // Nor does the fraction of a nanosecond by which a packet was late: 1000 B at 7 Mbit/s take 1,142,857 1/7 ns.
        let mut clock = Clock::new(Some(Rate::from_bits_per_second(7_000_000)));
        clock.advance(1000);
        clock.start(ms(10));
        assert_eq!(clock.ready(), ms(10));
    }
}
