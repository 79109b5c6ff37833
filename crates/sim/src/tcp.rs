//! A TCP connection: a sender and a receiver, each a state machine without input or output. They are told of
//! packets and of the time, and answer with packets.
//!
//! Everything is counted in packets of one size, as in the theses and in ns-2.
//!
//! * [`details`]: every detail that can be set.
//! * [`options`]: the profiles that bundle them, and what a connection makes of them.
//! * [`sender`]: what the sending side does with acknowledgements and timers.
//! * [`segment`]: what they tell each other, in a packet's header.
//! * [`connection`]: both as ends of a flow.
//! * [`accurate_ecn`]: the count of marks.
//! * [`autotuning`]: the receive window that follows the application.
//! * `reading`: the receiver's end where the application reads slowly.
//! * [`receiver`]: cumulative and selective acknowledgements, delayed acknowledgements, echo of marks.

pub mod accurate_ecn;
pub mod autotuning;
pub mod connection;
pub mod details;
pub mod options;
mod persisting;
mod reading;
pub mod receiver;
pub mod segment;
pub mod sender;
