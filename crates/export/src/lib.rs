//! Writes the packets and events of a run in the formats of other tools.
//!
//! * [`dialect`] describes the transport protocol of a flow and the addresses of its ends.
//! * [`frame`] converts packets to bytes with Ethernet and IPv4 headers, and [`tcp`], [`quic`], [`sctp`] and [`udp`] with the
//!   headers inside.
//! * [`pcapng`] writes these packets to files for Wireshark.
//! * [`mahimahi`] writes a link's opportunities to send.
//! * [`events`] records the calls of congestion controls.
//! * [`qlog`] writes these calls and the packets of each sender to files for qvis.

pub mod dialect;
pub mod events;
pub mod frame;
pub mod mahimahi;
pub mod pcapng;
pub mod qlog;
pub mod quic;
pub mod sctp;
pub mod tcp;
pub mod udp;

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
