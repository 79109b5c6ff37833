//! Runs a congestion control of ackclock under a transport stack that detects losses and keeps time by itself.
//!
//! A QUIC stack tells its congestion controller less than a control here hears: often neither which packets are lost nor how fast
//! the network delivered. An [`Adapter`] fills the gap. It keeps `recovery`'s [ledger](ackclock_recovery::ledger) of what the stack
//! has sent, so delivery-rate samples, rounds and lost packets are made by the same code as in the simulator, and tells the control
//! about each event once, in the order of RFC 9002 appendix A.7.
//!
//! * [`stack`]: what a stack tells and honours.
//! * [`plan`]: which control runs under which stack, and why another cannot.
//! * [`adapter`]: from a stack's events to a control's records.
//! * [`factory`]: makes the adapters of an application's connections.
//! * [`handle`]: an adapter as stacks hold it.
//! * [`outstanding`]: finds a packet by what the stack says about it.

pub mod adapter;
pub mod factory;
pub mod handle;
pub mod outstanding;
pub mod plan;
pub mod stack;

pub use adapter::{Acked, Adapter, Congestion};
pub use factory::{Maker, SplitMix};
pub use handle::Handle;
pub use plan::{Plan, Refusal};
pub use stack::Stack;

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
