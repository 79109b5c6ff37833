//! The bounds on every window. They belong to the transport, not to the law.

use super::{MAX_CWND, MIN_SSTHRESH, Window};
use crate::control::Initial;
use ackclock_base::Packets;

/// The smallest windows of a connection.
#[derive(Clone, Copy, Debug)]
pub struct Floors {
    /// The smallest window after a loss or a mark: [`Initial::min_window`], and at least `ever`.
    after_loss: Packets,
    /// The smallest window of all: [`Initial::loss_window`], and at least one packet, so that something can
    /// be sent.
    ever: Packets,
}

impl Floors {
    /// Takes the floors from the transport's settings.
    pub fn of(initial: &Initial) -> Self {
        let ever = initial.loss_window.max(1.0);
        Self { ever, after_loss: initial.min_window.max(ever) }
    }

    /// Keeps a window and its threshold within bounds. NaN becomes the floor.
    pub fn clamp(&self, window: &mut Window) {
        let Window { cwnd, ssthresh } = window;
        // A NaN (0/0 in a law) would otherwise stop the connection for ever: treat it as the floor.
        *cwnd = if cwnd.is_nan() { self.ever } else { cwnd.max(self.ever).min(MAX_CWND) };
        *ssthresh = if ssthresh.is_nan() { MIN_SSTHRESH } else { ssthresh.max(1.0) };
    }

    /// Returns the smallest window, in packets, after a timeout.
    pub fn after_timeout(&self) -> Packets {
        self.ever
    }

    /// Returns the smallest window, in packets, after a loss or a mark.
    pub fn after_loss(&self) -> Packets {
        self.after_loss
    }
}
