//! What a run has sent, in the formats of other tools.
//!
//! * [`dialect`]: what the packets of a flow mean, and who its ends are.
//! * [`frame`]: packets as bytes with Ethernet, IPv4, UDP, [TCP](tcp) and [SCTP](sctp) headers.
//! * [`pcapng`]: files of them, for Wireshark. [`mahimahi`]: opportunities to send.
//! * [`events`]: what congestion controls heard and made of it. [`qlog`]: the same with what each sender sent, for qvis.

pub mod dialect;
pub mod events;
pub mod frame;
pub mod mahimahi;
pub mod pcapng;
pub mod qlog;
pub mod sctp;
pub mod tcp;
