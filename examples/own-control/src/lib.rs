//! The crate of an engineer who has a congestion control for quinn: NewReno that keeps `beta` of its window at a loss.

use quinn_proto::RttEstimator;
use quinn_proto::congestion::{Controller, ControllerFactory};
use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

/// Makes a controller for each connection.
#[derive(Clone, Copy, Debug)]
pub struct GentleFactory {
    /// The fraction of the window that remains after a loss, 0 to 1.
    pub beta: f64,
}

impl ControllerFactory for GentleFactory {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        let mtu = u64::from(current_mtu);
        let (window, ssthresh) = (10 * mtu, u64::MAX);
        Box::new(Gentle { beta: self.beta, mtu, window, ssthresh, acked: 0, reduced_at: now })
    }
}

/// The controller of a connection. All amounts are in bytes.
#[derive(Clone, Debug)]
struct Gentle {
    beta: f64,
    mtu: u64,
    window: u64,
    ssthresh: u64,
    /// What was acknowledged since the window last grew in congestion avoidance.
    acked: u64,
    /// When the window was last reduced: packets sent before belong to a loss that is answered.
    reduced_at: Instant,
}

impl Controller for Gentle {
    fn on_ack(&mut self, _: Instant, sent: Instant, bytes: u64, app_limited: bool, _: &RttEstimator) {
        if app_limited || sent <= self.reduced_at {
            return;
        }
        if self.window < self.ssthresh {
            self.window += bytes;
            return;
        }
        self.acked += bytes;
        if self.acked >= self.window {
            self.acked -= self.window;
            self.window += self.mtu;
        }
    }

    fn on_congestion_event(&mut self, now: Instant, sent: Instant, persistent: bool, _lost_bytes: u64) {
        if sent <= self.reduced_at {
            return;
        }
        self.reduced_at = now;
        self.window = ((self.window as f64 * self.beta) as u64).max(2 * self.mtu);
        self.ssthresh = self.window;
        if persistent {
            self.window = 2 * self.mtu;
        }
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.mtu = u64::from(new_mtu);
        self.window = self.window.max(2 * self.mtu);
    }

    fn window(&self) -> u64 {
        self.window
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }

    fn initial_window(&self) -> u64 {
        10 * self.mtu
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
