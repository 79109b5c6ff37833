//! The tail loss probe (RFC 8985 section 7).

use crate::declared::RackRules;
use crate::detection::AckSummary;
use crate::ledger::Ledger;
use ackclock_base::{Span, Time};

/// The probe timeout (PTO) before the first round trip is known (section 7.2).
const WITHOUT_RTT: Span = Span::from_millis(1000);

/// The state of the tail loss probe.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    enabled: bool,
    max_ack_delay: Span,
    /// How much later than computed the probe of several packets is due.
    slack: Span,
    /// When the timeout of the probe began; `None` while no probe is to be sent.
    armed: Option<Time>,
    flying: Option<Flying>,
    /// Whether a round trip was measured since the last probe.
    sampled: bool,
}

/// A probe in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Flying {
    /// TLP.end_seq: one past the highest packet ever sent, including the probe.
    end: u64,
    /// TLP.is_retrans: whether the probe was a retransmission.
    again: bool,
}

impl Probe {
    /// Creates the state before the first packet. `max_ack_delay` is the longest time by which the receiver delays an
    /// acknowledgement, unless the options name another one.
    pub fn new(options: &RackRules, max_ack_delay: Span) -> Self {
        let RackRules { tail_loss_probe: enabled, probe_ack_delay, rack_timer_slack: slack, .. } = *options;
        let max_ack_delay = probe_ack_delay.unwrap_or(max_ack_delay);
        Self { enabled, max_ack_delay, slack, armed: None, flying: None, sampled: true }
    }

    pub fn note_sample(&mut self) {
        self.sampled = true;
    }

    /// Called when new data has been sent or acknowledged and nothing is being repaired. Starts the timeout
    /// of the probe at `now`, or restarts it, if probes are enabled, none is in flight, and a round trip was
    /// measured since the last probe, if there was one.
    pub fn arm(&mut self, now: Time) {
        // Section 7.3: one probe is in flight at a time, and a round trip is measured between two probes.
        //= RFC 8985 section 7.3 once: only one probe is in flight, and a new probe requires a round-trip sample since the last probe
        if self.enabled && self.flying.is_none() && self.sampled {
            self.armed = Some(now);
        }
    }

    pub fn disarm(&mut self) {
        self.armed = None;
    }

    /// Called when a recovery begins, or the repair after a timeout. Cancels the timeout of the probe, and
    /// forgets the probe in flight.
    pub fn reset(&mut self) {
        (self.armed, self.flying) = (None, None);
    }

    /// Returns when the probe is due, or `None` if no probe is to be sent.
    pub fn due(&self, ledger: &Ledger, smoothed_rtt: Span) -> Option<Time> {
        let since = self.armed.filter(|_| ledger.unacknowledged() > 0)?;
        //= RFC 8985 section 7.2 timeout: the probe timeout is twice the smoothed RTT
        let timeout = if smoothed_rtt == Span::ZERO { WITHOUT_RTT } else { smoothed_rtt * 2 };
        //= RFC 8985 section 7.2 lone: with one segment in flight, the probe timeout includes the maximum delay of an acknowledgement
        let delay = if ledger.high() - ledger.una() == 1 { self.max_ack_delay } else { self.slack };
        Some(since + timeout + delay)
    }

    /// Records that the probe is sent: a new packet if there is any, otherwise the highest unacknowledged
    /// one. Returns its number, or `None` if every packet is acknowledged.
    pub fn send(&mut self, ledger: &Ledger, fresh_until: u64) -> Option<u64> {
        let high = ledger.high();
        //= RFC 8985 section 7.3 new: a probe carries new data if the sender has any
        let again = ledger.next() < high || high >= fresh_until;
        //= RFC 8985 section 7.3 highest: without new data, the probe is a retransmission of the highest segment
        let number = if again { ledger.last_unacknowledged() } else { Some(high) };
        self.armed = None;
        self.sampled = false;
        self.flying = number.map(|_| Flying { end: if again { high } else { high + 1 }, again });
        number
    }

    /// Processes an acknowledgement. Returns whether it shows that the probe has repaired a loss which
    /// nothing else shows (RFC 8985 section 7.4.2).
    pub fn on_ack(&mut self, una: u64, summary: &AckSummary) -> bool {
        let Some(Flying { end, again }) = self.flying.filter(|flying| una >= flying.end) else {
            return false;
        };
        //= RFC 8985 section 7.4.2 dsack: a DSACK for the probe shows that nothing was lost
        let of_the_probe = summary.dsack.is_some_and(|(_, dsack_end)| dsack_end == end);
        let bare_duplicate = summary.cumulative == 0 && summary.delivered == 0;
        if !again || of_the_probe || una > end || bare_duplicate {
            self.flying = None;
        }
        again && !of_the_probe && una > end
    }
}
