//! An SCTP association (RFC 9260): a sender and a receiver over one or several paths, each a state machine without input or
//! output. They are told of messages and of the time, and answer with messages.
//!
//! The association knows TSNs, gaps, streams, and which path carried what; each path has a sender of
//! [`ackclock_recovery`] of its own, which knows the numbers of the packets on it, and none of the rest.
//!
//! * [`details`]: every detail that can be set. [`options`]: the profiles that bundle them.
//! * [`message`]: what the ends tell each other, and how it stands in a packet's header.
//! * [`association`]: the sending side. `sack`: what an acknowledgement does. [`chunks`]: what is outstanding.
//!   `transmitting`: what is sent when.
//! * [`path`]: a path to the other end; [`reachability`]: whether it works; [`heartbeat`]: how that is found out.
//! * [`handshake`]: four messages and a cookie.
//! * [`receiver`]: cumulative acknowledgement and gaps. [`streams`]: what the application has.
//! * `reading`, `persisting`: what becomes of both where the receiving application reads slowly.
//! * [`connection`]: both as ends of a flow. [`counts`]: what is counted of it.

pub mod association;
pub mod chunks;
pub mod connection;
pub mod counts;
pub mod details;
pub mod handshake;
pub mod heartbeat;
mod held;
pub mod message;
pub mod options;
pub mod path;
mod persisting;
pub mod reachability;
mod reading;
pub mod receiver;
mod retransmission;
mod sack;
pub mod streams;
mod transmitting;
