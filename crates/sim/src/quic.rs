//! A QUIC connection with one stream (RFC 9000, RFC 9002): a sender and a receiver, each a state machine without input or
//! output. They are told of datagrams and of the time, and answer with datagrams.
//!
//! No packet number is used twice. What a lost packet carried goes out again in a later packet, so the numbers that recovery
//! counts and those that the application's data has are different ones.
//!
//! * [`details`]: every detail that can be set. [`options`]: what a connection makes of them.
//! * [`sender`]: what the sending side does with acknowledgements and timers; [`cargo`]: what its packets carry.
//! * [`receiver`]: when and how it acknowledges.
//! * [`datagram`]: what they tell each other, in a packet's header.
//! * [`credit`], `reading`: flow control where the receiving application reads slowly.
//! * [`connection`]: both as ends of a flow.

pub mod cargo;
pub mod connection;
pub mod credit;
pub mod datagram;
pub mod details;
pub mod options;
mod reading;
pub mod receiver;
pub mod sender;
