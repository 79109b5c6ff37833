//! An SCTP association (RFC 9260): a sender and a receiver over one or several paths, each a state machine
//! without input or output. Their methods are called with messages and with the time, and they answer with
//! messages.
//!
//! The association handles TSNs, gaps, streams, and the path that carried each chunk. Each path has its own
//! sender of [`ackclock_recovery`], which knows only the numbers of the packets on that path.
//!
//! * [`details`]: every detail that can be set. [`options`]: the profiles that bundle details.
//! * [`message`]: the chunks and their place in a packet's header.
//! * [`association`]: the sending side. `sack`: the processing of SACKs. [`chunks`]: the outstanding chunks.
//!   `transmitting`: what is sent when.
//! * [`path`]: a path to the other end; [`reachability`]: whether it works; [`heartbeat`]: its HEARTBEATs.
//! * [`handshake`]: four messages and a cookie.
//! * [`receiver`]: cumulative acknowledgement and gaps. [`streams`]: delivery to the application.
//! * `reading`, `persisting`: receiver and sender if the receiving application reads slowly.
//! * [`connection`]: sender and receiver as the ends of a flow. [`counts`]: the counts of an association. [`report`]: its
//!   measurements.

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
pub mod report;
mod retransmission;
mod sack;
pub mod streams;
mod transmitting;
