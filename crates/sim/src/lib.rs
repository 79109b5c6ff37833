//! The discrete-event simulator.
//!
//! * [`simulation`]: a run and its event loop.
//! * [`schedule`]: the pending events, one per lane of packets and one per timer.
//! * [`network`], [`link`], [`transmission`], [`lane`], [`packet`]: packets and the links that they cross on
//!   fixed paths. [`timeline`], [`outage`]: links whose rate and delay change.
//! * [`channel`], [`loss`]: links that corrupt, delay, reorder and duplicate packets. [`medium`]: links that
//!   share a medium. [`radio`]: the strength of received signals.
//! * [`endpoint`], [`flow`], [`port`]: the interface of senders and receivers, the flows between them, and
//!   their connection to the network. [`tcp`], [`quic`], [`sctp`], [`udp`], [`rtp`]: the endpoints.
//!   [`measured_sender`], [`marking`]: parts that TCP and QUIC share. [`agent`], [`agents`]: programs at
//!   nodes that read and remove packets on their way, and send their own.
//! * [`reading`]: applications that read slowly. [`traffic`]: applications that send. [`session`]:
//!   applications that wait until their data is delivered before they send more.
//! * [`measure`], [`histogram`], [`series`], [`report`]: measurements, in constant memory.
//! * [`trace`]: an optional trace of every packet. [`watch`]: optional records of loss events and bursts at a
//!   link. [`capture`]: optional captures of packets with their headers.
//! * [`random`]: one random stream per component.

pub mod agent;
pub mod agents;
pub mod alteration;
pub mod capture;
pub mod channel;
mod correlated;
pub mod endpoint;
pub mod flow;
pub mod histogram;
pub mod jitter;
pub mod lane;
pub mod link;
pub mod loss;
pub mod marking;
pub mod measure;
pub mod measured_sender;
pub mod medium;
pub mod network;
pub mod opportunities;
pub mod outage;
pub mod packet;
pub mod port;
pub mod quic;
pub mod radio;
pub mod random;
mod ranges;
pub mod reading;
pub mod report;
mod ring;
pub mod rtp;
pub mod schedule;
pub mod sctp;
pub mod series;
pub mod session;
pub mod simulation;
mod station_queue;
pub mod tcp;
pub mod timeline;
pub mod trace;
pub mod traffic;
pub mod transmission;
mod two_states;
pub mod udp;
pub mod waiting_room;
pub mod watch;

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
