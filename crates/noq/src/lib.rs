//! Any congestion control of ackclock for applications that use [noq](https://docs.rs/noq).
//!
//! ```
//! use noq_proto::TransportConfig;
//!
//! let control = ackclock_noq::control("cubic")?.with("beta", "0.8")?;
//! let mut transport = TransportConfig::default();
//! transport.congestion_controller_factory(ackclock_noq::factory(&control));
//! # Ok::<(), ackclock_noq::Refusal>(())
//! ```
//!
//! noq paces at the rate that a control decides, and names each packet that it acknowledges or gives up. It tells whether an
//! acknowledgement reported marks, not how many: a control that counts marks (`dctcp`, `prague`) hears of one for each such
//! acknowledgement.

use ackclock_adapter::{Acked, Congestion, Handle, Maker, Stack};
pub use ackclock_adapter::{Plan, Refusal};
use noq_proto::RttEstimator;
use noq_proto::congestion::{Controller, ControllerFactory, ControllerMetrics};
use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

/// What noq tells a controller, and what it honours.
pub const NOQ: Stack = Stack { name: "noq", honours_rates: true, names_packets: true, counts_marks: false };

/// Returns the plan to run the registered control called `name` under noq. [`Plan::with`] sets its parameters.
///
/// # Errors
/// When there is no such control, or noq cannot run it.
pub fn control(name: &str) -> Result<Plan, Refusal> {
    Plan::named(name, NOQ)
}

/// Returns a factory as noq's configuration takes it. Connections that it serves know of each other where the algorithm is one for
/// several connections.
pub fn factory(plan: &Plan) -> Arc<dyn ControllerFactory + Send + Sync> {
    Arc::new(Factory(Maker::new(plan)))
}

struct Factory(Maker);

impl ControllerFactory for Factory {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        Box::new(Control { handle: self.0.connection(current_mtu, now) })
    }
}

/// A control of ackclock as a controller of noq. Clones, which noq makes when a path changes, are the same control.
#[derive(Clone, Debug)]
pub struct Control {
    handle: Handle,
}

impl Control {
    /// Shows the inside of the control: calls `series(name, value)` for each value.
    pub fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        self.handle.adapter().publish(series);
    }
}

impl Controller for Control {
    fn on_packet_sent(&mut self, now: Instant, bytes: u16, pn: u64) {
        self.handle.adapter().on_sent(self.handle.time(now), pn, bytes);
    }

    fn on_cwnd_limited(&mut self) {
        self.handle.adapter().on_window_limited();
    }

    fn on_ack(
        &mut self,
        now: Instant,
        sent: Instant,
        bytes: u64,
        pn: u64,
        app_limited: bool,
        _rtt: &RttEstimator,
    ) {
        let (now, sent) = (self.handle.time(now), self.handle.time(sent));
        self.handle.adapter().on_acked(Acked { now, sent, key: Some(pn), bytes, app_limited });
    }

    fn on_end_acks(&mut self, _now: Instant, in_flight: u64, _app_limited: bool, _largest: Option<u64>) {
        self.handle.adapter().on_acked_all(in_flight);
    }

    fn on_packet_lost(&mut self, _lost_bytes: u16, pn: u64, now: Instant) {
        self.handle.adapter().on_lost(self.handle.time(now), pn);
    }

    fn on_congestion_event(
        &mut self,
        now: Instant,
        sent: Instant,
        is_persistent_congestion: bool,
        is_ecn: bool,
        lost_bytes: u64,
        _largest_lost_pn: u64,
    ) {
        self.handle.adapter().on_congestion(Congestion {
            now: self.handle.time(now),
            sent: self.handle.time(sent),
            lost_bytes,
            is_persistent: is_persistent_congestion,
            is_mark: is_ecn,
        });
    }

    fn on_spurious_congestion_event(&mut self) {
        self.handle.adapter().on_spurious();
    }

    fn on_mtu_update(&mut self, _new_mtu: u16) {
        // The control goes on counting in packets of the first size.
    }

    fn window(&self) -> u64 {
        self.handle.adapter().window_bytes()
    }

    fn metrics(&self) -> ControllerMetrics {
        let mut adapter = self.handle.adapter();
        let mut metrics = ControllerMetrics::default();
        metrics.congestion_window = adapter.window_bytes();
        metrics.ssthresh = adapter.threshold_bytes();
        metrics.pacing_rate = adapter.bytes_per_second();
        metrics.send_quantum = adapter.quantum_bytes();
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
