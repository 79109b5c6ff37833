//! How slow start grows and how it ends before a loss ends it. One slow start a file.
//!
//! The control underneath keeps its own slow start: where it lets its window rest, lowers it or sets its threshold, that
//! stands. Only how far a window grows there, and an earlier end, are the slow start's.

pub mod hystart;
pub mod hystart_plus_plus;
pub mod search;
pub mod standard;

use crate::classic::Window;
use crate::control::{Ack, Phase};
use ackclock_base::Packets;

/// Whether the control has grown in slow start for this acknowledgement.
fn has_grown(before: &Window, after: &Window, ack: &Ack) -> bool {
    ack.fresh
        && ack.phase == Phase::Open
        && before.cwnd < before.ssthresh
        && after.ssthresh == before.ssthresh
        && after.cwnd > before.cwnd
}

/// The window with so much growth instead of the control's, where that has grown.
fn regrown(before: &Window, after: Window, ack: &Ack, growth: Packets) -> Window {
    if !has_grown(before, &after, ack) {
        return after;
    }
    let mut window = *before;
    window.slow_start(growth);
    window
}

/// The end of slow start: congestion avoidance begins where the window is.
fn ended(window: Window) -> Window {
    Window { ssthresh: window.cwnd, ..window }
}

/// Whether the first slow start of a connection goes on. What serves it alone stops at its end: at the first loss, mark or
/// timeout, or where the window reaches the threshold.
#[derive(Clone, Copy, Debug, Default)]
struct First {
    over: bool,
    /// What it was before the last loss or timeout, which may prove to have been none.
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

    /// A loss or a timeout ends it; the second expiry in a row tells nothing new.
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
