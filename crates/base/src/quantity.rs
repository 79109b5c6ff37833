//! Time, rates and sizes. Time is integer nanoseconds, rates are bits per second, so that the same run gives the
//! same numbers on every machine.

use std::fmt;
use std::ops::{Add, AddAssign, Div, Mul, Sub};

/// A congestion window or part of one, counted in packets (segments). Real-valued, because every window law grows
/// by fractions of a packet.
pub type Packets = f64;

/// A value, but no less than a bound, which is not NaN: as `f64::max`, which takes six instructions where this takes one, since
/// there either may be NaN.
#[inline]
pub fn at_least(value: f64, least: f64) -> f64 {
    if value > least { value } else { least }
}

/// A value, but no more than a bound, which is not NaN: as `f64::min`.
#[inline]
pub fn at_most(value: f64, most: f64) -> f64 {
    if value < most { value } else { most }
}

/// An instant: nanoseconds since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

/// A length of time in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(u64);

const NANOSECONDS_PER_SECOND: f64 = 1e9;

impl Time {
    /// The start of a run.
    pub const ZERO: Self = Self(0);
    /// Later than everything; what a timer that is off shows.
    pub const NEVER: Self = Self(u64::MAX);

    /// The instant `ns` nanoseconds after the start.
    pub const fn from_nanos(ns: u64) -> Self {
        Self(ns)
    }

    /// The instant `seconds` after the start, rounded to a nanosecond.
    pub fn from_seconds(seconds: f64) -> Self {
        Self(nearest(seconds * NANOSECONDS_PER_SECOND))
    }

    /// Nanoseconds since the start.
    pub const fn nanos(self) -> u64 {
        self.0
    }

    /// Seconds since the start.
    pub fn seconds(self) -> f64 {
        self.0 as f64 / NANOSECONDS_PER_SECOND
    }

    /// The time that has passed since `earlier`; zero if `earlier` is later.
    pub const fn since(self, earlier: Self) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
}

impl Span {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// Longer than every run.
    pub const MAX: Self = Self(u64::MAX);

    /// A span of `ns` nanoseconds.
    pub const fn from_nanos(ns: u64) -> Self {
        Self(ns)
    }

    /// A span of `ms` milliseconds.
    pub const fn from_millis(ms: u64) -> Self {
        Self(ms * 1_000_000)
    }

    /// A span of `seconds`, rounded to a nanosecond; negative values become zero.
    pub fn from_seconds(seconds: f64) -> Self {
        Self(nearest(seconds * NANOSECONDS_PER_SECOND))
    }

    /// Nanoseconds.
    pub const fn nanos(self) -> u64 {
        self.0
    }

    /// Seconds.
    pub fn seconds(self) -> f64 {
        self.0 as f64 / NANOSECONDS_PER_SECOND
    }

    /// Milliseconds.
    pub fn millis(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// The span times a real factor, rounded to a nanosecond.
    pub fn scale(self, factor: f64) -> Self {
        Self(nearest(self.0 as f64 * factor))
    }

    /// The difference, or zero if `other` is longer.
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// The distance between two spans, whichever is longer.
    pub const fn abs_diff(self, other: Self) -> Self {
        Self(self.0.abs_diff(other.0))
    }
}

impl Add<Span> for Time {
    type Output = Self;
    fn add(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

impl AddAssign<Span> for Time {
    fn add_assign(&mut self, span: Span) {
        *self = *self + span;
    }
}

impl Sub<Span> for Time {
    type Output = Self;
    fn sub(self, span: Span) -> Self {
        Self(self.0.saturating_sub(span.0))
    }
}

impl Add for Span {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Span {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Mul<u64> for Span {
    type Output = Self;
    fn mul(self, factor: u64) -> Self {
        Self(self.0.saturating_mul(factor))
    }
}

impl Div<u64> for Span {
    type Output = Self;
    fn div(self, divisor: u64) -> Self {
        Self(self.0 / divisor)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:.9} s", self.seconds())
    }
}

impl fmt::Display for Span {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&crate::spelling::write_span(*self))
    }
}

/// The nearest whole number; zero for what is negative. (`f64::round` would be a call into the mathematics library.)
#[inline]
fn nearest(number: f64) -> u64 {
    (number + 0.5) as u64
}

/// A rate in bits per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(u64);

impl Rate {
    /// A rate of `bits` per second.
    pub const fn from_bits_per_second(bits: u64) -> Self {
        Self(bits)
    }

    /// Bits per second.
    pub const fn bits_per_second(self) -> u64 {
        self.0
    }

    /// Bytes per second.
    pub fn bytes_per_second(self) -> f64 {
        self.0 as f64 / 8.0
    }

    /// How long `size` takes at this rate, rounded to a nanosecond and at least one, so that time always moves on.
    pub fn time_to_send(self, size: Size) -> Span {
        let nanoseconds = size.bytes() as f64 * 8.0 * NANOSECONDS_PER_SECOND / self.0 as f64;
        Span(nearest(nanoseconds).max(1))
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&crate::spelling::write_rate(*self))
    }
}

/// A size in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Size(u64);

impl Size {
    /// A size of `bytes`.
    pub const fn from_bytes(bytes: u64) -> Self {
        Self(bytes)
    }

    /// Bytes.
    pub const fn bytes(self) -> u64 {
        self.0
    }
}

impl Add for Size {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_of_1040_bytes_takes_8_32_ms_at_1_mbit() {
        // 1040 B * 8 bit/B / 1e6 bit/s = 8.32 ms
        let rate = Rate::from_bits_per_second(1_000_000);
        assert_eq!(rate.time_to_send(Size::from_bytes(1040)), Span::from_nanos(8_320_000));
    }

    #[test]
    fn sending_always_takes_time() {
        let rate = Rate::from_bits_per_second(1_000_000_000_000);
        assert_eq!(rate.time_to_send(Size::from_bytes(1)), Span::from_nanos(1));
    }

    #[test]
    fn never_stays_never() {
        assert_eq!(Time::NEVER + Span::from_millis(1), Time::NEVER);
        assert_eq!(Time::ZERO - Span::from_millis(1), Time::ZERO);
    }

    #[test]
    fn a_bounded_number_is_that_of_max_and_min_and_what_is_none_is_the_bound() {
        let numbers = [f64::NEG_INFINITY, -1.0, 0.0, 2.5, f64::INFINITY];
        for (value, bound) in numbers.iter().flat_map(|value| numbers.map(|bound| (*value, bound))) {
            assert_eq!((at_least(value, bound), at_most(value, bound)), (value.max(bound), value.min(bound)));
        }
        assert_eq!((at_least(f64::NAN, 1.0), at_most(f64::NAN, 1.0)), (1.0, 1.0));
    }
}
