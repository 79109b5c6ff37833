//! The options of a sender's loss recovery. A transport's profiles fill them in.

use crate::ledger::Newly;
use crate::pacer::Gains;
use crate::rtt::{MinBounds, TimeoutRule};
use crate::undo::UndoRules;
use crate::units::Units;
use crate::validation::CwndValidation;
use ackclock_base::{Packets, Span};

/// The options of a sender.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The units in which the transport counts.
    pub units: Units,
    /// The maximum number of packets from the first unacknowledged to the last sent, which the receiver
    /// allows.
    pub window: u64,
    /// Whether the transport uses no number twice: the data of a lost packet is retransmitted in a packet
    /// with a new number (RFC 9000 section 12.3).
    pub numbers_once: bool,
    /// The number of later packets that must be selectively acknowledged for a packet to count as lost; zero
    /// for a rule that finds losses itself.
    pub dupack_threshold: u32,
    /// The rule of the retransmission timeout.
    pub timeout: TimeoutRule,
    /// Whether a reduction starts from the congestion window, or from the receiver's window if that is
    /// smaller (ns-2, Linux), instead of from the flight (RFC 5681 equation 4).
    pub reduce_from_window: bool,
    /// Whether a packet that times out again leaves the slow start threshold unchanged (RFC 5681 section
    /// 3.1).
    pub keeps_threshold: bool,
    /// The maximum number of packets of growth that one acknowledgement counts for.
    pub max_abc_increment: u32,
    /// Whether selectively acknowledged data counts for growth at once, instead of when it is acknowledged in
    /// order.
    pub counts_selective: bool,
    /// Whether an acknowledgement of a part of a packet counts for growth as one of a whole packet, as it does
    /// where acknowledgements are counted and not data.
    pub counts_parts: bool,
    /// When the window counts as used, so that it may grow.
    pub cwnd_validation: CwndValidation,
    /// Whether the sender records what [holds it back](crate::sender::Limit). It does not for one path of
    /// several, which receives its data packet by packet.
    pub notes_limits: bool,
    /// What happens to the window when nothing has been sent for longer than a retransmission timeout; `None`
    /// if it stays as it is.
    pub idle_restart: Option<IdleRestart>,
    /// Whether the retransmission timeout takes a round trip sample from the timestamp of every
    /// acknowledgement that advances the cumulative one, instead of timing one packet at a time.
    pub timer_from_stamps: bool,
    /// Whether acknowledgements that do not advance the cumulative one also give samples from their
    /// timestamps: RFC 9260 section 6.3.1 rule C4 wants a sample in each round trip, RFC 7323 section 4.1
    /// forbids samples from such acknowledgements.
    pub times_gaps: bool,
    /// How unjustified reactions are detected, so that they can be undone.
    pub undo: UndoRules,
    /// Whether a control without a rate of its own has its packets paced over the round trip.
    pub pacing: bool,
    /// The ratio of the pacing rate to the window over the round trip.
    pub pacing_gains: Gains,
    /// The maximum number of packets that leave back to back after a pause, if a control without a rate of
    /// its own is paced.
    pub pacing_burst: Packets,
    /// The maximum number of bytes that wait in the host's own interface, unless [the rate
    /// allows](crate::small_queue) fewer; `None` without small queues.
    pub small_queue: Option<u64>,
    /// The maximum number of packets sent at one event: an acknowledgement, a timer or a write. Packets that
    /// are sent whatever the window (fast retransmits, probes) are not counted. `u64::MAX` stands for no limit.
    pub max_burst: u64,
    /// Whether a packet that the host's own interface refuses reduces the window and is retransmitted at the
    /// next opportunity.
    pub feels_local_drops: bool,
    /// Whether a mark or a refused packet reduces the flight in proportion to what is delivered (RFC 9937), as a loss
    /// does, instead of at once. Only with a rule that reduces it so at a loss.
    pub reduces_marks_in_proportion: bool,
    /// Whether reductions are announced to the receiver (CWR), which repeats the echo of a mark until an
    /// announcement arrives (RFC 3168).
    pub announces_reductions: bool,
}

/// How the window restarts after a pause so long that no acknowledgements clock the packets sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IdleRestart {
    /// The restart window, in packets (RFC 5681 section 4.1: the initial window). A restart reduces no window below it,
    /// and leaves a smaller window as it is.
    pub window: Packets,
    /// Whether the window is halved for each timeout in the pause after the first, and the slow start
    /// threshold raised to at least three quarters of the window before the pause, as in Linux
    /// (tcp_cwnd_restart). Otherwise it falls to the restart window at once.
    pub halves: bool,
}

/// The fraction of the window to which a restart in Linux raises a lower slow start threshold
/// (tcp_current_ssthresh).
pub(crate) const KEPT_OF_WINDOW: f64 = 0.75;

impl IdleRestart {
    /// Returns the window after a pause of `idle`, which is longer than `timeout`.
    pub(crate) fn window_after(self, cwnd: Packets, idle: Span, timeout: Span) -> Packets {
        let least = self.window.min(cwnd);
        if !self.halves {
            return least;
        }
        // Linux: while ((delta -= rto) > 0 && cwnd > restart_cwnd) cwnd >>= 1
        let (mut left, mut window) = (idle.saturating_sub(timeout), cwnd);
        while left > Span::ZERO && window > least {
            (window, left) = (window / 2.0, left.saturating_sub(timeout));
        }
        window.max(least)
    }
}

impl Options {
    /// Returns the options that the RFCs recommend for a transport with selective acknowledgements and
    /// timestamps, paced over the round trip.
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
            max_abc_increment: 2,      // RFC 3465 section 2.3
            counts_selective: false,
            counts_parts: false,
            cwnd_validation: CwndValidation::Full, // RFC 9002 section 7.8
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
            reduces_marks_in_proportion: false,
            announces_reductions: false,
        }
    }

    /// Returns the ABC increment of an acknowledgement, in packets (RFC 3465): the data that it acknowledges in
    /// order, or, with `counts_selective`, for the first time, plus `late`, and at most `max_abc_increment`.
    /// `late` is the amount that it acknowledges of packets that an association had reported lost, which
    /// `newly` does not contain.
    #[inline]
    pub(crate) fn abc_increment(&self, newly: &Newly, late: u64) -> Packets {
        let amount = if self.counts_selective { newly.delivered } else { newly.in_order };
        self.units.to_packets(amount + late).min(f64::from(self.max_abc_increment))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_costs_a_half_for_each_timeout_or_all_but_the_restart_window() {
        let (timeout, ms) = (Span::from_millis(300), Span::from_millis);
        let linux = IdleRestart { window: 10.0, halves: true };
        // A pause of 301 ms exceeds the first timeout by 1 ms, one of 600 ms by a whole timeout, and one of
        // 601 ms by more than one: 66 packets become 33, 33 and 16.5. After 2 s, six halvings would leave
        // about one packet, and the restart window of 10 holds.
        let windows = [301, 600, 601, 2000].map(|pause| linux.window_after(66.0, ms(pause), timeout));
        assert_eq!(windows, [33.0, 33.0, 16.5, 10.0]);
        assert_eq!(linux.window_after(4.0, ms(2000), timeout), 4.0, "a restart raises no window");
        let rfc = IdleRestart { halves: false, ..linux };
        assert_eq!(rfc.window_after(66.0, ms(301), timeout), 10.0);
        assert_eq!(rfc.window_after(4.0, ms(301), timeout), 4.0);
    }
}
