//! How long a link takes to send a packet: its bits over the link's rate, which may change over time; and which rate it has
//! now, for those who must not know the next.

use crate::opportunities::Left;
use crate::outage::Outage;
use crate::timeline::{Present, Timeline};
use ackclock_base::{Rate, Size, Span, Time};

/// How the rate of a link changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changes {
    /// The rate over time. One that repeats is not zero all the time, and one that lasts is not zero in the end.
    pub rates: Timeline<Rate>,
    /// How a change applies to the bits that are being sent.
    pub manner: Manner,
    /// When nothing is sent.
    pub outage: Option<Outage>,
    /// What a router goes by that cannot follow the rate, or sees it at zero.
    pub nominal: Rate,
}

/// What a change of the rate means to the packet that is being sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// The rest of its bits take the new rate; where that is zero, they wait.
    BitByBit,
    /// The same, and the rate changes faster than a router could follow.
    Fluctuating,
    /// The bits of each millisecond are sent in the instant in which it ends, as mahimahi's `mm-link` does: the
    /// [opportunities](crate::opportunities) of a trace. A router cannot follow them either.
    Opportunities {
        /// How many of the opportunities at the end of a round its file has at the instant zero.
        at_zero: u64,
    },
}

/// Transmission times by size; packets come in few sizes, so the last answers are kept.
///
/// All changes are known in advance, so a link whose rate changes needs no events either.
#[repr(C)]
pub struct Transmission {
    /// Sizes and times, the one asked for last first.
    recent: [(u32, Span); 2],
    /// Until when those hold: for ever on a link with one rate, not beyond one packet where the rate changes.
    until: Time,
    rate: Rate,
    varying: Option<Box<Varying>>,
}

/// What only a link has whose rate changes.
struct Varying {
    changes: Changes,
    left: Left,
}

impl Transmission {
    /// At `rate`, or as it changes.
    pub fn new(rate: Rate, changes: Option<Changes>) -> Self {
        let until = if changes.is_none() { Time::NEVER } else { Time::ZERO };
        let varying = changes.map(|changes| Box::new(Varying { changes, left: Left::default() }));
        Self { recent: [(0, Span::ZERO); 2], until, rate, varying }
    }

    /// Whether the rate changes.
    #[inline]
    pub fn varies(&self) -> bool {
        self.varying.is_some()
    }

    /// The rate at an instant, as far as a router can know it.
    pub fn rate_at(&self, now: Time) -> Rate {
        self.varying.as_ref().map_or(self.rate, |varying| varying.changes.known(now))
    }

    /// How much is left of a transmission that ends at `sent`, as far as a router can know it: not how long an outage lasts.
    pub fn rest_at(&self, now: Time, sent: Time) -> Span {
        let rest = sent.since(now);
        let most = |varying: &Varying| varying.changes.known(now).time_to_send(FULL_PACKET);
        self.varying.as_deref().map_or(rest, |varying| rest.min(most(varying)))
    }

    /// Spreads the bits of each millisecond evenly over it where a trace has them at its end: the stations of a medium take turns for
    /// any time, and opportunities would have to come in turns of the medium.
    pub fn spread(&mut self) {
        if let Some(varying) = &mut self.varying
            && let Manner::Opportunities { .. } = varying.changes.manner
        {
            varying.changes.manner = Manner::Fluctuating;
        }
    }

    /// How long so many bytes take if it is known without looking: if the last packet had as many, at a rate that does not
    /// change.
    #[inline]
    pub fn time_of_same(&self, bytes: u32) -> Option<Span> {
        debug_assert!(!self.varies());
        (self.recent[0].0 == bytes).then_some(self.recent[0].1)
    }

    /// Returns how long a packet of `bytes` takes that arrived at `starts` and is sent at once. Starts are asked for in order.
    #[inline]
    pub fn time(&mut self, starts: Time, bytes: u32) -> Span {
        self.time_of(starts, starts, bytes)
    }

    /// Returns how long a packet of `bytes` takes that arrived at `arrived` and is sent from `starts` on. Starts are asked for in order.
    #[inline]
    pub fn time_of(&mut self, arrived: Time, starts: Time, bytes: u32) -> Span {
        if self.recent[0].0 != bytes || starts >= self.until {
            self.look_up(arrived, starts, bytes);
        }
        self.recent[0].1
    }

    #[inline(never)]
    fn look_up(&mut self, arrived: Time, starts: Time, bytes: u32) {
        if let Some(varying) = &mut self.varying {
            self.recent[0] = (bytes, varying.takes(arrived, starts, bytes));
            return;
        }
        self.recent.swap(0, 1);
        if self.recent[0].0 != bytes {
            self.recent[0] = (bytes, self.rate.time_to_send(Size::from_bytes(u64::from(bytes))));
        }
    }
}

impl Varying {
    #[cold]
    fn takes(&mut self, arrived: Time, starts: Time, bytes: u32) -> Span {
        let Self { changes, left } = self;
        match changes.manner {
            Manner::Opportunities { .. } => {
                left.send(&changes.rates, arrived, starts, u64::from(bytes)).since(starts)
            }
            Manner::BitByBit | Manner::Fluctuating => changes.takes(starts, bytes),
        }
    }
}

/// What is left of the packet being sent is at most this much.
const FULL_PACKET: Size = Size::from_bytes(1500);

impl Changes {
    fn known(&self, now: Time) -> Rate {
        let rate = self.rates.at(now);
        let unknown = self.manner != Manner::BitByBit || rate == Rate::default();
        if unknown { self.nominal } else { rate }
    }

    /// How long so many bytes take that start at `starts`. Work is counted in bits times 10^9, which is bit/s times
    /// nanoseconds; the end is rounded to a nanosecond, and the link works for at least one.
    fn takes(&self, starts: Time, bytes: u32) -> Span {
        let bits = u128::from(bytes) * 8 * 1_000_000_000;
        let (mut left, mut now) = (bits, starts);
        loop {
            now = self.works_from(now);
            let Present { value, until } = self.rates.present(now);
            let rate = u128::from(value.bits_per_second());
            let works = self.outage.map_or(until.since(now), |outage| outage.works(now, until));
            // A packet takes a nanosecond of work at least, even one whose bits take less than half of that: else it would be sent in an
            // outage.
            let least = u128::from(left == bits);
            let needs = (left + rate / 2).checked_div(rate).map(|needs| needs.max(least));
            let needs = needs.and_then(|needs| u64::try_from(needs).ok());
            if let Some(needs) = needs.map(Span::from_nanos).filter(|needs| *needs <= works) {
                // No work is done by the beginning of an outage, too, whose end is `now`.
                let ends = self.outage.map_or(now + needs, |outage| outage.after(now, needs).max(now));
                return ends.since(starts);
            }
            if until == Time::NEVER {
                return Span::MAX;
            }
            left -= (rate * u128::from(works.nanos())).min(left);
            now = until;
        }
    }
}

impl Changes {
    /// The first instant from `now` on that lies outside outages. A rate that holds only within one sends nothing.
    fn works_from(&self, now: Time) -> Time {
        let nanosecond = Span::from_nanos(1);
        self.outage.map_or(now, |outage| outage.after(now, nanosecond) - nanosecond)
    }
}

#[cfg(test)]
mod tests;
