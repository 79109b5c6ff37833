//! Whole QUIC stacks as endpoints of the simulator.
//!
//! * [`connection`]: what a stack must offer.
//! * [`end`]: connects a stack to the simulated network.
//! * [`control`]: the congestion controls that run under a stack: its own, and ours.
//! * [`noq`], [`quinn`]: a stack each.
//! * [`handshake`]: a cryptographic handshake that hides nothing, so no TLS library is needed and nothing is drawn at random.

pub mod connection;
pub mod control;
pub mod end;
pub mod handshake;
pub mod noq;
pub mod quinn;

pub use connection::{Connection, State};
pub use control::{Control, OwnControl};
pub use end::{Application, End};
