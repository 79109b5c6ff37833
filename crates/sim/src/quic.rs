//! A QUIC connection with one stream (RFC 9000, RFC 9002): a sender and a receiver, each a state machine
//! without input or output. Their methods are called with datagrams and with the time, and they answer with
//! datagrams.
//!
//! No packet number is used twice. The stream data of a lost packet is sent in a later packet, so packet
//! numbers, which recovery counts, differ from the numbers of the data.
//!
//! The stream data has ranges of one size, one per packet, which are numbered from 0. The code calls such a
//! range a piece.
//!
//! * [`details`]: every detail that can be set. [`options`]: the options of a connection.
//! * [`sender`]: the sender's reaction to acknowledgements and timers; [`stream_data`]: the data in its
//!   packets.
//! * [`receiver`]: when and how the receiver acknowledges.
//! * [`datagram`]: the frames and their place in a packet's header.
//! * [`credit`], `reading`: flow control if the receiving application reads slowly.
//! * [`connection`]: sender and receiver as the ends of a flow.

pub mod connection;
pub mod credit;
pub mod datagram;
pub mod details;
pub mod options;
mod reading;
pub mod receiver;
pub mod sender;
pub mod stream_data;
