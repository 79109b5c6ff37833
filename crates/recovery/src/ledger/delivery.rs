//! Totals of what was delivered and lost since the connection began, and samples of the delivery rate
//! (draft-ietf-ccwg-bbr section 4.1, "Delivery Rate Samples").

#[cfg(test)]
mod tests;

use super::{APP_LIMITED, GIVEN_UP, Sent};
use ackclock_base::{Span, Time};

/// The totals, and the state from which samples are taken. Time zero and zero delivered are ordinary values
/// here: they do not mean "none".
#[derive(Clone, Copy, Debug, Default)]
pub struct Delivery {
    delivered: u64,
    lost: u64,
    delivered_at: Time,
    first_sent_at: Time,
    /// Packets sent count as limited by the application until more than this amount has been delivered;
    /// `None` if they do not.
    app_limited_until: Option<u64>,
    /// The round trip ends when a packet is acknowledged that was sent when at least this much had been
    /// delivered.
    round_ends_at: u64,
}

/// A sample of the delivery rate: an amount, in the transport's own unit, and the interval by which to divide
/// it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// The amount delivered during the interval.
    pub delivered: u64,
    /// The longer of the sending interval and the acknowledgement interval.
    pub interval: Span,
    /// The amount that had been delivered when the sampled packet was sent.
    pub prior_delivered: u64,
    /// The amount counted as lost since the sampled packet was sent.
    pub lost: u64,
    /// The amount in flight when the sampled packet was sent, including itself.
    pub tx_in_flight: u64,
    /// Whether the application limited the sender when the sampled packet was sent.
    pub app_limited: bool,
    /// Whether a round trip ends with this sample.
    pub round_start: bool,
}

impl Delivery {
    /// Returns the amount delivered, acknowledged cumulatively or selectively.
    pub fn delivered(&self) -> u64 {
        self.delivered
    }

    /// Returns the amount counted as lost, including packets that arrived after all.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Returns whether packets sent now count as limited by the application.
    pub fn is_app_limited(&self) -> bool {
        self.app_limited_until.is_some()
    }

    pub(super) fn note_app_limited(&mut self, inflight: u64) {
        // The draft stores at least 1, because 0 means "not limited" there. Its 1 is a byte; here it could be
        // a packet, one too many, so `None` stands for "not limited".
        self.app_limited_until = Some(self.delivered + inflight);
    }

    /// Called when a flight begins with nothing in the network. Its intervals count from now.
    pub(super) fn begin_flight(&mut self, now: Time) {
        (self.first_sent_at, self.delivered_at) = (now, now);
    }

    pub(super) fn count_lost(&mut self, size: u64) {
        self.lost += size;
    }

    /// Returns the packet with the state that a sample will need; `in_flight` is in flight once it is sent.
    #[inline]
    pub(super) fn stamp(&self, sent: Sent, in_flight: u64) -> Sent {
        let limited = if self.is_app_limited() { APP_LIMITED } else { 0 };
        Sent {
            delivered: self.delivered as u32,
            lost: self.lost as u32,
            delivered_at: self.delivered_at,
            first_sent_at: self.first_sent_at,
            tx_in_flight: in_flight as u32,
            marks: sent.marks & !(APP_LIMITED | GIVEN_UP) | limited,
            ..sent
        }
    }

    /// Returns the sample for a lost packet: the values of a delivered one, without an interval.
    pub(super) fn sample_of_lost(&self, sent: &Sent) -> Sample {
        let delivered = u64::from((self.delivered as u32).wrapping_sub(sent.delivered));
        Sample {
            delivered,
            interval: Span::ZERO,
            prior_delivered: self.delivered - delivered,
            lost: u64::from((self.lost as u32).wrapping_sub(sent.lost)),
            tx_in_flight: u64::from(sent.tx_in_flight),
            app_limited: sent.marks & APP_LIMITED != 0,
            round_start: false,
        }
    }

    /// Counts `delivered`, of which `sent` is the packet sent last, and returns the sample.
    #[inline]
    pub(super) fn sample(&mut self, now: Time, delivered: u64, sent: &Sent) -> Sample {
        self.delivered += delivered;
        self.delivered_at = now;
        self.first_sent_at = sent.at;
        if self.app_limited_until.is_some_and(|until| self.delivered > until) {
            self.app_limited_until = None;
        }
        let over = u64::from((self.delivered as u32).wrapping_sub(sent.delivered));
        let prior_delivered = self.delivered - over;
        let round_start = prior_delivered >= self.round_ends_at;
        if round_start {
            self.round_ends_at = self.delivered;
        }
        Sample {
            delivered: over,
            interval: sent.at.since(sent.first_sent_at).max(now.since(sent.delivered_at)),
            prior_delivered,
            lost: u64::from((self.lost as u32).wrapping_sub(sent.lost)),
            tx_in_flight: u64::from(sent.tx_in_flight),
            app_limited: sent.marks & APP_LIMITED != 0,
            round_start,
        }
    }
}
