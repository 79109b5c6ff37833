//! The measurements of an endpoint: one record for all transports, from which results are made.

use crate::histogram::Histogram;
use crate::rtp::playout::Frames;
use crate::session::Tally;
use ackclock_base::{Span, Time};
use ackclock_recovery::sender::Counts;

/// The measurements of an end since counting began: of the sender, except where a field says so. A field is `None` if the transport does not measure
/// it.
#[derive(Clone, Debug, Default)]
pub struct Report<'e> {
    /// The counts of loss recovery, over all paths.
    pub counts: Counts,
    /// The round-trip times measured from acknowledgements.
    pub rtt: Option<&'e Histogram>,
    /// The integral of the congestion window over time, in packet seconds, summed over all paths.
    pub cwnd_area: Option<f64>,
    /// The time for which each [limit](ackclock_recovery::sender::Limit) has held the sender back, in the
    /// order of [`Limit::ALL`](ackclock_recovery::sender::Limit::ALL).
    pub limited: Option<[Span; 4]>,
    /// The number of window probes and of reports that the sender is blocked by flow control; `None` if the
    /// receiving application reads everything at once.
    pub window_probes: Option<u64>,
    /// The number of requests, and the times that their replies took.
    pub requests: Option<&'e Tally>,
    /// Measurements that only an association with several paths has.
    pub association: Option<AssociationReport>,
    /// Measurements of a stack that is not ours. The counts of its loss recovery cannot be told from outside: `counts` is empty.
    pub stack: Option<StackReport<'e>>,
    /// What the encoder of a call has made; of the sender only.
    pub encoder: Option<EncoderReport>,
    /// What has arrived of the frames of a call; of the receiver only.
    pub frames: Option<Frames>,
}

/// What the encoder of a call has made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EncoderReport {
    /// The number of frames.
    pub frames: u64,
    /// Their size in bytes.
    pub bytes: u64,
}

/// The measurements of a stack that is not ours, as it tells them.
#[derive(Clone, Debug, Default)]
pub struct StackReport<'e> {
    /// The number of packets that it gave up for lost.
    pub lost_packets: u64,
    /// The number of reductions of its window: losses and marks, at most one per window of data.
    pub reductions: u64,
    /// The time at which it closed the connection; `None` while that is open.
    pub closed_at: Option<Time>,
    /// Why it closed the connection, in its own words.
    pub closed_reason: Option<&'e str>,
    /// Whether equal seeds give equal runs.
    pub is_seeded: bool,
}

/// The measurements of an association with several paths.
#[derive(Clone, Debug, Default)]
pub struct AssociationReport {
    /// The measurements of each path.
    pub paths: Vec<PathReport>,
    /// The number of times that new data left a path because the path had failed or might have.
    pub failovers: u64,
    /// The number of times that a path selector moved new data to another path.
    pub switches: u64,
    /// The number of HEARTBEATs sent.
    pub heartbeats: u64,
    /// The number of HEARTBEATs that were not answered in time.
    pub heartbeats_lost: u64,
    /// The time at which the association failed; `None` if it has not.
    pub failed_at: Option<Time>,
}

/// The measurements of one of several paths.
#[derive(Clone, Debug, Default)]
pub struct PathReport {
    /// The counts of loss recovery.
    pub counts: Counts,
    /// The integral of the congestion window over time, in packet seconds.
    pub cwnd_area: f64,
}
