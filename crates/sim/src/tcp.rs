//! A TCP connection: a sender and a receiver, each a state machine without input or output. Their methods are
//! called with packets and with the time, and they answer with packets.
//!
//! Everything is counted in packets of one size, as in the theses and in ns-2.
//!
//! * [`host`]: one host of a connection whose other host the caller plays.
//! * [`details`]: every detail that can be set.
//! * [`options`]: the profiles that bundle details, and the options of a connection.
//! * [`sender`]: the sender's reaction to acknowledgements and timers.
//! * [`segment`]: the header fields and their place in a packet.
//! * [`connection`]: sender and receiver as the ends of a flow.
//! * [`accurate_ecn`]: the count of marks.
//! * [`autotuning`]: the receive window that follows the application.
//! * [`misbehaving`]: the receiver's end if the receiver breaks the rules.
//! * `reading`: the receiver's end if the application reads slowly.
//! * [`receiver`]: cumulative and selective acknowledgements, delayed acknowledgements, echo of marks.

pub mod accurate_ecn;
pub mod autotuning;
pub mod connection;
pub mod details;
pub mod host;
pub mod misbehaving;
pub mod options;
mod persisting;
mod reading;
pub mod receiver;
pub mod segment;
pub mod sender;
