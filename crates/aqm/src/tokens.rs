//! A token bucket: tokens arrive at a rate and are kept up to a depth. A token is worth a byte.

use ackclock_base::declare::{self, Declared};
use ackclock_base::{Range, Rate, Size, Time};

/// The rate at which a discipline's bucket fills; the link's rate if not given.
pub const RATE: Declared<Option<Rate>> =
    declare::rate("none", Range::at_least(1.0), "RFC 2215 section 3.6, r; Jain 2003 section 5.1, rho")
        .about("Rate at which tokens arrive; if omitted, the link's rate");

/// The depth of the bucket.
pub const BURST: Declared<Size> = declare::size(
    "25 kB",
    Range::above(0.0),
    "RFC 2215 section 3.6, b; Jain 2003 section 5.1, sigma; 25 kB are 50 packets of 500 bytes (Jain 2003 section 2.7)",
)
.about("Depth of the token bucket; a packet larger than the bucket never finds enough tokens");

/// The units of a bit, so that a rate in bits per second times a time in nanoseconds is a whole number of
/// them.
const PER_BIT: u128 = 1_000_000_000;
pub(crate) const PER_BYTE: u128 = 8 * PER_BIT;

/// The bucket. It counts in whole numbers, so that rounding never lets a bit too many through.
#[derive(Clone, Debug)]
pub struct Bucket {
    rate: Rate,
    depth: u128,
    level: u128,
    /// The time at which `level` was computed.
    at: Time,
    passed_bytes: u64,
    integral: f64,
    square_integral: f64,
}

impl Bucket {
    /// Creates a bucket that is full at the start of the run.
    pub fn full(rate: Rate, burst: Size) -> Self {
        let depth = u128::from(burst.bytes()) * PER_BYTE;
        Self {
            rate,
            depth,
            level: depth,
            at: Time::ZERO,
            passed_bytes: 0,
            integral: 0.0,
            square_integral: 0.0,
        }
    }

    /// Lets tokens arrive until `now`; tokens that do not fit are lost.
    pub fn refill(&mut self, now: Time) {
        let arrived = u128::from(self.rate.bits_per_second()) * u128::from(now.since(self.at).nanos());
        let before = self.level;
        self.level = self.depth.min(before + arrived);
        self.measure(before, now);
        self.at = self.at.max(now);
    }

    /// Adds the level since the last refill to the integrals: it rose linearly, and may have reached the
    /// depth.
    fn measure(&mut self, before: u128, now: Time) {
        let (low, high) = (bytes(before), bytes(self.level));
        let lasted = now.since(self.at).seconds();
        let rising = ((high - low) / self.rate.bytes_per_second()).min(lasted);
        self.integral += rising * (low + high) / 2.0 + (lasted - rising) * high;
        self.square_integral +=
            rising * (low * low + low * high + high * high) / 3.0 + (lasted - rising) * high * high;
    }

    /// Returns whether a packet of this size conforms.
    pub fn holds(&self, packet_bytes: u32) -> bool {
        u128::from(packet_bytes) * PER_BYTE <= self.level
    }

    /// Takes the tokens of a packet if it conforms. Returns whether it did.
    pub fn take(&mut self, packet_bytes: u32) -> bool {
        let conforms = self.holds(packet_bytes);
        if conforms {
            self.level -= u128::from(packet_bytes) * PER_BYTE;
            self.passed_bytes += u64::from(packet_bytes);
        }
        conforms
    }

    /// Returns whether a packet of this size could ever conform.
    pub fn can_hold(&self, packet_bytes: u32) -> bool {
        u128::from(packet_bytes) * PER_BYTE <= self.depth
    }

    /// Returns the time at which a packet of this size will conform if none is sent before it.
    pub fn conforms_at(&self, packet_bytes: u32) -> Time {
        let missing = (u128::from(packet_bytes) * PER_BYTE).saturating_sub(self.level);
        let rate = u128::from(self.rate.bits_per_second()).max(1);
        let lasts = u64::try_from(missing.div_ceil(rate)).unwrap_or(u64::MAX);
        Time::from_nanos(self.at.nanos().saturating_add(lasts))
    }

    /// Returns the depth in bytes.
    pub fn depth_bytes(&self) -> f64 {
        bytes(self.depth)
    }

    /// Returns the rate at which tokens arrive.
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// Returns the time in which the missing tokens arrive, in seconds.
    pub fn missing_s(&self) -> f64 {
        bytes(self.depth - self.level) / self.rate.bytes_per_second()
    }

    /// Returns the present tokens, in bytes.
    pub fn level_bytes(&self) -> f64 {
        bytes(self.level)
    }

    /// Publishes the rate and depth, the level at the last arrival or departure, the bytes passed, and the
    /// integrals of the level and its square over time, which give the exact mean and deviation between any
    /// two samples.
    pub fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("token_rate_bps", self.rate.bits_per_second() as f64);
        series("bucket_bytes", self.depth_bytes());
        series("tokens_bytes", self.level_bytes());
        series("passed_bytes", self.passed_bytes as f64);
        series("tokens_byte_s", self.integral);
        series("tokens_byte2_s", self.square_integral);
    }
}

fn bytes(level: u128) -> f64 {
    level as f64 / PER_BYTE as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::at;

    /// 8 Mbit/s fill 1000 bytes in a millisecond.
    fn bucket(burst_bytes: u64) -> Bucket {
        Bucket::full(Rate::from_bits_per_second(8_000_000), Size::from_bytes(burst_bytes))
    }

    #[test]
    fn tokens_arrive_at_the_rate_and_stop_at_the_brim() {
        let mut bucket = bucket(10_000);
        assert!(bucket.take(10_000));
        bucket.refill(at(4.0));
        assert_eq!(bucket.level_bytes(), 4000.0);
        bucket.refill(at(100.0));
        assert_eq!(bucket.level_bytes(), 10_000.0);
    }

    #[test]
    fn a_packet_conforms_to_the_nanosecond_when_its_tokens_have_arrived() {
        // Empty at 0; 1500 bytes take 1.5 ms. A nanosecond earlier 8 thousandths of a bit are missing.
        let mut bucket = bucket(2000);
        bucket.take(2000);
        assert_eq!(bucket.conforms_at(1500), Time::from_nanos(1_500_000));
        bucket.refill(Time::from_nanos(1_499_999));
        assert!(!bucket.holds(1500));
        bucket.refill(Time::from_nanos(1_500_000));
        assert!(bucket.take(1500));
        assert_eq!(bucket.level_bytes(), 0.0);
    }

    #[test]
    fn the_mean_level_and_its_square_are_exact() {
        // Empty at 0, 2000 bytes at 2 ms, full until 4 ms. Integral: 2 ms x 1000 + 2 ms x 2000 = 6 byte seconds. Of the
        // square: 2 ms x 2000^2 / 3 + 2 ms x 2000^2 = 8000 x 4 / 3 = 10666.7.
        let mut bucket = bucket(2000);
        bucket.take(2000);
        bucket.refill(at(4.0));
        assert!((bucket.integral - 6.0).abs() < 1e-9, "{}", bucket.integral);
        assert!((bucket.square_integral - 32_000.0 / 3.0).abs() < 1e-6, "{}", bucket.square_integral);
    }
}
