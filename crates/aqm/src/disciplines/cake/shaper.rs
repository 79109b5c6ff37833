//! The shaper: a virtual clock that each packet moves on by what it takes at the rate, with what the layers below add to it (Linux,
//! sch_cake.c, cake_advance_shaper and cake_calc_overhead). There is no bucket and no burst: a packet is late or on time, and one
//! that is late does not delay the next.

use ackclock_base::{Rate, Time, choice};

/// The virtual clock.
#[derive(Clone, Debug)]
pub struct Clock {
    rate: Option<Rate>,
    /// When the next packet may go, rounded down.
    next: Time,
    /// What was lost by rounding, in bits at the rate times nanoseconds: less than one nanosecond.
    rest: u128,
}

impl Clock {
    /// Creates a clock that lets a packet go at once.
    pub fn new(rate: Option<Rate>) -> Self {
        Self { rate, next: Time::ZERO, rest: 0 }
    }

    /// Called when the first packet arrives after a pause: what was not sent meanwhile is lost.
    pub fn start(&mut self, now: Time) {
        if self.next < now {
            (self.next, self.rest) = (now, 0);
        }
    }

    /// Returns when the next packet may go: never before the bytes before it have had their time at the rate.
    pub fn ready(&self) -> Time {
        if self.rest == 0 { self.next } else { Time::from_nanos(self.next.nanos().saturating_add(1)) }
    }

    /// Moves the clock on by a packet.
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
    /// How the layers below cut packets up.
    pub enum Framing {
        /// Not at all.
        Whole = "noatm",
        /// Into cells of 53 bytes, of which 48 are the packet's.
        Atm = "atm",
        /// With a byte more for each 64 or part of them (VDSL2's 64b/65b encapsulation).
        Ptm = "ptm",
    }
}

/// What the layers below add.
#[derive(Clone, Copy, Debug)]
pub struct Overhead {
    /// Bytes with each packet.
    pub added: u64,
    /// The least size, in bytes, with those.
    pub least: u64,
    /// How packets are cut up.
    pub framing: Framing,
}

impl Overhead {
    /// Returns what a packet takes on the layers below.
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
    fn what_the_layers_below_add() {
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
        // 1000 B at 7 Mbit/s take 8000 / 7 us = 1,142,857 1/7 ns: seven of them are 8 ms exactly, and none goes before its time.
        let mut clock = Clock::new(Some(Rate::from_bits_per_second(7_000_000)));
        let ready = std::array::from_fn(|_| {
            clock.advance(1000);
            clock.ready().nanos()
        });
        assert_eq!(ready, [1_142_858, 2_285_715, 3_428_572, 4_571_429, 5_714_286, 6_857_143, 8_000_000]);
    }

    #[test]
    fn a_pause_saves_nothing_and_a_delay_is_made_up_for() {
        // 1 ms a packet. One that leaves late, because the link was busy, does not delay the next: its time was 2 ms.
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
    }
}
