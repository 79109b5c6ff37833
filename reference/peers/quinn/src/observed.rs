//! quinn's own controls behind one that looks on: what is in flight, and the window.
//!
//! It also takes away two things that belong to no rule of RFC 9002's for losses, so that packets can be compared one by one. There
//! is no pacing, which quinn has none of where the window is beyond 4 GiB; and what fits into the window is sent, while quinn would
//! stop a packet earlier, where what is in flight with it comes to the window.

use quinn_proto::RttEstimator;
use quinn_proto::congestion::{Controller, ControllerFactory};
use std::any::Any;
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// Bytes of a full packet, above UDP.
pub const PACKET: u64 = 1200;

/// What has been seen.
#[derive(Debug, Default)]
pub struct Seen {
    pub in_flight: u64,
    pub window: u64,
    /// Packets since this was last emptied: their numbers.
    pub sent: Vec<u64>,
}

/// A control, and where what is seen of it goes.
pub struct Observed {
    inner: Box<dyn Controller>,
    seen: Arc<Mutex<Seen>>,
}

impl Observed {
    fn note(&self, change: impl FnOnce(&mut Seen)) {
        let mut seen = self.seen.lock().expect("one thread");
        change(&mut seen);
        seen.window = self.inner.window();
    }
}

impl Controller for Observed {
    fn on_sent(&mut self, now: Instant, bytes: u64, number: u64) {
        self.inner.on_sent(now, bytes, number);
        // An acknowledgement alone is not in flight.
        if bytes > PACKET / 10 {
            self.note(|seen| {
                seen.in_flight += bytes;
                seen.sent.push(number);
            });
        }
    }

    fn on_ack(&mut self, now: Instant, sent: Instant, bytes: u64, app_limited: bool, rtt: &RttEstimator) {
        self.inner.on_ack(now, sent, bytes, app_limited, rtt);
        self.note(|seen| seen.in_flight = seen.in_flight.saturating_sub(bytes));
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, app_limited: bool, largest: Option<u64>) {
        self.inner.on_end_acks(now, in_flight, app_limited, largest);
        self.note(|seen| seen.in_flight = in_flight);
    }

    fn on_congestion_event(&mut self, now: Instant, sent: Instant, persistent: bool, lost: u64) {
        self.inner.on_congestion_event(now, sent, persistent, lost);
        self.note(|seen| seen.in_flight = seen.in_flight.saturating_sub(lost));
    }

    fn on_mtu_update(&mut self, mtu: u16) {
        self.inner.on_mtu_update(mtu);
    }

    fn window(&self) -> u64 {
        let window = self.inner.window();
        let in_flight = self.seen.lock().expect("one thread").in_flight;
        if in_flight + PACKET <= window { u64::MAX >> 1 } else { window }
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(Self { inner: self.inner.clone_box(), seen: self.seen.clone() })
    }

    fn initial_window(&self) -> u64 {
        self.inner.initial_window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// Makes them.
pub struct Factory {
    pub inner: Arc<dyn ControllerFactory + Send + Sync>,
    pub seen: Arc<Mutex<Seen>>,
}

impl ControllerFactory for Factory {
    fn build(self: Arc<Self>, now: Instant, mtu: u16) -> Box<dyn Controller> {
        Box::new(Observed { inner: self.inner.clone().build(now, mtu), seen: self.seen.clone() })
    }
}
