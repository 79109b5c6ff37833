//! Congestion controls.
//!
//! Everything here is sans-I/O: no clock, no random generator, no allocation per event. Time and what the network
//! did come in as arguments ([`Ack`], [`Loss`], [`Timeout`]), a [`Decision`] comes out. That lets one object sit
//! under the simulator, under QUIC and under Linux.
//!
//! Where things are:
//! * [`control`]: the interface between a host and a congestion control.
//! * [`classic`]: what window controls share (recovery, undo, slow start, floors), written once over a
//!   [`WindowLaw`].
//! * [`laws`]: the window laws, one file each.
//! * [`backoff`]: how the retransmission timeout grows.
//! * [`registry`]: every control by name.
//! * [`script`]: feeds a control a hand-written sequence of events, for tests.

pub mod backoff;
pub mod classic;
pub mod control;
pub mod laws;
pub mod registry;
pub mod script;

pub use backoff::{Backoff, Exponential};
pub use classic::{Classic, Window, WindowLaw};
pub use control::{
    Ack, Control, Decision, DeliveryRate, Initial, Loss, LossSignal, Phase, Recovered, Timeout,
};
