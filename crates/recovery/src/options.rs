//! What can be chosen about how a sender recovers from losses. A transport's profiles fill this in.

use crate::ledger::Newly;
use crate::pacer::Gains;
use crate::rtt::{MinBounds, TimeoutRule};
use crate::undo::UndoRules;
use crate::units::Units;
use ackclock_base::{Packets, Span};

/// A sender's options.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// What the transport counts in.
    pub units: Units,
    /// The most packets from the first unacknowledged to the last sent: what the receiver allows.
    pub window: u64,
    /// Whether the transport uses no number twice: what a lost packet carried is sent again in a new one (RFC 9000 section
    /// 12.3).
    pub numbers_once: bool,
    /// Later packets acknowledged that make a packet lost; zero for a rule that finds losses itself.
    pub dupack_threshold: u32,
    /// The timer.
    pub timeout: TimeoutRule,
    /// Whether losses are reduced from the window in force (ns-2, Linux) instead of the flight (RFC 5681 equation 4).
    pub reduce_from_window: bool,
    /// Whether a packet that times out again leaves the slow start threshold as it is (RFC 5681 section 3.1).
    pub keeps_threshold: bool,
    /// The most packets of growth that one acknowledgement stands for.
    pub max_credit: u32,
    /// Whether what is acknowledged selectively counts for growth at once, not when it is acknowledged in order.
    pub credits_selective: bool,
    /// Whether the window grows only while it is used (RFC 7661).
    pub cwnd_validation: bool,
    /// Whether it is noted what [holds the sender back](crate::sender::Limit): not of one path among several, whose data are handed
    /// out packet by packet.
    pub notes_limits: bool,
    /// What becomes of the window when nothing has been sent for longer than a retransmission timeout; `None` if it stays.
    pub idle_restart: Option<IdleRestart>,
    /// Whether the timer listens to every timestamp, instead of timing one packet at a time.
    pub timer_from_stamps: bool,
    /// Whether that listens to acknowledgements that do not move the cumulative one, too: RFC 9260 section 6.3.1 rule C4 wants a
    /// sample in each round trip, RFC 7323 section 4.1 forbids it.
    pub times_gaps: bool,
    /// How reactions that were not justified are found, to be taken back.
    pub undo: UndoRules,
    /// Whether a control without a rate of its own has its packets paced over the round trip.
    pub pacing: bool,
    /// How much faster than the window over the round trip.
    pub pacing_gains: Gains,
    /// The most packets that leave back to back after a pause where such a control is paced.
    pub pacing_burst: Packets,
    /// The most bytes that wait in the host's own interface, where [what the rate allows](crate::small_queue) is not less.
    pub small_queue: Option<u64>,
    /// The most packets that one acknowledgement releases.
    pub max_burst: u64,
    /// Whether a packet that the host's own interface refuses reduces the window and is sent again at the next occasion.
    pub feels_local_drops: bool,
    /// Whether the receiver is told of reductions and echoes marks until then (RFC 3168).
    pub announces_reductions: bool,
}

/// How the window restarts after a pause in which the clock of acknowledgements was lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IdleRestart {
    /// The restart window: what is left at least, if the window was no less (RFC 5681 section 4.1: the initial window).
    pub window: Packets,
    /// Whether the window is halved for each timeout in the pause after the first, and three quarters of it are kept as slow start
    /// threshold, as in Linux (tcp_cwnd_restart), instead of falling to the restart window at once.
    pub halves: bool,
}

/// What of a window is remembered as slow start threshold at a restart in Linux (tcp_current_ssthresh).
pub(crate) const KEPT_OF_WINDOW: f64 = 0.75;

impl IdleRestart {
    /// Returns the window after a pause of `idle`, which is longer than `timeout`.
    pub(crate) fn window_after(self, cwnd: Packets, idle: Span, timeout: Span) -> Packets {
        let least = self.window.min(cwnd);
        if !self.halves {
            return least;
        }
        // while ((delta -= rto) > 0 && cwnd > restart_cwnd) cwnd >>= 1
        let (mut left, mut window) = (idle.saturating_sub(timeout), cwnd);
        while left > Span::ZERO && window > least {
            (window, left) = (window / 2.0, left.saturating_sub(timeout));
        }
        window.max(least)
    }
}

impl Options {
    /// What the RFCs recommend for a transport with selective acknowledgements and timestamps, paced over the round trip.
    pub fn recommended(units: Units) -> Self {
        Self {
            units,
            window: units.most_outstanding(),
            numbers_once: false,
            dupack_threshold: 3, // RFC 6675 section 2
            timeout: TimeoutRule {
                tick: Span::from_millis(1),
                min: Span::from_millis(1_000), // RFC 6298 section 2.4
                min_bounds: MinBounds::Timeout,
                max: Span::from_millis(60_000),    // section 2.5
                initial: Span::from_millis(1_000), // section 2.1
            },
            reduce_from_window: false, // RFC 5681 equation 4
            keeps_threshold: true,     // RFC 5681 section 3.1
            max_credit: 2,             // RFC 3465 section 2.3
            credits_selective: false,
            cwnd_validation: true, // RFC 7661
            notes_limits: true,
            idle_restart: None,      // RFC 9002 section 7.7: pacing keeps bursts short
            timer_from_stamps: true, // RFC 7323 section 4
            times_gaps: false,
            undo: UndoRules { eifel_timeouts: true, ..UndoRules::default() }, // RFC 3522
            pacing: true,                                                     // RFC 9002 section 7.7
            pacing_gains: Gains::LINUX,
            pacing_burst: 1.0,
            small_queue: None,
            max_burst: u64::MAX,
            feels_local_drops: false,
            announces_reductions: false,
        }
    }

    /// Returns how many packets of growth an acknowledgement stands for. `late` is what it acknowledges of packets that an association
    /// had given up for lost.
    #[inline]
    pub(crate) fn credit(&self, newly: &Newly, late: u64) -> Packets {
        let amount = if self.credits_selective { newly.delivered } else { newly.in_order };
        self.units.to_packets(amount + late).min(f64::from(self.max_credit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_costs_a_half_for_each_timeout_or_all_but_the_restart_window() {
        let (timeout, ms) = (Span::from_millis(300), Span::from_millis);
        let linux = IdleRestart { window: 10.0, halves: true };
        // A pause of 301 ms has 1 ms beyond the first timeout, one of 600 ms another whole one, and one of 601 ms two: 66 packets
        // become 33, 33 and 16.5; after 2 s, six of them, 10.
        let windows = [301, 600, 601, 2000].map(|pause| linux.window_after(66.0, ms(pause), timeout));
        assert_eq!(windows, [33.0, 33.0, 16.5, 10.0]);
        assert_eq!(linux.window_after(4.0, ms(2000), timeout), 4.0, "a restart raises no window");
        let rfc = IdleRestart { halves: false, ..linux };
        assert_eq!(rfc.window_after(66.0, ms(301), timeout), 10.0);
        assert_eq!(rfc.window_after(4.0, ms(301), timeout), 4.0);
    }
}
