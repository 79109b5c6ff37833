//! The discrete-event simulator.
//!
//! * [`simulation`]: a run, and its event loop.
//! * [`schedule`]: what happens next; one pending event per lane of packets and per timer.
//! * [`network`], [`link`], [`transmission`], [`lane`], [`packet`]: packets on their way over fixed paths. [`timeline`],
//!   [`outage`]: links whose rate and delay change.
//! * [`channel`], [`loss`]: links that corrupt, delay and reorder packets. [`medium`]: links that share one. [`radio`]: how
//!   much of a signal reaches whom.
//! * [`endpoint`], [`flow`], [`port`]: what sends over it, and how the two meet. [`tcp`], [`quic`], [`sctp`], [`udp`]: the
//!   endpoints; [`measured_sender`], [`marking`]: what TCP and QUIC share. [`agent`], [`agents`]: what looks into packets at a node on their
//!   way.
//! * [`reading`]: applications that read slowly. [`traffic`]: what is sent besides bulk data. [`session`]: what waits for what it has sent.
//! * [`measure`], [`histogram`], [`series`], [`report`]: what is measured, in constant room.
//! * [`trace`]: every packet's course, when asked for. [`watch`]: events of loss and bursts at a link, when asked for.
//!   [`capture`]: packets with their headers at some places, when asked for.
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
