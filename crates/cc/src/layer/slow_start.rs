//! Slow starts: how the window grows, and what ends slow start before a loss does. Each slow start has a file
//! of its own.
//!
//! The control underneath keeps its own slow start: if it leaves its window, lowers it or sets its threshold,
//! that stands. The layer only changes the amount of growth, and may end slow start earlier.

pub mod hystart;
pub mod hystart_plus_plus;
pub mod search;
pub mod standard;

use crate::classic::Window;
use crate::control::{Ack, Phase};
use ackclock_base::Packets;

/// Returns whether the control has grown its window in slow start for this acknowledgement.
fn has_grown(before: &Window, after: &Window, ack: &Ack) -> bool {
    ack.fresh
        && ack.phase == Phase::Open
        && before.cwnd < before.ssthresh
        && after.ssthresh == before.ssthresh
        && after.cwnd > before.cwnd
}

/// Returns the window with `growth` packets instead of the control's growth, if the control has grown.
fn regrown(before: &Window, after: Window, ack: &Ack, growth: Packets) -> Window {
    if !has_grown(before, &after, ack) {
        return after;
    }
    let mut window = *before;
    window.slow_start(growth);
    window
}

/// Ends slow start: congestion avoidance begins at the present window.
fn ended(window: Window) -> Window {
    Window { ssthresh: window.cwnd, ..window }
}

/// Whether the first slow start of a connection is over. It ends at the first loss, mark or timeout, or when
/// the window reaches the threshold.
#[derive(Clone, Copy, Debug, Default)]
struct First {
    over: bool,
    /// The value before the last loss or timeout, in case that proves spurious.
    was_over: bool,
}

impl First {
    fn goes_on(&mut self, window: &Window) -> bool {
        self.over |= window.cwnd >= window.ssthresh;
        !self.over
    }

    fn end(&mut self) {
        self.over = true;
    }

    /// Ends the first slow start at a loss or a timeout. A further expiry in a row leaves the value to return
    /// to as it is.
    fn lose(&mut self, in_a_row: u32) {
        if in_a_row <= 1 {
            self.was_over = self.over;
        }
        self.over = true;
    }

    fn resume(&mut self) {
        self.over = self.was_over;
    }
}
