//! The bounds on every window, which are the transport's and not the law's.

use super::{MAX_CWND, MIN_SSTHRESH, Window};
use crate::control::Initial;
use ackclock_base::Packets;

/// The least windows of a connection.
#[derive(Clone, Copy, Debug)]
pub struct Floors {
    /// [`Initial::min_window`].
    after_loss: Packets,
    /// [`Initial::loss_window`]; at least a packet, or nothing could be sent.
    ever: Packets,
}

impl Floors {
    /// The floors of a transport.
    pub fn of(initial: &Initial) -> Self {
        let ever = initial.loss_window.max(1.0);
        Self { ever, after_loss: initial.min_window.max(ever) }
    }

    /// Keeps a window within its bounds.
    pub fn clamp(&self, window: &mut Window) {
        let Window { cwnd, ssthresh } = window;
        // A NaN (0/0 in a law) would otherwise stop the connection for ever: treat it as the floor.
        *cwnd = if cwnd.is_nan() { self.ever } else { cwnd.max(self.ever).min(MAX_CWND) };
        *ssthresh = if ssthresh.is_nan() { MIN_SSTHRESH } else { ssthresh.max(1.0) };
    }

    /// The least window that a timeout leaves.
    pub fn after_timeout(&self) -> Packets {
        self.ever
    }

    /// The least window that a loss or a mark leaves.
    pub fn after_loss(&self) -> Packets {
        self.after_loss
    }
}
