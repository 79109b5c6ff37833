//! Any congestion control of ackclock for applications that use [quinn](https://docs.rs/quinn).
//!
//! ```
//! use quinn_proto::TransportConfig;
//!
//! let control = ackclock_quinn::control("cubic")?.with("beta", "0.8")?;
//! let mut transport = TransportConfig::default();
//! transport.congestion_controller_factory(ackclock_quinn::factory(&control));
//! # Ok::<(), ackclock_quinn::Refusal>(())
//! ```
//!
//! quinn paces the window over the round trip by itself, so a control that decides a rate is refused. It names no packet: an
//! acknowledged packet is found by when it was sent and by its size, lost packets are the oldest ones that add up to what was lost.
//! It tells whether an acknowledgement reported marks, not how many, and does not tell marks from losses but by the number of bytes.

use ackclock_adapter::{Acked, Congestion, Handle, Maker, Stack};
pub use ackclock_adapter::{Plan, Refusal};
use quinn_proto::RttEstimator;
use quinn_proto::congestion::{Controller, ControllerFactory, ControllerMetrics};
use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

/// What quinn tells a controller, and what it honours.
pub const QUINN: Stack =
    Stack { name: "quinn", honours_rates: false, names_packets: false, counts_marks: false };

/// Returns the plan to run the registered control called `name` under quinn. [`Plan::with`] sets its parameters.
///
/// # Errors
/// When there is no such control, or quinn cannot run it.
pub fn control(name: &str) -> Result<Plan, Refusal> {
    Plan::named(name, QUINN)
}

/// Returns a factory as quinn's configuration takes it. Connections that it serves know of each other where the algorithm is one for
/// several connections.
pub fn factory(plan: &Plan) -> Arc<dyn ControllerFactory + Send + Sync> {
    Arc::new(Factory(Maker::new(plan)))
}

struct Factory(Maker);

impl ControllerFactory for Factory {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        let handle = self.0.connection(current_mtu, now);
        Box::new(Control { handle, next_key: 0, mtu: current_mtu })
    }
}

/// A control of ackclock as a controller of quinn. Clones, which quinn makes when a path changes, are the same control.
#[derive(Clone, Debug)]
pub struct Control {
    handle: Handle,
    next_key: u64,
    /// The largest datagram at present, in bytes.
    mtu: u16,
}

impl Control {
    /// Shows the inside of the control: calls `series(name, value)` for each value.
    pub fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        self.handle.adapter().publish(series);
    }
}

impl Controller for Control {
    fn on_sent(&mut self, now: Instant, bytes: u64, _last_packet_number: u64) {
        // With segmentation offload one call is for several datagrams, all of the largest size but for the last.
        let now = self.handle.time(now);
        let mut adapter = self.handle.adapter();
        let mut left = bytes;
        while left > 0 {
            let size = left.min(u64::from(self.mtu.max(1)));
            adapter.on_sent(now, self.next_key, size as u16);
            self.next_key += 1;
            left -= size;
        }
    }

    fn on_ack(&mut self, now: Instant, sent: Instant, bytes: u64, app_limited: bool, _rtt: &RttEstimator) {
        let (now, sent) = (self.handle.time(now), self.handle.time(sent));
        self.handle.adapter().on_acked(Acked { now, sent, key: None, bytes, app_limited });
    }

    fn on_end_acks(&mut self, _now: Instant, in_flight: u64, _app_limited: bool, _largest: Option<u64>) {
        self.handle.adapter().on_acked_all(in_flight);
    }

    fn on_congestion_event(
        &mut self,
        now: Instant,
        sent: Instant,
        is_persistent_congestion: bool,
        lost_bytes: u64,
    ) {
        self.handle.adapter().on_congestion(Congestion {
            now: self.handle.time(now),
            sent: self.handle.time(sent),
            lost_bytes,
            is_persistent: is_persistent_congestion,
            is_mark: lost_bytes == 0,
        });
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        // Datagrams grow. The control goes on counting in packets of the first size.
        self.mtu = new_mtu;
    }

    fn window(&self) -> u64 {
        self.handle.adapter().window_bytes()
    }

    fn metrics(&self) -> ControllerMetrics {
        let mut adapter = self.handle.adapter();
        let mut metrics = ControllerMetrics::default();
        metrics.congestion_window = adapter.window_bytes();
        metrics.ssthresh = adapter.threshold_bytes();
        metrics
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }

    fn initial_window(&self) -> u64 {
        self.handle.adapter().window_bytes()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
