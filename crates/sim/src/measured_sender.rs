//! The sender of a connection with one path, independent of its packet format: recovery's sender and its
//! measurements. TCP and QUIC are codecs around it.

use crate::endpoint::Sent;
use crate::histogram::Histogram;
use crate::report::Report;
use ackclock_base::{Span, Time};
use ackclock_recovery::Sender;
use ackclock_recovery::sender::AckOutcome;

/// Recovery's sender, and the round-trip times measured from its acknowledgements.
pub struct MeasuredSender {
    /// Recovery's sender.
    pub core: Sender,
    last_rtt: Option<Span>,
    rtt: Histogram,
}

impl MeasuredSender {
    /// Creates a measured sender without measurements.
    pub fn new(core: Sender) -> Self {
        Self { core, last_rtt: None, rtt: Histogram::default() }
    }

    /// Records the round-trip time of an acknowledgement, if the outcome has one that is unambiguous.
    #[inline]
    pub fn take(&mut self, outcome: AckOutcome) {
        if let Some(rtt) = outcome.clean_rtt {
            self.rtt.record(rtt);
            self.last_rtt = Some(rtt);
        }
    }

    /// Returns what was sent since counting began, in packets of `payload_bytes` payload bytes.
    pub fn sent(&self, payload_bytes: u32) -> Sent {
        let counts = self.core.counts();
        let fresh = counts.sent - counts.retransmitted;
        Sent { packets: counts.sent, payload_bytes: fresh * u64::from(payload_bytes) }
    }

    /// Returns what was measured since counting began, as of `until`.
    pub fn report(&self, until: Time) -> Report<'_> {
        Report {
            counts: Some(self.core.counts().clone()),
            rtt: Some(&self.rtt),
            cwnd_area: Some(self.core.cwnd_area(until)),
            limited: Some(self.core.limits().spans(until)),
            ..Report::default()
        }
    }

    /// Adds the counts of another sender to its own, except for the integral of the window.
    pub fn absorb(&mut self, other: &Self) {
        self.core.absorb(&other.core);
        self.rtt.absorb(&other.rtt);
    }

    /// Resets the counts at the end of the warm-up.
    pub fn reset_counts(&mut self, now: Time) {
        self.core.reset_counts(now);
        self.rtt = Histogram::default();
    }

    /// Returns whether the window is at or above the slow start threshold and no loss is being repaired.
    pub fn avoids_congestion(&self) -> bool {
        let decision = self.core.control().decision();
        decision.cwnd >= decision.ssthresh && !self.core.recovering()
    }

    /// Publishes internal values of the sender and of its control for figures, each with its name.
    pub fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        let decision = self.core.control().decision();
        series("cwnd_packets", decision.cwnd);
        series("ssthresh_packets", if decision.ssthresh.is_finite() { decision.ssthresh } else { f64::NAN });
        series("inflight_packets", self.core.inflight() as f64);
        series("fast_retransmits", self.core.counts().fast_retransmits as f64);
        series("rtt_s", self.last_rtt.map_or(f64::NAN, Span::seconds));
        self.core.publish(series);
    }
}
