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
    /// The most bytes that wait in the host's own interface, where [what the rate allows](crate::small_queue) is not less.
    pub small_queue: Option<u64>,
    /// The most packets that one acknowledgement releases.
    pub max_burst: u64,
    /// Whether a packet that the host's own interface refuses reduces the window and is sent again at the next occasion.
    pub feels_local_drops: bool,
    /// Whether the receiver is told of reductions and echoes marks until then (RFC 3168).
    pub announces_reductions: bool,
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
            cwnd_validation: true,   // RFC 7661
            timer_from_stamps: true, // RFC 7323 section 4
            times_gaps: false,
            undo: UndoRules { eifel_timeouts: true, ..UndoRules::default() }, // RFC 3522
            pacing: true,                                                     // RFC 9002 section 7.7
            pacing_gains: Gains::LINUX,
            small_queue: None,
            max_burst: u64::MAX,
            feels_local_drops: false,
            announces_reductions: false,
        }
    }

    /// How many packets of growth an acknowledgement stands for.
    #[inline]
    pub(crate) fn credit(&self, newly: &Newly) -> Packets {
        let amount = if self.credits_selective { newly.delivered } else { newly.in_order };
        self.units.to_packets(amount).min(f64::from(self.max_credit))
    }
}
