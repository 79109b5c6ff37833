//! Congestion window validation: when a window counts as used, so that it may grow.
//!
//! A window that the application does not fill says nothing about what the network can carry. The documents
//! differ in how much of it must be used, and for how long a window that was full once counts as used.

use ackclock_base::choice;
use ackclock_cc::Decision;

choice! {
    /// The windows that count as used.
    pub enum CwndValidation {
        /// At least half of the window has been in flight within one window of data, or the window is full (RFC
        /// 7661 sections 4.3 and 4.4).
        Half = "half",
        /// The window was full when the sender last could send (RFC 9002 section 7.8).
        Full = "full",
        /// The window was full within the last window of data, or, in slow start, more than half of it was in
        /// flight within that window of data (Linux, tcp_cwnd_validate and tcp_is_cwnd_limited).
        Linux = "linux",
        /// Every window, used or not (ns-2).
        None = "none",
    }
}

/// How the window was used lately: Linux's `cwnd_usage_seq`, `max_packets_out` and `is_cwnd_limited`.
#[derive(Clone, Copy, Debug)]
pub struct WindowUse {
    rule: CwndValidation,
    /// One past the last packet of the window of data for which `most` and `was_full` hold.
    end: u64,
    /// The greatest number of packets from the first unacknowledged one to the last sent.
    most: u64,
    was_full: bool,
    is_used: bool,
}

/// What a sender has just used of its window.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// The first packet not acknowledged cumulatively.
    pub una: u64,
    /// One past the last packet sent.
    pub high: u64,
    /// Whether new packets have just been sent.
    pub has_sent: bool,
    /// Whether the window is full, or would be but for packets that wait for the pacer.
    pub is_full: bool,
    /// Whether a packet waits for the host's own interface (small queues).
    pub is_held_back: bool,
}

impl WindowUse {
    /// Creates the record of a sender that has sent nothing. Its first window counts as used (RFC 7661 section
    /// 4.2: pipeACK is undefined).
    pub fn new(rule: CwndValidation) -> Self {
        Self { rule, end: 0, most: 0, was_full: false, is_used: true }
    }

    /// Returns whether the window counts as used, so that it may grow.
    #[inline]
    pub fn is_used(&self) -> bool {
        self.is_used
    }

    /// Called when the transport itself found whether the window is used.
    pub fn report(&mut self, is_used: bool) {
        self.is_used = is_used;
    }

    /// Called after the sender has sent what it may, with the window and the threshold in force.
    #[inline]
    pub fn note(&mut self, usage: &Usage, decision: &Decision) {
        let Usage { una, high, has_sent, is_full, is_held_back } = *usage;
        let out = high - una;
        // tcp_cwnd_validate, which Linux calls if a packet was sent or the window is full.
        if is_full || has_sent && (una >= self.end || !self.was_full && out > self.most) {
            (self.end, self.most, self.was_full) = (high, out, is_full);
        }
        let twice = 2.0 * self.most as f64;
        self.is_used = match self.rule {
            CwndValidation::Half => is_full || decision.cwnd <= twice,
            // A packet that small queues hold back is not a lack of data, but bounds the flight beside the
            // window: the window counts as used while the window of data lasts in which it was full.
            CwndValidation::Full => is_full || is_held_back && self.was_full && una < self.end,
            CwndValidation::Linux => {
                self.was_full || decision.cwnd < decision.ssthresh && decision.cwnd < twice
            }
            CwndValidation::None => true,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(una: u64, high: u64, is_full: bool) -> Usage {
        Usage { una, high, has_sent: true, is_full, is_held_back: false }
    }

    /// Sends `packets` packets at once with a window of 10 in slow start. Every second packet is acknowledged,
    /// and each acknowledgement of a used window adds two packets. Returns the window after that.
    fn after_a_response(rule: CwndValidation, packets: u64) -> f64 {
        let mut window_use = WindowUse::new(rule);
        let mut cwnd = 10.0;
        window_use.note(&usage(0, packets, packets >= 10), &Decision::window(cwnd, f64::INFINITY));
        for una in (2..=packets).step_by(2) {
            cwnd += if window_use.is_used() { 2.0 } else { 0.0 };
            let nothing_sent = Usage { has_sent: false, ..usage(una, packets, false) };
            window_use.note(&nothing_sent, &Decision::window(cwnd, f64::INFINITY));
        }
        cwnd
    }

    #[test]
    fn a_response_that_ends_before_the_window_does_lets_it_grow_by_the_rule() {
        // Ten packets fill the window of 10. RFC 9002 asks anew at each acknowledgement, and only the first finds
        // the window full: 12. In Linux the fact lasts for the window of data, and five acknowledgements make
        // 20. Eight packets do not fill it: in Linux it grows while it is below twice eight, to 16, and by RFC
        // 7661 while it is not above 16, to which four acknowledgements do not bring it beyond 18. Six
        // packets make 12 in Linux, and 14 by RFC 7661; four are less than half of 10, and nothing grows.
        use CwndValidation::{Full, Half, Linux, None};
        let windows = |packets| [Full, Linux, Half, None].map(|rule| after_a_response(rule, packets));
        assert_eq!(windows(10), [12.0, 20.0, 20.0, 20.0]);
        assert_eq!(windows(8), [10.0, 16.0, 18.0, 18.0]);
        assert_eq!(windows(6), [10.0, 12.0, 14.0, 16.0]);
        assert_eq!(windows(4), [10.0, 10.0, 10.0, 14.0]);
    }

    #[test]
    fn in_linux_congestion_avoidance_needs_a_window_that_was_full_within_the_last_window_of_data() {
        let decision = Decision::window(10.0, 5.0);
        let mut window_use = WindowUse::new(CwndValidation::Linux);
        window_use.note(&usage(0, 10, true), &decision);
        // Everything up to packet 10 is the window of data in which the window was full; packets sent meanwhile do
        // not extend it.
        window_use.note(&usage(9, 12, false), &decision);
        assert!(window_use.is_used());
        window_use.note(&usage(10, 13, false), &decision);
        assert!(!window_use.is_used());
        // By RFC 7661 the greatest flight of that window of data, three packets, is less than half.
        let mut window_use = WindowUse::new(CwndValidation::Half);
        window_use.note(&usage(0, 5, false), &decision);
        assert!(window_use.is_used());
        window_use.note(&usage(5, 8, false), &decision);
        assert!(!window_use.is_used());
    }

    #[test]
    fn a_packet_that_small_queues_hold_back_hides_the_limit_for_a_window_of_data() {
        let decision = Decision::window(10.0, f64::INFINITY);
        let mut window_use = WindowUse::new(CwndValidation::Full);
        window_use.note(&usage(0, 10, true), &decision);
        let mut is_used = |una, high, is_held_back| {
            window_use.note(&Usage { is_held_back, ..usage(una, high, false) }, &decision);
            window_use.is_used()
        };
        assert!(!is_used(9, 12, false), "the application has no more to send");
        assert!(is_used(9, 12, true) && !is_used(10, 13, true));
    }
}
