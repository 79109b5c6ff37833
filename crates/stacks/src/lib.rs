//! Whole QUIC stacks as endpoints of the simulator.
//!
//! * [`connection`]: what a stack must offer.
//! * [`end`]: connects a stack to the simulated network.
//! * [`stack`]: the stacks, in one list.
//! * [`control`]: the congestion controls that run under a stack: its own, and ours.
//! * [`noq`], [`quinn`]: a stack each. [`library`]: stacks in shared libraries, of any language.
//! * [`drill`]: a connection over a scripted path, and what its sender does.
//! * [`handshake`]: a cryptographic handshake that hides nothing, so no TLS library is needed and nothing is drawn at random.

pub mod connection;
pub mod control;
pub mod drill;
pub mod end;
pub mod handshake;
pub mod library;
pub mod noq;
mod plain;
pub mod quinn;
pub mod stack;

pub use ackclock_adapter::{Plan, Refusal};
pub use connection::{Connection, Connections, State};
pub use control::{Control, Factory, OwnControl};
pub use end::{Application, End, Packing, StackReport};
pub use stack::{STACKS, Stack, packing};

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
