//! The sender's probing of a window that a slow receiving application has closed (RFC 9260 section 6.1 rule
//! A).
//!
//! A probe repeats the last acknowledged chunk, which the receiver answers at once with its window and
//! otherwise ignores. By rule A it does not count as in flight for the congestion window, nor as an error.

use super::association::Association;
use super::message::{Data, Message, MessageWire};
use ackclock_base::Time;

/// The state of window probing.
#[derive(Clone, Debug)]
pub(super) struct WindowProbing {
    /// Whether the receiving application reads slowly. If so, a closed window is probed; otherwise one chunk
    /// is always allowed.
    is_needed: bool,
    due: Time,
    /// One past the last chunk sent when the window was found closed. If more has been sent since, the wait
    /// begins anew.
    high: u64,
    in_a_row: u32,
}

/// The largest number of doublings of the interval. The largest timeout is reached long before.
const MAX_DOUBLINGS: u32 = 16;

impl WindowProbing {
    pub(super) fn new(is_needed: bool) -> Self {
        Self { is_needed, due: Time::NEVER, high: 0, in_a_row: 0 }
    }

    pub(super) fn due(&self) -> Time {
        self.due
    }

    /// Returns whether the receiving application reads slowly.
    #[inline]
    pub(super) fn is_needed(&self) -> bool {
        self.is_needed
    }

    /// Returns the number of chunks that may be sent whatever the window, with `in_flight` chunks in flight.
    #[inline]
    pub(super) fn always(&self, in_flight: u64) -> u64 {
        u64::from(in_flight == 0 && !self.is_needed)
    }
}

impl Association {
    /// Returns the number of window probes sent since the end of the warm-up; `None` if the receiver's
    /// application reads at once.
    pub fn window_probes(&self) -> Option<u64> {
        Some(self.counts.window_probes).filter(|_| self.window_probing.is_needed)
    }

    /// Returns whether only the closed window holds data back and no chunk is under way whose SACK would open
    /// it.
    fn is_closed(&self) -> bool {
        let has_more = self.chunks.high() < self.data_until;
        has_more && self.chunks.in_flight() == 0 && self.chunks.all_waiting() == 0 && self.room() == 0
    }

    /// Returns whether the receiver keeps dropping the chunk that has timed out for lack of room: SACKs have
    /// arrived since the last timeout, and the window has no room for a chunk. Such a timeout is no error
    /// (section 6.1 rule A). Called once for each timeout.
    pub(super) fn is_refused(&mut self) -> bool {
        let is_heard = std::mem::take(&mut self.is_heard);
        is_heard && self.window_probing.is_needed && self.window < u64::from(self.options.sizes.payload)
    }

    /// Called when no new data may be sent. Starts the wait if the window is closed. The first probe is sent
    /// after an RTO.
    #[cold]
    pub(super) fn watch_window(&mut self, now: Time) {
        let high = self.chunks.high();
        let waits = self.window_probing.due < Time::NEVER && self.window_probing.high == high;
        if waits || !self.is_closed() {
            return;
        }
        (self.window_probing.in_a_row, self.window_probing.high) = (0, high);
        self.wait_for_window(now);
    }

    fn wait_for_window(&mut self, now: Time) {
        let path = &self.paths[self.current];
        let factor = 1 << self.window_probing.in_a_row.min(MAX_DOUBLINGS);
        let interval = (path.sender.rto() * factor).min(self.options.details.timer.max_rto);
        self.window_probing.due = now + interval;
        self.set_own_timer();
    }

    /// Called when the window has been closed for the interval. Sends a probe; the next interval is twice as
    /// long, up to the largest timeout.
    pub(super) fn probe_window(&mut self, now: Time, wire: &mut impl MessageWire) {
        self.window_probing.due = Time::NEVER;
        self.set_own_timer();
        let Some(tsn) = self.chunks.first().checked_sub(1) else { return };
        if self.window_probing.high != self.chunks.high() || !self.is_closed() {
            return;
        }
        wire.send(self.current, &Message::Data(Data { tsn, sent: now }));
        self.counts.window_probes += 1;
        self.window_probing.in_a_row += 1;
        self.wait_for_window(now);
    }
}
