//! RTP (RFC 3550) for a call: the frames of an encoder, in packets that are never retransmitted. The receiver reports the arrival of
//! each packet (RFC 8888), and a rate control makes a rate of the reports.
//!
//! * [`connection`]: the parameters of a call, and its two ends.
//! * [`control`]: the interface of rate controls, and their list. [`nada`]: RFC 8698. [`scream`]: SCReAMv2.
//! * [`encoder`]: the frames. [`playout`]: the frames that are shown at the receiver, and the freezes between them.

pub mod connection;
pub mod control;
pub mod encoder;
mod loss_intervals;
pub mod nada;
pub mod playout;
mod receiver;
pub mod scream;
mod sender;
