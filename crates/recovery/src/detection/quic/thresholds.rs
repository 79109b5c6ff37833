//! The thresholds by which a packet may fall behind later ones before it is lost (RFC 9002 section 6.1),
//! fixed or adapted to reordering.
//!
//! RFC 9002 section 6.1.1 expects algorithms that raise the threshold after spurious losses to be as useful
//! in QUIC as in TCP, and specifies none. This one is from google/quiche, Chromium's QUIC
//! (`GeneralLossAlgorithm`, `SpuriousLossDetected`), with both adaptive thresholds: each grows until the late
//! packet would not have been marked lost, and stays so for the rest of the connection.

use ackclock_base::Span;

/// The fraction of the round trip that the first spurious loss adds to the wait if nothing was added before.
const FIRST_EXTRA: f64 = 0.125;

/// The maximum fraction of the round trip that is added. google/quiche shifts the round trip right by no less
/// than zero bits: a packet is lost at most two round trips after it was sent.
const MOST_EXTRA: f64 = 1.0;

/// The packet threshold and the time threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// kPacketThreshold (section 6.1.1): a packet is lost when a packet sent this many numbers later is
    /// acknowledged.
    pub packets: u64,
    /// kTimeThreshold (section 6.1.2): a packet is lost this many round trips after it was sent, once a later
    /// packet is acknowledged.
    pub round_trips: f64,
    /// Whether spurious losses raise both thresholds.
    pub adaptive: bool,
}

impl Thresholds {
    //= RFC 9002 section 6.1.1: the packet threshold is 3
    /// The thresholds that RFC 9002 recommends.
    pub const RFC: Self = Self { packets: 3, round_trips: 1.125, adaptive: false };

    /// Returns how long after it was sent a packet is lost, once a later packet is acknowledged: `round_trips`
    /// times `longest`, which is the longer of the smoothed and the latest round trip. The caller applies
    /// kGranularity.
    pub(super) fn delay(&self, longest: Span) -> Span {
        longest + Span::from_nanos((longest.nanos() as f64 * self.extra()) as u64)
    }

    /// Called when a packet that was marked lost is acknowledged `took` after it was sent. At that time the
    /// largest acknowledged packet was `distance` - 1 numbers later.
    #[cold]
    pub(super) fn adapt(&mut self, distance: u64, took: Span, longest: Span) {
        if !self.adaptive {
            return;
        }
        self.packets = self.packets.max(distance);
        while self.delay(longest) < took && self.extra() < MOST_EXTRA {
            self.round_trips = 1.0 + (2.0 * self.extra()).clamp(FIRST_EXTRA, MOST_EXTRA);
        }
    }

    fn extra(&self) -> f64 {
        self.round_trips - 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Span = Span::from_millis(80);

    #[test]
    fn the_wait_is_nine_eighths_of_the_round_trip_to_the_nanosecond_below() {
        assert_eq!(Thresholds::RFC.delay(RTT), Span::from_millis(90));
        // An eighth of 8 * 10^6 + 7 ns is 10^6 ns and seven eighths of a nanosecond, which are dropped.
        assert_eq!(Thresholds::RFC.delay(Span::from_nanos(8_000_007)), Span::from_nanos(9_000_007));
    }

    #[test]
    fn fixed_thresholds_stay() {
        let mut fixed = Thresholds::RFC;
        fixed.adapt(100, RTT * 2, RTT);
        assert_eq!(fixed, Thresholds::RFC);
    }

    #[test]
    fn the_packet_threshold_becomes_the_least_that_would_have_waited() {
        let mut thresholds = Thresholds { adaptive: true, ..Thresholds::RFC };
        thresholds.adapt(8, RTT, RTT);
        assert_eq!((thresholds.packets, thresholds.round_trips), (8, 1.125));
        thresholds.adapt(5, RTT, RTT);
        assert_eq!(thresholds.packets, 8, "it never falls");
    }

    #[test]
    fn the_extra_wait_doubles_until_it_suffices_and_is_at_most_a_round_trip() {
        let adapted = |round_trips: f64, took_ms: u64| {
            let mut thresholds = Thresholds { adaptive: true, round_trips, ..Thresholds::RFC };
            thresholds.adapt(0, Span::from_millis(took_ms), RTT);
            thresholds.round_trips
        };
        // Of 80 ms, an eighth is 10 ms, a quarter 20 ms and a half 40 ms.
        assert_eq!(
            [90, 91, 100, 101, 120, 121, 500].map(|ms| adapted(1.125, ms)),
            [1.125, 1.25, 1.25, 1.5, 1.5, 2.0, 2.0]
        );
        assert_eq!((adapted(1.0, 81), adapted(3.0, 500)), (1.125, 3.0));
    }
}
