//! Congestion controls.
//!
//! Everything here is sans-I/O: no clock, no random generator, no allocation per event. Time and the events
//! of the network are arguments ([`Ack`], [`Loss`], [`Timeout`]), a [`Decision`] is the result. One object
//! can therefore serve the simulator, QUIC and Linux.
//!
//! The modules:
//! * [`control`]: the interface between a host and a congestion control.
//! * [`classic`]: the part that window controls share (recovery, undo, slow start, floors), written once over
//!   a [`WindowLaw`].
//! * [`laws`]: the window laws, one file each.
//! * [`bbr`]: controls with a model of the path, BBRv1 and BBRv3.
//! * [`group`]: the part that controls of connections with shared state have in common; their laws are in
//!   [`laws`] too.
//! * [`differentiation`]: any control with a loss discriminator around it, and [`action`]s for losses of
//!   transmission.
//! * [`layer`]: layers around any window: slow starts, responses to marks, limits of growth.
//! * [`backoff`]: the rule by which the retransmission timeout grows.
//! * [`selector`]: which of several paths new data takes.
//! * [`assembly`]: makes a connection's control from its parts. [`observed`]: puts an observer around it.
//! * [`entry`]: the registry entry of a control or a part; [`registry`]: all entries by name.
//! * [`script`]: feeds a control a hand-written sequence of events, for tests; [`group_script`]: does so for
//!   the members of a group.

pub mod action;
pub mod assembly;
pub mod backoff;
pub mod bbr;
pub mod classic;
pub mod control;
pub mod differentiation;
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
    Probe, Properties, RateSample, Recovered, Sent, Timeout, WindowControl,
};
pub use differentiation::{Cause, Counted, IncomingAck, LossDifferentiation};
pub use group::ControlGroup;
pub use selector::PathSelector;

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
