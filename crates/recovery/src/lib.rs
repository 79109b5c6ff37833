//! Loss recovery, written once for every transport: what was sent, what of it has arrived, what is lost, what is sent
//! again, and when.
//!
//! Everything here is sans-I/O: no clock, no generator, no packet format. A transport's codec understands a packet and says
//! which numbers it acknowledges; numbers are those of packets, in the order of their first sending.
//!
//! * [`ledger`]: what is known of every packet sent and not yet acknowledged.
//! * [`detection`]: which packets are lost, and which are sent again and when; one rule a file.
//! * [`rtt`]: the estimate of the round trip and of the retransmission timeout.

pub mod detection;
pub mod ledger;
pub mod rtt;
