//! Transmission times: a packet's bits over the link's rate, which may change over time, and the present rate
//! for components that must not know the next one.

use crate::opportunities::Left;
use crate::outage::Outage;
use crate::timeline::{Present, Timeline};
use ackclock_base::{Rate, Size, Span, Time};

/// The changes of a link's rate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changes {
    /// The rate over time. A repeating rate is not always zero, and one that does not repeat is not zero at
    /// the end.
    pub rates: Timeline<Rate>,
    /// The way in which a change applies to the bits being sent.
    pub manner: Manner,
    /// The times at which nothing is sent.
    pub outage: Option<Outage>,
    /// The rate that a router uses if it cannot follow the rate, or if the rate is zero.
    pub nominal: Rate,
}

/// The effect of a rate change on the packet being sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// The remaining bits are sent at the new rate. If that is zero, they wait.
    BitByBit,
    /// The remaining bits are sent at the new rate, and the rate changes faster than a router could follow.
    Fluctuating,
    /// The bits of each millisecond are sent at its end, as mahimahi's `mm-link` does: the
    /// [opportunities](crate::opportunities) of a trace. A router cannot follow them either.
    Opportunities {
        /// The number of opportunities that the trace file puts at time zero. Here they count at the end of a
        /// round.
        at_zero: u64,
    },
}

/// The transmission times of a link by packet size. Packets come in few sizes, so the last two results are
/// kept.
///
/// All changes are known in advance, so a link whose rate changes needs no events either.
#[repr(C)]
pub struct Transmission {
    /// Sizes and transmission times, the most recently used first.
    recent: [(u32, Span); 2],
    /// The time before which `recent` may be used: [`Time::NEVER`] on a link with a constant rate; zero if
    /// the rate changes, so that each packet is computed anew.
    until: Time,
    rate: Rate,
    varying: Option<Box<Varying>>,
}

/// The state that only a link with a changing rate has.
struct Varying {
    changes: Changes,
    left: Left,
}

impl Transmission {
    /// Creates the transmission times of a link with the constant rate `rate`, or with `changes` instead.
    pub fn new(rate: Rate, changes: Option<Changes>) -> Self {
        let until = if changes.is_none() { Time::NEVER } else { Time::ZERO };
        let varying = changes.map(|changes| Box::new(Varying { changes, left: Left::default() }));
        Self { recent: [(0, Span::ZERO); 2], until, rate, varying }
    }

    /// Returns whether the rate changes or the link has outages.
    #[inline]
    pub fn varies(&self) -> bool {
        self.varying.is_some()
    }

    /// Returns the rate at `now` as far as a router can know it.
    pub fn rate_at(&self, now: Time) -> Rate {
        self.varying.as_ref().map_or(self.rate, |varying| varying.changes.known(now))
    }

    /// Returns the remaining time at `now` of a transmission that ends at `sent`, as far as a router can know
    /// it. If the rate changes, that is no more than a packet of 1500 B takes at the known rate, since a
    /// router does not know how long an outage lasts.
    pub fn rest_at(&self, now: Time, sent: Time) -> Span {
        let rest = sent.since(now);
        let most = |varying: &Varying| varying.changes.known(now).time_to_send(FULL_PACKET);
        self.varying.as_deref().map_or(rest, |varying| rest.min(most(varying)))
    }

    /// Spreads the bits of each millisecond evenly over it if a trace has them at its end. Turns of a medium
    /// take any time, so opportunities cannot be used on a medium.
    pub fn spread(&mut self) {
        if let Some(varying) = &mut self.varying
            && let Manner::Opportunities { .. } = varying.changes.manner
        {
            varying.changes.manner = Manner::Fluctuating;
        }
    }

    /// Returns the transmission time of a packet of `bytes` bytes that arrives at `starts` and is sent at
    /// once. Calls must be in order of `starts`.
    #[inline]
    pub fn time(&mut self, starts: Time, bytes: u32) -> Span {
        self.time_of(starts, starts, bytes)
    }

    /// Returns the transmission time of a packet of `bytes` bytes that arrived at `arrived` and is sent from
    /// `starts` on. Calls must be in order of `starts`.
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

/// The upper limit of the rest of a packet being sent, as a router assumes it.
const FULL_PACKET: Size = Size::from_bytes(1500);

impl Changes {
    fn known(&self, now: Time) -> Rate {
        let rate = self.rates.at(now);
        let unknown = self.manner != Manner::BitByBit || rate == Rate::default();
        if unknown { self.nominal } else { rate }
    }

    /// Returns the transmission time of `bytes` bytes sent from `starts` on; [`Span::MAX`] if they are never
    /// sent. Work is counted in bits times 10^9, which is bit/s times nanoseconds. The end is rounded to a
    /// nanosecond, and the link works for at least one.
    fn takes(&self, starts: Time, bytes: u32) -> Span {
        let bits = u128::from(bytes) * 8 * 1_000_000_000;
        let (mut left, mut now) = (bits, starts);
        loop {
            now = self.works_from(now);
            let Present { value, until } = self.rates.present(now);
            let rate = u128::from(value.bits_per_second());
            let works = self.outage.map_or(until.since(now), |outage| outage.works(now, until));
            // A packet of which nothing has been sent takes at least a nanosecond of work, even if its bits
            // take less than half of that. Otherwise it would be sent during an outage.
            let least = u128::from(left == bits);
            let needs = (left + rate / 2).checked_div(rate).map(|needs| needs.max(least));
            let needs = needs.and_then(|needs| u64::try_from(needs).ok());
            if let Some(needs) = needs.map(Span::from_nanos).filter(|needs| *needs <= works) {
                // If no work is needed at the end of an outage, `after` may return the beginning of that
                // outage.
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
    /// Returns the first time from `now` on that lies outside outages. If the rate changes during an outage,
    /// the caller uses the rate that holds at its end.
    fn works_from(&self, now: Time) -> Time {
        let nanosecond = Span::from_nanos(1);
        self.outage.map_or(now, |outage| outage.after(now, nanosecond) - nanosecond)
    }
}

#[cfg(test)]
mod tests;
