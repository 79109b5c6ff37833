//! Loss recovery, written once for every transport: what was sent, what of it has arrived or is lost, what is
//! retransmitted, and when.
//!
//! Everything here is sans-I/O: it has no clock, no random generator and no packet format. A transport's
//! codec parses packets and says which numbers an acknowledgement covers. Numbers are those of packets, in
//! the order of their first transmission.
//!
//! * [`ledger`]: the state of every packet sent and not yet acknowledged.
//! * [`detection`]: which packets are lost, and which are retransmitted and when; each rule has a file of its
//!   own.
//! * [`prr`]: how much recovery lets out.
//! * [`rtt`]: the estimates of the round trip and the retransmission timeout.
//! * [`undo`]: whether a reaction to a loss was justified.
//! * [`pacer`]: when packets may be sent. [`small_queue`]: how many may wait in the host. [`ecn`]: the
//!   feedback about marks.
//! * [`congestion_event`]: what belongs to one reduction of the window.
//! * [`sender`]: the sending half of a connection, which combines these with the congestion control.
//!   [`options`]: its options. [`declared`]: the options that scenarios can set, in groups that transports
//!   nest in their own parameters.
//! * [`records`]: the records that a control gets from the ledger.
//! * [`validation`]: when a window counts as used. [`units`]: the units in which transports and controls count.

pub mod congestion_event;
pub mod declared;
pub mod detection;
pub mod ecn;
pub mod ledger;
pub mod options;
pub mod pacer;
pub mod prr;
pub mod records;
pub mod rtt;
pub mod sender;
pub mod small_queue;
pub mod undo;
pub mod units;
pub mod validation;

pub use options::Options;
pub use sender::{Acknowledgement, Output, Parts, Sender, Transmission};
pub use units::Units;

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
