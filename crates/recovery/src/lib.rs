//! Loss recovery, written once for every transport: what was sent, what of it has arrived, what is lost, what is sent
//! again, and when.
//!
//! Everything here is sans-I/O: no clock, no generator, no packet format. A transport's codec understands a packet and says
//! which numbers it acknowledges; numbers are those of packets, in the order of their first sending.
//!
//! * [`ledger`]: what is known of every packet sent and not yet acknowledged.
//! * [`detection`]: which packets are lost, and which are sent again and when; one rule a file.
//! * [`prr`]: how much recovery lets out.
//! * [`rtt`]: the estimate of the round trip and of the retransmission timeout.
//! * [`undo`]: whether a reaction to a loss was justified.
//! * [`pacer`]: when packets may leave. [`small_queue`]: how many may wait in the host. [`ecn`]: what is made of marks.
//! * [`sender`]: the sending half of a connection, which puts these and the congestion control together; [`options`]: what
//!   can be chosen about it. [`declared`]: what scenarios can choose, in groups that transports nest in their details.
//! * [`units`]: what transports count in, and what controls do.

pub mod declared;
pub mod detection;
pub mod ecn;
pub mod ledger;
pub mod options;
pub mod pacer;
pub mod prr;
pub mod rtt;
pub mod sender;
pub mod small_queue;
pub mod undo;
pub mod units;

pub use options::Options;
pub use sender::{Acknowledgement, Output, Parts, Sender, Transmission};
pub use units::Units;
