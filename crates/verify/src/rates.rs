//! Describes how fast a link sends, and checks whether a transmission took as long as its bits need.
//!
//! Amounts of data are counted in nanobits, a rate in bit/s times a time in nanoseconds, so that all amounts
//! are integers.

use crate::outage::Outage;
use crate::over_time::OverTime;
use ackclock_base::{Rate, Span, Time};

/// The sending rate of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SendingRate {
    /// The link always has this rate.
    Constant(Rate),
    /// The rate changes, or the link has outages.
    Varying(VaryingRate),
}

/// A rate of a link that changes at known instants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VaryingRate {
    /// The rate over time.
    pub rates: OverTime<Rate>,
    /// How a change of the rate affects the packet that is being sent.
    pub applies: ChangeApplies,
    /// The times in which nothing is sent; `None` if the link always works.
    pub outage: Option<Outage>,
}

/// Says how a change of the rate affects the packet that is being sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeApplies {
    /// The remaining bits are sent at the new rate; while it is zero, they wait.
    BitByBit,
    /// The rate of a millisecond gives the bits that may be sent in the instant in which the millisecond ends, by the packet that is
    /// being sent and those that wait behind it.
    AtEndsOfMilliseconds,
}

/// The number of nanobits in a bit.
const NANOBITS: u128 = 1_000_000_000;

impl SendingRate {
    /// Checks that a transmission took as long as its bits need. Returns an error that says what is wrong.
    pub(crate) fn check(&self, sent: &Sent, spare: &mut Spare) -> Result<(), String> {
        let Sent { starts, ends, bytes, .. } = *sent;
        let needed = u128::from(bytes) * 8 * NANOBITS;
        match self {
            Self::Constant(rate) => {
                let takes = at_constant_rate(needed, *rate);
                if ends.since(starts) == takes {
                    Ok(())
                } else {
                    Err(format!("its bits need {takes} at the link's rate"))
                }
            }
            Self::Varying(rate) => match rate.applies {
                ChangeApplies::BitByBit => rate.check(starts, ends, needed),
                ChangeApplies::AtEndsOfMilliseconds => rate.check_instants(sent, needed, spare),
            },
        }
    }
}

/// A transmission that has ended.
#[derive(Clone, Copy)]
pub(crate) struct Sent {
    /// The time at which it started.
    pub starts: Time,
    /// The time at which it ended.
    pub ends: Time,
    /// The bytes that were sent.
    pub bytes: u64,
    /// Whether the packet was offered before its transmission started.
    pub waited: bool,
}

/// The nanobits that may still be sent at the instant at which the last transmission ended.
#[derive(Clone, Copy, Default)]
pub(crate) struct Spare {
    at: Time,
    nanobits: u128,
}

/// Returns how long `needed` nanobits take at a constant rate, rounded to the nearest nanosecond (a half is rounded up) and at
/// least one.
fn at_constant_rate(needed: u128, rate: Rate) -> Span {
    let rate = u128::from(rate.bits_per_second());
    let nanos = (needed + rate / 2).checked_div(rate).unwrap_or(u128::MAX).max(1);
    Span::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}

/// A transmission over a link whose rate varies.
#[derive(Clone, Copy)]
struct Transmission<'a> {
    link: &'a VaryingRate,
    starts: Time,
}

impl VaryingRate {
    fn check(&self, starts: Time, ends: Time, needed: u128) -> Result<(), String> {
        let transmission = Transmission { link: self, starts };
        let sent = transmission.sent_by(ends);
        if transmission.may_end(ends, sent, needed) {
            return Ok(());
        }
        let bits = |nanobits: u128| nanobits as f64 / NANOBITS as f64;
        Err(format!(
            "the link's rate allows {} bits between the recorded start and end, but the packet has {} bits",
            bits(sent),
            bits(needed)
        ))
    }

    /// Checks a transmission whose bits go at the ends of milliseconds. What is spare at its start belongs to it if it waited.
    fn check_instants(&self, sent: &Sent, needed: u128, spare: &mut Spare) -> Result<(), String> {
        const MS: u64 = 1_000_000;
        let mut at = sent.starts;
        let mut could = if sent.waited && spare.at == at { spare.nanobits } else { 0 };
        while could < needed && at < sent.ends {
            let begins = Time::from_nanos(at.nanos() / MS * MS);
            at = begins + Span::from_nanos(MS);
            could += u128::from(self.rates.at(begins).bits_per_second()) * u128::from(MS);
        }
        *spare = Spare { at, nanobits: could.saturating_sub(needed) };
        if could < needed {
            return Err("its bits need more time at the link's rate".to_owned());
        }
        if at == sent.ends { Ok(()) } else { Err(format!("its last bits are due at {at}")) }
    }
}

impl Transmission<'_> {
    /// Returns whether the transmission of `needed` nanobits may end at `ends`, by when `sent` could be sent.
    ///
    /// Its bits are done at an exact instant, which is not a whole number of nanoseconds in general, and the end is the
    /// nearest nanosecond. All changes are at whole nanoseconds, so there is one rate between the exact instant and the
    /// nearest nanosecond: the rate just before the end if the end is the later of the two, and the rate from the end on if it
    /// is the earlier.
    ///
    /// Where the rate falls at the end, a link may also go by the rate just before it: less than half a nanosecond of that
    /// is missing. And where the link has an outage from the end on, what is missing would be sent when the outage is over,
    /// at the rate of that instant.
    fn may_end(&self, ends: Time, sent: u128, needed: u128) -> bool {
        if ends <= self.starts || sent == 0 {
            return false;
        }
        let just_before = ends - Span::from_nanos(1);
        let before = self.rate_at(just_before);
        if sent >= needed {
            // With a rate of zero before, all was sent earlier than that. A nanosecond of sending is the least.
            let takes_the_least = self.sent_by(just_before) == 0;
            return before > 0 && (takes_the_least || sent - needed <= before / 2);
        }
        let outage_ends = self.link.outage.and_then(|outage| outage.end_of_current(ends));
        let after = match outage_ends {
            Some(resumes) if before > 0 => self.rate_at(resumes),
            _ => self.rate_at(ends),
        };
        needed - sent < before.max(after).div_ceil(2)
    }

    /// Returns the nanobits that can be sent from the start of the transmission to `ends`.
    fn sent_by(&self, ends: Time) -> u128 {
        let (mut now, mut sent) = (self.starts, 0_u128);
        while now < ends {
            let until = self.next_change(now).min(ends);
            sent = sent.saturating_add(self.rate_at(now) * u128::from(until.since(now).nanos()));
            now = until;
        }
        sent
    }

    /// Returns the bits per second in the nanosecond that begins at `at`; zero in an outage.
    fn rate_at(&self, at: Time) -> u128 {
        if self.link.outage.is_some_and(|outage| outage.end_of_current(at).is_some()) {
            return 0;
        }
        u128::from(self.link.rates.at(at).bits_per_second())
    }

    /// Returns the first instant after `at` at which the rate of the transmission may change.
    fn next_change(&self, at: Time) -> Time {
        let rate = self.link.rates.next_change(at);
        self.link.outage.map_or(rate, |outage| rate.min(outage.next_change(at)))
    }
}

#[cfg(test)]
mod tests;
