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
//! * [`bbr`]: controls with a model of the path, BBRv1 and BBRv3.
//! * [`group`]: what controls share whose connections know of each other; [`laws`] has their laws too.
//! * [`discern`]: any control with a loss discriminator around it, and [`action`]s for losses of transmission.
//! * [`layer`]: what stands around any window: slow starts, responses to marks, limits of growth.
//! * [`backoff`]: how the retransmission timeout grows.
//! * [`selector`]: which of several paths new data takes.
//! * [`assembly`]: a connection's control from its parts. [`observed`]: one that somebody listens to.
//! * [`entry`]: what is registered of a control and its parts; [`registry`]: every one of them by name.
//! * [`script`]: feeds a control a hand-written sequence of events, for tests; [`group_script`]: the members of a group.

pub mod action;
pub mod assembly;
pub mod backoff;
pub mod bbr;
pub mod classic;
pub mod control;
pub mod discern;
pub mod entry;
pub mod group;
pub mod group_script;
pub mod laws;
pub mod layer;
pub mod observed;
pub mod registry;
pub mod script;
pub mod selector;

pub use assembly::{Assembly, Controller, Part};
pub use backoff::{Backoff, Exponential};
pub use classic::{Classic, Window, WindowLaw};
pub use control::{
    Ack, Change, Control, Decision, EcnResponse, Ending, Follows, Initial, Loss, LossSignal, Lost, Phase,
    Probe, RateSample, Recovered, Sent, Timeout, WindowControl,
};
pub use discern::{Cause, Counted, Discernment, IncomingAck};
pub use group::ControlGroup;
pub use selector::PathSelector;
