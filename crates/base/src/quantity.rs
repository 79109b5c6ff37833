//! Types for time, rates and sizes. Time counts nanoseconds and rates count bits per second, in integers, so
//! that a run gives the same numbers on every machine.

use std::fmt;
use std::ops::{Add, AddAssign, Div, Mul, Sub};

/// A congestion window or part of one, in packets (segments). It is a real number because all window laws
/// grow by fractions of a packet.
pub type Packets = f64;

/// Returns the greater of a value and a bound; the bound if the value is NaN. The bound must not be NaN: with
/// that condition the function compiles to one instruction, where `f64::max` takes six.
#[inline]
pub fn at_least(value: f64, least: f64) -> f64 {
    if value > least { value } else { least }
}

/// Returns the lesser of a value and a bound; the bound if the value is NaN. The bound must not be NaN.
#[inline]
pub fn at_most(value: f64, most: f64) -> f64 {
    if value < most { value } else { most }
}

/// An instant, in nanoseconds since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

/// A length of time in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(u64);

const NANOSECONDS_PER_SECOND: f64 = 1e9;

impl Time {
    /// The start of a run.
    pub const ZERO: Self = Self(0);
    /// An instant later than all others; a timer that is off has this time.
    pub const NEVER: Self = Self(u64::MAX);

    /// Returns the instant `ns` nanoseconds after the start.
    pub const fn from_nanos(ns: u64) -> Self {
        Self(ns)
    }

    /// Returns the instant `seconds` after the start, rounded to a nanosecond.
    pub fn from_seconds(seconds: f64) -> Self {
        Self(nearest(seconds * NANOSECONDS_PER_SECOND))
    }

    /// Returns the number of nanoseconds since the start.
    pub const fn nanos(self) -> u64 {
        self.0
    }

    /// Returns the number of seconds since the start.
    pub fn seconds(self) -> f64 {
        self.0 as f64 / NANOSECONDS_PER_SECOND
    }

    /// Returns the time that has passed since `earlier`; zero if `earlier` is later.
    pub const fn since(self, earlier: Self) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
}

impl Span {
    /// The span of zero length.
    pub const ZERO: Self = Self(0);
    /// The longest span, longer than every run.
    pub const MAX: Self = Self(u64::MAX);

    /// Returns a span of `ns` nanoseconds.
    pub const fn from_nanos(ns: u64) -> Self {
        Self(ns)
    }

    /// Returns a span of `ms` milliseconds.
    pub const fn from_millis(ms: u64) -> Self {
        Self(ms * 1_000_000)
    }

    /// Returns a span of `seconds`, rounded to a nanosecond; zero if `seconds` is negative.
    pub fn from_seconds(seconds: f64) -> Self {
        Self(nearest(seconds * NANOSECONDS_PER_SECOND))
    }

    /// Returns the length in nanoseconds.
    pub const fn nanos(self) -> u64 {
        self.0
    }

    /// Returns the length in seconds.
    pub fn seconds(self) -> f64 {
        self.0 as f64 / NANOSECONDS_PER_SECOND
    }

    /// Returns the length in milliseconds.
    pub fn millis(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// Returns the span times a real factor, rounded to a nanosecond.
    pub fn scale(self, factor: f64) -> Self {
        Self(nearest(self.0 as f64 * factor))
    }

    /// Returns the span minus `other`; zero if `other` is longer.
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// Returns the absolute difference between two spans.
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

/// Returns the nearest whole number; zero if the number is negative. (`f64::round` would call the mathematics
/// library.)
#[inline]
fn nearest(number: f64) -> u64 {
    (number + 0.5) as u64
}

/// A rate in bits per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(u64);

impl Rate {
    /// Returns a rate of `bits` per second.
    pub const fn from_bits_per_second(bits: u64) -> Self {
        Self(bits)
    }

    /// Returns the rate in bits per second.
    pub const fn bits_per_second(self) -> u64 {
        self.0
    }

    /// Returns the rate in bytes per second.
    pub fn bytes_per_second(self) -> f64 {
        self.0 as f64 / 8.0
    }

    /// Returns the time that a link of this rate needs to send `size`. It is rounded to a nanosecond and is
    /// at least one nanosecond, so that time always advances.
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
    /// Returns a size of `bytes`.
    pub const fn from_bytes(bytes: u64) -> Self {
        Self(bytes)
    }

    /// Returns the size in bytes.
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
    fn adding_to_never_and_subtracting_below_zero_saturate() {
        assert_eq!(Time::NEVER + Span::from_millis(1), Time::NEVER);
        assert_eq!(Time::ZERO - Span::from_millis(1), Time::ZERO);
    }

    #[test]
    fn bounds_agree_with_max_and_min_and_replace_nan() {
        let numbers = [f64::NEG_INFINITY, -1.0, 0.0, 2.5, f64::INFINITY];
        for (value, bound) in numbers.iter().flat_map(|value| numbers.map(|bound| (*value, bound))) {
            assert_eq!((at_least(value, bound), at_most(value, bound)), (value.max(bound), value.min(bound)));
        }
        assert_eq!((at_least(f64::NAN, 1.0), at_most(f64::NAN, 1.0)), (1.0, 1.0));
    }
}
