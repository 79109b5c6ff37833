//! The window that a connection returns to when a loss is repaired or ProbeRTT is over (draft-ietf-ccwg-bbr section 5.6.4.4).

use crate::control::{Ack, Phase};
use ackclock_base::Packets;

/// What is being repaired, and the window before.
#[derive(Clone, Copy, Debug, Default)]
pub struct Repair {
    /// In fast recovery.
    fast: bool,
    /// After a timeout, until everything below this number is acknowledged.
    until: Option<u64>,
    /// `prior_cwnd`.
    cwnd: Packets,
}

impl Repair {
    /// Whether a loss is being repaired: all that is lost meanwhile is of the same episode.
    pub fn goes_on(&self) -> bool {
        self.fast || self.until.is_some()
    }

    /// `BBRSaveCwnd`; `small` if the window is already smaller than it would be, for a probe of the round trip.
    pub fn save(&mut self, cwnd: Packets, small: bool) {
        self.cwnd = if small || self.goes_on() { self.cwnd.max(cwnd) } else { cwnd };
    }

    /// Fast recovery begins.
    pub fn begin(&mut self, cwnd: Packets, small: bool) {
        self.save(cwnd, small);
        self.fast = true;
    }

    /// A timeout, with packets sent up to this number.
    pub fn begin_after_timeout(&mut self, cwnd: Packets, small: bool, sent_to: u64) {
        self.save(cwnd, small);
        (self.fast, self.until) = (false, Some(sent_to));
    }

    /// Takes an acknowledgement in. Whether what began with a timeout ends with it; the host tells the end of fast recovery.
    pub fn ends_with(&mut self, ack: &Ack) -> bool {
        self.fast &= ack.phase == Phase::Recovery;
        let ended = self.until.is_some_and(|until| ack.acked_to >= until);
        if ended {
            self.until = None;
        }
        ended
    }

    /// All is repaired, or nothing was lost.
    pub fn end(&mut self) {
        (self.fast, self.until) = (false, None);
    }

    /// `BBRRestoreCwnd`.
    pub fn restored(&self, cwnd: Packets) -> Packets {
        cwnd.max(self.cwnd)
    }

    /// Packets have changed their size.
    pub fn scale(&mut self, factor: f64) {
        self.cwnd *= factor;
    }
}
