//! The window to which a connection returns after a repaired loss or after ProbeRTT (draft-ietf-ccwg-bbr
//! section 5.6.4.4).

use crate::control::{Ack, Phase};
use ackclock_base::Packets;

/// The recovery in progress, and the window saved before it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Repair {
    /// Whether fast recovery is in progress.
    fast: bool,
    /// After a timeout, the packet number below which everything must be acknowledged; `None` otherwise.
    until: Option<u64>,
    /// `prior_cwnd`: the saved window, in packets.
    cwnd: Packets,
}

impl Repair {
    /// Returns whether a recovery is in progress. All losses during it belong to one episode.
    pub fn goes_on(&self) -> bool {
        self.fast || self.until.is_some()
    }

    /// Saves the window (`BBRSaveCwnd`). `small` says that the window is already reduced, for ProbeRTT. In
    /// that case, or during a recovery, a larger window that was saved before is kept.
    pub fn save(&mut self, cwnd: Packets, small: bool) {
        self.cwnd = if small || self.goes_on() { self.cwnd.max(cwnd) } else { cwnd };
    }

    /// Begins fast recovery and saves the window.
    pub fn begin(&mut self, cwnd: Packets, small: bool) {
        self.save(cwnd, small);
        self.fast = true;
    }

    /// Begins a recovery after a timeout; `sent_to` is one past the last packet sent.
    pub fn begin_after_timeout(&mut self, cwnd: Packets, small: bool, sent_to: u64) {
        self.save(cwnd, small);
        (self.fast, self.until) = (false, Some(sent_to));
    }

    /// Updates the state at an acknowledgement. Returns whether it ends the recovery that began with a
    /// timeout; the host reports the end of fast recovery itself.
    pub fn ends_with(&mut self, ack: &Ack) -> bool {
        self.fast &= ack.phase == Phase::Recovery;
        let ended = self.until.is_some_and(|until| ack.acked_to >= until);
        if ended {
            self.until = None;
        }
        ended
    }

    /// Ends the recovery, because all is repaired or nothing was lost.
    pub fn end(&mut self) {
        (self.fast, self.until) = (false, None);
    }

    /// Returns the larger of `cwnd` and the saved window (`BBRRestoreCwnd`).
    pub fn restored(&self, cwnd: Packets) -> Packets {
        cwnd.max(self.cwnd)
    }
}
