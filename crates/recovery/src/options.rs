//! The options of a sender's loss recovery: what its transport is like, and the [declared](crate::declared) groups.

use crate::declared::{
    AfterIdle, Gains, Growth, SmallQueues, Timer, TimerRules, TimerSamples, UndoRules, WindowRules,
};
use crate::ledger::Newly;
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
    /// The clock and the bounds of the retransmission timer.
    pub timer: Timer,
    /// The samples of the retransmission timer, and its minimum.
    pub timer_rules: TimerRules,
    /// The rules for the window.
    pub rules: WindowRules,
    /// The maximum number of packets of growth that one acknowledgement counts for, whatever
    /// [`growth`](WindowRules::growth) allows: RFC 3465's limit L.
    pub abc_limit: u32,
    /// The restart window after a pause, in packets (RFC 5681 section 4.1: the initial window). A restart reduces no window
    /// below it, and leaves a smaller window as it is.
    pub restart_window: Packets,
    /// Whether the sender records what [holds it back](crate::sender::Limit). It does not for one path of
    /// several, which receives its data packet by packet.
    pub notes_limits: bool,
    /// Whether acknowledgements that do not advance the cumulative one also give samples from their
    /// timestamps: RFC 9260 section 6.3.1 rule C4 wants a sample in each round trip, RFC 7323 section 4.1
    /// forbids samples from such acknowledgements.
    pub times_gaps: bool,
    /// How spurious reactions are detected, so that they can be undone.
    pub undo: UndoRules,
    /// Whether a control without a rate of its own has its packets paced over the round trip.
    pub pacing: bool,
    /// The ratio of the pacing rate to the window over the round trip.
    pub pacing_gains: Gains,
    /// The maximum number of packets that leave back to back after a pause, if a control without a rate of
    /// its own is paced.
    pub pacing_burst: Packets,
    /// How much waits in the host's own interface.
    pub small_queues: SmallQueues,
    /// Whether reductions are announced to the receiver (CWR), which repeats the echo of a mark until an
    /// announcement arrives (RFC 3168).
    pub announces_reductions: bool,
}

/// The fraction of the window to which a restart in Linux raises a lower slow start threshold
/// (tcp_current_ssthresh).
pub(crate) const KEPT_OF_WINDOW: f64 = 0.75;

impl Options {
    /// Returns the options that the RFCs recommend for a transport with selective acknowledgements and
    /// timestamps, paced over the round trip.
    pub fn recommended(units: Units) -> Self {
        Self {
            units,
            window: units.most_outstanding(),
            numbers_once: false,
            dupack_threshold: 3,     // RFC 6675 section 2
            timer: Timer::default(), // RFC 6298
            timer_rules: TimerRules::default(),
            rules: WindowRules {
                cwnd_validation: CwndValidation::Full, // RFC 9002 section 7.8
                after_idle: AfterIdle::Keep,           // RFC 9002 section 7.7: pacing keeps bursts short
                ..WindowRules::default()
            },
            abc_limit: u32::MAX,
            restart_window: 0.0,
            notes_limits: true,
            times_gaps: false,
            undo: UndoRules::default(),
            pacing: true, // RFC 9002 section 7.7
            pacing_gains: Gains::default(),
            pacing_burst: 1.0,
            small_queues: SmallQueues::default(),
            announces_reductions: false,
        }
    }

    /// Returns the ABC increment of an acknowledgement, in packets (RFC 3465), which the growth rule and `abc_limit` bound.
    /// `late` is the amount that it acknowledges of packets that an association had reported lost, which `newly` does not
    /// contain.
    #[inline]
    pub(crate) fn abc_increment(&self, newly: &Newly, late: u64) -> Packets {
        let (amount, most) = match self.rules.growth {
            Growth::Acks => (newly.in_order, 1),
            Growth::Packets => (newly.in_order, 2), // RFC 3465 section 2.3
            Growth::Delivered => (newly.delivered, u32::MAX),
        };
        self.units.to_packets(amount + late).min(f64::from(most.min(self.abc_limit)))
    }

    /// Returns the maximum number of packets sent at one event: an acknowledgement, a timer or a write. Packets that are sent
    /// whatever the window (fast retransmits, probes) are not counted.
    #[inline]
    pub(crate) fn max_burst(&self) -> u64 {
        self.rules.max_burst.unwrap_or(u64::MAX)
    }

    /// Returns whether the timer takes a sample from the timestamp of every acknowledgement that advances the cumulative one.
    pub(crate) fn times_stamps(&self) -> bool {
        self.timer_rules.timer_samples == TimerSamples::Timestamps
    }

    /// Returns the window after a pause of `idle`, which is longer than `timeout`. Linux (tcp_cwnd_restart) halves it for each
    /// timeout in the pause after the first.
    pub(crate) fn window_after(&self, cwnd: Packets, idle: Span, timeout: Span) -> Packets {
        let least = self.restart_window.min(cwnd);
        match self.rules.after_idle {
            AfterIdle::Keep => cwnd,
            AfterIdle::InitialWindow => least,
            AfterIdle::Halve => {
                // Linux: while ((delta -= rto) > 0 && cwnd > restart_cwnd) cwnd >>= 1
                let (mut left, mut window) = (idle.saturating_sub(timeout), cwnd);
                while left > Span::ZERO && window > least {
                    (window, left) = (window / 2.0, left.saturating_sub(timeout));
                }
                window.max(least)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_costs_a_half_for_each_timeout_or_all_but_the_restart_window() {
        let (timeout, ms) = (Span::from_millis(300), Span::from_millis);
        let options = |after_idle| {
            let options = Options::recommended(Units::packets(1000));
            Options { restart_window: 10.0, rules: WindowRules { after_idle, ..options.rules }, ..options }
        };
        let linux = options(AfterIdle::Halve);
        // A pause of 301 ms exceeds the first timeout by 1 ms, one of 600 ms by a whole timeout, and one of
        // 601 ms by more than one: 66 packets become 33, 33 and 16.5. After 2 s, six halvings would leave
        // about one packet, and the restart window of 10 holds.
        let windows = [301, 600, 601, 2000].map(|pause| linux.window_after(66.0, ms(pause), timeout));
        assert_eq!(windows, [33.0, 33.0, 16.5, 10.0]);
        assert_eq!(linux.window_after(4.0, ms(2000), timeout), 4.0, "a restart raises no window");
        let rfc = options(AfterIdle::InitialWindow);
        assert_eq!(rfc.window_after(66.0, ms(301), timeout), 10.0);
        assert_eq!(rfc.window_after(4.0, ms(301), timeout), 4.0);
    }
}
