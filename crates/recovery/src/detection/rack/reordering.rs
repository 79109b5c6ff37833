//! The time by which a packet may be late before it is lost (RFC 8985 section 6.2, step 4).

use ackclock_base::{Span, Time};
use std::ops::Range;

/// The number of recoveries for which the window stays wide after the last reported duplicate.
const PERSIST: u32 = 16;

/// The reordering window, widened by what the receiver reports.
#[derive(Clone, Copy, Debug)]
pub struct ReorderingWindow {
    /// RACK.reordering_seen.
    pub seen: bool,
    multiplier: u32,
    persist: u32,
    /// RACK.dsack_round: further duplicates are ignored until this number is acknowledged; `None` outside
    /// such a round.
    round: Option<u64>,
}

impl Default for ReorderingWindow {
    fn default() -> Self {
        Self { seen: false, multiplier: 1, persist: PERSIST, round: None }
    }
}

impl ReorderingWindow {
    /// Called for each acknowledgement. `dsack` tells whether it reports a duplicate of a retransmitted packet, and `leaves_recovery`
    /// whether it ends a recovery.
    pub fn on_ack(&mut self, una: u64, high: u64, dsack: bool, leaves_recovery: bool) {
        self.round = self.round.filter(|end| una < *end);
        if dsack && self.round.is_none() {
            self.round = Some(high);
            //= RFC 8985 section 3.3.2 dsack: a round trip with a DSACK widens the reordering window
            self.multiplier = self.multiplier.saturating_add(1);
            self.persist = PERSIST;
        } else if leaves_recovery {
            //= RFC 8985 section 6.2 persist: 16 recoveries after the last DSACK, the reordering window returns to its initial width
            self.persist = self.persist.saturating_sub(1);
            if self.persist == 0 {
                self.multiplier = 1;
            }
        }
    }

    /// Returns the window. It is zero if `at_once` (in a recovery, or after enough selective
    /// acknowledgements), as long as no reordering was seen.
    pub fn span(&self, at_once: bool, least_rtt: Span, smoothed_rtt: Span) -> Span {
        if at_once && !self.seen {
            Span::ZERO
        } else {
            //= RFC 8985 section 6.2 window: the reordering window is a quarter of the minimum RTT, and at most SRTT
            //= RFC 8985 section 3.3.2 bound: the reordering window has an upper bound, which should be SRTT
            (least_rtt / 4).scale(f64::from(self.multiplier)).min(smoothed_rtt)
        }
    }
}

/// The number of retransmissions that are remembered. One report in a round trip widens the window, so the
/// last ones suffice.
const REMEMBERED: usize = 64;

/// The packets retransmitted last whose duplicates have not been reported. A duplicate of any other packet was
/// made by the network and does not show that a packet was retransmitted too early (RFC 3708 section 2; Linux,
/// tcp_dsack_seen). Neither does that of a probe, which is sent by a timer.
#[derive(Clone, Copy, Debug)]
pub struct Retransmitted {
    numbers: [u64; REMEMBERED],
    next: usize,
}

impl Default for Retransmitted {
    fn default() -> Self {
        Self { numbers: [u64::MAX; REMEMBERED], next: 0 }
    }
}

impl Retransmitted {
    /// Records a retransmission.
    pub fn note(&mut self, number: u64) {
        self.numbers[self.next] = number;
        self.next = (self.next + 1) % REMEMBERED;
    }

    /// Returns whether a packet in `reported`, which arrived twice, had been retransmitted. Each retransmission
    /// explains one duplicate.
    pub fn take(&mut self, reported: Range<u64>) -> bool {
        let mut explained = self.numbers.iter_mut().filter(|number| reported.contains(number));
        explained.next().map(|number| *number = u64::MAX).is_some()
    }
}

/// Half the time over which the least round trip is measured: Linux's `tcp_min_rtt_wlen` is 300 s.
const HALF_WINDOW: Span = Span::from_millis(150_000);

/// RACK.min_RTT: the least round trip of this half window and the one before.
#[derive(Clone, Copy, Debug)]
pub struct LeastRoundTrip {
    since: Time,
    before: Span,
    current: Span,
}

impl Default for LeastRoundTrip {
    fn default() -> Self {
        Self { since: Time::ZERO, before: Span::MAX, current: Span::MAX }
    }
}

impl LeastRoundTrip {
    /// Records the round trip of a packet that was sent once.
    pub fn take(&mut self, now: Time, rtt: Span) {
        //= RFC 8985 section 6.2 least: the minimum RTT is taken from recent samples, not from all samples
        if now.since(self.since) >= HALF_WINDOW {
            *self = Self { since: now, before: self.current, current: Span::MAX };
        }
        self.current = self.current.min(rtt);
    }

    /// Returns the least round trip; zero before the first sample.
    pub fn get(&self) -> Span {
        let least = self.before.min(self.current);
        if least == Span::MAX { Span::ZERO } else { least }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAST: Span = Span::from_millis(40);
    const SMOOTHED: Span = Span::from_millis(45);

    //= test RFC 8985 section 6.2 window
    //= test RFC 8985 section 3.3.2 bound
    #[test]
    fn the_window_is_a_quarter_of_the_least_round_trip_per_duplicate_up_to_the_smoothed_one() {
        let mut window = ReorderingWindow::default();
        assert_eq!(window.span(false, LEAST, SMOOTHED), Span::from_millis(10));
        (1..5).for_each(|round| window.on_ack(10 * round, 10 * round + 10, true, false));
        assert_eq!(window.multiplier, 5);
        assert_eq!(window.span(false, LEAST, SMOOTHED), SMOOTHED);
        assert_eq!(window.span(true, LEAST, SMOOTHED), Span::ZERO);
        window.seen = true;
        assert_eq!(window.span(true, LEAST, SMOOTHED), SMOOTHED);
    }

    //= test RFC 8985 section 6.2 persist
    #[test]
    fn two_duplicates_within_one_round_count_once_and_sixteen_recoveries_forget_them() {
        let mut window = ReorderingWindow::default();
        window.on_ack(0, 10, true, false);
        window.on_ack(5, 15, true, false);
        assert_eq!(window.multiplier, 2);
        (0..15).for_each(|_| window.on_ack(20, 30, false, true));
        assert_eq!(window.multiplier, 2);
        window.on_ack(20, 30, false, true);
        assert_eq!(window.multiplier, 1);
    }

    //= test RFC 8985 section 6.2 persist
    #[test]
    fn a_duplicate_in_a_later_round_begins_the_sixteen_recoveries_again() {
        let mut window = ReorderingWindow::default();
        window.on_ack(0, 10, true, false);
        (0..15).for_each(|_| window.on_ack(20, 30, false, true));
        window.on_ack(20, 30, true, false);
        assert_eq!(window.multiplier, 3);
        // An acknowledgement that ends a recovery and reports a duplicate of the same round counts as a recovery.
        (0..15).for_each(|_| window.on_ack(20, 30, true, true));
        assert_eq!(window.multiplier, 3);
        window.on_ack(30, 40, false, true);
        assert_eq!(window.multiplier, 1);
    }

    #[test]
    fn a_retransmission_explains_one_duplicate_and_the_last_64_are_remembered() {
        let mut retransmitted = Retransmitted::default();
        (0..65).for_each(|number| retransmitted.note(number));
        assert!(!retransmitted.take(0..1), "64 later ones have replaced it");
        assert!(!retransmitted.take(65..70));
        assert!(retransmitted.take(1..2) && !retransmitted.take(1..2));
        assert!(retransmitted.take(60..70));
    }

    //= test RFC 8985 section 6.2 least
    #[test]
    fn the_least_round_trip_follows_a_path_that_becomes_longer() {
        let mut least = LeastRoundTrip::default();
        let at = |seconds: u64| Time::ZERO + Span::from_millis(1000 * seconds);
        least.take(at(1), LEAST);
        (2..299).for_each(|second| least.take(at(second), SMOOTHED));
        assert_eq!(least.get(), LEAST);
        (299..500).for_each(|second| least.take(at(second), SMOOTHED));
        assert_eq!(least.get(), SMOOTHED);
    }
}
