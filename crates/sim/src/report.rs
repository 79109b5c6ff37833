//! The measurements that all transports have in common, from which results are made. What only one transport measures is in its
//! own module.

use crate::histogram::Histogram;
use crate::session::Tally;
use ackclock_base::Span;
use ackclock_recovery::sender::Counts;

/// The measurements of a sender since counting began. A field is `None` if the transport does not measure it.
#[derive(Clone, Debug)]
pub struct Report<'e> {
    /// The counts of loss recovery, over all paths; `None` for a stack that does not tell them.
    pub counts: Option<Counts>,
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
}

impl Default for Report<'_> {
    /// Returns the report of a transport that loses nothing and measures nothing.
    fn default() -> Self {
        Self {
            counts: Some(Counts::default()),
            rtt: None,
            cwnd_area: None,
            limited: None,
            window_probes: None,
            requests: None,
        }
    }
}
