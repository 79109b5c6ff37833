//! What has been delivered and lost since the connection began, and how fast (draft-ietf-ccwg-bbr section 4.1, "Delivery Rate
//! Samples").

#[cfg(test)]
mod tests;

use super::{APP_LIMITED, GIVEN_UP, Sent};
use ackclock_base::{Span, Time};

/// The totals, and what a sample is taken from. Time zero and nothing delivered are as good as any other: nothing here
/// means "none" by them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Delivery {
    delivered: u64,
    lost: u64,
    delivered_at: Time,
    first_sent_at: Time,
    /// While the application's running dry may still show: until more than this has been delivered.
    app_limited_until: Option<u64>,
    /// The round trip ends when a packet is acknowledged that was sent with so much delivered.
    round_ends_at: u64,
}

/// A sample of the delivery rate, in the transport's own unit, before it is divided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// How much was delivered during the interval.
    pub delivered: u64,
    /// The longer of the interval of sending and that of acknowledging.
    pub interval: Span,
    /// How much had been delivered when the sampled packet was sent.
    pub prior_delivered: u64,
    /// How much was given up for lost since then.
    pub lost: u64,
    /// How much was in flight when it was sent, itself included.
    pub tx_in_flight: u64,
    /// Whether the application had run dry.
    pub app_limited: bool,
    /// Whether a round trip ends with it.
    pub round_start: bool,
}

impl Delivery {
    /// How much has been delivered, acknowledged either way.
    pub fn delivered(&self) -> u64 {
        self.delivered
    }

    /// How much has been given up for lost, also what turned out not to be.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Whether what is sent now counts as limited by the application.
    pub fn is_app_limited(&self) -> bool {
        self.app_limited_until.is_some()
    }

    pub(super) fn note_app_limited(&mut self, inflight: u64) {
        // The draft has at least 1 here, since 0 means none there: a byte, but in packets one too many.
        self.app_limited_until = Some(self.delivered + inflight);
    }

    /// A flight begins with nothing in the network: its interval counts from now.
    pub(super) fn begin_flight(&mut self, now: Time) {
        (self.first_sent_at, self.delivered_at) = (now, now);
    }

    pub(super) fn count_lost(&mut self, size: u64) {
        self.lost += size;
    }

    /// Notes on a packet that is being sent what a sample will need; with it so much is in flight.
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

    /// What there is to say of a packet that is given up: the same as of one that is delivered, except for times.
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

    /// An acknowledgement has delivered so much, of which this packet was sent last.
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
